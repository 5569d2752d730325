//! The latent Gaussian of greatest likelihood, before any rotation.

use super::{Columns, search::Search};
use crate::choices;
use crate::matrix::Element;
use crate::mixture::{Gaussian, Weights, em};
use lowland_base::{Result, Run};
use ndarray::ArrayView2;

choices! {
    /// How the likelihood is maximized.
    pub enum FactorAlgorithm {
        /// The fastest for complete data, and expectation maximization where values are missing.
        Auto = "auto",
        /// A quasi-Newton search for the noise; the loadings follow from it (Jöreskog).
        Newton = "newton" | "quasi-newton",
        /// Alternates between the noise and the leading singular vectors of the scaled data, as scikit-learn does.
        Svd = "svd" | "lapack",
        /// Expectation maximization: its cost grows with the columns, and not with their square.
        Em = "em",
    }
}

/// What is asked of the estimate.
pub(crate) struct Request {
    /// How many factors.
    pub k: usize,
    pub algorithm: FactorAlgorithm,
    /// The least that a step adds to the mean log-likelihood of a row.
    pub tolerance: f64,
    pub steps: usize,
}

/// What was found.
pub(crate) struct Estimate {
    pub density: Gaussian,
    /// The mean log-likelihood of a row, step by step.
    pub history: Vec<f64>,
    /// What the last step added where the steps did not suffice, and 0 where they did.
    pub last: f64,
}

impl Request {
    /// By expectation maximization where values are missing or it was asked for, and by a search over the noise elsewhere.
    pub fn estimate<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Estimate> {
        let incomplete = x.iter().any(|value| value.is_nan());
        if incomplete || self.algorithm == FactorAlgorithm::Em {
            self.by_expectation(x, run)
        } else {
            self.by_search(x, run)
        }
    }

    fn by_expectation<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Estimate> {
        let start = |filled: ArrayView2<'_, f64>| Columns::new(filled, run)?.start(self.k, run);
        let (factors, tolerance, iterations) = (self.k, self.tolerance, self.steps);
        let request = em::Request { factors, isotropic: false, tolerance, iterations };
        let fitted = em::fit(x, Weights::ONE, start, &request, run)?;
        let last = if fitted.converged { 0.0 } else { fitted.change };
        Ok(Estimate { density: fitted.density, history: fitted.history, last })
    }

    fn by_search<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Estimate> {
        let columns = Columns::new(x, run)?;
        let stage = run.stage("likelihood", Some(self.steps as u64));
        let (k, tolerance, steps) = (self.k, self.tolerance, self.steps);
        let search = Search { columns: &columns, k, tolerance, steps, stage: &stage, run };
        let (noise, history) = match self.algorithm {
            FactorAlgorithm::Svd => search.alternating()?,
            _ => search.quasi_newton()?,
        };
        drop(stage);
        let loadings = columns.in_units(&columns.loadings(&noise, k, run)?.0);
        let noise: Vec<f64> = noise.iter().zip(&columns.variances).map(|(noise, v)| noise * v).collect();
        let loadings = em::principal_axes(loadings, &columns.at_least(&noise), run)?;
        let last = match history[..] {
            [.., before, after] if history.len() > steps => after - before,
            _ => 0.0,
        };
        Ok(Estimate { density: Gaussian { mean: columns.mean.clone(), loadings, noise }, history, last })
    }
}
