//! `lowland plan`: what a fit would cost. Only small samples are fitted, to learn how fast this machine is.

use crate::args::{Common, Plan};
use crate::outcome::{Outcome, say, say_json};
use crate::setup;
use crate::source::{Source, points};
use crate::summary::grouped;
use lowland::{AnyMatrix, Cancel, Error, Method, Run, human_bytes};
use ndarray::{Array2, s};
use serde_json::json;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long the speed of a method is measured.
const TRIAL: Duration = Duration::from_millis(250);

pub fn run(args: &Plan, common: &Common) -> Outcome {
    let source = Source::parse(&args.input, common.seed)?;
    let method = setup::method(&args.method, common)?;
    let run = setup::run(common)?;
    let loaded = source.load()?;
    let shape = points(&loaded.matrix).shape();
    method.check(&shape)?;
    let forecast = method.forecast(&shape);
    let input_bytes = (shape.stored * shape.scalar_bytes) as u64;
    let rate = operations_per_second(&*method, &loaded.matrix, &run)?;
    let seconds = forecast.flops / rate;
    let fits = common.memory.map(|budget| forecast.bytes <= budget);
    let name = method.entry().name;
    if common.json {
        return say_json(&json!({
            "method": name,
            "n": shape.rows,
            "features": shape.columns,
            "input_bytes": input_bytes,
            "memory_bytes": forecast.bytes,
            "operations": forecast.flops,
            "operations_per_second": rate,
            "seconds": seconds,
            "fits": fits,
            "remedy": forecast.remedy,
        }));
    }
    let mut text = format!(
        "{name} of {}: {} rows, {} columns\n  memory  {} beyond the input of {}\n  time    about {} ({:.1e} \
         operations at {:.1e} a second, measured now on {} thread(s))\n",
        source.name(),
        grouped(shape.rows),
        grouped(shape.columns),
        human_bytes(forecast.bytes),
        human_bytes(input_bytes),
        duration(seconds),
        forecast.flops,
        rate,
        run.threads(),
    );
    if let (Some(false), Some(budget)) = (fits, common.memory) {
        text += &format!("  over the budget of {}: {}\n", human_bytes(budget), forecast.remedy);
    }
    say(text.as_bytes())
}

/// How fast this method works here: fits of growing samples, until a quarter of a second is gone. Small
/// matrix products stand in where no sample can be fitted.
fn operations_per_second(method: &dyn Method, matrix: &AnyMatrix, run: &Run) -> Outcome<f64> {
    let begun = Instant::now();
    let mut rate = None;
    let mut rows = 64;
    while begun.elapsed() < TRIAL && rows < matrix.dim().0 {
        run.check()?;
        let sample = every(matrix, matrix.dim().0 / rows);
        let flops = method.forecast(&points(&sample).shape()).flops;
        let switch = Cancel::default();
        let trial = Run::new().with_seed(run.seed()).with_threads(run.threads())?.with_cancel(switch.clone());
        let (done, finished) = mpsc::channel::<()>();
        let once = Instant::now();
        let fitted = std::thread::scope(|scope| {
            scope.spawn(move || {
                if finished.recv_timeout(2 * TRIAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                    switch.cancel();
                }
            });
            // The work does not depend on what the labels are.
            let labels: Vec<i64> = (0..sample.dim().0 as i64).map(|row| row / 4).collect();
            let fitted = method.fit_labelled(points(&sample), &labels, &trial);
            drop(done);
            fitted
        });
        let seconds = once.elapsed().as_secs_f64().max(1e-6);
        match fitted {
            Ok(_) | Err(Error::Cancelled) => rate = Some(flops / seconds),
            Err(_) => {}
        }
        rows *= 2;
    }
    Ok(rate.unwrap_or_else(|| products_per_second() * run.threads() as f64))
}

/// Every so many rows.
fn every(matrix: &AnyMatrix, step: usize) -> AnyMatrix {
    match matrix {
        AnyMatrix::F32(m) => m.slice(s![..;step, ..]).to_owned().into(),
        AnyMatrix::F64(m) => m.slice(s![..;step, ..]).to_owned().into(),
    }
}

/// Operations of one thread in the best of a few small matrix products.
fn products_per_second() -> f64 {
    const ORDER: usize = 192;
    let matrix = Array2::from_shape_fn((ORDER, ORDER), |(i, j)| 1.0 / (1 + i + j) as f64);
    let once = |_| {
        let begun = Instant::now();
        std::hint::black_box(matrix.dot(std::hint::black_box(&matrix)));
        begun.elapsed().as_secs_f64()
    };
    let best = (0..8).map(once).fold(f64::INFINITY, f64::min);
    2.0 * (ORDER as f64).powi(3) / best.max(1e-9)
}

/// A time as people say it.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => "a millisecond".into(),
        s if s < 1.0 => format!("{:.0} ms", 1000.0 * s),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
