//! What a unit makes of its input.

use super::real::Real;
use crate::choices;
use lowland_base::simd::vectorized;
use serde::{Deserialize, Serialize};

choices! {
    /// The function of a layer's units.
    #[derive(Serialize, Deserialize)]
    pub enum Activation {
        /// 1 / (1 + e^-x): the units of a Boltzmann machine.
        Sigmoid = "sigmoid",
        /// The hyperbolic tangent: a sigmoid about zero.
        Tanh = "tanh",
        /// max(0, x).
        Relu = "relu",
        /// ln(1 + e^x): a smooth max(0, x).
        Softplus = "softplus",
        /// x: the network finds the subspace of PCA.
        Linear = "linear",
    }
}

impl Activation {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Sigmoid, Self::Tanh, Self::Relu, Self::Softplus, Self::Linear];

    /// Adds the bias to every row and applies the function.
    pub(crate) fn apply<T: Real>(self, rows: &mut [T], bias: &[T]) {
        match self {
            Self::Sigmoid => each(
                rows,
                bias,
                #[inline(always)]
                |x| x.sigmoid(),
            ),
            Self::Tanh => each(
                rows,
                bias,
                #[inline(always)]
                |x| x.tanh_fast(),
            ),
            Self::Relu => each(
                rows,
                bias,
                #[inline(always)]
                |x| x.max(T::zero()),
            ),
            Self::Softplus => each(
                rows,
                bias,
                #[inline(always)]
                |x| x.softplus(),
            ),
            Self::Linear => each(
                rows,
                bias,
                #[inline(always)]
                |x| x,
            ),
        }
    }

    /// The function of one number.
    #[inline(always)]
    pub(crate) fn of<T: Real>(self, x: T) -> T {
        match self {
            Self::Sigmoid => x.sigmoid(),
            Self::Tanh => x.tanh_fast(),
            Self::Relu => x.max(T::zero()),
            Self::Softplus => x.softplus(),
            Self::Linear => x,
        }
    }

    /// The derivative where the function's value is `y`: all of them can be had from it.
    #[inline(always)]
    pub(crate) fn slope<T: Real>(self, y: T) -> T {
        match self {
            Self::Sigmoid => y * (T::one() - y),
            Self::Tanh => T::one() - y * y,
            Self::Relu => {
                if y > T::zero() {
                    T::one()
                } else {
                    T::zero()
                }
            }
            Self::Softplus => T::one() - (-y).exp_fast(),
            Self::Linear => T::one(),
        }
    }

    /// Multiplies what comes back through a layer by the slope at the layer's output.
    pub(crate) fn through<T: Real>(self, delta: &mut [T], output: &[T]) {
        if self == Self::Linear {
            return;
        }
        vectorized(
            #[inline(always)]
            || delta.iter_mut().zip(output).for_each(|(d, &y)| *d *= self.slope(y)),
        );
    }

    /// How much larger the weights into such units must start than into linear ones, and those out of them: a sigmoid is
    /// half a hyperbolic tangent of half its input, and a network of one kind starts as a network of the other.
    pub(crate) fn gains(self) -> (f64, f64) {
        match self {
            Self::Sigmoid => (2.0, 2.0),
            Self::Relu | Self::Softplus => (std::f64::consts::SQRT_2, 1.0),
            Self::Tanh | Self::Linear => (1.0, 1.0),
        }
    }

    /// The value at zero: what a layer's units say at the start, which the next layer's biases take away again.
    pub(crate) fn middle(self) -> f64 {
        match self {
            Self::Sigmoid => 0.5,
            Self::Softplus => std::f64::consts::LN_2,
            Self::Tanh | Self::Relu | Self::Linear => 0.0,
        }
    }
}

#[inline(always)]
fn each<T: Real>(rows: &mut [T], bias: &[T], f: impl Fn(T) -> T) {
    vectorized(
        #[inline(always)]
        || {
            for row in rows.chunks_exact_mut(bias.len()) {
                row.iter_mut().zip(bias).for_each(|(x, &b)| *x = f(*x + b));
            }
        },
    );
}
