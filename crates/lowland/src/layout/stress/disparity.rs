//! What the distances of a layout are compared with: the dissimilarities themselves, or the nearest of all that a
//! transformation allows.

use super::cone::{Basis, Cone};
use super::isotonic;
use super::pairs::Pairs;
use crate::choices;
use lowland_base::{Result, Run};
use std::ops::Range;

choices! {
    /// How disparities follow from dissimilarities in metric scaling.
    pub enum Transformation {
        /// They are the same.
        Absolute = "absolute",
        /// They are proportional.
        Ratio = "ratio",
        /// They are a line of the dissimilarities: their zero is not known.
        Interval = "interval",
        /// They are a smooth increasing function: quadratic splines with three knots.
        Spline = "spline",
    }
}

choices! {
    /// What non-metric scaling does with pairs of equal dissimilarity.
    pub enum Ties {
        /// They may have different disparities.
        Primary = "primary",
        /// They have one disparity.
        Secondary = "secondary",
    }
}

/// All transformations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// A function of the dissimilarities.
    Metric(Transformation),
    /// Their order.
    Order(Ties),
}

impl Scale {
    /// Whether disparities are the dissimilarities.
    pub fn is_absolute(self) -> bool {
        self == Self::Metric(Transformation::Absolute)
    }
}

/// The regression of the distances of a layout on their dissimilarities.
pub(crate) enum Regression {
    /// The dissimilarities.
    Fixed,
    /// A sum of functions.
    Cone(Box<Cone>),
    /// Any sequence that does not decrease, with the ties of the dissimilarities.
    Monotone { ties: Vec<Range<usize>>, treatment: Ties },
}

impl Regression {
    /// The pairs of all but the absolute are sorted by dissimilarity.
    pub fn new(scale: Scale, pairs: &Pairs, run: &Run) -> Result<Self> {
        let cone = |basis: Basis| Cone::new(basis, pairs, run).map(|cone| Self::Cone(Box::new(cone)));
        match scale {
            Scale::Metric(Transformation::Absolute) => Ok(Self::Fixed),
            Scale::Metric(Transformation::Ratio) => cone(Basis::Ratio),
            Scale::Metric(Transformation::Interval) => {
                cone(Basis::Interval { least: pairs.given.first().copied().unwrap_or(0.0) })
            }
            Scale::Metric(Transformation::Spline) => cone(Basis::spline(&pairs.given)),
            Scale::Order(treatment) => Ok(Self::Monotone { ties: isotonic::ties(&pairs.given), treatment }),
        }
    }

    /// The disparities nearest to the distances.
    pub fn fit(&self, pairs: &Pairs, distances: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
        let weight = |index: usize| {
            let mut weight = 0.0;
            pairs.each(index..index + 1, |index, i, j| weight = pairs.full_weight(index, i, j));
            weight
        };
        match self {
            Self::Fixed => out.copy_from_slice(&pairs.given),
            Self::Cone(cone) => {
                let factors = cone.factors(pairs, distances, run)?;
                lowland_base::parallel::fill_rows(run, out, 1, 1 << 16, |indices, out| {
                    for (index, out) in indices.zip(out) {
                        *out = cone.basis.value(pairs.given[index], &factors);
                    }
                })?;
            }
            Self::Monotone { ties, treatment: Ties::Primary } => {
                run.check()?;
                isotonic::primary(distances, ties, weight, out);
            }
            Self::Monotone { ties, treatment: Ties::Secondary } => {
                run.check()?;
                isotonic::secondary(distances, ties, weight, out);
            }
        }
        Ok(())
    }
}

/// Disparities as a function of the dissimilarity, for new points: straight lines between some of those of the fit.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Curve {
    /// Dissimilarities and their disparities, ascending. None: they are the same.
    pub knots: Vec<[f64; 2]>,
    /// Whether the curve goes on beyond its ends as it ends.
    pub open: bool,
}

/// The most knots of a curve.
const KNOTS: usize = 1024;

impl Curve {
    /// From the disparities of sorted dissimilarities.
    pub fn new(regression: &Regression, given: &[f64], disparities: &[f64]) -> Self {
        let open = match regression {
            Regression::Fixed => return Self::default(),
            Regression::Cone(cone) => !matches!(cone.basis, Basis::Spline { .. }),
            Regression::Monotone { .. } => false,
        };
        // One knot a dissimilarity: the mean of its disparities.
        let mut knots: Vec<[f64; 2]> = Vec::new();
        let mut start = 0;
        let stride = given.len().div_ceil(4 * KNOTS).max(1);
        while start < given.len() {
            let end = start + given[start..].partition_point(|&d| d <= given[start]);
            let mean = disparities[start..end].iter().sum::<f64>() / (end - start) as f64;
            knots.push([given[start], mean]);
            start = end.max(start + stride).min(given.len()).max(start + 1);
        }
        if let (Some(&d), Some(&f)) = (given.last(), disparities.last())
            && knots.last().is_some_and(|knot| knot[0] < d)
        {
            knots.push([d, f]);
        }
        let keep = knots.len().div_ceil(KNOTS).max(1);
        let last = knots.len().saturating_sub(1);
        let knots = knots.iter().enumerate().filter(|(k, _)| k % keep == 0 || *k == last);
        Self { knots: knots.map(|knot| *knot.1).collect(), open }
    }

    /// The disparity of a dissimilarity.
    pub fn at(&self, d: f64) -> f64 {
        let line = |a: [f64; 2], b: [f64; 2]| {
            if b[0] > a[0] { a[1] + (b[1] - a[1]) * ((d - a[0]) / (b[0] - a[0])) } else { a[1] }
        };
        let knots = &self.knots;
        match knots.len() {
            0 => d,
            1 if self.open && knots[0][0] > 0.0 => d * (knots[0][1] / knots[0][0]),
            1 => knots[0][1],
            count => {
                let after = knots.partition_point(|knot| knot[0] < d);
                if (after == 0 || after == count) && !self.open {
                    return knots[after.min(count - 1)][1];
                }
                let b = after.clamp(1, count - 1);
                line(knots[b - 1], knots[b]).max(0.0)
            }
        }
    }
}
