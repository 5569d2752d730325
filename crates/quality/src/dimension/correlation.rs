//! The correlation dimension: how the number of pairs within a radius grows with the radius.

use super::{Scales, median};
use crate::cloud::{Cloud, Target};
use crate::estimate::{Estimate, SURE};
use lowland_base::{Result, Run};

pub(super) fn estimate(
    cloud: &dyn Cloud,
    Scales { k1, k2 }: Scales,
    width: usize,
    run: &Run,
) -> Result<Estimate> {
    let n = cloud.len();
    let rows: Vec<u32> = (0..n as u32).collect();
    let (_, distances) = cloud.nearest(&rows, k2, run)?;
    let typical = |k: usize| median(distances.chunks_exact(k2).map(|far| far[k - 1]).collect());
    let outer = typical(k2);
    // On a lattice many distances are equal: then the next smaller one that is not.
    let Some(inner) = (1..=k1).rev().map(typical).find(|&radius| radius < outer) else {
        return Ok(Estimate::exact(width as f64));
    };
    // Everything up to the radius, whatever its row.
    let within = |distance: f64| Target { distance, row: u32::MAX };
    let targets: Vec<Target> = rows.iter().flat_map(|_| [within(inner), within(outer)]).collect();
    let counts = cloud.before(&rows, &targets, run)?;
    let sum = |which: usize| counts.iter().skip(which).step_by(2).map(|&c| f64::from(c)).sum::<f64>();
    let (near, all) = (sum(0), sum(1));
    if near == 0.0 {
        return Ok(Estimate::exact(width as f64));
    }
    let octave = (outer / inner).ln();
    let value = (all / near).ln() / octave;
    // Each row's influence on the two logarithms; every pair is seen from both ends, hence the 2.
    let influence = |c: &[u32]| 2.0 * n as f64 * (f64::from(c[1]) / all - f64::from(c[0]) / near) / octave;
    let spread = counts.chunks_exact(2).map(|c| influence(c).powi(2)).sum::<f64>() / n as f64;
    Ok(Estimate::around(value, SURE * (spread / n as f64).sqrt()))
}
