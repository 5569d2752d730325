//! The methods, each with its names, parameters and capabilities. The front ends take everything from here.

mod suggestions;

use crate::method::{Capabilities, Entry, Fit};
use crate::methods;
use lowland_base::names::simplified;
use lowland_base::units::alternatives;
use lowland_base::{Error, Result};

/// Hands the types of all methods, in the order in which they are shown, to a macro. This is the one list of them.
#[macro_export]
macro_rules! each_method {
    ($visit:ident) => {
        $visit! {
            Pca,
            Ppca,
            FactorAnalysis,
            MixturePpca,
            MixtureOfFactorAnalyzers,
            ManifoldParzenWindows,
            TruncatedSvd,
            SimplePca,
            RandomProjection,
            FastIca,
            ProjectionPursuit,
            Lda,
            Nca,
            OrientedPca,
            DistortionDiscriminantAnalysis,
            KernelPca,
            ClassicalMds,
            LandmarkMds,
            FastMap,
            Sammon,
            Mds,
            NonmetricMds,
            Isomap,
            LandmarkIsomap,
            CIsomap,
            Mvu,
            LandmarkMvu,
            FastMvu,
            Lle,
            ModifiedLle,
            HessianLle,
            Ltsa,
            Lpp,
            Npe,
            Onpp,
            Lltsa,
            Llc,
            Charting,
            LaplacianEigenmaps,
            SpectralClustering,
            DiffusionMaps,
            CommuteTime,
            HeatKernel,
            Tsne,
            Umap,
            Pacmap,
            Autoencoder,
            Rbm,
        }
    };
}

macro_rules! entries {
    ($($method:ident,)*) => {
        &[$(<methods::$method as Fit>::ENTRY,)*]
    };
}

/// All methods, in the order in which they are shown.
pub fn all() -> &'static [&'static Entry] {
    static METHODS: &[&Entry] = each_method!(entries);
    METHODS
}

/// The method that every other is compared with.
pub fn baseline() -> &'static Entry {
    &methods::PCA
}

/// The method that finds clusters where none is named.
pub fn clustering() -> &'static Entry {
    &methods::SPECTRAL_CLUSTERING
}

/// The method that fills in missing values where none is named.
pub fn imputing() -> &'static Entry {
    &methods::PPCA
}

/// The names of the methods that can do this, as a remedy lists them: `a, b or c`.
pub fn able(can: impl Fn(&Capabilities) -> bool) -> String {
    let names: Vec<&str> =
        all().iter().filter(|entry| can(&entry.capabilities)).map(|entry| entry.name).collect();
    if names.is_empty() { "another method".into() } else { alternatives(&names) }
}

/// The method of this name or alias. Case, underscores and spaces do not matter.
pub fn find(name: &str) -> Result<&'static Entry> {
    let wanted = simplified(name);
    for &entry in all() {
        if names(entry).any(|known| simplified(known) == wanted) {
            return Ok(entry);
        }
    }
    Err(Error::UnknownMethod { name: name.into(), remedy: suggestions::remedy(name) })
}

fn names(entry: &'static Entry) -> impl Iterator<Item = &'static str> {
    std::iter::once(entry.name).chain(entry.aliases.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written_and_belong_to_one_method() {
        for spelling in ["pca", "PCA", "P_C-A", "principal components analysis"] {
            assert_eq!(find(spelling).unwrap().name, "pca");
        }
        let mut seen: Vec<String> = all().iter().flat_map(|entry| names(entry)).map(simplified).collect();
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count, "two methods share a name, or an alias repeats one");
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let remedy = "did you mean 'pca'?".into();
        assert_eq!(find("pka").unwrap_err(), Error::UnknownMethod { name: "pka".into(), remedy });
    }
}
