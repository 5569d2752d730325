//! Matrices as small as the number of factors, row after row: Cholesky factors and eigenpairs.

use crate::matrix::{faer_view, to_array};
use lowland_base::{Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::{Request, Which, eigen, symmetric};
use ndarray::Array2;

/// The pseudo-inverse of a small positive semidefinite matrix.
pub(super) fn pseudo_inverse(a: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let (values, vectors) = eigen_of_small(a, run)?;
    let largest = values.first().copied().unwrap_or(0.0);
    let inverse = |value: f64| if value > 1e-13 * largest { 1.0 / value } else { 0.0 };
    let scaled = Array2::from_shape_fn(vectors.dim(), |(i, j)| vectors[(i, j)] * inverse(values[j]));
    Ok(scaled.dot(&vectors.t()))
}

/// The eigenvalues, descending, and the vectors (columns) of a small symmetric matrix.
pub(crate) fn eigen_of_small(a: &Array2<f64>, run: &Run) -> Result<(Vec<f64>, Array2<f64>)> {
    let k = a.nrows();
    let symmetric = symmetric::mean(faer_view(a.view()));
    let pairs = eigen::solve(&Dense::new(symmetric.as_ref())?, &Request::new(k, Which::Largest), run)?;
    let vectors = to_array(pairs.vectors.as_ref());
    Ok((pairs.values, vectors))
}

/// Replaces the lower triangle of a positive definite matrix by its Cholesky factor; the logarithm of its
/// determinant.
pub(super) fn cholesky(a: &mut [f64], k: usize) -> f64 {
    let mut log_det = 0.0;
    for j in 0..k {
        let mut diagonal = a[j * k + j];
        for t in 0..j {
            diagonal -= a[j * k + t] * a[j * k + t];
        }
        let pivot = diagonal.max(f64::MIN_POSITIVE).sqrt();
        log_det += 2.0 * pivot.ln();
        a[j * k + j] = pivot;
        for i in j + 1..k {
            let mut sum = a[i * k + j];
            for t in 0..j {
                sum -= a[i * k + t] * a[j * k + t];
            }
            a[i * k + j] = sum / pivot;
        }
    }
    log_det
}

/// The inverse of the matrix whose Cholesky factor this is: both triangles.
pub(super) fn inverse_of_factor(factor: &[f64], k: usize) -> Vec<f64> {
    // L^-1, then its transpose times itself.
    let mut lower = vec![0.0; k * k];
    for j in 0..k {
        lower[j * k + j] = 1.0 / factor[j * k + j];
        for i in j + 1..k {
            let sum: f64 = (j..i).map(|t| factor[i * k + t] * lower[t * k + j]).sum();
            lower[i * k + j] = -sum / factor[i * k + i];
        }
    }
    let mut inverse = vec![0.0; k * k];
    for a in 0..k {
        for b in 0..=a {
            let sum: f64 = (a..k).map(|t| lower[t * k + a] * lower[t * k + b]).sum();
            inverse[a * k + b] = sum;
            inverse[b * k + a] = sum;
        }
    }
    inverse
}

/// Solves with a Cholesky factor.
pub(super) fn solve(factor: &[f64], right: &[f64], k: usize) -> Vec<f64> {
    let mut x = right.to_vec();
    for a in 0..k {
        let sum: f64 = (0..a).map(|b| factor[a * k + b] * x[b]).sum();
        x[a] = (x[a] - sum) / factor[a * k + a];
    }
    for a in (0..k).rev() {
        let sum: f64 = (a + 1..k).map(|b| factor[b * k + a] * x[b]).sum();
        x[a] = (x[a] - sum) / factor[a * k + a];
    }
    x
}
