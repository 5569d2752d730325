//! Locally linear embedding (Roweis and Saul 2000; Burges 2.4, Bengio 2.6, Ham 5, Mohri 15.3.3).
//!
//! points or distances -> neighbors -> weights W that rebuild each point -> smallest eigenpairs of (I - W)'(I - W) -> sqrt(n) v; new
//! points by their weights (the kernel c I - M as c grows)

use crate::InputKind;
use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::local::{Geometry, LocalRecipe, rule};
use crate::spectral::{Disconnected, SpectralModel};

/// Locally linear embedding in the registry.
pub static LLE: Entry = Entry {
    name: "lle",
    aliases: &["locally-linear-embedding", "standard-lle"],
    title: "Locally linear embedding",
    summary: "Every point is a weighted sum of its neighbors, and so is its image: unrolls a curved sheet with one sparse \
              eigenproblem. Distances are not kept, and noise or too few neighbors make it collapse.",
    citation: "S. Roweis, L. Saul, Nonlinear dimensionality reduction by locally linear embedding, 2000",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Distances],
        random: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Lle>()
};

parameters! {
    /// Locally linear embedding: the parameters.
    pub struct Lle {
        /// How many components to keep: fewer than points, or landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// By how many neighbors each point is rebuilt: more than the manifold has dimensions. Too many reach across its
        /// folds.
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

impl ByRecipe for Lle {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &LLE;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Box::new(LocalRecipe {
            geometry: Geometry::Weights { reg: self.reg },
            n_components: self.n_components,
            rule: rule(self.n_neighbors, self.radius, self.adaptive, self.n_components),
            disconnected: self.disconnected,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        })
    }
}
