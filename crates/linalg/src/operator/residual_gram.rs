//! The matrix that locally linear embedding minimizes over.

use super::shifted::add_to_diagonal;
use super::{Operator, sparse_product};
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Csr, Error, Result, RowSums, Run, Scalar};
use std::borrow::Cow;

/// `(I - W)' (I - W)` for sparse rows `W` of reconstruction weights, which need not be symmetric.
pub struct ResidualGram<T> {
    residual: Csr<T>,
    transposed: Csr<T>,
}

impl<T: Scalar> ResidualGram<T> {
    /// Takes a square `W`.
    pub fn new(weights: &Csr<T>) -> Result<Self> {
        let (rows, columns) = (weights.nrows(), weights.ncols());
        if rows != columns {
            return Err(Error::NotSquare { what: "weight", rows, columns });
        }
        let residual = add_to_diagonal(weights, T::one(), -T::one())?;
        let transposed = residual.transpose();
        Ok(Self { residual, transposed })
    }
}

impl<T: Scalar> Operator<T> for ResidualGram<T> {
    fn order(&self) -> usize {
        self.residual.nrows()
    }

    fn apply(&self, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        let mut inside = Mat::zeros(x.nrows(), x.ncols());
        sparse_product(&self.residual, x, inside.as_mut(), run)?;
        sparse_product(&self.transposed, inside.as_ref(), out, run)
    }

    fn diagonal(&self) -> Option<Vec<T>> {
        let squared_length = |row| self.transposed.row(row).1.iter().map(|&value| value * value).sum();
        Some((0..self.order()).map(squared_length).collect())
    }

    /// Row by row. Each entry is summed in the order of the points, as its mirror image is, so that the
    /// result is symmetric to the bit.
    fn to_sparse(&self, run: &Run) -> Result<Option<Cow<'_, Csr<T>>>> {
        let sum = |row: usize, sums: &mut RowSums<T>| {
            let (points, left) = self.transposed.row(row);
            for (&point, &left) in points.iter().zip(left) {
                let (columns, right) = self.residual.row(point as usize);
                for (&column, &right) in columns.iter().zip(right) {
                    sums.add(column, left * right);
                }
            }
        };
        Ok(Some(Cow::Owned(Csr::from_sums(self.order(), sum, run)?)))
    }
}
