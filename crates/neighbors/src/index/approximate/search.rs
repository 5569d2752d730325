//! The search itself: which points are worth a full distance, and the full distances.

use super::frame::Frame;
use super::kernel::{self, LANES, Pack, TILE, Values};
use super::partition::{Partition, pack};
use super::rows::Reader;
use lowland_base::{Result, Run, Scalar};
use std::ops::Range;

/// How many panels are compared with all queries of a block before the next ones are loaded.
const STRIP: usize = 32;
/// No row: the query is a new point.
pub const NEW: u32 = u32::MAX;

/// A candidate as one ordered number: its squared distance between coordinates, then its row. Distances are
/// not negative, so their bits are in order.
pub fn key(squared: f32, row: u32) -> u64 {
    u64::from(squared.to_bits()) << 32 | u64::from(row)
}

/// The row of a candidate.
pub fn row_of(key: u64) -> u32 {
    key as u32
}

fn squared_of(key: u64) -> f32 {
    f32::from_bits((key >> 32) as u32)
}

/// Queries that are searched together. What is found for one does not depend on the others.
pub struct Block<'a, T> {
    pub coordinates: Vec<f32>,
    pub rows: Vec<&'a [T]>,
    /// The row that each query is, or `NEW`.
    pub own: Vec<u32>,
    /// The length of the longest centered row, of the index or of the query.
    pub longest: Vec<f64>,
}

impl<T> Block<'_, T> {
    /// The number of queries.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

/// The best `size` candidates.
struct Pool {
    keys: Vec<u64>,
    size: usize,
    /// Only what is below can still matter.
    bar: u64,
}

impl Pool {
    fn new(size: usize) -> Self {
        Self { keys: Vec::with_capacity(2 * size), size, bar: key(f32::MAX, u32::MAX) }
    }

    fn offer(&mut self, squared: f32, row: u32) {
        let key = key(squared, row);
        if key < self.bar {
            self.keys.push(key);
            if self.keys.len() == 2 * self.size {
                self.shrink();
            }
        }
    }

    fn shrink(&mut self) {
        if self.keys.len() > self.size {
            let (_, &mut last, _) = self.keys.select_nth_unstable(self.size - 1);
            self.keys.truncate(self.size);
            self.bar = last;
        }
    }

    fn into_keys(mut self) -> Vec<u64> {
        self.shrink();
        self.keys
    }
}

/// The neighbors of one query, and every candidate that looked at least as near as the farthest of them.
pub struct Found<T> {
    /// Squared distance and row, nearest first, ties by row.
    pub neighbors: Vec<(T, u32)>,
    pub candidates: Vec<u64>,
}

/// What the index holds.
#[derive(Debug)]
pub struct Core<T> {
    pub reader: Reader<T>,
    pub frame: Frame,
    pub partition: Partition,
    /// The rows in the order of the partition.
    pub rows: Vec<T>,
    /// Where each row is in that order.
    pub position: Vec<u32>,
    /// The length of the longest centered row.
    pub longest: f64,
}

