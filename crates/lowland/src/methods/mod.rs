//! The methods, one file each: header, parameters, bounds, recipe, and the tests of what only it satisfies.

mod classical_mds;
mod diffusion_maps;
mod graph_kernels;
mod isomap;
mod kernel_pca;
mod laplacian_eigenmaps;
mod pca;
mod spectral_clustering;

pub use classical_mds::{CLASSICAL_MDS, ClassicalMds, LANDMARK_MDS, LandmarkMds};
pub use diffusion_maps::{Bonds, DIFFUSION_MAPS, DiffusionMaps};
pub use graph_kernels::{COMMUTE_TIME, CommuteTime, HEAT_KERNEL, HeatKernel};
pub use isomap::{C_ISOMAP, CIsomap, ISOMAP, Isomap, LANDMARK_ISOMAP, LandmarkIsomap};
pub use kernel_pca::{KERNEL_PCA, KernelName, KernelPca};
pub use laplacian_eigenmaps::{LAPLACIAN_EIGENMAPS, LaplacianEigenmaps};
pub use pca::{PCA, Pca, PcaModel, PcaStream, SvdSolver};
pub use spectral_clustering::{SPECTRAL_CLUSTERING, SpectralClustering};
