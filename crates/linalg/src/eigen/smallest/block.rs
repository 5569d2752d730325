//! Blocks of vectors: a few columns (for dense products) or the same stored row by row (for sparse ones,
//! where one gather then serves the whole block).

use crate::orthonormal;
use faer::{Mat, MatRef};
use rand::Rng;

/// The columns, stored row by row.
pub(super) fn to_rows(x: MatRef<'_, f64>) -> Vec<f64> {
    let width = x.ncols();
    let mut rows = vec![0.0; x.nrows() * width];
    for j in 0..width {
        for (i, value) in x.col(j).iter().enumerate() {
            rows[i * width + j] = *value;
        }
    }
    rows
}

/// The rows, as columns.
pub(super) fn from_rows(rows: &[f64], n: usize, width: usize) -> Mat<f64> {
    Mat::from_fn(n, width, |i, j| rows[i * width + j])
}

/// Independent normal columns.
pub(super) fn random(n: usize, width: usize, rng: &mut impl Rng) -> Mat<f64> {
    let mut columns = Mat::zeros(n, width);
    orthonormal::fill_normal(columns.as_mut(), rng);
    columns
}

/// The columns of both.
pub(super) fn beside(x: MatRef<'_, f64>, y: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(x.nrows(), x.ncols() + y.ncols());
    out.as_mut().subcols_mut(0, x.ncols()).copy_from(x);
    out.as_mut().subcols_mut(x.ncols(), y.ncols()).copy_from(y);
    out
}
