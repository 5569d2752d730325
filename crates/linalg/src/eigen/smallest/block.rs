//! Blocks of vectors: a few columns (for dense products) or the same stored row by row (for sparse ones,
//! where one gather then serves the whole block).

use crate::orthonormal;
use faer::{Mat, MatRef};
use lowland_base::{Result, Run, parallel};
use rand::Rng;
use rayon::prelude::*;

/// Rows that one task takes.
const ROWS: usize = 4096;

/// The columns, stored row by row.
pub(super) fn to_rows(x: MatRef<'_, f64>, run: &Run) -> Result<Vec<f64>> {
    let width = x.ncols();
    let mut rows = vec![0.0; x.nrows() * width];
    parallel::fill_rows(run, &mut rows, width, ROWS, |range, part| {
        let x = x.get(range, ..);
        for j in 0..width {
            for (row, value) in part.chunks_exact_mut(width).zip(x.col(j).iter()) {
                row[j] = *value;
            }
        }
    })?;
    Ok(rows)
}

/// The rows, as columns.
pub(super) fn from_rows(rows: &[f64], n: usize, width: usize, run: &Run) -> Result<Mat<f64>> {
    let mut columns = Mat::zeros(n, width);
    run.check()?;
    run.install(|| {
        columns.as_mut().par_row_chunks_mut(ROWS).enumerate().for_each(|(c, mut part)| {
            let rows = &rows[c * ROWS * width..];
            for (j, column) in part.as_mut().col_iter_mut().enumerate() {
                for (value, row) in column.iter_mut().zip(rows.chunks_exact(width)) {
                    *value = row[j];
                }
            }
        });
    });
    Ok(columns)
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
