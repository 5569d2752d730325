//! Inner products as a prefilter: `|x - y|^2 = |x|^2 + |y|^2 - 2 x.y` costs one matrix product, but its digits
//! cancel. So it only decides which pairs can be left out, within a rigorous bound on its rounding, and the
//! rest are measured by the metric itself.
//!
//! Everything here is in terms of the closeness `c = x.y - |x|^2/2 - |y|^2/2 = -|x - y|^2/2` of the centered
//! and scaled rows. The prefilter knows for each pair an upper bound, `score`, and `score - 2 (e_x + e_y)`, a
//! lower bound.

use crate::metric::kernel::{fold, larger, toward_one};
use crate::{Metric, Rows};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::{fill_rows, map_chunks};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};
use std::ops::Range;

/// Where the prefilter sees the points from: a center and a scale, so that an offset costs no digits and no
/// square overflows.
pub(super) struct Frame<T> {
    metric: Metric,
    center: Vec<T>,
    /// A power of two.
    scale: T,
}

/// Centered and scaled rows in the precision `F` of the products.
pub(super) struct Prefilter<F> {
    width: usize,
    rows: Vec<F>,
    /// `|x|^2 / 2 - e_x`.
    pub(super) half: Vec<F>,
    /// `e_x`.
    pub(super) error: Vec<F>,
}

impl<T: Scalar> Frame<T> {
    pub(super) fn new(metric: Metric, rows: &Rows<'_, T>, run: &Run) -> Result<Self> {
        const CHUNK: usize = 512;
        let (n, origin) = (rows.len(), rows.row(0));
        let sums = map_chunks(run, n, CHUNK, |range| {
            let mut sums = vec![T::zero(); rows.width()];
            for i in range {
                for ((sum, &x), &o) in sums.iter_mut().zip(rows.row(i)).zip(origin) {
                    *sum += x - o;
                }
            }
            sums
        })?;
        let mut center = vec![T::zero(); rows.width()];
        for sums in sums {
            center.iter_mut().zip(sums).for_each(|(c, sum)| *c += sum);
        }
        for (c, &o) in center.iter_mut().zip(origin) {
            *c = *c / T::of(n as f64) + o;
        }
        let extents = map_chunks(run, n, CHUNK, |range| {
            let extents = range.map(|i| fold(rows.row(i), &center, |x, c| (x - c).abs(), larger));
            extents.fold(T::zero(), larger)
        })?;
        let largest = extents.into_iter().fold(T::zero(), larger);
        let scale = if largest > T::zero() { toward_one(largest) } else { T::one() };
        Ok(Self { metric, center, scale })
    }

    /// The rows as the products see them. The bound on the error of a closeness, split between its two
    /// rows, in units of `|x|^2` (u, v: the unit roundoffs of `F` and `T`):
    /// - the product of vectors of length D, `(D + 1) u |x| |y| <= (D + 1) u (|x|^2 + |y|^2) / 2`,
    ///   whatever the order of summation;
    /// - centering and conversion, `8 u`; norms, differences and thresholds, `8 u`;
    /// - the metric's own rounding, `(D / 16 + 24) v`: pairs that it cannot distinguish must both stay.
    pub(super) fn prefilter<F: Scalar>(&self, rows: &Rows<'_, T>, run: &Run) -> Result<Prefilter<F>> {
        let (n, width) = (rows.len(), rows.width());
        let d = width as f64;
        let (u, v) = (F::EPSILON.wide() / 2.0, T::EPSILON.wide() / 2.0);
        let relative = (d / 2.0 + 32.0) * u + (d / 16.0 + 32.0) * v;
        // The factor covers the terms of second order; a width that defeats it leaves nothing out.
        let relative = if relative < 0.1 { relative * 1.25 } else { f64::INFINITY };
        let mut absolute = d * F::min_positive_value().wide();
        if self.metric == Metric::SquaredEuclidean {
            // Its squares underflow in the units of the data, where others are safe.
            let smallest = (T::min_positive_value() * T::EPSILON).wide();
            let scale = self.scale.wide();
            absolute += d * (smallest * scale) * scale;
            if 4.0 * d / (scale * scale) > T::max_value().wide() {
                // The squares may overflow: equal for the metric, not for the prefilter.
                absolute = f64::INFINITY;
            }
        }
        let mut converted = vec![F::zero(); n * width];
        fill_rows(run, &mut converted, width, 64, |range, out| {
            for (i, out) in range.zip(out.chunks_exact_mut(width)) {
                for ((out, &x), &c) in out.iter_mut().zip(rows.row(i)).zip(&self.center) {
                    *out = F::of(((x - c) * self.scale).wide());
                }
            }
        })?;
        let norms = map_chunks(run, n, 64, |range| -> Vec<f64> {
            let rows = converted[range.start * width..range.end * width].chunks_exact(width);
            rows.map(|row| row.iter().map(|x| x.wide() * x.wide()).sum()).collect()
        })?;
        let (mut half, mut error) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (row, norm) in converted.chunks_exact_mut(width).zip(norms.concat()) {
            // A row so far out that its products might overflow is not prefiltered: all its pairs are measured.
            if norm < 80_f64.exp2() && (relative + absolute).is_finite() {
                let e = norm * relative + absolute;
                half.push(F::of(norm / 2.0 - e));
                error.push(F::of(e));
            } else {
                row.fill(F::zero());
                half.push(F::neg_infinity());
                error.push(F::infinity());
            }
        }
        Ok(Prefilter { width, rows: converted, half, error })
    }

