//! The values of dense matrices, block by block.

use super::{not_empty, offense, squarable};
use lowland_base::parallel::map_chunks;
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run, Scalar};
use ndarray::{ArrayView2, Axis, s};
use std::ops::Range;

/// Not empty, finite, squarable.
pub(crate) fn dense<T: Scalar>(what: &'static str, x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    not_empty(what, x.dim())?;
    let bound = squarable::<T>(x.len());
    // Along memory: the transpose of a Fortran-ordered matrix is in C order.
    let along = if in_columns(&x) { x.reversed_axes() } else { x };
    within(along, bound, run)?.then_some(()).ok_or_else(|| offending(what, x, bound))
}

/// As [`dense`], for a caller that reads every row anyway: `read` is given blocks of rows and the bound, and returns nothing
/// where a value is not within it. One reading of memory serves both.
pub(crate) fn dense_while<T: Scalar, R: Send>(
    what: &'static str,
    x: ArrayView2<'_, T>,
    read: impl Fn(Range<usize>, T) -> Option<R> + Sync + Send,
    run: &Run,
) -> Result<Vec<R>> {
    let bound = squarable::<T>(x.len());
    if x.is_empty() || in_columns(&x) {
        dense(what, x, run)?;
    }
    let found = map_chunks(run, x.nrows(), rows_of_a_block(x), |rows| read(rows, bound))?;
    found.into_iter().collect::<Option<_>>().ok_or_else(|| offending(what, x, bound))
}

fn in_columns<T>(x: &ArrayView2<'_, T>) -> bool {
    x.strides()[0].unsigned_abs() < x.strides()[1].unsigned_abs()
}

/// So many rows stay in the cache.
fn rows_of_a_block<T>(x: ArrayView2<'_, T>) -> usize {
    (1 << 16) / x.ncols() + 1
}

/// Whether every value is finite and within the bound.
fn within<T: Scalar>(x: ArrayView2<'_, T>, bound: T, run: &Run) -> Result<bool> {
    let clean = map_chunks(run, x.nrows(), rows_of_a_block(x), |rows| {
        let part = x.slice(s![rows, ..]);
        match part.to_slice() {
            Some(values) => all_within(values, bound),
            None => part.axis_iter(Axis(0)).all(|row| match row.to_slice() {
                Some(values) => all_within(values, bound),
                None => row.iter().all(|value| value.abs() <= bound),
            }),
        }
    })?;
    Ok(clean.into_iter().all(|clean| clean))
}

fn offending<T: Scalar>(what: &'static str, x: ArrayView2<'_, T>, bound: T) -> Error {
    offense(what, || x.indexed_iter().map(|((row, column), &value)| (row, column, value)), bound)
}

/// Whether every value is finite and within the bound: lanes of their own, so that it runs at memory speed.
pub(super) fn all_within<T: Scalar>(values: &[T], bound: T) -> bool {
    const LANES: usize = 32;
    vectorized(
        #[inline(always)]
        || {
            let mut inside = [true; LANES];
            let chunks = values.chunks_exact(LANES);
            let rest = chunks.remainder().iter().all(|value| value.abs() <= bound);
            for chunk in chunks {
                for lane in 0..LANES {
                    // A NaN fails every comparison, so it does not count as inside.
                    inside[lane] &= chunk[lane].abs() <= bound;
                }
            }
            rest && inside.iter().all(|&lane| lane)
        },
    )
}
