//! Blocks of vectors: a few columns (for dense products) or the same stored row by row (for sparse ones,
//! where one gather then serves the whole block).

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par, unzip, zip};
use lowland_base::{Result, Run, parallel};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// The columns, stored row by row.
pub(super) fn to_rows(x: MatRef<'_, f64>) -> Vec<f64> {
    let width = x.ncols();
    let mut rows = vec![0.0; x.nrows() * width];
    for j in 0..width {
        for (i, value) in x.col(j).iter().enumerate() {
            rows[i * width + j] = *value;
        }
    }
    rows
}

/// The rows, as columns.
pub(super) fn from_rows(rows: &[f64], n: usize, width: usize) -> Mat<f64> {
    Mat::from_fn(n, width, |i, j| rows[i * width + j])
}

/// Independent normal columns.
pub(super) fn random(n: usize, width: usize, rng: &mut impl Rng) -> Mat<f64> {
    Mat::from_fn(n, width, |_, _| StandardNormal.sample(rng))
}

/// Rows that one task works on. Tall, narrow products go through fixed chunks of rows with sequential
/// kernels: faer's own parallel product spends more time at its barriers than on blocks this narrow.
const ROWS: usize = 4096;

/// `x' y`.
pub(super) fn inner(x: MatRef<'_, f64>, y: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
    let parts = parallel::map_chunks(run, x.nrows(), ROWS, |rows| {
        let mut part = Mat::zeros(x.ncols(), y.ncols());
        let (x, y) = (x.subrows(rows.start, rows.len()), y.subrows(rows.start, rows.len()));
        matmul(part.as_mut(), Accum::Replace, x.transpose(), y, 1.0, Par::Seq);
        part
    })?;
    Ok(summed(parts, x.ncols(), y.ncols()))
}

/// `x c`.
pub(super) fn combine(x: MatRef<'_, f64>, c: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
    let mut out = Mat::zeros(x.nrows(), c.ncols());
    over_rows(out.as_mut(), run, |start, mut out| {
        let x = x.subrows(start, out.nrows());
        matmul(out.as_mut(), Accum::Replace, x, c, 1.0, Par::Seq);
    })?;
    Ok(out)
}

/// Takes the part within the orthonormal `basis` out of `w`, twice over; returns the coefficients.
pub(super) fn project_out(basis: MatRef<'_, f64>, mut w: MatMut<'_, f64>, run: &Run) -> Result<Mat<f64>> {
    let first = inner(basis, w.as_ref(), run)?;
    // The second coefficients are taken while the rows are still in the cache.
    let parts = over_rows(w.as_mut(), run, |start, mut w| {
        let basis = basis.subrows(start, w.nrows());
        matmul(w.as_mut(), Accum::Add, basis, first.as_ref(), -1.0, Par::Seq);
        let mut part = Mat::zeros(basis.ncols(), w.ncols());
        matmul(part.as_mut(), Accum::Replace, basis.transpose(), w.as_ref(), 1.0, Par::Seq);
        part
    })?;
    let second = summed(parts, first.nrows(), first.ncols());
    over_rows(w, run, |start, mut w| {
        let basis = basis.subrows(start, w.nrows());
        matmul(w.as_mut(), Accum::Add, basis, second.as_ref(), -1.0, Par::Seq);
    })?;
    let (rows, columns) = (first.nrows(), first.ncols());
    Ok(summed(vec![first, second], rows, columns))
}

/// `f` on fixed chunks of rows, in parallel, with the first row of each; the results in order.
fn over_rows<R: Send>(
    x: MatMut<'_, f64>,
    run: &Run,
    f: impl Fn(usize, MatMut<'_, f64>) -> R + Send + Sync,
) -> Result<Vec<R>> {
    run.check()?;
    Ok(run.install(|| x.par_row_chunks_mut(ROWS).enumerate().map(|(c, part)| f(c * ROWS, part)).collect()))
}

/// The sum of the parts, in their order.
fn summed(parts: Vec<Mat<f64>>, rows: usize, columns: usize) -> Mat<f64> {
    let mut sum = Mat::zeros(rows, columns);
    for part in parts {
        zip!(sum.as_mut(), part.as_ref()).for_each(|unzip!(sum, part)| *sum += *part);
    }
    sum
}

/// Orthonormalises the columns in their order (earlier columns are trusted more). A column of which less
/// than the fraction `drop` of `sizes` is left is noise and is dropped. Returns the columns that stay and
/// `r` with `w = q r` up to what was dropped.
pub(super) fn orthonormalise(w: Mat<f64>, sizes: &[f64], drop: f64) -> (Mat<f64>, Mat<f64>) {
    let (n, width) = (w.nrows(), w.ncols());
    let mut q = w;
    let mut r = Mat::zeros(width, width);
    let mut kept = 0;
    for j in 0..width {
        // Three passes: two suffice unless the column is nearly dependent, and a column is cheap.
        for _ in 0..3 {
            for i in 0..kept {
                let c = dot(column(q.as_ref(), i), column(q.as_ref(), j));
                r[(i, j)] += c;
                subtract(&mut q, j, i, c);
            }
        }
        let left = norm(column(q.as_ref(), j));
        if left.is_nan() || left <= drop * sizes[j] || left == 0.0 {
            continue;
        }
        r[(kept, j)] = left;
        for i in 0..n {
            q[(i, kept)] = q[(i, j)] / left;
        }
        kept += 1;
    }
    (q.subcols(0, kept).to_owned(), r.subrows(0, kept).to_owned())
}

/// The norms of the columns.
pub(super) fn norms(x: MatRef<'_, f64>) -> Vec<f64> {
    (0..x.ncols()).map(|j| norm(column(x, j))).collect()
}

fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    // The transformed blocks span many orders of magnitude, but never so many that a scaled sum overflows.
    let inverse = largest.recip();
    let mut sums = [0.0; 8];
    for chunk in x.chunks(8) {
        for (sum, v) in sums.iter_mut().zip(chunk) {
            *sum += (v * inverse) * (v * inverse);
        }
    }
    largest * sums.iter().sum::<f64>().sqrt()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (x, y) in x.chunks(8).zip(y.chunks(8)) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    sums.iter().sum()
}

fn column<'a>(x: MatRef<'a, f64>, j: usize) -> &'a [f64] {
    x.col(j).try_as_col_major().map_or(&[], |c| c.as_slice())
}

/// Column `j` less `c` times column `i`.
fn subtract(q: &mut Mat<f64>, j: usize, i: usize, c: f64) {
    let (left, right) = q.as_mut().split_at_col_mut(j);
    for (y, x) in right.col_mut(0).iter_mut().zip(left.as_ref().col(i).iter()) {
        *y -= c * *x;
    }
}

/// The columns of both.
pub(super) fn beside(x: MatRef<'_, f64>, y: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(x.nrows(), x.ncols() + y.ncols());
    out.as_mut().subcols_mut(0, x.ncols()).copy_from(x);
    out.as_mut().subcols_mut(x.ncols(), y.ncols()).copy_from(y);
    out
}
