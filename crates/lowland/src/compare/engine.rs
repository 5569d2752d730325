//! Runs cells side by side: within the memory, until the time is spent, and keeps what is finished.

use super::cell::{Budget, Cell, Outcome, work};
use super::ranking::Ranked;
use super::store::Store;
use super::{BY_NAME_ONLY, CellResult, ComparisonOptions, grid};
use crate::machine_speed;
use crate::method::{Entry, Method};
use crate::quality::Evaluator;
use crate::units::{human_bytes, human_duration};
use crate::{AnyInput, InputKind};
use lowland_base::{Cancel, Error, Result, Run};
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(super) struct Engine<'a, 'd> {
    pub comparing: &'a ComparisonOptions<'a>,
    pub data: AnyInput<'d>,
    pub evaluator: Evaluator<'a>,
    pub dimensions: usize,
    pub deadline: Option<Instant>,
    pub store: Store,
    pub run: &'a Run,
}

/// One thing to do.
struct Job {
    /// Its index among the results.
    index: usize,
    cell: Cell,
    method: Box<dyn Method>,
    bytes: u64,
    flops: f64,
    /// Its round: the first cells of all methods come before the second of any.
    round: usize,
}

/// What is left to do, and the memory that is in use.
struct Queue {
    jobs: VecDeque<Job>,
    bytes: u64,
    running: usize,
}

/// How often the clock and the switch are looked at.
const TICK: Duration = Duration::from_millis(25);

