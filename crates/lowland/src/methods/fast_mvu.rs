//! Fast maximum variance unfolding (Weinberger, Sha, Zhu and Saul 2006).
//!
//! points -> neighbors -> graph -> its smoothest Laplacian eigenvectors as a basis -> the kernel of greatest trace in it, with
//! slack -> sqrt(l) v -> all points improved from there; new points by weights over their neighbors, and so back

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::unfolding::{Distances, Span, UnfoldingRecipe, Way};
use crate::spectral::{Disconnected, SpectralModel};

/// Fast maximum variance unfolding in the registry.
pub static FAST_MVU: Entry = Entry {
    name: "fast-mvu",
    aliases: &["fmvu"],
    title: "Fast maximum variance unfolding",
    summary: "Maximum variance unfolding among the smoothest vectors on the neighbor graph, then improved point by point in \
              the dimensions asked for: for tens of thousands of points.",
    citation: "K. Weinberger, F. Sha, Q. Zhu, L. Saul, Graph Laplacian regularization for large-scale semidefinite \
               programming, 2006",
    capabilities: Capabilities { inverse: true, ..Capabilities::PLAIN },
    ..Entry::of::<FastMvu>()
};

parameters! {
    /// Fast maximum variance unfolding: the parameters.
    pub struct FastMvu {
        /// How many components to keep: at most the number of vectors.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point keeps its distance to.
        n_neighbors: usize = 6, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many Laplacian eigenvectors the coordinates are combinations of at first.
        n_vectors: usize = 20, in Kind::Integer { min: 1, max: 10_000 };
        /// What the distances between neighbors may do where points are improved; the vectors keep them as well as they can.
        distances: Distances = Distances::Shrink;
        /// Whether all points are then improved one by one, in the dimensions asked for.
        refine: bool = true;
        /// The relative error that the squared distance of an edge with a mean Lagrange multiplier may have; `auto` is 0.05
        /// among the vectors, and 0 where points are improved.
        slack: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// The largest relative violation of a squared distance; a tenth of the largest duality gap.
        tol: f64 = 1e-6, in Kind::Real { min: 1e-10, max: 0.1, open: false };
        /// The most updates of the Lagrange multipliers of the edges.
        max_iter: usize = 100, in Kind::Integer { min: 1, max: 100_000 };
        /// What to do with a disconnected neighbor graph, whose connected components could move apart without bound.
        disconnected: Disconnected = Disconnected::Join;
        /// Whether short circuits between sheets are cut where they can be found: a single one holds the whole sheet together.
        cut_short_circuits: bool = true;
    }
}

impl ByRecipe for FastMvu {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &FAST_MVU;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Box::new(UnfoldingRecipe {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            distances: self.distances,
            angles: false,
            slack: self.slack,
            span: Span::Laplacian { count: self.n_vectors },
            refine: self.refine,
            way: Way::LowRank,
            tol: self.tol,
            max_iter: self.max_iter,
            disconnected: self.disconnected,
            cut: self.cut_short_circuits,
        })
    }
}
