//! Blocks of kernel values. Rows are taken 64 at a time and filled up to that height, so that a product always
//! has the same shape and a row's bits do not depend on its batch.

use super::{Function, width};
use crate::extension::IndexedPoints;
use crate::functions::exponentiate;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::fill_rows;
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run};
use lowland_linalg::operator::Packed;
use lowland_neighbors::Metric;
use ndarray::{Array2, ArrayView2, Axis};
use std::ops::Range;

/// Rows of a block.
const BLOCK: usize = 64;
/// Columns of a block: its products stay in the second cache.
const STRIP: usize = 512;

/// Squared distances below this share of the squared norms have lost too many digits.
const CANCELED: f64 = 1e-6;

/// A kernel function with the points it is applied to, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    function: Function,
    /// The points, about their mean where the kernel only looks at differences.
    points: Array2<f64>,
    center: Vec<f64>,
    /// `|x|^2`, or `|x|` for the cosine.
    norms: Vec<f64>,
    widths: Vec<f64>,
}

impl Prepared {
    pub fn new(function: Function, indexed: &IndexedPoints, run: &Run) -> Result<Self> {
        let points = indexed.view();
        let center = match points.mean_axis(Axis(0)) {
            Some(mean) if is_of_differences(&function) || matches!(function, Function::CenteredLinear) => {
                mean.to_vec()
            }
            _ => vec![0.0; points.ncols()],
        };
        let widths = match function {
            Function::LocalGaussian { neighbor } => width::local_widths(indexed, points, neighbor, run)?,
            _ => Vec::new(),
        };
        let points = moved(points, &center);
        let norms = norms(&function, &points);
        Ok(Self { function, points, center, norms, widths })
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.nrows()
    }

    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The symmetric matrix between all points.
    pub fn matrix(&self, run: &Run) -> Result<Packed<f64>> {
        Packed::filled(self.len(), run, |rows, columns, out| {
            self.block(&self.points, &self.norms, &self.widths, rows, columns, out);
        })
    }

    /// Points as the kernel sees them.
    pub fn moved(&self, points: ArrayView2<'_, f64>) -> Array2<f64> {
        moved(points, &self.center)
    }

    /// The rows of new points.
    pub fn rows(
        &self,
        queries: ArrayView2<'_, f64>,
        original: &IndexedPoints,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let n = self.len();
        let widths = match self.function {
            Function::LocalGaussian { neighbor } => width::local_widths(original, queries, neighbor, run)?,
            _ => Vec::new(),
        };
        let queries = self.moved(queries);
        let norms = norms(&self.function, &queries);
        let mut out = Array2::zeros((queries.nrows(), n));
        let flat = flat(&mut out)?;
        fill_rows(run, flat, n, BLOCK, |rows, out| self.block(&queries, &norms, &widths, rows, n, out))?;
        Ok(out)
    }

    /// The kernel between some rows of `left` and the first `columns` points, row by row.
    fn block(
        &self,
        left: &Array2<f64>,
        norms: &[f64],
        widths: &[f64],
        rows: Range<usize>,
        columns: usize,
        out: &mut [f64],
    ) {
        let (n, d) = self.points.dim();
        if self.is_direct() {
            for (row, out) in rows.zip(out.chunks_exact_mut(columns)) {
                let x = left.row(row);
                let x = x.to_slice().unwrap_or_default();
                for (out, y) in out.iter_mut().zip(self.points.rows()) {
                    *out = self.direct(x, y.to_slice().unwrap_or_default());
                }
            }
            return;
        }
        let mut packed = vec![0.0; BLOCK * d];
        for (row, packed) in rows.clone().zip(packed.chunks_exact_mut(d)) {
            packed.copy_from_slice(left.row(row).to_slice().unwrap_or_default());
        }
        let points = self.points.as_slice().unwrap_or_default();
        let points = MatRef::from_row_major_slice(points, n, d);
        let packed = MatRef::from_row_major_slice(&packed, BLOCK, d);
        let mut products = vec![0.0; BLOCK * STRIP];
        let left_row = |row: usize| left.row(row).to_slice().unwrap_or_default();
        for left in (0..columns).step_by(STRIP) {
            let width = STRIP.min(columns - left);
            let product = MatMut::from_row_major_slice_mut(&mut products[..BLOCK * width], BLOCK, width);
            matmul(product, Accum::Replace, packed, points.subrows(left, width).transpose(), 1.0, Par::Seq);
            let rows = rows.clone().zip(out.chunks_exact_mut(columns));
            for ((row, out), products) in rows.zip(products.chunks_exact(width)) {
                let row_width = widths.get(row).copied().unwrap_or(1.0);
                let out = &mut out[left..left + width];
                if is_of_differences(&self.function) {
                    self.squares(left_row(row), norms[row], products, left, out);
                }
                self.finish(norms[row], row_width, products, left, out);
            }
        }
    }

