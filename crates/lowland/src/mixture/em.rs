//! Expectation maximization for the latent Gaussian model, with any cells missing: probabilistic PCA where the noise
//! is the same in all columns, factor analysis where it is not. Rows may have weights: those of 0 and 1 select, whole
//! ones repeat, responsibilities fit one component of a mixture. An iteration costs as many operations as the data have
//! cells times the factors, plus the square of the factors for each missing cell.

use super::Gaussian;
use super::small::{cholesky, eigen_of_small, solve};
use super::table::{Observed, Sums, Table, Weights};
use crate::projective::signs::fix_columns;
use lowland_base::{Error, Result, Run, Scalar};
use ndarray::{Array2, ArrayView2};

/// What is asked for.
pub(crate) struct Request {
    pub factors: usize,
    /// Whether all columns have the same noise.
    pub isotropic: bool,
    /// The fit ends when an iteration adds less than this to the mean log-likelihood of a row.
    pub tolerance: f64,
    /// The most iterations.
    pub iterations: usize,
}

/// What was found.
pub(crate) struct Fitted {
    pub density: Gaussian,
    /// The mean log-likelihood of a row before each iteration, and after the last.
    pub history: Vec<f64>,
    /// What the last iteration added to it.
    pub change: f64,
    pub converged: bool,
}

/// The least noise of a column of its own, relative to its variance: a column that its factors explain in full (Heywood's
/// case) would make the density infinite.
pub(crate) const LEAST_OWN_NOISE: f64 = 1e-8;
/// The least noise of all columns together, relative to their variance.
pub(super) const LEAST_NOISE: f64 = 1e-12;

/// By how much the steps are lengthened each time.
const GROWTH: f64 = 1.3;

/// The parameters, in the units of the table.
#[derive(Clone)]
pub(super) struct State {
    /// The step from the table's zero.
    pub mean: Vec<f64>,
    /// Columns x factors, row after row.
    pub loadings: Vec<f64>,
    pub noise: Vec<f64>,
}

