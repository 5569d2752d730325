//! The forces between points of a UMAP layout, some at a time in the lanes of vectors.

use super::power::power;
use super::{Curve, Sampling};
use crate::layout::chance::below;

/// No coordinate of a gradient counts for more.
pub const CLIP: f32 = 4.0;
/// Squared distances are not taken for less: the factor of a force is finite there, and is multiplied by 0 or nearly so.
const LEAST: f32 = 1e-30;
/// Forces at a time: two vectors of them at once keep the vector units busy while a power is waited for.
pub const LANES: usize = 16;

/// Values of some points at a time, or sums of such values: for each coordinate one a lane.
pub type Lanes<const D: usize> = [[f32; LANES]; D];

/// The sum over the lanes, always in the same order.
#[inline(always)]
pub fn total<const D: usize>(lanes: &Lanes<D>) -> [f32; D] {
    lanes.map(|mut sums| {
        let mut width = LANES;
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

    /// Adds the pulls of some points, each on the point of its lane.
    #[inline(always)]
    pub fn pull_all<const D: usize>(self, at: &Lanes<D>, others: &Lanes<D>, sum: &mut Lanes<D>) {
        add(at, others, sum, |squared| {
            let power = power(squared, self.b);
            -2.0 * self.a * self.b * power / (squared * self.a.mul_add(power, 1.0))
        });
    }

    /// Adds the pushes of some points, each on the point of its lane.
    #[inline(always)]
    pub fn push_all<const D: usize>(self, at: &Lanes<D>, others: &Lanes<D>, sum: &mut Lanes<D>) {
        add(at, others, sum, |squared| {
            let power = power(squared, self.b);
            2.0 * self.strength * self.b / ((0.001 + squared) * self.a.mul_add(power, 1.0))
        });
    }

    /// One step along the pull of a point.
    #[inline(always)]
    pub fn pull<const D: usize>(self, at: &mut [f32; D], other: [f32; D], rate: f32) {
        let own = at.map(|x| [x; LANES]);
        let (mut others, mut sum) = (own, [[0.0; LANES]; D]);
        (0..D).for_each(|c| others[c][0] = other[c]);
        self.pull_all(&own, &others, &mut sum);
        let sum = total(&sum);
        (0..D).for_each(|c| at[c] += rate * sum[c]);
    }

    /// Steps along the pushes of points drawn from a layout.
    #[inline(always)]
    pub fn draw<const D: usize>(
        self,
        at: &mut [f32; D],
        layout: &[[f32; D]],
        stream: u32,
        range: std::ops::Range<u32>,
        rate: f32,
    ) {
        for first in range.clone().step_by(LANES) {
            let own = at.map(|x| [x; LANES]);
            // Lanes without a point hold the point itself, which does not push.
            let (mut others, mut sum) = (own, [[0.0; LANES]; D]);
            for (lane, place) in (first..range.end).take(LANES).enumerate() {
                let other = layout[below(stream, place, layout.len() as u32) as usize];
                (0..D).for_each(|c| others[c][lane] = other[c]);
            }
            self.push_all(&own, &others, &mut sum);
            let sum = total(&sum);
            (0..D).for_each(|c| at[c] += rate * sum[c]);
        }
    }
}

/// Adds `factor(d^2) (y - y_j)`, each coordinate within its bound. Points in the same place move nothing; nor do lanes
/// without another point, which are put there.
#[inline(always)]
fn add<const D: usize>(at: &Lanes<D>, others: &Lanes<D>, sum: &mut Lanes<D>, factor: impl Fn(f32) -> f32) {
    let (mut squared, mut apart) = ([0.0_f32; LANES], [[0.0_f32; LANES]; D]);
    for c in 0..D {
        for lane in 0..LANES {
            apart[c][lane] = at[c][lane] - others[c][lane];
            squared[lane] = apart[c][lane].mul_add(apart[c][lane], squared[lane]);
        }
    }
    let mut factors = [0.0_f32; LANES];
    for lane in 0..LANES {
        factors[lane] = factor(squared[lane].max(LEAST));
    }
    for c in 0..D {
        for lane in 0..LANES {
            sum[c][lane] += (factors[lane] * apart[c][lane]).clamp(-CLIP, CLIP);
        }
    }
}

/// Some points of a layout, one a lane.
#[inline(always)]
pub fn gather<const D: usize>(layout: &[[f32; D]], which: &[u32; LANES]) -> Lanes<D> {
    let mut found = [[0.0; LANES]; D];
    for lane in 0..LANES {
        let point = layout[which[lane] as usize];
        (0..D).for_each(|c| found[c][lane] = point[c]);
    }
    found
}
