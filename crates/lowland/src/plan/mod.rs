//! How long a fit will take: samples of the rows are fitted, a few at first and then more, and the time of each stage is
//! carried on to all rows by the power of their number with which it grew. What a stage costs depends on the machine, on
//! the threads, on the dimension of the data and on how a sparse factor fills in; a sample has all of them.

mod clock;
mod growth;
mod sample;

use crate::{AnyInput, InputKind, Method};
use clock::Clock;
use growth::{Measured, extrapolated};
use lowland_base::{Cancel, Error, Progress, Result, Run};
use lowland_neighbors::index::approximate_from;
use sample::Sample;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The rows of the first sample.
const FIRST: usize = 500;
/// Samples grow by this factor.
const GROWTH: f64 = 2.0;
/// They are fitted for at most this share of the time that all rows would take, or these seconds if that is less.
const SHARE: f64 = 0.06;
const LEAST_SECONDS: f64 = 0.6;
const MOST_SECONDS: f64 = 30.0;
/// Up to so many times the rows of a sample, its times say enough.
const NEAR: usize = 3;
/// By how much a forecast from a sample of a share of the rows may be wrong.
const DOUBT: f64 = 1.15;

/// A forecast of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The seconds of a fit.
    pub seconds: f64,
    /// Between which it will be, unless the machine is busy.
    pub range: (f64, f64),
    /// The seconds of each stage, in order.
    pub stages: Vec<(String, f64)>,
    /// The rows of the samples that were fitted, and their seconds.
    pub samples: Vec<(usize, f64)>,
}

/// Forecasts the time of a fit, with labels where the method learns from them; `None` where a sample says nothing: a
/// part of a graph is another graph.
pub fn plan(
    method: &dyn Method,
    input: AnyInput<'_>,
    labels: Option<&[i64]>,
    run: &Run,
) -> Result<Option<Plan>> {
    let n = input.shape().rows;
    let needs_labels = method.entry().capabilities.labels && labels.is_none();
    if input.shape().kind == InputKind::Graph || needs_labels || n == 0 {
        return Ok(None);
    }
    let mut method = method.resolved_for(&input.shape())?;
    // A sample may fall apart where the whole does not.
    let _ = method.set("disconnected", &crate::parameters::Value::Text("join".into()));
    let columns = input.shape().columns;
    let approximate = if input.shape().kind == InputKind::Points { approximate_from(columns) } else { None };
    let begun = Instant::now();
    let mut measured: Vec<Measured> = Vec::new();
    let mut rows = FIRST.min(n);
    loop {
        match fitted(&*method, input, labels, rows, run) {
            Ok(found) => measured.push(found),
            Err(Error::Canceled) => return Err(Error::Canceled),
            // Too few rows for these parameters, perhaps.
            Err(error) if rows == n => return Err(error),
            Err(_) => {}
        }
        let spent = begun.elapsed().as_secs_f64();
        let whole = extrapolated(&measured, n, approximate);
        let seconds: f64 = whole.iter().map(|stage| stage.1).sum();
        let enough = spent > (SHARE * seconds).clamp(LEAST_SECONDS, MOST_SECONDS);
        // How a stage grows is seen from two samples on; a little further than the first, it need not be.
        let seen = measured.len() > 1 || (measured.len() == 1 && n <= NEAR * rows);
        if rows == n || (enough && seen) || (spent > MOST_SECONDS && !measured.is_empty()) {
            return Ok(Some(finished(measured, whole, n)));
        }
        rows = ((rows as f64 * GROWTH) as usize).min(n);
    }
}