    /// The score below which a pair is farther apart than `distance`, by the metric.
    pub(super) fn floor<F: Scalar>(&self, distance: T) -> F {
        let (distance, scale) = (distance.wide(), self.scale.wide());
        let squared = match self.metric {
            Metric::Euclidean => (distance * scale) * (distance * scale),
            Metric::SquaredEuclidean => (distance * scale) * scale,
            _ => (2.0 * distance * scale) * scale,
        };
        F::of(-0.5 * squared * (1.0 + 16.0 * F::EPSILON.wide()))
    }
}

impl<F: Scalar> Prefilter<F> {
    pub(super) fn len(&self) -> usize {
        self.half.len()
    }

    /// Some of the rows.
    pub(super) fn pick(&self, rows: &[usize]) -> Self {
        let row = |&i: &usize| self.rows[i * self.width..(i + 1) * self.width].to_vec();
        Self {
            width: self.width,
            rows: rows.iter().flat_map(row).collect(),
            half: rows.iter().map(|&i| self.half[i]).collect(),
            error: rows.iter().map(|&i| self.error[i]).collect(),
        }
    }

    fn block(&self, range: &Range<usize>) -> MatRef<'_, F> {
        let rows = &self.rows[range.start * self.width..range.end * self.width];
        MatRef::from_column_major_slice(rows, self.width, range.len())
    }

    /// A lower bound of the closeness of a pair from its score.
    #[inline(always)]
    pub(super) fn sure(score: F, error: F) -> F {
        if error.is_finite() { score - (error + error) } else { F::neg_infinity() }
    }
}

/// A pair that stayed in the prefilter: row and column within their blocks, and the score.
pub(super) type Hit<F> = (u32, u32, F);

/// The scratch space of a thread.
pub(super) struct Scratch<F> {
    products: Vec<F>,
    pub(super) hits: Vec<Hit<F>>,
}

impl<F: Scalar> Scratch<F> {
    pub(super) fn new() -> Self {
        Self { products: Vec::new(), hits: Vec::new() }
    }

    /// Finds the pairs of two blocks whose score reaches the floor of the row or that of the column.
    pub(super) fn sift(
        &mut self,
        (left, rows): (&Prefilter<F>, Range<usize>),
        (right, columns): (&Prefilter<F>, Range<usize>),
        row_floors: &[F],
        column_floors: Option<&[F]>,
    ) {
        let height = rows.len();
        self.products.resize(height * columns.len(), F::zero());
        matmul(
            MatMut::from_column_major_slice_mut(&mut self.products, height, columns.len()),
            Accum::Replace,
            left.block(&rows).transpose(),
            right.block(&columns),
            F::one(),
            Par::Seq,
        );
        self.hits.clear();
        let (products, hits) = (&self.products, &mut self.hits);
        vectorized(
            #[inline(always)]
            || {
                let row_halves = &left.half[rows];
                for (c, column) in columns.enumerate() {
                    let half = right.half[column];
                    let floor = column_floors.map_or(F::infinity(), |floors| floors[c]);
                    let products = &products[c * height..(c + 1) * height];
                    sift_column(products, row_halves, half, row_floors, floor, |r, score| {
                        hits.push((r as u32, c as u32, score));
                    });
                }
            },
        );
    }
}

/// Sixteen at a time: the compare is vectorized, the rare hit is not.
#[inline(always)]
fn sift_column<F: Scalar>(
    products: &[F],
    halves: &[F],
    half: F,
    floors: &[F],
    floor: F,
    mut hit: impl FnMut(usize, F),
) {
    const LANES: usize = 16;
    let lowest = |a: F, b: F| if a < b { a } else { b };
    let score = |r: usize| products[r] - halves[r] - half;
    let mut check = |r: usize| {
        if score(r) >= lowest(floors[r], floor) {
            hit(r, score(r));
        }
    };
    let (g, rest) = products.as_chunks::<LANES>();
    let (h, _) = halves.as_chunks::<LANES>();
    let (f, _) = floors.as_chunks::<LANES>();
    for (chunk, ((g, h), f)) in g.iter().zip(h).zip(f).enumerate() {
        let mut any = false;
        for l in 0..LANES {
            any |= g[l] - h[l] - half >= lowest(f[l], floor);
        }
        if any {
            (chunk * LANES..(chunk + 1) * LANES).for_each(&mut check);
        }
    }
    (products.len() - rest.len()..products.len()).for_each(check);
}
