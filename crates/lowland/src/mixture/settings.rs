//! What all methods over a mixture have in common: parameters, bounds, forecast, and the choice of sizes.

use super::fit::{Fitted, Request, Rows, Tails};
use super::select;
use super::start::Start;
use crate::method::Forecast;
use crate::model::{Quantity, Report, Warning};
use crate::parameters::{Field, Kind, Value};
use crate::{Shape, choices};
use lowland_base::{Error, Result, Run, units};
use ndarray::Array2;

choices! {
    /// The tails of an analyzer's density.
    pub enum Density {
        /// Gaussian: a row far away counts in full.
        Gaussian = "gaussian" | "normal",
        /// Student's t: rows far away count little (the robust mixture of Maaten 7.3).
        Student = "student-t" | "student" | "t",
    }
}

choices! {
    /// The noise of an analyzer.
    pub enum Noise {
        /// The same in all columns: probabilistic PCA.
        Isotropic = "isotropic" | "ppca",
        /// One variance a column: factor analysis.
        Columns = "columns" | "factor-analysis" | "diagonal",
    }
}

/// A number that may be left to the method, or to the Bayesian information criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// By the number of rows or columns.
    Auto,
    /// This many.
    Count(usize),
    /// By the Bayesian information criterion.
    Bic,
}

impl Field for Amount {
    fn kind() -> Kind {
        let options = vec![("bic", "the least Bayesian information criterion; the report has the curve")];
        let count = Kind::Integer { min: 1, max: 1_000_000 };
        Kind::AnyOf { kinds: vec![Kind::Auto, count, Kind::Choice { options }] }
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Auto => Some(Self::Auto),
            Value::Integer(count) => usize::try_from(*count).ok().map(Self::Count),
            Value::Text(word) if word == "bic" => Some(Self::Bic),
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Auto => Value::Auto,
            Self::Count(count) => Value::Integer(i64::try_from(*count).unwrap_or(i64::MAX)),
            Self::Bic => Value::Text("bic".into()),
        }
    }
}

/// The parameters of a mixture.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub components: Amount,
    pub analyzers: Amount,
    pub noise: Noise,
    pub density: Density,
    pub degrees_of_freedom: Option<f64>,
    pub start: Start,
    pub starts: usize,
    pub neighbors: usize,
    pub tolerance: f64,
    pub iterations: usize,
    pub floor: f64,
}

/// A fitted mixture, and how its sizes were chosen.
pub(crate) struct Chosen {
    pub fitted: Fitted,
    /// Analyzers, components and the Bayesian information criterion of everything that was tried.
    pub curve: Vec<[f64; 3]>,
    pub bic: f64,
}

impl Settings {
    /// The fewest components that are looked at.
    fn least_components(&self, n: usize, d: usize) -> usize {
        if self.components == Amount::Bic { 1 } else { self.most_components(n, d) }
    }

    /// The most components that are looked at.
    pub fn most_components(&self, n: usize, d: usize) -> usize {
        let fitting = d.saturating_sub(1).min(n.saturating_sub(1));
        match self.components {
            Amount::Count(count) => count,
            Amount::Auto => fitting.clamp(1, 2),
            Amount::Bic => fitting.clamp(1, 64),
        }
    }

    /// The most analyzers that rows suffice for: two for each direction of a plane.
    pub fn most_analyzers(n: usize, components: usize) -> usize {
        (n / (2 * (components + 1))).max(1)
    }

    /// The number of analyzers, where it is not chosen by the criterion.
    pub fn analyzers(&self, n: usize, components: usize) -> usize {
        match self.analyzers {
            Amount::Count(count) => count,
            _ => (n / (10 * (components + 1))).clamp(1, 20),
        }
    }

