//! Products of tall, narrow blocks of columns. They go through fixed chunks of rows with sequential kernels:
//! faer's own parallel product spends more time at its barriers than on blocks this narrow, and a sum over
//! fixed chunks has the same bits for every number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use lowland_base::{Result, Run, Scalar, parallel};
use rayon::prelude::*;

/// Rows that one task takes.
const ROWS: usize = 2048;

/// `x' y`.
pub(crate) fn inner<T: Scalar>(x: MatRef<'_, T>, y: MatRef<'_, T>, run: &Run) -> Result<Mat<T>> {
    let parts =
        parallel::map_chunks(run, x.nrows(), ROWS, |rows| part(x.get(rows.clone(), ..), y.get(rows, ..)))?;
    Ok(summed(parts, x.ncols(), y.ncols()))
}

/// `x c`.
pub(crate) fn combine<T: Scalar>(x: MatRef<'_, T>, c: MatRef<'_, T>, run: &Run) -> Result<Mat<T>> {
    let mut out = Mat::zeros(x.nrows(), c.ncols());
    over_rows(out.as_mut(), run, |start, out| {
        let x = x.subrows(start, out.nrows());
        matmul(out, Accum::Replace, x, c, T::one(), Par::Seq);
    })?;
    Ok(out)
}

/// `w -= q (q' w)`; returns `q' w`.
pub(crate) fn project_out<T: Scalar>(q: MatRef<'_, T>, mut w: MatMut<'_, T>, run: &Run) -> Result<Mat<T>> {
    let inside = inner(q, w.as_ref(), run)?;
    subtract(q, inside.as_ref(), w.as_mut(), run)?;
    Ok(inside)
}

/// `w = w r^-1`, for an upper triangular `r`.
pub(crate) fn divide<T: Scalar>(w: MatMut<'_, T>, r: MatRef<'_, T>, run: &Run) -> Result<()> {
    // w r = before, so r' w' = before'.
    over_rows(w, run, |_, w| {
        solve_lower_triangular_in_place(r.transpose(), w.transpose_mut(), Par::Seq);
    })?;
    Ok(())
}

fn subtract<T: Scalar>(q: MatRef<'_, T>, c: MatRef<'_, T>, w: MatMut<'_, T>, run: &Run) -> Result<()> {
    over_rows(w, run, |start, w| {
        let q = q.subrows(start, w.nrows());
        matmul(w, Accum::Add, q, c, -T::one(), Par::Seq);
    })?;
    Ok(())
}

fn part<T: Scalar>(x: MatRef<'_, T>, y: MatRef<'_, T>) -> Mat<T> {
    let mut part = Mat::zeros(x.ncols(), y.ncols());
    matmul(part.as_mut(), Accum::Replace, x.transpose(), y, T::one(), Par::Seq);
    part
}

/// `f` on fixed chunks of rows, in parallel, with the first row of each; the results in order.
fn over_rows<T: Scalar, R: Send>(
    x: MatMut<'_, T>,
    run: &Run,
    f: impl Fn(usize, MatMut<'_, T>) -> R + Send + Sync,
) -> Result<Vec<R>> {
    run.check()?;
    Ok(run.install(|| x.par_row_chunks_mut(ROWS).enumerate().map(|(c, part)| f(c * ROWS, part)).collect()))
}

/// The sum of the parts, in their order.
fn summed<T: Scalar>(parts: Vec<Mat<T>>, rows: usize, columns: usize) -> Mat<T> {
    let mut sum = Mat::zeros(rows, columns);
    for part in parts {
        sum += part;
    }
    sum
}
