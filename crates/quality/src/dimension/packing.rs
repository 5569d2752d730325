//! Packing numbers: how many points keep a distance from each other, at two distances.

use super::{Scales, median};
use crate::cloud::Cloud;
use crate::estimate::{self, Estimate, SURE};
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use rand::seq::SliceRandom;

/// More points than these are sampled.
const MOST: usize = 5_000;
/// How often the points are packed, each time in another order.
const TRIALS: usize = 10;

pub(super) fn estimate(cloud: &dyn Cloud, scales: Scales, width: usize, run: &Run) -> Result<Estimate> {
    let rows = estimate::sample(cloud.len(), MOST, "packing", run);
    let k = (scales.k1 * rows.len() / cloud.len()).max(1);
    let nearest = map_chunks(run, rows.len(), 64, |range| {
        let far = |i: usize| {
            let others = rows.iter().enumerate().filter(|&(j, _)| j != i);
            let mut line: Vec<f64> =
                others.map(|(_, &j)| cloud.distance(rows[i] as usize, j as usize)).collect();
            let farthest = line.iter().copied().fold(0.0, f64::max);
            (*line.select_nth_unstable_by(k - 1, f64::total_cmp).1, farthest)
        };
        range.map(far).collect::<Vec<(f64, f64)>>()
    })?
    .concat();
    let inner = median(nearest.iter().map(|far| far.0).collect());
    // Everything is within the radius of everything: all points are equally far from each other.
    if nearest.iter().all(|far| far.1 <= inner) {
        return Ok(Estimate::exact(width as f64));
    }
    let radii = [inner, 2.0 * inner];
    let mut rng = run.rng("packing order");
    let orders: Vec<Vec<u32>> = (0..TRIALS)
        .map(|_| {
            let mut order = rows.clone();
            order.shuffle(&mut rng);
            order
        })
        .collect();
    let slopes = map_chunks(run, TRIALS, 1, |trial| {
        let [near, far] = radii.map(|radius| packed(cloud, &orders[trial.start], radius, run));
        Ok((near?.ln() - far?.ln()) / 2_f64.ln())
    })?;
    let slopes = slopes.into_iter().collect::<Result<Vec<f64>>>()?;
    let mean = slopes.iter().sum::<f64>() / TRIALS as f64;
    let spread = slopes.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (TRIALS - 1) as f64;
    Ok(Estimate::around(mean, SURE * (spread / TRIALS as f64).sqrt()))
}

/// How many points are taken when each is taken that is not within the radius of one taken before.
fn packed(cloud: &dyn Cloud, order: &[u32], radius: f64, run: &Run) -> Result<f64> {
    let mut taken: Vec<u32> = Vec::new();
    for (step, &row) in order.iter().enumerate() {
        if step.is_multiple_of(64) {
            run.check()?;
        }
        if taken.iter().all(|&other| cloud.distance(row as usize, other as usize) > radius) {
            taken.push(row);
        }
    }
    Ok(taken.len() as f64)
}
