//! What every crate of Lowland shares: one error type, one run context (seed, threads, memory, progress,
//! cancellation), the two scalar types, sparse rows, parallel loops whose bits do not depend on the number of
//! threads, units as people write them, and files that are written whole.

mod checkpoint;
mod error;
pub mod files;
pub mod memory;
pub mod names;
pub mod pages;
pub mod parallel;
mod pool;
mod row_sums;
mod run;
mod scalar;
mod share;
pub mod simd;
mod sparse;
pub mod units;
mod waiting;

pub use checkpoint::{Checkpoint, FitIdentity, Verdict};
pub use error::{Error, MemoryLimit, Partial, Result};
/// A matrix, as observers of layouts get it.
pub use faer::{Mat, MatRef};
pub use row_sums::RowSums;
pub use run::{Cancel, Progress, Run, Stage};
pub use scalar::{Precompiled, Scalar};
pub use share::Slowed;
pub use sparse::Csr;
pub use units::human_bytes;
