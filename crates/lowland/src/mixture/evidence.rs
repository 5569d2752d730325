//! Probabilistic PCA by expectation maximization, with a given number of factors or with the most evident one.

use super::closed_form::{self, Dimension, default_count};
use super::em::{self, Fitted, Request};
use super::table::Weights;
use crate::matrix::Element;
use crate::methods::Pca;
use crate::parameters::Components;
use lowland_base::{Result, Run};
use ndarray::{Array2, ArrayView2, s};
use std::collections::BTreeMap;

/// The tolerance and the iterations of fits that are only compared: another factor costs `d ln(n) / 2n` of the mean
/// likelihood, and one too many converges slowly.
const ROUGH: (f64, usize) = (1e-4, 60);

/// The model with so many factors. The start is the closed form for the rows with missing cells at their means.
pub(crate) fn fit<T: Element>(
    x: ArrayView2<'_, T>,
    factors: usize,
    (tolerance, iterations): (f64, usize),
    run: &Run,
) -> Result<Fitted> {
    let start = |filled: ArrayView2<'_, f64>| {
        let rank = factors.min(filled.nrows().saturating_sub(1)).max(1).min(filled.ncols());
        let spectrum =
            Pca { n_components: Components::Count(rank), ..Pca::default() }.spectrum(filled, run)?;
        let (density, _) = closed_form::fit(&spectrum, Dimension::Count(rank));
        let mut loadings = Array2::zeros((filled.ncols(), factors));
        loadings.slice_mut(s![.., ..rank]).assign(&density.loadings);
        // Without any noise the posteriors would leave no room for EM to move.
        let size = spectrum.total / filled.ncols() as f64;
        Ok((loadings, vec![density.noise[0].max(1e-3 * size); filled.ncols()]))
    };
    let request = Request { factors, isotropic: true, tolerance, iterations };
    em::fit(x, Weights::ONE, start, &request, run)
}

/// The number of factors with the largest evidence to leading order (Schwarz 1978): the log-likelihood, less
/// `ln(n) / 2` for every free parameter. It is concave in the number of factors, as each next direction explains less
/// and costs as much: doubling brackets the maximum, thirds narrow it down.
pub(crate) fn best_count<T: Element>(
    x: ArrayView2<'_, T>,
    (tolerance, iterations): (f64, usize),
    run: &Run,
) -> Result<usize> {
    let (n, d) = x.dim();
    let rough = (tolerance.max(ROUGH.0), iterations.min(ROUGH.1));
    let mut tried: BTreeMap<usize, f64> = BTreeMap::new();
    let mut evidence = |k: usize| -> Result<f64> {
        if let Some(known) = tried.get(&k) {
            return Ok(*known);
        }
        let fitted = fit(x, k, rough, run)?;
        let likelihood = fitted.history.last().copied().unwrap_or(f64::NEG_INFINITY) * n as f64;
        let parameters = (d * k - k * (k - 1) / 2 + d + 1) as f64;
        let value = likelihood - 0.5 * parameters * (n as f64).ln();
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
