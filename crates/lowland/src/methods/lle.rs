//! Locally linear embedding (Roweis and Saul 2000; Burges 2.4, Bengio 2.6, Ham 5, Mohri 15.3.3).
//!
//! points -> neighbours -> weights W that rebuild each point -> smallest eigenpairs of (I - W)'(I - W) -> sqrt(n) v; new
//! points by their weights (the kernel c I - M as c grows)

use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::Model;
use crate::parameters::{Described, Kind};
use crate::spectral::landmarks::Choice;
use crate::spectral::local::{Geometry, Recipe};
use crate::spectral::{Disconnected, SpectralModel};
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::{Result, Run};

/// Locally linear embedding in the registry.
pub static LLE: Entry = Entry {
    name: "lle",
    aliases: &["locally-linear-embedding", "standard-lle"],
    title: "Locally linear embedding",
    summary: "Every point is a weighted sum of its neighbours, and so is its image: unrolls a curved sheet with one sparse \
              eigenproblem. Distances are not kept, and noise or too few neighbours make it collapse.",
    citation: "S. Roweis, L. Saul, Nonlinear dimensionality reduction by locally linear embedding, 2000",
    capabilities: Capabilities {
        inputs: &["points"],
        inverse: false,
        random: true,
        chunks: false,
        density: false,
        labels: false,
        missing: false,
    },
    parameters: Lle::parameters,
    create: || Box::new(Lle::default()),
    load: |archive| {
        let method: Lle = archive.method(LLE.name)?;
        method.recipe().load(&LLE, method.settings(), archive)
    },
};

parameters! {
    /// Locally linear embedding: the parameters.
    pub struct Lle {
        /// How many components to keep: fewer than points, or landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// By how many neighbours each point is rebuilt: more than the manifold has dimensions. Too many reach across its
        /// folds.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The ridge of the weights, relative to the trace of the local Gram matrix: it decides among the many weights
        /// that rebuild a point exactly when there are more neighbours than dimensions.
        reg: f64 = 1e-3, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// What to do with a neighbour graph in several pieces.
        disconnected: Disconnected = Disconnected::Join;
        /// How many points are aligned; the others are placed among them as new points. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

impl Lle {
    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<SpectralModel> {
        let input = input.into();
        self.admit(input, run)?;
        self.recipe().fit(input, &LLE, self.settings(), run)
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            geometry: Geometry::Weights { reg: self.reg },
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            disconnected: self.disconnected,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        }
    }
}

impl Method for Lle {
    described!(LLE);

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        self.recipe().check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.recipe().forecast(shape)
    }

    fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.recipe().fit(input, &LLE, self.settings(), run)?))
    }
}
