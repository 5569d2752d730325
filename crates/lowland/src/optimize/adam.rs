//! Adam (Kingma and Ba 2015): steps by running means of the gradient and of its square.

use lowland_base::{Result, Run, Scalar};
use rayon::prelude::*;

/// The memory of a descent.
#[derive(Debug, Clone, PartialEq)]
pub struct Adam<T> {
    steps: i32,
    mean: Vec<T>,
    square: Vec<T>,
}

const FIRST: f64 = 0.9;
const SECOND: f64 = 0.999;
/// Keeps the step finite where there was no gradient yet.
const LEAST: f64 = 1e-7;
/// Coordinates a chunk.
const CHUNK: usize = 8192;

impl<T: Scalar> Adam<T> {
    /// At rest.
    pub fn new(coordinates: usize) -> Self {
        Self { steps: 0, mean: vec![T::zero(); coordinates], square: vec![T::zero(); coordinates] }
    }

    /// Moves `at` against the gradient.
    pub fn step(&mut self, at: &mut [T], gradient: &[T], learning_rate: f64, run: &Run) -> Result<()> {
        run.check()?;
        self.steps = self.steps.saturating_add(1);
        let unbiased = (1.0 - SECOND.powi(self.steps)).sqrt() / (1.0 - FIRST.powi(self.steps));
        let rate = T::of(learning_rate * unbiased);
        let (first, second, least) = (T::of(1.0 - FIRST), T::of(1.0 - SECOND), T::of(LEAST));
        let memory = self.mean.par_chunks_mut(CHUNK).zip(self.square.par_chunks_mut(CHUNK));
        let chunks = at.par_chunks_mut(CHUNK).zip(gradient.par_chunks(CHUNK)).zip(memory);
        run.install(|| {
            chunks.for_each(|((at, gradient), (mean, square))| {
                for ((at, &g), (m, v)) in at.iter_mut().zip(gradient).zip(mean.iter_mut().zip(square)) {
                    *m += first * (g - *m);
                    *v += second * (g * g - *v);
                    *at -= rate * *m / (v.sqrt() + least);
                }
            });
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bowl_is_descended_to_its_bottom() {
        let bottom = [3.0_f64, -1.0, 0.5];
        let mut at = [0.0_f64; 3];
        let mut adam = Adam::new(3);
        for step in 0..2000 {
            let gradient: Vec<f64> = at.iter().zip(&bottom).map(|(a, b)| 7.0 * (a - b)).collect();
            adam.step(&mut at, &gradient, 0.1 * 0.997_f64.powi(step), &Run::new()).unwrap();
        }
        assert!(at.iter().zip(&bottom).all(|(a, b)| (a - b).abs() < 1e-4), "{at:?}");
    }
}
