//! Probabilistic principal component analysis (Tipping and Bishop 1999; Burges 1.2): a Gaussian with a low-rank
//! part and the same noise in all directions.
//!
//! points -> spectrum -> closed form | expectation maximization (large or incomplete data) -> posterior means

use super::{at_least, at_most};
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::methods::Pca;
use crate::model::{Archive, Quantity, Report, Warning};
use crate::parameters::{Components, Described, Field, Kind, Value};
use crate::projective::{Form, Gaussian, LinearModel, Map, Part, em, minka, spectrum::Spectrum};
use crate::{AnyInput, Shape, choices, parameters};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView2};
use std::collections::BTreeMap;

/// Probabilistic principal component analysis in the registry.
pub static PPCA: Entry = Entry {
    name: "ppca",
    aliases: &["probabilistic-pca", "probabilistic-principal-component-analysis", "sensible-pca"],
    title: "Probabilistic principal component analysis",
    summary: "Principal components as a probability model: it takes missing values, fills them in, tells how likely \
              new points are, draws samples, and can choose the number of components by Bayesian evidence.",
    citation: "M. E. Tipping, C. M. Bishop, Probabilistic principal component analysis, 1999; C. M. Bishop, Bayesian \
               PCA, 1999",
    capabilities: Capabilities { inverse: true, density: true, missing: true, ..Capabilities::PLAIN },
    ..Entry::of::<Ppca>()
};

const PARTS: &[Part] = &[
    ("components", "The principal directions, one unit row each, by descending variance.", Form::Matrix),
    ("loadings", "The matrix W: columns of the data by factors.", Form::Matrix),
    ("explained_variance", "The variance (divisor n) of the model along each direction.", Form::Vector),
    ("mean", "The mean of the model.", Form::Vector),
    ("noise_variance", "The variance of the noise in every direction.", Form::Number),
    ("log_likelihoods", "The mean log-likelihood of a row, round by round.", Form::Vector),
    ("n_iter", "The rounds of expectation maximization; 1 for the closed form.", Form::Count),
];

/// How many components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dimension {
    /// As many as leave some noise: one less than the smaller of rows and columns.
    #[default]
    Auto,
    /// This many.
    Count(usize),
    /// By Minka's approximation of the evidence (2000).
    Minka,
    /// By Bishop's automatic relevance determination (1999).
    Relevance,
}

impl Field for Dimension {
    fn kind() -> Kind {
        let options = vec![
            ("mle", "the largest evidence, by Minka's approximation"),
            (
                "ard",
                "Bishop's automatic relevance determination: directions that the prior prunes are left out",
            ),
        ];
        let count = Kind::Integer { min: 1, max: i64::MAX };
        Kind::AnyOf { kinds: vec![Kind::Auto, count, Kind::Choice { options }] }
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Auto => Some(Self::Auto),
            Value::Integer(count) => usize::try_from(*count).ok().map(Self::Count),
            Value::Text(word) if word == "mle" => Some(Self::Minka),
            Value::Text(word) if word == "ard" => Some(Self::Relevance),
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Auto => Value::Auto,
            Self::Count(count) => Value::Integer(i64::try_from(*count).unwrap_or(i64::MAX)),
            Self::Minka => Value::Text("mle".into()),
            Self::Relevance => Value::Text("ard".into()),
        }
    }
}

choices! {
    /// How the model is found.
    pub enum PpcaAlgorithm {
        /// The closed form, and expectation maximization where values are missing.
        Auto = "auto",
        /// From the spectrum of the covariance (Burges eqs. 1.8 and 1.9).
        Closed = "closed" | "closed_form" | "svd",
        /// Expectation maximization: its cost grows with the columns, and not with their square.
        Em = "em",
    }
}

parameters! {
    /// Probabilistic principal component analysis: the parameters.
    pub struct Ppca {
        /// How many components: a count (at most the smaller of rows and columns), `mle` or `ard` to choose it by
        /// Bayesian evidence, or `auto`: as many as leave some noise or, where values are missing, as the evidence says.
        /// Of expectation maximization the evidence is taken to its leading order, whichever the word.
        n_components: Dimension = Dimension::Auto;
        /// How the model is found.
        algorithm: PpcaAlgorithm = PpcaAlgorithm::Auto;
        /// For expectation maximization: the fit ends when a round adds less to the mean log-likelihood of a row.
        tol: f64 = 1e-8, in Kind::Real { min: 0.0, max: 1.0, open: false };
        /// For expectation maximization: the most rounds.
        max_iter: usize = 2000, in Kind::Integer { min: 1, max: 1_000_000 };
    }
}

