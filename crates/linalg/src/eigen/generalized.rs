//! The generalized problem `A v = l B v` with positive definite `B`.

use super::{Eigenpairs, Request, dense, rounding};
use crate::operator::{Dense, Normalized, Operator};
use crate::scale;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Auto, Mat, MatRef, Spec};
use lowland_base::{Error, Result, Run, Scalar, parallel, precompiled};

/// The pairs of `A v = l B v` for dense symmetric `A` and dense positive definite `B`. The vectors are
/// orthonormal with respect to `B`; the residuals are `|A v - l B v|`, and are held to the tolerance times
/// `(|A| + |l| |B|) |v|`.
pub fn solve_dense<T: Scalar>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    request: &Request,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    T::run_precompiled::<SolveDense>((a, b, request, run))
}

precompiled!(
    SolveDense,
    double,
    solve_dense_in(a: MatRef<'r, T>, b: MatRef<'r, T>, request: &'r Request, run: &'r Run) -> Result<Eigenpairs<T>>
);

fn solve_dense_in<T: Scalar>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    request: &Request,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    let (a_op, b_op) = (Dense::new(a)?, Dense::new(b)?);
    let n = a_op.order();
    if b_op.order() != n {
        return Err(Error::Width { what: "right-hand matrix", expected: n, found: b_op.order() });
    }
    scale::check_finite("left-hand matrix", a)?;
    scale::check_finite("right-hand matrix", b)?;
    run.reserve("the generalized eigenproblem", 2 * dense::memory::<T>(n), "reduce the number of rows")?;

    // D A D (D v) = l D B D (D v): with a unit diagonal the Cholesky factor does not depend on the units.
    // Powers of two, so that the scaling is exact.
    if let Some(i) = (0..n).find(|&i| b[(i, i)] <= T::zero()) {
        return Err(indefinite(b[(i, i)].wide(), scale::max_abs(b)));
    }
    let powers: Vec<i32> = (0..n).map(|i| scale::exponent_to_one(b[(i, i)].wide()) / 2).collect();
    let balanced = |m: MatRef<'_, T>, common: i32| {
        Mat::from_fn(n, n, |i, j| scale::times_power(m[(i, j)], powers[i] + powers[j] + common))
    };
    let factor = factorize(balanced(b, 0), run)?;
    let common =
        (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).fold(f64::NEG_INFINITY, |most: f64, (i, j)| {
            let size = a[(i, j)].wide().abs();
            if size > 0.0 { most.max(size.log2() + f64::from(powers[i] + powers[j])) } else { most }
        });
    let common = if common.is_finite() { -(common.floor() as i32) } else { 0 };
    let mut reduced = balanced(a, common);
    // L^-1 A L^-T, by rows and then by columns.
    run.install(|| {
        solve_lower_triangular_in_place(factor.as_ref(), reduced.as_mut(), parallel::FAER);
        solve_lower_triangular_in_place(factor.as_ref(), reduced.as_mut().transpose_mut(), parallel::FAER);
    });
    for j in 0..n {
        for i in j + 1..n {
            let mean = (reduced[(i, j)] + reduced[(j, i)]) * T::of(0.5);
            (reduced[(i, j)], reduced[(j, i)]) = (mean, mean);
        }
    }
    let Eigenpairs { mut values, mut vectors, .. } =
        super::solve(&Dense::new(reduced.as_ref())?, request, run)?;
    run.install(|| {
        solve_upper_triangular_in_place(factor.as_ref().transpose(), vectors.as_mut(), parallel::FAER);
    });
    for j in 0..vectors.ncols() {
        for i in 0..n {
            vectors[(i, j)] = scale::times_power(vectors[(i, j)], powers[i]);
        }
    }
    for value in &mut values {
        *value = scale::times_power(*value, -common);
    }
    finish(&a_op, &b_op, values, vectors, Some((frobenius(a), frobenius(b))), request, run)
}

/// The pairs of `A v = l D v` for a diagonal `D > 0`, through the symmetric `D^-1/2 A D^-1/2`: products
/// only. The vectors are orthonormal with respect to `D`.
pub fn solve_diagonal<T: Scalar>(
    op: &dyn Operator<T>,
    diagonal: &[T],
    request: &Request,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    if let Some(&entry) = diagonal.iter().find(|d| d.wide() <= 0.0) {
        let largest = diagonal.iter().fold(0.0f64, |largest, d| largest.max(d.wide()));
        return Err(indefinite(entry.wide(), largest));
    }
    let normalized = Normalized::new(op, diagonal)?;
    let Eigenpairs { values, mut vectors, .. } = super::solve(&normalized, request, run)?;
    for j in 0..vectors.ncols() {
        for (i, &factor) in normalized.factors().iter().enumerate() {
            vectors[(i, j)] *= factor;
        }
    }
    // Held to the tolerance as pairs of the normalized operator already.
    finish(op, &Diagonal(diagonal), values, vectors, None, request, run)
}

