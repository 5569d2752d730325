//! The kernels that a user can ask for by name.

use crate::choices;

choices! {
    /// The kernel between two points.
    pub enum KernelName {
        /// `exp(-gamma |x - y|^2)`
        Gaussian = "gaussian" | "rbf",
        /// `x . y`: plain PCA.
        Linear = "linear",
        /// `(gamma x . y + coef0)^degree`
        Polynomial = "polynomial" | "poly",
        /// `exp(-gamma |x - y|_1)`
        Laplacian = "laplacian" | "laplace",
        /// `tanh(gamma x . y + coef0)`, which may have negative eigenvalues.
        Sigmoid = "sigmoid" | "tanh",
        /// The cosine of the angle between the vectors.
        Cosine = "cosine",
        /// A Gaussian as wide at each point as the distance to its seventh neighbor.
        Local = "local" | "self-tuning",
    }
}
