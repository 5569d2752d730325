//! Mixture of probabilistic principal component analyzers (Tipping and Bishop 1999; Burges 1.2): each part of the data has
//! a plane of its own, and the same noise in all directions about it.
//!
//! points -> starts -> expectation maximization -> responsibilities and posterior means -> the rows as the analyzers rebuild
//! them, on the principal axes of the data; new points by the same formula

use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::mixture::MixtureModel;
use crate::mixture::recipe::MixtureRecipe;
use crate::mixture::settings::Noise;
use crate::parameters;

/// Of mixtures that are not aligned.
pub(super) const CAPABILITIES: Capabilities = Capabilities {
    inverse: true,
    density: true,
    mixture: true,
    random: true,
    local_optimum: true,
    ..Capabilities::PLAIN
};

/// Mixture of probabilistic principal component analyzers in the registry.
pub static MIXTURE_PPCA: Entry = Entry {
    name: "mixture-ppca",
    aliases: &["mixture-of-ppca", "mppca", "mixture-of-probabilistic-pca"],
    title: "Mixture of probabilistic principal component analyzers",
    summary: "A density made of local planes: likelihoods, samples, clusters, and how many planes there are. Its embedding is the \
              denoised rows on the principal axes of the data; for one that unrolls a sheet take llc or charting.",
    citation: "M. E. Tipping, C. M. Bishop, Mixtures of probabilistic principal component analyzers, 1999",
    capabilities: CAPABILITIES,
    ..Entry::of::<MixturePpca>()
};

parameters! {
    /// Mixture of probabilistic principal component analyzers: the parameters.
    pub struct MixturePpca {}
    with mixture from KMeans
}

impl ByRecipe for MixturePpca {
    type Model = MixtureModel;

    const ENTRY: &'static Entry = &MIXTURE_PPCA;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = MixtureModel>> {
        Box::new(MixtureRecipe(self.mixture(Noise::Isotropic)))
    }
}
