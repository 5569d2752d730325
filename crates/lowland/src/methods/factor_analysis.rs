//! Factor analysis (Spearman 1904, Jöreskog 1967; Burges 1.2): a few common factors, and noise of its own in every
//! column.
//!
//! points -> covariance -> quasi-Newton | scaled eigenvectors | expectation maximization -> rotation -> posterior means

use super::{at_least, at_most, covariance_bytes};
use crate::matrix::{Element, faer_view, to_array};
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
use crate::projective::lbfgs::{self, Stop};
use crate::projective::{Form, Gaussian, LinearModel, Map, Part, em};
use crate::{AnyInput, Shape, choices, parameters};
use faer::Mat;
use lowland_base::{Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::rows::{Center, Rows, centering};
use lowland_linalg::{Request, Which, eigen, gram};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

/// Factor analysis in the registry.
pub static FACTOR_ANALYSIS: Entry = Entry {
    name: "factor-analysis",
    aliases: &["fa", "factors"],
    title: "Factor analysis",
    summary: "A few factors that explain how the columns vary together, with noise of its own in each column: it does \
              not care for the columns' units, takes missing values, and can turn the factors to a simple pattern.",
    citation: "K. G. Jöreskog, Some contributions to maximum likelihood factor analysis, 1967; D. Barber, Bayesian \
               reasoning and machine learning, algorithm 21.1, 2012",
    capabilities: Capabilities { inverse: true, density: true, missing: true, ..Capabilities::PLAIN },
    ..Entry::of::<FactorAnalysis>()
};

const PARTS: &[Part] = &[
    ("components", "The loadings, one factor a row.", Form::Matrix),
    ("noise_variance", "The variance of the noise in each column.", Form::Vector),
    ("mean", "The mean of each column in the model.", Form::Vector),
    ("loglike", "The mean log-likelihood of a row, step by step.", Form::Vector),
    ("n_iter", "The steps taken.", Form::Count),
];

choices! {
    /// How the likelihood is maximized.
    pub enum FactorAlgorithm {
        /// The fastest for complete data, and expectation maximization where values are missing.
        Auto = "auto",
        /// A quasi-Newton search for the noise; the loadings follow from it (Jöreskog).
        Newton = "newton" | "quasi-newton",
        /// The noise and the leading singular vectors of the scaled data in turn, as scikit-learn does.
        Svd = "svd" | "lapack",
        /// Expectation maximization: its cost grows with the columns, and not with their square.
        Em = "em",
    }
}

choices! {
    /// To what the factors are turned.
    pub enum Rotation {
        /// Their principal axes.
        None = "none",
        /// Few large loadings in each factor (Kaiser 1958).
        Varimax = "varimax",
        /// Few large loadings in each column of the data.
        Quartimax = "quartimax",
    }
}

parameters! {
    /// Factor analysis: the parameters.
    pub struct FactorAnalysis {
        /// How many factors, at most the number of columns; `auto` takes as many as the columns can determine.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How the likelihood is maximized.
        algorithm: FactorAlgorithm = FactorAlgorithm::Auto;
        /// To what the factors are turned: the likelihood is the same.
        rotation: Rotation = Rotation::None;
        /// For `svd` and `em`: the fit ends when a step adds less than this to the mean log-likelihood of a row. The
        /// quasi-Newton search goes on until the likelihood is flat.
        tol: f64 = 1e-8, in Kind::Real { min: 0.0, max: 1.0, open: false };
        /// The most steps that the search takes.
        max_iter: usize = 2000, in Kind::Integer { min: 1, max: 1_000_000 };
    }
}

/// The least noise of a column, relative to its variance.
const FLOOR: f64 = em::LEAST_OWN_NOISE;

impl FactorAnalysis {
    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(input, x => self.map(x, run))?;
        LinearModel::new(&FACTOR_ANALYSIS, PARTS, self.settings(), map).embedded(input, run)
    }

    /// As many factors as the covariances of `d` columns can determine (Ledermann's bound).
    fn count(&self, d: usize) -> usize {
        let d = d as f64;
        self.n_components.unwrap_or((((2.0 * d + 1.0 - (8.0 * d + 1.0).sqrt()) / 2.0) as usize).max(1))
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Map> {
        let (n, d) = x.dim();
        let k = self.count(d);
        let incomplete = x.iter().any(|value| value.is_nan());
        let (mut density, history, last) = if incomplete || self.algorithm == FactorAlgorithm::Em {
            let start = |filled: ArrayView2<'_, f64>| {
                let columns = Columns::new(filled, run)?;
                let noise = vec![0.5; columns.d()];
                Ok((columns.in_units(&columns.loadings(&noise, k, run)?.0), 0.5 * columns.mean_variance()))
            };
            let request =
                em::Request { factors: k, isotropic: false, tolerance: self.tol, rounds: self.max_iter };
            let fitted = em::fit(x, start, &request, run)?;
            let last = if fitted.converged { 0.0 } else { fitted.change };
            (fitted.density, fitted.history, last)
        } else {
            let columns = Columns::new(x, run)?;
            let stage = run.stage("likelihood", Some(self.max_iter as u64));
            let (noise, history) = if self.algorithm == FactorAlgorithm::Svd {
                self.in_turn(&columns, k, &stage, run)?
            } else {
                self.by_newton(&columns, k, &stage, run)?
            };
            drop(stage);
            let loadings = columns.in_units(&columns.loadings(&noise, k, run)?.0);
            let noise: Vec<f64> = noise.iter().zip(&columns.variances).map(|(noise, v)| noise * v).collect();
            let loadings = em::principal_axes(loadings, &columns.at_least(&noise), run)?;
            let last = match history[..] {
                [.., before, after] if history.len() > self.max_iter => after - before,
                _ => 0.0,
            };
            (Gaussian { mean: columns.mean, loadings, noise }, history, last)
        };
        let used = used(&density);
        density.loadings.slice_mut(s![.., used..]).fill(0.0);
        let turned = rotated(density.loadings.slice(s![.., ..used]).to_owned(), self.rotation, run)?;
        density.loadings.slice_mut(s![.., ..used]).assign(&turned);
        let (forward, backward) = density.maps(run)?;
        let mut warnings = Vec::new();
        if used < k {
            let reason = format!("{used} factors explain how the columns vary together; ask for no more");
            warnings.push(Warning::ZeroComponents { asked: k, zero: k - used, reason });
        }
        if last > self.tol {
            warnings.push(Warning::NotConverged {
                what: "the likelihood".into(),
                steps: self.max_iter,
                change: last,
                tolerance: self.tol,
            });
        }
        let value = history.last().copied().unwrap_or(0.0);
        let objective = vec![
            Quantity { name: "mean log-likelihood".into(), value },
            Quantity { name: "log-likelihood".into(), value: value * n as f64 },
        ];
        let found = vec![
            density.loadings.t().to_owned().into(),
            Array1::from(density.noise.clone()).into(),
            Array1::from(density.mean.clone()).into(),
            Array1::from(history.clone()).into(),
            (history.len() - 1).max(1).into(),
        ];
        Ok(Map {
            center: density.mean.clone(),
            forward,
            backward: Some(backward),
            density: Some(density),
            found,
            report: Report { objective, warnings, ..Report::default() },
        })
    }

    /// The noise and the loadings in turn: Barber's algorithm 21.1. Each step raises the likelihood.
    fn in_turn(
        &self,
        columns: &Columns,
        k: usize,
        stage: &lowland_base::Stage<'_>,
        run: &Run,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let mut noise = vec![1.0; columns.d()];
        let (mut loadings, mut value) = columns.loadings(&noise, k, run)?;
        let mut history = vec![value];
        for _ in 0..self.max_iter {
            stage.advance(1)?;
            for (j, noise) in noise.iter_mut().enumerate() {
                let row = loadings.row(j);
                *noise = (1.0 - row.dot(&row)).max(FLOOR);
            }
            let last = value;
            (loadings, value) = columns.loadings(&noise, k, run)?;
            history.push(value);
            if value - last < self.tol {
                break;
            }
        }
        Ok((noise, history))
    }

    /// A quasi-Newton search over the logarithms of the noise, the loadings being the best for each.
    fn by_newton(
        &self,
        columns: &Columns,
        k: usize,
        stage: &lowland_base::Stage<'_>,
        run: &Run,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let floor = FLOOR.ln();
        let noise_at = |point: &[f64]| point.iter().map(|p| p.max(floor).exp()).collect::<Vec<f64>>();
        let mut f = |point: &[f64], gradient: &mut [f64]| {
            stage.advance(1)?;
            let noise = noise_at(point);
            let (loadings, value) = columns.loadings(&noise, k, run)?;
            for (j, gradient) in gradient.iter_mut().enumerate() {
                let row = loadings.row(j);
                // d(-value)/d(ln noise) = (fitted - actual variance) / (2 noise): the loadings are at their best.
                let slope = (row.dot(&row) + noise[j] - 1.0) / (2.0 * noise[j]);
                *gradient = if point[j] <= floor && slope > 0.0 { 0.0 } else { slope };
            }
            Ok(-value)
        };
        // A few steps in turn lead near enough.
        let start = Self { max_iter: 5, ..self.clone() }.in_turn(columns, k, stage, run)?;
        let stop = Stop { gradient: 1e-10, gain: 0.0, steps: self.max_iter };
        let mut found = lbfgs::minimize(start.0.iter().map(|noise| noise.ln()).collect(), stop, &mut f)?;
        let mut history = start.1;
        history.extend(found.history[1..].iter().map(|value| -value));
        // On the logarithmic scale all is flat where there is next to no noise: a step too long into it finds no way
        // back. The steps in turn make none so long; from where they lead higher, the search goes on.
        if found.point.iter().any(|p| p.exp() < BARE) {
            let (noise, slow) = self.in_turn(columns, k, stage, run)?;
            if slow.last().is_some_and(|&value| value > -found.value) {
                found = lbfgs::minimize(noise.iter().map(|noise| noise.ln()).collect(), stop, &mut f)?;
                let reached = slow.into_iter().chain(found.history.iter().map(|value| -value));
                for value in reached {
                    if value > history[history.len() - 1] {
                        history.push(value);
                    }
                }
            }
        }
        Ok((noise_at(&found.point), history))
    }
}

