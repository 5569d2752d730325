//! The matrix that locally linear embedding minimizes over.

use super::shifted::add_to_diagonal;
use super::{Operator, sparse_product};
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Csr, Error, Result, Run, Scalar};

/// `(I - W)' (I - W)` for sparse rows `W` of reconstruction weights, which need not be symmetric.
pub struct ResidualGram<T> {
    residual: Csr<T>,
    transposed: Csr<T>,
}

impl<T: Scalar> ResidualGram<T> {
    /// Takes a square `W`.
    pub fn new(weights: &Csr<T>) -> Result<Self> {
        let (rows, columns) = (weights.nrows(), weights.ncols());
        let not_square = Error::NotSquare { what: "weight", rows, columns };
        if rows != columns {
            return Err(not_square);
        }
        let residual = add_to_diagonal(weights, T::one(), -T::one()).ok_or(not_square)?;
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
    fn to_sparse(&self) -> Option<Csr<T>> {
        let n = self.order();
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut sums = vec![T::zero(); n];
        let mut touched_in = vec![usize::MAX; n];
        let mut touched: Vec<u32> = Vec::new();
        for row in 0..n {
            touched.clear();
            let (points, left) = self.transposed.row(row);
            for (&point, &left) in points.iter().zip(left) {
                let (columns, right) = self.residual.row(point as usize);
                for (&column, &right) in columns.iter().zip(right) {
                    let place = column as usize;
                    if touched_in[place] != row {
                        touched_in[place] = row;
                        sums[place] = T::zero();
                        touched.push(column);
                    }
                    sums[place] += left * right;
                }
            }
            touched.sort_unstable();
            indices.extend_from_slice(&touched);
            values.extend(touched.iter().map(|&column| sums[column as usize]));
            offsets.push(indices.len());
        }
        Csr::new(n, n, offsets, indices, values).ok()
    }
}