/// The bytes of the part of a fit that only the data determine: a factor that fills in. Everything before it is computed, and
/// nothing after; 0 where no such part comes.
///
/// # Errors
/// What the fit would refuse; cancellation.
pub fn needed(method: &dyn Method, input: AnyInput<'_>, labels: Option<&[i64]>, run: &Run) -> Result<u64> {
    struct Listener {
        stop: Cancel,
        outer: Cancel,
        bytes: AtomicU64,
    }
    impl Progress for Listener {
        fn begin(&self, _stage: &str, _total: Option<u64>) {}
        fn advance(&self, _stage: &str, _done: u64) {
            if self.outer.is_canceled() {
                self.stop.cancel();
            }
        }
        fn end(&self, _stage: &str, _seconds: f64) {}
        fn needed(&self, _what: &str, bytes: u64) {
            self.bytes.fetch_max(bytes, Relaxed);
            self.stop.cancel();
        }
    }
    let (stop, outer, bytes) = (Cancel::default(), run.cancel_switch(), AtomicU64::new(0));
    let listener = Arc::new(Listener { stop: stop.clone(), outer, bytes });
    let dry = run.clone().with_cancel(stop).with_progress(listener.clone());
    let fitted = match labels {
        Some(labels) => method.fit_labeled(input, labels, &dry),
        None => method.fit(input, &dry),
    };
    run.check()?;
    match (fitted, listener.bytes.load(Relaxed)) {
        (Ok(_), bytes) => Ok(bytes),
        (Err(Error::Canceled), bytes) if bytes > 0 => Ok(bytes),
        (Err(error), _) => Err(error),
    }
}

fn finished(measured: Vec<Measured>, stages: Vec<(String, f64)>, n: usize) -> Plan {
    let seconds = stages.iter().map(|stage| stage.1).sum::<f64>();
    let largest = measured.last().map_or(1, |sample| sample.rows).max(1);
    // Times vary by a third; each doubling beyond the sample adds some doubt.
    let doubt = 1.35 * DOUBT.powf((n as f64 / largest as f64).log2());
    let range = (seconds / doubt, seconds * doubt);
    let samples = measured.iter().map(|sample| (sample.rows, sample.seconds())).collect();
    Plan { seconds, range, stages, samples }
}

/// The stages of a fit to so many rows.
fn fitted(
    method: &dyn Method,
    input: AnyInput<'_>,
    labels: Option<&[i64]>,
    rows: usize,
    run: &Run,
) -> Result<Measured> {
    let sample = Sample::draw(input, rows, run);
    let labels = labels.map(|labels| sample.of(labels));
    let once = || -> Result<Measured> {
        let clock = Arc::new(Clock::default());
        let run = run.clone().with_progress(clock.clone());
        let begun = Instant::now();
        match &labels {
            Some(labels) => drop(method.fit_labeled(sample.input(), labels, &run)?),
            None => drop(method.fit(sample.input(), &run)?),
        }
        Ok(Measured { rows, stages: clock.stages(begun.elapsed().as_secs_f64()) })
    };
    let first = once()?;
    // The first fit of all starts threads and touches memory.
    if first.seconds() < 0.1 {
        let second = once()?;
        return Ok(if second.seconds() < first.seconds() { second } else { first });
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{Lle, Pca};
    use ndarray::Array2;

    #[test]
    fn a_plan_says_what_it_rests_on_and_adds_up() {
        let x = Array2::from_shape_fn((3000, 3), |(i, j)| ((i * (7 + 13 * j)) % 1009) as f64 / 1009.0);
        for method in [Box::new(Pca::default()) as Box<dyn Method>, Box::new(Lle::default())] {
            let plan = plan(&*method, (&x).into(), None, &Run::new()).unwrap().unwrap();
            let sum: f64 = plan.stages.iter().map(|stage| stage.1).sum();
            assert!((plan.seconds - sum).abs() < 1e-9 && plan.seconds > 0.0);
            assert!(plan.range.0 < plan.seconds && plan.seconds < plan.range.1);
            assert_eq!(plan.samples[0].0, FIRST);
            assert!(plan.samples.iter().all(|sample| sample.0 <= 3000));
        }
    }

    #[test]
    fn what_does_not_work_for_all_rows_is_refused() {
        let x = Array2::from_shape_fn((40, 2), |(i, j)| (i * (j + 1)) as f64);
        let lle = Lle { n_neighbors: 60, ..Lle::default() };
        assert!(plan(&lle, (&x).into(), None, &Run::new()).is_err());
    }
}
