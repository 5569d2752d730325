//! Singular values: the thin decomposition of a dense matrix, and the leading triplets of any matrix that is
//! known by its products.

use crate::eigen::{residual_norms, safe_power};
use crate::matrix::Matrix;
use crate::signs::leading_is_negative;
use crate::{orthonormal, rate, scale};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::matmul::matmul;
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd, svd_scratch};
use faer::{Accum, Auto, Mat, MatMut, MatRef, Spec};
use lowland_base::{Error, Result, Run, Scalar, parallel, precompiled};

/// `X = U S V'`, or its leading part, with the true residual of each triplet.
#[derive(Debug, Clone, PartialEq)]
pub struct Svd<T> {
    /// The left singular vectors, one a column.
    pub left: Mat<T>,
    /// The singular values, descending.
    pub values: Vec<T>,
    /// The right singular vectors, one a column.
    pub right: Mat<T>,
    /// The larger of `|X v - s u|` and `|X' u - s v|` of each triplet.
    pub residuals: Vec<T>,
}

impl<T: Scalar> Svd<T> {
    /// Turns each triplet so that the entry of largest magnitude of its right vector is positive (the first
    /// where several tie), as scikit-learn does.
    pub fn fix_signs(&mut self) {
        for j in 0..self.values.len() {
            if leading_is_negative(self.right.col(j).iter().copied()) {
                for x in
                    self.right.as_mut().col_mut(j).iter_mut().chain(self.left.as_mut().col_mut(j).iter_mut())
                {
                    *x = -*x;
                }
            }
        }
    }
}

/// The thin decomposition of a dense matrix, signs fixed.
pub fn thin<T: Scalar>(matrix: MatRef<'_, T>, run: &Run) -> Result<Svd<T>> {
    T::run_precompiled::<Thin>((matrix, run))
}

precompiled!(Thin, both, thin_in(matrix: MatRef<'r, T>, run: &'r Run) -> Result<Svd<T>>);

fn thin_in<T: Scalar>(matrix: MatRef<'_, T>, run: &Run) -> Result<Svd<T>> {
    let (rows, columns) = matrix.shape();
    let (left, values, right) = reduce_and_decompose(matrix, run)?;
    let dense = crate::DenseMatrix(matrix);
    let residuals = residuals(&dense, &left, &values, &right, run)?;
    let mut result = Svd { left, values, right, residuals };
    result.fix_signs();
    let norm = result.values.first().map_or(0.0, |s| s.wide());
    let bound = 10.0 * ((rows + columns) as f64).sqrt() * T::EPSILON.wide() * norm;
    match result.residuals.iter().map(|r| r.wide()).fold(0.0, f64::max) {
        worst if worst <= bound => Ok(result),
        worst => Err(not_converged(worst, bound)),
    }
}

fn not_converged(residual: f64, tolerance: f64) -> Error {
    Error::NotConverged {
        what: "the singular value decomposition".into(),
        residual,
        tolerance,
        steps: 1,
        remedy: "check the matrix for extreme values".into(),
        found: None,
    }
}

/// From this ratio of the sides on, the decomposition goes through a triangular factor. faer would do the same
/// at this ratio, but its own factorization loses three digits where the columns are dependent, as those of
/// centered data are.
const TALL: f64 = 1.8;

/// Columns made orthonormal at a time.
const PANEL: usize = 64;
/// The share of the rate of matrix products at which a decomposition works.
const RATE: f64 = 0.1;

/// `X = Q R`, then the decomposition of the small `R`.
fn reduce_and_decompose<T: Scalar>(matrix: MatRef<'_, T>, run: &Run) -> Result<(Mat<T>, Vec<T>, Mat<T>)> {
    let (rows, columns) = matrix.shape();
    if columns > rows {
        let (right, values, left) = reduce_and_decompose(matrix.transpose(), run)?;
        return Ok((left, values, right));
    }
    if columns == 0 || (rows as f64) < TALL * columns as f64 {
        return decompose(matrix, run);
    }
    scale::check_finite("matrix", matrix)?;
    let power = scale::exponent_to_one(scale::max_abs(matrix));
    let mut basis = matrix.to_owned();
    scale::scale_by_power(basis.as_mut(), power);
    let size = basis.col_iter().map(|column| scale::norm(column).wide()).fold(0.0, f64::max);
    let mut triangle = Mat::zeros(columns, columns);
    let mut rng = run.rng("orthonormal columns");
    for panel in parallel::chunks(columns, PANEL) {
        run.check()?;
        let (start, width) = (panel.start, panel.len());
        let so_far = basis.as_mut().subcols_mut(0, panel.end);
        let extension = orthonormal::extend(so_far, start, 0, size, &mut rng, run)?;
        triangle.as_mut().submatrix_mut(0, start, start, width).copy_from(&extension.inside);
        triangle.as_mut().submatrix_mut(start, start, width, width).copy_from(&extension.triangle);
    }
    let (rotation, values, right) = decompose(triangle.as_ref(), run)?;
    let mut left = Mat::zeros(rows, columns);
    let product =
        || matmul(left.as_mut(), Accum::Replace, basis.as_ref(), rotation.as_ref(), T::one(), parallel::FAER);
    run.install(product);
    Ok((left, values.into_iter().map(|s| scale::times_power(s, -power)).collect(), right))
}

