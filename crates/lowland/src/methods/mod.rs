//! The methods, one file each: header, parameters, bounds, recipe, and the tests of what only it satisfies.

mod kernel_pca;
mod pca;

pub use kernel_pca::{KERNEL_PCA, KernelName, KernelPca};
pub use pca::{PCA, Pca, PcaModel, PcaStream, SvdSolver};
