//! Expectation maximization for a mixture of latent Gaussians: starts, restarts, analyzers that are removed.

use super::em::{State, principal_axes};
use super::pass::{Totals, expectations};
use super::start::{self, Start};
use super::table::{Observed, Table, Weights};
use super::{Gaussian, Mixture, student};
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use ndarray::{Array2, ArrayView2};

/// The tails of the analyzers' densities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tails {
    Gaussian,
    /// Student's t, with these degrees of freedom or with those of the largest likelihood.
    Student(Option<f64>),
}

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub analyzers: usize,
    pub factors: usize,
    /// Whether all columns of an analyzer have the same noise.
    pub isotropic: bool,
    pub tails: Tails,
    pub start: Start,
    /// How many starts.
    pub starts: usize,
    /// For a start by patches of the neighbor graph.
    pub neighbors: usize,
    /// The fit ends when an iteration adds less than this to the mean log-likelihood of a cell: a row has as many times more as
    /// it has columns.
    pub tolerance: f64,
    pub iterations: usize,
    /// The least noise, relative to the variance of the data.
    pub floor: f64,
}

/// What was found.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    pub mixture: Mixture,
    /// The mean log-likelihood of a row before each iteration with this number of analyzers, and after the last.
    pub history: Vec<f64>,
    /// What the last iteration added to it.
    pub change: f64,
    pub converged: bool,
    /// How many analyzers have lost their rows and were left out.
    pub removed: usize,
}

/// Iterations of each start, after which the best goes on.
const SHORT: usize = 10;

/// The mass of an analyzer at which it is left out in the middle of an iteration: no row notices.
const NOTHING: f64 = 1e-9;

/// The rows of a fit: in the units of the mixture, with the least noise of each column.
pub(crate) struct Rows {
    table: Table,
    center: Vec<f64>,
    /// The variance of each column.
    variances: Vec<f64>,
}

impl Rows {
    pub fn new(x: ArrayView2<'_, f64>, run: &Run) -> Result<Self> {
        let (table, center) = Table::new(x, Weights::ONE, run)?;
        let mut variances = vec![0.0; table.d];
        for row in table.values.chunks_exact(table.d) {
            variances.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
        }
        variances.iter_mut().for_each(|sum| *sum /= table.n as f64);
        Ok(Self { table, center, variances })
    }

    /// Rows x columns.
    pub fn view(&self) -> ArrayView2<'_, f64> {
        let shape = (self.table.n, self.table.d);
        ArrayView2::from_shape(shape, &self.table.values).unwrap_or_else(|_| ArrayView2::from(&[[]; 0]))
    }

    /// The least noise of each column: a share of its variance, or of the mean of all where that is the same for all.
    pub fn floors(&self, request: &Request) -> Vec<f64> {
        let mean = self.variances.iter().sum::<f64>() / self.table.d as f64;
        // Rows that are all equal have no variance: then the units do.
        let mean = if mean > 0.0 { mean } else { 1.0 };
        let least = |variance: f64| if request.isotropic { mean } else { variance.max(1e-3 * mean) };
        self.variances.iter().map(|&variance| request.floor * least(variance)).collect()
    }

    /// A mixture in the units of these rows.
    pub fn mixture(&self, weights: Vec<f64>, analyzers: Vec<Gaussian>, degrees: Vec<f64>) -> Mixture {
        Mixture { center: self.center.clone(), scale: self.table.scale, weights, analyzers, degrees }
    }
}

/// Fits a mixture from several starts, of which the one with the largest likelihood after some iterations goes on to the
/// end. Analyzers that are left with fewer rows than a plane needs are taken out, and the others go on.
pub(crate) fn fit(rows: &Rows, request: &Request, run: &Run) -> Result<Fitted> {
    let stage = run.stage("starts", Some(request.starts as u64));
    let mut best: Option<Fitted> = None;
    let graph = start::Patches::new(rows.view(), request, run)?;
    for number in 0..request.starts {
        let labels = graph.labels(rows.view(), request, number, run)?;
        let mixture = start::mixture(rows, &labels, request, run)?;
        if request.starts == 1 {
            best = Some(Fitted::begun(mixture));
            break;
        }
        let found = iterate(rows, mixture, request, request.iterations.min(SHORT), run)?;
        let last = |fitted: &Fitted| fitted.history.last().copied().unwrap_or(f64::NEG_INFINITY);
        if best.as_ref().is_none_or(|best| last(&found) > last(best)) {
            best = Some(found);
        }
        stage.advance(1)?;
    }
    drop(stage);
    let begun = match best {
        Some(begun) => begun,
        None => Fitted::begun(start::mixture(rows, &vec![0; rows.table.n], request, run)?),
    };
    finish(rows, begun, request, run)
}

