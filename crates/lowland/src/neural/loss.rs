//! How far a reconstruction is from what it should be.

use super::activation::Activation;
use super::real::Real;
use crate::choices;
use lowland_base::simd::vectorized;
use serde::{Deserialize, Serialize};

choices! {
    /// What a network minimizes, as the mean over all cells.
    #[derive(Serialize, Deserialize)]
    pub enum Loss {
        /// The mean squared error; outputs are linear.
        Squared = "squared",
        /// The mean cross-entropy, for data in [0, 1]; outputs are sigmoid.
        CrossEntropy = "cross-entropy",
    }
}

/// Partial sums kept apart, so that they fit the vector units; their order is fixed.
const LANES: usize = 16;

impl Loss {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Squared, Self::CrossEntropy];

    /// The sum over all cells of the loss of `activation(input)` against `target`. Each input is replaced by `weight` times
    /// the derivative of its loss.
    pub(crate) fn differentiate<T: Real>(
        self,
        activation: Activation,
        inputs: &mut [T],
        targets: &[T],
        weight: f64,
    ) -> f64 {
        let weight = T::of(weight);
        match (self, activation) {
            (Self::Squared, Activation::Linear) => lanes(
                inputs,
                targets,
                #[inline(always)]
                |z, t| {
                    let e = z - t;
                    (e * e, weight * (e + e))
                },
            ),
            (Self::Squared, _) => lanes(
                inputs,
                targets,
                #[inline(always)]
                |z, t| {
                    let y = activation.of(z);
                    let e = y - t;
                    (e * e, weight * (e + e) * activation.slope(y))
                },
            ),
            // With the logit at hand, no logarithm of what was rounded to 0 is taken.
            (Self::CrossEntropy, _) => lanes(
                inputs,
                targets,
                #[inline(always)]
                |z, t| (z.softplus() - t * z, weight * (z.sigmoid() - t)),
            ),
        }
    }
}

#[inline(always)]
fn lanes<T: Real>(inputs: &mut [T], targets: &[T], f: impl Fn(T, T) -> (T, T)) -> f64 {
    vectorized(
        #[inline(always)]
        || {
            let mut sum = 0.0;
            // Sums of a few thousand in single precision, the rest in double.
            for (inputs, targets) in inputs.chunks_mut(64 * LANES).zip(targets.chunks(64 * LANES)) {
                let mut partial = [T::zero(); LANES];
                for (z, t) in inputs.chunks_mut(LANES).zip(targets.chunks(LANES)) {
                    for ((z, &t), partial) in z.iter_mut().zip(t).zip(&mut partial) {
                        let (value, slope) = f(*z, t);
                        *partial += value;
                        *z = slope;
                    }
                }
                sum += partial.iter().map(|value| value.wide()).sum::<f64>();
            }
            sum
        },
    )
}
