//! The matrix as the solvers of this folder see it: checked, in double precision, scaled by a power of two
//! to entries below two. Scaling back is exact, so a matrix of any magnitude gets the same bits.

use super::symmetric::Symmetric;
use crate::scale;
use lowland_base::{Csr, Error, Result, Run, Scalar, parallel};
use std::sync::Arc;

/// Rows of a product that one task works on: fixed, so that the bits do not depend on the threads.
const ROWS: usize = 2048;

/// Entries that one task works on.
const ENTRIES: usize = 1 << 16;

/// A checked, scaled symmetric matrix.
///
/// Single precision is solved in double and rounded back: an eigenvalue of 1e-9 of the norm does not exist
/// in single-precision arithmetic, though it does in the single-precision data.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    /// The matrix times `2^power`.
    pub matrix: Arc<Csr<f64>>,
    /// The power of two.
    pub power: i32,
    /// The largest norm of a column of the scaled matrix: a lower bound of its 2-norm that costs nothing, so
    /// that a tolerance relative to it is never laxer than one relative to the norm.
    pub norm: f64,
    /// The largest absolute row sum: an upper bound of the 2-norm.
    pub bound: f64,
    /// What the rounding of its entries may have changed, relative to the norm.
    pub slack: f64,
}

impl Problem {
    /// Checks and scales. Rounding differences between an entry and its mirror image are averaged; anything
    /// larger is an error.
    pub fn new<T: Scalar>(a: &Csr<T>, run: &Run) -> Result<Self> {
        let n = a.nrows();
        if n != a.ncols() {
            return Err(Error::NotSquare { what: "sparse", rows: n, columns: a.ncols() });
        }
        let power = scale::exponent_to_one(largest(a, run)?);
        let mut values = vec![0.0; a.nnz()];
        parallel::fill_rows(run, &mut values, 1, ENTRIES, |range, values| {
            for (value, entry) in values.iter_mut().zip(&a.values()[range]) {
                *value = scale::times_power(entry.wide(), power);
            }
        })?;
        let mut matrix = Csr::new(n, n, a.offsets().to_vec(), a.indices().to_vec(), values)?;
        let slack = 64.0 * T::EPSILON.wide();
        let has_diagonal = |row: usize| matrix.row(row).0.binary_search(&(row as u32)).is_ok();
        if !matrix.is_symmetric() || !(0..n).all(has_diagonal) {
            matrix = averaged(&matrix, &matrix.transpose(), slack, power)?;
        }
        let norms = parallel::map_chunks(run, n, ROWS, |rows| {
            rows.fold((0f64, 0f64), |(norm, bound), row| {
                let values = matrix.row(row).1;
                let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
                (norm.max(length), bound.max(values.iter().map(|v| v.abs()).sum()))
            })
        })?;
        let (norm, bound) =
            norms.into_iter().fold((0f64, 0f64), |most, other| (most.0.max(other.0), most.1.max(other.1)));
        Ok(Self { matrix: Arc::new(matrix), power, norm, bound, slack })
    }

    fn rows<const W: usize>(&self, first: usize, x: &[f64], out: &mut [f64]) {
        let x = x.as_chunks::<W>().0;
        for (i, out) in out.as_chunks_mut::<W>().0.iter_mut().enumerate() {
            let (columns, values) = self.matrix.row(first + i);
            let mut sum = [0.0; W];
            for (&column, &value) in columns.iter().zip(values) {
                let x = &x[column as usize];
                for w in 0..W {
                    sum[w] += value * x[w];
                }
            }
            *out = sum;
        }
    }

    fn rows_of_any_width(&self, first: usize, x: &[f64], width: usize, out: &mut [f64]) {
        for (i, out) in out.chunks_mut(width).enumerate() {
            let (columns, values) = self.matrix.row(first + i);
            out.fill(0.0);
            for (&column, &value) in columns.iter().zip(values) {
                let x = &x[column as usize * width..][..width];
                for (out, x) in out.iter_mut().zip(x) {
                    *out += value * x;
                }
            }
        }
    }
}

/// The largest absolute value; all must be finite.
fn largest<T: Scalar>(a: &Csr<T>, run: &Run) -> Result<f64> {
    let chunks = parallel::map_chunks(run, a.nnz(), ENTRIES, |range| {
        a.values()[range].iter().fold((0f64, 0), |(largest, count), value| {
            let value = value.wide().abs();
            (largest.max(value), count + usize::from(!value.is_finite()))
        })
    })?;
    let (largest, count) = chunks.into_iter().fold((0f64, 0), |all, one| (all.0.max(one.0), all.1 + one.1));
    if count == 0 {
        return Ok(largest);
    }
    let position = a.values().iter().position(|v| !v.wide().is_finite()).unwrap_or(0);
    let row = a.offsets().partition_point(|&o| o <= position) - 1;
    let (column, value) = (a.indices()[position] as usize, a.values()[position].wide());
    Err(Error::NotFinite { what: "sparse matrix", row, column, value, count })
}

/// The mean of a matrix and its mirror image, where they differ by no more than `slack` (the largest entry
/// is about one), with every diagonal entry stored, as a shift wants it.
fn averaged(a: &Csr<f64>, mirror: &Csr<f64>, slack: f64, power: i32) -> Result<Csr<f64>> {
    let n = a.nrows();
    let mut entries = Vec::with_capacity(a.nnz() + mirror.nnz());
    for row in 0..n {
        let ((ci, vi), (cj, vj)) = (a.row(row), mirror.row(row));
        let (mut i, mut j) = (0, 0);
        entries.push((row, row, 0.0));
        while i < ci.len() || j < cj.len() {
            let (x, y) = (ci.get(i).copied().unwrap_or(u32::MAX), cj.get(j).copied().unwrap_or(u32::MAX));
            let column = x.min(y);
            let (mut value, mut image) = (0.0, 0.0);
            if x == column {
                (value, i) = (vi[i], i + 1);
            }
            if y == column {
                (image, j) = (vj[j], j + 1);
            }
            if (value - image).abs() > slack {
                let back = |entry: f64| scale::times_power(entry, -power);
                let (value, mirror, column) = (back(value), back(image), column as usize);
                return Err(Error::NotSymmetric { what: "sparse", row, column, value, mirror });
            }
            entries.push((row, column as usize, 0.5 * (value + image)));
        }
    }
    Csr::from_entries(n, n, &entries)
}

impl Symmetric for Problem {
    fn order(&self) -> usize {
        self.matrix.nrows()
    }

    fn power(&self) -> i32 {
        self.power
    }

    fn norm(&self) -> f64 {
        self.norm
    }

    fn bound(&self) -> f64 {
        self.bound
    }

    fn multiply(&self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()> {
        parallel::fill_rows(run, out, width, ROWS, |rows, out| match width {
            1 => self.rows::<1>(rows.start, x, out),
            2 => self.rows::<2>(rows.start, x, out),
            3 => self.rows::<3>(rows.start, x, out),
            4 => self.rows::<4>(rows.start, x, out),
            6 => self.rows::<6>(rows.start, x, out),
            8 => self.rows::<8>(rows.start, x, out),
            12 => self.rows::<12>(rows.start, x, out),
            16 => self.rows::<16>(rows.start, x, out),
            _ => self.rows_of_any_width(rows.start, x, width, out),
        })
    }
}
