//! Table 1 as measured growth: the power of the number of rows with which time and memory grow.

use super::TECHNIQUES;
use crate::Context;
use crate::findings::{Compared, Reading, Section, Unit, Verdict};
use crate::published::{self, Cost};
use lowland::compare::Cell;
use lowland::parameters::Value;
use lowland::units::{grouped, human_bytes};
use lowland::{AnyInput, Error, Result, Run, data, memory, registry};
use std::collections::BTreeMap;
use std::time::Instant;

/// What is measured of each technique: fits to twice as many rows each time, until one takes long enough that what is paid
/// once no longer counts.
struct Plan {
    /// The rows of the first fit.
    first: usize,
    /// The rows of the last fit, at most.
    most_rows: usize,
    /// The seconds after which the rows are not doubled again.
    long: f64,
    /// A fit shorter than `long` is repeated, and the least time taken.
    repeats: usize,
}

const FULL: Plan = Plan { first: 1_000, most_rows: 4_096_000, long: 3.0, repeats: 3 };
const QUICK: Plan = Plan { first: 250, most_rows: 500, long: 3.0, repeats: 1 };
/// As many sizes, the largest, give the power.
const LAST: usize = 3;
/// A fit has to fit into so many bytes.
const MOST_BYTES: u64 = 6 << 30;
/// A measured power may be so much above the printed one: caches and what is paid once bend the line.
const TOLERANCE: f64 = 0.3;

/// One fit: its rows, its seconds, and the forecast of its memory in bytes.
type Fitted = (usize, f64, f64);

pub fn section(context: &Context<'_>) -> Result<Section> {
    let plan = if context.quick { QUICK } else { FULL };
    let costs = published::costs()?;
    // One at a time, on one thread: what is measured is the work.
    let run = context.run.clone().with_threads(1)?;
    let mut section = Section {
        title: "Table 1: computations and memory, as measured growth".into(),
        text: vec![format!(
            "The power of n in the time of a fit (one thread, the Swiss roll, ten neighbors) and in the forecast of its memory, \
             beside the power that is printed. The rows are doubled from {} on until a fit takes {} s, has {} rows, or needs more \
             memory than there is or than {}; the last sizes count, up to {LAST}, and the time of a size is the least of {} or \
             fewer fits. The largest fit is shown, so that it is seen what a power rests on. What is printed leaves out parts that \
             grow with n: of PCA the pass over the rows, of LLC and manifold charting the rows in each step of EM.",
            grouped(plan.first),
            plan.long,
            grouped(plan.most_rows),
            human_bytes(MOST_BYTES),
            plan.repeats,
        )],
        ..Section::default()
    };
    let stage = run.stage("growth", Some(costs.len() as u64));
    for cost in &costs {
        let (fitted, reason) = match cell(&cost.technique) {
            Some(cell) => grown(context, &plan, &cell, &run)?,
            None => (Vec::new(), Some("not available in this version".into())),
        };
        section.cells.extend(compared(cost, &fitted, reason.as_deref()));
        stage.advance(1)?;
    }
    Ok(section)
}

/// The technique as it is measured, where it is registered.
fn cell(technique: &str) -> Option<Cell> {
    let known = TECHNIQUES.iter().find(|t| t.column == technique).and_then(|t| t.registered());
    let name = known.or_else(|| (technique == "Class. scaling").then_some("classical-mds"))?;
    let entry = registry::find(name).ok()?;
    let neighbors = (entry.parameters)().iter().any(|p| p.name == "n_neighbors") && technique != "Sammon";
    let settings = neighbors.then(|| ("n_neighbors".to_owned(), Value::Integer(10)));
    Some(Cell { method: entry.name.to_owned(), settings: settings.into_iter().collect::<BTreeMap<_, _>>() })
}

