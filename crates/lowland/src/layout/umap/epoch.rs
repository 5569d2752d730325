//! One part of an epoch of UMAP: every point takes one step along its forces in the last layout, some points at a time in
//! the lanes of vectors.

use super::forces::{CLIP, Forces, LANES, Lanes, gather};
use super::local_radii::Radii;
use super::{PARTS, REPULSION, pulls};
use crate::layout::attraction::{difference, squared_norm};
use crate::layout::chance::{Chance, below};
use crate::layout::edges::Edges;
use std::ops::Range;

/// Points a chunk.
pub const CHUNK: usize = 128;
/// Edges of a point at a time.
const BLOCK: usize = 32;
/// Points with as many pulls or more are not told apart when points are ordered.
const MANY: usize = 64;

/// What all points need to know.
#[derive(Clone, Copy)]
pub(super) struct Part<'a, const D: usize> {
    /// The edges of this part.
    pub edges: &'a Edges<f32>,
    pub forces: Forces,
    /// The layout so far.
    pub layout: &'a [[f32; D]],
    /// The epoch, from 1, and which part of it.
    pub epoch: usize,
    pub part: usize,
    /// The length of a step.
    pub rate: f32,
    /// How many points push at every pull.
    pub pushes: usize,
    pub radii: Option<&'a Radii>,
    pub seed: u64,
}

/// Who pulls the points of a chunk now.
struct Pulls {
    neighbors: Vec<u32>,
    /// Where the list of each point begins and ends.
    bounds: [u32; CHUNK + 1],
    /// The points in the order of how many pull them: those that share a vector have about as many.
    order: [u8; CHUNK],
}

impl<const D: usize> Part<'_, D> {
    /// Where the points of a chunk are after their step.
    #[inline(always)]
    pub fn advance(&self, range: Range<usize>, next: &mut [[f32; D]]) {
        let pulls = self.pulls(range.clone());
        let mut drawn = Vec::new();
        for group in pulls.order[..range.len()].chunks(LANES) {
            // Lanes without a point of their own repeat the last.
            let of: [usize; LANES] =
                std::array::from_fn(|lane| usize::from(group[lane.min(group.len() - 1)]));
            let at = gather(self.layout, &of.map(|k| (range.start + k) as u32));
            let (pulled, pushed) = self.sums(&pulls, range.start, &of, &at, &mut drawn);
            for (lane, &k) in of.iter().enumerate() {
                next[k] =
                    std::array::from_fn(|c| at[c][lane] + self.rate * (pulled[c][lane] + pushed[c][lane]));
            }
        }
        if let Some(radii) = self.radii {
            for (i, next) in range.zip(next) {
                let denser = self.denser(radii, i);
                (0..D).for_each(|c| next[c] += self.rate * denser[c]);
            }
        }
    }

    /// The edges that pull now. Those that do not are written, too, and then overwritten: a branch that cannot be foreseen
    /// costs more.
    #[inline(always)]
    fn pulls(&self, range: Range<usize>) -> Pulls {
        let (mut bounds, mut order) = ([0; CHUNK + 1], [0; CHUNK]);
        let (mut neighbors, mut end) = (vec![0; self.edges.count(range.clone()) + 1], 0);
        let mut places = [0_usize; MANY + 1];
        for (k, i) in range.clone().enumerate() {
            let (all, shares) = self.edges.of(i);
            for (all, shares) in all.chunks(BLOCK).zip(shares.chunks(BLOCK)) {
                let mut now = [false; BLOCK];
                for (now, &share) in now.iter_mut().zip(shares) {
                    *now = pulls(share, self.epoch);
                }
                for (&neighbor, &now) in all.iter().zip(&now) {
                    neighbors[end] = neighbor;
                    end += usize::from(now);
                }
            }
            bounds[k + 1] = end as u32;
            places[(end - bounds[k] as usize).min(MANY - 1) + 1] += 1;
        }
        (0..MANY).for_each(|count| places[count + 1] += places[count]);
        for k in 0..range.len() {
            let place = &mut places[((bounds[k + 1] - bounds[k]) as usize).min(MANY - 1)];
            order[*place] = k as u8;
            *place += 1;
        }
        Pulls { neighbors, bounds, order }
    }

    /// The sums of the pulls and of the pushes on some points of a chunk. A lane that has no more pulls is given its own
    /// point, which moves nothing.
    #[inline(always)]
    fn sums(
        &self,
        pulls: &Pulls,
        first: usize,
        of: &[usize; LANES],
        at: &Lanes<D>,
        drawn: &mut Vec<[u32; LANES]>,
    ) -> (Lanes<D>, Lanes<D>) {
        let begin = of.map(|k| pulls.bounds[k]);
        let count: [u32; LANES] = std::array::from_fn(|lane| pulls.bounds[of[lane] + 1] - begin[lane]);
        let own = of.map(|k| (first + k) as u32);
        let step = (self.epoch * PARTS + self.part) as u64;
        let keys = own.map(|i| Chance::new(self.seed, REPULSION, step, u64::from(i)).short());
        let most = count.iter().copied().max().unwrap_or(0);
        // All points are drawn before the first is looked up, so that the hashes fill the vector units.
        let each = 1 + self.pushes;
        drawn.clear();
        drawn.resize(each * most as usize, own);
        for (drawn, k) in drawn.chunks_exact_mut(each).zip(0..most) {
            for lane in 0..LANES {
                if k < count[lane] {
                    drawn[0][lane] = pulls.neighbors[(begin[lane] + k) as usize];
                }
            }
            for (push, drawn) in drawn[1..].iter_mut().enumerate() {
                let place = k * self.pushes as u32 + push as u32;
                for lane in 0..LANES {
                    let other = below(keys[lane], place, self.layout.len() as u32);
                    drawn[lane] = if k < count[lane] { other } else { own[lane] };
                }
            }
        }
        let (mut pulled, mut pushed) = ([[0.0; LANES]; D], [[0.0; LANES]; D]);
        for drawn in drawn.chunks_exact(each) {
            self.forces.pull_all(at, &gather(self.layout, &drawn[0]), &mut pulled);
            for drawn in &drawn[1..] {
                self.forces.push_all(at, &gather(self.layout, drawn), &mut pushed);
            }
        }
        (pulled, pushed)
    }

    /// The slopes of a point's edges toward the densities of the data.
    fn denser(&self, radii: &Radii, i: usize) -> [f32; D] {
        let (neighbors, shares) = self.edges.of(i);
        let mut sum = [0.0_f32; D];
        for (&neighbor, &share) in neighbors.iter().zip(shares).filter(|edge| pulls(*edge.1, self.epoch)) {
            let apart = difference(self.layout[i], self.layout[neighbor as usize]);
            let slope = radii.slope(i, neighbor as usize, squared_norm(apart), share);
            (0..D).for_each(|c| sum[c] += (slope * apart[c]).clamp(-CLIP, CLIP));
        }
        sum
    }
}
