//! The methods, one file each: header, parameters, bounds, recipe, and the tests of what only it satisfies.

mod pca;

pub use pca::{PCA, Pca, PcaModel, PcaStream, SvdSolver};