/// The fits of a technique to more and more rows, and why there are no more where one failed.
fn grown(
    context: &Context<'_>,
    plan: &Plan,
    cell: &Cell,
    run: &Run,
) -> Result<(Vec<Fitted>, Option<String>)> {
    let roll = data::find("swiss-roll")?;
    let method = cell.method(2)?;
    let most_bytes = run.memory().or_else(memory::available).unwrap_or(MOST_BYTES).min(MOST_BYTES);
    let mut fitted: Vec<Fitted> = Vec::new();
    let mut n = plan.first;
    while n <= plan.most_rows {
        let points = roll.sample(n, 0.05, run.seed())?.points;
        let bytes = method.forecast(&AnyInput::from(&points).shape()).bytes;
        if bytes > most_bytes {
            return Ok((fitted, Some(format!("{} rows need {} of memory", grouped(n), human_bytes(bytes)))));
        }
        let key = format!("growth: {cell}, {n} rows");
        let measured = context.work.remember(&key, run, || {
            let _stage = run.stage(&format!("{}, {} rows", cell.method, grouped(n)), None);
            let mut least = f64::INFINITY;
            for _ in 0..plan.repeats {
                let begun = Instant::now();
                method.fit(AnyInput::from(&points), run)?;
                least = least.min(begun.elapsed().as_secs_f64());
                if least >= plan.long {
                    break;
                }
            }
            Ok(least)
        });
        let seconds = match measured {
            Ok(seconds) => seconds,
            Err(Error::Canceled) => return Err(Error::Canceled),
            Err(error) => return Ok((fitted, Some(error.to_string()))),
        };
        fitted.push((n, seconds, bytes as f64));
        if seconds >= plan.long && fitted.len() >= LAST {
            break;
        }
        n *= 2;
    }
    Ok((fitted, None))
}

/// The powers beside the printed ones, and what they rest on; the reason where there are too few fits.
fn compared(cost: &Cost, fitted: &[Fitted], reason: Option<&str>) -> Vec<Compared> {
    let last = &fitted[fitted.len().saturating_sub(LAST)..];
    let reading = |value: f64, low: f64, high: f64| Reading {
        name: "measured".into(),
        value,
        low,
        high,
        seeds: 1,
        setting: String::new(),
    };
    let power = |of: fn(&Fitted) -> f64| {
        let point = |fit: &Fitted| [(fit.0 as f64).ln(), of(fit).max(1e-9).ln()];
        let points: Vec<[f64; 2]> = last.iter().map(point).collect();
        let ends = (points.len() > 1).then(|| (slope(&points[..2]), slope(&points[points.len() - 2..])))?;
        Some(reading(slope(&points), ends.0.min(ends.1), ends.0.max(ends.1)))
    };
    let mut cells = Vec::new();
    let powers = [
        ("time", cost.time_power, &cost.time, power(|fit| fit.1)),
        ("memory", cost.memory_power, &cost.memory, power(|fit| fit.2)),
    ];
    for (column, printed, words, ours) in powers {
        let cell = (cost.technique.as_str(), column, "power of n");
        let ours: Vec<Reading> = ours.into_iter().collect();
        let mut cell = Compared::new(cell, Unit::Number, Some(printed), TOLERANCE, ours, true);
        cell.word = match cell.verdict {
            Verdict::NotAvailable => reason.unwrap_or_default().to_owned(),
            Verdict::Worse if cell.best().is_some_and(|r| r.value < 1.3) => {
                format!("printed as {words}: what grows with n is left out there")
            }
            _ => format!("printed as {words}"),
        };
        cells.push(cell);
    }
    let Some(&(rows, seconds, _)) = last.last() else { return cells };
    for (column, unit, value) in [("rows", Unit::Count, rows as f64), ("seconds", Unit::Number, seconds)] {
        let cell = (cost.technique.as_str(), column, "the largest fit");
        cells.push(Compared::new(cell, unit, None, 0.0, vec![reading(value, value, value)], true));
    }
    cells
}

/// The slope of a line through points, by least squares.
fn slope(points: &[[f64; 2]]) -> f64 {
    let n = points.len().max(1) as f64;
    let mean = |j: usize| points.iter().map(|point| point[j]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let down: f64 = points.iter().map(|point| (point[0] - x).powi(2)).sum();
    let up: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    if down > 0.0 { up / down } else { 0.0 }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_power_law_has_its_power_as_slope() {
        let points: Vec<[f64; 2]> =
            [1_000.0_f64, 2_000.0, 4_000.0].iter().map(|n| [n.ln(), (3e-6 * n.powf(2.5)).ln()]).collect();
        assert!((super::slope(&points) - 2.5).abs() < 1e-12);
    }
}
