//! A dense symmetric matrix.

use super::{Operator, triangle};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef};
use lowland_base::{Error, Result, Run, Scalar, parallel, precompiled};

/// Up to this many vectors the product is bound by memory, and reading one triangle wins.
const FEW: usize = 8;

/// A dense symmetric matrix, with any strides. Of a matrix that is not quite symmetric either triangle may
/// be the one that is read.
#[derive(Debug, Clone, Copy)]
pub struct Dense<'a, T> {
    matrix: MatRef<'a, T>,
}

impl<'a, T: Scalar> Dense<'a, T> {
    /// Takes a square matrix.
    pub fn new(matrix: MatRef<'a, T>) -> Result<Self> {
        let (rows, columns) = matrix.shape();
        if rows != columns {
            return Err(Error::NotSquare { what: "symmetric", rows, columns });
        }
        // A symmetric matrix is its transpose, so that columns are contiguous in either order.
        let matrix = if matrix.row_stride() != 1 { matrix.transpose() } else { matrix };
        Ok(Self { matrix })
    }
}

impl<T: Scalar> triangle::Lines<T> for Dense<'_, T> {
    fn line(&self, i: usize) -> &[T] {
        self.matrix.col(i).try_as_col_major().map_or(&[][..], |column| column.as_slice())
    }
}

impl<T: Scalar> Operator<T> for Dense<'_, T> {
    fn order(&self) -> usize {
        self.matrix.nrows()
    }

    fn apply(&self, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        T::run_precompiled::<Product>((*self, x, out, run))
    }

    fn diagonal(&self) -> Option<Vec<T>> {
        Some((0..self.order()).map(|i| self.matrix[(i, i)]).collect())
    }

    fn to_dense(&self, _run: &Run) -> Result<Mat<T>> {
        Ok(self.matrix.to_owned())
    }
}

precompiled!(
    Product,
    both,
    product(a: Dense<'r, T>, x: MatRef<'r, T>, out: MatMut<'r, T>, run: &'r Run) -> Result<()>
);

fn product<T: Scalar>(a: Dense<'_, T>, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
    if x.ncols() <= FEW && a.matrix.row_stride() == 1 {
        return triangle::product(a, x, out, run);
    }
    run.check()?;
    run.install(|| matmul(out, Accum::Replace, a.matrix, x, T::one(), parallel::FAER));
    Ok(())
}
