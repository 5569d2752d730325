//! The search for the direction with the largest projection index in whitened rows (Friedman and Tukey 1974).

mod index;

pub use index::ProjectionIndex;

use super::whitened::{Whitened, orthogonal};
use crate::optimize::lbfgs::{self, Stop};
use crate::optimize::silent;
use lowland_base::{Result, Run};
use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_distr::StandardNormal;

/// How the search goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search {
    pub index: ProjectionIndex,
    /// Random starts, of which the best end counts.
    pub starts: usize,
    /// The most steps from a start.
    pub steps: usize,
}

/// The best direction.
pub(crate) struct Best {
    pub direction: Array1<f64>,
    /// Its index.
    pub value: f64,
    /// The most steps that a start took.
    pub steps: usize,
}

impl Search {
    /// The direction with the largest index, orthogonal to those found before.
    pub fn best(
        &self,
        z: &Whitened,
        found: &Array2<f64>,
        rng: &mut impl rand::Rng,
        run: &Run,
    ) -> Result<Best> {
        let stop = Stop { gradient: 1e-8, decrease: 1e-13, steps: self.steps };
        let maximize = |index: ProjectionIndex, start: Vec<f64>| {
            let objective = |w: &[f64], g: &mut [f64]| negative_index(index, z, found, w, g, run);
            lbfgs::minimize(start, stop, objective, silent, run)
        };
        let mut best: Option<(Array1<f64>, f64)> = None;
        let mut steps = 1;
        for attempt in 0..self.starts {
            let start = Array1::from_shape_fn(z.rank, |_| rng.sample::<f64, _>(StandardNormal));
            let mut start = orthogonal(start, found).to_vec();
            // Far from their maxima these two are flat but for noise: every other search starts where a smoother index
            // is largest.
            let flat = matches!(self.index, ProjectionIndex::FriedmanTukey | ProjectionIndex::Holes);
            if flat && attempt % 2 == 1 {
                start = maximize(ProjectionIndex::Negentropy, start)?.point;
            }
            let end = maximize(self.index, start)?;
            steps = steps.max(end.history.len() - 1);
            let direction = orthogonal(Array1::from(end.point), found);
            if best.as_ref().is_none_or(|best| -end.value > best.1) {
                best = Some((direction, -end.value));
            }
        }
        let (direction, value) = best.unwrap_or((Array1::zeros(z.rank), 0.0));
        Ok(Best { direction, value, steps })
    }

    /// An upper bound on the index of Gaussian noise of this shape: the mean over the best projections of so many draws,
    /// and five standard deviations. (The largest of many is about Gumbel's: one in a thousand exceeds it.)
    pub fn noise_level(&self, z: &Whitened, draws: usize, run: &Run) -> Result<f64> {
        if draws == 0 {
            return Ok(0.0);
        }
        let stage = run.stage("noise", Some(draws as u64));
        let mut rng = run.rng("projection-pursuit noise");
        let mut values = Vec::new();
        for _ in 0..draws {
            let noise = z.noise(&mut rng, run)?;
            values.push(self.best(&noise, &Array2::zeros((0, noise.rank)), &mut rng, run)?.value);
            stage.advance(1)?;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let spread = if values.len() > 1 { (square / (count - 1.0)).sqrt() } else { 0.3 * mean };
        Ok(mean + 5.0 * spread)
    }
}

/// Minus the index along a direction of any length, and its gradient orthogonal to the directions found.
fn negative_index(
    index: ProjectionIndex,
    z: &Whitened,
    found: &Array2<f64>,
    w: &[f64],
    gradient: &mut [f64],
    run: &Run,
) -> Result<f64> {
    let length = w.iter().map(|w| w * w).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    let unit: Vec<f64> = w.iter().map(|w| w / length).collect();
    let (value, slope) = index.of(&z.project(&unit, run)?);
    let mut ascent = Array1::from(z.combine(&slope, run)?);
    let unit = Array1::from(unit);
    let along = ascent.dot(&unit);
    ascent.scaled_add(-along, &unit);
    for row in found.rows() {
        let along = row.dot(&ascent);
        ascent.scaled_add(-along, &row);
    }
    gradient.iter_mut().zip(&ascent).for_each(|(gradient, ascent)| *gradient = -ascent / length);
    Ok(-value)
}
