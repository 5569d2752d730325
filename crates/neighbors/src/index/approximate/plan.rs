//! How hard to look: the number of clusters to probe and of candidates to measure in full, chosen on a sample
//! of points whose true neighbors are found by exact search.
//!
//! For each true neighbor of a sampled point two numbers are known: the rank of its cluster by the distance
//! of the center, and its own rank by the distance between coordinates. A search with `probes` clusters and a
//! `pool` of candidates finds it if the first is below `probes` and the second below `pool`. So the recall of
//! every search is known before any is made, and the cheapest one that meets the target is taken.
//!
//! The estimate comes from the sample that the plan was chosen on, so it leans to the bright side: the margin
//! is that of a plan fixed beforehand. The rank among all points, not only the probed ones, leans the other way.

use super::kernel::LANES;
use super::search::{Core, row_of};
use lowland_base::{Result, Run, Scalar, parallel};

/// Sampled points.
const SAMPLE: usize = 400;
/// Standard errors by which the estimate must exceed the target: 95 % one-sided.
const MARGIN: f64 = 1.645;
/// Below this number of points exact search is quick enough.
const FEW: usize = 1024;
/// Points of one exact block.
pub const EXACT_BLOCK: usize = 32;
/// The cost of a full distance for each column, in units of one coordinate compared by the kernel: its rows
/// come from memory one by one.
const FULL_COST: f64 = 4.0;

/// The way to search for `k` neighbors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plan {
    /// Look at every point.
    Exact,
    /// Probe the nearest clusters and measure the best candidates in full.
    Probe {
        /// Clusters to probe.
        probes: usize,
        /// Candidates to measure.
        pool: usize,
        /// The recall on the sample.
        recall: f64,
    },
}

/// What is known of one true neighbor of a sampled point.
#[derive(Clone, Copy)]
struct Trace {
    cluster_rank: u32,
    rank: u32,
}

/// The sample: `k` traces a point, the points within the first clusters, the candidates of exact search.
struct Sample {
    traces: Vec<Vec<Trace>>,
    reach: Vec<f64>,
    candidates: f64,
}

impl Plan {
    /// The cheapest way that meets the target.
    pub fn new<T: Scalar>(core: &Core<T>, k: usize, target: f64, run: &Run) -> Result<Self> {
        let n = core.len();
        if target >= 1.0 || n <= FEW || k > n / 8 {
            return Ok(Self::Exact);
        }
        let sample = Sample::draw(core, k, run)?;
        let (dims, width) = (core.frame.dims as f64, core.reader.width() as f64);
        let twice = if sample.candidates > (2 * k + LANES) as f64 { 2.0 } else { 1.0 };
        let exact_cost = twice * n as f64 * dims + sample.candidates * FULL_COST * width;
        let mut best = (exact_cost, Self::Exact);
        let mut probes = 1;
        while probes <= sample.reach.len() {
            let scan = (core.partition.clusters as f64 + sample.reach[probes - 1]) * dims;
            if scan >= best.0 {
                break;
            }
            if let Some((pool, recall)) = sample.least_pool(probes, k, target) {
                let cost = scan + pool as f64 * FULL_COST * width;
                if cost < best.0 {
                    best = (cost, Self::Probe { probes, pool, recall });
                }
            }
            probes += (probes / 16).max(1);
        }
        Ok(best.1)
    }

    /// The estimated share of the true neighbors that are found.
    pub fn recall(&self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Probe { recall, .. } => *recall,
        }
    }
}

impl Sample {
    fn draw<T: Scalar>(core: &Core<T>, k: usize, run: &Run) -> Result<Self> {
        let n = core.len();
        let count = SAMPLE.min(n);
        let partition = &core.partition;
        let filled = (0..partition.clusters).filter(|&c| partition.size(c) > 0).count();
        // Evenly spaced in the order of the clusters: every region has its share.
        let parts = parallel::map_chunks(run, count, EXACT_BLOCK, |range| {
            let block = core.block(range.map(|i| (2 * i + 1) * n / (2 * count)));
            let members: Vec<usize> = (0..block.len()).collect();
            let exact = core.exact(&block, &members, k, run)?;
            let to_centers = partition.to_centers(&block.coordinates);
            let mut reach = vec![0.0; filled];
            let mut traces = Vec::with_capacity(block.len());
            let mut candidates = 0;
            for (mut found, distances) in exact.into_iter().zip(to_centers.chunks_exact(partition.clusters)) {
                let mut cluster_rank = vec![0_u32; partition.clusters];
                let mut within = 0;
                for (rank, &near) in core.nearest_clusters(distances, filled).iter().enumerate() {
                    cluster_rank[row_of(near) as usize] = rank as u32;
                    within += partition.size(row_of(near) as usize);
                    reach[rank] += within as f64;
                }
                candidates += found.candidates.len();
                found.candidates.sort_unstable();
                let mut rank_of: Vec<(u32, u32)> =
                    found.candidates.iter().enumerate().map(|(rank, &c)| (row_of(c), rank as u32)).collect();
                rank_of.sort_unstable();
                traces.push(
                    found
                        .neighbors
                        .iter()
                        .map(|&(_, row)| Trace {
                            cluster_rank: cluster_rank
                                [partition.cluster_of(core.position[row as usize] as usize)],
                            rank: rank_of
                                .binary_search_by_key(&row, |pair| pair.0)
                                .map_or(u32::MAX, |at| rank_of[at].1),
                        })
                        .collect::<Vec<_>>(),
                );
            }
            Ok((traces, reach, candidates))
        })?;
        let mut all = Self { traces: Vec::with_capacity(count), reach: vec![0.0; filled], candidates: 0.0 };
        for part in parts {
            let (traces, reach, candidates) = part?;
            all.traces.extend(traces);
            all.reach.iter_mut().zip(reach).for_each(|(a, b)| *a += b / count as f64);
            all.candidates += candidates as f64 / count as f64;
        }
        Ok(all)
    }

    /// The recall on the sample, and what it surely exceeds.
    fn recall(&self, probes: usize, pool: usize) -> (f64, f64) {
        let share = |traces: &Vec<Trace>| {
            let hit = |t: &&Trace| (t.cluster_rank as usize) < probes && (t.rank as usize) < pool;
            traces.iter().filter(hit).count() as f64 / traces.len() as f64
        };
        let count = self.traces.len() as f64;
        let shares: Vec<f64> = self.traces.iter().map(share).collect();
        let mean = shares.iter().sum::<f64>() / count;
        let variance = shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, mean - MARGIN * (variance / count).sqrt())
    }

    /// The smallest pool that meets the target with so many probes, and its recall.
    fn least_pool(&self, probes: usize, k: usize, target: f64) -> Option<(usize, f64)> {
        let most = self.traces.iter().flatten().map(|t| t.rank as usize + 1).max().unwrap_or(k).max(k);
        if self.recall(probes, most).1 < target {
            return None;
        }
        let (mut low, mut high) = (k, most);
        while low < high {
            let middle = (low + high) / 2;
            if self.recall(probes, middle).1 >= target {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some((high, self.recall(probes, high).0))
    }
}
