//! `y = (x - center) M + offset`: how a linear method embeds, and how it goes back.

use crate::Input;
use crate::input::not_admitted;
use crate::matrix::faer_view;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run, Scalar};
use lowland_linalg::rows::{Center, Rows, power_of_two_below};
use ndarray::{Array2, ArrayView2};

/// Rows multiplied at a time. Every block is filled up to this height, so that the product always has one
/// shape and a row's bits do not depend on the rest of its batch.
const BLOCK: usize = 64;
/// The same for a matrix of at least so many entries, whose packing would cost as much as the product.
const LARGE_BLOCK: usize = 256;
const LARGE: usize = 1 << 17;
/// Of very wide rows, fewer: a block takes no more than so many numbers, or four rows.
const BLOCK_NUMBERS: usize = 1 << 20;

/// How many rows are multiplied at a time. It depends on the map alone.
fn height(width: usize, k: usize) -> usize {
    let usual = if width * k < LARGE { BLOCK } else { LARGE_BLOCK };
    usual.min(BLOCK_NUMBERS / width.max(1)).max(4)
}

/// The numbers that two threads hold while they apply a map.
pub(crate) fn scratch(width: usize, k: usize) -> f64 {
    (2 * height(width, k) * (width + k)) as f64
}

/// An affine map of rows.
pub(crate) struct Affine<'a> {
    /// Subtracted first, so that an offset of the data costs no digits.
    pub center: Option<&'a [f64]>,
    /// Input width x output width.
    pub matrix: ArrayView2<'a, f64>,
    /// Added last.
    pub offset: Option<&'a [f64]>,
}

impl Affine<'_> {
    /// The images of all rows.
    pub fn apply<T: Scalar>(&self, input: Input<'_, T>, run: &Run) -> Result<Array2<T>> {
        let (width, k) = self.matrix.dim();
        let n = input.shape().rows;
        let height = height(width, k);
        // Of a matrix with entries beyond T (whitening data that vary very little), a power of two goes to the rows.
        let largest = self.matrix.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
        let moved = power_of_two_below(largest).min(1.0);
        let matrix: Vec<T> = self.matrix.iter().map(|&value| T::of(value * moved)).collect();
        let mut out = vec![T::zero(); n * k];
        match input {
            Input::Points(x) => {
                let rows = Rows {
                    x: faer_view(x),
                    center: self.center.map_or(Center::None, Center::Columns),
                    scale: 1.0 / moved,
                };
                let matrix = MatRef::from_row_major_slice(&matrix, width, k);
                // Rows that already lie as they would be packed are multiplied where they are.
                let in_place = self.center.is_none() && moved == 1.0 && x.is_standard_layout();
                let in_place = if in_place { x.to_slice() } else { None };
                fill_rows(run, &mut out, k, height, |here, out| {
                    let mut images = vec![T::zero(); height * k];
                    let mut packed = Vec::new();
                    let block = match in_place {
                        Some(values) if here.len() == height => &values[here.start * width..here.end * width],
                        _ => {
                            packed.resize(height * width, T::zero());
                            rows.pack(here, 0..width, &mut packed);
                            &packed[..]
                        }
                    };
                    let block = MatRef::from_row_major_slice(block, height, width);
                    let image = MatMut::from_row_major_slice_mut(&mut images, height, k);
                    matmul(image, Accum::Replace, block, matrix, T::one(), Par::Seq);
                    self.add_offset(&images, out);
                })?;
            }
            Input::Sparse(x) => {
                let start = self.image_of_zero();
                fill_rows(run, &mut out, k, BLOCK, |here, out| {
                    for (row, out) in here.zip(out.chunks_exact_mut(k)) {
                        let (columns, values) = x.row(row);
                        let mut image = start.clone();
                        for (&column, value) in columns.iter().zip(values) {
                            let direction = self.matrix.row(column as usize);
                            for (image, direction) in image.iter_mut().zip(direction) {
                                *image += value.wide() * direction;
                            }
                        }
                        out.iter_mut().zip(image).for_each(|(out, value)| *out = T::of(value));
                    }
                })?;
            }
            _ => return Err(not_admitted(input.shape().kind)),
        }
        Array2::from_shape_vec((n, k), out).map_err(|e| Error::shape("embedding", &e))
    }

    /// Adds the offset; rows that only filled the block are left out.
    fn add_offset<T: Scalar>(&self, images: &[T], out: &mut [T]) {
        out.copy_from_slice(&images[..out.len()]);
        if let Some(offset) = self.offset {
            for row in out.chunks_exact_mut(offset.len().max(1)) {
                row.iter_mut().zip(offset).for_each(|(out, offset)| *out = T::of(out.wide() + offset));
            }
        }
    }

    /// `offset - center M`: where a sparse row starts.
    fn image_of_zero(&self) -> Vec<f64> {
        let mut image = self.offset.map_or_else(|| vec![0.0; self.matrix.ncols()], <[f64]>::to_vec);
        for (center, direction) in self.center.unwrap_or_default().iter().zip(self.matrix.rows()) {
            image.iter_mut().zip(direction).for_each(|(image, direction)| *image -= center * direction);
        }
        image
    }
}
