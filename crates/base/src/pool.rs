//! The threads of a run.

use crate::{Error, Result, Run};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads that runs share, and how many callers from outside are using them.
pub(crate) struct Pool {
    threads: rayon::ThreadPool,
    callers: AtomicUsize,
}

/// The callers of rayon's global pool, which runs share that have no number of threads. (Who uses that pool without a run is
/// not counted.)
static GLOBAL_CALLERS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this thread carries a whole task, and is not in one of its loops.
    static CARRIES_WHOLE: Cell<bool> = const { Cell::new(false) };
}

impl Pool {
    pub fn new(threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let refused = |e: rayon::ThreadPoolBuildError| {
            Error::parameter("threads", threads, e.to_string(), "ask for fewer threads")
        };
        Ok(Self { threads: pool.map_err(refused)?, callers: AtomicUsize::new(0) })
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
        self.give_way();
        let callers = self.callers();
        let counted = !self.is_inside();
        if counted {
            callers.fetch_add(1, Ordering::Relaxed);
        }
        let carries = CARRIES_WHOLE.replace(false);
        let _after = OnDrop(|| {
            CARRIES_WHOLE.set(carries);
            if counted {
                callers.fetch_sub(1, Ordering::Relaxed);
            }
        });
        match &self.pool {
            Some(pool) => pool.threads.install(f),
            None => f(),
        }
    }

    /// Runs a task of many parallel loops, such as a fit, on one of the pool's threads: entering the pool for each of them
    /// takes longer than some of them.
    ///
    /// This is done where nobody else is using the pool. Otherwise the task stays on its own thread and enters the pool loop by
    /// loop: a thread of the pool that waits for the rest of a loop takes up other work of the pool, and if that were a whole
    /// fit, the loop would end no sooner than the fit.
    pub fn whole<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        let callers = self.callers();
        // The only thread of a pool that others share must not be kept: somebody who is asked in the course of `f` may need it.
        let is_scarce = self.pool.is_none() && rayon::current_num_threads() == 1;
        let is_free = || callers.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if self.is_inside() || is_scarce || !is_free() {
            return f();
        }
        let _leave = OnDrop(|| {
            callers.fetch_sub(1, Ordering::Relaxed);
        });
        let (mut f, mut result) = (Some(f), None);
        self.carry(&mut || result = f.take().map(|f| f()));
        result.unwrap_or_else(|| unreachable!())
    }

    /// Not generic, as above.
    fn carry(&self, f: &mut (dyn FnMut() + Send)) {
        let mut carried = || {
            let before = CARRIES_WHOLE.replace(true);
            let _after = OnDrop(|| CARRIES_WHOLE.set(before));
            f();
        };
        match &self.pool {
            Some(pool) => pool.threads.install(carried),
            None => rayon::scope(|_| carried()),
        }
    }

    /// On the thread that carries a whole task: lets others who wait for the pool have a turn. It may be the only thread.
    pub(crate) fn give_way(&self) {
        if CARRIES_WHOLE.get() && self.callers().load(Ordering::Relaxed) > 1 {
            let carries = CARRIES_WHOLE.replace(false);
            let _after = OnDrop(|| CARRIES_WHOLE.set(carries));
            rayon::yield_now();
        }
    }

    /// Whether this is a thread of the pool in a parallel loop, so that others wait for it.
    pub(crate) fn is_in_loop(&self) -> bool {
        self.is_inside() && !CARRIES_WHOLE.get()
    }

    /// Whether this is one of the pool's threads.
    fn is_inside(&self) -> bool {
        match &self.pool {
            Some(pool) => pool.threads.current_thread_index().is_some(),
            None => rayon::current_thread_index().is_some(),
        }
    }

    fn callers(&self) -> &AtomicUsize {
        self.pool.as_ref().map_or(&GLOBAL_CALLERS, |pool| &pool.callers)
    }
}

/// Calls what it holds when it is dropped, be it by a panic.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests;