/// Residuals with respect to both matrices, signs, and the check against the norms of both.
fn finish<T: Scalar>(
    a: &dyn Operator<T>,
    b: &dyn Operator<T>,
    values: Vec<T>,
    vectors: Mat<T>,
    norms: Option<(f64, f64)>,
    request: &Request,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    let n = a.order();
    let mut residuals = vec![T::zero(); values.len()];
    let mut excess = 0.0f64;
    let allowed = request.tolerance.unwrap_or(0.0).max(rounding::<T>(n));
    let (mut left, mut right) = (Mat::zeros(n, values.len()), Mat::zeros(n, values.len()));
    a.apply(vectors.as_ref(), left.as_mut(), run)?;
    b.apply(vectors.as_ref(), right.as_mut(), run)?;
    for (j, &value) in values.iter().enumerate() {
        for i in 0..n {
            left[(i, j)] -= value * right[(i, j)];
        }
        let residual = scale::norm(left.col(j));
        if let Some((norm_a, norm_b)) = norms {
            let size = (norm_a + value.wide().abs() * norm_b) * scale::norm(vectors.col(j));
            excess = if residual > 0.0 { excess.max(residual / (allowed * size)) } else { excess };
        }
        residuals[j] = T::of(residual);
    }
    let mut pairs = Eigenpairs { values, vectors, residuals };
    pairs.sort(request.which);
    pairs.fix_signs();
    if excess > 1.0 {
        let worst = pairs.worst_residual().wide();
        let remedy = "the right-hand matrix is close to singular: regularize it";
        return pairs.accept(worst / excess, "the generalized eigenproblem", 1, remedy);
    }
    Ok(pairs)
}

/// Up to this order a factorization takes a few milliseconds.
const QUICK: usize = 400;

/// A small matrix is not worth the tasks. It depends on the order alone, as the bits must.
pub(crate) fn parallelism(order: usize) -> faer::Par {
    if order <= QUICK { faer::Par::Seq } else { parallel::FAER }
}

/// The lower Cholesky factor; the strict upper triangle is not zeroed, and never read. `None` where there is none.
pub(crate) fn cholesky<T: Scalar>(mut b: Mat<T>, run: &Run) -> Result<Option<Mat<T>>> {
    let n = b.nrows();
    let factorize = move || {
        let params = Spec::<LltParams, T>::from(<LltParams as Auto<T>>::auto());
        let par = parallelism(n);
        let need = cholesky_in_place_scratch::<T>(n, par, params);
        let mut buffer = MemBuffer::try_new(need).ok()?;
        let stack = MemStack::new(&mut buffer);
        cholesky_in_place(b.as_mut(), Default::default(), par, stack, params).ok()?;
        Some(b)
    };
    // A small one is over before the switch could be looked at.
    if n <= QUICK { Ok(run.install(factorize)) } else { run.interruptible(factorize) }
}

/// The factor of a matrix of unit diagonal that is not singular.
fn factorize<T: Scalar>(b: Mat<T>, run: &Run) -> Result<Mat<T>> {
    let (n, kept) = (b.nrows(), b.clone());
    // A pivot that is all rounding error belongs to a singular matrix.
    let regular = |factor: &Mat<T>| {
        let smallest = (0..n).map(|i| factor[(i, i)].wide()).fold(f64::INFINITY, f64::min);
        n == 0 || smallest * smallest > n as f64 * T::EPSILON.wide()
    };
    match cholesky(b, run)?.filter(regular) {
        Some(factor) => Ok(factor),
        None => {
            let spectrum = dense::decompose(kept, n, super::Which::Smallest, run)?.values;
            Err(indefinite(spectrum[0].wide(), spectrum[n - 1].wide()))
        }
    }
}

fn indefinite(smallest: f64, largest: f64) -> Error {
    let remedy = "add a small multiple of the identity to it".into();
    Error::Indefinite { what: "right-hand", smallest, largest, remedy }
}

fn frobenius<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    let largest = scale::max_abs(a);
    if largest == 0.0 {
        return 0.0;
    }
    let sum: f64 = a.col_iter().map(|c| c.iter().map(|x| (x.wide() / largest).powi(2)).sum::<f64>()).sum();
    largest * sum.sqrt()
}

struct Diagonal<'a, T>(&'a [T]);

impl<T: Scalar> Operator<T> for Diagonal<'_, T> {
    fn order(&self) -> usize {
        self.0.len()
    }

    fn apply(&self, x: MatRef<'_, T>, mut out: faer::MatMut<'_, T>, _run: &Run) -> Result<()> {
        for j in 0..x.ncols() {
            for (i, &d) in self.0.iter().enumerate() {
                out[(i, j)] = d * x[(i, j)];
            }
        }
        Ok(())
    }
}
