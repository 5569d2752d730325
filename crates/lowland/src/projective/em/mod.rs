//! Expectation maximization for the latent Gaussian model, with any cells missing: probabilistic PCA where the noise
//! is the same in all columns, factor analysis where it is not. A round costs as many operations as the data have
//! cells times the factors, plus the square of the factors for each missing cell.

mod table;

use super::Gaussian;
use super::gaussian::{cholesky, eigen_of_small};
use lowland_base::{Result, Run, Scalar};
use ndarray::{Array2, ArrayView2};
use table::{Sums, Table, solve};

/// What is asked for.
pub(crate) struct Request {
    pub factors: usize,
    /// Whether all columns have the same noise.
    pub isotropic: bool,
    /// The fit ends when a round adds less than this to the mean log-likelihood of a row.
    pub tolerance: f64,
    pub rounds: usize,
}

/// What was found.
pub(crate) struct Fitted {
    pub density: Gaussian,
    /// The mean log-likelihood of a row before each round, and after the last.
    pub history: Vec<f64>,
    /// What the last round added.
    pub change: f64,
    pub converged: bool,
}

/// The least noise of a column of its own, relative to its variance: a column that its factors explain in full (Heywood's
/// case) would make the density infinite.
pub(crate) const LEAST_OWN_NOISE: f64 = 1e-8;
/// The least noise of all columns together, relative to their variance.
const LEAST_NOISE: f64 = 1e-12;

/// By how much the steps are lengthened each time.
const GROWTH: f64 = 1.3;

/// The parameters, in the units of the table; the mean is the step from the table's zero.
#[derive(Clone)]
struct State {
    mean: Vec<f64>,
    loadings: Vec<f64>,
    noise: Vec<f64>,
}

/// Fits the model to rows in which NaN is missing.
pub(crate) fn fit<T: Scalar>(
    x: ArrayView2<'_, T>,
    start: impl FnOnce(ArrayView2<'_, f64>) -> Result<(Array2<f64>, f64)>,
    request: &Request,
    run: &Run,
) -> Result<Fitted> {
    let (mut table, center) = Table::new(x, run)?;
    let (d, k) = (table.d, request.factors);
    // The start works on the table with missing cells at their means.
    let filled = ArrayView2::from_shape((table.n, d), &table.values);
    let (loadings, noise) = match filled {
        Ok(filled) => start(filled)?,
        Err(_) => (Array2::zeros((d, k)), 1.0),
    };
    let floors = table.floors(request.isotropic);
    let mut state = State {
        mean: vec![0.0; d],
        loadings: loadings.iter().copied().collect(),
        noise: floors.iter().map(|&floor| noise.max(floor)).collect(),
    };
    let stage = run.stage("expectation maximization", Some(request.rounds as u64));
    let (mut history, mut change, mut converged): (Vec<f64>, f64, bool) = (Vec::new(), f64::INFINITY, false);
    let cells = table.seen.iter().sum::<usize>() as f64 / table.n as f64;
    // Steps longer than the round's own, as long as the likelihood rises (Salakhutdinov and Roweis 2003); where it does
    // not, back to where the round alone would have led.
    let (mut stretch, mut plain): (f64, Option<State>) = (1.0, None);
    for round in 0..=request.rounds {
        let sums = table.sums(&state, k, run)?;
        let mean = sums.log_likelihood / table.n as f64 + cells * table.scale.ln();
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
        if converged || round == request.rounds {
            break;
        }
        let before = state.clone();
        state.maximize(&table, &sums, k, request.isotropic, &floors);
        if history.len() > 3 {
            stretch *= GROWTH;
            plain = Some(state.clone());
            state.stretch(&before, stretch, &floors);
        }
        table.move_to(&mut state, run)?;
        stage.advance(1)?;
    }
    Ok(Fitted { density: state.finished(&table, &center, k, run)?, history, change, converged })
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

    /// The parameters that the sums make most likely: each column is a regression on the factors and a constant.
    fn maximize(&mut self, table: &Table, sums: &Sums, k: usize, isotropic: bool, floors: &[f64]) {
        let width = k + 1;
        let packed = width * (width + 1) / 2;
        let (mut rest, mut cells) = (0.0, 0.0);
        let mut factor = vec![0.0; width * width];
        let unpack = |moments: &mut dyn FnMut(usize) -> f64, factor: &mut [f64]| {
            for a in 0..width {
                for b in 0..=a {
                    factor[a * width + b] = moments(a * (a + 1) / 2 + b);
                }
            }
        };
        for j in 0..table.d {
            let incomplete = table.seen[j] < table.n;
            if j == 0 || incomplete || table.seen[j - 1] < table.n {
                let own = if incomplete { &sums.of_column[j * packed..][..packed] } else { &[][..] };
                match (incomplete, table.by_seen(j)) {
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
            self.noise[j] = (left / table.seen[j].max(1) as f64).max(floors[j]);
            rest += left;
            cells += table.seen[j] as f64;
        }
        if isotropic {
            self.noise.fill((rest / cells).max(floors[0]));
        }
        self.absorb(&sums.moments, k, &mut factor);
    }

    /// The factors of the rows have drifted from mean 0 and covariance 1: what they have instead goes into the mean and
    /// the loadings, which changes nothing about the likelihood of the model that allows it, and takes the step that
    /// plain rounds crawl towards (parameter-expanded EM: Liu, Rubin and Wu 1998).
    fn absorb(&mut self, moments: &[f64], k: usize, factor: &mut [f64]) {
        let at = |a: usize, b: usize| moments[a * (a + 1) / 2 + b];
        let rows = at(k, k);
        let mean: Vec<f64> = (0..k).map(|a| at(k, a) / rows).collect();
        let factor = &mut factor[..k * k];
        for a in 0..k {
            for b in 0..=a {
                factor[a * k + b] = at(a, b) / rows - mean[a] * mean[b];
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

    /// In the units of the data, the factors turned to their principal axes.
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
    let mut turned = loadings.dot(&vectors);
    fix_signs(&mut turned);
    Ok(turned)
}

/// Turns each column so that its entry of largest magnitude is positive.
pub(crate) fn fix_signs(columns: &mut Array2<f64>) {
    for mut column in columns.columns_mut() {
        let leading = column.iter().fold(0.0f64, |most, &x| if x.abs() > most.abs() { x } else { most });
        if leading < 0.0 {
            column.mapv_inplace(|x| -x);
        }
    }
}
