//! Gradient descent with momentum and a gain for every coordinate (Jacobs 1988), and when to stop.

use lowland_base::parallel::map_rows;
use lowland_base::{Result, Run, Scalar};
use rayon::prelude::*;

/// How one step is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// How far along the gradient.
    pub learning_rate: f64,
    /// How much of the last step is repeated.
    pub momentum: f64,
    /// The smallest gain, and the slowest it decays to.
    pub min_gain: f64,
    /// No point moves farther than this in one step.
    pub longest: Option<f64>,
}

/// The memory of a descent: the last step and the gain of each coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct Descent<T> {
    width: usize,
    last: Vec<T>,
    gains: Vec<T>,
}

/// Points a chunk: enough work to be worth a thread, and fixed, so that sums have the same bits.
const CHUNK: usize = 4096;

impl<T: Scalar> Descent<T> {
    /// At rest, for `n` points of `width` coordinates.
    pub fn new(n: usize, width: usize) -> Self {
        Self { width, last: vec![T::zero(); n * width], gains: vec![T::one(); n * width] }
    }

    /// With these last steps and gains, one row a point.
    pub fn remembering<const D: usize>(last: &[[T; D]], gains: &[[T; D]]) -> Self {
        Self { width: D, last: last.as_flattened().to_vec(), gains: gains.as_flattened().to_vec() }
    }

    /// The last steps and the gains, one row a point.
    pub fn memory<const D: usize>(&self) -> [&[[T; D]]; 2] {
        [self.last.as_chunks().0, self.gains.as_chunks().0]
    }

    /// Forgets the steps and gains: a new phase begins.
    pub fn rest(&mut self) {
        self.last.fill(T::zero());
        self.gains.fill(T::one());
    }

    /// The same descent of points in another order: the new point `i` is the old `order[i]`.
    pub fn renumber(&mut self, order: &[u32]) {
        let width = self.width;
        let take = |values: &[T]| -> Vec<T> {
            order.iter().flat_map(|&old| &values[old as usize * width..][..width]).copied().collect()
        };
        (self.last, self.gains) = (take(&self.last), take(&self.gains));
    }

    /// Moves the flat row-major `points` against `gradient`. A gain grows by 0.2 where the gradient turns against the
    /// last step's way, and shrinks by a fifth where it does not.
    pub fn step(&mut self, points: &mut [T], gradient: &[T], step: &Step, run: &Run) -> Result<()> {
        let width = self.width.max(1);
        let (rate, momentum) = (T::of(step.learning_rate), T::of(step.momentum));
        let (more, less, least) = (T::of(0.2), T::of(0.8), T::of(step.min_gain));
        let longest = step.longest.map(T::of);
        let size = CHUNK * width;
        run.check()?;
        let chunks = points.par_chunks_mut(size).zip(gradient.par_chunks(size));
        let memory = self.last.par_chunks_mut(size).zip(self.gains.par_chunks_mut(size));
        let work = |((points, gradient), (last, gains)): ((&mut [T], &[T]), (&mut [T], &mut [T]))| {
            let rows = points.chunks_exact_mut(width).zip(gradient.chunks_exact(width));
            let memory = last.chunks_exact_mut(width).zip(gains.chunks_exact_mut(width));
            for ((point, gradient), (last, gains)) in rows.zip(memory) {
                let mut squared = T::zero();
                for c in 0..width {
                    let turned = (last[c] > T::zero()) != (gradient[c] > T::zero());
                    let gain = if turned { gains[c] + more } else { gains[c] * less + least };
                    gains[c] = gain;
                    last[c] = momentum * last[c] - rate * gain * gradient[c];
                    squared += last[c] * last[c];
                }
                if let Some(longest) = longest
                    && squared > longest * longest
                {
                    let shorter = longest / squared.sqrt();
                    last.iter_mut().for_each(|s| *s *= shorter);
                }
                point.iter_mut().zip(last.iter()).for_each(|(p, s)| *p += *s);
            }
        };
        run.install(|| chunks.zip(memory).for_each(work));
        Ok(())
    }
}

