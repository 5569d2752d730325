//! The sign of a direction is free: the entry of largest magnitude is made positive.

use ndarray::{Array2, ArrayView1};

/// Whether the entry of largest magnitude is negative; of equal ones the first counts.
fn is_negative(direction: ArrayView1<'_, f64>) -> bool {
    direction.iter().fold(0.0f64, |most, &x| if x.abs() > most.abs() { x } else { most }) < 0.0
}

/// Makes the entry of largest magnitude of each column positive.
pub(crate) fn fix_columns(columns: &mut Array2<f64>) {
    for mut column in columns.columns_mut() {
        if is_negative(column.view()) {
            column.mapv_inplace(|x| -x);
        }
    }
}

/// Makes the entry of largest magnitude of each row positive, and gives the same sign to the same row of `other`.
pub(crate) fn fix_rows_with(rows: &mut Array2<f64>, other: &mut Array2<f64>) {
    for (mut row, mut other) in rows.rows_mut().into_iter().zip(other.rows_mut()) {
        if is_negative(row.view()) {
            row.mapv_inplace(|x| -x);
            other.mapv_inplace(|x| -x);
        }
    }
}
