//! The inverse of a small matrix, and the pseudo-inverse of a tall one.

use super::relatives::product;
use faer::{Mat, MatRef};
use lowland_base::{Result, Run};
use lowland_linalg::svd;
use ndarray::Array2;

/// The pseudo-inverse of a tall matrix, transposed; what rounding leaves of zero has no inverse.
pub(crate) fn pseudo_inverse(g: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
    let parts = svd::thin(g, run)?;
    let floor = f64::EPSILON * (g.nrows() + g.ncols()) as f64 * parts.values.first().copied().unwrap_or(0.0);
    let inverse = |value: f64| if value > floor { 1.0 / value } else { 0.0 };
    let scaled =
        Mat::from_fn(g.nrows(), parts.values.len(), |i, c| parts.left[(i, c)] * inverse(parts.values[c]));
    product(scaled.as_ref(), parts.right.transpose(), run)
}

/// The inverse by elimination with pivots, and the logarithm of the determinant's magnitude; `None` of a singular one.
pub(crate) fn inverse(matrix: &Array2<f64>) -> Option<(Array2<f64>, f64)> {
    let k = matrix.nrows();
    let mut a = matrix.as_standard_layout().into_owned();
    let mut inverse: Array2<f64> = Array2::eye(k);
    let mut log_det = 0.0;
    for c in 0..k {
        let pivot = (c..k).fold(c, |best, r| if a[(r, c)].abs() > a[(best, c)].abs() { r } else { best });
        let value = a[(pivot, c)];
        if value == 0.0 || !value.is_finite() {
            return None;
        }
        log_det += value.abs().ln();
        for m in [&mut a, &mut inverse] {
            for j in 0..k {
                m.swap((c, j), (pivot, j));
            }
            m.row_mut(c).mapv_inplace(|x| x / value);
        }
        let factors = a.column(c).to_owned();
        for m in [&mut a, &mut inverse] {
            let row = m.row(c).to_owned();
            for (r, &factor) in factors.iter().enumerate() {
                if r != c && factor != 0.0 {
                    m.row_mut(r).scaled_add(-factor, &row);
                }
            }
        }
    }
    Some((inverse, log_det))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn the_product_is_the_unit_matrix_and_the_determinant_that_of_the_rows() {
        for k in [1, 2, 3, 7, 40] {
            let mut rng = Run::new().with_seed(k as u64).rng("inverse");
            let mut a = Array2::from_shape_fn((k, k), |_| rng.random::<f64>() - 0.5);
            a[(0, 0)] = 0.0;
            if k == 1 {
                assert!(inverse(&a).is_none());
                a[(0, 0)] = -2.0;
            }
            let (b, log_det) = inverse(&a).unwrap();
            assert!((a.dot(&b) - Array2::<f64>::eye(k)).iter().all(|e| e.abs() < 1e-11), "{k}");
            let doubled = inverse(&(2.0 * &a)).unwrap().1;
            assert!((doubled - log_det - k as f64 * 2f64.ln()).abs() < 1e-12 * k as f64);
            if k == 2 {
                assert!((log_det - (a[(0, 1)] * a[(1, 0)]).abs().ln()).abs() < 1e-14);
            }
            if k > 2 {
                let twice = a.row(0).to_owned();
                a.row_mut(1).assign(&twice);
                let singular = inverse(&a).is_none_or(|(_, log_det)| log_det < -30.0);
                assert!(singular, "{k}");
            }
        }
    }
}
