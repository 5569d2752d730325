//! The threads of a run.

use crate::{Error, Result, Run};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Threads that runs share, and whether a whole task is on one of them.
pub(crate) struct Pool {
    threads: rayon::ThreadPool,
    taken: AtomicBool,
}

/// The same of rayon's own pool.
static COMMON_TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether a whole task is on this thread.
    static IS_WHOLE: Cell<bool> = const { Cell::new(false) };
}

impl Pool {
    pub fn new(threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let threads =
            pool.map_err(|e| Error::parameter("threads", threads, e.to_string(), "ask for fewer threads"))?;
        Ok(Self { threads, taken: AtomicBool::new(false) })
    }

    pub fn size(&self) -> usize {
        self.threads.current_num_threads()
    }
}

impl Run {
    /// Runs `f` inside this run's thread pool.
    pub fn install<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        let (mut f, mut result) = (Some(f), None);
        self.enter(&mut || result = f.take().map(|f| f()));
        // A panic in `f` does not come here.
        result.unwrap_or_else(|| unreachable!())
    }

    /// Not generic, so that the way into the pool is compiled once.
    fn enter(&self, f: &mut (dyn FnMut() + Send)) {
        match &self.pool {
            Some(pool) => pool.threads.install(f),
            None => f(),
        }
    }

    /// Runs a task of many parallel loops, such as a fit, on one of the pool's threads: entering the pool for each of them
    /// takes longer than some of them.
    ///
    /// One such task at a time is in a pool. Whatever else comes meanwhile stays on its own thread and enters the pool loop
    /// by loop: a thread that waits for the rest of its loop takes up other work, and if that were a whole fit, the first would
    /// have to wait for all of it.
    pub fn whole<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        let taken = self.pool.as_ref().map_or(&COMMON_TAKEN, |pool| &pool.taken);
        if self.is_inside() || taken.swap(true, Ordering::Acquire) {
            return f();
        }
        let _release = OnDrop(|| taken.store(false, Ordering::Release));
        let marked = || {
            let before = IS_WHOLE.replace(true);
            let _unmark = OnDrop(|| IS_WHOLE.set(before));
            f()
        };
        match &self.pool {
            Some(_) => self.install(marked),
            None => rayon::scope(|_| marked()),
        }
    }

    /// Whether this is one of the pool's threads.
    fn is_inside(&self) -> bool {
        match &self.pool {
            Some(pool) => pool.threads.current_thread_index().is_some(),
            None => rayon::current_thread_index().is_some(),
        }
    }

    /// Whether this is a thread of the pool that works on a loop, or on what another thread waits for: it should not wait itself.
    pub(crate) fn is_in_loop(&self) -> bool {
        self.is_inside() && !IS_WHOLE.get()
    }
}

/// Calls what it holds when it goes, be it by a panic.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    fn on_worker() -> bool {
        rayon::current_thread_index().is_some()
    }

    #[test]
    fn a_whole_task_is_inside_and_another_beside_it_is_not() {
        for threads in [0, 1, 2] {
            let run = Run::new().with_threads(threads).unwrap();
            let other = run.clone();
            // Another test may have rayon's own pool.
            let alone = threads > 0;
            let beside = run.whole(move || {
                assert!(on_worker() || !alone);
                assert!(other.whole(|| on_worker() || !alone), "inside already");
                std::thread::spawn(move || other.whole(on_worker)).join().unwrap()
            });
            assert!(!beside, "{threads} threads");
            // It is free again, after a panic, too.
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                run.whole(|| panic!("a whole task"))
            }));
            assert!(panicked.is_err());
            assert!(run.whole(on_worker) || !alone);
            assert!(!IS_WHOLE.get());
        }
    }

    /// A short task that shares the pool with a long one does not wait for all of it.
    #[test]
    fn a_short_task_does_not_wait_for_a_long_one() {
        let run = Run::new().with_threads(2).unwrap();
        let (begin, begun) = mpsc::channel();
        let loops = |run: &Run, count: usize| {
            for _ in 0..count {
                run.install(|| {
                    (0..8).into_par_iter().for_each(|_| std::thread::sleep(Duration::from_millis(1)))
                });
            }
        };
        let long = run.clone();
        let ended = std::thread::spawn(move || {
            long.whole(|| {
                begin.send(()).unwrap();
                loops(&long, 150);
            });
            Instant::now()
        });
        begun.recv().unwrap();
        run.whole(|| loops(&run, 3));
        let short = Instant::now();
        assert!(short + Duration::from_millis(200) < ended.join().unwrap());
    }

    #[test]
    fn a_whole_task_can_be_left_while_it_waits_for_a_long_call() {
        for threads in [0, 1, 2] {
            let run = Run::new().with_threads(threads).unwrap();
            let switch = run.cancel_switch();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                switch.cancel();
            });
            let begun = Instant::now();
            let slow = run.whole(|| run.interruptible(|| std::thread::sleep(Duration::from_secs(2))));
            assert_eq!(slow, Err(Error::Canceled));
            assert!(begun.elapsed() < Duration::from_millis(550), "{threads} threads");
        }
    }
}