/// Fits the model to weighted rows in which NaN is missing. `start` makes loadings, and the noise of each column, from the
/// table with missing cells at their means.
pub(crate) fn fit<T: Scalar>(
    x: ArrayView2<'_, T>,
    weights: Weights<'_>,
    start: impl FnOnce(ArrayView2<'_, f64>) -> Result<(Array2<f64>, Vec<f64>)>,
    request: &Request,
    run: &Run,
) -> Result<Fitted> {
    let (mut table, center) = Table::new(x, weights, run)?;
    let (d, k) = (table.d, request.factors);
    let filled =
        ArrayView2::from_shape((table.n, d), &table.values).map_err(|e| Error::shape("table", &e))?;
    let (loadings, noise) = start(filled)?;
    let floors = table.floors(request.isotropic, weights);
    let mut state = State {
        mean: vec![0.0; d],
        loadings: loadings.iter().copied().collect(),
        noise: noise.iter().zip(&floors).map(|(noise, &floor)| noise.max(floor)).collect(),
    };
    let stage = run.stage("expectation maximization", Some(request.iterations as u64));
    let (mut history, mut change, mut converged): (Vec<f64>, f64, bool) = (Vec::new(), f64::INFINITY, false);
    let (rows, cells) = mass(&table, weights);
    // Overrelaxation (Salakhutdinov and Roweis 2003): steps longer than those of EM, as long as the likelihood rises;
    // where it does not, the step of EM itself.
    let (mut stretch, mut plain): (f64, Option<State>) = (1.0, None);
    for iteration in 0..=request.iterations {
        let sums = table.expectations(&state, k, weights, run)?;
        let mean = sums.log_likelihood / rows + cells * table.scale.ln();
        if let (Some(&last), Some(mut safe)) = (history.last(), plain.take())
            && stretch > 1.0
            && (mean.is_nan() || mean <= last)
        {
            safe.mean.iter_mut().for_each(|step| *step *= 1.0 - stretch);
            state = safe;
            table.move_to(&mut state, run)?;
            stretch = 1.0;
            stage.advance(1)?;
            continue;
        }
        if let Some(&last) = history.last() {
            change = mean - last;
        }
        history.push(mean);
        converged = change < request.tolerance;
        if converged || iteration == request.iterations {
            break;
        }
        let before = state.clone();
        state.maximize(&table.observed, &sums, request.isotropic, &floors, run)?;
        if history.len() > 3 {
            stretch *= GROWTH;
            plain = Some(state.clone());
            state.stretch(&before, stretch, &floors);
        }
        table.move_to(&mut state, run)?;
        stage.advance_with_loss(-mean)?;
    }
    Ok(Fitted { density: state.finished(&table, &center, k, run)?, history, change, converged })
}

/// The sum of the weights, and the weighted mean of the number of observed cells of a row.
fn mass(table: &Table, weights: Weights<'_>) -> (f64, f64) {
    let (mut rows, mut cells) = (0.0, 0.0);
    for (row, missing) in table.missing.iter().enumerate() {
        rows += weights.of(row);
        cells += weights.of(row) * (table.d - missing.len()) as f64;
    }
    (rows, cells / rows)
}

impl State {
    /// Goes on beyond the step from `before`, `stretch` times as far; noise on a logarithmic scale.
    fn stretch(&mut self, before: &Self, stretch: f64, floors: &[f64]) {
        for (new, old) in self.loadings.iter_mut().zip(&before.loadings) {
            *new = old + stretch * (*new - old);
        }
        for ((new, old), floor) in self.noise.iter_mut().zip(&before.noise).zip(floors) {
            *new = (old * (stretch * (*new / old).ln()).exp()).max(*floor);
        }
        self.mean.iter_mut().for_each(|step| *step *= stretch);
    }

    /// The maximization step: each column is a regression on the factors and a constant.
    pub fn maximize(
        &mut self,
        cells: &Observed,
        sums: &Sums,
        isotropic: bool,
        floors: &[f64],
        run: &Run,
    ) -> Result<()> {
        let d = cells.columns.len();
        let k = self.loadings.len() / d;
        let width = k + 1;
        let packed = width * (width + 1) / 2;
        let (mut rest, mut total) = (0.0, 0.0);
        let mut factor = vec![0.0; width * width];
        let last = packed - 1;
        let unpack = |moments: &mut dyn FnMut(usize) -> f64, factor: &mut [f64]| {
            for a in 0..width {
                for b in 0..=a {
                    factor[a * width + b] = moments(a * (a + 1) / 2 + b);
                }
            }
        };
        // Of Student's t the rows weigh more or less than they count.
        let counted = sums.mass / sums.moments[last];
        for j in 0..d {
            run.check()?;
            let incomplete = cells.columns[j] < cells.rows;
            let own = if incomplete { &sums.of_column[j * packed..][..packed] } else { &[][..] };
            let weight = match (incomplete, cells.fewer(j)) {
                (false, _) => sums.moments[last],
                (true, true) => own[last],
                (true, false) => sums.moments[last] - own[last],
            };
            let observed = counted * weight;
            if j == 0 || incomplete || cells.columns[j - 1] < cells.rows {
                match (incomplete, cells.fewer(j)) {
                    (false, _) => unpack(&mut |at| sums.moments[at], &mut factor),
                    (true, true) => unpack(&mut |at| own[at], &mut factor),
                    (true, false) => unpack(&mut |at| sums.moments[at] - own[at], &mut factor),
                }
                cholesky(&mut factor, width);
            }
            let right = &sums.products[j * width..][..width];
            let solution = solve(&factor, right, width);
            let explained: f64 = solution.iter().zip(right).map(|(s, r)| s * r).sum();
            let left = (sums.squares[j] - explained).max(0.0);
            self.loadings[j * k..(j + 1) * k].copy_from_slice(&solution[..k]);
            self.mean[j] = solution[k];
            self.noise[j] = (left / if observed > 0.0 { observed } else { 1.0 }).max(floors[j]);
            rest += left;
            total += observed;
        }
        if isotropic {
            self.noise.fill((rest / total).max(floors[0]));
        }
        self.absorb(sums, k, &mut factor);
        Ok(())
    }

    /// Parameter-expanded EM (Liu, Rubin and Wu 1998): the expanded model lets the factors have any mean and covariance.
    /// Those of the posteriors go into the mean and the loadings, which leaves the likelihood as it is and takes the step
    /// that plain EM approaches slowly.
    fn absorb(&mut self, sums: &Sums, k: usize, factor: &mut [f64]) {
        let at = |a: usize, b: usize| sums.moments[a * (a + 1) / 2 + b];
        let (weight, rows) = (at(k, k), sums.mass);
        let mean: Vec<f64> = (0..k).map(|a| at(k, a) / weight).collect();
        let factor = &mut factor[..k * k];
        for a in 0..k {
            for b in 0..=a {
                factor[a * k + b] = (at(a, b) - weight * (mean[a] * mean[b])) / rows;
            }
        }
        cholesky(factor, k);
        for (step, row) in self.mean.iter_mut().zip(self.loadings.chunks_exact_mut(k.max(1))) {
            *step += row.iter().zip(&mean).map(|(w, mean)| w * mean).sum::<f64>();
            for b in 0..k {
                row[b] = (b..k).map(|a| row[a] * factor[a * k + b]).sum();
            }
        }
    }

    /// In the units of the data, the factors rotated to their principal axes.
    fn finished(self, table: &Table, center: &[f64], k: usize, run: &Run) -> Result<Gaussian> {
        let d = table.d;
        let loadings = Array2::from_shape_vec((d, k), self.loadings).unwrap_or_default();
        let loadings = principal_axes(loadings, &self.noise, run)?;
        let scale = table.scale;
        Ok(Gaussian {
            mean: center.iter().zip(&table.offset).map(|(center, offset)| center + offset / scale).collect(),
            loadings: loadings.mapv(|w| w / scale),
            noise: self.noise.iter().map(|noise| noise / scale / scale).collect(),
        })
    }
}

/// The same model with factors that are uncorrelated given a row: `W' N^-1 W` diagonal and descending, the largest
/// entry of each column of `W` positive.
pub(crate) fn principal_axes(loadings: Array2<f64>, noise: &[f64], run: &Run) -> Result<Array2<f64>> {
    let (d, k) = loadings.dim();
    let least = noise.iter().fold(f64::INFINITY, |least, noise| least.min(*noise));
    let weight = |j: usize| if least > 0.0 { least / noise[j] } else { 1.0 };
    let scaled = Array2::from_shape_fn((d, k), |(j, a)| loadings[(j, a)] * weight(j));
    let (_, vectors) = eigen_of_small(&loadings.t().dot(&scaled), run)?;
    let mut rotated = loadings.dot(&vectors);
    fix_columns(&mut rotated);
    Ok(rotated)
}
