//! How many dimensions data really have.
//!
//! Duplicates are left out first: an estimate is of the set that the points lie on, and a distance of 0 says nothing
//! about it. Neighborhoods that are larger than the data are cut to all other points. Where the distances are too
//! regular to say (all neighbors equally far, as on a simplex), the answer is the number of columns. Nothing else is cut
//! to it: an estimate above it, and its interval, say how far off the estimator is.

mod consensus;
mod correlation;
mod likelihood;
mod local_pca;
mod nearest;
mod packing;
mod spanning_tree;
mod two_nn;

pub use consensus::{Answer, Certainty, consensus};

use crate::cloud::Points;
use crate::estimate::Estimate;
use faer::{Mat, MatRef};
use lowland_base::{Error, Result, Run, Scalar, precompiled};
use lowland_neighbors::Metric;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A way to estimate the dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimator {
    /// Maximum likelihood (Levina and Bickel 2005), pooled over the points (MacKay and Ghahramani 2005), over
    /// neighborhoods of `k1` to `k2` points. With local estimates.
    #[default]
    MaximumLikelihood,
    /// The ratio of the distances to the two nearest neighbors (Facco et al. 2017), without its largest tenth.
    TwoNn,
    /// The growth of the number of pairs within a radius (Grassberger and Procaccia 1983), between the median distances
    /// to the `k1`-th and the `k2`-th neighbor.
    Correlation,
    /// The growth of the number of points that keep a distance from each other (Kégl 2002), between the median
    /// distance to the `k1`-th neighbor and twice that. On at most 5,000 points.
    Packing,
    /// The growth of the minimum spanning tree of geodesic distances with the number of points (Costa and Hero 2004). On
    /// at most 2,000 points.
    SpanningTree,
    /// The number of eigenvalues above a twentieth of the largest, of the covariance of each neighborhood (Fukunaga
    /// and Olsen 1971), of `1.5 k2` points. With local estimates.
    LocalPca,
    /// The growth of the mean distance to the k-th neighbor with k, from `k1` to `k2` (Pettis et al. 1979).
    NearestNeighbor,
}

impl Estimator {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::MaximumLikelihood,
        Self::TwoNn,
        Self::Correlation,
        Self::Packing,
        Self::SpanningTree,
        Self::LocalPca,
        Self::NearestNeighbor,
    ];

    /// The name in every front end.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaximumLikelihood => "mle",
            Self::TwoNn => "two_nn",
            Self::Correlation => "correlation",
            Self::Packing => "packing",
            Self::SpanningTree => "spanning_tree",
            Self::LocalPca => "local_pca",
            Self::NearestNeighbor => "nearest_neighbor",
        }
    }
}

impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Estimator {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        Self::ALL.into_iter().find(|estimator| estimator.name() == name).ok_or_else(|| {
            let bound = format!("it must be one of {}", Self::ALL.map(Self::name).join(", "));
            Error::parameter("method", text, bound, "choose one of these")
        })
    }
}

/// The scales that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scales {
    /// The smallest neighborhood, at least 3.
    pub k1: usize,
    /// The largest neighborhood, more than `k1`.
    pub k2: usize,
}

impl Default for Scales {
    fn default() -> Self {
        Self { k1: 10, k2: 20 }
    }
}

/// An estimate for the whole, and perhaps for every point.
#[derive(Debug, Clone, PartialEq)]
pub struct Dimension {
    /// The estimate for the whole, with a 95 % interval of its variation, 0 or more; it may be above the number of
    /// columns. The interval does not cover the bias that borders, curvature and noise bring to every estimator.
    pub global: Estimate,
    /// The estimate around every row; duplicates have that of their like.
    pub local: Option<Vec<f64>>,
    /// The number of different rows.
    pub distinct: usize,
}

/// The fewest different points that an estimate needs.
const FEWEST: usize = 5;

/// Estimates the dimension of the rows of a matrix, in the Euclidean metric.
pub fn estimate<T: Scalar>(
    points: MatRef<'_, T>,
    estimator: Estimator,
    scales: Scales,
    run: &Run,
) -> Result<Dimension> {
    T::run_precompiled::<Estimated>((points, estimator, scales, run))
}

