//! How many points are closer than a given distance: the ranks of a few neighbors, without sorting a row.
//!
//! Blocks of inner products decide all but the closest calls, within a rigorous bound on their rounding; the
//! undecided are measured by the metric itself. So the counts are those of the naive loop.

use crate::cloud::{Cloud, Target};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::{chunks, map_chunks};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};
use lowland_neighbors::{Metric, Rows};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The side of a block of products; with the points it is made from, it fits the second-level cache.
const SIDE: usize = 256;

/// The rows, centered, scaled to at most 1 and in single precision. With `a` such a row, `d` the distance
/// computed by the metric, scaled, and `v(i, l) = a_i.a_l - |a_l|^2 / 2`:
/// `| v(i, l) - (|a_i|^2 - d(i, l)^2) / 2 | <= e_i + e_l`.
pub(crate) struct Prefilter {
    width: usize,
    rows: Vec<f32>,
    /// `|a|^2`.
    squares: Vec<f64>,
    /// `e`.
    errors: Vec<f64>,
    /// From a distance to its scaled square.
    scaled_square: Box<dyn Fn(f64) -> f64 + Sync + Send>,
}

impl Prefilter {
    /// `None` where the metric is no inner product.
    pub(crate) fn new<T: Scalar>(points: &Rows<'_, T>, metric: Metric, run: &Run) -> Result<Option<Self>> {
        let angular = matches!(metric, Metric::Cosine | Metric::Correlation);
        if !angular && metric != Metric::Euclidean {
            return Ok(None);
        }
        let (n, width) = (points.len(), points.width());
        const CHUNK: usize = 512;
        // Divided first, so that no sum of finite values overflows.
        let sums = map_chunks(run, n, CHUNK, |range| {
            let mut sum = vec![0.0; width];
            for i in range {
                sum.iter_mut().zip(points.row(i)).for_each(|(s, x)| *s += x.wide() / n as f64);
            }
            sum
        })?;
        let mut center = vec![0.0; width];
        for sum in sums {
            center.iter_mut().zip(sum).for_each(|(c, s)| *c += s);
        }
        let centered = |i: usize| points.row(i).iter().zip(&center).map(|(x, c)| x.wide() - c);
        let extents = map_chunks(run, n, CHUNK, |range| {
            range.flat_map(centered).fold(0.0, |most: f64, x| most.max(x.abs()))
        })?;
        let extent = extents.into_iter().fold(0.0, f64::max);
        if !extent.is_finite() {
            return Ok(None);
        }
        // A power of two: exact, but for what vanishes beside the largest.
        let exponent = if extent > 0.0 { -extent.log2().ceil() } else { 0.0 };
        let scale = exponent.clamp(-1000.0, 1000.0).exp2();
        let parts = map_chunks(run, n, CHUNK, |range| {
            range.flat_map(centered).map(|x| (x * scale) as f32).collect::<Vec<f32>>()
        })?;
        let rows = parts.concat();
        let squares = map_chunks(run, n, CHUNK, |range| {
            let square =
                |i: usize| rows[i * width..(i + 1) * width].iter().map(|x| f64::from(*x).powi(2)).sum();
            range.map(square).collect::<Vec<f64>>()
        })?
        .concat();
        // In units of (|a_i| + |a_l|)^2 <= 2 |a_i|^2 + 2 |a_l|^2, with u and v the unit roundoffs of the products
        // and of the metric: the product D u / 4; centering and conversion 2 u; the differences and thresholds
        // here 5 u; the metric, on both sides of a comparison, (D / 16 + 24) v each. (What is rounded in proportion
        // to the threshold's own square matters only where that is near (|a_i| + |a_l|)^2 at most.)
        let (u, v) = (f64::from(f32::EPSILON) / 2.0, T::EPSILON.wide() / 2.0);
        let d = width as f64;
        let relative = 2.0 * ((d / 4.0 + 8.0) * u + (d / 8.0 + 48.0) * v) * 1.25;
        if relative > 0.01 {
            return Ok(None);
        }
        let absolute = 16.0 * d * f64::from(f32::MIN_POSITIVE);
        let errors = squares.iter().map(|s| relative * s + absolute).collect();
        let scaled_square: Box<dyn Fn(f64) -> f64 + Sync + Send> = match angular {
            true => Box::new(move |half| 2.0 * half * scale * scale),
            false => Box::new(move |distance| (distance * scale).powi(2)),
        };
        Ok(Some(Self { width, rows, squares, errors, scaled_square }))
    }

