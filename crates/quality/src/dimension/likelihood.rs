//! Maximum likelihood: the distances to the neighbors of a point are those of a Poisson process.

use super::Scales;
use crate::cloud::Cloud;
use crate::estimate::{Estimate, SURE};
use lowland_base::{Result, Run};

/// With `T_j` the distance to the j-th neighbor and `S_k = sum over j < k of log(T_k / T_j)`: `S_k` is the sum of
/// `k - 1` exponentials of mean `1 / d`. Locally `(k - 2) / S_k` is unbiased; for the whole the sums are pooled before
/// they are inverted (MacKay and Ghahramani 2005). Both are averaged over `k`.
pub(super) fn estimate(
    cloud: &dyn Cloud,
    Scales { k1, k2 }: Scales,
    width: usize,
    run: &Run,
) -> Result<(Estimate, Option<Vec<f64>>)> {
    let n = cloud.len();
    let rows: Vec<u32> = (0..n as u32).collect();
    let (_, distances) = cloud.nearest(&rows, k2, run)?;
    let sizes: Vec<usize> = (k1.max(3)..=k2).collect();
    let (mut local, mut inverse, mut pooled) =
        (Vec::with_capacity(n), Vec::with_capacity(n), vec![0.0; sizes.len()]);
    for far in distances.chunks_exact(k2) {
        let (mut here, mut mean) = (0.0, 0.0);
        for (pool, &k) in pooled.iter_mut().zip(&sizes) {
            let sum: f64 = far[..k - 1].iter().map(|t| (far[k - 1] / t).ln()).sum();
            *pool += sum;
            mean += sum / (k - 1) as f64;
            here += if sum > 0.0 { (k - 2) as f64 / sum } else { f64::INFINITY };
        }
        inverse.push(mean / sizes.len() as f64);
        let here = here / sizes.len() as f64;
        local.push(if here.is_finite() { here } else { width as f64 });
    }
    if pooled.contains(&0.0) {
        return Ok((Estimate::exact(width as f64), Some(local)));
    }
    let of_size = |(sum, &k): (&f64, &usize)| (n * (k - 1) - 1) as f64 / sum;
    let value = pooled.iter().zip(&sizes).map(of_size).sum::<f64>() / sizes.len() as f64;
    let mean = inverse.iter().sum::<f64>() / n as f64;
    let spread = inverse.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
    Ok((Estimate::around(value, SURE * value * value * (spread / n as f64).sqrt()), Some(local)))
}