/// Moves the flat row-major `points` so that their mean is zero.
pub fn recenter<T: Scalar>(points: &mut [T], width: usize, run: &Run) -> Result<()> {
    let n = points.len().checked_div(width).unwrap_or(0);
    if n == 0 {
        return Ok(());
    }
    let sums = map_rows(run, points, width, CHUNK, |_, rows| {
        let mut sum = vec![0.0; width];
        for row in rows.chunks_exact(width) {
            sum.iter_mut().zip(row).for_each(|(s, x)| *s += x.wide());
        }
        sum
    })?;
    let mut mean = vec![0.0; width];
    for sum in sums {
        mean.iter_mut().zip(sum).for_each(|(m, s)| *m += s / n as f64);
    }
    let mean: Vec<T> = mean.into_iter().map(T::of).collect();
    map_rows(run, points, width, CHUNK, |_, rows| {
        for row in rows.chunks_exact_mut(width) {
            row.iter_mut().zip(&mean).for_each(|(x, m)| *x -= *m);
        }
    })
    .map(drop)
}

/// When a descent has converged: the loss has not fallen for many iterations, or the gradient has vanished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// Stop after so many iterations without a lower loss.
    pub without_progress: usize,
    /// Stop when the norm of the gradient is not above this.
    pub min_gradient_norm: f64,
    best: f64,
    best_at: usize,
}

impl Patience {
    /// Nothing seen yet.
    pub fn new(without_progress: usize, min_gradient_norm: f64) -> Self {
        Self { without_progress, min_gradient_norm, best: f64::INFINITY, best_at: 0 }
    }

    /// A new phase with another loss begins at `iteration`.
    pub fn restart(&mut self, iteration: usize) {
        (self.best, self.best_at) = (f64::INFINITY, iteration);
    }

    /// Whether to stop after this look at the loss.
    pub fn is_over(&mut self, iteration: usize, loss: f64, gradient_norm: f64) -> bool {
        if loss < self.best {
            (self.best, self.best_at) = (loss, iteration);
        }
        iteration - self.best_at > self.without_progress || gradient_norm <= self.min_gradient_norm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quadratic_bowl_is_descended_to_its_bottom() {
        let run = Run::new();
        let bottom = [3.0, -1.0, 0.5, 2.0];
        let mut at = [0.0_f64; 4];
        let mut descent = Descent::new(2, 2);
        let step = Step { learning_rate: 0.1, momentum: 0.8, min_gain: 0.01, longest: Some(5.0) };
        for _ in 0..400 {
            let gradient: Vec<f64> = at.iter().zip(&bottom).map(|(a, b)| a - b).collect();
            descent.step(&mut at, &gradient, &step, &run).unwrap();
        }
        assert!(at.iter().zip(&bottom).all(|(a, b)| (a - b).abs() < 1e-9), "{at:?}");
    }

    #[test]
    fn no_step_is_longer_than_allowed_and_the_center_goes_to_zero() {
        let run = Run::new();
        let mut at = [0.0_f64, 0.0, 6.0, 8.0];
        let step = Step { learning_rate: 1e6, momentum: 0.8, min_gain: 0.01, longest: Some(5.0) };
        Descent::new(2, 2).step(&mut at, &[3.0, 4.0, 0.0, 0.0], &step, &run).unwrap();
        assert!((at[0] + 3.0).abs() < 1e-12 && (at[1] + 4.0).abs() < 1e-12);
        recenter(&mut at, 2, &run).unwrap();
        assert!((at[0] + at[2]).abs() < 1e-15 && (at[1] + at[3]).abs() < 1e-15);
    }

    #[test]
    fn patience_ends_without_progress_or_without_a_gradient() {
        let mut patience = Patience::new(100, 1e-7);
        assert!(!patience.is_over(50, 2.0, 1.0) && !patience.is_over(100, 1.0, 1.0));
        assert!(!patience.is_over(200, 1.0, 1.0) && patience.is_over(201, 1.5, 1.0));
        assert!(patience.is_over(201, 0.5, 1e-8));
    }
}