impl<T: Scalar> Core<T> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// The row at a position.
    pub fn row(&self, position: usize) -> &[T] {
        let width = self.reader.width();
        &self.rows[position * width..(position + 1) * width]
    }

    /// The points at some positions, as queries.
    pub fn block(&self, positions: impl Iterator<Item = usize> + Clone) -> Block<'_, T> {
        Block {
            coordinates: positions.clone().flat_map(|p| self.partition.coordinates(p)).collect(),
            rows: positions.clone().map(|p| self.row(p)).collect(),
            own: positions.clone().map(|p| self.partition.order[p]).collect(),
            longest: positions.map(|_| self.longest).collect(),
        }
    }

    /// The clusters that hold anything, nearest first: squared distance and number, as keys. Only the first
    /// `count` are in order and returned.
    pub fn nearest_clusters(&self, to_centers: &[f32], count: usize) -> Vec<u64> {
        let mut keys: Vec<u64> = (0..self.partition.clusters)
            .filter(|&c| self.partition.size(c) > 0)
            .map(|c| key(to_centers[c], c as u32))
            .collect();
        if count < keys.len() {
            keys.select_nth_unstable(count);
            keys.truncate(count);
        }
        keys.sort_unstable();
        keys
    }

    /// Shows every pair of a query among `members` and a point of the positions' panels: `see` gets the query,
    /// sixteen squared distances at most, and the rows they belong to.
    fn visit(
        &self,
        block: &Block<'_, T>,
        members: &[usize],
        cluster: usize,
        packs: &mut Vec<Pack>,
        see: &mut impl FnMut(usize, &[f32; LANES], &[u32]),
    ) {
        let dims = self.frame.dims;
        let positions = self.partition.begin[cluster] as usize..self.partition.begin[cluster + 1] as usize;
        let rows = &self.partition.order[positions];
        let panels: Range<usize> =
            self.partition.panel[cluster] as usize..self.partition.panel[cluster + 1] as usize;
        let mut values: [Values; STRIP] = [[[0.0; LANES]; TILE]; STRIP];
        for (strip, rows) in panels.clone().step_by(STRIP).zip(rows.chunks(STRIP * LANES)) {
            let lanes = self.partition.points.slice(strip, panels.end.min(strip + STRIP));
            for tile in members.chunks(TILE) {
                pack(|i| &block.coordinates[tile[i] * dims..][..dims], tile.len(), dims, packs);
                kernel::squared_distances(packs, lanes, &mut values);
                for (lane, &query) in tile.iter().enumerate() {
                    for (rows, values) in rows.chunks(LANES).zip(&values) {
                        see(query, &values[lane], rows);
                    }
                }
            }
        }
    }

    fn fill(
        &self,
        block: &Block<'_, T>,
        members: &[usize],
        cluster: usize,
        packs: &mut Vec<Pack>,
        pools: &mut [Pool],
    ) {
        self.visit(block, members, cluster, packs, &mut |query, values, rows| {
            let pool = &mut pools[query];
            let bar = squared_of(pool.bar);
            if values.iter().fold(false, |any, &v| any | (v <= bar)) {
                for (&squared, &row) in values.iter().zip(rows) {
                    if row != block.own[query] {
                        pool.offer(squared, row);
                    }
                }
            }
        });
    }

    /// For each query the `k` nearest among the `pool` candidates that look nearest in its `probes` nearest
    /// clusters.
    pub fn probe(
        &self,
        block: &Block<'_, T>,
        k: usize,
        probes: usize,
        pool: usize,
        run: &Run,
    ) -> Result<Vec<Vec<(T, u32)>>> {
        let clusters = self.partition.clusters;
        let to_centers = self.partition.to_centers(&block.coordinates);
        // (best rank of the cluster for any query, cluster, query): near clusters first, so that the bars
        // fall early; the result does not depend on the order.
        let mut best = vec![u32::MAX; clusters];
        let mut visits: Vec<(u32, u32, usize)> = Vec::with_capacity(block.len() * probes);
        for (query, distances) in to_centers.chunks_exact(clusters).enumerate() {
            for (rank, &near) in self.nearest_clusters(distances, probes).iter().enumerate() {
                let cluster = row_of(near);
                best[cluster as usize] = best[cluster as usize].min(rank as u32);
                visits.push((0, cluster, query));
            }
        }
        visits.iter_mut().for_each(|visit| visit.0 = best[visit.1 as usize]);
        visits.sort_unstable();
        let mut pools: Vec<Pool> = block.rows.iter().map(|_| Pool::new(pool)).collect();
        let mut packs = Vec::new();
        for group in visits.chunk_by(|a, b| a.1 == b.1) {
            run.check()?;
            let members: Vec<usize> = group.iter().map(|visit| visit.2).collect();
            self.fill(block, &members, group[0].1 as usize, &mut packs, &mut pools);
        }
        let mut lonely = Vec::new();
        let mut found: Vec<Vec<(T, u32)>> = Vec::with_capacity(block.len());
        for (query, pool) in pools.into_iter().enumerate() {
            let neighbors = self.rank(block.rows[query], &pool.into_keys(), k);
            if neighbors.len() < k {
                lonely.push(query);
            }
            found.push(neighbors);
        }
        // Clusters too small to hold k points: look everywhere.
        if !lonely.is_empty() {
            for (query, exact) in lonely.iter().zip(self.exact(block, &lonely, k, run)?) {
                found[*query] = exact.neighbors;
            }
        }
        Ok(found)
    }

    /// For each of the `members` the `k` nearest of all points, and the candidates that had to be looked at.
    pub fn exact(
        &self,
        block: &Block<'_, T>,
        members: &[usize],
        k: usize,
        run: &Run,
    ) -> Result<Vec<Found<T>>> {
        let mut pools: Vec<Pool> = block.rows.iter().map(|_| Pool::new(2 * k + LANES)).collect();
        let mut packs = Vec::new();
        for cluster in 0..self.partition.clusters {
            run.check()?;
            self.fill(block, members, cluster, &mut packs, &mut pools);
        }
        let mut found = Vec::with_capacity(members.len());
        let mut open = Vec::new();
        let mut limits = vec![0.0; block.len()];
        for (slot, &query) in members.iter().enumerate() {
            let candidates = std::mem::replace(&mut pools[query], Pool::new(0)).into_keys();
            let neighbors = self.rank(block.rows[query], &candidates, k);
            // The k-th of the pool bounds the true k-th; nothing that looks farther can be nearer.
            let bound = neighbors.last().map_or(0.0, |last| last.0.wide().sqrt());
            limits[query] = self.limit(bound, block.longest[query]);
            let full = candidates.len() == 2 * k + LANES;
            if full && candidates.iter().all(|&c| squared_of(c) <= limits[query]) {
                open.push((slot, query));
            }
            found.push(Found { neighbors, candidates });
        }
        let left: Vec<usize> = open.iter().map(|&(_, query)| query).collect();
        for ((slot, query), candidates) in open.iter().zip(self.candidates(block, &left, &limits, run)?) {
            run.check()?;
            found[*slot] = Found { neighbors: self.rank(block.rows[*query], &candidates, k), candidates };
        }
        Ok(found)
    }

    /// The largest squared distance between coordinates that a pair at most `length` apart can show.
    pub fn limit(&self, length: f64, longest: f64) -> f32 {
        ((length + self.frame.slack(longest)).powi(2) * self.frame.stretch()).min(f64::from(f32::MAX)) as f32
    }

    /// For each of the `members`, ascending, every point whose coordinates are within its limit.
    pub fn candidates(
        &self,
        block: &Block<'_, T>,
        members: &[usize],
        limits: &[f32],
        run: &Run,
    ) -> Result<Vec<Vec<u64>>> {
        let mut lists: Vec<Vec<u64>> = block.rows.iter().map(|_| Vec::new()).collect();
        if members.is_empty() {
            return Ok(Vec::new());
        }
        let mut packs = Vec::new();
        for cluster in 0..self.partition.clusters {
            run.check()?;
            self.visit(block, members, cluster, &mut packs, &mut |query, values, rows| {
                let limit = limits[query];
                if values.iter().fold(false, |any, &v| any | (v <= limit)) {
                    for (&squared, &row) in values.iter().zip(rows) {
                        if squared <= limit && row != block.own[query] {
                            lists[query].push(key(squared, row));
                        }
                    }
                }
            });
        }
        Ok(members.iter().map(|&query| std::mem::take(&mut lists[query])).collect())
    }

    /// The full squared distances of candidates: the `k` smallest, nearest first, ties by row.
    pub fn rank(&self, query: &[T], candidates: &[u64], k: usize) -> Vec<(T, u32)> {
        let positions: Vec<u32> = candidates.iter().map(|&c| self.position[row_of(c) as usize]).collect();
        let mut squared = Vec::with_capacity(positions.len());
        kernel::squared_distances_to_rows(query, &self.rows, &positions, &mut squared);
        let mut found: Vec<(T, u32)> =
            squared.into_iter().zip(candidates).map(|(d, &c)| (d, row_of(c))).collect();
        let nearer = |a: &(T, u32), b: &(T, u32)| {
            a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal).then(a.1.cmp(&b.1))
        };
        if k > 0 && k < found.len() {
            found.select_nth_unstable_by(k - 1, nearer);
        }
        found.truncate(k);
        found.sort_unstable_by(nearer);
        found
    }
}
