//! The repulsion between all points of a layout: `sum_j w_ij u_ij (y_i - y_j)` for each point, and the normalization
//! `Z = sum_{i != j} w_ij`. Pair by pair, by a tree, or by interpolation on a grid; one trait.

mod barnes_hut;
mod exact;
pub mod interpolation;
#[cfg(test)]
mod tests;
mod tree;

use super::kernel::Kernel;
use crate::choices;
use lowland_base::{Error, Result, Run, Scalar, units};

pub use barnes_hut::{BarnesHut, Tree};
pub use exact::{Exact, Sources};
pub use interpolation::{Field, Interpolation};

/// Pushes the points of a layout apart.
pub trait Repulsion<T: Scalar, const D: usize>: Send {
    /// Writes each point's `sum_j w_ij u_ij (y_i - y_j)` and returns `Z`.
    fn forces(&mut self, layout: &[[T; D]], forces: &mut [[T; D]], run: &Run) -> Result<f64>;
}

/// How repulsion is computed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Approach {
    /// The fastest that is accurate: exact for few points, interpolation in one or two dimensions, the tree in three,
    /// exact beyond.
    #[default]
    Auto,
    /// Every pair.
    Exact,
    /// Barnes and Hut's tree, in up to three dimensions.
    BarnesHut {
        /// A cell counts as one point where its width is below so many times its distance. 0 is exact.
        theta: f64,
    },
    /// Interpolation on a grid by fast Fourier transforms, in one or two dimensions.
    Interpolation {
        /// The distance of two grid lines, in units of the kernel's width; smaller is more accurate.
        spacing: f64,
    },
}

choices! {
    /// How the repulsion between all points is computed.
    pub enum NegativeGradient {
        /// The fastest that is accurate: exact for few points, then fft in one or two dimensions and bh in three.
        Auto = "auto",
        /// Every pair.
        Exact = "exact",
        /// Barnes and Hut's tree, in up to three dimensions.
        BarnesHut = "bh" | "barnes_hut" | "barnes-hut",
        /// Interpolation on a grid, in one or two dimensions.
        Interpolation = "fft" | "interpolation",
    }
}

impl NegativeGradient {
    /// What `auto` means for so many points in so many dimensions.
    pub fn resolved_for(self, n: usize, dimensions: usize) -> Self {
        match self.approach(THETA).resolve(n, dimensions) {
            Ok(Approach::Exact) if self == Self::Auto => Self::Exact,
            Ok(Approach::BarnesHut { .. }) if self == Self::Auto => Self::BarnesHut,
            Ok(Approach::Interpolation { .. }) if self == Self::Auto => Self::Interpolation,
            _ => self,
        }
    }

    /// The approach of this name; `theta` is the angle of the tree.
    pub fn approach(self, theta: f64) -> Approach {
        match self {
            Self::Auto => Approach::Auto,
            Self::Exact => Approach::Exact,
            Self::BarnesHut => Approach::BarnesHut { theta },
            Self::Interpolation => Approach::INTERPOLATION,
        }
    }
}

/// The angle that every implementation takes.
pub const THETA: f64 = 0.5;
/// Up to so many points every pair is as fast as a grid.
const FEW: usize = 1024;

impl Approach {
    /// Interpolation with the usual spacing.
    pub const INTERPOLATION: Self = Self::Interpolation { spacing: interpolation::SPACING };

    /// What [`Approach::Auto`] stands for with `n` points in `dimensions`.
    pub fn resolve(self, n: usize, dimensions: usize) -> Result<Self> {
        let too_many = |name: &str, most: usize| {
            Err(Error::parameter(
                "negative_gradient_method",
                name,
                format!("at most {}, not {dimensions}", units::count(most, "component")),
                "choose exact or auto, or fewer components",
            ))
        };
        match self {
            Self::Auto if n <= FEW || dimensions > 3 => Ok(Self::Exact),
            Self::Auto if dimensions <= 2 => Ok(Self::INTERPOLATION),
            Self::Auto => Ok(Self::BarnesHut { theta: THETA }),
            Self::BarnesHut { .. } if dimensions > 3 => too_many("bh", 3),
            Self::Interpolation { .. } if dimensions > 2 => too_many("fft", 2),
            Self::BarnesHut { theta } if !(0.0..=1.0).contains(&theta) => Err(Error::parameter(
                "theta",
                theta,
                "0 to 1",
                "0.5 is usual; smaller is more accurate and slower",
            )),
            Self::Interpolation { spacing } if !(0.001..=1.0).contains(&spacing) => Err(Error::parameter(
                "spacing",
                spacing,
                "0.001 to 1",
                "0.35 is usual; smaller is more accurate and slower",
            )),
            chosen => Ok(chosen),
        }
    }

    /// What computes it.
    pub fn build<T: Scalar, const D: usize>(
        self,
        n: usize,
        kernel: Kernel,
    ) -> Result<Box<dyn Repulsion<T, D>>> {
        Ok(match self.resolve(n, D)? {
            // The numbers of components are known when this is compiled, so that nothing is compiled in vain.
            Self::BarnesHut { theta } if D <= 3 => Box::new(BarnesHut::new(kernel, theta)),
            Self::Interpolation { spacing } if D <= 2 => Box::new(Interpolation::new(kernel, spacing)),
            _ => Box::new(Exact { kernel }),
        })
    }
}
