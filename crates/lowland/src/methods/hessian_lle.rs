//! Hessian locally linear embedding, Hessian eigenmaps (Donoho and Grimes 2003; Maaten 3.2.3, as corrected: products of
//! tangent coordinates up to the second order).
//!
//! points -> neighbours -> quadratic forms on tangent coordinates -> smallest eigenpairs of their sum -> sqrt(n) v; new
//! points by the affine map of their neighbourhood

use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::Model;
use crate::parameters::{Described, Kind};
use crate::spectral::landmarks::Choice;
use crate::spectral::local::{Geometry, Recipe};
use crate::spectral::{Disconnected, SpectralModel};
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::{Result, Run};

/// Hessian locally linear embedding in the registry.
pub static HESSIAN_LLE: Entry = Entry {
    name: "hessian-lle",
    aliases: &["hlle", "hessian-locally-linear-embedding", "hessian-eigenmaps"],
    title: "Hessian locally linear embedding",
    summary: "Coordinates without curvature in any neighbourhood: recovers sheets that are isometric to an open region of \
              the plane, with holes too. Wants many neighbours in more than two dimensions.",
    citation: "D. Donoho, C. Grimes, Hessian eigenmaps: locally linear embedding techniques for high-dimensional data, 2003",
    capabilities: Capabilities {
        inputs: &["points"],
        inverse: false,
        random: true,
        chunks: false,
        density: false,
        labels: false,
        missing: false,
    },
    parameters: HessianLle::parameters,
    create: || Box::new(HessianLle::default()),
    load: |archive| {
        let method: HessianLle = archive.method(HESSIAN_LLE.name)?;
        method.recipe().load(&HESSIAN_LLE, method.settings(), archive)
    },
};

parameters! {
    /// Hessian locally linear embedding: the parameters.
    pub struct HessianLle {
        /// How many components to keep: at most the number of columns.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbours each point has: at least 1 + d + d (d + 1) / 2 with d = n_components. Too many reach across
        /// the folds of a manifold.
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

impl HessianLle {
    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<SpectralModel> {
        let input = input.into();
        self.admit(input, run)?;
        self.recipe().fit(input, &HESSIAN_LLE, self.settings(), run)
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            geometry: Geometry::Hessian,
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            disconnected: self.disconnected,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        }
    }
}

impl Method for HessianLle {
    described!(HESSIAN_LLE);

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        self.recipe().check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.recipe().forecast(shape)
    }

    fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.recipe().fit(input, &HESSIAN_LLE, self.settings(), run)?))
    }
}
