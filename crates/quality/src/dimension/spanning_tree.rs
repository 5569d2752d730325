//! The minimum spanning tree of geodesic distances: with `m` points its length grows as `m^((d - 1) / d)`.

use super::Scales;
use crate::cloud::{Cloud, Points};
use crate::estimate::{self, Estimate, SURE};
use faer::{Mat, MatRef};
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run, Scalar};
use lowland_neighbors::graph::{PointEdges, Policy, Symmetrize};
use lowland_neighbors::{Graph, Metric, Table, geodesics};
use rand::seq::index;

/// More points than these are sampled: all their geodesic distances are held.
const MOST: usize = 2_000;
/// How many sizes, from a quarter of the points up, and how many trees of each.
const SIZES: usize = 8;
const TRIALS: usize = 8;

pub(super) fn estimate<T: Scalar>(points: MatRef<'_, T>, scales: Scales, run: &Run) -> Result<Estimate> {
    let kept = estimate::sample(points.nrows(), MOST, "spanning tree", run);
    let (n, width) = (kept.len(), points.ncols());
    let rows = Mat::from_fn(n, width, |i, j| points[(kept[i] as usize, j)].wide());
    let distances = geodesic(rows.as_ref(), scales.k1.min(n - 1), run)?;
    let smallest = (n / 4).max(3).min(n - 1);
    let size = |s: usize| {
        let share = s as f64 / (SIZES - 1) as f64;
        ((smallest as f64) * ((n - 1) as f64 / smallest as f64).powf(share)).round() as usize
    };
    let mut rng = run.rng("spanning tree subsets");
    let subsets: Vec<Vec<usize>> =
        (0..SIZES * TRIALS).map(|s| index::sample(&mut rng, n, size(s / TRIALS)).into_vec()).collect();
    let logs = map_chunks(run, subsets.len(), 1, |s| {
        let subset = &subsets[s.start];
        let length = tree_length(&distances, n, subset, run)?;
        Ok(((subset.len() as f64).ln(), length.ln()))
    })?;
    let logs = logs.into_iter().collect::<Result<Vec<(f64, f64)>>>()?;
    let (slope, error) = slope(&logs);
    let dimension = |slope: f64| if slope < 1.0 { (1.0 / (1.0 - slope)).max(0.0) } else { f64::INFINITY };
    let most = |d: f64| if d.is_finite() { d } else { width as f64 };
    let value = most(dimension(slope));
    Ok(Estimate {
        value,
        low: dimension(slope - SURE * error).min(value),
        high: dimension(slope + SURE * error).max(value),
    })
}

fn geodesic(rows: MatRef<'_, f64>, k: usize, run: &Run) -> Result<Vec<f64>> {
    let n = rows.nrows();
    let cloud = Points::new(rows, Metric::Euclidean, run)?;
    let all: Vec<u32> = (0..n as u32).collect();
    let (indices, distances) = cloud.nearest(&all, k, run)?;
    let graph = Graph::from_table(&Table { k, indices, distances }, Symmetrize::Either)?;
    let edges = PointEdges { points: rows, metric: Metric::Euclidean };
    let mut parts = graph.connected(Policy::Join, Some(&edges), run)?.components;
    let mut out = vec![0.0; n * n];
    // The policy makes one part of all points.
    if let Some(part) = parts.pop() {
        geodesics::all_shortest_paths(&part.graph, &mut out, run)?;
    }
    Ok(out)
}

/// Prim's algorithm on the complete graph.
fn tree_length(distances: &[f64], n: usize, subset: &[usize], run: &Run) -> Result<f64> {
    let mut nearest: Vec<(usize, f64)> = subset.iter().map(|&j| (j, f64::INFINITY)).collect();
    let Some((mut last, _)) = nearest.pop() else { return Ok(0.0) };
    let mut length = 0.0;
    while !nearest.is_empty() {
        if nearest.len().is_multiple_of(64) {
            run.check()?;
        }
        let (mut position, mut least) = (0, f64::INFINITY);
        for (p, (j, far)) in nearest.iter_mut().enumerate() {
            *far = far.min(distances[last * n + *j]);
            if *far < least {
                (position, least) = (p, *far);
            }
        }
        length += least;
        last = nearest.swap_remove(position).0;
    }
    Ok(length)
}

/// The slope of a line through points, and its standard error.
fn slope(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    if spread == 0.0 {
        return (0.0, 0.0);
    }
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
    let rest: f64 = points.iter().map(|p| (p.1 - y - slope * (p.0 - x)).powi(2)).sum();
    (slope, (rest / (n - 2.0) / spread).sqrt())
}
