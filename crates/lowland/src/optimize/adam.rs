//! Stochastic descent with steps scaled by running moments of the gradient (Kingma and Ba 2015, algorithm 1).

use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The running moments, one pair a variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Adam<T> {
    mean: Vec<T>,
    square: Vec<T>,
    steps: u32,
}

/// How fast the mean of the gradients forgets, and that of their squares.
const FORGET: (f64, f64) = (0.9, 0.999);
/// Keeps a step finite where the gradients vanish.
const TINY: f64 = 1e-8;
/// Variables a thread steps at a time.
const CHUNK: usize = 1 << 15;

impl<T: Scalar> Adam<T> {
    /// No moments yet.
    pub fn new(size: usize) -> Self {
        Self { mean: vec![T::zero(); size], square: vec![T::zero(); size], steps: 0 }
    }

    /// With these moments after so many steps.
    pub fn remembering(mean: Vec<T>, square: Vec<T>, steps: u32) -> Self {
        Self { mean, square, steps }
    }

    /// The running moments: of the gradients, and of their squares.
    pub fn moments(&self) -> [&[T]; 2] {
        [&self.mean, &self.square]
    }

    /// How many steps were made.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The number of variables.
    pub fn size(&self) -> usize {
        self.mean.len()
    }

    /// One step against the gradient; `rate` is about how far each variable moves.
    pub fn step(&mut self, variables: &mut [T], gradient: &[T], rate: f64, run: &Run) -> Result<()> {
        run.check()?;
        self.steps = self.steps.saturating_add(1);
        let (first, second) = FORGET;
        let steps = f64::from(self.steps);
        // Corrects for moments that started at zero.
        let root = (1.0 - second.powf(steps)).sqrt();
        let rate = T::of(rate * root / (1.0 - first.powf(steps)));
        let tiny = T::of(TINY * root);
        let (first, second) = (T::of(first), T::of(second));
        let (rest, rest_of_square) = (T::one() - first, T::one() - second);
        let step = |(((x, g), mean), square): (((&mut [T], &[T]), &mut [T]), &mut [T])| {
            vectorized(
                #[inline(always)]
                || {
                    for (((x, &g), mean), square) in x.iter_mut().zip(g).zip(mean).zip(square) {
                        *mean = first * *mean + rest * g;
                        *square = second * *square + rest_of_square * g * g;
                        *x -= rate * *mean / (square.sqrt() + tiny);
                    }
                },
            );
        };
        run.install(|| {
            variables
                .par_chunks_mut(CHUNK)
                .zip(gradient.par_chunks(CHUNK))
                .zip(self.mean.par_chunks_mut(CHUNK))
                .zip(self.square.par_chunks_mut(CHUNK))
                .for_each(step);
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_down_a_stretched_bowl_and_a_kept_state_goes_on() {
        let bottom = [3.0f64, -1.0, 0.5];
        let slope = |at: &[f64]| -> Vec<f64> {
            at.iter().zip(&bottom).enumerate().map(|(i, (a, b))| 100f64.powi(i as i32) * (a - b)).collect()
        };
        let run = Run::new();
        let (mut at, mut adam) = (vec![0.0; 3], Adam::new(3));
        for step in 0..3000 {
            if step == 1500 {
                let kept = serde_json::to_string(&adam).unwrap();
                adam = serde_json::from_str(&kept).unwrap();
            }
            let gradient = slope(&at);
            adam.step(&mut at, &gradient, 0.05 * 0.998f64.powi(step), &run).unwrap();
        }
        at.iter().zip(&bottom).for_each(|(a, b)| assert!((a - b).abs() < 1e-3, "{at:?}"));
    }
}
