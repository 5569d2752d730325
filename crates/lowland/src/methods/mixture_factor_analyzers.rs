//! Mixture of factor analyzers (Ghahramani and Hinton 1996; Bengio 2.7, Maaten 4.3): each part of the data has a plane of its
//! own, and each column its own noise about it.
//!
//! points -> starts -> expectation maximization -> responsibilities and posterior means -> the rows as the analyzers rebuild
//! them, on the principal axes of the data; new points by the same formula

use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::mixture::MixtureModel;
use crate::mixture::recipe::{self, PARTS};
use crate::mixture::settings::Noise;
use crate::model::Archive;
use crate::parameters::Described;
use crate::{Shape, parameters};
use lowland_base::{Result, Run};

/// Mixture of factor analyzers in the registry.
pub static MIXTURE_OF_FACTOR_ANALYZERS: Entry = Entry {
    name: "mixture-of-factor-analyzers",
    aliases: &["mfa", "mixture-factor-analysis"],
    title: "Mixture of factor analyzers",
    summary: "A density made of local planes with a noise of its own in every column: likelihoods, samples, clusters. Its embedding \
              is the denoised rows on the principal axes of the data; for one that unrolls a sheet take llc or charting.",
    citation: "Z. Ghahramani, G. E. Hinton, The EM algorithm for mixtures of factor analyzers, 1996",
    capabilities: Capabilities {
        inverse: true,
        density: true,
        mixture: true,
        random: true,
        local_optimum: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<MixtureOfFactorAnalyzers>()
};

parameters! {
    /// Mixture of factor analyzers: the parameters.
    pub struct MixtureOfFactorAnalyzers {}
    with mixture from KMeans
}

impl Fit for MixtureOfFactorAnalyzers {
    type Model = MixtureModel;

    const ENTRY: &'static Entry = &MIXTURE_OF_FACTOR_ANALYZERS;

    fn check(&self, shape: &Shape) -> Result<()> {
        self.mixture(Noise::Columns).check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.mixture(Noise::Columns).forecast(shape)
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<MixtureModel> {
        let begun = recipe::begin(data.input, &self.mixture(Noise::Columns), run)?;
        begun.projected(Self::ENTRY, self.settings(), data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<MixtureModel> {
        MixtureModel::load(Self::ENTRY, PARTS, self.settings(), archive)
    }
}
