//! Where the low-rank solver begins: classical scaling of the shortest paths on the graph from a few landmarks (de Silva and
//! Tenenbaum 2004). No feasible points are further apart than these, and those of a sheet hardly nearer.

use super::energy::Incidence;
use super::problem::Unfolding;
use crate::operator::Dense;
use crate::{Request, Solver, Which, eigen};
use faer::Mat;
use lowland_base::{Result, Run};
use rand::{RngExt, SeedableRng};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// From so many points the paths are taken.
const LANDMARKS: usize = 40;
/// By how much of the root mean square length points are shaken: those with the same paths would stay together.
const SHAKE: f64 = 0.01;

/// Points of `rank` columns, row by row, in the unit of the problem.
pub(super) fn geodesic(
    problem: &Unfolding,
    incidence: &Incidence,
    rank: usize,
    run: &Run,
) -> Result<Vec<f64>> {
    let _stage = run.stage("geodesic start", None);
    let points = problem.points();
    let count = LANDMARKS.max(4 * rank).min(points);
    let lengths: Vec<f64> = problem.squared().iter().map(|squared| squared.sqrt()).collect();
    // Each landmark is the point furthest from those before it.
    let mut paths: Vec<Vec<f64>> = Vec::with_capacity(count);
    let (mut nearest, mut landmarks) = (vec![f64::INFINITY; points], Vec::with_capacity(count));
    let mut next = 0;
    for _ in 0..count {
        run.check()?;
        let path = from(next, incidence, &lengths);
        nearest.iter_mut().zip(&path).for_each(|(nearest, path)| *nearest = nearest.min(path * path));
        landmarks.push(next);
        paths.push(path);
        next = (0..points).fold(0, |far, v| if nearest[v] > nearest[far] { v } else { far });
    }
    let square = |i: usize, v: usize| paths[i][v] * paths[i][v];
    let row_means: Vec<f64> =
        (0..count).map(|i| landmarks.iter().map(|&v| square(i, v)).sum::<f64>() / count as f64).collect();
    let mean = row_means.iter().sum::<f64>() / count as f64;
    let gram = Mat::from_fn(count, count, |i, j| {
        -0.5 * (0.5 * (square(i, landmarks[j]) + square(j, landmarks[i])) - row_means[i] - row_means[j]
            + mean)
    });
    let request = Request::new(rank.min(count), Which::Largest).by(Solver::Dense);
    let axes = eigen::solve(&Dense::new(gram.as_ref())?, &request, run)?;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(0);
    let mut out = Vec::with_capacity(points * rank);
    for v in 0..points {
        for c in 0..rank {
            let value = axes.values.get(c).copied().unwrap_or(0.0);
            let mut coordinate = SHAKE * (rng.random::<f64>() - 0.5);
            if value > 1e-9 * axes.values[0] {
                let sum: f64 = (0..count).map(|i| axes.vectors[(i, c)] * (row_means[i] - square(i, v))).sum();
                coordinate += 0.5 * sum / value.sqrt();
            }
            out.push(coordinate);
        }
    }
    Ok(out)
}

/// The lengths of the shortest paths from one point.
fn from(source: usize, incidence: &Incidence, lengths: &[f64]) -> Vec<f64> {
    let mut paths = vec![f64::INFINITY; incidence.points()];
    paths[source] = 0.0;
    // Positive numbers are ordered as their bits are.
    let mut queue = BinaryHeap::from([Reverse((0u64, source))]);
    while let Some(Reverse((bits, v))) = queue.pop() {
        let path = f64::from_bits(bits);
        if path > paths[v] {
            continue;
        }
        for (other, edge) in incidence.of(v) {
            let further = path + lengths[edge];
            if further < paths[other] {
                paths[other] = further;
                queue.push(Reverse((further.to_bits(), other)));
            }
        }
    }
    paths
}
