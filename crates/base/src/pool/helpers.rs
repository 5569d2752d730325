//! The threads of a pool that help with the loops of a whole task: they stay awake for the next loop.

use super::{Count, Mark};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a thread waits for the next loop before it falls asleep: most loops follow sooner. To be woken takes longer than
/// many loops, and the system often puts a woken thread on the processor of the one that wakes it, where both take turns for
/// milliseconds.
const AWAKE: Duration = Duration::from_micros(500);

thread_local! {
    /// Whether this thread waits for loops, or has a task and begins them.
    static IS_AWAKE: Cell<bool> = const { Cell::new(false) };
}

/// What a task knows of its helpers.
#[derive(Default)]
pub struct Helpers {
    awake: AtomicUsize,
}

impl Helpers {
    /// As long as the result lives, this thread has a task: it does not help itself.
    pub fn begin() -> Mark {
        Mark::set(&IS_AWAKE, true)
    }

    /// Has `spawn` ask one more thread of a pool of so many to [`help`](Self::help), unless all do. They come one by one: those
    /// that find work stay, and so there are soon as many as the loops of the task have work for.
    pub fn ask(&self, threads: usize, spawn: impl FnOnce()) {
        let awake = self.awake.load(Ordering::Relaxed);
        if awake + 1 < threads {
            spawn();
        }
        if awake == 0 {
            // It may have been woken on this very processor.
            std::thread::yield_now();
        }
    }

    /// Takes up work of this thread's pool until there is none for a while, or until `others` use the pool: this thread may be
    /// waiting for the rest of a loop of theirs.
    pub fn help(&self, others: impl Fn() -> bool) {
        if IS_AWAKE.get() {
            return;
        }
        let _awake = Mark::set(&IS_AWAKE, true);
        let _one = Count::of(&self.awake);
        let mut idle = Instant::now();
        while idle.elapsed() < AWAKE && !others() {
            match rayon::yield_now() {
                Some(rayon::Yield::Executed) => idle = Instant::now(),
                _ => std::thread::yield_now(),
            }
        }
    }
}
