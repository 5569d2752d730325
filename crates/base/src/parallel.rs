//! Parallel loops whose results do not depend on the number of threads: fixed chunks, results in order.

use crate::{Result, Run};
use rayon::prelude::*;
use std::ops::Range;

/// The degree of parallelism handed to faer, always. Its bits depend on this number and not on the number
/// of threads that carry it out, so it must never follow the size of the pool.
pub const FAER: faer::Par = faer::Par::Rayon(std::num::NonZeroUsize::new(8).unwrap());

/// The fixed chunks of `0..n`.
pub fn chunks(n: usize, size: usize) -> impl ExactSizeIterator<Item = Range<usize>> + Clone {
    let size = size.max(1);
    (0..n.div_ceil(size)).map(move |c| c * size..((c + 1) * size).min(n))
}

/// `f` on every fixed chunk of `0..n`, in parallel; the results in the order of the chunks. A cancelled run
/// stops at the next chunk.
pub fn map_chunks<R: Send>(
    run: &Run,
    n: usize,
    size: usize,
    f: impl Fn(Range<usize>) -> R + Send + Sync,
) -> Result<Vec<R>> {
    let size = size.max(1);
    run.install(|| {
        (0..n.div_ceil(size))
            .into_par_iter()
            .map(|c| {
                run.check()?;
                Ok(f(c * size..((c + 1) * size).min(n)))
            })
            .collect()
    })
}

/// `f` on every fixed chunk of rows of a flat row-major buffer (`width` values a row), in parallel.
/// `f` gets the range of rows and the rows themselves to write.
pub fn fill_rows<T: Send>(
    run: &Run,
    rows: &mut [T],
    width: usize,
    size: usize,
    f: impl Fn(Range<usize>, &mut [T]) + Send + Sync,
) -> Result<()> {
    let (width, size) = (width.max(1), size.max(1));
    run.install(|| {
        rows.par_chunks_mut(size * width).enumerate().try_for_each(|(c, part)| {
            run.check()?;
            let start = c * size;
            f(start..start + part.len() / width, part);
            Ok(())
        })
    })
}
