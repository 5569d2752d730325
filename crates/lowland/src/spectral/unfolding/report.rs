//! What a fit says about its unfolding.

use super::recipe::UnfoldingRecipe;
use super::{Distances, Span};
use crate::model::{Quantity, Report, Warning};
use lowland_linalg::unfolding::Unfolded;
use ndarray::{Array2, ArrayView2, Axis};

/// By how much the trace of points improved from a span may be below the greatest before it is said.
const OPEN: f64 = 0.01;

impl UnfoldingRecipe {
    /// What to do where an unfolding is not proven.
    fn remedy(&self, found: &Unfolded) -> &'static str {
        match (self.distances, self.slack) {
            (Distances::Keep, None) => "set distances = shrink, or give slack, such as slack = 0.05",
            _ if found.steps >= self.max_iter => "raise max_iter",
            _ => "ask for more components, or raise tol",
        }
    }

    /// The report of one connected component; `trace` is that of its points.
    pub(super) fn report(
        &self,
        found: &Unfolded,
        (d, edges): (usize, usize),
        (all, trace): (&Array2<f64>, f64),
    ) -> Report {
        let quantity = |name: &str, value: f64| Quantity { name: name.into(), value };
        let mut objective = vec![
            quantity("trace", found.trace),
            quantity("share of the trace in the components", share(&found.spectrum, d)),
            quantity("largest relative violation of a distance", found.worst_violation),
            quantity("mean relative violation", found.mean_violation),
            quantity("duality gap", found.gap()),
            quantity("smallest eigenvalue of the dual", found.smallest_eigenvalue),
            quantity("distances", edges as f64),
        ];
        objective.retain(|quantity| quantity.value.is_finite());
        let eigenvalues: Vec<f64> = (0..d).map(|c| found.spectrum.get(c).copied().unwrap_or(0.0)).collect();
        let residuals = (0..d).map(|c| if c < all.ncols() { residual(all.view(), c) } else { 0.0 }).collect();
        let mut warnings = Vec::new();
        let share = share(&found.spectrum, d);
        // Without a bound the trace may be any.
        let gap = if found.gap().is_finite() { found.gap().abs().min(1.0) } else { 1.0 };
        // In a span alone there is nothing to prove; improved from there, only what matters is said: few dimensions may be the
        // reason.
        let open = match self.span {
            Span::All => !found.converged,
            _ => self.refine && (found.worst_violation > self.tol || gap > OPEN),
        };
        if open {
            warnings.push(Warning::NotCertified {
                steps: found.steps,
                violation: found.worst_violation,
                gap,
                tolerance: self.tol,
                remedy: self.remedy(found).into(),
            });
        }
        let own = (found.trace / trace - 1.0).abs() < 1e-5 && share < 1.0 - 1e-3;
        if own && self.distances == Distances::Keep && self.slack.is_none() && self.span == Span::All {
            let dimensions = found.spectrum.iter().filter(|&&value| value > 1e-9 * found.trace).count();
            warnings.push(Warning::Rigid {
                distances: edges,
                dimensions,
                components: d,
                share,
                remedy: String::new(),
            });
        }
        Report { objective, eigenvalues, residuals, warnings, ..Report::default() }
    }
}

/// The trace of the inner products of the centered points.
pub(super) fn trace_of(points: &Array2<f64>) -> f64 {
    let center = points.mean_axis(Axis(0)).unwrap_or_default();
    points
        .rows()
        .into_iter()
        .map(|row| row.iter().zip(&center).map(|(x, c)| (x - c).powi(2)).sum::<f64>())
        .sum()
}

/// The share of the first values in the sum of all.
fn share(spectrum: &[f64], count: usize) -> f64 {
    let total: f64 = spectrum.iter().sum();
    let first: f64 = spectrum.iter().take(count).sum();
    if total > 0.0 { first / total } else { 1.0 }
}

/// `|K v - l v|` of a column of `Y`, made a unit vector, with `K = Y Y'`.
fn residual(y: ArrayView2<'_, f64>, column: usize) -> f64 {
    let own = y.column(column);
    let length = own.dot(&own).sqrt();
    if length == 0.0 {
        return 0.0;
    }
    let v = own.mapv(|value| value / length);
    let product = y.dot(&y.t().dot(&v)) - v.mapv(|value| value * length * length);
    product.dot(&product).sqrt()
}
