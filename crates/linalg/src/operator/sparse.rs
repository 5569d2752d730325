//! Sparse rows as an operator, and the product that all sparse operators share.

use super::Operator;
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Csr, Error, Result, Run, Scalar, parallel, precompiled};
use std::borrow::Cow;

/// Rows that one task takes.
const ROWS: usize = 256;

/// `out = a x` for sparse rows of any shape and a block of vectors: each row is read once for up to eight
/// vectors.
pub(crate) fn product<T: Scalar>(a: &Csr<T>, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
    T::run_precompiled::<Product>((a, x, out, run))
}

precompiled!(
    Product,
    both,
    product_in(a: &'r Csr<T>, x: MatRef<'r, T>, out: MatMut<'r, T>, run: &'r Run) -> Result<()>
);

fn product_in<T: Scalar>(a: &Csr<T>, x: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
    let mut done = 0;
    while done < x.ncols() {
        let width = (x.ncols() - done).min(8);
        let (x, out) = (x.subcols(done, width), out.as_mut().subcols_mut(done, width));
        match width {
            1 => block::<T, 1>(a, x, out, run)?,
            2 => block::<T, 2>(a, x, out, run)?,
            3 | 4 => block::<T, 4>(a, x, out, run)?,
            _ => block::<T, 8>(a, x, out, run)?,
        }
        done += width;
    }
    Ok(())
}

/// Up to `B` vectors, the missing ones zero.
fn block<T: Scalar, const B: usize>(
    a: &Csr<T>,
    x: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
    run: &Run,
) -> Result<()> {
    // The entries of all vectors at one row lie together: a sparse row asks for few cache lines.
    let mut vectors = vec![[T::zero(); B]; a.ncols()];
    for v in 0..x.ncols() {
        for (i, vector) in vectors.iter_mut().enumerate() {
            vector[v] = x[(i, v)];
        }
    }
    let mut sums = vec![[T::zero(); B]; a.nrows()];
    parallel::fill_rows(run, &mut sums, 1, ROWS, |range, sums| {
        for (row, sum) in range.zip(sums) {
            let (columns, values) = a.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                let vector = &vectors[column as usize];
                for v in 0..B {
                    sum[v] += value * vector[v];
                }
            }
        }
    })?;
    for v in 0..x.ncols() {
        for (i, sum) in sums.iter().enumerate() {
            out[(i, v)] = sum[v];
        }
    }
    Ok(())
}

/// The matrix must be square and symmetric.
impl<T: Scalar> Operator<T> for Csr<T> {
    fn order(&self) -> usize {
        self.nrows()
    }

    fn apply(&self, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        check_square(self)?;
        product(self, x, out, run)
    }

    fn diagonal(&self) -> Option<Vec<T>> {
        let entry = |row: usize| {
            let (columns, values) = self.row(row);
            columns.binary_search(&(row as u32)).map_or(T::zero(), |position| values[position])
        };
        Some((0..self.nrows()).map(entry).collect())
    }

    fn to_sparse(&self, _run: &Run) -> Result<Option<Cow<'_, Csr<T>>>> {
        Ok(Some(Cow::Borrowed(self)))
    }

    fn to_dense(&self, _run: &Run) -> Result<Mat<T>> {
        check_square(self)?;
        let mut dense = Mat::zeros(self.nrows(), self.ncols());
        for row in 0..self.nrows() {
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                dense[(row, column as usize)] = value;
            }
        }
        Ok(dense)
    }
}

fn check_square<T: Scalar>(a: &Csr<T>) -> Result<()> {
    if a.nrows() == a.ncols() {
        return Ok(());
    }
    Err(Error::NotSquare { what: "sparse", rows: a.nrows(), columns: a.ncols() })
}
