//! Parallel loops whose results do not depend on the number of threads: fixed chunks, results in order.

use crate::share::Share;
use crate::{Error, Result, Run};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The degree of parallelism handed to faer, outside of our own loops and where the size of the problem does not make it
/// sequential. Its bits depend on this number and not on the number of threads that carry it out, so it must never follow
/// the size of the pool.
pub const FAER: faer::Par = faer::Par::Rayon(std::num::NonZeroUsize::new(8).unwrap());

/// The fixed chunks of `0..n`.
pub fn chunks(n: usize, size: usize) -> impl ExactSizeIterator<Item = Range<usize>> + Clone {
    let size = size.max(1);
    (0..n.div_ceil(size)).map(move |c| c * size..((c + 1) * size).min(n))
}

/// Two tasks side by side: one that leaves threads idle, and one that does not need its result. The first stays on this thread,
/// where its long calls can be left ([`Run::interruptible`]). The second has a run of one thread, so that they do not compete for
/// more than there are, and whose loops keep their shares to themselves. With one thread they follow each other.
pub fn join<A, B: Send>(
    run: &Run,
    first: impl FnOnce() -> Result<A>,
    second: impl FnOnce(&Run) -> Result<B> + Send,
) -> Result<(A, B)> {
    let silent = run.with_silent_loops();
    let alone = if run.threads() > 1 { silent.clone().with_threads(1).ok() } else { None };
    let second = Mutex::new(Some(second));
    let take = || second.lock().unwrap_or_else(PoisonError::into_inner).take();
    std::thread::scope(|scope| {
        let other = alone.as_ref().and_then(|alone| {
            let perform = move || take().map(|task| alone.install(|| task(alone)));
            std::thread::Builder::new().spawn_scoped(scope, perform).ok()
        });
        let first = first();
        let second = match other.map(|other| other.join()) {
            Some(Ok(done)) => done,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => None,
        };
        // Where there was no thread for it, it is still there.
        let first = first?;
        let second = second.or_else(|| take().map(|task| task(&silent))).ok_or(Error::Canceled)??;
        Ok((first, second))
    })
}

/// `f` on every fixed chunk of `0..n`, in parallel; the results in the order of the chunks. A canceled run
/// stops at the next chunk.
pub fn map_chunks<R: Send>(
    run: &Run,
    n: usize,
    size: usize,
    f: impl Fn(Range<usize>) -> R + Send + Sync,
) -> Result<Vec<R>> {
    let size = size.max(1);
    let found: Vec<Mutex<Option<R>>> = (0..n.div_ceil(size)).map(|_| Mutex::new(None)).collect();
    spread(run, found.len(), &|c| {
        run.check()?;
        let result = f(c * size..((c + 1) * size).min(n));
        *found[c].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        Ok(())
    })?;
    Ok(found
        .into_iter()
        .filter_map(|found| found.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect())
}

/// `work` on every number below `count`, in parallel. Not generic, so that the machinery of rayon is compiled once
/// and not for every loop of every crate: a loop costs one indirect call a chunk.
///
/// Each thread begins with a range of its own, the same in every loop of as many chunks: their data may still be in its cache.
/// Then it takes what is left of the others'.
fn spread(run: &Run, count: usize, work: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    let share = Share::new(run, count);
    let threads = run.threads().min(count).max(1);
    let end = |range: usize| range * count / threads;
    let next: Vec<AtomicUsize> = (0..threads).map(|range| AtomicUsize::new(end(range))).collect();
    on_threads(run, threads, &|thread| {
        for range in (thread..threads).chain(0..thread) {
            let end = end(range + 1);
            while next[range].load(Ordering::Relaxed) < end {
                let index = next[range].fetch_add(1, Ordering::Relaxed);
                if index < end {
                    work(index)?;
                    share.step();
                }
            }
        }
        Ok(())
    })
}

/// How long a thread that has nothing left to do waits awake for the others, which mostly end soon: to be woken takes long.
const AWAKE: Duration = Duration::from_micros(200);

/// The same `task` on so many threads; an error is one of those that they returned.
fn on_threads(run: &Run, threads: usize, task: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    let under_way = AtomicUsize::new(0);
    let one = |thread: usize| {
        under_way.fetch_add(1, Ordering::Relaxed);
        let done = task(thread);
        under_way.fetch_sub(1, Ordering::Relaxed);
        let begun = Instant::now();
        while under_way.load(Ordering::Relaxed) > 0 && begun.elapsed() < AWAKE {
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
        }
        done
    };
    run.install(|| branch(0..threads, &one))
}

fn branch(threads: Range<usize>, one: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    if threads.len() == 1 {
        return one(threads.start);
    }
    let middle = (threads.start + threads.end) / 2;
    let (a, b) = rayon::join(|| branch(threads.start..middle, one), || branch(middle..threads.end, one));
    a.and(b)
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
    map_rows(run, rows, width, size, f).map(drop)
}

/// As [`fill_rows`], with what `f` says of every chunk, in order.
pub fn map_rows<T: Send, R: Send>(
    run: &Run,
    rows: &mut [T],
    width: usize,
    size: usize,
    f: impl Fn(Range<usize>, &mut [T]) -> R + Send + Sync,
) -> Result<Vec<R>> {
    let (width, size) = (width.max(1), size.max(1));
    let parts: Vec<Mutex<(&mut [T], Option<R>)>> =
        rows.chunks_mut(size * width).map(|part| Mutex::new((part, None))).collect();
    spread(run, parts.len(), &|c| {
        run.check()?;
        // Nobody else asks for this part: the lock says so to the compiler.
        let (part, result) = &mut *parts[c].lock().unwrap_or_else(PoisonError::into_inner);
        let start = c * size;
        *result = Some(f(start..start + part.len() / width, part));
        Ok(())
    })?;
    Ok(parts
        .into_iter()
        .filter_map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner).1)
        .collect())
}

