//! The proof that a `K` is the best: the weights of its edges, made feasible for the dual.

use super::basis::Basis;
use super::energy::Incidence;
use super::problem::Unfolding;
use crate::operator::Dense;
use crate::{Eigenpairs, Request, Solver, Which, eigen};
use faer::Mat;
use lowland_base::{Error, Result, Run};

/// What the smallest eigenpairs of `sum_e w_e L_e` on vectors without a mean say.
pub(super) struct Certificate {
    /// The smallest eigenvalue: 1 at the optimum.
    pub smallest: f64,
    /// The dual value at feasible weights, in squared units.
    pub bound: f64,
    /// Directions in which `Y` can grow a column: eigenvalues below 1, ascending.
    pub escapes: Vec<(f64, Vec<f64>)>,
}

/// Certifies weights, those at which a unit of trace is worth 1. `rigidity` is the smallest eigenvalue of the Laplacian with
/// weights `1 / d^2`, by which weights that are not feasible can be made so.
pub(super) fn certify(
    problem: &Unfolding,
    (incidence, basis): (&Incidence, &Basis),
    weights: &[f64],
    rigidity: f64,
    count: usize,
    run: &Run,
) -> Result<Certificate> {
    let _stage = run.stage("certificate", None);
    let pairs = smallest(incidence, basis, |edge| weights[edge], count, run)?;
    let smallest = pairs.values.first().copied().unwrap_or(1.0);
    let mut bound = f64::INFINITY;
    if smallest > 0.0 {
        // w / l is feasible, and so is w + t / d^2 with t = (1 - l) / rigidity: the better one.
        bound = problem.dual_value(weights.iter().map(|w| w / smallest));
    }
    if smallest < 1.0 {
        let shift = (1.0 - smallest) / rigidity;
        let raised = weights.iter().zip(problem.squared()).map(|(w, d2)| w + shift / d2);
        bound = bound.min(problem.dual_value(raised));
    }
    let below = pairs.values.iter().take_while(|&&value| value < 1.0).count();
    let column = |j: usize| pairs.vectors.col(j).iter().copied().collect();
    let escapes = (0..below).map(|j| (pairs.values[j], column(j))).collect();
    Ok(Certificate { smallest, bound, escapes })
}

/// The smallest eigenpairs of `sum_e weight_e L_e` on the vectors of the basis without a mean; the vectors are in the basis.
pub(super) fn smallest(
    incidence: &Incidence,
    basis: &Basis,
    weight: impl Fn(usize) -> f64,
    count: usize,
    run: &Run,
) -> Result<Eigenpairs<f64>> {
    let laplacian = incidence.laplacian(weight, 0.0)?;
    if let Basis::Span(basis) = basis {
        let inner = Basis::project(basis, &laplacian, run)?;
        let count = count.min(inner.nrows());
        let request = Request::new(count, Which::Smallest).by(Solver::Dense);
        return eigen::solve(&Dense::new(inner.as_ref())?, &request, run);
    }
    let n = laplacian.nrows();
    let count = count.min(n.saturating_sub(1));
    let request = Request { tolerance: Some(1e-10), ..Request::new(count + 1, Which::Smallest) };
    let found = match eigen::solve(&laplacian, &request, run) {
        // Enough to go on with: the residual bounds the error of an eigenvalue.
        Err(Error::NotConverged { found: Some(found), .. }) => Eigenpairs {
            values: found.values.clone(),
            vectors: found.vectors.clone(),
            residuals: found.residuals.clone(),
        },
        found => found?,
    };
    Ok(without_constant(found, count))
}

/// Takes the constant vector, whose eigenvalue is 0, out of the pairs: the one that is nearest to it.
fn without_constant(pairs: Eigenpairs<f64>, count: usize) -> Eigenpairs<f64> {
    let n = pairs.vectors.nrows();
    let mean = |j: usize| pairs.vectors.col(j).iter().sum::<f64>().abs();
    let constant = (0..pairs.values.len()).fold(0, |best, j| if mean(j) > mean(best) { j } else { best });
    let kept: Vec<usize> = (0..pairs.values.len()).filter(|&j| j != constant).take(count).collect();
    Eigenpairs {
        values: kept.iter().map(|&j| pairs.values[j] - pairs.residuals[j]).collect(),
        vectors: Mat::from_fn(n, kept.len(), |i, j| pairs.vectors[(i, kept[j])]),
        residuals: kept.iter().map(|&j| pairs.residuals[j]).collect(),
    }
}
