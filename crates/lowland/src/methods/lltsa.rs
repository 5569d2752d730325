//! Linear local tangent space alignment (Zhang, Yang, Zhao and Ge 2007; Maaten, appendix A): LTSA by a linear map.
//!
//! points -> neighbors -> alignment matrix B -> smallest of X'BX a = l X'X a, X centered

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::projective::LinearModel;
use crate::projective::relatives::{Constraint, PARTS, Penalty, Relative};
use crate::spectral::Disconnected;
use crate::spectral::local::Geometry;

/// Linear local tangent space alignment in the registry.
pub static LLTSA: Entry = Entry {
    name: "lltsa",
    aliases: &["linear-ltsa", "linear-local-tangent-space-alignment"],
    title: "Linear local tangent space alignment",
    summary: "The linear map under which every neighborhood is an affine image of its tangent coordinates: local tangent space \
              alignment with a formula for new points, and a way back.",
    citation: "T. Zhang, J. Yang, D. Zhao, X. Ge, Linear local tangent space alignment and application to face recognition, 2007",
    capabilities: Capabilities { inverse: true, ..Capabilities::PLAIN },
    ..Entry::of::<Lltsa>()
};

parameters! {
    /// Linear local tangent space alignment: the parameters.
    pub struct Lltsa {
        /// How many components to keep: at most the number of columns, and fewer than rows.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point has: at least n_components + 2.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// What to do with a disconnected neighbor graph; `separate` is refused: one linear map cannot put
        /// connected components side by side.
        disconnected: Disconnected = Disconnected::Join;
    }
}

impl ByRecipe for Lltsa {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &LLTSA;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = LinearModel>> {
        Box::new(Relative {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            disconnected: self.disconnected,
            penalty: Penalty::Local(Geometry::Tangent),
            parts: PARTS,
            constraint: Constraint::Variance,
        })
    }
}
