//! Linear algebra for Lowland: operators that a solver sees only through products, eigenpairs that travel
//! with their true residuals, and singular values.

pub mod eigen;
mod gram;
mod matrix;
pub mod operator;
mod orthonormal;
mod rate;
pub mod rows;
mod scale;
pub mod signs;
pub mod svd;
pub mod symmetric;
mod tall;
pub mod unfolding;

pub use eigen::{Eigenpairs, Request, Solver, Which};
pub use gram::gram;
pub use matrix::{CenteredMatrix, DenseMatrix, Matrix, SparseMatrix};
pub use operator::Operator;
pub use orthonormal::orthonormalize;
pub use rate::products_per_second;
pub use rows::Rows;
pub use svd::Svd;
