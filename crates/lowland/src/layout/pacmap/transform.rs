//! New points on a finished map of PaCMAP: each goes where the pull of its near points is at rest.

use crate::layout::points::{from_matrix, with_components};
use crate::layout::training::Lists;
use crate::layout::transform::each_new_point;
use faer::{Mat, MatRef};
use lowland_base::{Result, Run};

/// The most steps.
const STEPS: usize = 200;
/// A step shorter than this is the last.
const SHORT: f64 = 1e-9;

/// The coordinates of new points, from their neighbors among those of the map, as many as attract.
pub fn transform(map: MatRef<'_, f64>, neighbors: &Lists, run: &Run) -> Result<Mat<f64>> {
    with_components!(map.ncols(), transform_in(map, neighbors, run))
}

fn transform_in<const D: usize>(map: MatRef<'_, f64>, neighbors: &Lists, run: &Run) -> Result<Mat<f64>> {
    let frozen: Vec<[f64; D]> = from_matrix(map);
    each_new_point(map, neighbors, || (), |near, _, (): &mut ()| descend(&frozen, near), run)
}

/// At rest a point is the mean of its near ones with the weights `1 / (10 + d)^2`; each step takes the mean with the
/// weights of the last position, which never raises the loss, for `d / (10 + d)` is concave in `d`.
fn descend<const D: usize>(frozen: &[[f64; D]], near: &[u32]) -> [f64; D] {
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