/// Noise, as a share of a column's variance, that counts as none.
const BARE: f64 = 1e-4;

/// What the likelihood needs of complete data: the correlation of the columns.
struct Columns {
    correlation: Mat<f64>,
    mean: Vec<f64>,
    /// Divisor n; 1 in place of 0.
    variances: Vec<f64>,
    /// What the columns' own units add to the log-likelihood of a row.
    constant: f64,
}

impl Columns {
    fn new<T: Element>(x: ArrayView2<'_, T>, run: &Run) -> Result<Self> {
        let stage = run.stage("covariance", None);
        let x = faer_view(x);
        let c = centering(x, run)?;
        let scatter = gram(Rows { x, center: Center::Columns(&c.mean), scale: c.scale }, run)?;
        drop(stage);
        let (n, d) = (x.nrows() as f64, x.ncols());
        let spread: Vec<f64> = (0..d).map(|j| scatter[(j, j)].sqrt()).collect();
        let safe = |j: usize| if spread[j] > 0.0 { spread[j] } else { 1.0 };
        let entry =
            |i, j| if i == j { f64::from(spread[j] > 0.0) } else { scatter[(i, j)] / safe(i) / safe(j) };
        let largest = spread.iter().fold(0.0f64, |most, s| most.max(*s));
        // A constant column has a variance far below all others, so that its density stays finite.
        let own = |j: usize| if spread[j] > 0.0 { spread[j] } else { 1e-8 * largest.max(f64::MIN_POSITIVE) };
        let deviations: Vec<f64> = (0..d).map(|j| own(j) / n.sqrt() / c.scale).collect();
        let constant = -deviations.iter().map(|s| s.ln()).sum::<f64>();
        let variances = deviations.iter().map(|s| s * s).collect();
        Ok(Self { correlation: Mat::from_fn(d, d, entry), mean: c.mean, variances, constant })
    }