/// How often a thread checks whether it is its turn, for some 20 microseconds, before it offers its processor to others.
const CHECKS: usize = 1000;

/// `fold(work(0)), fold(work(1)), ...` with the works in parallel and the folds strictly in order, so that a
/// sum has the same bits for every number of threads. Few results wait at a time: each thread holds at most
/// one. `scratch` makes a thread's own work space once. A panic in any of them ends the others and goes on to
/// the caller. `work` must not use the pool itself: the thread could take up a second work that waits for the
/// first.
pub fn fold_in_order<S, R: Send>(
    run: &Run,
    count: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(usize, &mut S) -> R + Sync,
    fold: impl FnMut(usize, R, &mut S) + Send,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let turn = Mutex::new((0, fold));
    // The same number, to be looked at without the lock.
    let folded = AtomicUsize::new(0);
    let changed = Condvar::new();
    let failed = AtomicBool::new(false);
    let threads = run.threads().min(count).max(1);
    let share = Share::new(run, count);
    let each_thread = |_: usize| {
        let _release = ReleaseOnPanic { failed: &failed, changed: &changed, lock: &turn };
        let mut own = scratch();
        loop {
            // Works are taken in order: whoever waits for its turn waits for a work already under way.
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            let result = run.check().is_ok().then(|| work(index, &mut own));
            // Works are of a size: those before this one end soon, mostly sooner than a thread falls asleep and is woken.
            let is_waiting = || folded.load(Ordering::Relaxed) != index && !failed.load(Ordering::Relaxed);
            (0..CHECKS).take_while(|_| is_waiting()).for_each(|_| std::hint::spin_loop());
            let begun = Instant::now();
            while is_waiting() && begun.elapsed() < AWAKE {
                std::thread::yield_now();
            }
            let mut state = turn.lock().unwrap_or_else(PoisonError::into_inner);
            while state.0 != index && !failed.load(Ordering::Relaxed) {
                state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if failed.load(Ordering::Relaxed) {
                break;
            }
            if let Some(result) = result {
                (state.1)(index, result, &mut own);
            }
            state.0 += 1;
            folded.store(state.0, Ordering::Relaxed);
            changed.notify_all();
            share.step();
        }
        Ok(())
    };
    on_threads(run, threads, &each_thread)?;
    run.check()
}

/// Whoever waits for the turn of a work that panicked would wait for ever: this lets them go.
struct ReleaseOnPanic<'a, L> {
    failed: &'a AtomicBool,
    changed: &'a Condvar,
    lock: &'a Mutex<L>,
}

impl<L> Drop for ReleaseOnPanic<'_, L> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Under the lock, so that it does not fall between a waiter's look and its sleep.
            let _turn = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
            self.failed.store(true, Ordering::Relaxed);
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    #[test]
    fn tasks_side_by_side_give_both_results_an_error_and_yield_to_the_switch() {
        for threads in [1, 2, 3] {
            let run = Run::new().with_threads(threads).unwrap();
            assert_eq!(join(&run, || Ok(1), |_| Ok("two")).unwrap(), (1, "two"));
            assert_eq!(join(&run, || Err::<(), _>(Error::Canceled), |_| Ok(2)), Err(Error::Canceled));
            assert_eq!(join(&run, || Ok(1), |_| Err::<(), _>(Error::Canceled)), Err(Error::Canceled));
            let switch = run.cancel_switch();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                switch.cancel();
            });
            let begun = std::time::Instant::now();
            let slow = || run.interruptible(|| std::thread::sleep(Duration::from_secs(2)));
            assert_eq!(join(&run, slow, |_| Ok(())), Err(Error::Canceled));
            assert!(begun.elapsed() < Duration::from_millis(550), "{threads} threads");
        }
    }

    #[test]
    fn folds_come_in_order_for_every_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            let run = Run::new().with_threads(threads).unwrap();
            let mut seen = Vec::new();
            fold_in_order(&run, 100, || (), |i, ()| 3 * i, |i, r, ()| seen.push((i, r))).unwrap();
            assert_eq!(seen, (0..100).map(|i| (i, 3 * i)).collect::<Vec<_>>(), "{threads} threads");
        }
    }

    #[test]
    fn a_panic_in_a_work_or_a_fold_reaches_the_caller_and_leaves_nobody_waiting() {
        for threads in [1, 2, 4] {
            for in_fold in [false, true] {
                let run = Run::new().with_threads(threads).unwrap();
                let (send, receive) = std::sync::mpsc::channel();
                std::thread::spawn(move || {
                    let work = |i: usize, (): &mut ()| {
                        if i == 5 && !in_fold {
                            // The others are waiting for their turns by then.
                            std::thread::sleep(Duration::from_millis(50));
                            panic!("a work");
                        }
                    };
                    let fold = |i: usize, (), (): &mut ()| assert!(i != 5 || !in_fold, "a fold");
                    let caught =
                        catch_unwind(AssertUnwindSafe(|| fold_in_order(&run, 40, || (), work, fold)));
                    let _ = send.send(caught.is_err());
                });
                let panicked = receive.recv_timeout(Duration::from_secs(20));
                assert_eq!(panicked, Ok(true), "{threads} threads, in the fold: {in_fold}");
            }
        }
    }
}