precompiled!(
    Estimated,
    both,
    estimate_in(points: MatRef<'r, T>, estimator: Estimator, scales: Scales, run: &'r Run) -> Result<Dimension>
);

fn estimate_in<T: Scalar>(
    points: MatRef<'_, T>,
    estimator: Estimator,
    scales: Scales,
    run: &Run,
) -> Result<Dimension> {
    if scales.k1 < 3 || scales.k2 <= scales.k1 {
        let bound = "k1 at least 3, and less than k2";
        return Err(Error::parameter(
            "k1, k2",
            format!("{}, {}", scales.k1, scales.k2),
            bound,
            "try 10 and 20",
        ));
    }
    check_finite(points)?;
    let (kept, positions) = distinct(points);
    let (n, width) = (kept.len(), points.ncols());
    if n < FEWEST {
        return Err(Error::TooFewRows {
            rows: n,
            needed: FEWEST,
            what: "a dimension (duplicates left out)".into(),
        });
    }
    let rows = Mat::from_fn(n, width, |i, j| points[(kept[i] as usize, j)]);
    let cloud = Points::new(rows.as_ref(), Metric::Euclidean, run)?;
    let k2 = scales.k2.min(n - 1);
    let scales = Scales { k1: scales.k1.min(k2 - 1), k2 };
    let stage = run.stage(estimator.name(), None);
    let (global, local) = match estimator {
        Estimator::MaximumLikelihood => likelihood::estimate(&cloud, scales, width, run)?,
        Estimator::TwoNn => (two_nn::estimate(&cloud, width, run)?, None),
        Estimator::Correlation => (correlation::estimate(&cloud, scales, width, run)?, None),
        Estimator::Packing => (packing::estimate(&cloud, scales, width, run)?, None),
        Estimator::SpanningTree => (spanning_tree::estimate(rows.as_ref(), scales, run)?, None),
        Estimator::LocalPca => local_pca::estimate(rows.as_ref(), &cloud, scales, run)?,
        Estimator::NearestNeighbor => (nearest::estimate(&cloud, scales, width, run)?, None),
    };
    drop(stage);
    let local = local.map(|local| positions.iter().map(|&position| local[position as usize]).collect());
    Ok(Dimension { global: global.within(0.0, f64::INFINITY), local, distinct: n })
}

pub(crate) fn check_finite<T: Scalar>(points: MatRef<'_, T>) -> Result<()> {
    let cells = (0..points.nrows()).flat_map(|row| (0..points.ncols()).map(move |column| (row, column)));
    let mut wrong = cells.filter(|&cell| !points[cell].is_finite());
    let Some((row, column)) = wrong.next() else { return Ok(()) };
    let value = points[(row, column)].wide();
    Err(Error::NotFinite { what: "points", row, column, value, count: 1 + wrong.count() })
}

/// The rows that differ from all before them, and for every row its position among these.
pub(crate) fn distinct<T: Scalar>(points: MatRef<'_, T>) -> (Vec<u32>, Vec<u32>) {
    let n = points.nrows();
    let compare = |a: &u32, b: &u32| {
        let (a, b) = (points.row(*a as usize), points.row(*b as usize));
        let mut cells = a.iter().zip(b.iter());
        cells.find_map(|(x, y)| x.partial_cmp(y).filter(|o| o.is_ne())).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<u32> = (0..n as u32).collect();
    // Stable: of equal rows, the first comes first.
    order.sort_by(compare);
    let mut first = vec![0_u32; n];
    for equal in order.chunk_by(|a, b| compare(a, b).is_eq()) {
        equal.iter().for_each(|&row| first[row as usize] = equal[0]);
    }
    let kept: Vec<u32> = (0..n as u32).filter(|&row| first[row as usize] == row).collect();
    let mut positions = vec![0_u32; n];
    kept.iter().zip(0..).for_each(|(&row, position)| positions[row as usize] = position);
    (kept, first.iter().map(|&row| positions[row as usize]).collect())
}

/// The median; the upper of two.
fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