    fn d(&self) -> usize {
        self.mean.len()
    }

    fn mean_variance(&self) -> f64 {
        self.variances.iter().sum::<f64>() / self.d() as f64
    }

    fn at_least(&self, noise: &[f64]) -> Vec<f64> {
        noise.iter().zip(&self.variances).map(|(noise, v)| noise.max(FLOOR * v)).collect()
    }

    fn in_units(&self, loadings: &Array2<f64>) -> Array2<f64> {
        Array2::from_shape_fn(loadings.dim(), |(j, a)| loadings[(j, a)] * self.variances[j].sqrt())
    }

    /// The best loadings for this noise (both in units of the columns' deviations), and the mean log-likelihood of a
    /// row with them: with the eigenpairs `(l, u)` of the scaled correlation, `W = N^1/2 u (l - 1)^1/2`, and
    /// `-2 value = d ln 2 pi + ln |N| + sum over the kept of (ln l + 1) + sum of the other l`.
    fn loadings(&self, noise: &[f64], k: usize, run: &Run) -> Result<(Array2<f64>, f64)> {
        let d = self.d();
        let root: Vec<f64> = noise.iter().map(|noise| noise.sqrt()).collect();
        let scaled = Mat::from_fn(d, d, |i, j| self.correlation[(i, j)] / root[i] / root[j]);
        let pairs = eigen::solve(&Dense::new(scaled.as_ref())?, &Request::new(k, Which::Largest), run)?;
        let trace: f64 = (0..d).map(|j| scaled[(j, j)]).sum();
        let vectors: Array2<f64> = to_array(pairs.vectors.as_ref());
        let mut rest = trace;
        let mut kept = 0.0;
        for &value in &pairs.values {
            rest -= value;
            kept += if value > 1.0 { value.ln() + 1.0 } else { value };
        }
        let logs: f64 = noise.iter().map(|noise| noise.ln()).sum();
        let value =
            -0.5 * (d as f64 * (2.0 * std::f64::consts::PI).ln() + logs + kept + rest) + self.constant;
        let loadings = Array2::from_shape_fn((d, k), |(j, a)| {
            root[j] * vectors[(j, a)] * (pairs.values[a] - 1.0).max(0.0).sqrt()
        });
        Ok((loadings, value))
    }
}

