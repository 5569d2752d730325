//! The other end of the spectrum: the smallest eigenpairs of a penalty that is zero for constant vectors.

use super::FURTHER_EIGENVALUES;
use crate::matrix::to_array;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat};
use lowland_base::{Result, Run, parallel};
use lowland_linalg::operator::Dense;
use lowland_linalg::{Eigenpairs, Operator, Request, Solver, Which, eigen, symmetric};
use ndarray::Array2;

/// The smallest pairs without the constant, as coordinates.
pub(crate) struct Smallest {
    pub values: Vec<f64>,
    /// The true residuals of the unit vectors.
    pub residuals: Vec<f64>,
    /// `sqrt(n) v`: unit variance, no mean, no correlation (Bengio 2.6).
    pub coordinates: Array2<f64>,
    /// The largest diagonal entry, a lower bound of the norm.
    pub norm: f64,
    /// The eigenvalues that follow.
    pub further: Vec<f64>,
}

/// The `count` smallest pairs of a semidefinite `M` with `M 1 = 0` among the vectors without a mean.
///
/// The constant need not be the first vector found: where the penalty of other vectors is zero, too (those of a plane, for
/// LTSA), all of them come mixed. So the constant is projected out of the span of one pair more.
pub(crate) fn smallest(op: &dyn Operator<f64>, count: usize, run: &Run) -> Result<Smallest> {
    let _stage = run.stage("eigenpairs", None);
    let n = op.order();
    let norm = op.diagonal().unwrap_or_default().into_iter().fold(0.0, f64::max);
    let request = Request::new(count + 1, Which::Smallest);
    let (pairs, further) = eigen::solve_with_further(op, &request, FURTHER_EIGENVALUES, run)?;
    let complement = complement(&constant_in(&pairs.vectors));
    // Q'LQ: the matrix in the rest of the span.
    let turned = Mat::from_fn(count, count, |i, j| {
        (0..=count).map(|c| complement[(c, i)] * pairs.values[c] * complement[(c, j)]).sum::<f64>()
    });
    let turned = symmetric::mean(turned.as_ref());
    let inner = eigen::solve(
        &Dense::new(turned.as_ref())?,
        &Request::new(count, Which::Smallest).by(Solver::Dense),
        run,
    )?;
    let (mut basis, mut vectors) = (Mat::zeros(count + 1, count), Mat::zeros(n, count));
    run.install(|| {
        let replace = Accum::Replace;
        matmul(basis.as_mut(), replace, complement.as_ref(), inner.vectors.as_ref(), 1.0, parallel::FAER);
        matmul(vectors.as_mut(), replace, pairs.vectors.as_ref(), basis.as_ref(), 1.0, parallel::FAER);
    });
    let pairs = Eigenpairs::of(op, inner.values, vectors, Which::Smallest, run)?;
    let scale = (n as f64).sqrt();
    let coordinates = to_array::<f64, f64>(pairs.vectors.as_ref()) * scale;
    Ok(Smallest { values: pairs.values, residuals: pairs.residuals, coordinates, norm, further })
}

/// The coefficients of the unit constant vector.
fn constant_in(vectors: &Mat<f64>) -> Vec<f64> {
    let root = (vectors.nrows() as f64).sqrt();
    (0..vectors.ncols()).map(|j| vectors.col(j).iter().sum::<f64>() / root).collect()
}

/// An orthonormal basis of what is orthogonal to `a`, one a column: the columns of a reflection but for the one
/// that is along `a`.
fn complement(a: &[f64]) -> Mat<f64> {
    let m = a.len();
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    // From a span without the constant its last vector is left out.
    let axis = if length > 1e-8 { 0 } else { m - 1 };
    let mut u: Vec<f64> = a.iter().map(|x| if axis == 0 { x / length } else { 0.0 }).collect();
    u[axis] += if u[axis] < 0.0 { -1.0 } else { 1.0 };
    let square: f64 = u.iter().map(|x| x * x).sum();
    Mat::from_fn(m, m - 1, |i, j| {
        let j = if j < axis { j } else { j + 1 };
        (if i == j { 1.0 } else { 0.0 }) - 2.0 * u[i] * u[j] / square
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complement_is_orthonormal_and_without_the_vector() {
        for a in [vec![1.0, 0.0, 0.0], vec![-0.6, 0.8, 0.0], vec![0.0, 0.0, 1.0], vec![0.0; 3], vec![1.0]] {
            let q = complement(&a);
            let m = a.len();
            for j in 0..m - 1 {
                assert!((0..m).map(|i| a[i] * q[(i, j)]).sum::<f64>().abs() < 1e-15);
                for k in 0..m - 1 {
                    let product: f64 = (0..m).map(|i| q[(i, j)] * q[(i, k)]).sum();
                    assert!((product - f64::from(j == k)).abs() < 1e-15);
                }
            }
        }
    }
}
