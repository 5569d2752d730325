//! Nearest neighbors: how their mean distance grows with their number (Pettis et al. 1979).

use super::Scales;
use crate::cloud::Cloud;
use crate::estimate::{Estimate, GROUPS};
use lowland_base::{Result, Run};

/// The two-sided 95 % point of Student's distribution with `GROUPS - 1` degrees of freedom.
const SURE_OF_GROUPS: f64 = 2.093_024_054_408_263;

/// On an even density the mean distance `r_k` to the k-th neighbor is in proportion to `G(k + 1/d) / G(k)`, `G` the gamma
/// function. So `log r_k + log k / d - log(G(k + 1/d) / G(k))` is a line over `log k` of slope `1/d`, which is fitted again and
/// again. Points whose last neighbor is farther than the mean by more than a standard deviation are left out, as Pettis does.
pub(super) fn estimate(
    cloud: &dyn Cloud,
    Scales { k1, k2 }: Scales,
    width: usize,
    run: &Run,
) -> Result<Estimate> {
    let n = cloud.len();
    let rows: Vec<u32> = (0..n as u32).collect();
    let (_, distances) = cloud.nearest(&rows, k2, run)?;
    let last: Vec<f64> = distances.chunks_exact(k2).map(|far| far[k2 - 1]).collect();
    let mean = last.iter().sum::<f64>() / n as f64;
    let spread = (last.iter().map(|far| (far - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
    let kept: Vec<&[f64]> = distances.chunks_exact(k2).filter(|far| far[k2 - 1] <= mean + spread).collect();
    let Some(value) = dimension(&kept, (k1, k2)) else { return Ok(Estimate::exact(width as f64)) };
    if kept.len() < 2 * GROUPS {
        return Ok(Estimate { value, low: 0.0, high: f64::INFINITY });
    }
    let group = |g: usize| kept.iter().skip(g).step_by(GROUPS).copied().collect::<Vec<&[f64]>>();
    let parts: Vec<f64> = (0..GROUPS).map(|g| dimension(&group(g), (k1, k2)).unwrap_or(value)).collect();
    let center = parts.iter().sum::<f64>() / GROUPS as f64;
    let variance = parts.iter().map(|part| (part - center).powi(2)).sum::<f64>() / (GROUPS - 1) as f64;
    Ok(Estimate::around(value, SURE_OF_GROUPS * (variance / GROUPS as f64).sqrt()))
}

/// The dimension by the mean distances to the neighbors `k1` to `k2`; none where they do not grow.
fn dimension(points: &[&[f64]], (k1, k2): (usize, usize)) -> Option<f64> {
    let means: Vec<f64> =
        (k1..=k2).map(|k| points.iter().map(|far| far[k - 1]).sum::<f64>() / points.len() as f64).collect();
    let logs: Vec<f64> = (k1..=k2).map(|k| (k as f64).ln()).collect();
    let slope = |values: &[f64]| {
        let count = logs.len() as f64;
        let (x, y) = (logs.iter().sum::<f64>() / count, values.iter().sum::<f64>() / count);
        let spread: f64 = logs.iter().map(|l| (l - x).powi(2)).sum();
        logs.iter().zip(values).map(|(l, v)| (l - x) * (v - y)).sum::<f64>() / spread
    };
    let plain: Vec<f64> = means.iter().map(|mean| mean.ln()).collect();
    let mut inverse = slope(&plain);
    for _ in 0..200 {
        if !(inverse > 0.0 && inverse.is_finite()) {
            return None;
        }
        // log(G(k + a) / G(k)) but for a constant: each factor more is (k + a) / k.
        let mut gamma = 0.0;
        let corrected: Vec<f64> = (k1..=k2)
            .zip(&plain)
            .zip(&logs)
            .map(|((k, plain), log)| {
                let value = plain + inverse * log - gamma;
                gamma += (1.0 + inverse / k as f64).ln();
                value
            })
            .collect();
        let next = slope(&corrected);
        if (next - inverse).abs() <= 1e-12 * inverse {
            break;
        }
        inverse = next;
    }
    (inverse > 0.0 && inverse.is_finite()).then(|| 1.0 / inverse)
}

#[cfg(test)]
mod tests {
    use super::dimension;

    #[test]
    fn the_expected_distances_give_the_dimension_exactly() {
        // E r_k = c G(k + 1/d) / G(k), by the recursion of the gamma function.
        for d in [1.0, 2.0, 3.5, 7.0, 12.0] {
            let mut row = vec![0.37];
            for k in 1..25 {
                let last = row[k - 1];
                row.push(last * (k as f64 + 1.0 / d) / k as f64);
            }
            for scales in [(3, 10), (10, 20), (5, 25)] {
                let found = dimension(&[&row], scales).unwrap();
                assert!((found - d).abs() < 1e-8 * d, "{d}: {found}");
            }
        }
        assert_eq!(dimension(&[&[1.0; 25]], (10, 20)), None);
    }
}
