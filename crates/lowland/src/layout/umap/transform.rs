//! New points on a finished map of UMAP: each takes its own steps against the frozen map, from the mean of its neighbors.

use super::{Forces, Sampling, pulls};
use crate::layout::affinity::Fuzzy;
use crate::layout::chance::Chance;
use crate::layout::points::{from_matrix, with_components};
use crate::layout::training::Lists;
use crate::layout::transform::each_new_point;
use faer::{Mat, MatRef};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run};

/// What random numbers are for.
const NEW_POINTS: u64 = 3;

/// The coordinates of new points, from their neighbors among those of the map.
pub fn transform(
    map: MatRef<'_, f64>,
    fuzzy: &Fuzzy,
    sampling: &Sampling,
    neighbors: &Lists,
    run: &Run,
) -> Result<Mat<f64>> {
    with_components!(map.ncols(), transform_in(map, fuzzy, sampling, neighbors, run))
}

fn transform_in<const D: usize>(
    map: MatRef<'_, f64>,
    fuzzy: &Fuzzy,
    sampling: &Sampling,
    neighbors: &Lists,
    run: &Run,
) -> Result<Mat<f64>> {
    let frozen: Vec<[f32; D]> = from_matrix(map);
    let forces = Forces::new(sampling);
    let settled = |near: &[u32], distances: &[f64], (): &mut ()| -> [f64; D] {
        let membership = fuzzy.membership(distances, 0.0);
        let weights: Vec<f32> = distances.iter().map(|&d| membership.at(d) as f32).collect();
        // The numbers are drawn by what the point is, not by where it stands in its batch.
        let stream = Chance::new(
            run.seed(),
            NEW_POINTS,
            u64::from(near.first().copied().unwrap_or(0)),
            distances.first().map_or(0, |d| d.to_bits()),
        )
        .short();
        vectorized(
            #[inline(always)]
            || descend(&frozen, forces, near, &weights, stream, sampling),
        )
        .map(f64::from)
    };
    each_new_point(map, neighbors, || (), settled, run)
}

#[inline(always)]
fn descend<const D: usize>(
    frozen: &[[f32; D]],
    forces: Forces,
    near: &[u32],
    weights: &[f32],
    stream: u32,
    sampling: &Sampling,
) -> [f32; D] {
    let total: f32 = weights.iter().sum();
    let mut at = [0.0_f32; D];
    for (&j, &w) in near.iter().zip(weights) {
        for c in 0..D {
            at[c] += w / total * frozen[j as usize][c];
        }
    }
    // A third of the epochs of the fit, with a quarter of its steps.
    let epochs = (sampling.epochs / 3).max(1);
    let mut drawn = 0;
    for epoch in 1..=epochs {
        let rate = (0.25 * sampling.learning_rate * (1.0 - (epoch - 1) as f64 / epochs as f64)) as f32;
        for (&j, &w) in near.iter().zip(weights) {
            if pulls(w, epoch) {
                forces.pull(&mut at, frozen[j as usize], rate);
                let end = drawn + sampling.negative_sample_rate as u32;
                forces.draw(&mut at, frozen, stream, drawn..end, rate);
                drawn = end;
            }
        }
    }
    at
}
