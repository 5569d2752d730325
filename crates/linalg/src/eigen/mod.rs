//! Eigenpairs of symmetric operators: one type for the result, one entry point that chooses the solver and
//! can be told.

pub mod smallest;

use faer::Mat;
use lowland_base::Scalar;

/// Eigenvalues with their vectors (columns, orthonormal) and the norm of each pair's true residual,
/// `|A v - l v|`, computed after the fact from the operator itself. They are made, sorted and cut together.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigenpairs<T> {
    /// The eigenvalues, in the order that was asked for.
    pub values: Vec<T>,
    /// The unit eigenvectors, one a column. In each the entry of largest magnitude is positive (the first
    /// such entry where several tie).
    pub vectors: Mat<T>,
    /// `|A v - l v|` of each pair.
    pub residuals: Vec<T>,
}

/// Which end of the spectrum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The largest eigenvalues, descending.
    Largest,
    /// The largest absolute values, descending by absolute value.
    LargestMagnitude,
    /// The smallest eigenvalues, ascending.
    Smallest,
}

/// How to find them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// Chosen by size, sparsity and fill.
    #[default]
    Auto,
    /// The whole decomposition of the dense matrix.
    Dense,
    /// Thick-restart block Lanczos: products only.
    Lanczos,
    /// Lanczos on the inverse of the shifted matrix, through a sparse factorisation (smallest, sparse,
    /// positive semidefinite).
    ShiftInvert,
    /// Products only, for the smallest of a sparse positive semidefinite matrix whose factor would be too
    /// large: a polynomial filter or a preconditioned block iteration.
    Filter,
}

/// What is asked of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// How many pairs.
    pub count: usize,
    /// Which end.
    pub which: Which,
    /// By which way.
    pub solver: Solver,
    /// The residual allowed, relative to the norm of the matrix. `None` is a small multiple of the unit
    /// roundoff of `T`.
    pub tolerance: Option<f64>,
}

impl<T: Scalar> Eigenpairs<T> {
    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
