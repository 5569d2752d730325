//! The sums behind the metrics. Sixteen accumulators in a fixed pattern: the compiler turns them into vector
//! instructions, and the bits are the same with and without them.

use lowland_base::Scalar;

/// The number of accumulators.
const LANES: usize = 16;

/// The rows up to this width are summed from left to right: the tree does the same for many points at once.
pub(crate) const SHORT: usize = LANES;

/// `join` over `term(a_i, b_i)`, from zero.
#[inline(always)]
pub(crate) fn fold<T: Scalar>(a: &[T], b: &[T], term: impl Fn(T, T) -> T, join: impl Fn(T, T) -> T) -> T {
    let width = a.len().min(b.len());
    let (a, b) = (&a[..width], &b[..width]);
    if width <= SHORT {
        return a.iter().zip(b).fold(T::zero(), |sum, (&x, &y)| join(sum, term(x, y)));
    }
    let mut lanes = [T::zero(); LANES];
    let (whole_a, rest_a) = a.as_chunks::<LANES>();
    let (whole_b, rest_b) = b.as_chunks::<LANES>();
    for (x, y) in whole_a.iter().zip(whole_b) {
        for l in 0..LANES {
            lanes[l] = join(lanes[l], term(x[l], y[l]));
        }
    }
    for l in 0..rest_a.len() {
        lanes[l] = join(lanes[l], term(rest_a[l], rest_b[l]));
    }
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = join(lanes[l], lanes[l + half]);
        }
        half /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn add<T: Scalar>(a: T, b: T) -> T {
    a + b
}

/// The larger of two numbers that are not NaN.
#[inline(always)]
pub(crate) fn larger<T: Scalar>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[inline(always)]
pub(crate) fn squared_euclidean<T: Scalar>(a: &[T], b: &[T]) -> T {
    fold(a, b, |x, y| (x - y) * (x - y), add)
}

#[inline(always)]
pub(crate) fn manhattan<T: Scalar>(a: &[T], b: &[T]) -> T {
    fold(a, b, |x, y| (x - y).abs(), add)
}

#[inline(always)]
pub(crate) fn chebyshev<T: Scalar>(a: &[T], b: &[T]) -> T {
    fold(a, b, |x, y| (x - y).abs(), larger)
}

#[inline(always)]
pub(crate) fn euclidean<T: Scalar>(a: &[T], b: &[T]) -> T {
    match root(squared_euclidean(a, b)) {
        Some(distance) => distance,
        None => scaled_euclidean(a, b),
    }
}

/// The square root of a sum of squares, unless squares may have overflowed or have lost digits to underflow.
#[inline(always)]
pub(crate) fn root<T: Scalar>(sum: T) -> Option<T> {
    (sum >= smallest_sound_sum() && sum <= T::max_value()).then(|| sum.sqrt())
}

/// Every underflowing square is off by less than the smallest positive number times epsilon; above this sum
/// a billion of them do not show.
#[inline(always)]
pub(crate) fn smallest_sound_sum<T: Scalar>() -> T {
    T::min_positive_value() / <T as Scalar>::EPSILON
}

/// The same sum in the same order, scaled by a power of two: the same bits wherever both are sound.
#[cold]
#[inline(never)]
fn scaled_euclidean<T: Scalar>(a: &[T], b: &[T]) -> T {
    let largest = chebyshev(a, b);
    if largest == T::zero() || !largest.is_finite() {
        return largest;
    }
    let scale = toward_one(largest);
    fold(a, b, |x, y| ((x - y) * scale) * ((x - y) * scale), add).sqrt() / scale
}

/// A power of two that brings `value` near 1, as far as that power exists.
pub(crate) fn toward_one<T: Scalar>(value: T) -> T {
    let most = if T::NAME == "f32" { 120.0 } else { 1000.0 };
    let exponent = (-value.wide().log2().floor()).clamp(-most, most);
    T::of(exponent.exp2())
}

#[inline(always)]
pub(crate) fn minkowski<T: Scalar>(a: &[T], b: &[T], p: T) -> T {
    let largest = chebyshev(a, b);
    if largest == T::zero() || !largest.is_finite() {
        return largest;
    }
    largest * fold(a, b, |x, y| ((x - y).abs() / largest).powf(p), add).powf(p.recip())
}

/// Half the squared distance of unit vectors is one minus their cosine, without its cancellation.
#[inline(always)]
pub(crate) fn half_squared<T: Scalar>(a: &[T], b: &[T]) -> T {
    let half = squared_euclidean(a, b) * T::of(0.5);
    if half > T::of(2.0) { T::of(2.0) } else { half }
}

#[inline(always)]
pub(crate) fn hamming<T: Scalar>(a: &[T], b: &[T]) -> T {
    let differ: usize = a.iter().zip(b).map(|(x, y)| usize::from(x != y)).sum();
    if a.is_empty() { T::zero() } else { T::of(differ as f64) / T::of(a.len() as f64) }
}

#[inline(always)]
pub(crate) fn jaccard<T: Scalar>(a: &[T], b: &[T]) -> T {
    let (mut both, mut either) = (0_usize, 0_usize);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (*x != T::zero(), *y != T::zero());
        both += usize::from(x & y);
        either += usize::from(x | y);
    }
    if either == 0 { T::zero() } else { T::of((either - both) as f64) / T::of(either as f64) }
}

/// Writes the row divided by its length, and a 0; or, for a zero row, zeros and a 1. The last entry makes
/// the zero row orthogonal to all others, and equal to its like.
pub(crate) fn unit<T: Scalar>(row: &[T], out: &mut [T]) {
    let (body, last) = out.split_at_mut(row.len());
    body.copy_from_slice(row);
    last.fill(T::zero());
    if !normalize(body) {
        last.fill(T::one());
    }
}

/// As [`unit`], after taking the row's mean away. The first entry goes first: what is left of a constant row
/// is exactly zero, and an offset costs no digits.
pub(crate) fn centered_unit<T: Scalar>(row: &[T], out: &mut [T]) {
    let (body, last) = out.split_at_mut(row.len());
    last.fill(T::zero());
    for (to, &from) in body.iter_mut().zip(row) {
        *to = from - row[0];
    }
    if !normalize(body) {
        last.fill(T::one());
        return;
    }
    let mean = fold(body, body, |x, _| x, add) / T::of(row.len() as f64);
    body.iter_mut().for_each(|x| *x -= mean);
    normalize(body);
}

/// Divides by the length; false for a zero vector.
fn normalize<T: Scalar>(row: &mut [T]) -> bool {
    let largest = fold(row, row, |x, _| x.abs(), larger);
    if largest == T::zero() || !largest.is_finite() {
        row.fill(T::zero());
        return false;
    }
    let scale = toward_one(largest);
    row.iter_mut().for_each(|x| *x *= scale);
    let length = fold(row, row, |x, y| x * y, add).sqrt();
    row.iter_mut().for_each(|x| *x /= length);
    true
}