    /// The rows of these numbers, one after the other.
    fn gathered(&self, rows: &[u32]) -> Vec<f32> {
        let row = |&i: &u32| &self.rows[i as usize * self.width..(i as usize + 1) * self.width];
        rows.iter().flat_map(row).copied().collect()
    }

    fn block(&self, start: usize, count: usize) -> MatRef<'_, f32> {
        let values = &self.rows[start * self.width..(start + count) * self.width];
        MatRef::from_column_major_slice(values, self.width, count)
    }
}

/// See [`Cloud::before`].
pub(crate) fn before(
    cloud: &dyn Cloud,
    prefilter: Option<&Prefilter>,
    rows: &[u32],
    targets: &[Target],
    run: &Run,
) -> Result<Vec<u32>> {
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    match prefilter {
        Some(prefilter) if targets.iter().all(|target| target.distance.is_finite()) => {
            sifted(cloud, prefilter, rows, targets, run)
        }
        _ => measured(cloud, rows, targets, run),
    }
}

/// Every distance by the metric.
fn measured(cloud: &dyn Cloud, rows: &[u32], targets: &[Target], run: &Run) -> Result<Vec<u32>> {
    let k = targets.len() / rows.len();
    let stage = run.stage("ranks", Some(rows.len() as u64));
    let parts = map_chunks(run, rows.len(), 1, |r| {
        let (i, n) = (rows[r.start] as usize, cloud.len());
        let line: Vec<f64> = (0..n).map(|l| cloud.distance(i, l)).collect();
        stage.advance(1)?;
        let count = |target: &Target| {
            let closer = line.iter().enumerate().filter(|&(l, d)| {
                l != i && (*d < target.distance || (*d == target.distance && (l as u32) < target.row))
            });
            closer.count() as u32
        };
        Ok(targets[r.start * k..r.end * k].iter().map(count).collect::<Vec<u32>>())
    })?;
    Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

/// By blocks of products. If all rows are asked for, a block serves the rows of both its sides.
fn sifted(
    cloud: &dyn Cloud,
    prefilter: &Prefilter,
    rows: &[u32],
    targets: &[Target],
    run: &Run,
) -> Result<Vec<u32>> {
    let n = cloud.len();
    let all = rows.len() == n && rows.iter().zip(0..).all(|(&row, i)| row == i);
    let (down, across): (Vec<_>, Vec<_>) = (chunks(rows.len(), SIDE).collect(), chunks(n, SIDE).collect());
    let first = |i: usize| if all { i } else { 0 };
    let blocks: Vec<(usize, usize)> =
        (0..down.len()).flat_map(|i| (first(i)..across.len()).map(move |j| (i, j))).collect();
    let stage = run.stage("ranks", Some(blocks.len() as u64));
    let tally = Tally::new(cloud, prefilter, rows, targets);
    let done = map_chunks(run, blocks.len(), 1, |b| {
        let (rows_here, columns) = (down[blocks[b.start].0].clone(), across[blocks[b.start].1].clone());
        let (height, width) = (rows_here.len(), columns.len());
        let gathered = prefilter.gathered(&rows[rows_here.clone()]);
        let left = MatRef::from_column_major_slice(&gathered, prefilter.width, height);
        let mut products = vec![0.0_f32; height * width];
        matmul(
            MatMut::from_column_major_slice_mut(&mut products, width, height),
            Accum::Replace,
            prefilter.block(columns.start, width).transpose(),
            left,
            1.0,
            Par::Seq,
        );
        tally.count(&products, rows_here.clone(), columns.clone());
        if all && rows_here.start != columns.start {
            let mut mirrored = vec![0.0_f32; height * width];
            for (r, line) in products.chunks_exact(width).enumerate() {
                line.iter().enumerate().for_each(|(c, product)| mirrored[c * height + r] = *product);
            }
            tally.count(&mirrored, columns, rows_here);
        }
        stage.advance(1)
    })?;
    done.into_iter().collect::<Result<()>>()?;
    Ok(tally.counts.into_iter().map(AtomicU32::into_inner).collect())
}

/// The counts so far. They are whole numbers, so that the order of the blocks does not matter.
struct Tally<'a> {
    cloud: &'a dyn Cloud,
    prefilter: &'a Prefilter,
    rows: &'a [u32],
    targets: &'a [Target],
    /// For each target: above the first surely closer, below the second surely not.
    bounds: Vec<[f32; 2]>,
    counts: Vec<AtomicU32>,
}

