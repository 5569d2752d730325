//! How many points are closer than a given distance: the ranks of a few neighbours, without sorting a row.
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

/// A block of products of this many points by that many fits the second-level cache.
const HEIGHT: usize = 64;
const WIDTH: usize = 1024;

/// The rows, centred, scaled to at most 1 and in single precision. With `a` such a row, `d` the distance
/// computed by the metric, scaled, and `v(i, l) = a_i.a_l - |a_l|^2 / 2`:
/// `| v(i, l) - (|a_i|^2 - d(i, l)^2) / 2 | <= e_i + e_l`.
pub(crate) struct Sieve {
    width: usize,
    rows: Vec<f32>,
    /// `|a|^2`.
    squares: Vec<f64>,
    /// `e`.
    errors: Vec<f64>,
    /// From a distance to its scaled square.
    scaled_square: Box<dyn Fn(f64) -> f64 + Sync + Send>,
}

impl Sieve {
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
        let mut centre = vec![0.0; width];
        for sum in sums {
            centre.iter_mut().zip(sum).for_each(|(c, s)| *c += s);
        }
        let centred = |i: usize| points.row(i).iter().zip(&centre).map(|(x, c)| x.wide() - c);
        let extents = map_chunks(run, n, CHUNK, |range| {
            range.flat_map(centred).fold(0.0, |most: f64, x| most.max(x.abs()))
        })?;
        let extent = extents.into_iter().fold(0.0, f64::max);
        if !extent.is_finite() {
            return Ok(None);
        }
        // A power of two: exact, but for what vanishes beside the largest.
        let exponent = if extent > 0.0 { -extent.log2().ceil() } else { 0.0 };
        let scale = exponent.clamp(-1000.0, 1000.0).exp2();
        let parts = map_chunks(run, n, CHUNK, |range| {
            range.flat_map(centred).map(|x| (x * scale) as f32).collect::<Vec<f32>>()
        })?;
        let rows = parts.concat();
        let squares = map_chunks(run, n, CHUNK, |range| {
            let square =
                |i: usize| rows[i * width..(i + 1) * width].iter().map(|x| f64::from(*x).powi(2)).sum();
            range.map(square).collect::<Vec<f64>>()
        })?
        .concat();
        // In units of (|a_i| + |a_l|)^2 <= 2 |a_i|^2 + 2 |a_l|^2, with u and v the unit roundoffs of the products
        // and of the metric: the product D u / 4; centring and conversion 2 u; the differences and thresholds
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

    fn block(&self, start: usize, count: usize) -> MatRef<'_, f32> {
        let values = &self.rows[start * self.width..(start + count) * self.width];
        MatRef::from_column_major_slice(values, self.width, count)
    }
}

