//! The dense decomposition: the only caller of faer's. It loses digits, silently, on matrices whose
//! entries are far from 1, so that the matrix is scaled by a power of two before and the values after.

use super::{Eigenpairs, Which};
use crate::operator::Operator;
use crate::{rate, scale};
use faer::diag::{Diag, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::evd::{ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd_scratch};
use faer::linalg::evd::{tridiag, tridiagonal_self_adjoint_evd};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as reflect_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as reflect,
};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Accum, Auto, Conj, Mat, MatRef, Spec};
use lowland_base::{Error, Result, Run, Scalar, parallel};

/// From this order on the decomposition can take long enough to be worth interrupting.
const LONG: usize = 400;

/// The share of the rate of matrix products at which it works.
const RATE: f64 = 0.2;

/// The bytes that [`solve`] needs beyond the operator.
pub(crate) fn memory<T: Scalar>(n: usize) -> u64 {
    4 * (n as u64).pow(2) * size_of::<T>() as u64
}

/// About how long [`solve`] takes: only its ratio to the forecasts of other ways matters.
pub(crate) fn seconds(n: usize) -> f64 {
    2.6e-10 * (n as f64).powi(3)
}

/// `count` pairs by the decomposition of the whole matrix, and the spectral norm of the matrix.
pub(crate) fn solve<T: Scalar>(
    op: &dyn Operator<T>,
    count: usize,
    which: Which,
    run: &Run,
) -> Result<(Eigenpairs<T>, f64)> {
    let n = op.order();
    if n == 0 {
        return Ok((Eigenpairs::empty(0), 0.0));
    }
    run.reserve("the dense eigendecomposition", memory::<T>(n), "ask for fewer pairs, or a sparse method")?;
    let mut matrix = op.to_dense(run)?;
    let largest = checked_max(&matrix)?;
    let power = scale::exponent_to_one(largest.2);
    scale::scale_by_power(matrix.as_mut(), power);
    let decomposition = decompose_well(matrix, count, which, run)?;
    let back = |value: T| scale::times_power(value, -power);
    let norm = back(decomposition.norm).wide();
    if !norm.is_finite() {
        let (row, column, value) = largest;
        let bound = value / decomposition.norm.wide();
        return Err(Error::TooLarge { what: "symmetric matrix", row, column, value, bound, count: 1 });
    }
    let values = decomposition.values.into_iter().map(back).collect();
    Ok((Eigenpairs::of(op, values, decomposition.vectors, which, run)?, norm))
}

/// The position and magnitude of the largest entry of a matrix without NaN and infinities.
fn checked_max<T: Scalar>(matrix: &Mat<T>) -> Result<(usize, usize, f64)> {
    scale::check_finite("symmetric matrix", matrix.as_ref())?;
    let largest = scale::max_abs(matrix.as_ref());
    for j in 0..matrix.ncols() {
        for i in 0..matrix.nrows() {
            if matrix[(i, j)].wide().abs() == largest {
                return Ok((i, j, largest));
            }
        }
    }
    Ok((0, 0, largest))
}

/// What [`decompose`] returns.
pub(crate) struct Decomposition<T> {
    /// The wanted values, in the wanted order.
    pub values: Vec<T>,
    /// Their unit vectors.
    pub vectors: Mat<T>,
    /// The largest magnitude of all eigenvalues.
    pub norm: T,
}

/// [`decompose_finely`] where that costs little, else [`decompose`].
pub(crate) fn decompose_well<T: Scalar>(
    matrix: Mat<T>,
    count: usize,
    which: Which,
    run: &Run,
) -> Result<Decomposition<T>> {
    if matrix.nrows() < LONG {
        decompose_finely(matrix.as_ref(), count, which, run)
    } else {
        decompose(matrix, count, which, run)
    }
}

/// As [`decompose`], for a small matrix, with the last digits that faer leaves behind restored by a step of
/// Ogita and Aishima's refinement (2018): its first-order correction of all vectors at once, `X + X E`.
/// The errors of a restarted iteration add up, so they must be small.
pub(crate) fn decompose_finely<T: Scalar>(
    matrix: MatRef<'_, T>,
    count: usize,
    which: Which,
    run: &Run,
) -> Result<Decomposition<T>> {
    let n = matrix.nrows();
    let count = count.min(n);
    let mut all = decompose(matrix.to_owned(), n, which, run)?;
    let product = |a: MatRef<'_, T>, b: MatRef<'_, T>| {
        let mut out = Mat::zeros(a.nrows(), b.ncols());
        run.install(|| matmul(out.as_mut(), Accum::Replace, a, b, T::one(), parallel::FAER));
        out
    };
    let vectors = all.vectors.as_ref();
    let wanted = vectors.subcols(0, count);
    // Symmetric to the bit, else X + X E would not be orthogonal.
    let symmetric = |mut m: Mat<T>| {
        for j in 0..count {
            for i in j + 1..count {
                let mean = (m[(i, j)] + m[(j, i)]) * T::of(0.5);
                (m[(i, j)], m[(j, i)]) = (mean, mean);
            }
        }
        m
    };
    let overlap = symmetric(product(vectors.transpose(), wanted));
    let image = symmetric(product(vectors.transpose(), product(matrix, wanted).as_ref()));
    let unit = |i: usize, j: usize| if i == j { T::one() } else { T::zero() };
    for j in 0..count {
        all.values[j] = image[(j, j)] / overlap[(j, j)];
    }
    let skew = |i: usize, j: usize| unit(i, j) - overlap[(i, j)];
    let error = |i: usize, j: usize| image[(i, j)] + all.values[j] * skew(i, j);
    let mut worst = T::zero();
    for j in 0..count {
        for i in (0..n).filter(|&i| i != j) {
            let size = error(i, j);
            worst = worst.max(if size < T::zero() { -size } else { size });
        }
    }
    // The correction of a pair is its error over its gap. It must be so small that its square is nothing;
    // vectors of closer values are only made orthogonal.
    let apart = worst * T::of(8.0 / T::EPSILON.wide().sqrt());
    let mut correction = Mat::from_fn(n, count, |i, j| {
        let gap = all.values[j] - all.values[i];
        if i == j || (gap <= apart && gap >= -apart) { skew(i, j) * T::of(0.5) } else { error(i, j) / gap }
    });
    for j in 0..count {
        correction[(j, j)] += T::one();
    }
    all.vectors = product(vectors, correction.as_ref());
    all.values.truncate(count);
    Ok(all)
}

