//! Rows of data as every product sees them: centered, scaled and packed into contiguous blocks. Packing makes
//! the bits independent of the memory layout; centering before multiplying leaves no cancellation.

use crate::Matrix;
use faer::linalg::matmul::matmul;
use faer::reborrow::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use lowland_base::parallel::{fold_in_order, map_chunks};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar, precompiled};
use std::ops::Range;

/// What is subtracted from a matrix.
#[derive(Debug, Clone, Copy)]
pub enum Center<'a> {
    /// Nothing.
    None,
    /// A vector from every row: one value a column.
    Columns(&'a [f64]),
    /// A vector from every column: one value a row. The same data, transposed.
    Rows(&'a [f64]),
}

/// `(x - center) * scale`, row by row, never formed as a whole.
#[derive(Clone, Copy)]
pub struct Rows<'a, T> {
    /// One point a row, any strides.
    pub x: MatRef<'a, T>,
    /// What is subtracted, in double precision.
    pub center: Center<'a>,
    /// A power of two, so that it changes no digits: see [`centering`].
    pub scale: f64,
}

impl<'a, T: Scalar> Rows<'a, T> {
    /// The rows as they are.
    pub fn plain(x: MatRef<'a, T>) -> Self {
        Self { x, center: Center::None, scale: 1.0 }
    }

    /// Writes a block, row after row without gaps, into `block`.
    pub fn pack(&self, rows: Range<usize>, columns: Range<usize>, block: &mut [T]) {
        let width = columns.len();
        let part = self.x.subrows(rows.start, rows.len()).subcols(columns.start, width);
        let zeros = vec![0.0; width.max(rows.len())];
        let (of_column, of_row) = match self.center {
            Center::None => (&zeros[..width], &zeros[..rows.len()]),
            Center::Columns(center) => (&center[columns], &zeros[..rows.len()]),
            Center::Rows(center) => (&zeros[..width], &center[rows]),
        };
        let scale = self.scale;
        vectorized(
            #[inline(always)]
            || {
                if part.col_stride() == 1 {
                    for (i, out) in block.chunks_exact_mut(width.max(1)).take(part.nrows()).enumerate() {
                        if let Some(row) = part.row(i).try_as_row_major() {
                            let of_row = of_row[i];
                            for ((out, value), of_column) in out.iter_mut().zip(row.as_slice()).zip(of_column)
                            {
                                *out = T::of((value.wide() - (of_column + of_row)) * scale);
                            }
                        }
                    }
                } else {
                    for (j, of_column) in of_column.iter().enumerate() {
                        for (i, of_row) in of_row.iter().enumerate() {
                            block[i * width + j] =
                                T::of((part[(i, j)].wide() - (of_column + of_row)) * scale);
                        }
                    }
                }
            },
        );
    }
}

impl<T: Scalar> Rows<'_, T> {
    /// The sum of all squares, in double precision.
    pub fn squared_norm(&self, run: &Run) -> Result<f64> {
        let d = self.x.ncols();
        let parts = map_chunks(run, self.x.nrows(), chunk(d), |rows| {
            let mut block = vec![T::default(); rows.len() * d];
            self.pack(rows, 0..d, &mut block);
            block.iter().map(|value| value.wide() * value.wide()).sum::<f64>()
        })?;
        Ok(parts.into_iter().sum())
    }
}

/// Products with the centered data, for the solvers that need no more.
impl<T: Scalar> Matrix<T> for Rows<'_, T> {
    fn nrows(&self) -> usize {
        self.x.nrows()
    }

    fn ncols(&self) -> usize {
        self.x.ncols()
    }

    fn apply(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
        let (d, k) = (self.x.ncols(), v.ncols());
        let parts = map_chunks(run, self.x.nrows(), chunk(d), |rows| {
            let mut block = vec![T::default(); rows.len() * d];
            self.pack(rows.clone(), 0..d, &mut block);
            let mut part = Mat::<T>::zeros(rows.len(), k);
            let block = MatRef::from_row_major_slice(&block, rows.len(), d);
            matmul(part.as_mut(), Accum::Replace, block, v, T::one(), Par::Seq);
            (rows, part)
        })?;
        for (rows, part) in parts {
            out.rb_mut().subrows_mut(rows.start, rows.len()).copy_from(part);
        }
        Ok(())
    }

    fn apply_transpose(&self, u: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
        let (n, d, k) = (self.x.nrows(), self.x.ncols(), u.ncols());
        out.fill(T::zero());
        let chunk = chunk(d);
        let scratch = || (vec![T::default(); chunk.min(n) * d], Mat::<T>::zeros(d, k));
        let work = |index: usize, (block, part): &mut (Vec<T>, Mat<T>)| {
            let rows = index * chunk..((index + 1) * chunk).min(n);
            self.pack(rows.clone(), 0..d, block);
            let block = MatRef::from_column_major_slice(&block[..rows.len() * d], d, rows.len());
            let u = u.subrows(rows.start, rows.len());
            matmul(part.as_mut(), Accum::Replace, block, u, T::one(), Par::Seq);
        };
        fold_in_order(run, n.div_ceil(chunk), scratch, work, |_, (), (_, part)| out += &*part)
    }
}