/// See [`Cloud::before`].
pub(crate) fn before(
    cloud: &dyn Cloud,
    sieve: Option<&Sieve>,
    rows: &[u32],
    targets: &[Target],
    run: &Run,
) -> Result<Vec<u32>> {
    let k = targets.len().checked_div(rows.len()).unwrap_or(0);
    let stage = run.stage("ranks", Some(rows.len() as u64));
    let parts = map_chunks(run, rows.len(), HEIGHT, |range| {
        let mut counts = vec![0; range.len() * k];
        let (rows, targets) = (&rows[range.clone()], &targets[range.start * k..range.end * k]);
        match sieve {
            Some(sieve) if targets.iter().all(|t| t.distance.is_finite()) => {
                sifted(cloud, sieve, rows, targets, &mut counts, run)?
            }
            _ => measured(cloud, rows, targets, &mut counts, run)?,
        }
        stage.advance(rows.len() as u64)?;
        Ok(counts)
    })?;
    Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

/// Whether point `l` comes before the target, in the order around `i`.
fn precedes(cloud: &dyn Cloud, i: usize, l: usize, target: &Target) -> bool {
    let distance = cloud.distance(i, l);
    distance < target.distance || (distance == target.distance && (l as u32) < target.row)
}

fn measured(
    cloud: &dyn Cloud,
    rows: &[u32],
    targets: &[Target],
    counts: &mut [u32],
    run: &Run,
) -> Result<()> {
    let k = targets.len() / rows.len();
    let mut line = vec![0.0; cloud.len()];
    for (r, &row) in rows.iter().enumerate() {
        run.check()?;
        let i = row as usize;
        line.iter_mut().enumerate().for_each(|(l, d)| *d = cloud.distance(i, l));
        for (count, target) in counts[r * k..(r + 1) * k].iter_mut().zip(&targets[r * k..(r + 1) * k]) {
            let closer = line.iter().enumerate().filter(|&(l, d)| {
                l != i && (*d < target.distance || (*d == target.distance && (l as u32) < target.row))
            });
            *count = closer.count() as u32;
        }
    }
    Ok(())
}

fn sifted(
    cloud: &dyn Cloud,
    sieve: &Sieve,
    rows: &[u32],
    targets: &[Target],
    counts: &mut [u32],
    run: &Run,
) -> Result<()> {
    let (n, k) = (cloud.len(), targets.len() / rows.len());
    // Above the first surely closer, below the second surely not.
    let mut bounds = Vec::with_capacity(targets.len());
    let mut left = Vec::with_capacity(rows.len() * sieve.width);
    for (r, &row) in rows.iter().enumerate() {
        let i = row as usize;
        left.extend_from_slice(&sieve.rows[i * sieve.width..(i + 1) * sieve.width]);
        for target in &targets[r * k..(r + 1) * k] {
            let threshold = (sieve.squares[i] - (sieve.scaled_square)(target.distance)) / 2.0;
            bounds.push([threshold + sieve.errors[i], threshold - sieve.errors[i]].map(|t| t as f32));
        }
    }
    let left = MatRef::from_column_major_slice(&left, sieve.width, rows.len());
    let mut products = vec![0.0_f32; HEIGHT * WIDTH];
    let (mut surely, mut perhaps) = (vec![0.0_f32; WIDTH], vec![0.0_f32; WIDTH]);
    for columns in chunks(n, WIDTH) {
        run.check()?;
        let (start, width) = (columns.start, columns.len());
        let products = &mut products[..width * rows.len()];
        matmul(
            MatMut::from_column_major_slice_mut(products, width, rows.len()),
            Accum::Replace,
            sieve.block(start, width).transpose(),
            left,
            1.0,
            Par::Seq,
        );
        let offset = |sign: f64| -> Vec<f32> {
            columns.clone().map(|l| (sieve.squares[l] / 2.0 + sign * sieve.errors[l]) as f32).collect()
        };
        let (far, near) = (offset(1.0), offset(-1.0));
        let (surely, perhaps) = (&mut surely[..width], &mut perhaps[..width]);
        for (r, &row) in rows.iter().enumerate() {
            let line = &products[r * width..(r + 1) * width];
            vectorized(
                #[inline(always)]
                || {
                    for l in 0..width {
                        surely[l] = line[l] - far[l];
                        perhaps[l] = line[l] - near[l];
                    }
                },
            );
            let i = row as usize;
            if columns.contains(&i) {
                (surely[i - start], perhaps[i - start]) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
            }
            for t in r * k..(r + 1) * k {
                let [sure, open] = bounds[t];
                let (certain, possible) = above(surely, sure, perhaps, open);
                counts[t] += certain;
                if certain != possible {
                    let undecided = (0..width).filter(|&l| surely[l] <= sure && perhaps[l] >= open);
                    counts[t] +=
                        undecided.filter(|l| precedes(cloud, i, start + l, &targets[t])).count() as u32;
                }
            }
        }
    }
    Ok(())
}

/// How many are above the first bound, and how many at or above the second.
fn above(surely: &[f32], sure: f32, perhaps: &[f32], open: f32) -> (u32, u32) {
    vectorized(
        #[inline(always)]
        || {
            let (mut certain, mut possible) = (0_i32, 0_i32);
            for (s, p) in surely.iter().zip(perhaps) {
                certain += i32::from(*s > sure);
                possible += i32::from(*p >= open);
            }
            (certain as u32, possible as u32)
        },
    )
}
