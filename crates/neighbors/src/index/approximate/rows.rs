//! Rows as the index keeps them: row-major, scaled by a power of two so that squares neither overflow nor
//! vanish, and for cosine and correlation brought to length one.

use crate::Metric;
use faer::MatRef;
use lowland_base::{Error, Result, Run, Scalar, parallel};

/// Reads rows into the form that the index computes with, and distances back out of it.
#[derive(Debug, Clone)]
pub struct Reader<T> {
    metric: Metric,
    width: usize,
    /// A power of two: exact, and it commutes with rounding.
    scale: T,
}

/// How many rows are read at a time.
pub const BLOCK: usize = 256;

impl<T: Scalar> Reader<T> {
    /// Checks the metric and the data, and finds the scale.
    pub fn new(data: MatRef<'_, T>, metric: Metric, run: &Run) -> Result<Self> {
        match metric {
            Metric::Euclidean | Metric::SquaredEuclidean | Metric::Cosine | Metric::Correlation => {}
            other => {
                return Err(Error::Unsupported {
                    method: "the approximate index".into(),
                    what: format!("search by {other:?}"),
                    remedy: "use euclidean, squared euclidean, cosine or correlation, or an exact index"
                        .into(),
                });
            }
        }
        if data.nrows() == 0 {
            return Err(Error::Empty { what: "data", axis: "rows" });
        }
        if data.ncols() == 0 {
            return Err(Error::Empty { what: "data", axis: "columns" });
        }
        let plain = Self { metric, width: data.ncols(), scale: T::one() };
        let largest = plain.largest(data, "data", run)?;
        let scale = if plain.is_angular() || largest == 0.0 { 1.0 } else { power_of_two::<T>(1.0 / largest) };
        Ok(Self { scale: T::of(scale), ..plain })
    }

    fn is_angular(&self) -> bool {
        matches!(self.metric, Metric::Cosine | Metric::Correlation)
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The largest magnitude; refuses what is not finite.
    fn largest(&self, data: MatRef<'_, T>, what: &'static str, run: &Run) -> Result<f64> {
        let parts = parallel::map_chunks(run, data.nrows(), BLOCK, |range| {
            let mut block = vec![T::zero(); range.len() * self.width];
            copy(data, range, self.width, &mut block);
            // Zero times anything finite is zero; anything else is caught by it.
            let (mut largest, mut sound) = (T::zero(), T::zero());
            for &x in &block {
                let size = num_traits::Float::abs(x);
                largest = if size > largest { size } else { largest };
                sound += x * T::zero();
            }
            (largest.wide(), sound == T::zero())
        })?;
        if parts.iter().any(|part| !part.1) {
            let mut first = None;
            let mut count = 0;
            for row in 0..data.nrows() {
                for column in 0..self.width {
                    if !num_traits::Float::is_finite(data[(row, column)]) {
                        count += 1;
                        first = first.or(Some((row, column)));
                    }
                }
            }
            let (row, column) = first.unwrap_or((0, 0));
            return Err(Error::NotFinite { what, row, column, value: data[(row, column)].wide(), count });
        }
        Ok(parts.iter().fold(0.0, |a, b| a.max(b.0)))
    }

    /// Refuses queries of another width, or that are not finite.
    pub fn check_queries(&self, queries: MatRef<'_, T>, run: &Run) -> Result<()> {
        if queries.ncols() != self.width {
            return Err(Error::Width { what: "queries", expected: self.width, found: queries.ncols() });
        }
        self.largest(queries, "queries", run).map(|_| ())
    }

    /// The rows `at`, in the index's form. The first row without a direction is an error.
    pub fn read(
        &self,
        data: MatRef<'_, T>,
        at: impl Iterator<Item = usize> + Clone,
        out: &mut [T],
    ) -> Result<()> {
        copy(data, at.clone(), self.width, out);
        if !self.is_angular() {
            for x in out.iter_mut() {
                *x *= self.scale;
            }
            return Ok(());
        }
        for (row, number) in out.chunks_exact_mut(self.width).zip(at) {
            if !self.to_unit_length(row) {
                return Err(Error::Unsupported {
                    method: "the approximate index".into(),
                    what: format!("take an angle with row {number}, which has no direction"),
                    remedy: "remove the rows that are zero (cosine) or constant (correlation), or use an exact index"
                        .into(),
                });
            }
        }
        Ok(())
    }

    fn to_unit_length(&self, row: &mut [T]) -> bool {
        let largest = row.iter().fold(0.0, |a: f64, &x| a.max(x.wide().abs()));
        if largest == 0.0 {
            return false;
        }
        let mean = if self.metric == Metric::Correlation {
            // A constant row must come out as exactly zero, which its rounded mean need not give.
            if row.iter().all(|&x| x == row[0]) {
                return false;
            }
            row.iter().map(|&x| x.wide() / largest).sum::<f64>() / row.len() as f64
        } else {
            0.0
        };
        let length = row.iter().map(|&x| (x.wide() / largest - mean).powi(2)).sum::<f64>().sqrt();
        for x in row.iter_mut() {
            *x = T::of((x.wide() / largest - mean) / length);
        }
        true
    }

    /// The metric's distance from a squared distance in the index's form.
    pub fn distance(&self, squared: T) -> T {
        match self.metric {
            Metric::SquaredEuclidean => squared / self.scale / self.scale,
            // |u - v|^2 = 2 - 2 cos.
            Metric::Cosine | Metric::Correlation => squared / T::of(2.0),
            _ => num_traits::Float::sqrt(squared) / self.scale,
        }
    }

    /// The straight-line length, in the index's form, that belongs to a radius in the metric's own terms.
    pub fn length(&self, radius: T) -> f64 {
        let radius = radius.wide();
        match self.metric {
            Metric::SquaredEuclidean => radius.sqrt() * self.scale.wide(),
            Metric::Cosine | Metric::Correlation => (2.0 * radius).sqrt(),
            _ => radius * self.scale.wide(),
        }
    }
}

/// Copies rows of any memory layout into row-major order.
fn copy<T: Scalar>(
    data: MatRef<'_, T>,
    at: impl Iterator<Item = usize> + Clone,
    width: usize,
    out: &mut [T],
) {
    if data.col_stride() == 1 {
        for (i, row) in at.zip(out.chunks_exact_mut(width)) {
            match data.row(i).try_as_row_major() {
                Some(from) => row.copy_from_slice(from.as_slice()),
                None => row.iter_mut().enumerate().for_each(|(j, x)| *x = data[(i, j)]),
            }
        }
    } else {
        for j in 0..width {
            for (slot, i) in at.clone().enumerate() {
                out[slot * width + j] = data[(i, j)];
            }
        }
    }
}

/// The power of two just below, well inside the range of `T`.
fn power_of_two<T: Scalar>(x: f64) -> f64 {
    let limit = <T as num_traits::Float>::max_value().wide().log2() - 8.0;
    x.log2().floor().clamp(-limit, limit).exp2()
}
