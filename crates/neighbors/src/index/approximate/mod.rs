//! An approximate index for many points in many dimensions, with a target for its recall.
//!
//! points -> few coordinates (an orthonormal projection: lower bounds of the distances) -> clusters ->
//! for each query: the nearest clusters, scanned by coordinates -> a pool of candidates -> full distances.
//!
//! How many clusters and candidates it takes is measured, not guessed: see [`plan`]. Data without structure
//! need nearly all of them; then the index searches exactly, using the lower bounds to skip full distances.
//! The returned distances are always computed in full, by direct differences of the rows.

mod frame;
mod kernel;
mod partition;
mod plan;
mod rows;
mod search;

use crate::{Index, Metric, Table};
use faer::MatRef;
use frame::Frame;
use lowland_base::{Csr, Error, Result, Run, Scalar, parallel, units};
use partition::Partition;
use plan::{EXACT_BLOCK, Plan};
use rows::Reader;
use search::{Block, Core, NEW};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Queries of one block of an approximate search.
const BLOCK: usize = 128;

/// Finds most of the nearest neighbors, quickly: the target share of them on average, as estimated with
/// a margin on a sample of the points (an estimate, no guarantee).
///
/// Euclidean, squared Euclidean, cosine and correlation distances. Radius searches are exact. With the same
/// seed the results are the same bits for every number of threads and every grouping of the queries.
#[derive(Debug)]
pub struct Approximate<T> {
    core: Core<T>,
    target: f64,
    /// A plan depends on nothing but the index and `k`: made when first needed, then kept.
    plans: Mutex<BTreeMap<usize, Plan>>,
}

impl<T: Scalar> Approximate<T> {
    /// The target that suits most uses.
    pub const DEFAULT_RECALL: f64 = 0.99;

    /// The bytes that an index of `rows` x `columns` needs to be built, at most: for data of which no projection
    /// keeps enough. It needs a few times less when one does, which is only known once it is tried.
    pub fn forecast(rows: usize, columns: usize) -> u64 {
        Self::forecast_with(rows, columns, columns)
    }

    fn forecast_with(rows: usize, columns: usize, dims: usize) -> u64 {
        let (n, width) = (rows as u64, columns as u64);
        let data = n * width * size_of::<T>() as u64;
        // Coordinates in rows and in panels (with partly filled ones), order, position and length of each row.
        let per_point = 3 * dims as u64 * 4 + 32;
        // The sample for the basis, in T and in f32.
        let sample = Frame::sample_rows(rows, columns) as u64 * width * (size_of::<T>() as u64 + 4);
        data + n * per_point + sample
    }

    /// Builds the index on the rows of `data`. `target` in (0, 1] is the share of the true neighbors to find;
    /// 1 means exact.
    pub fn new(data: MatRef<'_, T>, metric: Metric, target: f64, run: &Run) -> Result<Self> {
        if !(target > 0.0 && target <= 1.0) {
            return Err(Error::parameter("recall", target, "0 < recall <= 1", "0.99 suits most uses"));
        }
        let n = data.nrows();
        if n >= NEW as usize {
            return Err(Error::parameter("rows", n, "fewer than 2^32 - 1", "sample the data first"));
        }
        let reserve = |dims| {
            run.reserve(
                "the approximate index",
                Self::forecast_with(n, data.ncols(), dims),
                "give the data in single precision, or fewer columns",
            )
        };
        reserve(0)?;
        let stage = run.stage("index: reduce", Some(2));
        let reader = Reader::new(data, metric, run)?;
        let frame = Frame::new(data, &reader, run)?;
        reserve(frame.dims)?;
        stage.advance(1)?;
        let coordinates = frame.coordinates_of(data, &reader, run)?;
        stage.advance(1)?;
        drop(stage);
        let stage = run.stage("index: partition", Some(2));
        let longest = coordinates.lengths.iter().fold(0.0, |a: f64, &b| a.max(b));
        let wanted = (2.0 * (n as f64).sqrt()).round() as usize;
        let partition = Partition::new(&coordinates.values, frame.dims, wanted, run)?;
        drop(coordinates);
        stage.advance(1)?;
        let width = reader.width();
        let mut rows = vec![T::zero(); n * width];
        let order = &partition.order;
        parallel::fill_rows(run, &mut rows, width, rows::BLOCK, |range, part| {
            // What could be refused was refused when the coordinates were made.
            let _ = reader.read(data, order[range].iter().map(|&i| i as usize), part);
        })?;
        let mut position = vec![0; n];
        for (at, &row) in partition.order.iter().enumerate() {
            position[row as usize] = at as u32;
        }
        drop(stage);
        let core = Core { reader, frame, partition, rows, position, longest };
        Ok(Self { core, target, plans: Mutex::default() })
    }

