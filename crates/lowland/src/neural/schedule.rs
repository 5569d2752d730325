//! How the learning rate falls.

use serde::{Deserialize, Serialize};

/// The learning rate as training goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// It stays.
    Constant,
    /// Half a cosine down to a hundredth, after a first twentieth that rises (Loshchilov and Hutter 2017).
    Cosine,
    /// A geometric fall to a hundredth.
    Exponential,
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
