//! The forces between points of a UMAP layout, some at a time in the lanes of vectors.

use super::power::power;
use super::{Curve, Sampling};
use crate::layout::chance::Chance;

/// No coordinate of a gradient counts for more.
pub const CLIP: f32 = 4.0;
/// Pulls and pushes at a time: a point has five times as many pushes, and two vectors of them at once keep the vector
/// units busy while a power is waited for.
pub const PULLS: usize = 8;
pub const PUSHES: usize = 16;

/// Values of some points at a time, or sums of such values: for each coordinate one a lane.
pub type Lanes<const D: usize, const L: usize> = [[f32; L]; D];

/// The sum over the lanes, a power of two, always in the same order.
#[inline(always)]
pub fn total<const D: usize, const L: usize>(lanes: &Lanes<D, L>) -> [f32; D] {
    lanes.map(|mut sums| {
        let mut width = L;
        while width > 1 {
            width /= 2;
            for lane in 0..width {
                sums[lane] += sums[lane + width];
            }
        }
        sums[0]
    })
}

/// The forces of the curve, in single precision.
#[derive(Debug, Clone, Copy)]
pub struct Forces {
    a: f32,
    b: f32,
    strength: f32,
}

impl Forces {
    pub fn new(sampling: &Sampling) -> Self {
        let Curve { a, b } = sampling.curve;
        Self { a: a as f32, b: b as f32, strength: sampling.repulsion_strength as f32 }
    }

    /// Adds the pulls of some points.
    #[inline(always)]
    pub fn pull_all<const D: usize>(self, at: [f32; D], others: &Lanes<D, PULLS>, sum: &mut Lanes<D, PULLS>) {
        self.add(at, others, sum, |squared| {
            let power = power(squared, self.b);
            -2.0 * self.a * self.b * power / (squared * self.a.mul_add(power, 1.0))
        });
    }

    /// Adds the pushes of some points.
    #[inline(always)]
    pub fn push_all<const D: usize>(
        self,
        at: [f32; D],
        others: &Lanes<D, PUSHES>,
        sum: &mut Lanes<D, PUSHES>,
    ) {
        self.add(at, others, sum, |squared| {
            let power = power(squared, self.b);
            2.0 * self.strength * self.b / ((0.001 + squared) * self.a.mul_add(power, 1.0))
        });
    }

    /// Adds `factor(d^2) (y - y_j)`, each coordinate within its bound. Points in the same place move nothing; nor do lanes
    /// without a point, which are put there.
    #[inline(always)]
    fn add<const D: usize, const L: usize>(
        self,
        at: [f32; D],
        others: &Lanes<D, L>,
        sum: &mut Lanes<D, L>,
        factor: impl Fn(f32) -> f32,
    ) {
        let mut squared = [0.0_f32; L];
        let mut apart = [[0.0_f32; L]; D];
        for c in 0..D {
            for lane in 0..L {
                apart[c][lane] = at[c] - others[c][lane];
                squared[lane] = apart[c][lane].mul_add(apart[c][lane], squared[lane]);
            }
        }
        let mut factors = [0.0_f32; L];
        for lane in 0..L {
            let full = factor(squared[lane].max(f32::MIN_POSITIVE));
            factors[lane] = if squared[lane] > 0.0 { full } else { 0.0 };
        }
        for c in 0..D {
            for lane in 0..L {
                sum[c][lane] += (factors[lane] * apart[c][lane]).clamp(-CLIP, CLIP);
            }
        }
    }

    /// One step along the pull of a point.
    #[inline(always)]
    pub fn pull<const D: usize>(self, at: &mut [f32; D], other: [f32; D], rate: f32) {
        let mut others = at.map(|x| [x; PULLS]);
        (0..D).for_each(|c| others[c][0] = other[c]);
        let mut sum = [[0.0; PULLS]; D];
        self.pull_all(*at, &others, &mut sum);
        let sum = total(&sum);
        (0..D).for_each(|c| at[c] += rate * sum[c]);
    }

    /// Steps along the pushes of points drawn from a layout.
    #[inline(always)]
    pub fn draw<const D: usize>(
        self,
        at: &mut [f32; D],
        layout: &[[f32; D]],
        chance: Chance,
        range: std::ops::Range<u64>,
        rate: f32,
    ) {
        let mut first = range.start;
        while first < range.end {
            let others = drawn(*at, layout, chance, first..range.end);
            let mut sum = [[0.0; PUSHES]; D];
            self.push_all(*at, &others, &mut sum);
            let sum = total(&sum);
            (0..D).for_each(|c| at[c] += rate * sum[c]);
            first += PUSHES as u64;
        }
    }
}

/// The next few points that are drawn; lanes without one hold the point itself, which does not push.
#[inline(always)]
pub fn drawn<const D: usize>(
    at: [f32; D],
    layout: &[[f32; D]],
    chance: Chance,
    range: std::ops::Range<u64>,
) -> Lanes<D, PUSHES> {
    let drawn: [usize; PUSHES] = chance.some_below(range.start, layout.len());
    let mut others = [[0.0; PUSHES]; D];
    for lane in 0..PUSHES {
        let other = if range.start + (lane as u64) < range.end { layout[drawn[lane]] } else { at };
        (0..D).for_each(|c| others[c][lane] = other[c]);
    }
    others
}
