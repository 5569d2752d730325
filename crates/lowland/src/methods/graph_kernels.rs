//! Kernel PCA of the Laplacian's pseudo-inverse and of its heat kernel (Ham, Lee, Mika and Schölkopf 2004, section 4).
//!
//! points -> neighbors -> graph -> affinities -> D - W -> smallest eigenpairs m -> sqrt(vol / m) v, or
//! exp(-t m / 2) v; new points as the mean of their neighbors. No inverse is made: the largest pairs of `L^+` and of
//! `exp(-t L)` are the smallest of `L`.

use crate::method::{Capabilities, Entry};
use crate::parameters;
use crate::parameters::{Described, Kind};
use crate::spectral::graph::{self, GraphRecipe, Output};
use crate::spectral::{Affinity, Disconnected, Laplacian, SpectralModel};
use lowland_neighbors::Metric;

const CAPABILITIES: Capabilities = Capabilities {
    inputs: &["points", "distances", "kernel", "graph"],
    inverse: false,
    random: true,
    chunks: false,
    density: false,
    labels: false,
    missing: false,
};

/// The commute-time embedding in the registry.
pub static COMMUTE_TIME: Entry = Entry {
    name: "commute-time",
    aliases: &["commute-time-embedding", "pseudo-inverse-laplacian", "resistance-embedding"],
    title: "Commute-time embedding",
    summary: "Squared distances are the times of a random walk there and back: kernel PCA of the Laplacian's \
              pseudo-inverse.",
    citation: "J. Ham, D. Lee, S. Mika, B. Schölkopf, A kernel view of the dimensionality reduction of manifolds, 2004",
    capabilities: CAPABILITIES,
    parameters: CommuteTime::parameters,
    create: || Box::new(CommuteTime::default()),
    load: |archive| {
        let method: CommuteTime = archive.method(COMMUTE_TIME.name)?;
        method.recipe().load(&COMMUTE_TIME, method.settings(), archive)
    },
};

/// Heat-kernel PCA in the registry.
pub static HEAT_KERNEL: Entry = Entry {
    name: "heat-kernel",
    aliases: &["heat-kernel-pca", "diffusion-kernel-pca"],
    title: "Heat-kernel PCA",
    summary: "Kernel PCA of the heat kernel exp(-t L) of the neighbor graph: how much heat is shared after a time t.",
    citation: "J. Ham, D. Lee, S. Mika, B. Schölkopf, A kernel view of the dimensionality reduction of manifolds, 2004",
    capabilities: CAPABILITIES,
    parameters: HeatKernel::parameters,
    create: || Box::new(HeatKernel::default()),
    load: |archive| {
        let method: HeatKernel = archive.method(HEAT_KERNEL.name)?;
        method.recipe().load(&HEAT_KERNEL, method.settings(), archive)
    },
};

parameters! {
    /// The commute-time embedding: the parameters.
    pub struct CommuteTime {
        /// How many components to keep: fewer than there are rows, or landmarks. All together keep the commute time
        /// exactly.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point has an edge to.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How the weight of an edge follows from its length. Similarities given as a kernel, and weights of a graph, take its
        /// place.
        affinity: Affinity = Affinity::Gaussian;
        /// The width s of the gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of neighbors.
        width: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether the entries of a graph are weights, and not lengths.
        weighted: bool = false;
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// What to do with a neighbor graph in several pieces.
        disconnected: Disconnected = Disconnected::Join;
    }
    with landmarks at least 2
}

parameters! {
    /// Heat-kernel PCA: the parameters.
    pub struct HeatKernel {
        /// How many components to keep: fewer than there are rows, or landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The time that heat has to spread.
        t: f64 = 1.0, in Kind::Real { min: 0.0, max: 1e6, open: true };
        /// How many neighbors each point has an edge to.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How the weight of an edge follows from its length. Similarities given as a kernel, and weights of a graph, take its
        /// place.
        affinity: Affinity = Affinity::Gaussian;
        /// The width s of the gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of neighbors.
        width: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether the entries of a graph are weights, and not lengths.
        weighted: bool = false;
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// What to do with a neighbor graph in several pieces.
        disconnected: Disconnected = Disconnected::Join;
    }
    with landmarks at least 2
}

impl CommuteTime {
    fn output(&self) -> Output {
        Output::Commute
    }
}

impl HeatKernel {
    fn output(&self) -> Output {
        Output::Heat(self.t)
    }
}

macro_rules! kernel_method {
    ($type:ty, $entry:ident) => {
        impl $type {
            fn recipe(&self) -> GraphRecipe {
                let neighborhood =
                    graph::neighborhood(self.n_neighbors, None, self.metric, self.disconnected);
                GraphRecipe {
                    affinity: self.affinity,
                    width: self.width,
                    given: self.weighted,
                    laplacian: Laplacian::Unnormalized,
                    output: self.output(),
                    landmarks: self.landmarks,
                    choice: self.landmark_choice,
                    ..GraphRecipe::new(neighborhood, self.n_components)
                }
            }
        }

        by_recipe!($type, $entry, SpectralModel);
    };
}
kernel_method!(CommuteTime, COMMUTE_TIME);
kernel_method!(HeatKernel, HEAT_KERNEL);
