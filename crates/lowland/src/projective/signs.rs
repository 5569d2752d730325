//! The sign of directions, by the one rule of `lowland_linalg::signs`.

use lowland_linalg::signs::leading_is_negative;
use ndarray::Array2;

/// Makes the entry of largest magnitude of each column positive.
pub(crate) fn fix_columns(columns: &mut Array2<f64>) {
    for mut column in columns.columns_mut() {
        if leading_is_negative(column.iter().copied()) {
            column.mapv_inplace(|x| -x);
        }
    }
}

/// Makes the entry of largest magnitude of each row positive, and gives the same sign to the same row of `other`.
pub(crate) fn fix_rows_with(rows: &mut Array2<f64>, other: &mut Array2<f64>) {
    for (mut row, mut other) in rows.rows_mut().into_iter().zip(other.rows_mut()) {
        if leading_is_negative(row.iter().copied()) {
            row.mapv_inplace(|x| -x);
            other.mapv_inplace(|x| -x);
        }
    }
}
