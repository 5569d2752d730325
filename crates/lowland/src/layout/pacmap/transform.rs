//! New points on a finished map of PaCMAP: each goes where the pull of its near points is at rest.

use crate::layout::points::{from_matrix, to_matrix, with_components};
use faer::{Mat, MatRef};
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use lowland_neighbors::Table;

/// Points a chunk.
const CHUNK: usize = 64;
/// The most steps.
const STEPS: usize = 200;
/// A step shorter than this is the last.
const SHORT: f64 = 1e-9;

/// The coordinates of new points, from their neighbors among those of the map, as many as attract. A point at distance zero from
/// one of the map goes where that one is.
pub fn transform(map: MatRef<'_, f64>, neighbors: &Table<f64>, run: &Run) -> Result<Mat<f64>> {
    with_components!(map.ncols(), transform_in(map, neighbors, run))
}

fn transform_in<const D: usize>(map: MatRef<'_, f64>, neighbors: &Table<f64>, run: &Run) -> Result<Mat<f64>> {
    let frozen: Vec<[f64; D]> = from_matrix(map);
    let parts = map_chunks(run, neighbors.len(), CHUNK, |range| {
        let one = |q: usize| {
            let (near, distances) = neighbors.row(q);
            match distances.iter().position(|&d| d == 0.0) {
                Some(known) => frozen[near[known] as usize],
                None => settle(&frozen, near),
            }
        };
        range.map(one).collect::<Vec<[f64; D]>>()
    })?;
    Ok(to_matrix(&parts.concat(), map.ncols()))
}

/// At rest a point is the mean of its near ones with the weights `1 / (10 + d)^2`; each step takes the mean with the
/// weights of the last place, which never raises the loss, for `d / (10 + d)` is concave in `d`.
fn settle<const D: usize>(frozen: &[[f64; D]], near: &[u32]) -> [f64; D] {
    let mut at = [0.0; D];
    for &j in near {
        for c in 0..D {
            at[c] += frozen[j as usize][c] / near.len() as f64;
        }
    }
    for _ in 0..STEPS {
        let (mut sum, mut total) = ([0.0; D], 0.0);
        for &j in near {
            let other = frozen[j as usize];
            let squared: f64 = (0..D).map(|c| (at[c] - other[c]).powi(2)).sum();
            let weight = 1.0 / (11.0 + squared).powi(2);
            total += weight;
            for c in 0..D {
                sum[c] += weight * other[c];
            }
        }
        let next = sum.map(|s| s / total);
        let length = (0..D).map(|c| (next[c] - at[c]).powi(2)).sum::<f64>();
        at = next;
        if length < SHORT * SHORT {
            break;
        }
    }
    at
}