/// Goes on to convergence, and takes out analyzers with too little weight.
pub(crate) fn finish(rows: &Rows, begun: Fitted, request: &Request, run: &Run) -> Result<Fitted> {
    let mut fitted = begun;
    loop {
        let left = request.iterations.saturating_sub(fitted.history.len().saturating_sub(1));
        if !fitted.converged && left > 0 {
            let removed = fitted.removed;
            let before = std::mem::take(&mut fitted.history);
            fitted = iterate(rows, fitted.mixture, request, left, run)?;
            fitted.removed += removed;
            // The first of the new likelihoods is the last of the old.
            let known = before.len().saturating_sub(1);
            fitted.history.splice(0..0, before.into_iter().take(known));
        }
        let least = (request.factors + 1) as f64 / rows.table.n as f64;
        let alive: Vec<bool> = fitted.mixture.weights.iter().map(|&weight| weight >= least).collect();
        let dead = alive.iter().filter(|alive| !**alive).count();
        if dead == 0 || dead == alive.len() {
            return Ok(fitted);
        }
        let removed = fitted.removed + dead;
        fitted = Fitted { removed, ..Fitted::begun(keep(fitted.mixture, &alive)) };
    }
}

impl Fitted {
    /// A mixture to iterate on.
    pub fn begun(mixture: Mixture) -> Self {
        Self { mixture, history: Vec::new(), change: f64::INFINITY, converged: false, removed: 0 }
    }
}

/// The analyzers that are alive, with all weight.
fn keep(mixture: Mixture, alive: &[bool]) -> Mixture {
    let kept: f64 = mixture.weights.iter().zip(alive).filter(|(_, alive)| **alive).map(|(w, _)| w).sum();
    let mut flags = alive.iter();
    let weights = mixture.weights.iter().zip(alive).filter(|(_, alive)| **alive).map(|(w, _)| w / kept);
    let weights = weights.collect();
    let mut analyzers = mixture.analyzers;
    analyzers.retain(|_| flags.next().copied().unwrap_or(true));
    let mut flags = alive.iter();
    let mut degrees = mixture.degrees;
    degrees.retain(|_| flags.next().copied().unwrap_or(true));
    Mixture { weights, analyzers, degrees, ..mixture }
}

/// At most so many iterations.
fn iterate(
    rows: &Rows,
    mut mixture: Mixture,
    request: &Request,
    iterations: usize,
    run: &Run,
) -> Result<Fitted> {
    let stage = run.stage("expectation maximization", Some(iterations as u64));
    let (floors, n) = (rows.floors(request), rows.table.n as f64);
    let observed = Observed::all(rows.table.n, rows.table.d);
    let (mut history, mut change, mut converged, mut removed) = (Vec::new(), f64::INFINITY, false, 0);
    for iteration in 0..=iterations {
        let totals = expectations(&rows.table, &mixture, run)?;
        let mean = totals.log_likelihood / n + mixture.units();
        if let Some(&last) = history.last() {
            change = mean - last;
        }
        history.push(mean);
        converged = change < request.tolerance * rows.table.d as f64;
        if converged || iteration == iterations {
            break;
        }
        let before = mixture.weights.len();
        mixture = maximize(mixture, totals, request, &floors, &observed, run)?;
        removed += before - mixture.weights.len();
        stage.advance_with_loss(-mean)?;
    }
    for analyzer in &mut mixture.analyzers {
        let loadings = std::mem::take(&mut analyzer.loadings);
        analyzer.loadings = principal_axes(loadings, &analyzer.noise, run)?;
    }
    Ok(Fitted { mixture, history, change, converged, removed })
}

/// The maximization step: every analyzer by itself.
fn maximize(
    mixture: Mixture,
    totals: Totals,
    request: &Request,
    floors: &[f64],
    observed: &Observed,
    run: &Run,
) -> Result<Mixture> {
    let n = observed.rows as f64;
    let Totals { sums, tails, .. } = totals;
    let alive: Vec<bool> = sums.iter().map(|sums| sums.mass > NOTHING).collect();
    let (d, k) = (mixture.features(), mixture.factors());
    let found = map_chunks(run, sums.len(), 1, |one| -> Result<(f64, Gaussian, Option<f64>)> {
        let j = one.start;
        let (sums, old) = (&sums[j], &mixture.analyzers[j]);
        let degrees = mixture.degrees.get(j).copied();
        if !alive[j] {
            return Ok((0.0, old.clone(), degrees));
        }
        let mut state = State {
            mean: vec![0.0; d],
            loadings: old.loadings.iter().copied().collect(),
            noise: old.noise.clone(),
        };
        state.maximize(observed, sums, request.isotropic, floors, run)?;
        let degrees = match (request.tails, degrees) {
            (Tails::Student(None), Some(old)) => Some(student::maximize(old, d, tails[j] / sums.mass)),
            _ => degrees,
        };
        let analyzer = Gaussian {
            mean: old.mean.iter().zip(&state.mean).map(|(mean, step)| mean + step).collect(),
            loadings: Array2::from_shape_vec((d, k), state.loadings).unwrap_or_default(),
            noise: state.noise,
        };
        Ok((sums.mass / n, analyzer, degrees))
    })?;
    let found = found.into_iter().collect::<Result<Vec<_>>>()?;
    let (mut weights, mut analyzers, mut degrees) = (Vec::new(), Vec::new(), Vec::new());
    for (weight, analyzer, nu) in found {
        weights.push(weight);
        analyzers.push(analyzer);
        degrees.extend(nu);
    }
    let mixture = Mixture { weights, analyzers, degrees, ..mixture };
    Ok(if alive.contains(&false) { keep(mixture, &alive) } else { mixture })
}
