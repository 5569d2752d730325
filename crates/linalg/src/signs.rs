//! The sign of a vector that is known up to its sign: one rule for eigenvectors, singular vectors, loadings and directions.

use faer::MatMut;
use lowland_base::Scalar;

/// Whether the entry of largest magnitude, the first where several tie, is negative: then the vector is to be
/// negated, with whatever belongs to it.
pub fn leading_is_negative<T: Scalar>(entries: impl Iterator<Item = T>) -> bool {
    let mut leading = 0.0f64;
    for x in entries {
        if x.wide().abs() > leading.abs() {
            leading = x.wide();
        }
    }
    leading < 0.0
}

/// Negates each column that has to be.
pub fn fix<T: Scalar>(columns: MatMut<'_, T>) {
    for column in columns.col_iter_mut() {
        if leading_is_negative(column.as_ref().iter().copied()) {
            column.iter_mut().for_each(|x| *x = -*x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entry_of_largest_magnitude_becomes_positive() {
        let mut columns = faer::mat![[1.0, 2.0, 0.0, -3.0], [-2.0, -2.0, 0.0, 3.0]];
        fix(columns.as_mut());
        assert_eq!(columns, faer::mat![[-1.0, 2.0, 0.0, 3.0], [2.0, -2.0, 0.0, -3.0]]);
    }
}
