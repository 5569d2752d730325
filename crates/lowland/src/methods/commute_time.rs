//! The commute-time embedding: kernel PCA of the Laplacian's pseudo-inverse (Ham, Lee, Mika and Schölkopf 2004, section 4).
//!
//! points -> neighbors -> graph -> affinities -> D - W -> smallest eigenpairs m -> sqrt(vol / m) v; new points as the mean
//! of their neighbors. No inverse is made: the largest pairs of `L^+` are the smallest of `L`.

use crate::InputKind;
use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::SpectralModel;
use crate::spectral::graph::{self, GraphRecipe, Output};
use crate::spectral::{Affinity, Disconnected, Edge, Laplacian};
use lowland_neighbors::Metric;

/// The commute-time embedding in the registry.
pub static COMMUTE_TIME: Entry = Entry {
    name: "commute-time",
    aliases: &["commute-time-embedding", "pseudo-inverse-laplacian", "resistance-embedding"],
    title: "Commute-time embedding",
    summary: "Squared distances are the times of a random walk there and back: kernel PCA of the Laplacian's \
              pseudo-inverse.",
    citation: "J. Ham, D. Lee, S. Mika, B. Schölkopf, A kernel view of the dimensionality reduction of manifolds, 2004",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Distances, InputKind::Kernel, InputKind::Graph],
        random: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<CommuteTime>()
};

parameters! {
    /// The commute-time embedding: the parameters.
    pub struct CommuteTime {
        /// How many components to keep: fewer than there are rows, or landmarks. All together keep the commute time
        /// exactly.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point has an edge to.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How the weight of an edge follows from its length. Similarities given as a kernel, and weights of a graph, are used
        /// instead.
        affinity: Affinity = Affinity::Gaussian;
        /// The width s of the Gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of neighbors.
        width: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether the entries of a graph are weights, and not lengths.
        weighted: bool = false;
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// What to do with a disconnected neighbor graph.
        disconnected: Disconnected = Disconnected::Join;
    }
    with landmarks at least 2
}

impl ByRecipe for CommuteTime {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &COMMUTE_TIME;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        let neighborhood =
            graph::neighborhood(self.n_neighbors, None, self.metric, self.disconnected, Edge::Either);
        Box::new(GraphRecipe {
            affinity: self.affinity,
            width: self.width,
            given: self.weighted,
            laplacian: Laplacian::Unnormalized,
            output: Output::Commute,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
            ..GraphRecipe::new(neighborhood, self.n_components)
        })
    }
}