/// The wanted eigenpairs of a symmetric matrix with entries of about 1, of which the lower triangle is read.
pub(crate) fn decompose<T: Scalar>(
    matrix: Mat<T>,
    count: usize,
    which: Which,
    run: &Run,
) -> Result<Decomposition<T>> {
    let n = matrix.nrows();
    let result = if n < LONG {
        run.check()?;
        run.install(|| tridiagonal_route(matrix, count, which))
    } else {
        // The reduction to a tridiagonal matrix reads as much as it multiplies.
        let about = 4.0 / 3.0 * (n as f64).powi(3) + 2.0 * (n * n * count) as f64;
        run.interruptible_about(
            || rate::seconds(about, run.threads(), RATE),
            move || tridiagonal_route(matrix, count, which),
        )?
    };
    result.ok_or_else(|| Error::NotConverged {
        what: "the dense eigendecomposition".into(),
        residual: f64::INFINITY,
        tolerance: T::EPSILON.wide(),
        steps: 1,
        remedy: "check the matrix for extreme values".into(),
        found: None,
    })
}

/// Householder reduction, the whole spectrum of the tridiagonal matrix, and only the wanted vectors back.
fn tridiagonal_route<T: Scalar>(mut matrix: Mat<T>, count: usize, which: Which) -> Option<Decomposition<T>> {
    let n = matrix.nrows();
    let count = count.min(n);
    if n <= 1 {
        let values: Vec<T> = (0..count).map(|i| matrix[(i, i)]).collect();
        let norm = T::of(scale::max_abs(matrix.as_ref()));
        return Some(Decomposition { values, vectors: Mat::identity(n, count), norm });
    }
    let par = parallel::FAER;
    let params: SelfAdjointEvdParams = <SelfAdjointEvdParams as Auto<T>>::auto();
    let size = recommended_block_size::<T>(n, n);
    let mut reflectors = Mat::zeros(size, n - 1);
    let need = StackReq::any_of(&[
        tridiag::tridiag_in_place_scratch::<T>(n, par, params.tridiag.into()),
        reflect_scratch::<T>(n - 1, size, count),
    ]);
    let mut buffer = MemBuffer::try_new(need).ok()?;
    let stack = MemStack::new(&mut buffer);
    tridiag::tridiag_in_place(matrix.as_mut(), reflectors.as_mut(), par, stack, params.tridiag.into());

    let diagonal: Vec<T> = (0..n).map(|i| matrix[(i, i)]).collect();
    let below: Vec<T> = (1..n).map(|i| matrix[(i, i - 1)]).collect();
    let (spectrum, rotations) = tridiagonal(&diagonal, &below, params)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| which.order(spectrum[a], spectrum[b]));
    let norm = spectrum.iter().fold(T::zero(), |norm, &l| norm.max(if l < T::zero() { -l } else { l }));
    let mut vectors = Mat::from_fn(n, count, |i, j| rotations[(i, order[j])]);
    drop(rotations);
    let stack = MemStack::new(&mut buffer);
    let basis = matrix.as_ref().submatrix(1, 0, n - 1, n - 1);
    let rows = vectors.as_mut().subrows_mut(1, n - 1);
    reflect(basis, reflectors.as_ref(), Conj::No, rows, par, stack);
    Some(Decomposition { values: order[..count].iter().map(|&i| spectrum[i]).collect(), vectors, norm })
}

/// All eigenpairs of a tridiagonal matrix, itself brought to a largest entry of about 1.
fn tridiagonal<T: Scalar>(
    diagonal: &[T],
    below: &[T],
    params: SelfAdjointEvdParams,
) -> Option<(Vec<T>, Mat<T>)> {
    let n = diagonal.len();
    let par = parallel::FAER;
    let largest = diagonal.iter().chain(below).fold(0.0f64, |largest, x| largest.max(x.wide().abs()));
    let power = scale::exponent_to_one(largest);
    let scaled =
        |entries: &[T]| -> Vec<T> { entries.iter().map(|&x| scale::times_power(x, power)).collect() };
    let (diagonal, below) = (scaled(diagonal), scaled(below));
    let spec = Spec::<SelfAdjointEvdParams, T>::from(params);
    let mut values = Diag::<T>::zeros(n);
    let mut vectors = Mat::zeros(n, n);
    let mut buffer =
        MemBuffer::try_new(self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, par, spec)).ok()?;
    tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(&diagonal),
        DiagRef::from_slice(&below),
        values.as_mut(),
        Some(vectors.as_mut()),
        par,
        MemStack::new(&mut buffer),
        spec,
    )
    .ok()?;
    let values = values.column_vector().iter().map(|&l| scale::times_power(l, -power)).collect();
    Some((values, vectors))
}