impl<'a> Tally<'a> {
    fn new(cloud: &'a dyn Cloud, prefilter: &'a Prefilter, rows: &'a [u32], targets: &'a [Target]) -> Self {
        let k = targets.len() / rows.len();
        let bound = |(t, target): (usize, &Target)| {
            let i = rows[t / k] as usize;
            let threshold = (prefilter.squares[i] - (prefilter.scaled_square)(target.distance)) / 2.0;
            [threshold + prefilter.errors[i], threshold - prefilter.errors[i]].map(|bound| bound as f32)
        };
        let bounds = targets.iter().enumerate().map(bound).collect();
        let counts = targets.iter().map(|_| AtomicU32::new(0)).collect();
        Self { cloud, prefilter, rows, targets, bounds, counts }
    }

    /// Counts the points `columns` for the positions `positions` among the rows; a line of products for each.
    fn count(&self, products: &[f32], positions: Range<usize>, columns: Range<usize>) {
        let (start, width) = (columns.start, columns.len());
        let k = self.targets.len() / self.rows.len();
        let offset = |sign: f64| -> Vec<f32> {
            let of = |l: usize| self.prefilter.squares[l] / 2.0 + sign * self.prefilter.errors[l];
            columns.clone().map(|l| of(l) as f32).collect()
        };
        let (far, near) = (offset(1.0), offset(-1.0));
        let (mut surely, mut perhaps) = (vec![0.0_f32; width], vec![0.0_f32; width]);
        for (position, line) in positions.zip(products.chunks_exact(width)) {
            let i = self.rows[position] as usize;
            vectorized(
                #[inline(always)]
                || {
                    for l in 0..width {
                        surely[l] = line[l] - far[l];
                        perhaps[l] = line[l] - near[l];
                    }
                },
            );
            if columns.contains(&i) {
                (surely[i - start], perhaps[i - start]) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
            }
            for t in position * k..(position + 1) * k {
                let [sure, open] = self.bounds[t];
                let (certain, possible) = above(&surely, sure, &perhaps, open);
                let mut count = certain;
                if certain != possible {
                    let undecided = (0..width).filter(|&l| surely[l] <= sure && perhaps[l] >= open);
                    count += undecided.filter(|l| self.precedes(i, start + l, t)).count() as u32;
                }
                if count > 0 {
                    self.counts[t].fetch_add(count, Relaxed);
                }
            }
        }
    }

    /// Whether point `l` comes before the target, in the order around `i`.
    fn precedes(&self, i: usize, l: usize, target: usize) -> bool {
        let (distance, target) = (self.cloud.distance(i, l), &self.targets[target]);
        distance < target.distance || (distance == target.distance && (l as u32) < target.row)
    }
}

/// How many are above the first bound, and how many at or above the second.
fn above(surely: &[f32], sure: f32, perhaps: &[f32], open: f32) -> (u32, u32) {
    vectorized(
        #[inline(always)]
        || {
            let (mut certain, mut possible) = (0_u32, 0_u32);
            for (s, p) in surely.iter().zip(perhaps) {
                // Wrapping, for a check of every sum would keep the loop from being vectorized.
                certain = certain.wrapping_add(u32::from(*s > sure));
                possible = possible.wrapping_add(u32::from(*p >= open));
            }
            (certain, possible)
        },
    )
}
