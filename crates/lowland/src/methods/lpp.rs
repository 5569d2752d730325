//! Locality preserving projections (He and Niyogi 2004; Maaten, appendix A): Laplacian eigenmaps by a linear map.
//!
//! points -> neighbors -> graph Laplacian L and degrees D -> smallest of X'LX a = l X'DX a, X centered by the degrees

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::projective::LinearModel;
use crate::projective::relatives::{Constraint, PARTS, Penalty, Relative};
use crate::spectral::Disconnected;

/// Locality preserving projections in the registry.
pub static LPP: Entry = Entry {
    name: "lpp",
    aliases: &["locality-preserving-projections"],
    title: "Locality preserving projections",
    summary: "The linear map that keeps neighbors together: Laplacian eigenmaps with a formula for new points, and a way \
              back. Take it where a linear picture is wanted that follows local structure rather than variance.",
    citation: "X. He, P. Niyogi, Locality preserving projections, 2004",
    capabilities: Capabilities { inverse: true, ..Capabilities::PLAIN },
    ..Entry::of::<Lpp>()
};

parameters! {
    /// Locality preserving projections: the parameters.
    pub struct Lpp {
        /// How many components to keep: at most the number of columns, and fewer than rows.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point is joined to.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The width s of the weights exp(-d^2 / (2 s^2)) of the edges; `auto` is their root mean square length.
        width: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// What to do with a disconnected neighbor graph; `separate` is refused: one linear map cannot put
        /// connected components side by side.
        disconnected: Disconnected = Disconnected::Join;
    }
}

impl ByRecipe for Lpp {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &LPP;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = LinearModel>> {
        Box::new(Relative {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            disconnected: self.disconnected,
            penalty: Penalty::Heat { width: self.width },
            parts: PARTS,
            constraint: Constraint::Variance,
        })
    }
}
