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
            let problem = format!("{} cannot be started: {e}", crate::units::count(threads, "thread"));
            Error::conflict("threads", problem, "ask for fewer threads")
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
        self.yield_to_others();
        let _caller = (!self.is_inside()).then(|| Caller::another(self.callers()));
        self.enter_pool(false, f);
    }

    /// Runs a task of many parallel loops, such as a fit, on one of the pool's threads: entering the pool for each of them
    /// takes longer than some of them.
    ///
    /// This is done where nobody else is using the pool. Otherwise the task stays on its own thread and enters the pool loop by
    /// loop: a thread of the pool that waits for the rest of a loop takes up other work of the pool, and if that were a whole
    /// fit, the loop would end no sooner than the fit.
    pub fn whole<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        // The only thread of a pool that others share must not be kept: somebody who is asked in the course of `f` may need it.
        let is_scarce = self.pool.is_none() && rayon::current_num_threads() == 1;
        let only = if self.is_inside() || is_scarce { None } else { Caller::only(self.callers()) };
        let Some(only) = only else { return f() };
        let (mut f, mut result) = (Some(f), None);
        self.enter_pool(true, &mut || {
            // Who came in between has a loop under way, maybe on this very thread.
            if self.callers().load(Ordering::Relaxed) == 1 {
                result = f.take().map(|f| f());
            }
        });
        drop(only);
        result.or_else(|| f.take().map(|f| f())).unwrap_or_else(|| unreachable!())
    }

    /// The mark is taken off the calling thread, too: if it is one of another pool, it takes up work of that pool while it waits.
    fn enter_pool(&self, whole: bool, f: &mut (dyn FnMut() + Send)) {
        let _outside = Mark::set(false);
        let mut inside = || {
            let _inside = Mark::set(whole);
            f();
        };
        match &self.pool {
            Some(pool) => pool.threads.install(inside),
            None if whole => rayon::scope(|_| inside()),
            None => inside(),
        }
    }

    /// Where the only thread of a pool carries a whole task: lets another caller have a turn. Returns whether one had it.
    /// (Where there are more threads, the others serve him.)
    pub(crate) fn yield_to_others(&self) -> bool {
        if !CARRIES_WHOLE.get() || self.threads() > 1 || self.callers().load(Ordering::Relaxed) == 1 {
            return false;
        }
        let _mark = Mark::set(false);
        rayon::yield_now() == Some(rayon::Yield::Executed)
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

/// One of those who are using a pool, until it is dropped.
struct Caller<'a>(&'a AtomicUsize);

impl<'a> Caller<'a> {
    fn another(callers: &'a AtomicUsize) -> Self {
        callers.fetch_add(1, Ordering::Relaxed);
        Self(callers)
    }

    /// If there is no other.
    fn only(callers: &'a AtomicUsize) -> Option<Self> {
        let free = callers.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
        free.ok().map(|_| Self(callers))
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What [`CARRIES_WHOLE`] is on this thread until this is dropped.
struct Mark {
    before: bool,
}

impl Mark {
    fn set(carries_whole: bool) -> Self {
        Self { before: CARRIES_WHOLE.replace(carries_whole) }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        CARRIES_WHOLE.set(self.before);
    }
}

#[cfg(test)]
mod tests;
