//! Every pair is looked at: by matrix products where the metric allows, one by one elsewhere.

pub(crate) mod direct;
mod pool;
mod prefilter;

use super::{Index, check_k, check_points, check_queries, check_radius, collect_csr};
use crate::{Metric, Rows, Table};
use direct::{Between, block_pairs, lock_pair, unlock};
use faer::MatRef;
use lowland_base::parallel::{chunks, map_chunks};
use lowland_base::{Csr, Result, Run, Scalar};
use pool::{Pool, Search};
use prefilter::{Frame, Prefilter, Scratch};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Mutex;

/// The rows of a block: single-precision products of this size run at full speed on one core (measured:
/// 128: 90, 256: 102, 512: 104 Gflop/s), and the block of products stays in its second-level cache.
const BLOCK: usize = 512;

/// The exact index for every metric and every width. It gives the bits of [`Metric::distance`], ranked by
/// distance and index, for all metrics.
pub struct Brute<'a, T> {
    metric: Metric,
    /// The width of the points as given.
    width: usize,
    rows: Rows<'a, T>,
    products: Option<Products<T>>,
}

/// What the products need, in the precision that leaves few enough pairs.
struct Products<T> {
    frame: Frame<T>,
    prefilter: Precision<Prefilter<f32>, Prefilter<f64>>,
}

enum Precision<S, D> {
    Single(S),
    Double(D),
}

impl<'a, T: Scalar> Brute<'a, T> {
    /// An index over the rows of `points`.
    pub fn new(points: MatRef<'a, T>, metric: Metric, run: &Run) -> Result<Self> {
        let metric = metric.checked()?;
        check_points(points, run)?;
        let needed = Self::forecast(points.nrows(), points.ncols(), 0);
        run.reserve(
            "the brute index",
            needed,
            "project the points to fewer columns, or use an approximate index",
        )?;
        let rows = metric.prepare(points, run)?;
        let euclidean = matches!(metric, Metric::Euclidean | Metric::SquaredEuclidean) || metric.is_angular();
        let products = if euclidean {
            let frame = Frame::new(metric, &rows, run)?;
            let single = frame.prefilter::<f32>(&rows, run)?;
            let prefilter = if leaves_few(&single, run)? {
                Precision::Single(single)
            } else {
                drop(single);
                Precision::Double(frame.prefilter(&rows, run)?)
            };
            Some(Products { frame, prefilter })
        } else {
            None
        };
        Ok(Self { metric, width: points.ncols(), rows, products })
    }

    /// The bytes that building the index, and finding `k` neighbors of every row with it, take at most.
    pub fn forecast(rows: usize, columns: usize, k: usize) -> u64 {
        let scalar = size_of::<T>() as u64;
        let (n, width, k) = (rows as u64, columns as u64 + 1, k as u64);
        // The prepared rows, the prefilter in double precision; the candidates, the table and its pieces.
        let held = n * width * (scalar + 8) + 2 * 8 * n;
        let positions = if k == 0 { 0 } else { (k + (k / 2).max(48)).min(n) };
        held + n * (positions * 16 + k * (2 * scalar + 12))
    }

    /// Refuses a search whose candidates and answers do not fit.
    fn reserve(&self, rows: usize, k: usize, run: &Run) -> Result<()> {
        let needed = Self::forecast(rows, self.width, k) - Self::forecast(rows, self.width, 0);
        run.reserve("the search for neighbors", needed, "ask for fewer neighbors")
    }

    fn between<'b>(&'b self, rows: &'b Rows<'b, T>) -> Between<'b, T> {
        Between { metric: self.metric, rows, columns: &self.rows }
    }

    /// The search of `queries` among the points.
    fn search<'b, F: Scalar>(
        &'b self,
        frame: &'b Frame<T>,
        queries: &'b Rows<'b, T>,
        prefilters: (&'b Prefilter<F>, &'b Prefilter<F>),
        k: usize,
    ) -> Search<'b, T, F> {
        let (query_prefilter, point_prefilter) = prefilters;
        Search {
            metric: self.metric,
            k,
            frame,
            queries,
            points: &self.rows,
            query_prefilter,
            point_prefilter,
        }
    }
}

