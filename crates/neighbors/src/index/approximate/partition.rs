//! The partition of the points into clusters by a few iterations of k-means on their coordinates, and the points'
//! coordinates laid out cluster by cluster for the kernel.

use super::kernel::{self, LANES, Lane, Pack, TILE, Values};
use lowland_base::{Result, Run, parallel};
use rand::RngExt;

/// Rounds of k-means: the clusters need to be compact, not optimal.
const ROUNDS: usize = 4;
/// Training points for each cluster.
const TRAINING: usize = 24;
/// Queries that share one pass over the centers.
const BLOCK: usize = 128;

/// Points in panels: the kernel's layout. Unused lanes are infinitely far away.
#[derive(Debug)]
pub struct Panels {
    pub dims: usize,
    pub lanes: Vec<Lane>,
}

impl Panels {
    fn of(rows: &[f32], dims: usize) -> Self {
        let mut panels = Self { dims, lanes: Vec::with_capacity((rows.len() / dims).div_ceil(LANES) * dims) };
        panels.push((0..rows.len() / dims).map(|i| &rows[i * dims..(i + 1) * dims]));
        panels
    }

    /// Appends rows in new panels.
    fn push<'a>(&mut self, rows: impl Iterator<Item = &'a [f32]>) {
        for (i, row) in rows.enumerate() {
            if i % LANES == 0 {
                self.lanes.resize(self.lanes.len() + self.dims, [f32::INFINITY; LANES]);
            }
            let last = self.lanes.len() - self.dims;
            for (lane, &x) in self.lanes[last..].iter_mut().zip(row) {
                lane[i % LANES] = x;
            }
        }
    }

    /// The lanes of panels `from..to`.
    pub fn slice(&self, from: usize, to: usize) -> &[Lane] {
        &self.lanes[from * self.dims..to * self.dims]
    }
}

/// Up to `TILE` rows of coordinates as the kernel takes them; missing ones repeat the first.
pub fn pack<'a>(rows: impl Fn(usize) -> &'a [f32], count: usize, dims: usize, out: &mut Vec<Pack>) {
    out.clear();
    out.resize(dims, [0.0; TILE]);
    for lane in 0..TILE {
        let row = rows(if lane < count { lane } else { 0 });
        out.iter_mut().zip(row).for_each(|(slot, &x)| slot[lane] = x);
    }
}

/// The clusters.
#[derive(Debug)]
pub struct Partition {
    centers: Panels,
    /// How many clusters there are, the empty ones included.
    pub clusters: usize,
    /// Cluster `c` holds the positions `begin[c]..begin[c + 1]` ...
    pub begin: Vec<u32>,
    /// ... in the panels `panel[c]..panel[c + 1]`.
    pub panel: Vec<u32>,
    /// The row number of each position; ascending inside a cluster.
    pub order: Vec<u32>,
    pub points: Panels,
}

impl Partition {
    /// Clusters the rows of coordinates into about `wanted` groups.
    pub fn new(coordinates: &[f32], dims: usize, wanted: usize, run: &Run) -> Result<Self> {
        let n = coordinates.len() / dims;
        let row = |i: usize| &coordinates[i * dims..(i + 1) * dims];
        let mut rng = run.rng("approximate index: clusters");
        let mut pick = |count: usize, of: usize| -> Vec<usize> {
            let cut = |i: usize| i * of / count;
            (0..count).map(|i| rng.random_range(cut(i)..cut(i + 1))).collect()
        };
        let clusters = wanted.clamp(1, n);
        let training: Vec<f32> =
            pick((TRAINING * clusters).min(n), n).into_iter().flat_map(row).copied().collect();
        let trained = training.len() / dims;
        let mut centers: Vec<f32> = pick(clusters, trained)
            .into_iter()
            .flat_map(|i| &training[i * dims..(i + 1) * dims])
            .copied()
            .collect();
        for _ in 0..if clusters > 1 { ROUNDS } else { 0 } {
            let labels = nearest(&training, &Panels::of(&centers, dims), run)?;
            let (begin, order) = sorted_by_label(&labels, clusters);
            parallel::fill_rows(run, &mut centers, dims, 8, |range, part| {
                for (c, center) in range.zip(part.chunks_exact_mut(dims)) {
                    let members = &order[begin[c] as usize..begin[c + 1] as usize];
                    if members.is_empty() {
                        continue;
                    }
                    let mut sums = vec![0.0_f64; dims];
                    for &m in members {
                        let from = &training[m as usize * dims..][..dims];
                        sums.iter_mut().zip(from).for_each(|(s, &x)| *s += f64::from(x));
                    }
                    let share = 1.0 / members.len() as f64;
                    center.iter_mut().zip(&sums).for_each(|(x, s)| *x = (s * share) as f32);
                }
            })?;
        }
        drop(training);
        let centers = Panels::of(&centers, dims);
        let (begin, order) = sorted_by_label(&nearest(coordinates, &centers, run)?, clusters);
        let mut points = Panels { dims, lanes: Vec::with_capacity((n / LANES + clusters) * dims) };
        let mut panel = vec![0];
        for c in 0..clusters {
            run.check()?;
            points.push(order[begin[c] as usize..begin[c + 1] as usize].iter().map(|&i| row(i as usize)));
            panel.push((points.lanes.len() / dims) as u32);
        }
        Ok(Self { centers, clusters, begin, panel, order, points })
    }

