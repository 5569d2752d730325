//! Orthogonal neighborhood preserving projections (Kokiopoulou and Saad 2007; Maaten, appendix A): LLE by an orthogonal
//! projection.
//!
//! points -> neighbors -> weights W -> smallest of X'(I - W)'(I - W)X a = l a, X centered, a in the span of its rows

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::model::{Form, Part};
use crate::parameters;
use crate::parameters::Kind;
use crate::projective::LinearModel;
use crate::projective::relatives::{Constraint, Penalty, Relative};
use crate::spectral::Disconnected;
use crate::spectral::local::Geometry;

/// Orthogonal neighborhood preserving projections in the registry.
pub static ONPP: Entry = Entry {
    name: "onpp",
    aliases: &[
        "orthogonal-neighborhood-preserving-projections",
        "orthogonal-neighbourhood-preserving-projections",
    ],
    title: "Orthogonal neighborhood preserving projections",
    summary: "The orthogonal projection under which every point stays closest to the weighted sum of its neighbors: angles and \
              lengths inside the projected plane are kept.",
    citation: "E. Kokiopoulou, Y. Saad, Orthogonal neighborhood preserving projections: a projection-based dimensionality reduction technique, 2007",
    capabilities: Capabilities { inverse: true, ..Capabilities::PLAIN },
    ..Entry::of::<Onpp>()
};

const PARTS: &[Part] = &[
    ("components", "The directions, orthonormal, one a row, by ascending penalty.", Form::Matrix),
    ("eigenvalues", "The penalty of the image along each direction.", Form::Vector),
];

parameters! {
    /// Orthogonal neighborhood preserving projections: the parameters.
    pub struct Onpp {
        /// How many components to keep: at most the number of columns, and fewer than rows.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// By how many neighbors each point is rebuilt.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The ridge of the weights, relative to the trace of the local Gram matrix.
        reg: f64 = 1e-3, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// What to do with a disconnected neighbor graph; `separate` is refused: one linear map cannot put
        /// connected components side by side.
        disconnected: Disconnected = Disconnected::Join;
    }
}

impl ByRecipe for Onpp {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &ONPP;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = LinearModel>> {
        Box::new(Relative {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            disconnected: self.disconnected,
            penalty: Penalty::Local(Geometry::Weights { reg: self.reg }),
            parts: PARTS,
            constraint: Constraint::Directions,
        })
    }
}