/// How many of the factors, which are sorted, explain anything: more than 1e-8 of the variance of the columns.
fn used(density: &Gaussian) -> usize {
    let squares = density.loadings.mapv(|w| w * w);
    let variances = squares.sum_axis(Axis(1)) + &Array1::from(density.noise.clone());
    let share = |of: ArrayView1<'_, f64>| {
        let parts = of.iter().zip(&variances).map(|(square, v)| if *v > 0.0 { square / v } else { 0.0 });
        parts.sum::<f64>() / variances.len() as f64
    };
    squares.columns().into_iter().rposition(|of| share(of) > 1e-8).map_or(0, |last| last + 1)
}

/// Turns the factors so that the squares of the loadings vary most: within factors for varimax, within columns for
/// quartimax. By singular vectors, a step at a time (Kaiser's criterion as scikit-learn iterates it).
fn rotated(loadings: Array2<f64>, rotation: Rotation, run: &Run) -> Result<Array2<f64>> {
    let (d, k) = loadings.dim();
    let size = loadings.iter().fold(0.0f64, |most, w| most.max(w.abs()));
    if rotation == Rotation::None || k < 2 || size == 0.0 {
        return Ok(loadings);
    }
    let unit = &loadings / size;
    let mut turn: Array2<f64> = Array2::eye(k);
    let mut last = 0.0;
    for _ in 0..1000 {
        run.check()?;
        let now = unit.dot(&turn);
        let means: Vec<f64> = now.columns().into_iter().map(|w| w.dot(&w) / d as f64).collect();
        let pull = Array2::from_shape_fn((d, k), |(j, a)| {
            let w = now[(j, a)];
            w * (w * w - if rotation == Rotation::Varimax { means[a] } else { 0.0 })
        });
        let target = unit.t().dot(&pull);
        let svd = lowland_linalg::svd::thin(faer_view(target.view()), run)?;
        let (left, right): (Array2<f64>, Array2<f64>) =
            (to_array(svd.left.as_ref()), to_array(svd.right.as_ref()));
        turn = left.dot(&right.t());
        let sum: f64 = svd.values.iter().sum();
        if sum <= last * (1.0 + 1e-12) {
            break;
        }
        last = sum;
    }
    let mut turned = loadings.dot(&turn);
    em::fix_signs(&mut turned);
    Ok(turned)
}

impl Fit for FactorAnalysis {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &FACTOR_ANALYSIS;

    fn check(&self, shape: &Shape) -> Result<()> {
        at_least(shape.rows, 2, "the covariances that factor analysis explains")?;
        at_most(self.n_components, shape.columns, "the number of columns")
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.count(shape.columns) as f64);
        let rounds = 8.0 * (n * d + 4.0 * d * (k + 1.0) * (k + 2.0));
        let steps = 50.0 * (9.0 * d * d * d).min(40.0 * d * d * (k + 20.0));
        Forecast {
            bytes: (covariance_bytes(shape).max(rounds) + 8.0 * (4.0 * d * k + n * k)) as u64,
            flops: n * d * d + steps + 2.0 * n * d * k,
            remedy: "select fewer columns first, or use ppca".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        self.solve(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&FACTOR_ANALYSIS, PARTS, self.settings(), archive)
    }
}