impl Engine<'_, '_> {
    /// Every cell of the methods, and how many were finished before.
    pub fn cells(&self, entries: &[&'static Entry]) -> Result<(Vec<CellResult>, usize)> {
        let mut asked = Vec::new();
        for &entry in entries {
            let reason = self.unfit(entry);
            if reason.is_empty() {
                let grid = grid::cells(entry, &self.comparing.grid).into_iter().enumerate();
                asked.extend(grid.map(|(round, cell)| (cell, Ok(round))));
            } else {
                // One line says it for all settings.
                let cell = Cell { method: entry.name.to_owned(), settings: Default::default() };
                asked.push((cell, Err(reason)));
            }
        }
        self.run_all(asked, f64::total_cmp)
    }

    /// These cells, and how many were finished before. Without a deadline the longest come first, so that no thread is alone
    /// with one of them at the end.
    pub fn listed(&self, cells: Vec<Cell>) -> Result<(Vec<CellResult>, usize)> {
        let order = if self.deadline.is_some() { f64::total_cmp } else { |a: &f64, b: &f64| b.total_cmp(a) };
        self.run_all(cells.into_iter().map(|cell| (cell, Ok(0))).collect(), order)
    }

    /// Runs cells, each with its round or the reason why it is not tried; those of a round in the order of their operations.
    fn run_all(
        &self,
        asked: Vec<(Cell, Result<usize, String>)>,
        order: fn(&f64, &f64) -> Ordering,
    ) -> Result<(Vec<CellResult>, usize)> {
        let (mut cells, mut jobs, mut resumed) = (Vec::new(), Vec::new(), 0);
        for (index, (cell, round)) in asked.into_iter().enumerate() {
            let outcome = match round.map(|round| (round, self.admit(&cell))) {
                Err(reason) => Outcome::Skipped { reason, budget: None },
                Ok((_, Err(skipped))) => skipped,
                Ok((round, Ok((method, bytes, flops)))) => match self.finished(&cell) {
                    Some(finished) => {
                        resumed += 1;
                        finished
                    }
                    None => {
                        jobs.push(Job { index, cell: cell.clone(), method, bytes, flops, round });
                        Outcome::Skipped { reason: String::new(), budget: None }
                    }
                },
            };
            cells.push(CellResult { cell, outcome, stability: None });
        }
        jobs.sort_by(|a, b| a.round.cmp(&b.round).then(order(&a.flops, &b.flops)));
        let total = cells.iter().filter(|tried| !matches!(tried.outcome, Outcome::Skipped { .. })).count();
        let stage = self.run.stage("cells", Some((total + jobs.len()) as u64));
        stage.advance(total as u64)?;
        let patience = self.comparing.patience;
        let finished = self.side_by_side(jobs, patience, |job, run| {
            let wanted = (self.comparing.figures, self.comparing.most_shown);
            let begun = Instant::now();
            let found = work(&*job.method, self.data, &self.evaluator, wanted, run);
            let outcome = match (found, patience) {
                (Ok(judged), _) => Outcome::Judged(Box::new(judged)),
                (Err(Error::Canceled), Some(patience)) if begun.elapsed() >= patience => {
                    let reason = format!("it was stopped after {}", human_duration(patience.as_secs_f64()));
                    let outcome = Outcome::Skipped { reason, budget: Some(Budget::Time) };
                    self.store.keep_stopped(&job.cell, patience, &outcome)?;
                    stage.advance(1)?;
                    return Ok(outcome);
                }
                (Err(Error::Canceled), _) => return Err(Error::Canceled),
                (Err(error), _) => Outcome::Failed { reason: error.to_string() },
            };
            self.store.keep_cell(&job.cell, &outcome)?;
            stage.advance(1)?;
            Ok(outcome)
        })?;
        drop(stage);
        for (index, outcome) in finished {
            cells[index].outcome = outcome.unwrap_or_else(|reason| reason.outcome());
        }
        Ok((cells, resumed))
    }

    /// What became of a cell before: finished, or stopped after the same time.
    fn finished(&self, cell: &Cell) -> Option<Outcome> {
        let stopped = || self.store.stopped(cell, self.comparing.patience?);
        self.store.cell(cell).or_else(stopped)
    }

    /// Measures the stability of the best cells of the best methods; a baseline that is not among them too. Returns what
    /// the budgets did not suffice for.
    pub fn stabilities(&self, cells: &mut [CellResult], ranking: &[Ranked]) -> Result<Unmeasured> {
        let most = self.comparing.stability_of;
        let mut unmeasured = Unmeasured::default();
        if most == 0 {
            return Ok(unmeasured);
        }
        let wanted = ranking
            .iter()
            .enumerate()
            .filter(|(i, ranked)| *i < most || ranked.cell.method == crate::registry::baseline().name);
        let experiment = self.comparing.experiment;
        let mut jobs = Vec::new();
        for (round, (_, ranked)) in wanted.enumerate() {
            let Some(index) = cells.iter().position(|tried| tried.cell == ranked.cell) else { continue };
            unmeasured.wanted += 1;
            cells[index].stability = self.store.stability(&ranked.cell, experiment);
            if cells[index].stability.is_some() {
                continue;
            }
            match self.admit(&ranked.cell) {
                Ok((method, bytes, flops)) => {
                    let flops = flops * 3.0 * experiment.splits as f64;
                    jobs.push(Job { index, cell: ranked.cell.clone(), method, bytes, flops, round });
                }
                Err(_) => unmeasured.methods += 1,
            }
        }
        let finished = self.side_by_side(jobs, None, |job, run| {
            let found = experiment.measure(&*job.method, self.data, self.comparing.labels, run);
            match found {
                Ok(found) => {
                    self.store.keep_stability(&job.cell, experiment, &found)?;
                    Ok(Some(found))
                }
                Err(Error::Canceled) => Err(Error::Canceled),
                // A part of the data that cannot be fitted says nothing.
                Err(_) => Ok(None),
            }
        })?;
        for (index, found) in finished {
            let late = matches!(found, Err(Unfinished::Time | Unfinished::TooSlow { .. }));
            unmeasured.methods += usize::from(late);
            cells[index].stability = found.ok().flatten();
        }
        Ok(unmeasured)
    }

    /// Why a method is not tried at all; empty where it is.
    fn unfit(&self, entry: &'static Entry) -> String {
        let named = !self.comparing.methods.is_empty();
        let only = BY_NAME_ONLY.iter().find(|(name, _)| *name == entry.name && !named);
        if !entry.capabilities.inputs.contains(&InputKind::Points) {
            return "it does not take points".into();
        }
        if entry.capabilities.labels && self.comparing.labels.is_none() {
            return "it learns from labels, and there are none".into();
        }
        only.map(|(_, why)| (*why).to_owned()).unwrap_or_default()
    }

    /// The method, its memory and its operations; or that it is skipped.
    fn admit(&self, cell: &Cell) -> Result<(Box<dyn Method>, u64, f64), Outcome> {
        let shape = self.data.shape();
        let unfit = |error: Error| Outcome::Skipped { reason: error.to_string(), budget: None };
        let method = cell.method(self.dimensions).map_err(unfit)?;
        method.check(&shape).map_err(unfit)?;
        let forecast = method.forecast(&shape);
        match self.memory() {
            Some(budget) if forecast.bytes > budget => Err(Outcome::Skipped {
                reason: format!(
                    "it needs {} of memory, and {} may be used; {}",
                    human_bytes(forecast.bytes),
                    human_bytes(budget),
                    forecast.remedy
                ),
                budget: Some(Budget::Memory),
            }),
            _ => Ok((method, forecast.bytes, forecast.flops)),
        }
    }

    /// The budget, or most of what the system can give.
    fn memory(&self) -> Option<u64> {
        self.run.memory().or_else(|| lowland_base::memory::available().map(|bytes| bytes / 5 * 4))
    }

    /// Runs jobs on as many workers as there are threads, as far as the memory lets them, until the time is spent, each for
    /// `patience` at most. In the order in which they end.
    #[allow(clippy::type_complexity)]
    fn side_by_side<R: Send>(
        &self,
        jobs: Vec<Job>,
        patience: Option<Duration>,
        work: impl Fn(&Job, &Run) -> Result<R> + Sync,
    ) -> Result<Vec<(usize, Result<R, Unfinished>)>> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let workers = self.run.threads().clamp(1, jobs.len());
        let memory = self.memory();
        let rate = self.deadline.map(|_| machine_speed::products_per_second());
        let queue = Mutex::new(Queue { jobs: jobs.into(), bytes: 0, running: 0 });
        let (changed, ended) = (Condvar::new(), Mutex::new(Vec::new()));
        let stop = Cancel::default();
        let plain = Run::new().with_seed(self.run.seed());
        // The jobs that run: since when, and their switches.
        let running: Mutex<Vec<(usize, Instant, Cancel)>> = Mutex::new(Vec::new());
        let mut runs = Vec::new();
        for _ in 0..workers {
            let mut own = plain.clone().with_threads(self.run.threads() / workers)?;
            if let Some(memory) = memory {
                own = own.with_memory(memory);
            }
            runs.push(own);
        }
        let each = |own: &Run| -> Result<()> {
            while let Some(job) = next(&queue, &changed, memory, &stop) {
                let late = self.late(&job, rate);
                let result = if let Some(late) = late {
                    Ok(Err(late))
                } else {
                    let stage = self.run.stage(&job.cell.to_string(), None);
                    let switch = Cancel::default();
                    let own = own.clone().with_cancel(switch.clone());
                    locked(&running).push((job.index, Instant::now(), switch));
                    let result = catch_unwind(AssertUnwindSafe(|| work(&job, &own)));
                    locked(&running).retain(|(index, ..)| *index != job.index);
                    drop(stage);
                    match result {
                        Ok(Ok(result)) => Ok(Ok(result)),
                        Ok(Err(Error::Canceled)) => Ok(Err(Unfinished::Time)),
                        Ok(Err(error)) => Err(error),
                        Err(_) => Ok(Err(Unfinished::Fault)),
                    }
                };
                let mut queue = locked(&queue);
                (queue.bytes, queue.running) = (queue.bytes - job.bytes, queue.running - 1);
                drop(queue);
                changed.notify_all();
                match result {
                    Ok(result) => locked(&ended).push((job.index, result)),
                    // The work folder cannot be written: no use to go on.
                    Err(error) => {
                        stop.cancel();
                        changed.notify_all();
                        return Err(error);
                    }
                }
            }
            Ok(())
        };
        let results: Vec<Result<()>> = std::thread::scope(|scope| {
            let started: Vec<_> = runs.iter().map(|own| scope.spawn(|| each(own))).collect();
            while started.iter().any(|worker| !worker.is_finished()) {
                std::thread::sleep(TICK);
                if self.run.check().is_err() || self.deadline.is_some_and(|end| Instant::now() >= end) {
                    stop.cancel();
                    changed.notify_all();
                }
                let late = |since: &Instant| patience.is_some_and(|patience| since.elapsed() >= patience);
                for (_, since, switch) in locked(&running).iter() {
                    if stop.is_canceled() || late(since) {
                        switch.cancel();
                    }
                }
            }
            started.into_iter().map(|worker| worker.join().unwrap_or(Ok(()))).collect()
        });
        self.run.check()?;
        results.into_iter().collect::<Result<()>>()?;
        let mut ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        let left = queue.into_inner().unwrap_or_else(PoisonError::into_inner).jobs;
        ended.extend(left.into_iter().map(|job| (job.index, Err(Unfinished::Time))));
        Ok(ended)
    }

