//! Kernel functions between points, by blocks of rows.

mod block;
mod width;

pub use width::median_distance;
pub(crate) use block::Prepared;

use lowland_base::{Error, Result};
use std::fmt;
use std::sync::Arc;

/// A function of two points given by its user.
pub type Closure = Arc<dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync>;

/// A kernel between points. Widths follow `exp(-|x - y|^2 / (2 s^2))`, that is `gamma = 1 / (2 s^2)`.
#[derive(Clone)]
pub enum Function {
    /// `x . y`
    Linear,
    /// `(gamma x . y + coef0)^degree`
    Polynomial {
        /// The factor of the inner product.
        gamma: f64,
        /// What is added to it.
        coef0: f64,
        /// The power, a whole number.
        degree: u32,
    },
    /// `exp(-gamma |x - y|^2)`
    Gaussian {
        /// `1 / (2 s^2)` for the width `s`.
        gamma: f64,
    },
    /// `exp(-|x - y|^2 / (s(x) s(y)))` with `s` the distance to the k-th neighbour (Zelnik-Manor and Perona
    /// 2004): as narrow as the data are dense.
    LocalGaussian {
        /// Which neighbour sets the width.
        neighbour: usize,
    },
    /// `exp(-gamma |x - y|_1)`
    Laplacian {
        /// The inverse width.
        gamma: f64,
    },
    /// `tanh(gamma x . y + coef0)`: not positive semidefinite in general.
    Sigmoid {
        /// The factor of the inner product.
        gamma: f64,
        /// What is added to it.
        coef0: f64,
    },
    /// The cosine of the angle; 0 with a zero vector.
    Cosine,
    /// `-|x - y|^2 / 2`: classical scaling in the guise of a kernel (Burges 2.2).
    HalfSquaredDistance,
    /// Whatever its user says.
    Closure(Closure),
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Function {
    /// Its name in model files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Polynomial { .. } => "polynomial",
            Self::Gaussian { .. } => "gaussian",
            Self::LocalGaussian { .. } => "local gaussian",
            Self::Laplacian { .. } => "laplacian",
            Self::Sigmoid { .. } => "sigmoid",
            Self::Cosine => "cosine",
            Self::HalfSquaredDistance => "half squared distance",
            Self::Closure(_) => "closure",
        }
    }

    /// Its numbers in model files: up to three.
    pub(crate) fn numbers(&self) -> [f64; 3] {
        match *self {
            Self::Polynomial { gamma, coef0, degree } => [gamma, coef0, f64::from(degree)],
            Self::Gaussian { gamma } | Self::Laplacian { gamma } => [gamma, 0.0, 0.0],
            Self::Sigmoid { gamma, coef0 } => [gamma, coef0, 0.0],
            Self::LocalGaussian { neighbour } => [neighbour as f64, 0.0, 0.0],
            _ => [0.0; 3],
        }
    }

    /// From a model file.
    pub(crate) fn from_numbers(name: &str, [a, b, c]: [f64; 3]) -> Result<Self> {
        let whole = |value: f64| if (0.0..1e9).contains(&value) { value as u32 } else { 0 };
        Ok(match name {
            "linear" => Self::Linear,
            "polynomial" => Self::Polynomial { gamma: a, coef0: b, degree: whole(c) },
            "gaussian" => Self::Gaussian { gamma: a },
            "local gaussian" => Self::LocalGaussian { neighbour: whole(a) as usize },
            "laplacian" => Self::Laplacian { gamma: a },
            "sigmoid" => Self::Sigmoid { gamma: a, coef0: b },
            "cosine" => Self::Cosine,
            "half squared distance" => Self::HalfSquaredDistance,
            _ => return Err(Error::ModelFile { problem: format!("it names an unknown kernel '{name}'") }),
        })
    }
}
