//! Parallel loops whose results do not depend on the number of threads: fixed chunks, results in order.

use crate::{Result, Run};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

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

/// `fold(work(0)), fold(work(1)), ...` with the works in parallel and the folds strictly in order, so that a
/// sum has the same bits for every number of threads. Few results wait at a time: each thread holds at most
/// one. `scratch` makes a thread's own work space once.
pub fn fold_in_order<S, R: Send>(
    run: &Run,
    count: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(usize, &mut S) -> R + Sync,
    fold: impl FnMut(usize, R, &mut S) + Send,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let turn = Mutex::new((0, fold));
    let changed = Condvar::new();
    let threads = run.threads().min(count).max(1);
    run.install(|| {
        (0..threads).into_par_iter().for_each(|_| {
            let mut own = scratch();
            loop {
                // Works are taken in order: whoever waits for its turn waits for a work already under way.
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    break;
                }
                let result = run.check().is_ok().then(|| work(index, &mut own));
                let mut state = turn.lock().unwrap_or_else(PoisonError::into_inner);
                while state.0 != index {
                    state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                if let Some(result) = result {
                    (state.1)(index, result, &mut own);
                }
                state.0 += 1;
                changed.notify_all();
            }
        });
    });
    run.check()
}
