//! Linear algebra for Lowland: operators that a solver sees only through products, eigenpairs that travel
//! with their true residuals, and singular values.

pub mod eigen;
mod matrix;
pub mod operator;
mod orthonormal;
mod scale;
pub mod svd;

pub use eigen::{Eigenpairs, Request, Solver, Which};
pub use matrix::{CenteredMatrix, DenseMatrix, Matrix, SparseMatrix};
pub use operator::Operator;
pub use svd::Svd;
