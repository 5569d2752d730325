//! Isomap (Tenenbaum, de Silva and Langford 2000; Burges 2.3, Bengio 2.5, Ham 3).
//!
//! points -> neighbors -> graph -> geodesics -> -g^2 / 2 -> center -> largest eigenpairs -> sqrt(l) v; new points join
//! the graph, then Nyström

use crate::InputKind;
use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::SpectralModel;
use crate::spectral::geodesic::GeodesicRecipe;
use crate::spectral::landmarks::Choice;
use crate::spectral::{Disconnected, Edge, Negative, Neighborhood, Rule};
use lowland_neighbors::Metric;

/// Of Isomap and its presets.
pub(super) const CAPABILITIES: Capabilities = Capabilities {
    inputs: &[InputKind::Points, InputKind::Distances, InputKind::Graph],
    random: true,
    ..Capabilities::PLAIN
};

/// Isomap in the registry.
pub static ISOMAP: Entry = Entry {
    name: "isomap",
    aliases: &["isometric-feature-mapping"],
    title: "Isomap",
    summary: "Distances along the neighbor graph, then classical scaling: unrolls a curved sheet and keeps its global \
              shape. Wants a connected graph without short circuits.",
    citation: "J. Tenenbaum, V. de Silva, J. Langford, A global geometric framework for nonlinear dimensionality \
               reduction, 2000",
    capabilities: CAPABILITIES,
    ..Entry::of::<Isomap>()
};

parameters! {
    /// Isomap: the parameters.
    pub struct Isomap {
        /// How many components to keep: at most the number of rows, or of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point is joined to. Too few leave the graph disconnected, too many jump between
        /// sheets.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// All within this distance are neighbors, instead of the nearest few.
        radius: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether each point keeps only as many of its neighbors as the data are flat around it.
        adaptive: bool = false;
        /// Which neighbors have an edge.
        graph: Edge = Edge::Either;
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// What to do with a disconnected neighbor graph.
        disconnected: Disconnected = Disconnected::Join;
        /// Whether edges through which far too many shortest paths run are cut: they are reported in any case.
        cut_short_circuits: bool = false;
        /// Loops that do not shrink to a point, such as those around a cylinder, are torn: of the edges beyond the spanning
        /// tree of the graph those are kept that close a cycle of at most so many edges (4 is usual); `auto` keeps all.
        tear: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 3, max: 1_000_000 }] };
        /// Whether edges are divided by the root of the product of the mean distances of their ends to their neighbors
        /// (C-Isomap).
        conformal: bool = false;
        /// What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.
        negative: Negative = Negative::Drop;
        /// From how many points geodesics are computed: then no matrix of all pairs is built. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

impl ByRecipe for Isomap {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &ISOMAP;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        let rule = match self.radius {
            Some(radius) => Rule::Within(radius),
            None if self.adaptive => Rule::Adaptive {
                k: self.n_neighbors,
                dimension: self.n_components.min(self.n_neighbors.saturating_sub(1)),
            },
            None => Rule::Nearest(self.n_neighbors),
        };
        Box::new(GeodesicRecipe {
            neighborhood: Neighborhood {
                rule,
                metric: self.metric,
                policy: self.disconnected,
                edge: self.graph,
            },
            count: self.n_components,
            negative: self.negative,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
            conformal: self.conformal,
            cut: self.cut_short_circuits,
            tear: self.tear,
        })
    }
}
