//! Neighborhood preserving embedding (He, Cai, Yan and Zhang 2005; Maaten, appendix A): LLE by a linear map.
//!
//! points -> neighbors -> weights W -> smallest of X'(I - W)'(I - W)X a = l X'X a, X centered

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::projective::LinearModel;
use crate::projective::relatives::{Constraint, PARTS, Penalty, Relative};
use crate::spectral::Disconnected;
use crate::spectral::local::Geometry;

/// Neighborhood preserving embedding in the registry.
pub static NPE: Entry = Entry {
    name: "npe",
    aliases: &["neighborhood-preserving-embedding", "neighbourhood-preserving-embedding"],
    title: "Neighborhood preserving embedding",
    summary: "The linear map under which every point stays the weighted sum of its neighbors: locally linear embedding with \
              a formula for new points, and a way back.",
    citation: "X. He, D. Cai, S. Yan, H.-J. Zhang, Neighborhood preserving embedding, 2005",
    capabilities: Capabilities { inverse: true, ..Capabilities::PLAIN },
    ..Entry::of::<Npe>()
};

parameters! {
    /// Neighborhood preserving embedding: the parameters.
    pub struct Npe {
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

impl ByRecipe for Npe {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &NPE;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = LinearModel>> {
        Box::new(Relative {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            disconnected: self.disconnected,
            penalty: Penalty::Local(Geometry::Weights { reg: self.reg }),
            parts: PARTS,
            constraint: Constraint::Variance,
        })
    }
}