    /// Whether a job cannot end in the time that is left, however fast it is.
    fn late(&self, job: &Job, rate: Option<f64>) -> Option<Unfinished> {
        let (deadline, rate) = (self.deadline?, rate?);
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        let least = job.flops / rate;
        (least > left).then_some(Unfinished::TooSlow { least, left })
    }
}

/// Of how many methods the stability was wanted, and of how many the time or the memory did not suffice to measure it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unmeasured {
    pub methods: usize,
    pub wanted: usize,
}

/// Why a job has no result.
enum Unfinished {
    /// The time was spent.
    Time,
    /// The time that was left could not be enough.
    TooSlow { least: f64, left: f64 },
    /// A fault of ours.
    Fault,
}

impl Unfinished {
    fn outcome(self) -> Outcome {
        match self {
            Self::Time => {
                Outcome::Skipped { reason: "the time budget was spent".into(), budget: Some(Budget::Time) }
            }
            Self::TooSlow { least, left } => Outcome::Skipped {
                reason: format!(
                    "it takes at least {}, and {} of the time budget were left",
                    human_duration(least),
                    human_duration(left)
                ),
                budget: Some(Budget::Time),
            },
            Self::Fault => Outcome::Failed { reason: "an internal fault; please report it".into() },
        }
    }
}

/// The next job that fits into the memory beside those that run; none when nothing is left or all must stop.
fn next(queue: &Mutex<Queue>, changed: &Condvar, memory: Option<u64>, stop: &Cancel) -> Option<Job> {
    let mut queue = locked(queue);
    loop {
        if stop.is_canceled() || queue.jobs.is_empty() {
            return None;
        }
        let room = memory.map_or(u64::MAX, |memory| memory.saturating_sub(queue.bytes));
        let alone = queue.running == 0;
        if let Some(at) = queue.jobs.iter().position(|job| alone || job.bytes <= room)
            && let Some(job) = queue.jobs.remove(at)
        {
            (queue.bytes, queue.running) = (queue.bytes.saturating_add(job.bytes), queue.running + 1);
            return Some(job);
        }
        queue = changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