    /// The cluster of a position.
    pub fn cluster_of(&self, position: usize) -> usize {
        self.begin.partition_point(|&b| b as usize <= position) - 1
    }

    /// The coordinates of the point at a position.
    pub fn coordinates(&self, position: usize) -> impl Iterator<Item = f32> + '_ {
        let c = self.cluster_of(position);
        let slot = self.panel[c] as usize * LANES + position - self.begin[c] as usize;
        let panel = slot / LANES;
        self.points.slice(panel, panel + 1).iter().map(move |lane| lane[slot % LANES])
    }

    /// The squared distances from rows of coordinates to all centers, `clusters` a row.
    pub fn to_centers(&self, rows: &[f32]) -> Vec<f32> {
        to_panels(rows, &self.centers, self.clusters)
    }

    /// The nearest cluster of each row of coordinates.
    pub fn nearest(&self, rows: &[f32], run: &Run) -> Result<Vec<u32>> {
        nearest(rows, &self.centers, run)
    }

    /// How many points a cluster holds.
    pub fn size(&self, cluster: usize) -> usize {
        (self.begin[cluster + 1] - self.begin[cluster]) as usize
    }
}

fn to_panels(rows: &[f32], panels: &Panels, count: usize) -> Vec<f32> {
    let dims = panels.dims;
    let number = rows.len() / dims;
    let mut all = vec![0.0; number * count];
    let mut queries = Vec::new();
    let mut out: Vec<Values> = vec![[[0.0; LANES]; TILE]; panels.lanes.len() / dims];
    for first in (0..number).step_by(TILE) {
        let live = TILE.min(number - first);
        pack(|i| &rows[(first + i) * dims..][..dims], live, dims, &mut queries);
        kernel::squared_distances(&queries, &panels.lanes, &mut out);
        for lane in 0..live {
            let target = &mut all[(first + lane) * count..][..count];
            for (piece, values) in target.chunks_mut(LANES).zip(&out) {
                piece.copy_from_slice(&values[lane][..piece.len()]);
            }
        }
    }
    all
}

/// The nearest of the panels' points for each row, ties to the first.
fn nearest(rows: &[f32], panels: &Panels, run: &Run) -> Result<Vec<u32>> {
    let dims = panels.dims;
    let count = panels.lanes.len() / dims * LANES;
    let parts = parallel::map_chunks(run, rows.len() / dims, BLOCK, |range| {
        to_panels(&rows[range.start * dims..range.end * dims], panels, count)
            .chunks_exact(count)
            .map(|distances| {
                let least = distances.iter().fold(f32::INFINITY, |a, &b| if b < a { b } else { a });
                distances.iter().position(|&x| x == least).unwrap_or(0) as u32
            })
            .collect::<Vec<_>>()
    })?;
    Ok(parts.concat())
}

/// The items of each label, ascending, and where each label's begin.
fn sorted_by_label(labels: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut begin = vec![0_u32; count + 1];
    for &label in labels {
        begin[label as usize + 1] += 1;
    }
    for c in 0..count {
        begin[c + 1] += begin[c];
    }
    let mut next = begin.clone();
    let mut order = vec![0; labels.len()];
    for (i, &label) in labels.iter().enumerate() {
        order[next[label as usize] as usize] = i as u32;
        next[label as usize] += 1;
    }
    (begin, order)
}
