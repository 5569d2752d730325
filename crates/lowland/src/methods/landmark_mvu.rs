//! Landmark maximum variance unfolding (Weinberger, Packer and Saul 2005).
//!
//! points -> neighbors -> weights that rebuild each point -> all points as combinations of landmarks -> the kernel of
//! greatest trace between the landmarks that lets no distance grow -> sqrt(l) v -> all points improved from there; new points
//! by weights over their neighbors, which is the same transformation, and so back

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters::{Kind, Value};
use crate::spectral::landmarks::Choice;
use crate::spectral::unfolding::{Distances, Span, UnfoldingRecipe, Way};
use crate::spectral::{Disconnected, SpectralModel};
use crate::{Shape, parameters};

/// Landmark maximum variance unfolding in the registry.
pub static LANDMARK_MVU: Entry = Entry {
    name: "landmark-mvu",
    aliases: &["l-mvu", "l-sde"],
    title: "Landmark maximum variance unfolding",
    summary: "Maximum variance unfolding of a few landmarks, of which all points are combinations, then improved point by point \
              in the dimensions asked for: for tens of thousands of points.",
    citation: "K. Weinberger, B. Packer, L. Saul, Nonlinear dimensionality reduction by semidefinite programming and kernel \
               matrix factorization, 2005",
    capabilities: Capabilities { inverse: true, random: true, ..Capabilities::PLAIN },
    ..Entry::of::<LandmarkMvu>()
};

parameters! {
    /// Landmark maximum variance unfolding: the parameters.
    pub struct LandmarkMvu {
        /// How many components to keep: at most the number of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point is rebuilt from, and keeps near.
        n_neighbors: usize = 6, in Kind::Integer { min: 1, max: 1_000_000 };
        /// Of how many points all others are combinations; `auto` is 60, or all where there are fewer.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
        /// Whether all points are then improved one by one, in the dimensions asked for: combinations of a few landmarks keep
        /// distances only roughly.
        refine: bool = true;
        /// The relative error that the squared distance of an edge with a mean Lagrange multiplier may have; `auto` is 0.05
        /// among the landmarks, and 0 where points are improved.
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

/// The number of landmarks where none is given.
const USUAL: usize = 60;

impl LandmarkMvu {
    fn count(&self, rows: usize) -> usize {
        self.landmarks.unwrap_or(USUAL.max(4 * self.n_components).min(rows))
    }
}

impl ByRecipe for LandmarkMvu {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &LANDMARK_MVU;

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        vec![("landmarks", Value::Integer(self.count(shape.rows) as i64))]
    }

    fn recipe(&self, rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        let count = self.count(rows);
        Box::new(UnfoldingRecipe {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            distances: Distances::Shrink,
            angles: false,
            slack: self.slack,
            span: Span::Landmarks { count, choice: self.landmark_choice },
            refine: self.refine,
            way: Way::LowRank,
            tol: self.tol,
            max_iter: self.max_iter,
            disconnected: self.disconnected,
            cut: self.cut_short_circuits,
        })
    }
}