impl Ppca {
    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(input, x => self.map(x, run))?;
        LinearModel::new(&PPCA, PARTS, self.settings(), map).embedded(input, run)
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Map> {
        let incomplete = x.iter().any(|value| value.is_nan());
        if incomplete || self.algorithm == PpcaAlgorithm::Em {
            return self.by_rounds(x, incomplete, run);
        }
        let (n, d) = x.dim();
        let count = match self.n_components {
            Dimension::Count(count) => Components::Count(count),
            Dimension::Auto => Components::Count(default_count(n, d)),
            Dimension::Minka | Dimension::Relevance => Components::All,
        };
        let spectrum = Pca { n_components: count, ..Pca::default() }.spectrum(x, run)?;
        let dimension = match self.n_components {
            Dimension::Auto => Dimension::Count(default_count(n, d)),
            given => given,
        };
        let (density, likelihood) = closed_form(&spectrum, dimension);
        self.finished(density, vec![likelihood], None, run)
    }

    fn by_rounds<T: Element>(&self, x: ArrayView2<'_, T>, incomplete: bool, run: &Run) -> Result<Map> {
        let (n, d) = x.dim();
        let fitted = match self.n_components {
            Dimension::Count(count) => self.rounds(x, count, run)?,
            Dimension::Auto if !incomplete => self.rounds(x, default_count(n, d), run)?,
            _ => self.rounds(x, self.best_of_rounds(x, run)?, run)?,
        };
        let warning = (!fitted.converged).then(|| Warning::NotConverged {
            what: "expectation maximization".into(),
            steps: self.max_iter,
            change: fitted.change,
            tolerance: self.tol,
        });
        self.finished(fitted.density, fitted.history, warning, run)
    }

    /// The number of factors with the largest evidence, to the leading order (Schwarz 1978): the likelihood, less half the logarithm
    /// of the rows for every number that the model has. That is concave in the factors: each next direction explains
    /// less, and costs as much.
    fn best_of_rounds<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<usize> {
        let (n, d) = x.dim();
        let rough = Self { tol: self.tol.max(ROUGH.0), max_iter: self.max_iter.min(ROUGH.1), ..self.clone() };
        let mut tried: BTreeMap<usize, f64> = BTreeMap::new();
        let mut evidence = |k: usize| -> Result<f64> {
            if let Some(known) = tried.get(&k) {
                return Ok(*known);
            }
            let fitted = rough.rounds(x, k, run)?;
            let likelihood = fitted.history.last().copied().unwrap_or(f64::NEG_INFINITY) * n as f64;
            let numbers = (d * k - k * (k - 1) / 2 + d + 1) as f64;
            let value = likelihood - 0.5 * numbers * (n as f64).ln();
            tried.insert(k, value);
            Ok(value)
        };
        let (mut low, mut high) = (1, default_count(n, d));
        let mut at = 1;
        while at < high {
            let next = (2 * at).min(high);
            if evidence(next)? <= evidence(at)? {
                high = next;
                break;
            }
            (low, at) = (at, next);
        }
        while high - low > 2 {
            let (a, b) = (low + (high - low) / 3, high - (high - low) / 3);
            if evidence(a)? < evidence(b)? { low = a } else { high = b }
        }
        for k in low..=high {
            evidence(k)?;
        }
        let best = tried.into_iter().reduce(|best, other| if other.1 > best.1 { other } else { best });
        Ok(best.map_or(1, |best| best.0))
    }

