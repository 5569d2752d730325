//! What the tree adds up, coordinate by coordinate, and what it means.

use crate::metric::kernel::{larger, root, smallest_sound_sum};
use lowland_base::Scalar;

/// A norm as a sum over coordinates. The sums are taken in the order of the metric's kernel: they have its
/// bits, and rounding is monotone, so that a box is never farther than a point in it.
pub(super) trait Norm<T>: Copy + Sync {
    /// The sum with one coordinate's difference more.
    fn add(self, sum: T, difference: T) -> T;
    /// The distance that belongs to a sum; none where only the metric's kernel decides.
    fn distance(self, sum: T) -> Option<T>;
    /// At least the largest sum whose distance is not above `distance`. `slack` is a little over 1.
    fn limit(self, distance: T, slack: T) -> T;
}

#[derive(Clone, Copy)]
pub(super) struct Euclidean;

#[derive(Clone, Copy)]
pub(super) struct SquaredEuclidean;

#[derive(Clone, Copy)]
pub(super) struct Manhattan;

#[derive(Clone, Copy)]
pub(super) struct Chebyshev;

/// The order `p`.
#[derive(Clone, Copy)]
pub(super) struct Minkowski<T>(pub(super) T);

impl<T: Scalar> Norm<T> for Euclidean {
    #[inline(always)]
    fn add(self, sum: T, difference: T) -> T {
        sum + difference * difference
    }

    #[inline(always)]
    fn distance(self, sum: T) -> Option<T> {
        root(sum)
    }

    #[inline(always)]
    fn limit(self, distance: T, slack: T) -> T {
        larger(distance * distance * slack, smallest_sound_sum())
    }
}

impl<T: Scalar> Norm<T> for SquaredEuclidean {
    #[inline(always)]
    fn add(self, sum: T, difference: T) -> T {
        sum + difference * difference
    }

    #[inline(always)]
    fn distance(self, sum: T) -> Option<T> {
        Some(sum)
    }

    #[inline(always)]
    fn limit(self, distance: T, slack: T) -> T {
        distance * slack
    }
}

impl<T: Scalar> Norm<T> for Manhattan {
    #[inline(always)]
    fn add(self, sum: T, difference: T) -> T {
        sum + difference.abs()
    }

    #[inline(always)]
    fn distance(self, sum: T) -> Option<T> {
        Some(sum)
    }

    #[inline(always)]
    fn limit(self, distance: T, slack: T) -> T {
        distance * slack
    }
}

impl<T: Scalar> Norm<T> for Chebyshev {
    #[inline(always)]
    fn add(self, sum: T, difference: T) -> T {
        larger(sum, difference.abs())
    }

    #[inline(always)]
    fn distance(self, sum: T) -> Option<T> {
        Some(sum)
    }

    #[inline(always)]
    fn limit(self, distance: T, slack: T) -> T {
        distance * slack
    }
}

impl<T: Scalar> Norm<T> for Minkowski<T> {
    #[inline(always)]
    fn add(self, sum: T, difference: T) -> T {
        sum + difference.abs().powf(self.0)
    }

    #[inline(always)]
    fn distance(self, _sum: T) -> Option<T> {
        None
    }

    #[inline(always)]
    fn limit(self, distance: T, slack: T) -> T {
        larger((distance * slack).powf(self.0) * slack, smallest_sound_sum())
    }
}
