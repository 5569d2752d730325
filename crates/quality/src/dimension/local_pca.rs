//! Local principal components: how many directions a neighborhood extends in.

use super::Scales;
use crate::cloud::Cloud;
use crate::estimate::{Estimate, SURE};
use faer::{Mat, MatRef};
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run, Scalar};
use lowland_linalg::operator::Dense;
use lowland_linalg::{Request, Which, eigen};

/// An eigenvalue counts that is at least this share of the largest.
const SHARE: f64 = 0.05;

pub(super) fn estimate<T: Scalar>(
    points: MatRef<'_, T>,
    cloud: &dyn Cloud,
    scales: Scales,
    run: &Run,
) -> Result<(Estimate, Option<Vec<f64>>)> {
    let n = points.nrows();
    let k = (3 * scales.k2).div_ceil(2).min(n - 1);
    let rows: Vec<u32> = (0..n as u32).collect();
    let (neighbors, distances) = cloud.nearest(&rows, k, run)?;
    let local = map_chunks(run, n, 16, |range| {
        range
            .map(|i| directions(points, i, &neighbors[i * k..(i + 1) * k], distances[(i + 1) * k - 1], run))
            .collect::<Result<Vec<f64>>>()
    })?;
    let local = local.into_iter().collect::<Result<Vec<_>>>()?.concat();
    let mean = local.iter().sum::<f64>() / n as f64;
    let spread = local.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
    Ok((Estimate::around(mean, SURE * (spread / n as f64).sqrt()), Some(local)))
}

/// The neighborhood in units of its radius, and the spectrum of the smaller one of its two Gram matrices.
fn directions<T: Scalar>(
    points: MatRef<'_, T>,
    i: usize,
    near: &[u32],
    radius: f64,
    run: &Run,
) -> Result<f64> {
    let (k, width) = (near.len(), points.ncols());
    let apart = |a: usize, j: usize| (points[(near[a] as usize, j)].wide() - points[(i, j)].wide()) / radius;
    let mut rows = Mat::from_fn(k, width, apart);
    for j in 0..width {
        let mean = rows.col(j).iter().sum::<f64>() / k as f64;
        rows.col_mut(j).iter_mut().for_each(|x| *x -= mean);
    }
    let lines = if width < k { rows.as_ref() } else { rows.transpose() };
    let order = lines.ncols();
    let dot =
        |a: usize, b: usize| lines.col(a).iter().zip(lines.col(b).iter()).map(|(x, y)| x * y).sum::<f64>();
    let mut gram = Mat::zeros(order, order);
    for a in 0..order {
        for b in 0..=a {
            gram[(a, b)] = dot(a, b);
            gram[(b, a)] = gram[(a, b)];
        }
    }
    let found = eigen::solve(&Dense::new(gram.as_ref())?, &Request::new(order, Which::Largest), run)?;
    let largest = found.values[0];
    Ok(found.values.iter().filter(|value| **value >= SHARE * largest).count() as f64)
}