    pub fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d, k) = (shape.rows, shape.columns, self.least_components(shape.rows, shape.columns));
        if k >= d {
            let bound = format!(
                "below the number of columns (n_features = {d}): some directions must be left for the noise"
            );
            return Err(Error::too_many_components(k, d.saturating_sub(1), bound, "columns"));
        }
        if n <= k {
            return Err(Error::TooFewRows { rows: n, needed: k + 1, what: "an analyzer".into() });
        }
        if let Amount::Count(count) = self.analyzers
            && count > n / (k + 1)
        {
            let bound = format!(
                "at most {}: each analyzer needs {} of the {}",
                n / (k + 1),
                k + 1,
                units::count(n, "row")
            );
            return Err(Error::parameter("n_analyzers", count, bound, "ask for fewer analyzers"));
        }
        Ok(())
    }

    /// The bytes of a fit, and its operations.
    fn cost(&self, shape: &Shape, threads: usize) -> (f64, f64) {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.most_components(shape.rows, shape.columns);
        let m = match self.analyzers {
            Amount::Bic => Self::most_analyzers(shape.rows, self.least_components(shape.rows, shape.columns))
                .min(select::MOST),
            _ => self.analyzers(shape.rows, k),
        } as f64;
        let k = k as f64;
        let graph =
            if self.start == Start::Graph { n * (2.0 * d + 12.0 * self.neighbors as f64 + m) } else { 0.0 };
        // The rows three times (as they are, in units, in groups); analyzers made ready, their sums and their copies.
        let mixture = m * d * (k + 2.0);
        let working = 6.0 * mixture + (threads as f64 + 1.0) * (mixture + 64.0 * (2.0 * d + m * (k + 3.0)));
        let bytes = 8.0 * (3.0 * n * d + graph + working + n * m * (k + 2.0));
        (bytes, 4.0 * n * d * (k + 1.0) * m * self.iterations.min(100) as f64)
    }

    pub fn forecast(&self, shape: &Shape) -> Forecast {
        let (bytes, flops) = self.cost(shape, Run::new().threads());
        let remedy = "reduce the columns by pca first".into();
        Forecast { bytes: bytes as u64, flops, remedy }
    }

    /// The request of a fit of this size.
    pub fn request(&self, analyzers: usize, factors: usize) -> Request {
        let tails = match self.density {
            Density::Gaussian => Tails::Gaussian,
            Density::Student => Tails::Student(self.degrees_of_freedom),
        };
        Request {
            analyzers,
            factors,
            isotropic: self.noise == Noise::Isotropic,
            tails,
            start: self.start,
            starts: self.starts,
            neighbors: self.neighbors,
            tolerance: self.tolerance,
            iterations: self.iterations,
            floor: self.floor,
        }
    }

    /// The report of a fit: the likelihood, the criterion with its curve, and what the user should know.
    pub fn report(&self, chosen: &Chosen) -> Report {
        let fitted = &chosen.fitted;
        let quantity = |name: String, value: f64| Quantity { name, value };
        let likelihood = fitted.history.last().copied().unwrap_or(0.0);
        let mut objective =
            vec![quantity("mean log-likelihood".into(), likelihood), quantity("bic".into(), chosen.bic)];
        if self.components == Amount::Bic || self.analyzers == Amount::Bic {
            for [m, k, bic] in &chosen.curve {
                objective.push(quantity(format!("bic of {m} analyzers, {k} components"), *bic));
            }
        }
        let mut warnings = Vec::new();
        if !fitted.converged {
            warnings.push(Warning::NotConverged {
                what: "expectation maximization".into(),
                steps: self.iterations,
                change: fitted.change / fitted.mixture.features() as f64,
                tolerance: self.tolerance,
            });
        }
        if fitted.removed > 0 {
            warnings.push(Warning::AnalyzersRemoved {
                removed: fitted.removed,
                left: fitted.mixture.weights.len(),
            });
        }
        let losses = fitted.history.iter().map(|value| -value).enumerate().collect();
        Report { objective, warnings, losses, ..Report::default() }
    }
}

/// The curve as a matrix.
pub(crate) fn curve_matrix(curve: &[[f64; 3]]) -> Array2<f64> {
    Array2::from_shape_fn((curve.len(), 3), |(row, column)| curve[row][column])
}

/// The mixture of these settings, its sizes chosen where that was asked for; its heaviest analyzer first.
pub(crate) fn choose(rows: &Rows, settings: &Settings, run: &Run) -> Result<Chosen> {
    let mut chosen = select::choose(rows, settings, run)?;
    let mixture = &mut chosen.fitted.mixture;
    let mut order: Vec<usize> = (0..mixture.weights.len()).collect();
    order.sort_by(|&a, &b| mixture.weights[b].total_cmp(&mixture.weights[a]).then(a.cmp(&b)));
    mixture.weights = order.iter().map(|&j| mixture.weights[j]).collect();
    mixture.analyzers = order.iter().map(|&j| mixture.analyzers[j].clone()).collect();
    if !mixture.degrees.is_empty() {
        mixture.degrees = order.iter().map(|&j| mixture.degrees[j]).collect();
    }
    Ok(chosen)
}
