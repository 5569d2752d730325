//! Sums and norms that neither overflow nor lose digits, and scaling by powers of two, which is exact.

use faer::{ColRef, MatMut, MatRef};
use lowland_base::{Error, Result, Scalar};

/// `sum w_i x_i`, in double precision; without weights the plain sum.
pub(crate) fn weighted_sum<T: Scalar>(x: ColRef<'_, T>, weights: Option<&[T]>) -> T {
    let sum: f64 = match weights {
        Some(weights) => weights.iter().zip(x.iter()).map(|(w, x)| w.wide() * x.wide()).sum(),
        None => x.iter().map(|x| x.wide()).sum(),
    };
    T::of(sum)
}

/// The largest magnitude. Not a number if any entry is not.
pub(crate) fn max_abs<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    let (mut largest, mut broken) = (T::zero(), false);
    for column in a.col_iter() {
        for &x in column.iter() {
            let size = if x < T::zero() { -x } else { x };
            largest = if size > largest { size } else { largest };
            broken |= size.is_nan();
        }
    }
    if broken { f64::NAN } else { largest.wide() }
}

/// The Euclidean norm of a column, scaled by its largest entry before squaring where squares could leave the
/// range of numbers.
pub(crate) fn norm<T: Scalar>(x: ColRef<'_, T>) -> f64 {
    let largest = max_abs(x.as_mat());
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    if !(1e-120..1e120).contains(&largest) {
        let sum: f64 = x.iter().map(|x| (x.wide() / largest).powi(2)).sum();
        return largest * sum.sqrt();
    }
    let Some(x) = x.try_as_col_major() else {
        return x.iter().map(|x| x.wide().powi(2)).sum::<f64>().sqrt();
    };
    let mut sums = [0.0; 8];
    for chunk in x.as_slice().chunks(8) {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x.wide() * x.wide();
        }
    }
    sums.iter().sum::<f64>().sqrt()
}

/// The exponent `k` for which `2^k` brings `size` near 1; 0 for zero.
pub(crate) fn exponent_to_one(size: f64) -> i32 {
    if size > 0.0 && size.is_finite() { -(size.log2().floor() as i32) } else { 0 }
}

/// `x 2^k`, in two steps because `2^k` alone may not be representable.
pub(crate) fn times_power<T: Scalar>(x: T, k: i32) -> T {
    let (first, second) = power_factors::<T>(k);
    x * first * second
}

/// Every entry times `2^k`.
pub(crate) fn scale_by_power<T: Scalar>(mut a: MatMut<'_, T>, k: i32) {
    if k == 0 {
        return;
    }
    let (first, second) = power_factors::<T>(k);
    for column in a.as_mut().col_iter_mut() {
        for x in column.iter_mut() {
            *x = *x * first * second;
        }
    }
}

fn power_factors<T: Scalar>(k: i32) -> (T, T) {
    let half = k / 2;
    (T::of(2f64.powi(half)), T::of(2f64.powi(k - half)))
}

/// Refuses NaN and infinity, and says where they are.
pub(crate) fn check_finite<T: Scalar>(what: &'static str, a: MatRef<'_, T>) -> Result<()> {
    if max_abs(a).is_finite() {
        return Ok(());
    }
    let (mut first, mut count) = ((0, 0), 0);
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            if !a[(i, j)].wide().is_finite() {
                if count == 0 {
                    first = (i, j);
                }
                count += 1;
            }
        }
    }
    Err(Error::NotFinite { what, row: first.0, column: first.1, value: a[first].wide(), count })
}
