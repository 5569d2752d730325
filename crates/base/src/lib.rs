//! What every crate of Lowland shares: one error type, one run context (seed, threads, memory, progress,
//! cancellation), the two scalar types, sparse rows, and parallel loops whose bits do not depend on the
//! number of threads.

mod error;
pub mod pages;
pub mod parallel;
mod run;
mod scalar;
pub mod simd;
mod sparse;

pub use error::{Error, Partial, Result};
pub use run::{Cancel, Progress, Run, Stage, human_bytes};
pub use scalar::{Scalar, Work};
pub use sparse::Csr;
