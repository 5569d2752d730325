//! Local tangent space alignment (Zhang and Zha 2004; Maaten 3.2.4).
//!
//! points -> neighbours -> tangent coordinates -> smallest eigenpairs of what is not affine in them -> sqrt(n) v; new
//! points by the affine map of their neighbourhood

use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::Model;
use crate::parameters::{Described, Kind};
use crate::spectral::landmarks::Choice;
use crate::spectral::local::{Geometry, Recipe};
use crate::spectral::{Disconnected, SpectralModel};
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::{Result, Run};

/// Local tangent space alignment in the registry.
pub static LTSA: Entry = Entry {
    name: "ltsa",
    aliases: &["local-tangent-space-alignment"],
    title: "Local tangent space alignment",
    summary: "Every neighbourhood is an affine image of its tangent coordinates: recovers flat sheets exactly and curved \
              ones closely.",
    citation: "Z. Zhang, H. Zha, Principal manifolds and nonlinear dimensionality reduction via tangent space alignment, 2004",
    capabilities: Capabilities {
        inputs: &["points"],
        inverse: false,
        random: true,
        chunks: false,
        density: false,
        labels: false,
        missing: false,
    },
    parameters: Ltsa::parameters,
    create: || Box::new(Ltsa::default()),
    load: |archive| {
        let method: Ltsa = archive.method(LTSA.name)?;
        method.recipe().load(&LTSA, method.settings(), archive)
    },
};

parameters! {
    /// Local tangent space alignment: the parameters.
    pub struct Ltsa {
        /// How many components to keep: at most the number of columns.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbours each point has: at least n_components + 2. Too many reach across the folds of a manifold.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// What to do with a neighbour graph in several pieces.
        disconnected: Disconnected = Disconnected::Join;
        /// How many points are aligned; the others are placed among them as new points. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

impl Ltsa {
    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<SpectralModel> {
        let input = input.into();
        self.admit(input, run)?;
        self.recipe().fit(input, &LTSA, self.settings(), run)
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            geometry: Geometry::Tangent,
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            disconnected: self.disconnected,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        }
    }
}

impl Method for Ltsa {
    described!(LTSA);

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        self.recipe().check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.recipe().forecast(shape)
    }

    fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.recipe().fit(input, &LTSA, self.settings(), run)?))
    }
}
