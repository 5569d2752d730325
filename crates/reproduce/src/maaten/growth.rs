//! Table 1 as measured growth: the power of the number of rows with which time and memory grow.

use super::TECHNIQUES;
use crate::Context;
use crate::findings::{Compared, Reading, Section, Unit, Verdict};
use crate::published::{self, Cost};
use lowland::compare::Cell;
use lowland::parameters::Value;
use lowland::units::grouped;
use lowland::{AnyInput, Result, Run, data, registry};
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
/// A fit to twice the rows has to fit into as many bytes.
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
             beside the power that is printed. The rows are doubled from {} on until a fit takes {} s or has {} rows, and the \
             last sizes count, up to {LAST}; the time of a size is the least of {} or fewer fits. The largest size and its time are \
             shown, so that it is seen what a power rests on. The printed powers leave out what is constant in n: PCA is printed \
             without its pass over the rows, LLC and manifold charting without the rows of each step of EM.",
            grouped(plan.first),
            plan.long,
            grouped(plan.most_rows),
            plan.repeats,
        )],
        ..Section::default()
    };
    let stage = run.stage("growth", Some(costs.len() as u64));
    for cost in &costs {
        let fitted = match cell(&cost.technique) {
            Some(cell) => grown(context, &plan, &cell, &run)?,
            None => Vec::new(),
        };
        section.cells.extend(compared(cost, &fitted));
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

/// The fits of a technique to more and more rows.
fn grown(context: &Context<'_>, plan: &Plan, cell: &Cell, run: &Run) -> Result<Vec<Fitted>> {
    let roll = data::find("swiss-roll")?;
    let method = cell.method(2)?;
    let mut fitted: Vec<Fitted> = Vec::new();
    let mut n = plan.first;
    while n <= plan.most_rows {
        let points = roll.sample(n, 0.05, run.seed())?.points;
        let bytes = method.forecast(&AnyInput::from(&points).shape()).bytes;
        if bytes > MOST_BYTES {
            break;
        }
        let key = format!("growth: {cell}, {n} rows");
        let seconds = context.work.remember(&key, run, || {
            let stage = run.stage(&format!("{}, {} rows", cell.method, grouped(n)), None);
            let mut least = f64::INFINITY;
            for _ in 0..plan.repeats {
                let begun = Instant::now();
                method.fit(AnyInput::from(&points), run)?;
                least = least.min(begun.elapsed().as_secs_f64());
                if least >= plan.long {
                    break;
                }
            }
            drop(stage);
            Ok(least)
        })?;
        fitted.push((n, seconds, bytes as f64));
        if seconds >= plan.long && fitted.len() >= LAST {
            break;
        }
        n *= 2;
    }
    Ok(fitted)
}

/// The powers beside the printed ones, and what they rest on.
fn compared(cost: &Cost, fitted: &[Fitted]) -> Vec<Compared> {
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
        let place = (cost.technique.as_str(), column, "power of n");
        let ours: Vec<Reading> = ours.into_iter().collect();
        let mut cell = Compared::new(place, Unit::Number, Some(printed), TOLERANCE, ours, true);
        cell.word = match cell.verdict {
            Verdict::NotAvailable => "not available in this version".into(),
            Verdict::Worse if cell.best().is_some_and(|r| r.value < 1.3) => {
                format!("printed as {words}: what grows with n is left out there")
            }
            _ => format!("printed as {words}"),
        };
        cells.push(cell);
    }
    let Some(&(rows, seconds, _)) = last.last() else { return cells };
    for (column, unit, value) in [("rows", Unit::Count, rows as f64), ("seconds", Unit::Number, seconds)] {
        let place = (cost.technique.as_str(), column, "the largest fit");
        cells.push(Compared::new(place, unit, None, 0.0, vec![reading(value, value, value)], true));
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
