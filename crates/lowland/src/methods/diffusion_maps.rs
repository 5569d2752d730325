//! Diffusion maps (Coifman and Lafon 2006; Maaten 3.1.5).
//!
//! points -> Gaussian affinities -> divide by densities^alpha -> divide by degrees -> largest eigenpairs of the walk ->
//! l^t times the right eigenvectors; new points by Nyström (geometric harmonics)

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters::Kind;
use crate::spectral::graph::{self, GraphRecipe, Output};
use crate::spectral::{Disconnected, Edge, SpectralModel};
use crate::{InputKind, choices, parameters};
use lowland_neighbors::Metric;

/// Diffusion maps in the registry.
pub static DIFFUSION_MAPS: Entry = Entry {
    name: "diffusion-maps",
    aliases: &["diffusion-map", "dm"],
    title: "Diffusion maps",
    summary: "Distances by how differently random walks spread from two points: steady against noise and short \
              circuits. alpha = 1 takes the density of the sample out.",
    citation: "R. Coifman, S. Lafon, Diffusion maps, 2006",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Distances, InputKind::Kernel, InputKind::Graph],
        random: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<DiffusionMaps>()
};

choices! {
    /// Which pairs of points have an edge.
    pub enum Edges {
        /// All to all: a matrix of all pairs.
        All = "all" | "dense" | "full",
        /// Neighbors only.
        Neighbors = "neighbors" | "neighbours" | "sparse",
    }
}

parameters! {
    /// Diffusion maps: the parameters.
    pub struct DiffusionMaps {
        /// How many components to keep: fewer than there are rows, or landmarks. All together keep the diffusion
        /// distance exactly.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The time of the walk: how often its matrix is applied. Longer times keep fewer, larger features.
        t: f64 = 1.0, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// How much of the density is taken out: 0 is the plain walk, 1/2 the Fokker-Planck diffusion, 1 the geometry
        /// alone.
        alpha: f64 = 1.0, in Kind::Real { min: 0.0, max: 1.0, open: false };
        /// Which pairs of points have an edge. Similarities given as a kernel, and the edges of a graph, are used
        /// instead.
        edges: Edges = Edges::All;
        /// How many neighbors each point has an edge to; their median distance is the width where none is given.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
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

impl ByRecipe for DiffusionMaps {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &DIFFUSION_MAPS;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        let neighborhood =
            graph::neighborhood(self.n_neighbors, None, self.metric, self.disconnected, Edge::Either);
        Box::new(GraphRecipe {
            width: self.width,
            given: self.weighted,
            dense: self.edges == Edges::All,
            loops: true,
            alpha: self.alpha,
            output: Output::Diffusion(self.t),
            landmarks: self.landmarks,
            choice: self.landmark_choice,
            ..GraphRecipe::new(neighborhood, self.n_components)
        })
    }
}
