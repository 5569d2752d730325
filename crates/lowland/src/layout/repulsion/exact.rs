//! Repulsion between all pairs, one by one: no approximation, `n^2` of them.

use super::Repulsion;
use crate::layout::kernel::{Kernel, Tail, with_tail};
use lowland_base::parallel::map_rows;
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};

/// Looks at every pair.
#[derive(Debug, Clone, Copy)]
pub struct Exact {
    /// The similarity in the layout.
    pub kernel: Kernel,
}

/// Points a chunk.
const CHUNK: usize = 64;
/// Pairs at a time.
pub(super) const LANES: usize = 16;
/// Pairs summed in the precision of the layout before they go into a sum in double precision.
const RUN: usize = 2048;

impl<T: Scalar, const D: usize> Repulsion<T, D> for Exact {
    fn forces(&mut self, layout: &[[T; D]], forces: &mut [[T; D]], run: &Run) -> Result<f64> {
        let sources = Sources::new(layout.iter().map(|&y| (y, T::one())));
        let parts =
            with_tail!(self.kernel, T, |tail| map_rows(run, forces, 1, CHUNK, |range, forces| vectorized(
                #[inline(always)]
                || {
                    let mut z = 0.0;
                    for (&y, force) in layout[range].iter().zip(forces) {
                        let (push, sum) = sources.push(tail, y);
                        *force = push;
                        // Its own similarity is 1, and pushes nowhere.
                        z += sum - 1.0;
                    }
                    z
                }
            )))?;
        Ok(parts.into_iter().sum())
    }
}

/// Points (or centers of many) that push, in lanes.
#[derive(Debug, Clone)]
pub struct Sources<T, const D: usize> {
    positions: Vec<[[T; LANES]; D]>,
    masses: Vec<[T; LANES]>,
    filled: usize,
}

impl<T: Scalar, const D: usize> Sources<T, D> {
    /// From positions and masses.
    pub fn new(points: impl Iterator<Item = ([T; D], T)>) -> Self {
        let mut out = Self { positions: Vec::new(), masses: Vec::new(), filled: 0 };
        points.for_each(|(position, mass)| out.add(position, mass));
        out
    }

    /// Forgets all of them.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.positions.clear();
        self.masses.clear();
        self.filled = 0;
    }

    /// One more.
    #[inline(always)]
    pub fn add(&mut self, position: [T; D], mass: T) {
        let lane = self.filled % LANES;
        if lane == 0 {
            // Lanes without a point are somewhere harmless and weigh nothing.
            self.positions.push(position.map(|x| [x; LANES]));
            self.masses.push([T::zero(); LANES]);
        }
        if let (Some(positions), Some(masses)) = (self.positions.last_mut(), self.masses.last_mut()) {
            for c in 0..D {
                positions[c][lane] = position[c];
            }
            masses[lane] = mass;
        }
        self.filled += 1;
    }

    /// `sum w u (y - source)` and `sum w` over all sources.
    #[inline(always)]
    pub fn push<K: Tail<T>>(&self, tail: K, y: [T; D]) -> ([T; D], f64) {
        let (mut total, mut total_z) = ([0.0; D], 0.0);
        let runs = self.positions.chunks(RUN / LANES).zip(self.masses.chunks(RUN / LANES));
        for (positions, masses) in runs {
            let (mut sums, mut z) = ([[T::zero(); LANES]; D], [T::zero(); LANES]);
            for (position, mass) in positions.iter().zip(masses) {
                let mut difference = [[T::zero(); LANES]; D];
                let mut squared = [T::zero(); LANES];
                for c in 0..D {
                    for lane in 0..LANES {
                        difference[c][lane] = y[c] - position[c][lane];
                        squared[lane] += difference[c][lane] * difference[c][lane];
                    }
                }
                let mut factor = [T::zero(); LANES];
                for lane in 0..LANES {
                    let (w, u) = tail.at(squared[lane]);
                    let w = w * mass[lane];
                    z[lane] += w;
                    factor[lane] = w * u;
                }
                for c in 0..D {
                    for lane in 0..LANES {
                        sums[c][lane] += factor[lane] * difference[c][lane];
                    }
                }
            }
            for c in 0..D {
                total[c] += sums[c].iter().map(|x| x.wide()).sum::<f64>();
            }
            total_z += z.iter().map(|x| x.wide()).sum::<f64>();
        }
        (total.map(T::of), total_z)
    }
}