    fn rounds<T: Element>(&self, x: ArrayView2<'_, T>, factors: usize, run: &Run) -> Result<em::Fitted> {
        let start = |filled: ArrayView2<'_, f64>| {
            let rank = factors.min(filled.nrows().saturating_sub(1)).max(1).min(filled.ncols());
            let spectrum =
                Pca { n_components: Components::Count(rank), ..Pca::default() }.spectrum(filled, run)?;
            let (density, _) = closed_form(&spectrum, Dimension::Count(rank));
            let mut loadings = Array2::zeros((filled.ncols(), factors));
            loadings.slice_mut(ndarray::s![.., ..rank]).assign(&density.loadings);
            // Of the size of the data, so that no direction starts shut.
            let size = spectrum.total / filled.ncols() as f64;
            Ok((loadings, density.noise[0].max(1e-3 * size)))
        };
        let request = em::Request { factors, isotropic: true, tolerance: self.tol, rounds: self.max_iter };
        em::fit(x, start, &request, run)
    }

    fn finished(
        &self,
        density: Gaussian,
        history: Vec<f64>,
        warning: Option<Warning>,
        run: &Run,
    ) -> Result<Map> {
        let (forward, backward) = density.maps(run)?;
        let noise = density.noise.first().copied().unwrap_or(0.0);
        let squares: Vec<f64> = density.loadings.columns().into_iter().map(|w| w.dot(&w)).collect();
        let mut components = density.loadings.t().to_owned();
        for (mut row, square) in components.rows_mut().into_iter().zip(&squares) {
            let length = square.sqrt();
            row.mapv_inplace(|w| if length > 0.0 { w / length } else { 0.0 });
        }
        let rank = squares.iter().filter(|&&square| square > 0.0).count();
        let mut warnings: Vec<Warning> = warning.into_iter().collect();
        if rank < squares.len() {
            warnings.push(Warning::RankDeficient { asked: squares.len(), rank, remedy: String::new() });
        }
        let likelihood = history.last().copied().unwrap_or(0.0);
        let objective = vec![
            Quantity { name: "mean log-likelihood".into(), value: likelihood },
            Quantity { name: "noise variance".into(), value: noise },
        ];
        let found = vec![
            components.into(),
            density.loadings.clone().into(),
            squares.iter().map(|square| square + noise).collect::<Array1<f64>>().into(),
            Array1::from(density.mean.clone()).into(),
            noise.into(),
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
}

/// The tolerance and the rounds of fits that are only compared: another factor costs `d ln(n) / 2n` of the mean
/// likelihood, and one too many settles slowly.
const ROUGH: (f64, usize) = (1e-4, 60);

/// One less than the smaller of rows and columns, so that some noise is left; but at least one.
fn default_count(n: usize, d: usize) -> usize {
    n.min(d).saturating_sub(1).max(1)
}

/// `W = U (L - s2)^1/2` and `s2` the mean of the variances left out (Burges eqs. 1.8 and 1.9, with divisor n), and
/// the mean log-likelihood of a row.
fn closed_form(spectrum: &Spectrum, dimension: Dimension) -> (Gaussian, f64) {
    let (n, d) = (spectrum.rows as f64, spectrum.mean.len());
    let sound = spectrum.variances.iter().take_while(|&&v| v > spectrum.resolution && v > 0.0).count();
    let ml = |v: f64| v * (n - 1.0) / n;
    let variances: Vec<f64> =
        spectrum.variances.iter().enumerate().map(|(j, &v)| if j < sound { ml(v) } else { 0.0 }).collect();
    let total = ml(spectrum.total);
    let rest = |k: usize| (total - variances[..k].iter().sum::<f64>()).max(0.0);
    let noise_of = |k: usize| {
        let rest = rest(k);
        // A rest within rounding of the total is none.
        if k >= d || rest <= f64::EPSILON * d as f64 * total { 0.0 } else { rest / (d - k) as f64 }
    };
    let most = variances.len();
    let k = match dimension {
        Dimension::Count(count) => count.min(most),
        Dimension::Auto => most,
        Dimension::Minka => minka::rank(&spectrum.variances, spectrum.rows, sound).min(most),
        Dimension::Relevance => relevance(&variances, noise_of, n, d),
    };
    let noise = noise_of(k);
    let loadings = Array2::from_shape_fn((d, k), |(i, j)| {
        spectrum.directions[(i, j)] * (variances[j] - noise).max(0.0).sqrt()
    });
    let kept: f64 = variances[..k].iter().map(|v| v.max(f64::MIN_POSITIVE).ln()).sum();
    let left = if noise > 0.0 { (d - k) as f64 * noise.ln() } else { 0.0 };
    let likelihood = -0.5 * (d as f64 * (2.0 * std::f64::consts::PI).ln() + kept + left + d as f64);
    (Gaussian { mean: spectrum.mean.clone(), loadings, noise: vec![noise; d] }, likelihood)
}

/// The number of directions that Bishop's prior leaves. A direction with variance `l` has a weight `a = |w|^2`, and the
/// prior's precision is `d / a`: `n a (l - a - s2) = d (a + s2)^2` has a root only for
/// `l >= s2 (sqrt(d/n) + sqrt(1 + d/n))^2`. Directions are taken one after the other as long as the next one passes, with
/// the noise that it and all after it would make.
fn relevance(variances: &[f64], noise_of: impl Fn(usize) -> f64, n: f64, d: usize) -> usize {
    let ratio = d as f64 / n;
    let edge = (ratio.sqrt() + (1.0 + ratio).sqrt()).powi(2);
    let most = variances.len().min(d - 1);
    let passes = |&k: &usize| variances[k] > edge * noise_of(k);
    (0..most).take_while(passes).count().max(1)
}

impl Fit for Ppca {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &PPCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that ppca looks for")?;
        let count = if let Dimension::Count(count) = self.n_components { Some(count) } else { None };
        at_most(count, n.min(d), &format!("the smaller of {n} rows and {d} columns"))?;
        if self.n_components == Dimension::Minka && n < d {
            let bound = format!("Minka's rule needs at least as many rows ({n}) as columns ({d})");
            return Err(Error::parameter("n_components", "mle", bound, "give a count, or choose ard"));
        }
        Ok(())
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = match self.n_components {
            Dimension::Count(count) => count as f64,
            _ => n.min(d),
        };
        let pca = Pca { n_components: Components::Count(k as usize), ..Pca::default() }.forecast(shape);
        // Whether values are missing is not known yet: the rounds hold a copy of the data and sums for each cell.
        let rounds = 8.0 * (n * d + 4.0 * d * (k + 1.0) * (k + 2.0)) + 4.0 * n;
        Forecast {
            bytes: pca.bytes.max(rounds as u64) + (8.0 * (4.0 * d * k + n * k)) as u64,
            flops: pca.flops + 10.0 * n * d * k,
            remedy: "ask for fewer components, or select fewer columns first".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        self.solve(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&PPCA, PARTS, self.settings(), archive)
    }
}
