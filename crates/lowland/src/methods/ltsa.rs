//! Local tangent space alignment (Zhang and Zha 2004; Maaten 3.2.4).
//!
//! points -> neighbors -> tangent coordinates -> smallest eigenpairs of what is not affine in them -> sqrt(n) v; new
//! points by the affine map of their neighborhood

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::local::{Geometry, LocalRecipe, rule};
use crate::spectral::{Disconnected, SpectralModel};

/// Local tangent space alignment in the registry.
pub static LTSA: Entry = Entry {
    name: "ltsa",
    aliases: &["local-tangent-space-alignment"],
    title: "Local tangent space alignment",
    summary: "Every neighborhood is an affine image of its tangent coordinates: recovers flat sheets exactly and curved \
              ones closely.",
    citation: "Z. Zhang, H. Zha, Principal manifolds and nonlinear dimensionality reduction via tangent space alignment, 2004",
    capabilities: Capabilities { random: true, ..Capabilities::PLAIN },
    ..Entry::of::<Ltsa>()
};

parameters! {
    /// Local tangent space alignment: the parameters.
    pub struct Ltsa {
        /// How many components to keep: at most the number of columns.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point has: at least n_components + 2. Too many reach across the folds of a manifold.
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

impl ByRecipe for Ltsa {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &LTSA;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Box::new(LocalRecipe {
            geometry: Geometry::Tangent,
            n_components: self.n_components,
            rule: rule(self.n_neighbors, self.radius, self.adaptive, self.n_components),
            disconnected: self.disconnected,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        })
    }
}
