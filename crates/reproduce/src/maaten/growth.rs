//! Table 1 as measured growth: the power of the number of rows with which time and memory grow.

use super::TECHNIQUES;
use crate::findings::{Compared, Reading, Section, Unit, Verdict};
use crate::{Context, published};
use lowland::compare::{Cell, Comparing, Figures};
use lowland::{AnyInput, Result, data, registry};

/// Rows of the data, from few to many.
const SIZES: &[usize] = &[1_000, 2_000, 4_000];
const QUICK_SIZES: &[usize] = &[250, 500];
/// A measured power may be so much above the printed one: caches and what is paid once bend the line.
const TOLERANCE: f64 = 0.3;

pub fn section(context: &Context<'_>) -> Result<Section> {
    let sizes = if context.quick { QUICK_SIZES } else { SIZES };
    let roll = data::find("swiss-roll")?;
    let mut measured: Vec<Vec<Option<(f64, f64)>>> = Vec::new();
    let costs = published::costs()?;
    let method = |technique: &str| {
        let known = TECHNIQUES.iter().find(|t| t.column == technique).and_then(|t| t.registered());
        known.or_else(|| (technique == "Class. scaling").then_some("classical-mds"))
    };
    for &n in sizes {
        let sample = roll.sample(n, 0.05, context.run.seed())?;
        // One at a time, on one thread: what is measured is the work.
        let run = context.run.clone().with_threads(1)?;
        let comparing = Comparing {
            dimensions: Some(2),
            figures: Figures::Neighborhoods,
            most_shown: 10,
            work: Some(context.work.cells()),
            ..Comparing::default()
        };
        let stage = context.run.stage(&format!("growth, {n} rows"), Some(costs.len() as u64));
        let mut of_size = Vec::new();
        for cost in &costs {
            let mut cells = Vec::new();
            if let Some(entry) = method(&cost.technique).and_then(|name| registry::find(name).ok()) {
                let mut settings = std::collections::BTreeMap::new();
                if (entry.parameters)().iter().any(|p| p.name == "n_neighbors") && cost.technique != "Sammon"
                {
                    settings.insert("n_neighbors".into(), lowland::parameters::Value::Integer(10));
                }
                cells.push(Cell { method: entry.name.to_owned(), settings });
            }
            let ran = comparing.run_cells(AnyInput::from(&sample.points), cells, &run)?;
            of_size.push(ran.cells.first().and_then(|tried| {
                let judged = tried.outcome.judged()?;
                Some((judged.seconds, judged.memory_bytes as f64))
            }));
            stage.advance(1)?;
        }
        measured.push(of_size);
    }
    let mut section = Section {
        title: "Table 1: computations and memory, as measured growth".into(),
        text: vec![format!(
            "The power of n in the time of a fit (one thread, the Swiss roll with {} rows, ten neighbors) and in the forecast \
             of its memory, beside the power that is printed. The printed powers leave out what is constant in n: PCA is \
             printed without its pass over the rows, LLC and manifold charting without the rows of each step of EM.",
            sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        )],
        ..Section::default()
    };
    for (at, cost) in costs.iter().enumerate() {
        for (column, power, words, of) in
            [("time", cost.time_power, &cost.time, 0_usize), ("memory", cost.memory_power, &cost.memory, 1)]
        {
            let points: Option<Vec<[f64; 2]>> = sizes
                .iter()
                .zip(&measured)
                .map(|(&n, of_size)| {
                    let (seconds, bytes) = of_size[at]?;
                    Some([(n as f64).ln(), [seconds, bytes][of].max(1e-9).ln()])
                })
                .collect();
            let ours = points.map(|points| Reading {
                name: "measured".into(),
                value: slope(&points),
                low: slope(&points[..2]),
                high: slope(&points[points.len() - 2..]),
                seeds: 1,
                setting: String::new(),
            });
            let place = (cost.technique.as_str(), column, "power of n");
            let ours: Vec<Reading> = ours.into_iter().collect();
            let mut cell = Compared::new(place, Unit::Number, Some(power), TOLERANCE, ours, true);
            cell.word = match cell.verdict {
                Verdict::NotAvailable => "not available in this version".into(),
                Verdict::Worse if cell.best().is_some_and(|r| r.value < 1.3) => {
                    format!("printed as {words}: what grows with n is left out there")
                }
                _ => format!("printed as {words}"),
            };
            section.cells.push(cell);
        }
    }
    Ok(section)
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