/// Whether the prefilter is fine enough: for a few rows, how many others have a score above the surest of the
/// 16 nearest?
fn leaves_few<F: Scalar>(prefilter: &Prefilter<F>, run: &Run) -> Result<bool> {
    const SAMPLE: usize = 32;
    const NEAREST: usize = 16;
    const ALLOWED: usize = 8 * NEAREST;
    let n = prefilter.len();
    if n <= ALLOWED {
        return Ok(true);
    }
    let rows: Vec<usize> = (0..SAMPLE).map(|s| s * (n - 1) / (SAMPLE - 1)).collect();
    let sample = prefilter.pick(&rows);
    let mut scratch = Scratch::new();
    let mut scores = vec![F::neg_infinity(); SAMPLE * n];
    for columns in chunks(n, BLOCK) {
        run.check()?;
        let floors = [F::neg_infinity(); SAMPLE];
        scratch.sift((&sample, 0..SAMPLE), (prefilter, columns.clone()), &floors, None);
        for &(r, c, score) in &scratch.hits {
            scores[r as usize * n + columns.start + c as usize] = score;
        }
    }
    let left = rows.iter().zip(scores.chunks_exact(n)).map(|(&row, scores)| {
        let sure = |j: usize| Prefilter::sure(scores[j], prefilter.error[row] + prefilter.error[j]);
        let mut others: Vec<F> = (0..n).filter(|&j| j != row).map(sure).collect();
        let descending = |a: &F, b: &F| b.partial_cmp(a).unwrap_or(Ordering::Equal);
        let (_, &mut floor, _) = others.select_nth_unstable_by(NEAREST - 1, descending);
        scores.iter().filter(|&&score| score >= floor).count()
    });
    Ok(left.sum::<usize>() <= SAMPLE * ALLOWED)
}

/// Blocks of `n` rows, at least `parts` of them where that makes sense, and short enough that a product of
/// two takes a few hundredths of a second.
fn blocks(n: usize, parts: usize, width: usize) -> impl ExactSizeIterator<Item = Range<usize>> + Clone {
    let quick = ((1_usize << 32) / width.max(1)).isqrt().clamp(16, BLOCK);
    chunks(n, n.div_ceil(parts).next_multiple_of(16).clamp(16, quick))
}

/// Each pair of blocks is multiplied once and searched for both its sides. Which pair comes first decides
/// the work, not the result: the nearest k by distance and index are one set.
fn nearest_of_all<T: Scalar, F: Scalar>(search: &Search<'_, T, F>, run: &Run) -> Result<Table<T>> {
    let n = search.points.len();
    let blocks: Vec<_> = blocks(n, 8, search.points.width()).collect();
    let pools: Vec<_> = blocks.iter().map(|b| Mutex::new(Pool::new(b.start, b.len(), search))).collect();
    let prefilter = search.point_prefilter;
    run.install(|| {
        block_pairs(blocks.len()).into_par_iter().try_for_each_init(Scratch::new, |scratch, (i, j)| {
            run.check()?;
            let (rows, columns) = (blocks[i].clone(), blocks[j].clone());
            let (mine, theirs) = lock_pair(&pools, i, j);
            let floors = mine.floors.clone();
            let column_floors = theirs.as_ref().map(|theirs| theirs.floors.clone());
            drop((mine, theirs));
            scratch.sift(
                (prefilter, rows.clone()),
                (prefilter, columns.clone()),
                &floors,
                column_floors.as_deref(),
            );
            let (mut mine, mut theirs) = lock_pair(&pools, i, j);
            for &(r, c, score) in &scratch.hits {
                let (row, column) = (rows.start + r as usize, columns.start + c as usize);
                if row != column {
                    mine.push(r as usize, score, column as u32, search);
                }
                if let Some(theirs) = &mut theirs {
                    theirs.push(c as usize, score, row as u32, search);
                }
            }
            Ok(())
        })
    })?;
    let pools = unlock(pools);
    let pieces: Vec<_> = run.install(|| {
        let finish = |pool: Pool<T, F>| run.check().map(|()| pool.finish(search));
        pools.into_par_iter().map(finish).collect::<Result<_>>()
    })?;
    Ok(Table::collect(search.k, n, pieces))
}

fn nearest<T: Scalar, F: Scalar>(search: &Search<'_, T, F>, run: &Run) -> Result<Table<T>> {
    let (m, n) = (search.queries.len(), search.points.len());
    let rows: Vec<_> = blocks(m, 16, search.points.width()).collect();
    let pieces = map_chunks(run, rows.len(), 1, |block| {
        let rows = rows[block.start].clone();
        let mut scratch = Scratch::new();
        let mut pool = Pool::new(rows.start, rows.len(), search);
        for columns in blocks(n, 1, search.points.width()) {
            run.check()?;
            let right = (search.point_prefilter, columns.clone());
            scratch.sift((search.query_prefilter, rows.clone()), right, &pool.floors, None);
            for &(r, c, score) in &scratch.hits {
                pool.push(r as usize, score, (columns.start + c as usize) as u32, search);
            }
        }
        Ok(pool.finish(search))
    })?;
    Ok(Table::collect(search.k, m, pieces.into_iter().collect::<Result<Vec<_>>>()?))
}

