//! The distances between vectors.

pub(crate) mod kernel;
#[cfg(test)]
mod tests;

use crate::Rows;
use faer::MatRef;
use lowland_base::simd::vectorized;
use lowland_base::{Error, Run, Scalar};
use std::fmt;
use std::str::FromStr;

/// How far apart two vectors are. The definitions are SciPy's; where those divide zero by zero, the answer
/// is written at the variant. No finite input gives NaN.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Metric {
    /// The straight line. Sound over the whole range of the number type: it neither overflows nor underflows
    /// on the way.
    #[default]
    Euclidean,
    /// The square of the straight line: no metric, but the same order of neighbors. Underflows to 0 where
    /// the square does.
    SquaredEuclidean,
    /// The sum of absolute differences.
    Manhattan,
    /// The largest absolute difference.
    Chebyshev,
    /// The p-norm of the difference, `p >= 1`; see [`Metric::minkowski`].
    Minkowski(f64),
    /// 1 - cosine of the angle, in 0..2. A zero vector is at 1 from all others and at 0 from its like.
    Cosine,
    /// 1 - Pearson correlation of the entries, in 0..2. A constant vector is at 1 from all others and at 0
    /// from its like.
    Correlation,
    /// The share of entries that differ.
    Hamming,
    /// 1 - intersection / union, of the sets of non-zero entries. Two empty sets are at 0.
    Jaccard,
}

impl Metric {
    /// The names that [`str::parse`] knows, `minkowski` with its order: `minkowski(3)`. It also takes the usual
    /// aliases (`l2`, `l1`, `cityblock`, `linf`, ..).
    pub const NAMES: [&'static str; 9] = [
        "euclidean",
        "sqeuclidean",
        "manhattan",
        "chebyshev",
        "minkowski",
        "cosine",
        "correlation",
        "hamming",
        "jaccard",
    ];

    /// The Minkowski metric of order `p`, at least 1; infinity is the Chebyshev metric.
    pub fn minkowski(p: f64) -> Result<Self, Error> {
        Self::Minkowski(p).checked()
    }

    /// This metric in its simplest form, or an error for an order below 1.
    pub fn checked(self) -> Result<Self, Error> {
        match self {
            Self::Minkowski(p) if p.is_nan() || p < 1.0 => Err(Error::parameter(
                "p",
                p,
                "at least 1",
                "below 1 the triangle inequality fails; use p = 1 (manhattan) or more",
            )),
            Self::Minkowski(1.0) => Ok(Self::Manhattan),
            Self::Minkowski(2.0) => Ok(Self::Euclidean),
            Self::Minkowski(f64::INFINITY) => Ok(Self::Chebyshev),
            other => Ok(other),
        }
    }

    /// The name, without the order of a Minkowski metric.
    pub fn name(&self) -> &'static str {
        Self::NAMES[match self {
            Self::Euclidean => 0,
            Self::SquaredEuclidean => 1,
            Self::Manhattan => 2,
            Self::Chebyshev => 3,
            Self::Minkowski(_) => 4,
            Self::Cosine => 5,
            Self::Correlation => 6,
            Self::Hamming => 7,
            Self::Jaccard => 8,
        }]
    }

    /// The distance between two vectors of the same length.
    pub fn distance<T: Scalar>(&self, a: &[T], b: &[T]) -> T {
        if self.is_angular() {
            let mut prepared = vec![T::zero(); 2 * (a.len() + 1)];
            let (x, y) = prepared.split_at_mut(a.len() + 1);
            self.prepare_row(a, x);
            self.prepare_row(b, y);
            return self.between(x, y);
        }
        self.between(a, b)
    }

    /// The rows in the form that [`Metric::between`] takes: of unit length for cosine and correlation (with
    /// one column more, which sets zero rows apart), as they are for the others.
    pub fn prepare<'a, T: Scalar>(&self, points: MatRef<'a, T>, run: &Run) -> Result<Rows<'a, T>, Error> {
        self.prepare_rows(Rows::new(points), run)
    }

    /// As [`Metric::prepare`], for points that are rows already.
    pub fn prepare_rows<'a, T: Scalar>(&self, rows: Rows<'a, T>, run: &Run) -> Result<Rows<'a, T>, Error> {
        if !self.is_angular() {
            return Ok(rows);
        }
        Rows::from_fn(rows.len(), rows.width() + 1, run, |i, out| self.prepare_row(rows.row(i), out))
    }

    /// The distance between two rows that [`Metric::prepare`] has made: the same bits as
    /// [`Metric::distance`] of the rows they were made from.
    pub fn between<T: Scalar>(&self, a: &[T], b: &[T]) -> T {
        vectorized(
            #[inline(always)]
            || self.between_inline(a, b),
        )
    }

    #[inline(always)]
    pub(crate) fn between_inline<T: Scalar>(&self, a: &[T], b: &[T]) -> T {
        match *self {
            Self::Euclidean => kernel::euclidean(a, b),
            Self::SquaredEuclidean => kernel::squared_euclidean(a, b),
            Self::Manhattan => kernel::manhattan(a, b),
            Self::Chebyshev => kernel::chebyshev(a, b),
            Self::Minkowski(1.0) => kernel::manhattan(a, b),
            Self::Minkowski(2.0) => kernel::euclidean(a, b),
            Self::Minkowski(f64::INFINITY) => kernel::chebyshev(a, b),
            Self::Minkowski(p) => kernel::minkowski(a, b, T::of(p)),
            Self::Cosine | Self::Correlation => kernel::half_squared(a, b),
            Self::Hamming => kernel::hamming(a, b),
            Self::Jaccard => kernel::jaccard(a, b),
        }
    }

    /// Whether it looks at directions only.
    pub fn is_angular(&self) -> bool {
        matches!(self, Self::Cosine | Self::Correlation)
    }

    fn prepare_row<T: Scalar>(&self, row: &[T], out: &mut [T]) {
        if *self == Self::Correlation { kernel::centered_unit(row, out) } else { kernel::unit(row, out) }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minkowski(p) => write!(f, "minkowski({p})"),
            other => f.write_str(other.name()),
        }
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let name = text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        Ok(match name.as_str() {
            "euclidean" | "l2" => Self::Euclidean,
            "sqeuclidean" | "squared_euclidean" | "l2_squared" => Self::SquaredEuclidean,
            "manhattan" | "cityblock" | "taxicab" | "l1" => Self::Manhattan,
            "chebyshev" | "infinity" | "linfinity" | "linf" | "max" => Self::Chebyshev,
            "cosine" | "angular" => Self::Cosine,
            "correlation" | "pearson" => Self::Correlation,
            "hamming" => Self::Hamming,
            "jaccard" => Self::Jaccard,
            other => {
                // Without its order it would be the Euclidean metric, which is not what the word says.
                let order = other.strip_prefix("minkowski(").and_then(|rest| rest.strip_suffix(')'));
                match order.and_then(|p| p.trim().parse().ok()) {
                    Some(p) => return Self::minkowski(p),
                    None => {
                        return Err(Error::parameter(
                            "metric",
                            text,
                            format!("it must be one of {}", Self::NAMES.join(", ")),
                            "write the order of a Minkowski metric as minkowski(3)",
                        ));
                    }
                }
            }
        })
    }
}
