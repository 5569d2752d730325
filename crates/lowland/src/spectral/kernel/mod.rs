//! Kernel functions between points, by blocks of rows.

mod block;
mod names;
mod width;

pub(crate) use block::Prepared;
pub use names::KernelName;
pub use width::median_distance;

use lowland_base::{Error, Result};
use lowland_neighbors::Metric;
use std::fmt;
use std::sync::Arc;

/// How the name of a squared distance begins.
const HALF_SQUARED: &str = "half squared ";

/// A function of two points given by its user.
pub type Closure = Arc<dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync>;

/// A kernel between points. Widths follow `exp(-|x - y|^2 / (2 s^2))`, that is `gamma = 1 / (2 s^2)`.
#[derive(Clone)]
pub enum Function {
    /// `x . y`
    Linear,
    /// `(x - m) . (y - m)` with the mean `m` of the anchors: the linear kernel where it is centered anyway, without what
    /// an offset of the data would cancel.
    CenteredLinear,
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
    /// `exp(-|x - y|^2 / (s(x) s(y)))` with `s` the distance to the k-th neighbor (Zelnik-Manor and Perona
    /// 2004): as narrow as the data are dense.
    LocalGaussian {
        /// Which neighbor sets the width.
        neighbor: usize,
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
    /// `-(d(x, y) + constant)^2 / 2`, and 0 between points that coincide: classical scaling as a
    /// kernel (Burges 2.2), with its additive constant.
    HalfSquaredDistance {
        /// The distance `d`.
        metric: Metric,
        /// What is added to it.
        constant: f64,
    },
    /// A function given by its user.
    Closure(Closure),
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Function {
    /// The factor of a distance or of an inner product, where there is one.
    pub(crate) fn gamma(&self) -> Option<f64> {
        match self {
            Self::Polynomial { gamma, .. }
            | Self::Gaussian { gamma }
            | Self::Laplacian { gamma }
            | Self::Sigmoid { gamma, .. } => Some(*gamma),
            _ => None,
        }
    }

    /// The kernel of two objects of which one number is given: their distance for functions of a distance, their inner
    /// product, which is the kernel itself, for others.
    pub(crate) fn of_entry(&self, entry: f64) -> f64 {
        match self {
            Self::HalfSquaredDistance { constant, .. } if entry > 0.0 => -0.5 * (entry + constant).powi(2),
            Self::HalfSquaredDistance { .. } => 0.0,
            Self::Gaussian { gamma } => (-gamma * entry * entry).exp(),
            _ => entry,
        }
    }

    /// Its name in model files.
    pub fn name(&self) -> String {
        let word = match self {
            Self::Linear => "linear",
            Self::CenteredLinear => "centered linear",
            Self::Polynomial { .. } => "polynomial",
            Self::Gaussian { .. } => "gaussian",
            Self::LocalGaussian { .. } => "local gaussian",
            Self::Laplacian { .. } => "laplacian",
            Self::Sigmoid { .. } => "sigmoid",
            Self::Cosine => "cosine",
            Self::HalfSquaredDistance { metric, .. } => return format!("{HALF_SQUARED}{metric}"),
            Self::Closure(_) => "closure",
        };
        word.to_owned()
    }

    /// Its numbers in model files: up to three.
    pub(crate) fn numbers(&self) -> [f64; 3] {
        match *self {
            Self::Polynomial { gamma, coef0, degree } => [gamma, coef0, f64::from(degree)],
            Self::Gaussian { gamma } | Self::Laplacian { gamma } => [gamma, 0.0, 0.0],
            Self::Sigmoid { gamma, coef0 } => [gamma, coef0, 0.0],
            Self::HalfSquaredDistance { constant, .. } => [constant, 0.0, 0.0],
            Self::LocalGaussian { neighbor } => [neighbor as f64, 0.0, 0.0],
            _ => [0.0; 3],
        }
    }

    /// From a model file.
    pub(crate) fn from_numbers(name: &str, [a, b, c]: [f64; 3]) -> Result<Self> {
        let whole = |value: f64| if (0.0..1e9).contains(&value) { value as u32 } else { 0 };
        Ok(match name {
            "linear" => Self::Linear,
            "centered linear" => Self::CenteredLinear,
            "polynomial" => Self::Polynomial { gamma: a, coef0: b, degree: whole(c) },
            "gaussian" => Self::Gaussian { gamma: a },
            "local gaussian" => Self::LocalGaussian { neighbor: whole(a) as usize },
            "laplacian" => Self::Laplacian { gamma: a },
            "sigmoid" => Self::Sigmoid { gamma: a, coef0: b },
            "cosine" => Self::Cosine,
            _ if name.starts_with(HALF_SQUARED) => {
                let metric = name[HALF_SQUARED.len()..].parse();
                let metric = metric.map_err(|e: Error| Error::ModelFile { problem: e.to_string() })?;
                Self::HalfSquaredDistance { metric, constant: a }
            }
            _ => return Err(Error::ModelFile { problem: format!("it names an unknown kernel '{name}'") }),
        })
    }
}
