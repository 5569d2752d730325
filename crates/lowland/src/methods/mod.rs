//! The methods, one file each: header, parameters, bounds, recipe. The tests of what only one satisfies are in `tests/`.

mod autoencoder;
mod c_isomap;
mod charting;
mod classical_mds;
mod commute_time;
mod diffusion_maps;
mod distortion;
mod factor_analysis;
mod fast_ica;
mod fast_mvu;
mod fastmap;
mod heat_kernel;
mod hessian_lle;
mod isomap;
mod kernel_pca;
mod landmark_isomap;
mod landmark_mds;
mod landmark_mvu;
mod laplacian_eigenmaps;
mod lda;
mod llc;
mod lle;
mod lltsa;
mod lpp;
mod ltsa;
mod manifold_parzen;
mod mds;
mod mixture_factor_analyzers;
mod mixture_ppca;
mod modified_lle;
mod mvu;
mod nca;
mod nonmetric_mds;
mod npe;
mod onpp;
mod oriented_pca;
mod pacmap;
mod pca;
mod ppca;
mod projection_pursuit;
mod random_projection;
mod rbm;
mod sammon;
mod simple_pca;
mod spectral_clustering;
mod truncated_svd;
mod tsne;
mod umap;

pub use crate::layout::affinity::TsneAffinities;
pub use crate::layout::repulsion::NegativeGradient;
pub use crate::layout::start::LayoutInit;
pub use crate::mixture::MixtureModel;
pub use crate::mixture::settings::{Amount, Density, Noise};
pub use crate::mixture::start::Start as MixtureInit;
pub use crate::neural::AutoencoderModel;
pub use autoencoder::{AUTOENCODER, Autoencoder};
pub use c_isomap::{C_ISOMAP, CIsomap};
pub use charting::{CHARTING, Charting};
pub use classical_mds::{CLASSICAL_MDS, ClassicalMds};
pub use commute_time::{COMMUTE_TIME, CommuteTime};
pub use diffusion_maps::{DIFFUSION_MAPS, DiffusionMaps, Edges};
pub use distortion::{DISTORTION_DISCRIMINANT_ANALYSIS, DistortionDiscriminantAnalysis};
pub use factor_analysis::{FACTOR_ANALYSIS, FactorAlgorithm, FactorAnalysis, Rotation};
pub use fast_ica::{Contrast, FAST_ICA, FastIca, IcaAlgorithm};
pub use fast_mvu::{FAST_MVU, FastMvu};
pub use fastmap::{FASTMAP, FastMap};
pub use heat_kernel::{HEAT_KERNEL, HeatKernel};
pub use hessian_lle::{HESSIAN_LLE, HessianLle};
pub use isomap::{ISOMAP, Isomap};
pub use kernel_pca::{KERNEL_PCA, KernelName, KernelPca};
pub use landmark_isomap::{LANDMARK_ISOMAP, LandmarkIsomap};
pub use landmark_mds::{LANDMARK_MDS, LandmarkMds};
pub use landmark_mvu::{LANDMARK_MVU, LandmarkMvu};
pub use laplacian_eigenmaps::{LAPLACIAN_EIGENMAPS, LaplacianEigenmaps};
pub use lda::{LDA, Lda};
pub use llc::{LLC, Llc};
pub use lle::{LLE, Lle};
pub use lltsa::{LLTSA, Lltsa};
pub use lpp::{LPP, Lpp};
pub use ltsa::{LTSA, Ltsa};
pub use manifold_parzen::{MANIFOLD_PARZEN_WINDOWS, ManifoldParzenWindows};
pub use mds::{MDS, Mds};
pub use mixture_factor_analyzers::{MIXTURE_OF_FACTOR_ANALYZERS, MixtureOfFactorAnalyzers};
pub use mixture_ppca::{MIXTURE_PPCA, MixturePpca};
pub use modified_lle::{MODIFIED_LLE, ModifiedLle};
pub use mvu::{MVU, Mvu};
pub use nca::{NCA, Nca, NcaInit};
pub use nonmetric_mds::{NONMETRIC_MDS, NonmetricMds};
pub use npe::{NPE, Npe};
pub use onpp::{ONPP, Onpp};
pub use oriented_pca::{Criterion, ORIENTED_PCA, OrientedPca};
pub use pacmap::{PACMAP, Pacmap};
pub use pca::{PCA, Pca, PcaModel, Selection, SvdSolver};
pub use ppca::{Dimension, PPCA, Ppca, PpcaAlgorithm};
pub use projection_pursuit::{Deflation, PROJECTION_PURSUIT, ProjectionIndex, ProjectionPursuit};
pub use random_projection::{Projection, RANDOM_PROJECTION, RandomProjection, johnson_lindenstrauss};
pub use rbm::{RBM, Rbm};
pub use sammon::{SAMMON, Sammon};
pub use simple_pca::{SIMPLE_PCA, SimplePca, SimplePcaAlgorithm};
pub use spectral_clustering::{SPECTRAL_CLUSTERING, SpectralClustering};
pub use truncated_svd::{TRUNCATED_SVD, TruncatedSvd};
pub use tsne::{TSNE, Tsne};
pub use umap::{UMAP, Umap};

use crate::Shape;
use lowland_base::{Error, Result, units};

/// At least so many rows.
fn at_least(rows: usize, needed: usize, what: &str) -> Result<()> {
    if rows < needed { Err(Error::TooFewRows { rows, needed, what: what.into() }) } else { Ok(()) }
}

/// Why n_components cannot be mle.
fn few_for_mle(rows: usize, columns: usize) -> String {
    let (found, be) = (units::count(rows, "row"), units::one_or_many(rows, "is", "are"));
    format!("{found} {be} too few for n_components = mle, with {}", units::count(columns, "column"))
}

/// What the bound of most numbers of components is called.
fn smaller(rows: usize, columns: usize) -> String {
    format!("the smaller of {} and {}", units::count(rows, "row"), units::count(columns, "column"))
}

/// A number of components that is at most `most`, which is called `what`.
pub(crate) fn at_most(count: Option<usize>, most: usize, what: &str) -> Result<()> {
    match count {
        Some(count) if count > most => {
            let bound = format!("at most {most}, {what}");
            Err(Error::too_many_components(count, most, bound, "rows"))
        }
        _ => Ok(()),
    }
}

/// Bytes of what a covariance matrix and all its eigenvectors need, as [`Pca`] forecasts it.
fn covariance_bytes(shape: &Shape) -> f64 {
    let d = shape.columns as f64;
    8.0 * (4.0 * d * d + 2.0 * (256.0 * d + d.min(1024.0).powi(2)))
}
