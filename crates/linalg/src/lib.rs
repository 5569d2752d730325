//! Linear algebra for Lowland: operators that a solver sees only through products, eigenpairs that travel
//! with their true residuals, and singular values.

pub mod eigen;
mod operator;

pub use eigen::{Eigenpairs, Request, Solver, Which};
pub use operator::Operator;
