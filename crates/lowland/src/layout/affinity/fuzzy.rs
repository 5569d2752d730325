//! UMAP's fuzzy graph (McInnes, Healy and Melville 2018): each point's distances are measured from its nearest neighbor
//! and scaled so that it has the same fuzzy number of neighbors as every other.

use super::{CHUNK, rows_of, symmetrize};
use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use lowland_neighbors::Table;

/// How far the fuzzy number of neighbors may be off.
const TOLERANCE: f64 = 1e-5;
/// The smallest width, relative to the mean distance.
const LEAST_WIDTH: f64 = 1e-3;
/// The most bisections.
const STEPS: usize = 64;

/// How the fuzzy graph is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fuzzy {
    /// To how many nearest neighbors each point has an edge of full weight.
    pub local_connectivity: f64,
    /// 1 is the union of both directions of an edge, 0 their intersection, in between a mixture.
    pub set_op_mix_ratio: f64,
}

impl Default for Fuzzy {
    fn default() -> Self {
        Self { local_connectivity: 1.0, set_op_mix_ratio: 1.0 }
    }
}

/// How strongly one point is bound to others, by distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Membership {
    /// Up to here the weight is 1.
    pub nearest: f64,
    /// Over this length it falls to `1 / e`.
    pub width: f64,
}

impl Membership {
    /// The weight at a distance.
    pub fn at(&self, distance: f64) -> f64 {
        let beyond = distance - self.nearest;
        if beyond <= 0.0 || self.width == 0.0 { 1.0 } else { (-beyond / self.width).exp() }
    }
}

impl Fuzzy {
    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.set_op_mix_ratio) {
            let remedy = "1 is the union, 0 the intersection";
            return Err(Error::parameter("set_op_mix_ratio", self.set_op_mix_ratio, "0 to 1", remedy));
        }
        if !(self.local_connectivity >= 0.0 && self.local_connectivity.is_finite()) {
            let remedy = "1 is usual";
            return Err(Error::parameter("local_connectivity", self.local_connectivity, "0 or more", remedy));
        }
        Ok(())
    }

    /// The memberships of all points. A table of `k` neighbors stands for `k + 1`: each point is its own first.
    pub fn memberships<T: Scalar>(&self, neighbors: &Table<T>, run: &Run) -> Result<Vec<Membership>> {
        self.check()?;
        let sums = map_chunks(run, neighbors.len(), CHUNK, |range| {
            range.flat_map(|i| neighbors.row(i).1).map(|d| d.wide()).sum::<f64>()
        })?;
        let count = (neighbors.len() * (neighbors.k + 1)).max(1);
        let mean = sums.into_iter().sum::<f64>() / count as f64;
        let parts = map_chunks(run, neighbors.len(), CHUNK, |range| {
            range.map(|i| self.membership(neighbors.row(i).1, mean)).collect::<Vec<_>>()
        })?;
        Ok(parts.concat())
    }

    /// Of one point; `mean` is the mean distance of all points, which bounds the width where all neighbors are in one
    /// place.
    pub fn membership<T: Scalar>(&self, distances: &[T], mean: f64) -> Membership {
        let nearest = self.nearest(distances);
        let target = ((distances.len() + 1) as f64).log2();
        let (mut low, mut high, mut width) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..STEPS {
            let at = Membership { nearest, width };
            let sum: f64 = distances.iter().map(|d| at.at(d.wide())).sum();
            if (sum - target).abs() < TOLERANCE {
                break;
            }
            if sum > target {
                high = width;
                width = 0.5 * (low + high);
            } else {
                low = width;
                width = if high.is_infinite() { 2.0 * width } else { 0.5 * (low + high) };
            }
        }
        let own = distances.iter().map(|d| d.wide()).sum::<f64>() / (distances.len() + 1) as f64;
        let least = LEAST_WIDTH * if nearest > 0.0 { own } else { mean };
        Membership { nearest, width: width.max(least) }
    }

    /// The distance of the neighbor number `local_connectivity`, between two of them where that is no whole number. Those
    /// in the same place do not count.
    fn nearest<T: Scalar>(&self, distances: &[T]) -> f64 {
        let apart: Vec<f64> = distances.iter().map(|d| d.wide()).filter(|&d| d > 0.0).collect();
        let whole = self.local_connectivity.floor();
        let part = self.local_connectivity - whole;
        let Some(&last) = apart.last() else { return 0.0 };
        if (apart.len() as f64) < self.local_connectivity {
            return last;
        }
        match whole as usize {
            0 => part * apart[0],
            at if part > TOLERANCE => {
                apart[at - 1] + part * (apart.get(at).copied().unwrap_or(last) - apart[at - 1])
            }
            at => apart[at - 1],
        }
    }

    /// The symmetric fuzzy graph.
    pub fn graph<T: Scalar>(&self, neighbors: &Table<T>, run: &Run) -> Result<Csr<f64>> {
        let memberships = self.memberships(neighbors, run)?;
        let directed = rows_of(neighbors, neighbors.len(), run, |i| {
            neighbors.row(i).1.iter().map(|d| memberships[i].at(d.wide())).collect()
        })?;
        let mix = self.set_op_mix_ratio;
        symmetrize(&directed, |a, b| mix * (a + b - a * b) + (1.0 - mix) * a * b, run)
    }
}
