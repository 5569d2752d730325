//! Mixture of factor analyzers (Ghahramani and Hinton 1996; Bengio 2.7, Maaten 4.3): each part of the data has a plane of its
//! own, and each column its own noise about it.
//!
//! points -> starts -> expectation maximization -> responsibilities and posterior means -> the rows as the analyzers rebuild
//! them, on the principal axes of the data; new points by the same formula

use crate::method::{ByRecipe, Entry, Recipe};
use crate::mixture::MixtureModel;
use crate::mixture::recipe::MixtureRecipe;
use crate::mixture::settings::Noise;
use crate::parameters;

/// Mixture of factor analyzers in the registry.
pub static MIXTURE_OF_FACTOR_ANALYZERS: Entry = Entry {
    name: "mixture-of-factor-analyzers",
    aliases: &["mfa", "mixture-factor-analysis"],
    title: "Mixture of factor analyzers",
    summary: "A density made of local planes with a noise of its own in every column: likelihoods, samples, clusters. Its embedding \
              is the denoised rows on the principal axes of the data; for one that unrolls a sheet take llc or charting.",
    citation: "Z. Ghahramani, G. E. Hinton, The EM algorithm for mixtures of factor analyzers, 1996",
    capabilities: super::mixture_ppca::CAPABILITIES,
    ..Entry::of::<MixtureOfFactorAnalyzers>()
};

parameters! {
    /// Mixture of factor analyzers: the parameters.
    pub struct MixtureOfFactorAnalyzers {}
    with mixture from KMeans
}

impl ByRecipe for MixtureOfFactorAnalyzers {
    type Model = MixtureModel;

    const ENTRY: &'static Entry = &MIXTURE_OF_FACTOR_ANALYZERS;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = MixtureModel>> {
        Box::new(MixtureRecipe(self.mixture(Noise::Columns)))
    }
}
