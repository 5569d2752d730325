//! The threads of a run.

mod helpers;

use crate::{Error, Result, Run};
use helpers::Helpers;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::LocalKey;

/// Threads that runs share.
pub(crate) struct Pool {
    threads: rayon::ThreadPool,
    users: Arc<Users>,
}

/// Who uses a pool.
#[derive(Default)]
struct Users {
    /// How many from outside.
    callers: AtomicUsize,
    helpers: Helpers,
}

impl Users {
    fn are_several(&self) -> bool {
        self.callers.load(Ordering::Relaxed) > 1
    }
}

/// The users of rayon's global pool, which runs share that have no number of threads. (Who uses that pool without a run is
/// not counted.)
static GLOBAL_USERS: LazyLock<Arc<Users>> = LazyLock::new(Arc::default);

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
        Ok(Self { threads: pool.map_err(refused)?, users: Arc::default() })
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
        let _caller = (!self.is_inside()).then(|| Count::of(self.callers()));
        let is_of_whole = CARRIES_WHOLE.get();
        self.enter_pool(false, f);
        if is_of_whole {
            self.ask_for_help();
        }
    }

    /// For the loops of a whole task that are to come.
    fn ask_for_help(&self) {
        let threads = self.threads();
        if threads == 1 || self.users().are_several() {
            return;
        }
        self.users().helpers.ask(threads, || {
            let users = self.users().clone();
            let help = move || users.helpers.help(|| users.are_several());
            match &self.pool {
                Some(pool) => pool.threads.spawn(help),
                None => rayon::spawn(help),
            }
        });
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
        let only = if self.is_inside() || is_scarce { None } else { Count::only(self.callers()) };
        let Some(only) = only else { return f() };
        let (mut f, mut result) = (Some(f), None);
        self.enter_pool(true, &mut || {
            // Who came in between has a loop under way, maybe on this very thread.
            if self.callers().load(Ordering::Relaxed) == 1 {
                let _task = Helpers::begin();
                self.ask_for_help();
                result = f.take().map(|f| f());
            }
        });
        drop(only);
        result.or_else(|| f.take().map(|f| f())).unwrap_or_else(|| unreachable!())
    }

    /// The mark is taken off the calling thread, too: if it is one of another pool, it takes up work of that pool while it waits.
    fn enter_pool(&self, whole: bool, f: &mut (dyn FnMut() + Send)) {
        let _outside = Mark::set(&CARRIES_WHOLE, false);
        let mut inside = || {
            let _inside = Mark::set(&CARRIES_WHOLE, whole);
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
        let _mark = Mark::set(&CARRIES_WHOLE, false);
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
        &self.users().callers
    }

    fn users(&self) -> &Arc<Users> {
        self.pool.as_ref().map_or(&GLOBAL_USERS, |pool| &pool.users)
    }
}

/// One of those that a number counts, until it is dropped.
struct Count<'a>(&'a AtomicUsize);

impl<'a> Count<'a> {
    fn of(number: &'a AtomicUsize) -> Self {
        number.fetch_add(1, Ordering::Relaxed);
        Self(number)
    }

    /// If there is no other.
    fn only(number: &'a AtomicUsize) -> Option<Self> {
        let free = number.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
        free.ok().map(|_| Self(number))
    }
}

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a mark of this thread is until this is dropped.
struct Mark {
    of: &'static LocalKey<Cell<bool>>,
    before: bool,
}

impl Mark {
    fn set(of: &'static LocalKey<Cell<bool>>, now: bool) -> Self {
        Self { of, before: of.replace(now) }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.of.set(self.before);
    }
}

#[cfg(test)]
mod tests;