    /// Whether it is no function of inner products.
    fn is_direct(&self) -> bool {
        match self.function {
            Function::Laplacian { .. } | Function::Closure(_) => true,
            Function::HalfSquaredDistance { .. } => !is_plain_square(&self.function),
            _ => false,
        }
    }

    fn direct(&self, x: &[f64], y: &[f64]) -> f64 {
        match &self.function {
            Function::Laplacian { gamma } => (-gamma * Metric::Manhattan.between(x, y)).exp(),
            Function::Closure(function) => function(x, y),
            Function::HalfSquaredDistance { metric, constant } => {
                let distance = metric.distance(x, y);
                if distance > 0.0 { -0.5 * (distance + constant).powi(2) } else { 0.0 }
            }
            _ => 0.0,
        }
    }

    /// Squared distances from inner products with the points from the `first` on; where those cancel, as they do for
    /// neighbors far from the mean, from the differences.
    fn squares(&self, x: &[f64], norm: f64, products: &[f64], first: usize, out: &mut [f64]) {
        let norms = &self.norms[first..first + out.len()];
        let canceled = |square: f64, other: f64| square < CANCELED * (norm + other);
        let any = vectorized(
            #[inline(always)]
            || {
                let mut any = false;
                for ((out, product), other) in out.iter_mut().zip(products).zip(norms) {
                    *out = norm + other - 2.0 * product;
                    any |= canceled(*out, *other);
                }
                any
            },
        );
        if !any {
            return;
        }
        for (j, (out, other)) in out.iter_mut().zip(norms).enumerate() {
            if canceled(*out, *other) {
                let y = self.points.row(first + j);
                *out = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum();
            }
        }
    }

    /// From inner products, or their squared distances, with the points from the `first` on to kernel values.
    fn finish(&self, norm: f64, width: f64, products: &[f64], first: usize, out: &mut [f64]) {
        let entries = out.iter_mut().zip(products).zip(&self.norms[first..]);
        match self.function {
            Function::Linear | Function::CenteredLinear => out.copy_from_slice(products),
            Function::Polynomial { gamma, coef0, degree } => {
                entries.for_each(|((out, p), _)| *out = (gamma * p + coef0).powi(degree as i32));
            }
            Function::Sigmoid { gamma, coef0 } => {
                entries.for_each(|((out, p), _)| *out = (gamma * p + coef0).tanh());
            }
            Function::Gaussian { gamma } => {
                exponentiate(out, -gamma);
            }
            Function::LocalGaussian { .. } => {
                out.iter_mut().zip(&self.widths[first..]).for_each(|(out, other)| *out /= -width * other);
                exponentiate(out, 1.0);
            }
            Function::HalfSquaredDistance { .. } => {
                out.iter_mut().for_each(|out| *out *= -0.5);
            }
            Function::Cosine => entries.for_each(|((out, p), other)| {
                let lengths = norm * other;
                *out = if lengths > 0.0 { p / lengths } else { 0.0 };
            }),
            Function::Laplacian { .. } | Function::Closure(_) => {}
        }
    }
}

/// Whether it looks at points by the squares of their differences only.
fn is_of_differences(function: &Function) -> bool {
    matches!(function, Function::Gaussian { .. } | Function::LocalGaussian { .. })
        || is_plain_square(function)
}

/// Whether it is the squared Euclidean distance itself, which inner products give.
fn is_plain_square(function: &Function) -> bool {
    matches!(function, Function::HalfSquaredDistance { metric: Metric::Euclidean, constant: 0.0 })
}

fn moved(points: ArrayView2<'_, f64>, center: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn(points.dim(), |(i, j)| points[(i, j)] - center[j])
}

fn norms(function: &Function, points: &Array2<f64>) -> Vec<f64> {
    let squared = points.rows().into_iter().map(|row| row.iter().map(|x| x * x).sum::<f64>());
    if matches!(function, Function::Cosine) { squared.map(f64::sqrt).collect() } else { squared.collect() }
}

fn flat(matrix: &mut Array2<f64>) -> Result<&mut [f64]> {
    let problem = "the rows of the kernel matrix do not lie one after the other";
    matrix.as_slice_mut().ok_or_else(|| Error::bug("kernel matrix", problem))
}
