//! The descents from all starts, of which the best is measured.

use super::gather::Gathered;
use super::majorize::{Descended, Problem};
use super::measure::{Measured, measure};
use super::objects::Objects;
use super::recipe::{Loss, StressRecipe};
use super::start::{self, StressInit};
use crate::model::Warning;
use faer::Mat;
use lowland_base::{Checkpoint, Error, FitIdentity, Result, Run};
use ndarray::ArrayView2;

/// A layout that was measured.
pub(super) struct Finished {
    pub measured: Measured,
    pub gathered: Gathered,
    pub starts: Vec<f64>,
    pub history: Vec<(usize, f64)>,
    pub iterations: usize,
    pub own_warnings: Vec<Warning>,
}

/// All starts, of which the best is kept.
pub(super) fn go<const D: usize>(
    recipe: &StressRecipe,
    objects: &Objects,
    mut gathered: Gathered,
    order: &[usize],
    given: Option<ArrayView2<'_, f64>>,
    run: &Run,
) -> Result<Finished> {
    let components = recipe.components;
    // The starts are made from the pairs before these belong to the problem.
    let first: Vec<[f64; D]> = match (given, recipe.init) {
        (Some(given), _) => given
            .rows()
            .into_iter()
            .map(|row| std::array::from_fn(|c| if c < components { row[c] * gathered.unit } else { 0.0 }))
            .collect(),
        (None, StressInit::Classical) => start::classical(objects, &gathered, components, run)?,
        (None, StressInit::Random) => start::random(gathered.pairs.n, components, 0, run),
    };
    let empty = super::pairs::Pairs {
        n: 0,
        ends: super::pairs::Ends::All,
        given: Vec::new(),
        weights: None,
        mass: None,
    };
    let pairs = std::mem::replace(&mut gathered.pairs, empty);
    let [squares, far] = pairs.sums(run, |index, i, j, weight| {
        let d = pairs.given[index];
        let plain = pairs.mass.as_ref().map_or(1.0, |mass| mass[i] * mass[j]);
        [weight * d * d, plain * d]
    })?;
    let unit = if recipe.sammon { far } else { squares };
    let unit = if unit > 0.0 { unit } else { 1.0 };
    let problem = Problem::new(pairs, recipe.scale, unit, run)?;
    let raw = unit * gathered.weight_unit / (gathered.unit * gathered.unit) / gathered.share;
    let shown = |value: f64| match recipe.loss() {
        Loss::Sammon => value,
        Loss::Raw => value * raw,
        Loss::Kruskal => value.sqrt(),
    };
    // In the units and the order of the input.
    let so_far = |y: &[[f64; D]], values: &[f64]| {
        let mut layout = Mat::zeros(order.len(), components);
        for (&row, &object) in order.iter().zip(&gathered.copies.object) {
            (0..components).for_each(|c| layout[(row, c)] = y[object][c] / gathered.unit);
        }
        let history: Vec<(usize, f64)> =
            values.iter().enumerate().map(|(k, &value)| (k, shown(value))).collect();
        let loss = values.last().map_or(0.0, |&value| shown(value));
        Checkpoint {
            iteration: values.len() - 1,
            loss,
            layout,
            memory: Vec::new(),
            history,
            of: FitIdentity::default(),
        }
    };
    let total = recipe.patience.max_iter * recipe.starts;
    let stage = run.stage("layout", Some(total as u64));
    let mut best: Option<Descended<D>> = None;
    let (mut values, mut stopped) = (Vec::new(), false);
    let mut first = Some(first);
    for number in 0..recipe.starts {
        let y = match first.take() {
            Some(first) => first,
            None => start::random(problem.pairs.n, components, number, run),
        };
        let y = start::ready(&problem, y, components, run)?;
        let found = problem.descend(y, recipe.patience, so_far, &stage, run)?;
        values.push(found.value);
        stopped = found.stopped;
        if best.as_ref().is_none_or(|best| found.value < best.value) {
            best = Some(found);
        }
        if stopped {
            break;
        }
    }
    drop(stage);
    let Some(best) = best else {
        return Err(Error::parameter("n_init", 0, "at least 1", "leave it at 1"));
    };
    let measured = measure(&problem, &gathered, recipe.scale, best.y, components, run)?;
    let iterations = best.history.len() - 1;
    let mut history: Vec<(usize, f64)> =
        best.history.iter().enumerate().map(|(k, &value)| (k, shown(value))).collect();
    if let Some(last) = history.last_mut() {
        last.1 = recipe.objective(&measured)[0].value;
    }
    let mut own_warnings = Vec::new();
    if stopped {
        own_warnings.push(Warning::Stopped { iterations });
    } else if !best.converged {
        own_warnings.push(Warning::NotConverged {
            what: "the stress".into(),
            steps: iterations,
            change: best.change,
            tolerance: recipe.patience.tol,
        });
    }
    if measured.positions.rows().into_iter().all(|row| row == measured.positions.row(0)) {
        let remedy = "give rows that differ".into();
        own_warnings.push(Warning::RankDeficient { asked: components, rank: 0, remedy });
    }
    gathered.pairs = problem.pairs;
    let starts = values.into_iter().map(shown).collect();
    Ok(Finished { measured, gathered, starts, history, iterations, own_warnings })
}
