//! Maximum variance unfolding (Weinberger and Saul 2004; Maaten 3.1.4), first called semidefinite embedding.
//!
//! points -> neighbors -> graph -> the kernel of greatest trace that keeps the distances along its edges (a semidefinite
//! program) -> largest eigenpairs -> sqrt(l) v; new points by weights over their neighbors, and so back

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters::{Kind, Value};
use crate::spectral::unfolding::{Distances, Span, UnfoldingRecipe, Way};
use crate::spectral::{Disconnected, SpectralModel};
use crate::{Shape, parameters};

/// Maximum variance unfolding in the registry.
pub static MVU: Entry = Entry {
    name: "mvu",
    aliases: &["maximum-variance-unfolding", "semidefinite-embedding", "sde"],
    title: "Maximum variance unfolding",
    summary: "Pulls the points apart as far as the distances between neighbors allow: finds the number of dimensions by \
              itself, and proves its optimum. Slower than Isomap, and as sensitive to short circuits.",
    citation: "K. Weinberger, L. Saul, Unsupervised learning of image manifolds by semidefinite programming, 2004",
    capabilities: Capabilities { inverse: true, ..Capabilities::PLAIN },
    ..Entry::of::<Mvu>()
};

parameters! {
    /// Maximum variance unfolding: the parameters.
    pub struct Mvu {
        /// How many components to keep: fewer than points.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point keeps its distance to. Too few let the sheet fold around holes in the sample, too many
        /// jump between sheets. `auto` is one for every 80 points, but at least 6 and at most 12.
        n_neighbors: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 1_000_000 }] };
        /// What the distances between neighbors may do. To keep all of them is more than a curved sheet with many neighbors
        /// can do and be flattened.
        distances: Distances = Distances::Shrink;
        /// Whether the neighbors of a point keep their distances to each other, too, and so the angles between them.
        angles: bool = true;
        /// The relative error that the squared distance of an edge with a mean Lagrange multiplier may have, for noisy data;
        /// `auto` is 0.
        slack: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// How the semidefinite program is solved.
        solver: Way = Way::LowRank;
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

impl Mvu {
    fn neighbors(&self, rows: usize) -> usize {
        let usual = (rows / 80).clamp(6, 12).min(rows.saturating_sub(1).max(1));
        self.n_neighbors.unwrap_or(usual)
    }
}

impl ByRecipe for Mvu {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &MVU;

    fn recipe(&self, rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Box::new(UnfoldingRecipe {
            n_components: self.n_components,
            n_neighbors: self.neighbors(rows),
            distances: self.distances,
            angles: self.angles,
            slack: self.slack,
            span: Span::All,
            refine: false,
            way: self.solver,
            tol: self.tol,
            max_iter: self.max_iter,
            disconnected: self.disconnected,
            cut: self.cut_short_circuits,
        })
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        vec![("n_neighbors", Value::Integer(self.neighbors(shape.rows) as i64))]
    }
}
