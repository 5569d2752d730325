//! Hessian locally linear embedding, Hessian eigenmaps (Donoho and Grimes 2003; Maaten 3.2.3, as corrected: products of
//! tangent coordinates up to the second order).
//!
//! points -> neighbors -> quadratic forms on tangent coordinates -> smallest eigenpairs of their sum -> sqrt(n) v; new
//! points by the affine map of their neighborhood

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::local::{Geometry, LocalRecipe, rule};
use crate::spectral::{Disconnected, SpectralModel};

/// Hessian locally linear embedding in the registry.
pub static HESSIAN_LLE: Entry = Entry {
    name: "hessian-lle",
    aliases: &["hlle", "hessian-locally-linear-embedding", "hessian-eigenmaps"],
    title: "Hessian locally linear embedding",
    summary: "Coordinates without curvature in any neighborhood: recovers sheets that are isometric to an open region of \
              the plane, with holes too. Wants many neighbors in more than two dimensions.",
    citation: "D. Donoho, C. Grimes, Hessian eigenmaps: locally linear embedding techniques for high-dimensional data, 2003",
    capabilities: Capabilities { random: true, ..Capabilities::PLAIN },
    ..Entry::of::<HessianLle>()
};

parameters! {
    /// Hessian locally linear embedding: the parameters.
    pub struct HessianLle {
        /// How many components to keep: at most the number of columns.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point has: at least 1 + d + d (d + 1) / 2 with d = n_components. Too many reach across
        /// the folds of a manifold.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// All within this distance are neighbors, instead of the nearest few.
        radius: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether each point keeps only as many of its neighbors as the data are flat around it.
        adaptive: bool = false;
        /// What to do with a disconnected neighbor graph.
        disconnected: Disconnected = Disconnected::Join;
    }
    with landmarks at least 1
}

impl ByRecipe for HessianLle {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &HESSIAN_LLE;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Box::new(LocalRecipe {
            geometry: Geometry::Hessian,
            n_components: self.n_components,
            rule: rule(self.n_neighbors, self.radius, self.adaptive, self.n_components),
            disconnected: self.disconnected,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        })
    }
}
