//! Maaten, Postma and van den Herik 2009: tables 3 to 8, and table 1 as measured growth.

mod growth;
mod techniques;
#[cfg(test)]
mod tests;
mod words;

pub use techniques::TECHNIQUES;

use crate::draw;
use crate::findings::{Compared, Figure, Reading as Found, Section, Tally, Unit, Verdict};
use crate::published::{self, Measure, Row};
use crate::sets::{self, Folder, Set};
use crate::{Context, Experiment};
use lowland::compare::{Cell, CellResult, CellResults, ComparisonOptions, Figures};
use lowland::quality::SampleSizes;
use lowland::units::{grouped, human_duration};
use lowland::{AnyInput, Result, Run};
use lowland_plot::Coloring;
use std::collections::BTreeMap;
use techniques::{Reading, Scale, Steps, Technique};
use words::{readings, unfinished, word};

/// The rows of the artificial data, and of MNIST.
const ROWS: usize = 5_000;
/// The rows of every set in the small run.
const QUICK_ROWS: usize = 500;
/// The columns of every set in the small run.
const QUICK_COLUMNS: usize = 200;
/// The neighborhoods that judge.
const K: usize = 12;

/// What became of the settings of one technique on one data set, by reading and seed.
#[derive(Default)]
struct Tries {
    /// For each reading, for each seed: the judged cells.
    readings: Vec<Vec<Vec<CellResult>>>,
}

/// Runs all data sets and compares. `sets` are the names of those that are wanted; none is all of them.
pub fn run(context: &Context<'_>, wanted: &[String]) -> Result<Experiment> {
    let tables = published::maaten()?;
    let mut missing: Vec<String> = Vec::new();
    for technique in TECHNIQUES {
        if technique.registered().is_none() {
            missing.push(format!("{}: not available in this version", technique.column));
        }
    }
    let mut names: Vec<(String, usize)> = Vec::new();
    for row in &tables.rows {
        let asked = wanted.is_empty() || wanted.contains(&row.set);
        if asked && !names.iter().any(|(name, _)| *name == row.set) {
            names.push((row.set.clone(), row.d));
        }
    }
    let mut found: BTreeMap<String, SetFound> = BTreeMap::new();
    let mut figures = Vec::new();
    let stage = context.run.stage("data sets", Some(names.len() as u64));
    for (name, d) in &names {
        match one_set(context, name, *d)? {
            Some(mut set) => {
                if name == "hd" {
                    set.drawn_otherwise = one_set(context, sets::HD_GRID, *d)?.map(Box::new);
                    missing
                        .extend(set.drawn_otherwise.iter().flat_map(|set| unfinished("HD on a grid", set)));
                }
                missing.extend(unfinished(&title(name, *d), &set));
                figures.extend(draw_best(context, name, *d, &set)?);
                found.insert(name.clone(), set);
            }
            None => missing.push(format!("{}: the data are not there", title(name, *d))),
        }
        stage.advance(1)?;
    }
    drop(stage);
    let mut sections = Vec::new();
    for table in 3..=8 {
        let rows: Vec<&Row> = tables
            .rows
            .iter()
            .filter(|row| row.table == table && names.iter().any(|(name, _)| *name == row.set))
            .collect();
        let Some(first) = rows.first() else { continue };
        let kind = if table < 6 { "artificial" } else { "natural" };
        let mut section = Section {
            title: format!("Table {table}: {} on the {kind} data", first.measure.words()),
            ..Default::default()
        };
        for row in &rows {
            for (column, &value) in tables.columns.iter().zip(&row.values) {
                let ours = column != "None" || row.measure == Measure::Error;
                if value.is_some() || (ours && found.contains_key(&row.set)) {
                    section.cells.push(compared(row, column, value, found.get(&row.set)));
                }
            }
        }
        sections.push(section);
    }
    let cells = || sections.iter().flat_map(|section| &section.cells);
    let mut summary = vec![format!("{}.", Tally::of(cells()))];
    for (kind, range) in [("artificial", 3..6), ("natural", 6..9)] {
        let of = |n: usize| sections.iter().filter(move |s| s.title.starts_with(&format!("Table {n}:")));
        let tally = Tally::of(range.flat_map(of).flat_map(|s| &s.cells));
        if tally.judged > 0 {
            summary.push(format!(
                "On the {kind} data: {} of {} cells, {} as printed.",
                tally.good, tally.judged, tally.good_as_printed
            ));
        }
    }
    summary.push(format!(
        "An error is as good where it is at most the published one + 2 standard errors (binomial, of the published error and \
         the rows of the paper); T(12) and C(12) where they are at least the published value - 0.01. Ours are means over \
         the seeds of the best over the grid{}.",
        if context.coarse {
            ", of which both ends and the middle of every range were tried (`--coarse`)"
        } else if context.quick {
            "; this is the small run, with few rows and a thin grid: it shows that everything works, not how well"
        } else {
            ""
        }
    ));
    let all = found.values().flat_map(|set| std::iter::once(set).chain(set.drawn_otherwise.as_deref()));
    let (settings, seconds) = all.fold((0, 0.0), |sum, set| (sum.0 + set.work.0, sum.1 + set.work.1));
    summary.push(format!(
        "{} embeddings were fitted and judged, which took {} of one thread.",
        grouped(settings),
        human_duration(seconds)
    ));
    sections.push(readings());
    if wanted.is_empty() {
        sections.push(growth::section(context)?);
    }
    if let Some(section) = sections.first_mut() {
        section.figures = figures;
    }
    Ok(Experiment {
        title: "Dimensionality reduction: a comparative review, tables 1 and 3 to 8".into(),
        paper: "L. van der Maaten, E. Postma, J. van den Herik, Dimensionality reduction: a comparative review, TiCC TR \
                2009-005, 2009",
        summary,
        missing,
        sections,
    })
}