/// faer's decomposition, with the same care for scale as its eigenvalues need.
fn decompose<T: Scalar>(matrix: MatRef<'_, T>, run: &Run) -> Result<(Mat<T>, Vec<T>, Mat<T>)> {
    let (rows, columns) = matrix.shape();
    let size = rows.min(columns);
    if size == 0 {
        return Ok((Mat::zeros(rows, 0), Vec::new(), Mat::zeros(columns, 0)));
    }
    scale::check_finite("matrix", matrix)?;
    let bytes = 4 * (rows * columns * size_of::<T>()) as u64;
    run.reserve("the singular value decomposition", bytes, "ask for the leading components only")?;
    // Each of these goes through the whole matrix: the switch is looked at in between.
    run.check()?;
    let power = scale::exponent_to_one(scale::max_abs(matrix));
    run.check()?;
    let mut scaled = matrix.to_owned();
    scale::scale_by_power(scaled.as_mut(), power);
    let solve = move || {
        let params = Spec::<SvdParams, T>::from(<SvdParams as Auto<T>>::auto());
        let (thin, par) = (ComputeSvdVectors::Thin, parallel::FAER);
        let mut values = Diag::<T>::zeros(size);
        let (mut left, mut right) = (Mat::zeros(rows, size), Mat::zeros(columns, size));
        let mut buffer = MemBuffer::try_new(svd_scratch::<T>(rows, columns, thin, thin, par, params)).ok()?;
        let stack = MemStack::new(&mut buffer);
        svd(scaled.as_ref(), values.as_mut(), Some(left.as_mut()), Some(right.as_mut()), par, stack, params)
            .ok()?;
        let values: Vec<T> = values.column_vector().iter().copied().collect();
        Some((left, values, right))
    };
    let solved = if rows * columns < 100_000 {
        run.install(solve)
    } else {
        let about = 10.0 * (rows.max(columns) * size * size) as f64;
        run.interruptible_about(|| rate::seconds(about, run.threads(), RATE), solve)?
    };
    let (left, values, right) = solved.ok_or_else(|| not_converged(f64::INFINITY, T::EPSILON.wide()))?;
    Ok((left, values.into_iter().map(|s| scale::times_power(s, -power)).collect(), right))
}

/// What is asked of [`randomized`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Randomized {
    /// How many triplets.
    pub count: usize,
    /// Random directions beyond `count`: 10 is usual.
    pub oversampling: usize,
    /// Rounds of products with `X X'`; each sharpens the subspace. 0 is enough only for spectra that fall
    /// off a cliff, 2 for most data, 4 to 7 for nearly flat ones.
    pub iterations: usize,
}

/// The leading triplets by a randomized block Krylov method (Musco and Musco 2015): the span of
/// `X G, (X X') X G, ...` for a random block `G`, all of it and not the last power alone, which costs the
/// same products and is never less accurate. The accuracy reached is in the residuals.
pub fn randomized<T: Scalar>(matrix: &dyn Matrix<T>, request: &Randomized, run: &Run) -> Result<Svd<T>> {
    T::run_precompiled::<Random>((matrix, request, run))
}

