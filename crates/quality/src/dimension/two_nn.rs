//! Two neighbors: the ratio of their distances is Pareto distributed, with the dimension as its exponent.

use crate::cloud::Cloud;
use crate::estimate::{Estimate, SURE};
use lowland_base::{Result, Run};

/// The share of the largest ratios that is left out: there the density varies.
const LEFT_OUT: f64 = 0.1;

/// The slope through the origin of `-log(1 - F(m))` over `log m`.
pub(super) fn estimate(cloud: &dyn Cloud, width: usize, run: &Run) -> Result<Estimate> {
    let n = cloud.len();
    let rows: Vec<u32> = (0..n as u32).collect();
    let (_, distances) = cloud.nearest(&rows, 2, run)?;
    let mut logs: Vec<f64> = distances.chunks_exact(2).map(|far| (far[1] / far[0]).ln()).collect();
    logs.sort_unstable_by(f64::total_cmp);
    let kept = ((n as f64 * (1.0 - LEFT_OUT)) as usize).clamp(1, n - 1);
    let (mut joint, mut square) = (0.0, 0.0);
    for (i, x) in logs[..kept].iter().enumerate() {
        let y = -(1.0 - (i + 1) as f64 / n as f64).ln();
        joint += x * y;
        square += x * x;
    }
    if square == 0.0 {
        // Two neighbors as far as each other everywhere, as on a grid: it could be any dimension.
        let most = width as f64;
        return Ok(Estimate { value: most, low: 0.0, high: most });
    }
    let value = joint / square;
    Ok(Estimate::around(value, SURE * value / (kept as f64).sqrt()))
}