/// What was found on one data set.
struct SetFound {
    /// The error of the nearest neighbor in the data themselves, by seed.
    none: Vec<f64>,
    tries: BTreeMap<&'static str, Tries>,
    /// How many settings were fitted and judged, and the seconds of one thread that this took.
    work: (usize, f64),
    /// The classes of the points that are shown, of the first seed.
    classes: Vec<String>,
    /// The same of data that are drawn in another way: on the grid of the authors' toolbox.
    drawn_otherwise: Option<Box<Self>>,
}

/// Helix (1D).
fn title(name: &str, d: usize) -> String {
    let words = match name {
        "swiss-roll" => "Swiss roll",
        "helix" => "Helix",
        "twin-peaks" => "Twin peaks",
        "broken-swiss-roll" => "Broken Swiss",
        "hd" => "HD",
        "mnist" => "MNIST",
        "coil20" => "COIL20",
        "orl" => "ORL",
        "nisis" => "NiSIS",
        "hiva" => "HIVA",
        other => other,
    };
    format!("{words} ({d}D)")
}

/// The rows that the paper has.
fn paper_rows(name: &str) -> usize {
    match name {
        "coil20" => 1_440,
        "orl" => 400,
        "nisis" => 3_675,
        "hiva" => 3_845,
        _ => ROWS,
    }
}

fn one_set(context: &Context<'_>, name: &str, d: usize) -> Result<Option<SetFound>> {
    let seeds = if sets::is_artificial(name) { context.seeds } else { 1 };
    let mut found: Option<SetFound> = None;
    for seed in 0..seeds {
        let run = context.run.clone().with_seed(context.run.seed() + seed as u64);
        let most = if context.quick { (QUICK_ROWS, QUICK_COLUMNS) } else { (ROWS, usize::MAX) };
        let Some(set) = Folder(context.data.clone()).maaten(name, most, &run)? else { return Ok(None) };
        let stage = run.stage(&format!("{name}, seed {}", run.seed()), None);
        let found = found.get_or_insert_with(|| SetFound {
            none: Vec::new(),
            tries: BTreeMap::new(),
            work: (0, 0.0),
            classes: Vec::new(),
            drawn_otherwise: None,
        });
        one_seed(context, (name, &set), (d, seed), found, &run)?;
        drop(stage);
    }
    Ok(found)
}

