//! New points on a finished map: each goes where the divergence of its own similarities from its own affinities is
//! least, with the map frozen. No point sees the others of its batch.

use super::affinity::Affinity;
use super::kernel::Kernel;
use super::points::{from_matrix, to_matrix, with_components};
use super::repulsion::{Interpolation, Sources, THETA, Tree, interpolation::SPACING};
use super::training::Lists;
use faer::{Mat, MatRef};
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run, Scalar};

mod frozen;

use frozen::Frozen;

/// Points a chunk.
const CHUNK: usize = 32;
/// The most steps.
const STEPS: usize = 200;
/// A step shorter than this, relative to the layout's unit of length, is the last.
const SHORT: f64 = 1e-6;

/// The coordinates of new points, from their neighbors among those of the map, each by itself: `descend` finds them from these
/// and their distances, with work space of its own. A point at distance zero from one of the map goes where that one is.
pub(super) fn each_new_point<W, const D: usize>(
    map: MatRef<'_, f64>,
    neighbors: &Lists,
    work_space: impl Fn() -> W + Send + Sync,
    descend: impl Fn(&[u32], &[f64], &mut W) -> [f64; D] + Send + Sync,
    run: &Run,
) -> Result<Mat<f64>> {
    let points: Vec<[f64; D]> = from_matrix(map);
    let parts = map_chunks(run, neighbors.len(), CHUNK, |range| {
        let mut work_space = work_space();
        let one = |q: usize| {
            let (near, distances) = neighbors.row(q);
            match distances.iter().position(|&d| d == 0.0) {
                Some(known) => points[near[known] as usize],
                None => descend(near, distances, &mut work_space),
            }
        };
        range.map(one).collect::<Vec<[f64; D]>>()
    })?;
    Ok(to_matrix(&parts.concat(), map.ncols()))
}

/// New points of a map of least divergence.
pub(crate) fn transform(
    map: MatRef<'_, f64>,
    kernel: Kernel,
    affinity: &Affinity,
    exaggeration: f64,
    neighbors: &Lists,
    run: &Run,
) -> Result<Mat<f64>> {
    fn go<T: Scalar, const D: usize>(
        map: MatRef<'_, f64>,
        kernel: Kernel,
        affinity: &Affinity,
        exaggeration: f64,
        neighbors: &Lists,
        run: &Run,
    ) -> Result<Mat<f64>> {
        let points: Vec<[T; D]> = from_matrix(map);
        let frozen = Frozen::new(points, kernel, map.ncols(), run)?;
        let no_sources = || Sources::new(std::iter::empty());
        let settled = |near: &[u32], distances: &[f64], sources: &mut Sources<T, D>| {
            descend(&frozen, near, &affinity.row(distances), exaggeration, sources).map(|y| y.wide())
        };
        each_new_point(map, neighbors, no_sources, settled, run)
    }
    with_components!(map.ncols(), go::<f64>(map, kernel, affinity, exaggeration, neighbors, run))
}

/// Descends from the mean of the neighbors. The attraction alone would be at rest in a weighted mean of the neighbors;
/// the step is that of this mean, shortened until the loss falls.
fn descend<T: Scalar, const D: usize>(
    frozen: &Frozen<T, D>,
    near: &[u32],
    weights: &[f64],
    exaggeration: f64,
    sources: &mut Sources<T, D>,
) -> [T; D] {
    let mut at = [0.0; D];
    for (&j, &p) in near.iter().zip(weights) {
        for (a, y) in at.iter_mut().zip(frozen.point(j)) {
            *a += p * y.wide();
        }
    }
    let mut at = frozen.clamp(at.map(T::of));
    let mut here = frozen.evaluate(at, near, weights, exaggeration, sources);
    let mut share = T::one();
    for _ in 0..STEPS {
        let mut next = at;
        for c in 0..D {
            next[c] += share * here.step[c];
        }
        let next = frozen.clamp(next);
        let length = (0..D).map(|c| (next[c] - at[c]).wide().powi(2)).sum::<f64>().sqrt();
        if length.is_nan() || length <= SHORT {
            break;
        }
        let there = frozen.evaluate(next, near, weights, exaggeration, sources);
        if there.loss < here.loss {
            (at, here) = (next, there);
            share = T::of((share.wide() * 1.5).min(2.0));
        } else {
            share = T::of(share.wide() * 0.5);
        }
    }
    at
}
