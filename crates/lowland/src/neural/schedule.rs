//! How the learning rate falls.

use crate::choices;
use serde::{Deserialize, Serialize};

choices! {
    /// The learning rate as training goes on.
    #[derive(Serialize, Deserialize)]
    pub enum Schedule {
        /// The rate stays.
        Constant = "constant",
        /// Half a cosine down to a hundredth, after a first twentieth that rises (Loshchilov and Hutter 2017).
        Cosine = "cosine",
        /// A geometric fall to a hundredth.
        Exponential = "exponential",
    }
}

impl Schedule {
    /// The rate of a step out of `steps`.
    pub fn rate(self, rate: f64, step: usize, steps: usize) -> f64 {
        let part = (step as f64 + 0.5) / steps.max(1) as f64;
        let part = part.min(1.0);
        rate * match self {
            Self::Constant => 1.0,
            Self::Cosine => {
                let rise = (part / 0.05).min(1.0);
                rise * (0.01 + 0.99 * 0.5 * (1.0 + libm::cos(std::f64::consts::PI * part)))
            }
            Self::Exponential => libm::pow(0.01, part),
        }
    }
}
