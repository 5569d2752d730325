//! The trivial vector, which is the same for every graph, taken out of the pairs found.

use super::weights::{Found, Matrix};
use faer::Mat;
use lowland_base::{Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::{Eigenpairs, Operator, Request, Which, eigen};

/// How near the first vector found must be to the trivial one, to be left out as it is.
const KNOWN: f64 = 1e-10;

/// The pairs without the trivial one. Where the graph is nearly disconnected, the trivial vector is mixed with those of other
/// small eigenvalues: then the space of all is rotated until it is one of them.
pub(super) fn without(found: Found, first: &[f64], run: &Run) -> Result<Eigenpairs<f64>> {
    let Found { pairs, matrix, .. } = found;
    let (n, k) = (pairs.vectors.nrows(), pairs.values.len());
    if k <= 1 {
        return Ok(Eigenpairs { values: Vec::new(), vectors: Mat::zeros(n, 0), residuals: Vec::new() });
    }
    let length = first.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut along: Vec<f64> =
        (0..k).map(|j| (0..n).map(|i| pairs.vectors[(i, j)] * (first[i] / length)).sum::<f64>()).collect();
    if (1.0 - along[0].abs()).abs() <= KNOWN {
        return Ok(Eigenpairs {
            values: pairs.values[1..].to_vec(),
            vectors: pairs.vectors.subcols(1, k - 1).to_owned(),
            residuals: pairs.residuals[1..].to_vec(),
        });
    }
    // Householder: H = I - 2 u u' takes the known direction to the first axis.
    let norm = along.iter().map(|x| x * x).sum::<f64>().sqrt();
    along[0] += if along[0] >= 0.0 { norm } else { -norm };
    let square: f64 = along.iter().map(|x| x * x).sum();
    let reflection = Mat::from_fn(k, k, |i, j| f64::from(i == j) - 2.0 * along[i] * along[j] / square);
    let rest = reflection.subcols(1, k - 1);
    let small = Mat::from_fn(k - 1, k - 1, |a, b| {
        (0..k).map(|i| rest[(i, a)] * pairs.values[i] * rest[(i, b)]).sum::<f64>()
    });
    let small = Mat::from_fn(k - 1, k - 1, |a, b| 0.5 * (small[(a, b)] + small[(b, a)]));
    let within = eigen::solve(&Dense::new(small.as_ref())?, &Request::new(k - 1, Which::Smallest), run)?;
    let combine = |i: usize, j: usize, m: faer::MatRef<'_, f64>, r: faer::MatRef<'_, f64>| {
        (0..r.nrows()).map(|l| m[(i, l)] * r[(l, j)]).sum::<f64>()
    };
    let rotated = Mat::from_fn(k, k - 1, |i, j| combine(i, j, rest, within.vectors.as_ref()));
    let vectors = Mat::from_fn(n, k - 1, |i, j| combine(i, j, pairs.vectors.as_ref(), rotated.as_ref()));
    let mut image = Mat::zeros(n, k - 1);
    let negated = match &matrix {
        Matrix::Sparse(matrix) => {
            Operator::apply(matrix, vectors.as_ref(), image.as_mut(), run)?;
            false
        }
        Matrix::Dense { matrix, negated } => {
            matrix.apply(vectors.as_ref(), image.as_mut(), run)?;
            *negated
        }
    };
    let residuals = within.values.iter().enumerate().map(|(j, &m)| {
        let value = if negated { 1.0 - m } else { m };
        (0..n).map(|i| (image[(i, j)] - value * vectors[(i, j)]).powi(2)).sum::<f64>().sqrt()
    });
    let residuals = residuals.collect();
    Ok(Eigenpairs { values: within.values, vectors, residuals })
}
