//! How much of a loop is done, and what a budget costs: what is reported to an observer beside the stages.

use crate::units::{human_bytes, human_duration};
use crate::{Progress, Result, Run};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

impl Run {
    /// Reports to the observer, and to whoever asks later, how many bytes a part of the fit will take that only the data determine;
    /// also where a canceled run stops, before it takes them.
    pub fn note_needed(&self, what: &str, bytes: u64) -> Result<()> {
        self.needed.fetch_max(bytes, Ordering::Relaxed);
        if let Some(progress) = self.observer() {
            progress.needed(what, bytes);
        }
        self.check()
    }

    /// The most bytes that a part of the fit under way, or of the last one, has noted; 0 where none has.
    pub fn needed(&self) -> u64 {
        self.needed.load(Ordering::Relaxed)
    }

    /// Begins another fit, which has noted nothing yet.
    pub fn forget_needed(&self) {
        self.needed.store(0, Ordering::Relaxed);
    }
}

/// A loop is spoken of once it has taken so many milliseconds, and then as often.
pub(crate) const PAUSE: u64 = 250;

/// A loop under way.
pub(crate) struct Share<'a> {
    progress: Option<&'a Arc<dyn Progress>>,
    done: AtomicU64,
    total: u64,
    begun: Instant,
    /// The milliseconds of the last report to the observer.
    reported: AtomicU64,
}

impl<'a> Share<'a> {
    pub fn new(run: &'a Run, total: usize) -> Self {
        let (done, reported) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { progress: run.loop_observer(), done, total: total as u64, begun: Instant::now(), reported }
    }

    /// One step more is done.
    pub fn step(&self) {
        let Some(progress) = self.progress else { return };
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let now = self.begun.elapsed().as_millis() as u64;
        let reported = self.reported.load(Ordering::Relaxed);
        let reports = now >= reported + PAUSE
            && self.reported.compare_exchange(reported, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if reports {
            progress.share(done as f64 / self.total.max(1) as f64);
        }
    }
}

/// A part of a fit that goes a slower way because the memory budget does not admit the quick one.
#[derive(Debug, Clone, PartialEq)]
pub struct Slowed {
    /// What is slower.
    pub what: String,
    /// The seconds it is expected to take.
    pub seconds: f64,
    /// The seconds it would take with more memory.
    pub without: f64,
    /// The budget in bytes.
    pub budget: u64,
    /// The budget that would do.
    pub needed: u64,
}

impl std::fmt::Display for Slowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} instead of {} expected for {} within {}; give {}, or leave the budget out",
            human_duration(self.seconds),
            human_duration(self.without),
            self.what,
            human_bytes(self.budget),
            human_bytes(self.needed)
        )
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::parallel::map_chunks;
    use std::sync::Mutex;
    use std::time::Duration;

    /// An observer that keeps the shares that are reported to it.
    #[derive(Default)]
    pub struct Seen(pub Mutex<Vec<f64>>);

    impl Progress for Seen {
        fn begin(&self, _stage: &str, _total: Option<u64>) {}
        fn advance(&self, _stage: &str, _done: u64) {}
        fn end(&self, _stage: &str, _seconds: f64) {}
        fn share(&self, share: f64) {
            self.0.lock().unwrap().push(share);
        }
    }

    #[test]
    fn a_loop_inside_an_iteration_is_silent() {
        let seen = Arc::new(Seen::default());
        let run = Run::new().with_progress(seen.clone());
        let slow = |_| std::thread::sleep(Duration::from_millis(20));
        map_chunks(&run.with_silent_loops(), 50, 1, slow).unwrap();
        assert!(seen.0.lock().unwrap().is_empty());
        run.with_silent_loops().share(0.5);
        assert_eq!(*seen.0.lock().unwrap(), [0.5]);
    }

    #[test]
    fn a_long_loop_reports_its_share_and_a_short_one_nothing() {
        let seen = Arc::new(Seen::default());
        let run = Run::new().with_threads(2).unwrap().with_progress(seen.clone());
        map_chunks(&run, 1000, 1, |_| ()).unwrap();
        assert!(seen.0.lock().unwrap().is_empty());
        map_chunks(&run, 100, 1, |_| std::thread::sleep(Duration::from_millis(20))).unwrap();
        let shares = seen.0.lock().unwrap().clone();
        assert!(shares.len() >= 2, "{shares:?}");
        assert!(shares.iter().all(|share| *share > 0.0 && *share <= 1.0), "{shares:?}");
        assert!(shares.is_sorted(), "{shares:?}");
    }

    #[test]
    fn what_a_budget_costs_has_the_number_first() {
        let what = "the eigenpairs".to_owned();
        let slowed = Slowed { what, seconds: 36.0, without: 0.3, budget: 20_000_000, needed: 150_000_000 };
        assert_eq!(
            slowed.to_string(),
            "36.0 s instead of 300 ms expected for the eigenpairs within 19.1 MiB; give 143.1 MiB, or leave the budget out"
        );
    }
}
