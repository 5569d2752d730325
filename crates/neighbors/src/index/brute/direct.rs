//! Every pair by its own evaluation: for the metrics that are no inner products, for objects known only by
//! their distances, and for distance matrices.

use crate::index::collect_csr;
use crate::nearest::Nearest;
use crate::{Metric, Rows, Table};
use lowland_base::parallel::{chunks, map_chunks};
use lowland_base::simd::vectorized;
use lowland_base::{Csr, Result, Run, Scalar};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Two blocks of rows of common widths fit the second-level cache.
const BLOCK: usize = 64;

/// Distances between two sets, asked for block by block.
pub(crate) trait Distances<T>: Sync {
    /// Writes the block row by row.
    fn fill(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [T]) -> Result<()>;
}

/// The distances between rows that the metric has prepared.
pub(crate) struct Between<'a, T> {
    pub(crate) metric: Metric,
    pub(crate) rows: &'a Rows<'a, T>,
    pub(crate) columns: &'a Rows<'a, T>,
}

impl<T: Scalar> Distances<T> for Between<'_, T> {
    fn fill(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [T]) -> Result<()> {
        vectorized(
            #[inline(always)]
            || {
                for (i, out) in rows.zip(out.chunks_exact_mut(columns.len())) {
                    let a = self.rows.row(i);
                    for (j, out) in columns.clone().zip(out) {
                        *out = self.metric.between_inline(a, self.columns.row(j));
                    }
                }
            },
        );
        Ok(())
    }
}

/// All pairs of blocks, each once, the first not after the second.
pub(super) fn block_pairs(blocks: usize) -> Vec<(usize, usize)> {
    (0..blocks).flat_map(|i| (i..blocks).map(move |j| (i, j))).collect()
}

/// The state of two blocks, or of one for a pair of equals. Always in ascending order: two threads never
/// wait for each other.
pub(super) fn lock_pair<S>(
    states: &[Mutex<S>],
    i: usize,
    j: usize,
) -> (MutexGuard<'_, S>, Option<MutexGuard<'_, S>>) {
    let lock = |b: usize| states[b].lock().unwrap_or_else(PoisonError::into_inner);
    let first = lock(i);
    (first, (i != j).then(|| lock(j)))
}

/// What is left in the locks.
pub(super) fn unlock<S>(states: Vec<Mutex<S>>) -> Vec<S> {
    states.into_iter().map(|s| s.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// The nearest `k` of all `n`, by distances that are symmetric: each is asked for once.
pub(crate) fn nearest_of_all<T: Scalar>(
    distances: &impl Distances<T>,
    n: usize,
    k: usize,
    run: &Run,
) -> Result<Table<T>> {
    let blocks: Vec<_> = chunks(n, BLOCK).collect();
    let states: Vec<_> = blocks.iter().map(|b| Mutex::new(vec![Nearest::new(k); b.len()])).collect();
    // Which candidate comes first does not matter: the nearest k by distance and index are one set.
    run.install(|| {
        block_pairs(blocks.len()).into_par_iter().try_for_each_init(Vec::new, |buffer, (i, j)| {
            run.check()?;
            let (rows, columns) = (blocks[i].clone(), blocks[j].clone());
            buffer.resize(rows.len() * columns.len(), T::zero());
            distances.fill(rows.clone(), columns.clone(), buffer)?;
            let (mut mine, mut theirs) = lock_pair(&states, i, j);
            for (r, line) in buffer.chunks_exact(columns.len()).enumerate() {
                for (c, &distance) in line.iter().enumerate() {
                    let (row, column) = (rows.start + r, columns.start + c);
                    if row == column {
                        continue;
                    }
                    if distance <= mine[r].limit() {
                        mine[r].push(distance, column as u32);
                    }
                    if let Some(theirs) = &mut theirs
                        && distance <= theirs[c].limit()
                    {
                        theirs[c].push(distance, row as u32);
                    }
                }
            }
            Ok(())
        })
    })?;
    let pieces = unlock(states).into_iter().flatten().map(|mut nearest| nearest.sorted().to_vec());
    Ok(Table::collect(k, n, pieces))
}

/// The nearest `k` of `n` for each of `m` others.
pub(crate) fn nearest<T: Scalar>(
    distances: &impl Distances<T>,
    (m, n): (usize, usize),
    k: usize,
    run: &Run,
) -> Result<Table<T>> {
    let pieces = map_chunks(run, m, BLOCK, |rows| {
        let mut best = vec![Nearest::new(k); rows.len()];
        let mut buffer = Vec::new();
        for columns in chunks(n, BLOCK) {
            run.check()?;
            buffer.resize(rows.len() * columns.len(), T::zero());
            distances.fill(rows.clone(), columns.clone(), &mut buffer)?;
            for (best, line) in best.iter_mut().zip(buffer.chunks_exact(columns.len())) {
                for (&distance, column) in line.iter().zip(columns.clone()) {
                    if distance <= best.limit() {
                        best.push(distance, column as u32);
                    }
                }
            }
        }
        Ok(best.iter_mut().flat_map(|best| best.sorted().to_vec()).collect())
    })?;
    Ok(Table::collect(k, m, pieces.into_iter().collect::<Result<Vec<_>>>()?))
}

/// All pairs within the radius, by distances that are symmetric.
pub(crate) fn within_of_all<T: Scalar>(
    distances: &impl Distances<T>,
    n: usize,
    radius: T,
    run: &Run,
) -> Result<Csr<T>> {
    let blocks: Vec<_> = chunks(n, BLOCK).collect();
    let pieces: Vec<_> = run.install(|| {
        block_pairs(blocks.len())
            .into_par_iter()
            .map(|(i, j)| {
                let mut found = block_within(distances, blocks[i].clone(), blocks[j].clone(), radius, run)?;
                found.retain(|&(row, column, _)| row < column);
                Ok(found)
            })
            .collect::<Result<_>>()
    })?;
    collect_csr(n, n, &pieces, true)
}

/// All of `n` within the radius of each of `m` others.
pub(crate) fn within<T: Scalar>(
    distances: &impl Distances<T>,
    (m, n): (usize, usize),
    radius: T,
    run: &Run,
) -> Result<Csr<T>> {
    let pieces = map_chunks(run, m, BLOCK, |rows| {
        let mut found = Vec::new();
        for columns in chunks(n, BLOCK) {
            found.append(&mut block_within(distances, rows.clone(), columns, radius, run)?);
        }
        Ok(found)
    })?;
    collect_csr(m, n, &pieces.into_iter().collect::<Result<Vec<_>>>()?, false)
}

fn block_within<T: Scalar>(
    distances: &impl Distances<T>,
    rows: Range<usize>,
    columns: Range<usize>,
    radius: T,
    run: &Run,
) -> Result<Vec<(u32, u32, T)>> {
    run.check()?;
    let mut buffer = vec![T::zero(); rows.len() * columns.len()];
    distances.fill(rows.clone(), columns.clone(), &mut buffer)?;
    let mut found = Vec::new();
    for (row, line) in rows.zip(buffer.chunks_exact(columns.len())) {
        for (column, &distance) in columns.clone().zip(line) {
            if distance <= radius {
                found.push((row as u32, column as u32, distance));
            }
        }
    }
    Ok(found)
}
