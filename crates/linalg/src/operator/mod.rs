//! What a solver sees of a symmetric matrix, and the matrices that are never formed: each is composed of
//! products with another.

mod assembled;
mod centered;
mod dense;
mod gram;
mod normalized;
mod packed;
mod residual_gram;
mod shifted;
mod sparse;
mod triangle;

pub use assembled::Assembled;
pub use centered::Centered;
pub use dense::Dense;
pub use gram::{GramOperator, Side};
pub use normalized::Normalized;
pub use packed::Packed;
pub use residual_gram::ResidualGram;
pub use shifted::Shifted;
pub(crate) use sparse::product as sparse_product;

use faer::{Mat, MatMut, MatRef};
use lowland_base::{Csr, Result, Run, Scalar};
use std::borrow::Cow;

/// A symmetric linear operator, known by its products. The same bits for every number of threads.
pub trait Operator<T: Scalar>: Send + Sync {
    /// The number of rows, which is the number of columns.
    fn order(&self) -> usize;

    /// `out = A x` for a block of column vectors.
    fn apply(&self, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()>;

    /// The diagonal, where it is known without work: a preconditioner wants it.
    fn diagonal(&self) -> Option<Vec<T>> {
        None
    }

    /// The matrix as sparse rows, where it is sparse: a factorization wants it.
    fn to_sparse(&self, run: &Run) -> Result<Option<Cow<'_, Csr<T>>>> {
        let _ = run;
        Ok(None)
    }

    /// The whole matrix. Made from products with the identity unless there is a shorter way.
    fn to_dense(&self, run: &Run) -> Result<Mat<T>> {
        const BLOCK: usize = 64;
        let n = self.order();
        let mut dense = Mat::zeros(n, n);
        for block in lowland_base::parallel::chunks(n, BLOCK) {
            run.check()?;
            let unit =
                Mat::from_fn(n, block.len(), |i, j| if i == block.start + j { T::one() } else { T::zero() });
            self.apply(unit.as_ref(), dense.as_mut().subcols_mut(block.start, block.len()), run)?;
        }
        Ok(dense)
    }
}
