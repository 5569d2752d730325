//! Laplacian eigenmaps (Belkin and Niyogi 2003; Burges 2.5, Bengio 2.4, Maaten 3.2.2, Mohri 15.3.2).
//!
//! points -> neighbors -> graph -> affinities -> divide by degrees -> smallest eigenpairs -> sqrt(n) v; new points by
//! Bengio's eq. 12 and Nyström

use crate::InputKind;
use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::graph::{self, GraphRecipe};
use crate::spectral::{Affinity, Disconnected, Edge, Laplacian, SpectralModel};
use lowland_neighbors::Metric;

/// Laplacian eigenmaps in the registry.
pub static LAPLACIAN_EIGENMAPS: Entry = Entry {
    name: "laplacian-eigenmaps",
    aliases: &["spectral-embedding", "laplacian-eigenmap", "le", "lem"],
    title: "Laplacian eigenmaps",
    summary: "Neighbors stay neighbors: the smoothest functions on the neighbor graph. Quick at any size, and shows \
              clusters; distances in the picture mean little.",
    citation: "M. Belkin, P. Niyogi, Laplacian eigenmaps for dimensionality reduction and data representation, 2003",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Distances, InputKind::Kernel, InputKind::Graph],
        random: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<LaplacianEigenmaps>()
};

parameters! {
    /// Laplacian eigenmaps: the parameters.
    pub struct LaplacianEigenmaps {
        /// How many components to keep: fewer than there are rows, or landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point has an edge to. Too few leave the graph disconnected, too many fold sheets
        /// together.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// All within this distance are neighbors, instead of the nearest few.
        radius: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// How the weight of an edge follows from its length. Similarities given as a kernel, and weights of a graph, are used
        /// instead.
        affinity: Affinity = Affinity::Gaussian;
        /// The width s of the Gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of neighbors.
        width: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether the entries of a graph are weights, and not lengths.
        weighted: bool = false;
        /// Which Laplacian of the graph.
        laplacian: Laplacian = Laplacian::RandomWalk;
        /// Which neighbors have an edge.
        graph: Edge = Edge::Either;
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// What to do with a disconnected neighbor graph.
        disconnected: Disconnected = Disconnected::Join;
    }
    with landmarks at least 2
}

impl ByRecipe for LaplacianEigenmaps {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &LAPLACIAN_EIGENMAPS;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        let neighborhood =
            graph::neighborhood(self.n_neighbors, self.radius, self.metric, self.disconnected, self.graph);
        Box::new(GraphRecipe {
            affinity: self.affinity,
            width: self.width,
            given: self.weighted,
            laplacian: self.laplacian,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
            ..GraphRecipe::new(neighborhood, self.n_components)
        })
    }
}
