//! Waiting for one long call that cannot be looked into: it can be left, and its share is estimated from the time it should take.

use crate::share::PAUSE;
use crate::{Error, Result, Run};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often the switch is looked at while a call is waited for.
const CHECK_PAUSE: Duration = Duration::from_millis(20);
/// How soon others who wait for this thread have their next turn.
const SHORT_PAUSE: Duration = Duration::from_millis(1);

impl Run {
    /// Runs one long call that cannot look at the switch itself (a dense factorization) and waits for it or for the
    /// switch. When the switch wins, the call goes on unseen and its result is dropped; that is why it must own what it
    /// works on, and why it has threads of its own: in the shared pool it would keep later runs waiting.
    pub fn interruptible<R: Send + 'static>(&self, f: impl FnOnce() -> R + Send + 'static) -> Result<R> {
        self.awaited(None, f)
    }

    /// [`Run::interruptible`] of a call that will take about so long, which is asked for only where somebody watches: what
    /// is past of that time is the share done.
    pub fn interruptible_about<R: Send + 'static>(
        &self,
        seconds: impl FnOnce() -> f64,
        f: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R> {
        self.awaited(self.loop_observer().is_some().then(seconds), f)
    }

    fn awaited<R: Send + 'static>(
        &self,
        seconds: Option<f64>,
        f: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R> {
        self.check()?;
        if self.is_in_loop() {
            // Whoever waits for the loop would wait for this thread, and all threads of the pool may come here at once.
            return Ok(f());
        }
        let (send, receive) = mpsc::sync_channel(1);
        let job = move || {
            let _ = send.send(std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)));
        };
        match rayon::ThreadPoolBuilder::new().num_threads(self.threads()).build() {
            Ok(own) => own.spawn(job),
            // No more threads to be had: this one then, and the call cannot be left.
            Err(_) => job(),
        }
        let mut expected = seconds.map(Expected::new);
        let mut pause = CHECK_PAUSE;
        loop {
            match receive.recv_timeout(pause) {
                Ok(Ok(result)) => return Ok(result),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.check()?;
                    pause = if self.yield_to_others() { SHORT_PAUSE } else { CHECK_PAUSE };
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Error::Canceled),
            }
            if let Some(share) = expected.as_mut().and_then(Expected::due) {
                self.share(share);
            }
        }
    }
}

/// A call under way that cannot be looked into, and the seconds that it should take.
struct Expected {
    seconds: f64,
    begun: Instant,
    /// The milliseconds after which to report next.
    next: u64,
}

/// Up to this share the clock runs as expected; a call that takes longer comes nearer and nearer to the end.
const CERTAIN: f64 = 0.8;

impl Expected {
    pub fn new(seconds: f64) -> Self {
        Self { seconds, begun: Instant::now(), next: PAUSE }
    }

    /// The share to report, if it is time for that.
    pub fn due(&mut self) -> Option<f64> {
        let past = self.begun.elapsed();
        let now = past.as_millis() as u64;
        (now >= self.next).then(|| {
            self.next = now + PAUSE;
            share_of(past.as_secs_f64(), self.seconds)
        })
    }
}

/// The share that is done after so many of the expected seconds: less than 1, and ever more.
fn share_of(past: f64, expected: f64) -> f64 {
    let share = past / expected.max(1e-3);
    if share <= CERTAIN { share } else { 1.0 - (1.0 - CERTAIN) / (1.0 + (share - CERTAIN) / (1.0 - CERTAIN)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::tests::Seen;
    use std::sync::Arc;

    #[test]
    fn an_interruptible_call_returns_its_result_and_yields_to_the_switch() {
        for threads in [0, 1, 2] {
            let run = Run::new().with_threads(threads).unwrap();
            assert_eq!(run.interruptible(|| 7).unwrap(), 7);
            let switch = run.cancel_switch();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                switch.cancel();
            });
            let begun = Instant::now();
            let slow = run.interruptible(|| std::thread::sleep(Duration::from_secs(2)));
            assert_eq!(slow, Err(Error::Canceled));
            assert!(begun.elapsed() < Duration::from_millis(550));
        }
    }

    #[test]
    fn an_interruptible_call_inside_its_own_pool_does_not_wait_for_itself() {
        let run = Run::new().with_threads(1).unwrap();
        assert_eq!(run.install(|| run.interruptible(|| 7)), Ok(7));
    }

    #[test]
    fn a_call_that_cannot_be_looked_into_reports_the_share_of_its_expected_time() {
        let seen = Arc::new(Seen::default());
        let run = Run::new().with_threads(1).unwrap().with_progress(seen.clone());
        let slow = || std::thread::sleep(Duration::from_millis(1100));
        run.interruptible_about(|| 2.0, slow).unwrap();
        let shares = seen.0.lock().unwrap().clone();
        assert!(shares.len() >= 2 && shares.is_sorted(), "{shares:?}");
        assert!(shares[0] > 0.1 && shares.iter().all(|&share| share < 0.8), "{shares:?}");
        // Nobody watches: the time is not even asked for.
        let unwatched = Run::new().interruptible_about(|| panic!("asked"), || 7);
        assert_eq!(unwatched, Ok(7));
    }

    #[test]
    fn a_call_that_takes_longer_than_expected_comes_nearer_to_the_end_and_never_there() {
        let shares: Vec<f64> = (0..2000).map(|i| share_of(0.01 * f64::from(i), 1.0)).collect();
        assert!(shares.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] < 0.0101), "{shares:?}");
        assert_eq!(shares[50], 0.5);
        assert!(shares[100] > 0.85 && shares[1999] < 1.0);
    }
}