/// All cells of all techniques on the data of one seed.
fn one_seed(
    context: &Context<'_>,
    (name, set): (&str, &Set),
    (d, seed): (usize, usize),
    found: &mut SetFound,
    run: &Run,
) -> Result<()> {
    let columns = set.points.dim().1;
    let steps = match (context.quick, context.coarse) {
        (true, _) => Steps::Middle,
        (_, true) => Steps::Three,
        _ => Steps::All,
    };
    for scale in [Scale::AsIs, Scale::UnitRange] {
        // Which cell belongs to which reading of which technique; readings may share cells.
        let (mut cells, mut owners): (Vec<Cell>, Vec<(&'static Technique, usize, usize)>) =
            Default::default();
        for technique in TECHNIQUES {
            let Some(method) = technique.registered() else { continue };
            let wanted = |reading: &Reading| {
                reading.scale == scale && (reading.only.is_empty() || reading.only.contains(&name))
            };
            for (at, reading) in technique.readings.iter().enumerate().filter(|(_, r)| wanted(r)) {
                for cell in reading.cells(method, d, columns, steps) {
                    let index = cells.iter().position(|known| *known == cell).unwrap_or_else(|| {
                        cells.push(cell);
                        cells.len() - 1
                    });
                    owners.push((technique, at, index));
                }
            }
        }
        let points = match scale {
            Scale::AsIs => set.points.clone(),
            Scale::UnitRange => sets::unit_range(&set.points),
        };
        let comparing = ComparisonOptions {
            dimensions: Some(d.min(columns)),
            labels: Some(&set.labels),
            k: Some(K),
            figures: Figures::Neighborhoods,
            sample_sizes: SampleSizes { rows: ROWS, ..SampleSizes::default() },
            most_shown: SHOWN,
            work: Some(context.work.cells()),
            patience: context.patience,
            ..ComparisonOptions::default()
        };
        let CellResults { cells: tried, rows, .. } =
            comparing.run_cells(AnyInput::from(&points), cells, run)?;
        for judged in tried.iter().filter_map(|tried| tried.outcome.judged()) {
            found.work.0 += 1;
            found.work.1 += judged.seconds + judged.judging_seconds;
        }
        if scale == Scale::AsIs {
            let of_data = tried.iter().find_map(|t| t.outcome.judged()?.value("one_nn_error_data"));
            found.none.extend(of_data);
            if seed == 0 {
                found.classes = rows.iter().map(|&row| set.labels[row].to_string()).collect();
            }
        }
        for (technique, at, index) in owners {
            let tries = found.tries.entry(technique.column).or_default();
            tries.readings.resize_with(technique.readings.len(), Vec::new);
            let seeds = &mut tries.readings[at];
            seeds.resize_with(seeds.len().max(seed + 1), Vec::new);
            seeds[seed].push(tried[index].clone());
        }
    }
    Ok(())
}

/// Points of a picture.
const SHOWN: usize = 1_000;

/// A cell of a table.
fn compared(row: &Row, column: &str, published: Option<f64>, found: Option<&SetFound>) -> Compared {
    let measure = row.measure;
    let less = measure == Measure::Error;
    let ours = found.map(|found| readings_of(found, column, measure)).unwrap_or_default();
    // Two standard errors of the published error, or a hundredth.
    let tolerance = match (measure, published) {
        (Measure::Error, Some(p)) => 2.0 * (p * (1.0 - p) / paper_rows(&row.set) as f64).sqrt(),
        _ => 0.01,
    };
    let unit = if less { Unit::Percent } else { Unit::Score };
    let cell = (title(&row.set, row.d), column, measure.words());
    let mut cell = Compared::new((&cell.0, cell.1, cell.2), unit, published, tolerance, ours, less);
    let printed = TECHNIQUES.iter().find(|technique| technique.column == column);
    if let Some((technique, first)) = printed.zip(cell.ours.first())
        && first.name != technique.readings[0].name
    {
        cell.as_printed = Verdict::NotAvailable;
    }
    if found.is_none() {
        (cell.verdict, cell.as_printed) = (Verdict::NoData, Verdict::NoData);
    }
    cell.word = word(&cell, &row.set, measure, found);
    cell
}

/// The best over the grid of each reading, over the seeds; last those of data that are drawn in another way.
fn readings_of(found: &SetFound, column: &str, measure: Measure) -> Vec<Found> {
    let mut readings = readings_of_one(found, column, measure);
    for other in found.drawn_otherwise.iter().flat_map(|found| readings_of_one(found, column, measure)) {
        readings.push(Found { name: format!("{}; {ON_A_GRID}", other.name), ..other });
    }
    readings
}

/// The other way to draw HD.
const ON_A_GRID: &str = "points on the grid of the authors' toolbox, five values a parameter";

fn readings_of_one(found: &SetFound, column: &str, measure: Measure) -> Vec<Found> {
    if column == "None" {
        let values: Vec<(f64, String)> = found.none.iter().map(|&v| (v, "the data".into())).collect();
        let values = if measure == Measure::Error { values } else { Vec::new() };
        return summarized("the data as they are", values).into_iter().collect();
    }
    let (Some(tries), Some(technique)) =
        (found.tries.get(column), TECHNIQUES.iter().find(|technique| technique.column == column))
    else {
        return Vec::new();
    };
    let both = technique.readings.iter().zip(&tries.readings);
    both.filter_map(|(reading, seeds)| {
        let best = seeds.iter().filter_map(|cells| best(cells, measure)).collect();
        summarized(reading.name, best)
    })
    .collect()
}

/// The best cell by a measure, with its setting.
fn best(cells: &[CellResult], measure: Measure) -> Option<(f64, String)> {
    let value = |tried: &CellResult| tried.outcome.judged()?.value(measure.figure());
    let sign = if measure == Measure::Error { 1.0 } else { -1.0 };
    let judged = cells.iter().filter_map(|tried| Some((value(tried)?, tried.cell.words())));
    judged.min_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)))
}