/// The pairs of two blocks that are within the radius.
fn block_within<T: Scalar, F: Scalar>(
    search: &Search<'_, T, F>,
    rows: Range<usize>,
    columns: Range<usize>,
    radius: T,
    scratch: &mut Scratch<F>,
) -> Vec<(u32, u32, T)> {
    let floors = vec![search.frame.floor(radius); rows.len()];
    let left = (search.query_prefilter, rows.clone());
    scratch.sift(left, (search.point_prefilter, columns.clone()), &floors, None);
    let measured = scratch.hits.iter().map(|&(r, c, _)| {
        let (i, j) = (rows.start + r as usize, columns.start + c as usize);
        (i as u32, j as u32, search.metric.between(search.queries.row(i), search.points.row(j)))
    });
    measured.filter(|&(.., distance)| distance <= radius).collect()
}

fn within_of_all<T: Scalar, F: Scalar>(search: &Search<'_, T, F>, radius: T, run: &Run) -> Result<Csr<T>> {
    let n = search.points.len();
    let blocks: Vec<_> = blocks(n, 8, search.points.width()).collect();
    let pieces: Vec<_> = run.install(|| {
        let found = |scratch: &mut Scratch<F>, (i, j): (usize, usize)| {
            run.check()?;
            let mut found = block_within(search, blocks[i].clone(), blocks[j].clone(), radius, scratch);
            found.retain(|&(row, column, _)| row < column);
            Ok(found)
        };
        let pairs = block_pairs(blocks.len()).into_par_iter();
        pairs.map_init(Scratch::new, found).collect::<Result<_>>()
    })?;
    collect_csr(n, n, &pieces, true)
}

fn within<T: Scalar, F: Scalar>(search: &Search<'_, T, F>, radius: T, run: &Run) -> Result<Csr<T>> {
    let (m, n) = (search.queries.len(), search.points.len());
    let rows: Vec<_> = blocks(m, 16, search.points.width()).collect();
    let pieces = map_chunks(run, rows.len(), 1, |block| {
        let rows = rows[block.start].clone();
        let mut scratch = Scratch::new();
        let mut found = Vec::new();
        for columns in blocks(n, 1, search.points.width()) {
            run.check()?;
            found.append(&mut block_within(search, rows.clone(), columns, radius, &mut scratch));
        }
        Ok(found)
    })?;
    collect_csr(m, n, &pieces.into_iter().collect::<Result<Vec<_>>>()?, false)
}

impl<T: Scalar> Index<T> for Brute<'_, T> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn k_nearest_of_all(&self, k: usize, run: &Run) -> Result<Table<T>> {
        check_k(k, self.len().saturating_sub(1))?;
        self.reserve(self.len(), k, run)?;
        let Some(Products { frame, prefilter }) = &self.products else {
            return direct::nearest_of_all(&self.between(&self.rows), self.len(), k, run);
        };
        match prefilter {
            Precision::Single(s) => nearest_of_all(&self.search(frame, &self.rows, (s, s), k), run),
            Precision::Double(s) => nearest_of_all(&self.search(frame, &self.rows, (s, s), k), run),
        }
    }

    fn k_nearest(&self, queries: MatRef<'_, T>, k: usize, run: &Run) -> Result<Table<T>> {
        check_k(k, self.len())?;
        check_queries(queries, self.width, run)?;
        self.reserve(queries.nrows(), k, run)?;
        let queries = self.metric.prepare(queries, run)?;
        let Some(Products { frame, prefilter }) = &self.products else {
            return direct::nearest(&self.between(&queries), (queries.len(), self.len()), k, run);
        };
        match prefilter {
            Precision::Single(s) => {
                nearest(&self.search(frame, &queries, (&frame.prefilter(&queries, run)?, s), k), run)
            }
            Precision::Double(s) => {
                nearest(&self.search(frame, &queries, (&frame.prefilter(&queries, run)?, s), k), run)
            }
        }
    }

    fn within_of_all(&self, radius: T, run: &Run) -> Result<Csr<T>> {
        check_radius(radius)?;
        let Some(Products { frame, prefilter }) = &self.products else {
            return direct::within_of_all(&self.between(&self.rows), self.len(), radius, run);
        };
        match prefilter {
            Precision::Single(s) => within_of_all(&self.search(frame, &self.rows, (s, s), 0), radius, run),
            Precision::Double(s) => within_of_all(&self.search(frame, &self.rows, (s, s), 0), radius, run),
        }
    }

    fn within(&self, queries: MatRef<'_, T>, radius: T, run: &Run) -> Result<Csr<T>> {
        check_radius(radius)?;
        check_queries(queries, self.width, run)?;
        let queries = self.metric.prepare(queries, run)?;
        let Some(Products { frame, prefilter }) = &self.products else {
            return direct::within(&self.between(&queries), (queries.len(), self.len()), radius, run);
        };
        match prefilter {
            Precision::Single(s) => {
                within(&self.search(frame, &queries, (&frame.prefilter(&queries, run)?, s), 0), radius, run)
            }
            Precision::Double(s) => {
                within(&self.search(frame, &queries, (&frame.prefilter(&queries, run)?, s), 0), radius, run)
            }
        }
    }
}