/// The most rows of a chunk, and the most numbers of one with more than a few rows.
const CHUNK: usize = 256;
const CHUNK_NUMBERS: usize = 1 << 21;

/// How many rows a chunk has: few, where they are very wide.
fn chunk(width: usize) -> usize {
    CHUNK.min(CHUNK_NUMBERS / width.max(1)).max(4)
}

/// The numbers that two threads hold while they multiply so many rows of this width.
pub fn scratch(rows: usize, width: usize) -> usize {
    let chunk = chunk(width).min(rows);
    chunk * width * rows.div_ceil(chunk.max(1)).min(2)
}

/// The means of the columns and the power of two that brings the largest `|x - mean|` near 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Centering {
    /// The first row.
    pub first: Vec<f64>,
    /// How far the mean of each column lies from the first row: to full accuracy, whatever the offset.
    pub shift: Vec<f64>,
    /// The mean of each column, rounded.
    pub mean: Vec<f64>,
    /// The power of two: with it squares neither overflow nor vanish.
    pub scale: f64,
}

/// Means and scale in one pass. Differences to the first row are summed, so that an offset costs no digits.
pub fn centering<T: Scalar>(x: MatRef<'_, T>, run: &Run) -> Result<Centering> {
    T::run_precompiled::<FindCenter>((x, run))
}

precompiled!(FindCenter, both, centering_in(x: MatRef<'r, T>, run: &'r Run) -> Result<Centering>);

fn centering_in<T: Scalar>(x: MatRef<'_, T>, run: &Run) -> Result<Centering> {
    let (n, d) = (x.nrows(), x.ncols());
    if n == 0 || d == 0 {
        return Ok(Centering { first: vec![0.0; d], shift: vec![0.0; d], mean: vec![0.0; d], scale: 1.0 });
    }
    let first: Vec<f64> = (0..d).map(|j| x[(0, j)].wide()).collect();
    let chunk = chunk(d);
    let scratch = || (vec![T::default(); chunk.min(n) * d], vec![0.0; d], vec![0.0f64; d]);
    let work = |index: usize, (block, sum, largest): &mut (Vec<T>, Vec<f64>, Vec<f64>)| {
        let rows = index * chunk..((index + 1) * chunk).min(n);
        let block = &mut block[..rows.len() * d];
        Rows { x, center: Center::Columns(&first), scale: 1.0 }.pack(rows, 0..d, block);
        sum.fill(0.0);
        largest.fill(0.0);
        vectorized(
            #[inline(always)]
            || {
                for row in block.chunks_exact(d) {
                    for ((sum, largest), value) in sum.iter_mut().zip(&mut *largest).zip(row) {
                        let value = value.wide();
                        *sum += value;
                        *largest = if value.abs() > *largest { value.abs() } else { *largest };
                    }
                }
            },
        );
    };
    let (mut total, mut largest) = (vec![0.0; d], vec![0.0f64; d]);
    fold_in_order(run, n.div_ceil(chunk), scratch, work, |_, (), (_, sum, most)| {
        total.iter_mut().zip(&*sum).for_each(|(t, s)| *t += s);
        largest.iter_mut().zip(&*most).for_each(|(l, m)| *l = l.max(*m));
    })?;
    let shift: Vec<f64> = total.iter().map(|t| t / n as f64).collect();
    let spread = largest.iter().zip(&shift).fold(0.0f64, |spread, (l, s)| spread.max(l + s.abs()));
    let mean = first.iter().zip(&shift).map(|(first, shift)| first + shift).collect();
    Ok(Centering { first, shift, mean, scale: power_of_two_below(spread) })
}

/// The power of two nearest below `1 / largest`, kept where it and its inverse are normal numbers.
pub fn power_of_two_below(largest: f64) -> f64 {
    if largest > 0.0 && largest.is_finite() {
        2f64.powi(-(largest.log2().floor() as i32).clamp(-1000, 1000))
    } else {
        1.0
    }
}
