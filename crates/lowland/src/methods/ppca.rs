//! Probabilistic principal component analysis (Tipping and Bishop 1999; Burges 1.2): a Gaussian with a low-rank
//! part and the same noise in all directions.
//!
//! points -> spectrum -> closed form | expectation maximization (large or incomplete data) -> posterior means

use super::{at_least, at_most, few_for_mle, smaller};
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::methods::Pca;
pub use crate::mixture::closed_form::Dimension;
use crate::mixture::closed_form::{self, default_count};
use crate::mixture::{Gaussian, evidence};
use crate::model::{Archive, Form, Part, Quantity, Report, Warning};
use crate::parameters::{Components, Described, Field, Kind, Value};
use crate::projective::{LinearModel, Map};
use crate::{Shape, choices, parameters};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, ArrayView2};

/// Probabilistic principal component analysis in the registry.
pub static PPCA: Entry = Entry {
    name: "ppca",
    aliases: &["probabilistic-pca", "probabilistic-principal-component-analysis", "sensible-pca"],
    title: "Probabilistic principal component analysis",
    summary: "Principal components as a probability model: it takes missing values, fills them in, gives the \
              likelihood of new points, draws samples, and can choose the number of components by Bayesian evidence.",
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
    ("log_likelihoods", "The mean log-likelihood of a row at each iteration.", Form::Vector),
    ("n_iter", "The iterations of expectation maximization; 1 for the closed form.", Form::Count),
];

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
        /// For expectation maximization: the fit ends when an iteration adds less to the mean log-likelihood of a row.
        tol: f64 = 1e-8, in Kind::Real { min: 0.0, max: 1.0, open: false };
        /// For expectation maximization: the most iterations.
        max_iter: usize = 2000, in Kind::Integer { min: 1, max: 1_000_000 };
    }
}

impl Ppca {
    fn map<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Map> {
        let incomplete = x.iter().any(|value| value.is_nan());
        if incomplete || self.algorithm == PpcaAlgorithm::Em {
            return self.by_em(x, incomplete, run);
        }
        let (n, d) = x.dim();
        let (dimension, n_components) = match self.n_components {
            Dimension::Auto => {
                (Dimension::Count(default_count(n, d)), Components::Count(default_count(n, d)))
            }
            Dimension::Count(count) => (Dimension::Count(count), Components::Count(count)),
            rule => (rule, Components::All),
        };
        let spectrum = Pca { n_components, ..Pca::default() }.spectrum(x, run)?;
        let (density, likelihood) = closed_form::fit(&spectrum, dimension);
        self.finished(density, vec![likelihood], None, run)
    }

    fn by_em<T: Element>(&self, x: ArrayView2<'_, T>, incomplete: bool, run: &Run) -> Result<Map> {
        let (n, d) = x.dim();
        let effort = (self.tol, self.max_iter);
        let count = match self.n_components {
            Dimension::Count(count) => count,
            Dimension::Auto if !incomplete => default_count(n, d),
            _ => evidence::best_count(x, effort, run)?,
        };
        let fitted = evidence::fit(x, count, effort, run)?;
        let warning = (!fitted.converged).then(|| Warning::NotConverged {
            what: "expectation maximization".into(),
            steps: self.max_iter,
            change: fitted.change,
            tolerance: self.tol,
        });
        self.finished(fitted.density, fitted.history, warning, run)
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
        // What is minimized: minus the mean log-likelihood of a row.
        let losses = history.iter().map(|value| -value).enumerate().collect();
        Ok(Map {
            center: density.mean.clone(),
            forward,
            backward: Some(backward),
            density: Some(density),
            found,
            report: Report { objective, warnings, losses, ..Report::default() },
        })
    }
}

impl Fit for Ppca {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &PPCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that ppca looks for")?;
        let count = if let Dimension::Count(count) = self.n_components { Some(count) } else { None };
        at_most(count, n.min(d), &smaller(n, d))?;
        if self.n_components == Dimension::Minka && n < d {
            let problem = few_for_mle(n, d);
            return Err(Error::conflict("n_components", problem, "give more rows or a count, or choose ard"));
        }
        Ok(())
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        let way = if shape.has_missing() { PpcaAlgorithm::Em } else { PpcaAlgorithm::Closed };
        vec![("algorithm", way.to_value())]
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = if let Dimension::Count(count) = self.n_components { count as f64 } else { n.min(d) };
        let pca = Pca { n_components: Components::Count(k as usize), ..Pca::default() }.forecast(shape);
        // Where values are missing, EM has a copy of the data and sums for each column.
        let em = 8.0 * (n * d + 4.0 * d * (k + 1.0) * (k + 2.0)) + 4.0 * n;
        let em = if shape.has_missing() { em as u64 } else { 0 };
        Forecast {
            bytes: pca.bytes.max(em) + (8.0 * (4.0 * d * k + n * k)) as u64,
            flops: pca.flops + 10.0 * n * d * k,
            remedy: "select fewer columns first".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(data.input, x => self.map(x, run))?;
        LinearModel::new(&PPCA, PARTS, self.settings(), map).embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&PPCA, PARTS, self.settings(), archive)
    }
}
