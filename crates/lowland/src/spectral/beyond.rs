//! The eigenvalues that follow those of the components, so that a gap is seen: ten, and not as exact.

use super::Spectrum;
use lowland_base::{Error, Result, Run};
use lowland_linalg::{Eigenpairs, Operator, Request, Which, eigen};

/// How many are looked for.
pub(crate) const BEYOND: usize = 10;
/// To which share of the largest: enough for a picture.
const ROUGHLY: f64 = 1e-3;

/// The largest eigenvalues after the kept ones, roughly; none where they do not converge, or where negative eigenvalues were
/// kept or a shift makes others of all.
pub(crate) fn after(op: &dyn Operator<f64>, spectrum: &Spectrum, run: &Run) -> Result<Vec<f64>> {
    let kept = spectrum.values.len();
    if spectrum.shift != 0.0 || spectrum.values.iter().any(|&value| value <= 0.0) {
        return Ok(Vec::new());
    }
    largest(op, kept, run)
}

/// The largest eigenvalues after the first `kept`, roughly; none where they do not converge.
pub(crate) fn largest(op: &dyn Operator<f64>, kept: usize, run: &Run) -> Result<Vec<f64>> {
    let count = (kept + BEYOND).min(op.order());
    if count <= kept {
        return Ok(Vec::new());
    }
    let _stage = run.stage("eigenvalues beyond", None);
    let request = Request { tolerance: Some(ROUGHLY), ..Request::new(count, Which::Largest) };
    match eigen::solve(op, &request, run) {
        Ok(pairs) => Ok(pairs.values[kept..].to_vec()),
        Err(Error::NotConverged { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The smallest pairs, and the eigenvalues after them: found together, for a factorization costs more than a few pairs. Where
/// those beyond do not converge, the pairs alone.
pub(crate) fn smallest(
    op: &dyn Operator<f64>,
    count: usize,
    run: &Run,
) -> Result<(Eigenpairs<f64>, Vec<f64>)> {
    let more = (count + BEYOND).min(op.order());
    match eigen::solve(op, &Request::new(more, Which::Smallest), run) {
        Ok(pairs) => Ok(split(pairs, count)),
        Err(Error::NotConverged { .. }) if more > count => {
            Ok((eigen::solve(op, &Request::new(count, Which::Smallest), run)?, Vec::new()))
        }
        Err(error) => Err(error),
    }
}

/// The first pairs, and the other eigenvalues.
pub(crate) fn split(mut pairs: Eigenpairs<f64>, count: usize) -> (Eigenpairs<f64>, Vec<f64>) {
    let beyond = pairs.values.split_off(count.min(pairs.values.len()));
    pairs.residuals.truncate(count);
    let rows = pairs.vectors.nrows();
    pairs.vectors.resize_with(rows, count.min(pairs.vectors.ncols()), |_, _| 0.0);
    (pairs, beyond)
}