precompiled!(Random, both, randomized_in(matrix: &'r dyn Matrix<T>, request: &'r Randomized, run: &'r Run) -> Result<Svd<T>>);

fn randomized_in<T: Scalar>(matrix: &dyn Matrix<T>, request: &Randomized, run: &Run) -> Result<Svd<T>> {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    let size = rows.min(columns);
    let Randomized { count, oversampling, iterations } = *request;
    if count > size {
        let bound = format!("at most {size}, the smaller side of the matrix");
        return Err(Error::parameter("n_components", count, bound, "ask for fewer"));
    }
    if count == 0 {
        let (left, right) = (Mat::zeros(rows, 0), Mat::zeros(columns, 0));
        return Ok(Svd { left, values: Vec::new(), right, residuals: Vec::new() });
    }
    let block = (count + oversampling).min(size);
    let total = (block * (iterations + 1)).min(size);
    let bytes = (2 * (rows + columns) * total * size_of::<T>()) as u64;
    run.reserve("the randomized decomposition", bytes, "ask for fewer components or iterations")?;
    let stage = run.stage("singular values: randomized", Some(iterations as u64 + 1));
    let mut rng = run.rng("randomized svd");

    let mut basis = Mat::<T>::zeros(rows, total);
    let mut image = Mat::<T>::zeros(columns, total);
    let mut start = Mat::zeros(columns, block);
    orthonormal::fill_normal(start.as_mut(), &mut rng);
    let mut have = 0;
    while have < total {
        let width = block.min(total - have);
        bring_to_one(start.as_mut())?;
        orthonormal::extend(start.as_mut(), 0, 0, 1.0, &mut rng, run)?;
        let mut fresh = basis.as_mut().subcols_mut(have, width);
        matrix.apply(start.as_ref().subcols(0, width), fresh.as_mut(), run)?;
        bring_to_one(fresh)?;
        orthonormal::extend(basis.as_mut().subcols_mut(0, have + width), have, 0, 1.0, &mut rng, run)?;
        let mut fresh = image.as_mut().subcols_mut(have, width);
        matrix.apply_transpose(basis.as_ref().subcols(have, width), fresh.as_mut(), run)?;
        start = fresh.to_owned();
        have += width;
        stage.advance(1)?;
    }
    // X is near Q Q' X = Q (X' Q)': the decomposition of the small factor gives that of the whole.
    let (right, values, rotation) = reduce_and_decompose(image.as_ref(), run)?;
    let right = right.as_ref().subcols(0, count).to_owned();
    let mut left = Mat::zeros(rows, count);
    let rotation = rotation.as_ref().subcols(0, count);
    run.install(|| matmul(left.as_mut(), Accum::Replace, basis.as_ref(), rotation, T::one(), parallel::FAER));
    let values = values[..count].to_vec();
    let residuals = residuals(matrix, &left, &values, &right, run)?;
    let mut result = Svd { left, values, right, residuals };
    result.fix_signs();
    Ok(result)
}

/// Scales products, of which only the span counts, to a largest entry near 1.
fn bring_to_one<T: Scalar>(products: MatMut<'_, T>) -> Result<()> {
    scale::check_finite("product with the matrix", products.as_ref())?;
    let power = scale::exponent_to_one(scale::max_abs(products.as_ref()));
    scale::scale_by_power(products, power);
    Ok(())
}

/// The larger of `|X v - s u|` and `|X' u - s v|` of each triplet. A product that overflows is repeated with
/// smaller vectors, one whose last digits underflow with larger ones.
fn residuals<T: Scalar>(
    matrix: &dyn Matrix<T>,
    left: &Mat<T>,
    values: &[T],
    right: &Mat<T>,
    run: &Run,
) -> Result<Vec<T>> {
    let mut forth = Mat::zeros(left.nrows(), values.len());
    let mut back = Mat::zeros(right.nrows(), values.len());
    matrix.apply(right.as_ref(), forth.as_mut(), run)?;
    matrix.apply_transpose(left.as_ref(), back.as_mut(), run)?;
    // A sum, because it stays not a number where one of the two is.
    let power = safe_power::<T>(scale::max_abs(forth.as_ref()) + scale::max_abs(back.as_ref()));
    if power != 0 {
        let scaled = |vectors: &Mat<T>| {
            let mut scaled = vectors.clone();
            scale::scale_by_power(scaled.as_mut(), power);
            scaled
        };
        matrix.apply(scaled(right).as_ref(), forth.as_mut(), run)?;
        matrix.apply_transpose(scaled(left).as_ref(), back.as_mut(), run)?;
    }
    let values: Vec<T> = values.iter().map(|&value| scale::times_power(value, power)).collect();
    let forth = residual_norms(forth, &values, left.as_ref());
    let back = residual_norms(back, &values, right.as_ref());
    let larger = |(forth, back): (f64, f64)| scale::times_power(T::of(forth.max(back)), -power);
    Ok(forth.into_iter().zip(back).map(larger).collect())
}
