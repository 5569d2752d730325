//! The matrix that locally linear embedding minimizes over.

use super::shifted::add_to_diagonal;
use super::{Operator, sparse_product};
use faer::{Mat, MatMut, MatRef};
use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use std::borrow::Cow;
use std::ops::Range;

/// `(I - W)' (I - W)` for sparse rows `W` of reconstruction weights, which need not be symmetric.
pub struct ResidualGram<T> {
    residual: Csr<T>,
    transposed: Csr<T>,
}

/// The product is formed in at most so many chunks of rows, each with a work space of the size of a row.
const CHUNKS: usize = 64;
const FEWEST_ROWS: usize = 1024;

/// Some rows of the product.
struct ProductRows<T> {
    sizes: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
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

    fn rows(&self, rows: Range<usize>) -> ProductRows<T> {
        let n = self.order();
        let mut found =
            ProductRows { sizes: Vec::with_capacity(rows.len()), indices: Vec::new(), values: Vec::new() };
        let mut sums = vec![T::zero(); n];
        let mut touched_in = vec![u32::MAX; n];
        let mut touched: Vec<u32> = Vec::new();
        for row in rows {
            touched.clear();
            let (points, left) = self.transposed.row(row);
            for (&point, &left) in points.iter().zip(left) {
                let (columns, right) = self.residual.row(point as usize);
                for (&column, &right) in columns.iter().zip(right) {
                    let place = column as usize;
                    if touched_in[place] != row as u32 {
                        touched_in[place] = row as u32;
                        sums[place] = T::zero();
                        touched.push(column);
                    }
                    sums[place] += left * right;
                }
            }
            touched.sort_unstable();
            found.indices.extend_from_slice(&touched);
            found.values.extend(touched.iter().map(|&column| sums[column as usize]));
            found.sizes.push(touched.len());
        }
        found
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
        let n = self.order();
        let chunks = map_chunks(run, n, n.div_ceil(CHUNKS).max(FEWEST_ROWS), |rows| self.rows(rows))?;
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        for size in chunks.iter().flat_map(|chunk| &chunk.sizes) {
            offsets.push(offsets[offsets.len() - 1] + size);
        }
        let (mut indices, mut values) = (Vec::with_capacity(offsets[n]), Vec::with_capacity(offsets[n]));
        for chunk in chunks {
            indices.extend_from_slice(&chunk.indices);
            values.extend_from_slice(&chunk.values);
        }
        Ok(Some(Cow::Owned(Csr::new(n, n, offsets, indices, values)?)))
    }
}
