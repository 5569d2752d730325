//! Factor analysis (Spearman 1904, Jöreskog 1967; Burges 1.2): a few common factors, and noise of its own in every
//! column.
//!
//! points -> covariance -> quasi-Newton | scaled eigenvectors | expectation maximization -> rotation -> posterior means

use super::{at_least, at_most, covariance_bytes};
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Form, Part, Quantity, Report, Warning};
use crate::parameters::{Described, Field, Kind, Value};
use crate::projective::affine;
pub use crate::projective::factor::estimate::FactorAlgorithm;
use crate::projective::factor::estimate::{self, Estimate};
pub use crate::projective::factor::rotation::Rotation;
use crate::projective::factor::{oblique::Oblique, rotation::rotate, used};
use crate::projective::{LinearModel, Map};
use crate::{Shape, parameters};
use lowland_base::{Result, Run, units};
use ndarray::{Array1, Array2, ArrayView2, s};

/// Factor analysis in the registry.
pub static FACTOR_ANALYSIS: Entry = Entry {
    name: "factor-analysis",
    aliases: &["fa", "factors"],
    title: "Factor analysis",
    summary: "A few factors that explain how the columns vary together, with noise of its own in each column: it does \
              not care for the columns' units, takes missing values, and can rotate the factors to a simple pattern.",
    citation: "K. G. Jöreskog, Some contributions to maximum likelihood factor analysis, 1967; D. Barber, Bayesian \
               reasoning and machine learning, algorithm 21.1, 2012",
    capabilities: Capabilities {
        inverse: true,
        density: true,
        missing: true,
        any_units: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<FactorAnalysis>()
};

const PARTS: &[Part] = &[
    (
        "components",
        "The loadings, one factor a row: of oblique factors the pattern, the weights that rebuild the columns.",
        Form::Matrix,
    ),
    ("factor_correlation", "The correlations of the factors in the model.", Form::Matrix),
    (
        "structure",
        "The covariances of factors and columns, one factor a row: of uncorrelated factors the loadings.",
        Form::Matrix,
    ),
    ("noise_variance", "The variance of the noise in each column.", Form::Vector),
    ("mean", "The mean of each column in the model.", Form::Vector),
    ("loglike", "The mean log-likelihood of a row, step by step.", Form::Vector),
    ("n_iter", "The steps taken.", Form::Count),
];

parameters! {
    /// Factor analysis: the parameters.
    pub struct FactorAnalysis {
        /// How many factors, at most the number of columns; `auto` takes as many as the columns can determine.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How the likelihood is maximized.
        algorithm: FactorAlgorithm = FactorAlgorithm::Auto;
        /// How the factors are rotated: the likelihood is the same. Those of `promax` and `oblimin` are correlated.
        rotation: Rotation = Rotation::None;
        /// For `svd` and `em`: the fit ends when a step adds less than this to the mean log-likelihood of a row. The
        /// quasi-Newton search goes on until the likelihood is flat.
        tol: f64 = 1e-8, in Kind::Real { min: 0.0, max: 1.0, open: false };
        /// The most steps that the search takes.
        max_iter: usize = 2000, in Kind::Integer { min: 1, max: 1_000_000 };
    }
}

impl FactorAnalysis {
    /// As many factors as the covariances of `d` columns can determine (Ledermann's bound).
    fn count(&self, d: usize) -> usize {
        let d = d as f64;
        self.n_components.unwrap_or((((2.0 * d + 1.0 - (8.0 * d + 1.0).sqrt()) / 2.0) as usize).max(1))
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<(Map, Option<Array2<f64>>)> {
        let (n, d) = x.dim();
        let k = self.count(d);
        let request =
            estimate::Request { k, algorithm: self.algorithm, tolerance: self.tol, steps: self.max_iter };
        let Estimate { mut density, history, last } = request.estimate(x, run)?;
        let used = used(&density);
        density.loadings.slice_mut(s![.., used..]).fill(0.0);
        let rotated = rotate(density.loadings.slice(s![.., ..used]).to_owned(), self.rotation, run)?;
        density.loadings.slice_mut(s![.., ..used]).assign(&rotated);
        let (mut forward, mut backward) = density.maps(run)?;
        let mut oblique = Oblique::none(density.loadings.clone());
        if self.rotation.is_oblique() {
            oblique = Oblique::of(&density, used, self.rotation, run)?;
            forward = forward.dot(&oblique.turn);
            backward = oblique.back.dot(&backward);
        }
        let mut warnings = Vec::new();
        if used < k {
            let (factors, explain) =
                (units::count(used, "factor"), units::one_or_many(used, "explains", "explain"));
            let reason = format!("{factors} {explain} how the columns vary together; ask for no more");
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
            oblique.pattern.t().to_owned().into(),
            oblique.correlation().into(),
            oblique.structure().t().to_owned().into(),
            Array1::from(density.noise.clone()).into(),
            Array1::from(density.mean.clone()).into(),
            Array1::from(history.clone()).into(),
            (history.len() - 1).max(1).into(),
        ];
        // What is minimized: minus the mean log-likelihood of a row.
        let losses = history.iter().map(|value| -value).enumerate().collect();
        let turn = self.rotation.is_oblique().then_some(oblique.turn);
        let map = Map {
            center: density.mean.clone(),
            forward,
            backward: Some(backward),
            density: Some(density),
            found,
            report: Report { objective, warnings, losses, ..Report::default() },
        };
        Ok((map, turn))
    }
}

impl Fit for FactorAnalysis {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &FACTOR_ANALYSIS;

    fn check(&self, shape: &Shape) -> Result<()> {
        at_least(shape.rows, 2, "the covariances that factor analysis explains")?;
        at_most(self.n_components, shape.columns, "the number of columns")
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        let way = if shape.has_missing() { FactorAlgorithm::Em } else { FactorAlgorithm::Newton };
        vec![("algorithm", way.to_value())]
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.count(shape.columns) as f64);
        let em = 8.0 * (n * d + 4.0 * d * (k + 1.0) * (k + 2.0));
        let steps = 50.0 * (9.0 * d * d * d).min(40.0 * d * d * (k + 20.0)).min(4.0 * n * n * d);
        // With fewer rows than columns, two copies of the rows and their products take the place of the covariance.
        let blocks = affine::scratch(shape.columns, self.count(shape.columns));
        let wide = 8.0 * (3.0 * n * d + 4.0 * n * n + 10.0 * d + blocks);
        let complete = if n < d { wide } else { covariance_bytes(shape) };
        let way = if shape.has_missing() { complete.max(em) } else { complete };
        Forecast {
            bytes: (way + 8.0 * (4.0 * d * k + n * k)) as u64,
            flops: n * d * d.min(n) + steps + 2.0 * n * d * k,
            remedy: "select fewer columns first, or use ppca".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        let (map, turn) = on_points!(data.input, x => self.map(x, run))?;
        LinearModel::new(&FACTOR_ANALYSIS, PARTS, self.settings(), map)
            .with_turn(turn)
            .embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&FACTOR_ANALYSIS, PARTS, self.settings(), archive)
    }
}
