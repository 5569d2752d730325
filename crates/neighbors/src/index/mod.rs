//! Indexes: structures that answer 'who is near?'. One trait, one suite of tests over all of them.

mod approximate;

pub use approximate::Approximate;

use crate::Table;
use faer::MatRef;
use lowland_base::{Csr, Result, Run, Scalar};

/// Finds neighbours among the rows it was built from.
pub trait Index<T: Scalar>: Send + Sync {
    /// The number of rows it holds.
    fn len(&self) -> usize;

    /// Whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `k` nearest of every row it holds. A row is never its own neighbour: that goes by index, not by
    /// distance, for duplicates exist.
    fn k_nearest_of_all(&self, k: usize, run: &Run) -> Result<Table<T>>;

    /// The `k` nearest of new points.
    fn k_nearest(&self, queries: MatRef<'_, T>, k: usize, run: &Run) -> Result<Table<T>>;

    /// All within `radius` (inclusive) of every row it holds, itself left out; columns ascending.
    fn within_of_all(&self, radius: T, run: &Run) -> Result<Csr<T>>;

    /// All within `radius` (inclusive) of new points; columns ascending.
    fn within(&self, queries: MatRef<'_, T>, radius: T, run: &Run) -> Result<Csr<T>>;
}
