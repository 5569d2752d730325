//! The methods, one file each: header, parameters, bounds, recipe, and the tests of what only it satisfies.

mod classical_mds;
mod isomap;
mod kernel_pca;
mod pca;

pub use classical_mds::{CLASSICAL_MDS, ClassicalMds, LANDMARK_MDS, LandmarkMds};
pub use isomap::{C_ISOMAP, CIsomap, ISOMAP, Isomap, LANDMARK_ISOMAP, LandmarkIsomap};
pub use kernel_pca::{KERNEL_PCA, KernelName, KernelPca};
pub use pca::{PCA, Pca, PcaModel, PcaStream, SvdSolver};
