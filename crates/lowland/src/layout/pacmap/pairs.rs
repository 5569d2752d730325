//! The pairs of PaCMAP: near ones by distances in units of their neighborhoods, fairly near ones as the second nearest of
//! six random points, far ones at random.

use crate::layout::chance::Chance;
use crate::layout::training::TrainingRows;
use crate::matrix::faer_view;
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run};
use lowland_neighbors::{Metric, Table};

/// How many pairs each point begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// With near points.
    pub near: usize,
    /// With fairly near ones.
    pub middle: usize,
    /// With far ones.
    pub far: usize,
}

/// How many more neighbors are looked at than are kept.
pub const EXTRA: usize = 50;
/// How many random points the second nearest is taken of.
const DRAWN: usize = 6;
/// Points a chunk.
const CHUNK: usize = 256;
/// What random numbers are for.
const MIDDLE: u64 = 4;
const FAR: u64 = 5;

/// For each point the others of all pairs it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partners {
    offsets: Vec<usize>,
    others: Vec<u32>,
}

impl Partners {
    /// From the pairs that each point begins.
    fn new(n: usize, begun: &[Vec<u32>]) -> Self {
        let pairs = || {
            let lists = begun.iter().enumerate();
            lists.flat_map(|(i, list)| list.iter().map(move |&j| (i, j)))
        };
        let mut offsets = vec![0_usize; n + 1];
        for (i, j) in pairs() {
            offsets[i + 1] += 1;
            offsets[j as usize + 1] += 1;
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let (mut next, mut others) = (offsets.clone(), vec![0_u32; offsets[n]]);
        let mut put = |i: usize, j: usize| {
            others[next[i]] = j as u32;
            next[i] += 1;
        };
        for (i, j) in pairs() {
            put(i, j as usize);
            put(j as usize, i);
        }
        Self { offsets, others }
    }

    /// The others of a point's pairs.
    #[inline(always)]
    pub fn of(&self, point: usize) -> &[u32] {
        &self.others[self.offsets[point]..self.offsets[point + 1]]
    }
}

/// All pairs of a layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairs {
    /// They pull.
    pub near: Partners,
    /// They pull at first.
    pub middle: Partners,
    /// They push.
    pub far: Partners,
}

impl Pairs {
    /// The number of points.
    pub fn len(&self) -> usize {
        self.near.offsets.len() - 1
    }

    /// Of training rows, from their neighbors, more than are kept.
    pub(crate) fn among(
        rows: &TrainingRows,
        metric: Metric,
        neighbors: &Table<f64>,
        counts: Counts,
        run: &Run,
    ) -> Result<Self> {
        let _stage = run.stage("pairs", None);
        match rows {
            TrainingRows::Points(x) => {
                let rows = metric.prepare(faer_view(x.view()), run)?;
                Self::draw(neighbors, counts, |i, j| metric.between(rows.row(i), rows.row(j)), run)
            }
            TrainingRows::Sparse(x) => {
                let index = x.fresh()?;
                Self::draw(neighbors, counts, |i, j| index.distance(i, j), run)
            }
            TrainingRows::Distances(x) => Self::draw(neighbors, counts, |i, j| x[(i, j)], run),
            TrainingRows::Columns(_) | TrainingRows::Neighbors(_) => {
                let problem = "neighbor lists do not have the distances of mid-near and further pairs";
                Err(Error::malformed("input", problem, "give points or distances"))
            }
        }
    }

    /// From neighbors, more than are kept, and the distance between any two points.
    pub fn draw(
        neighbors: &Table<f64>,
        counts: Counts,
        distance: impl Fn(usize, usize) -> f64 + Send + Sync,
        run: &Run,
    ) -> Result<Self> {
        let n = neighbors.len();
        let near = nearest(neighbors, counts.near, run)?;
        let middle = map_chunks(run, n, CHUNK, |range| {
            range.map(|i| middle(i, n, counts.middle, &distance, run.seed())).collect::<Vec<_>>()
        })?
        .concat();
        let far = map_chunks(run, n, CHUNK, |range| {
            range.map(|i| far(i, n, counts.far, &near[i], run.seed())).collect::<Vec<_>>()
        })?
        .concat();
        let [near, middle, far] = [near, middle, far].map(|begun| Partners::new(n, &begun));
        Ok(Self { near, middle, far })
    }
}

/// The neighbors with the smallest `d_ij^2 / (s_i s_j)`, where `s` is the mean distance of the fourth to sixth neighbor.
fn nearest(neighbors: &Table<f64>, count: usize, run: &Run) -> Result<Vec<Vec<u32>>> {
    let n = neighbors.len();
    let scale: Vec<f64> = (0..n)
        .map(|i| {
            let distances = neighbors.row(i).1;
            let last = distances.len().min(6);
            let part = &distances[last.saturating_sub(3).min(3)..last];
            (part.iter().sum::<f64>() / part.len().max(1) as f64).max(1e-10)
        })
        .collect();
    let parts = map_chunks(run, n, CHUNK, |range| {
        let list = |i: usize| {
            let (near, distances) = neighbors.row(i);
            let mut list: Vec<(f64, u32)> = near
                .iter()
                .zip(distances)
                .map(|(&j, &d)| (d / scale[i] * (d / scale[j as usize]), j))
                .collect();
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            list.truncate(count);
            list.into_iter().map(|entry| entry.1).collect::<Vec<u32>>()
        };
        range.map(list).collect::<Vec<_>>()
    })?;
    Ok(parts.concat())
}

/// Draws a point that is none of those refused, if one turns up in a few attempts.
fn other(chance: Chance, index: &mut u64, n: usize, refused: impl Fn(u32) -> bool) -> Option<u32> {
    for _ in 0..100 {
        let found = chance.below(*index, n) as u32;
        *index += 1;
        if !refused(found) {
            return Some(found);
        }
    }
    None
}

fn middle(i: usize, n: usize, count: usize, distance: impl Fn(usize, usize) -> f64, seed: u64) -> Vec<u32> {
    let chance = Chance::new(seed, MIDDLE, i as u64, 0);
    let (mut index, mut chosen) = (0, Vec::with_capacity(count));
    for _ in 0..count {
        let mut drawn: Vec<(f64, u32)> = Vec::with_capacity(DRAWN);
        for _ in 0..DRAWN {
            let refused =
                |j: u32| j as usize == i || chosen.contains(&j) || drawn.iter().any(|entry| entry.1 == j);
            let Some(j) = other(chance, &mut index, n, refused) else { break };
            drawn.push((distance(i, j as usize), j));
        }
        drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The second nearest, or the only one.
        if let Some(entry) = drawn.get(1).or(drawn.first()) {
            chosen.push(entry.1);
        }
    }
    chosen
}

fn far(i: usize, n: usize, count: usize, near: &[u32], seed: u64) -> Vec<u32> {
    let chance = Chance::new(seed, FAR, i as u64, 0);
    let (mut index, mut chosen) = (0, Vec::with_capacity(count));
    for _ in 0..count {
        let refused = |j: u32| j as usize == i || near.contains(&j) || chosen.contains(&j);
        let Some(j) = other(chance, &mut index, n, refused) else { break };
        chosen.push(j);
    }
    chosen
}
