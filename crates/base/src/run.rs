//! The run context: seed, threads, memory budget, progress by named stage, cancellation. Every method takes
//! one, and passes it down.

use crate::pool::Pool;
use crate::{Checkpoint, Error, FitIdentity, Result, Slowed, Verdict, memory};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// A switch that stops a run. Clones share the switch.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops every run that holds this switch, within half a second.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has been thrown.
    pub fn is_canceled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An observer of the progress. Called from any thread; it must be quick, and must not wait for another thread that uses this
/// run: the thread that it is called on may be the only one.
pub trait Progress: Send + Sync {
    /// A stage has begun; `total` steps are expected when that is known.
    fn begin(&self, stage: &str, total: Option<u64>);
    /// `done` steps of the stage are behind us.
    fn advance(&self, stage: &str, done: u64);
    /// So much of the loop under way is done, in a stage whose steps are not counted.
    fn share(&self, _share: f64) {}
    /// The memory budget makes a part of the fit slower, from now on.
    fn slowed(&self, _slowed: &Slowed) {}
    /// This part of the fit will take so many bytes, which only the data determine.
    fn needed(&self, _what: &str, _bytes: u64) {}
    /// The loss after `done` steps of a stage that minimizes one.
    fn loss(&self, _stage: &str, _done: u64, _loss: f64) {}
    /// Whether to be shown the layout of a stage that makes one, after `done` steps.
    fn wants_layout(&self, _stage: &str, _done: u64) -> bool {
        false
    }
    /// The layout so far, its loss, and what is needed to go on from it.
    fn layout(&self, _stage: &str, _checkpoint: &Checkpoint) -> Verdict {
        Verdict::Continue
    }
    /// The stage is over.
    fn end(&self, stage: &str, seconds: f64);
}

/// Everything about a computation that is not its data or its parameters.
#[derive(Clone, Default)]
pub struct Run {
    seed: u64,
    memory: Option<u64>,
    cancel: Cancel,
    pub(crate) pool: Option<Arc<Pool>>,
    progress: Option<Arc<dyn Progress>>,
    stages: Arc<Mutex<Vec<(String, f64)>>>,
    slowed: Arc<Mutex<Vec<Slowed>>>,
    /// The most bytes that a part of the fit said it needs.
    pub(crate) needed: Arc<AtomicU64>,
    /// Whether loops keep their shares to themselves.
    silent_loops: bool,
    /// Which fit checkpoints are of.
    fit: Option<Arc<FitIdentity>>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("seed", &self.seed)
            .field("memory", &self.memory)
            .field("threads", &self.threads())
            .finish_non_exhaustive()
    }
}

impl Run {
    /// Seed 0, all threads, no memory budget, nobody watching.
    pub fn new() -> Self {
        Self::default()
    }

    /// The seed of every random choice.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The most threads that a run may ask for: each has a stack, and beyond the processors none adds anything.
    pub fn most_threads() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from).max(256)
    }

    /// How many threads compute; the results do not depend on it. 0 means all; at most [`Run::most_threads`].
    pub fn with_threads(mut self, threads: usize) -> Result<Self> {
        if threads > Self::most_threads() {
            let bound = format!("at most {}", Self::most_threads());
            let remedy = "ask for fewer; 0 means as many as there are processors";
            return Err(Error::parameter("threads", threads, bound, remedy));
        }
        self.pool = if threads == 0 { None } else { Some(Arc::new(Pool::new(threads)?)) };
        Ok(self)
    }

    /// How many bytes a fit may ask for beyond its input.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Where progress is reported to.
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The same run, whose checkpoints are of this fit.
    pub fn of_fit(&self, fit: FitIdentity) -> Self {
        Self { fit: Some(Arc::new(fit)), ..self.clone() }
    }

    /// Who watches.
    pub(crate) fn observer(&self) -> Option<&Arc<dyn Progress>> {
        self.progress.as_ref()
    }

    /// The same run for the inside of an iteration that reports its own share: the shares of its loops are no news.
    pub fn with_silent_loops(&self) -> Self {
        Self { silent_loops: true, ..self.clone() }
    }

    /// Who watches loops.
    pub(crate) fn loop_observer(&self) -> Option<&Arc<dyn Progress>> {
        self.progress.as_ref().filter(|_| !self.silent_loops)
    }

    /// Tells the observer how much of a stage is done that has no steps to count.
    pub fn share(&self, share: f64) {
        if let Some(progress) = &self.progress {
            progress.share(share.clamp(0.0, 1.0));
        }
    }

    /// Notes that the memory budget makes a part of the fit slower.
    pub fn note_slowed(&self, slowed: Slowed) {
        if let Some(progress) = &self.progress {
            progress.slowed(&slowed);
        }
        if let Ok(mut notes) = self.slowed.lock() {
            notes.retain(|known| known.what != slowed.what);
            notes.push(slowed);
        }
    }

    /// What was noted as slowed took so long.
    pub fn finalize_slowed(&self, what: &str, seconds: f64) {
        if let Ok(mut notes) = self.slowed.lock() {
            notes.iter_mut().filter(|known| known.what == what).for_each(|known| known.seconds = seconds);
        }
    }

    /// What the memory budget has made slower since this was asked last.
    pub fn take_slowed(&self) -> Vec<Slowed> {
        self.slowed.lock().map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default()
    }

    /// The switch that stops this run.
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The memory budget in bytes.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, |pool| pool.size())
    }

    /// A clone of the switch that stops this run.
    pub fn cancel_switch(&self) -> Cancel {
        self.cancel.clone()
    }

    /// A generator of its own for each named purpose, so that one use more does not shift the others.
    pub fn rng(&self, purpose: &str) -> ChaCha8Rng {
        // FNV-1a: small, fixed for ever, and only has to keep purposes apart.
        let stream = purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(stream);
        rng
    }

    /// `Err(Canceled)` once the switch is thrown. Loops call it at least every tenth of a second.
    pub fn check(&self) -> Result<()> {
        if self.cancel.is_canceled() { Err(Error::Canceled) } else { Ok(()) }
    }

    /// Refuses what would not fit into the memory budget, or, without one, into what is free, before it is allocated. What
    /// is free decides nothing else: a choice that followed it would give other bits on another day.
    pub fn reserve(&self, what: &str, bytes: u64, remedy: &str) -> Result<()> {
        memory::require(what, bytes, self.memory, remedy)
    }

    /// [`Run::reserve`] of rows in double precision that are made and then written.
    pub fn reserve_rows(&self, what: &str, rows: usize, columns: usize) -> Result<()> {
        let bytes = (rows as u64).saturating_mul(columns as u64).saturating_mul(8);
        self.reserve(what, bytes, "ask for fewer rows at a time")
    }

    /// Begins a named stage. It ends, and its time is booked, when the returned guard is dropped.
    pub fn stage(&self, name: &str, total: Option<u64>) -> Stage<'_> {
        self.stage_from(name, 0, total)
    }

    /// The same of a stage that goes on after `done` steps.
    pub fn stage_from(&self, name: &str, done: u64, total: Option<u64>) -> Stage<'_> {
        if let Some(progress) = &self.progress {
            progress.begin(name, total);
        }
        Stage { run: self, name: name.to_owned(), begun: Instant::now(), done: AtomicU64::new(done) }
    }

    /// The stages that have ended, in order, with their seconds. Repeated stages are summed.
    pub fn stages(&self) -> Vec<(String, f64)> {
        self.stages.lock().map(|stages| stages.clone()).unwrap_or_default()
    }
}

