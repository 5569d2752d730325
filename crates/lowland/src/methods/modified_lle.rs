//! Modified locally linear embedding (Zhang and Wang 2006).
//!
//! points -> neighbours -> all weights that nearly rebuild each point -> smallest eigenpairs of their penalty -> sqrt(n) v;
//! new points by their weights

use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::Model;
use crate::parameters::{Described, Kind};
use crate::spectral::landmarks::Choice;
use crate::spectral::local::{Geometry, Recipe};
use crate::spectral::{Disconnected, SpectralModel};
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::{Result, Run};

/// Modified locally linear embedding in the registry.
pub static MODIFIED_LLE: Entry = Entry {
    name: "modified-lle",
    aliases: &["mlle", "modified-locally-linear-embedding"],
    title: "Modified locally linear embedding",
    summary: "Locally linear embedding with several sets of weights a neighbourhood: keeps shapes that the plain method \
              distorts, at a little more cost.",
    citation: "Z. Zhang, J. Wang, MLLE: modified locally linear embedding using multiple weights, 2006",
    capabilities: Capabilities {
        inputs: &["points"],
        inverse: false,
        random: true,
        chunks: false,
        density: false,
        labels: false,
        missing: false,
    },
    parameters: ModifiedLle::parameters,
    create: || Box::new(ModifiedLle::default()),
    load: |archive| {
        let method: ModifiedLle = archive.method(MODIFIED_LLE.name)?;
        method.recipe().load(&MODIFIED_LLE, method.settings(), archive)
    },
};

parameters! {
    /// Modified locally linear embedding: the parameters.
    pub struct ModifiedLle {
        /// How many components to keep: at most the number of columns.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbours each point has: at least n_components + 1. Too many reach across the folds of a manifold.
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

impl ModifiedLle {
    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<SpectralModel> {
        let input = input.into();
        self.admit(input, run)?;
        self.recipe().fit(input, &MODIFIED_LLE, self.settings(), run)
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            geometry: Geometry::Modified { reg: self.reg },
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            disconnected: self.disconnected,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        }
    }
}

impl Method for ModifiedLle {
    described!(MODIFIED_LLE);

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        self.recipe().check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.recipe().forecast(shape)
    }

    fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.recipe().fit(input, &MODIFIED_LLE, self.settings(), run)?))
    }
}
