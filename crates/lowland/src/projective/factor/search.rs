//! The noise that maximizes the likelihood of complete data.

use super::{Columns, FLOOR};
use crate::optimize::lbfgs::{self, Stop};
use lowland_base::{Result, Run, Stage};

/// Noise, as a share of a column's variance, that counts as none.
const BARE: f64 = 1e-4;
/// Alternating steps before the quasi-Newton search.
const FIRST_STEPS: usize = 5;

/// The noise found, in units of the columns' variances, and the mean log-likelihood of a row at each step.
type Found = (Vec<f64>, Vec<f64>);

/// The search for `k` factors, with at most so many steps.
pub(crate) struct Search<'a> {
    pub columns: &'a Columns,
    pub k: usize,
    /// For the alternating steps: the least that a step adds to the mean log-likelihood of a row.
    pub tolerance: f64,
    pub steps: usize,
    pub stage: &'a Stage<'a>,
    pub run: &'a Run,
}

impl Search<'_> {
    /// Alternates between the noise and the loadings (Barber's algorithm 21.1). Each step raises the likelihood.
    pub fn alternating(&self) -> Result<Found> {
        self.alternate(self.steps)
    }

    fn alternate(&self, steps: usize) -> Result<Found> {
        let (columns, k, run) = (self.columns, self.k, self.run);
        let mut noise = vec![1.0; columns.d()];
        let (mut loadings, mut value) = columns.loadings(&noise, k, run)?;
        let mut history = vec![value];
        for _ in 0..steps {
            for (j, noise) in noise.iter_mut().enumerate() {
                let row = loadings.row(j);
                *noise = (1.0 - row.dot(&row)).max(FLOOR);
            }
            let last = value;
            (loadings, value) = columns.loadings(&noise, k, run)?;
            history.push(value);
            self.stage.advance_with_loss(-value)?;
            if value - last < self.tolerance {
                break;
            }
        }
        Ok((noise, history))
    }

    /// A quasi-Newton search over the logarithms of the noise, the loadings being the best for each.
    pub fn quasi_newton(&self) -> Result<Found> {
        let floor = FLOOR.ln();
        let noise_at = |point: &[f64]| point.iter().map(|p| p.max(floor).exp()).collect::<Vec<f64>>();
        let logarithms = |noise: &[f64]| noise.iter().map(|noise| noise.ln()).collect::<Vec<f64>>();
        let mut objective = |point: &[f64], gradient: &mut [f64]| {
            let noise = noise_at(point);
            let (loadings, value) = self.columns.loadings(&noise, self.k, self.run)?;
            for (j, gradient) in gradient.iter_mut().enumerate() {
                let row = loadings.row(j);
                // d(-value)/d(ln noise) = (fitted - actual variance) / (2 noise): the loadings are at their best.
                let slope = (row.dot(&row) + noise[j] - 1.0) / (2.0 * noise[j]);
                *gradient = if point[j] <= floor && slope > 0.0 { 0.0 } else { slope };
            }
            Ok(-value)
        };
        let report = |_, loss| self.stage.advance_with_loss(loss);
        let (noise, mut history) = self.alternate(FIRST_STEPS)?;
        let stop = Stop { gradient: 1e-10, decrease: 0.0, steps: self.steps };
        let mut found = lbfgs::minimize(logarithms(&noise), stop, &mut objective, report, self.run)?;
        history.extend(found.history[1..].iter().map(|value| -value));
        // Next to no noise, the likelihood is flat on the logarithmic scale, and a step too long into that region does
        // not return. Alternating steps are never so long: where they reach a higher likelihood, the search goes on
        // from there.
        if found.point.iter().any(|p| p.exp() < BARE) {
            let (noise, slow) = self.alternate(self.steps)?;
            if slow.last().is_some_and(|&value| value > -found.value) {
                found = lbfgs::minimize(logarithms(&noise), stop, &mut objective, report, self.run)?;
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
