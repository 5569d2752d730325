//! Modified locally linear embedding (Zhang and Wang 2006).
//!
//! points -> neighbors -> all weights that nearly rebuild each point -> smallest eigenpairs of their penalty -> sqrt(n) v;
//! new points by their weights

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::local::{Geometry, LocalRecipe, rule};
use crate::spectral::{Disconnected, SpectralModel};

/// Modified locally linear embedding in the registry.
pub static MODIFIED_LLE: Entry = Entry {
    name: "modified-lle",
    aliases: &["mlle", "modified-locally-linear-embedding"],
    title: "Modified locally linear embedding",
    summary: "Locally linear embedding with several sets of weights a neighborhood: keeps shapes that the plain method \
              distorts, at a little more cost.",
    citation: "Z. Zhang, J. Wang, MLLE: modified locally linear embedding using multiple weights, 2006",
    capabilities: Capabilities { random: true, ..Capabilities::PLAIN },
    ..Entry::of::<ModifiedLle>()
};

parameters! {
    /// Modified locally linear embedding: the parameters.
    pub struct ModifiedLle {
        /// How many components to keep: at most the number of columns.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point has: at least n_components + 1. Too many reach across the folds of a manifold.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// All within this distance are neighbors, instead of the nearest few.
        radius: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether each point keeps only as many of its neighbors as the data are flat around it.
        adaptive: bool = false;
        /// The ridge of the weights, relative to the trace of the local Gram matrix: it decides among the many weights
        /// that rebuild a point exactly when there are more neighbors than dimensions.
        reg: f64 = 1e-3, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// What to do with a disconnected neighbor graph.
        disconnected: Disconnected = Disconnected::Join;
    }
    with landmarks at least 1
}

impl ByRecipe for ModifiedLle {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &MODIFIED_LLE;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Box::new(LocalRecipe {
            geometry: Geometry::Modified { reg: self.reg },
            n_components: self.n_components,
            rule: rule(self.n_neighbors, self.radius, self.adaptive, self.n_components),
            disconnected: self.disconnected,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        })
    }
}