    /// The estimated share of the `k` nearest neighbors that a search finds, on a sample of the points: 1 when
    /// it searches exactly.
    pub fn recall(&self, k: usize, run: &Run) -> Result<f64> {
        Ok(self.plan(k, run)?.recall())
    }

    fn plan(&self, k: usize, run: &Run) -> Result<Plan> {
        let known = self.plans.lock().unwrap_or_else(PoisonError::into_inner).get(&k).copied();
        if let Some(plan) = known {
            return Ok(plan);
        }
        let _stage = run.stage("index: calibrate", None);
        let plan = Plan::new(&self.core, k, self.target, run)?;
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).insert(k, plan);
        Ok(plan)
    }

    /// Searches blocks of queries; `block` makes the block of a range. Returns the squared distances and rows.
    fn search<'a>(
        &self,
        count: usize,
        k: usize,
        run: &Run,
        block: impl Fn(std::ops::Range<usize>) -> Block<'a, T> + Sync,
    ) -> Result<Vec<Vec<(T, u32)>>>
    where
        T: 'a,
    {
        let plan = self.plan(k, run)?;
        let stage = run.stage("index: search", Some(count as u64));
        let size = if plan == Plan::Exact { EXACT_BLOCK } else { BLOCK };
        let parts = parallel::map_chunks(run, count, size, |range| {
            let block = block(range);
            let found = match plan {
                Plan::Exact => {
                    let members: Vec<usize> = (0..block.len()).collect();
                    self.core.exact(&block, &members, k, run)?.into_iter().map(|f| f.neighbors).collect()
                }
                Plan::Probe { probes, pool, .. } => self.core.probe(&block, k, probes, pool, run)?,
            };
            stage.advance(block.len() as u64)?;
            Ok::<Vec<_>, Error>(found)
        })?;
        let mut all = Vec::with_capacity(count);
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }

    /// Puts what was found for the queries `order` into a table in their own order.
    fn table(&self, found: &[Vec<(T, u32)>], order: &[u32], k: usize) -> Table<T> {
        let mut indices = vec![0; order.len() * k];
        let mut distances = vec![T::zero(); order.len() * k];
        for (row, &query) in found.iter().zip(order) {
            let at = query as usize * k;
            for (slot, &(squared, index)) in row.iter().enumerate() {
                indices[at + slot] = index;
                distances[at + slot] = self.core.reader.distance(squared);
            }
        }
        Table { k, indices, distances }
    }

    fn check_k(&self, k: usize, most: usize) -> Result<()> {
        if k == 0 || k > most {
            let bound = format!("1 to {most}, for {}", units::count(self.core.len(), "row"));
            return Err(Error::parameter("n_neighbors", k, bound, "ask for fewer neighbors"));
        }
        Ok(())
    }

    fn reserve_table(&self, queries: usize, k: usize, run: &Run) -> Result<()> {
        let entry = (2 * size_of::<(T, u32)>() + size_of::<T>() + 4) as u64;
        run.reserve("the table of neighbors", queries as u64 * k as u64 * entry, "ask for fewer neighbors")
    }

    fn radius_search<'a>(
        &self,
        count: usize,
        radius: T,
        run: &Run,
        block: impl Fn(std::ops::Range<usize>) -> Block<'a, T> + Sync,
    ) -> Result<Csr<T>>
    where
        T: 'a,
    {
        if radius < T::zero() || !num_traits::Float::is_finite(radius) {
            return Err(Error::parameter("radius", radius, "finite and not negative", "give a distance"));
        }
        let stage = run.stage("index: radius", Some(count as u64));
        let length = self.core.reader.length(radius);
        let parts = parallel::map_chunks(run, count, EXACT_BLOCK, |range| {
            let block = block(range);
            let members: Vec<usize> = (0..block.len()).collect();
            // A little wider than asked for: the distance itself decides.
            let limits: Vec<f32> =
                block.longest.iter().map(|&longest| self.core.limit(length * 1.000_01, longest)).collect();
            let mut rows = Vec::with_capacity(block.len());
            for (query, candidates) in
                self.core.candidates(&block, &members, &limits, run)?.iter().enumerate()
            {
                run.check()?;
                let mut row: Vec<(u32, T)> = self
                    .core
                    .rank(block.rows[query], candidates, candidates.len())
                    .into_iter()
                    .map(|(squared, index)| (index, self.core.reader.distance(squared)))
                    .filter(|&(_, distance)| distance <= radius)
                    .collect();
                row.sort_unstable_by_key(|entry| entry.0);
                rows.push(row);
            }
            stage.advance(block.len() as u64)?;
            Ok::<Vec<_>, Error>(rows)
        })?;
        let mut offsets = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for part in parts {
            for row in part? {
                for (index, distance) in row {
                    indices.push(index);
                    values.push(distance);
                }
                offsets.push(indices.len());
            }
        }
        Csr::new(count, self.core.len(), offsets, indices, values)
    }

    /// New points in the index's form: their rows, coordinates and lengths.
    fn prepare(&self, queries: MatRef<'_, T>, run: &Run) -> Result<Prepared<T>> {
        self.core.reader.check_queries(queries, run)?;
        let width = self.core.reader.width();
        let bytes = queries.nrows() as u64 * (width * size_of::<T>() + self.core.frame.dims * 4) as u64;
        run.reserve("the queries", bytes, "ask in smaller batches")?;
        let coordinates = self.core.frame.coordinates_of(queries, &self.core.reader, run)?;
        let mut rows = vec![T::zero(); queries.nrows() * width];
        parallel::fill_rows(run, &mut rows, width, rows::BLOCK, |range, part| {
            let _ = self.core.reader.read(queries, range, part);
        })?;
        Ok(Prepared { rows, coordinates: coordinates.values, lengths: coordinates.lengths })
    }

    fn block_of<'a>(
        &self,
        new: &'a Prepared<T>,
        numbers: impl Iterator<Item = usize> + Clone,
    ) -> Block<'a, T> {
        let (width, dims) = (self.core.reader.width(), self.core.frame.dims);
        Block {
            coordinates: numbers
                .clone()
                .flat_map(|i| &new.coordinates[i * dims..(i + 1) * dims])
                .copied()
                .collect(),
            rows: numbers.clone().map(|i| &new.rows[i * width..(i + 1) * width]).collect(),
            own: numbers.clone().map(|_| NEW).collect(),
            longest: numbers.map(|i| new.lengths[i].max(self.core.longest)).collect(),
        }
    }
}