/// A stage under way.
pub struct Stage<'a> {
    run: &'a Run,
    name: String,
    begun: Instant,
    done: AtomicU64,
}

impl Stage<'_> {
    /// `steps` more are done; also where a canceled run stops.
    pub fn advance(&self, steps: u64) -> Result<()> {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        if let Some(progress) = &self.run.progress {
            progress.advance(&self.name, done);
        }
        self.run.check()
    }

    /// One more step is done, after which the loss is this.
    pub fn advance_with_loss(&self, loss: f64) -> Result<()> {
        self.advance(1)?;
        self.loss(loss);
        Ok(())
    }

    /// The loss after the steps that are done.
    pub fn loss(&self, loss: f64) {
        if let Some(progress) = &self.run.progress {
            progress.loss(&self.name, self.done.load(Ordering::Relaxed), loss);
        }
    }
}

impl Stage<'_> {
    /// Whether the observer wants to be shown the layout as it is now.
    pub fn wants_layout(&self) -> bool {
        let done = self.done.load(Ordering::Relaxed);
        self.run.progress.as_ref().is_some_and(|progress| progress.wants_layout(&self.name, done))
    }

    /// Shows the layout so far to the observer, and says which fit it is of.
    pub fn show(&self, mut checkpoint: Checkpoint) -> Verdict {
        if let Some(fit) = &self.run.fit {
            checkpoint.of = FitIdentity::clone(fit);
        }
        let verdict = |progress: &Arc<dyn Progress>| progress.layout(&self.name, &checkpoint);
        self.run.progress.as_ref().map_or(Verdict::Continue, verdict)
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let seconds = self.begun.elapsed().as_secs_f64();
        if let Ok(mut stages) = self.run.stages.lock() {
            match stages.iter_mut().find(|(name, _)| *name == self.name) {
                Some(entry) => entry.1 += seconds,
                None => stages.push((self.name.clone(), seconds)),
            }
        }
        if let Some(progress) = &self.run.progress {
            progress.end(&self.name, seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_without_number_are_refused_before_any_is_started() {
        assert!(Run::new().with_threads(256).is_ok());
        for threads in [Run::most_threads() + 1, 1_000_000_000, usize::MAX] {
            let refused = Run::new().with_threads(threads).unwrap_err().to_string();
            assert!(refused.contains(&format!("at most {}", Run::most_threads())), "{refused}");
        }
    }

    #[test]
    fn purposes_have_streams_of_their_own() {
        use rand::Rng;
        let run = Run::new().with_seed(3);
        assert_eq!(run.rng("a").next_u64(), run.rng("a").next_u64());
        assert_ne!(run.rng("a").next_u64(), run.rng("b").next_u64());
        assert_ne!(run.rng("a").next_u64(), Run::new().with_seed(4).rng("a").next_u64());
    }
}