fn summarized(name: &str, values: Vec<(f64, String)>) -> Option<Found> {
    let setting = values.first()?.1.clone();
    let numbers = || values.iter().map(|(value, _)| *value);
    Some(Found {
        name: name.to_owned(),
        value: numbers().sum::<f64>() / values.len() as f64,
        low: numbers().fold(f64::INFINITY, f64::min),
        high: numbers().fold(f64::NEG_INFINITY, f64::max),
        seeds: values.len(),
        setting,
    })
}

/// The embedding of each technique with the least error, the first seed, side by side.
fn draw_best(context: &Context<'_>, name: &str, d: usize, found: &SetFound) -> Result<Vec<Figure>> {
    let mut panels = Vec::new();
    for technique in TECHNIQUES {
        let Some(tries) = found.tries.get(technique.column) else { continue };
        let cells = tries.readings.iter().filter_map(|seeds| seeds.first()).flatten();
        let error = |tried: &&CellResult| {
            tried.outcome.judged().and_then(|judged| judged.value("one_nn_error")).unwrap_or(f64::INFINITY)
        };
        let best =
            cells.filter(|t| t.outcome.judged().is_some()).min_by(|a, b| error(a).total_cmp(&error(b)));
        if let Some((tried, judged)) = best.and_then(|tried| Some((tried, tried.outcome.judged()?))) {
            let caption = format!("{} {:.1} %", technique.column, 100.0 * error(&tried));
            panels.push((caption, judged.picture.positions.clone()));
        }
    }
    let words = title(name, d);
    let file = draw::sheet(
        context,
        &format!("{name}.svg"),
        (&words, "the least 1-NN error of each technique; the first two components"),
        &panels,
        Coloring::Classes(&found.classes),
    )?;
    let caption = format!("{words}: the embedding of each technique with the least error, colored by class.");
    Ok(vec![Figure { file, caption }])
}