struct Prepared<T> {
    rows: Vec<T>,
    coordinates: Vec<f32>,
    lengths: Vec<f64>,
}

impl<T: Scalar> Index<T> for Approximate<T> {
    fn len(&self) -> usize {
        self.core.len()
    }

    fn k_nearest_of_all(&self, k: usize, run: &Run) -> Result<Table<T>> {
        let n = self.core.len();
        self.check_k(k, n - 1)?;
        self.reserve_table(n, k, run)?;
        let found = self.search(n, k, run, |range| self.core.block(range))?;
        Ok(self.table(&found, &self.core.partition.order, k))
    }

    fn k_nearest(&self, queries: MatRef<'_, T>, k: usize, run: &Run) -> Result<Table<T>> {
        self.check_k(k, self.core.len())?;
        self.reserve_table(queries.nrows(), k, run)?;
        let new = self.prepare(queries, run)?;
        // Queries of one region together: they probe the same clusters.
        let regions = self.core.partition.nearest(&new.coordinates, run)?;
        let mut order: Vec<u32> = (0..queries.nrows() as u32).collect();
        order.sort_by_key(|&i| regions[i as usize]);
        let found = self.search(queries.nrows(), k, run, |range| {
            self.block_of(&new, order[range].iter().map(|&i| i as usize))
        })?;
        Ok(self.table(&found, &order, k))
    }

    /// Exact: the lower bounds rule out most points, full distances decide on the rest.
    fn within_of_all(&self, radius: T, run: &Run) -> Result<Csr<T>> {
        let position = &self.core.position;
        self.radius_search(self.core.len(), radius, run, |range| {
            self.core.block(position[range].iter().map(|&p| p as usize))
        })
    }

    /// Exact: the lower bounds rule out most points, full distances decide on the rest.
    fn within(&self, queries: MatRef<'_, T>, radius: T, run: &Run) -> Result<Csr<T>> {
        let new = self.prepare(queries, run)?;
        self.radius_search(queries.nrows(), radius, run, |range| self.block_of(&new, range))
    }
}
