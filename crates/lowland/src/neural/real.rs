//! The functions of a network's units, in loops that the compiler can turn into vector code.

use crate::functions;
use lowland_base::Scalar;

/// A scalar with fast functions: single precision to train with, double precision for L-BFGS and to check with.
pub trait Real: Scalar + serde::Serialize + serde::de::DeserializeOwned {
    /// `1 / (1 + e^-x)`.
    fn sigmoid(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh_fast(self) -> Self;
    /// `ln(1 + e^x)`, without overflow.
    fn softplus(self) -> Self;
    /// `e^x`.
    fn exp_fast(self) -> Self;
}

impl Real for f32 {
    #[inline(always)]
    fn sigmoid(self) -> Self {
        1.0 / (1.0 + functions::exp_single(-self))
    }
    #[inline(always)]
    fn tanh_fast(self) -> Self {
        2.0 / (1.0 + functions::exp_single(-2.0 * self)) - 1.0
    }
    #[inline(always)]
    fn softplus(self) -> Self {
        self.max(0.0) + functions::log1p_single(functions::exp_single(-self.abs()))
    }
    #[inline(always)]
    fn exp_fast(self) -> Self {
        functions::exp_single(self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn sigmoid(self) -> Self {
        1.0 / (1.0 + functions::exp(-self))
    }
    #[inline(always)]
    fn tanh_fast(self) -> Self {
        functions::tanh(self)
    }
    #[inline(always)]
    fn softplus(self) -> Self {
        self.max(0.0) + libm::log1p(functions::exp(-self.abs()))
    }
    #[inline(always)]
    fn exp_fast(self) -> Self {
        functions::exp(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_agrees_with_double() {
        for i in -90_000..90_000i32 {
            let x = f64::from(i as f32 * 1e-3);
            let near = |ours: f32, truth: f64, what: &str| {
                let error = (f64::from(ours) - truth).abs();
                assert!(error <= 3e-7 * truth.abs().max(1e-38), "{what} of {x}: {ours} {truth}");
            };
            if x > -87.0 && x < 88.0 {
                near(Real::exp_fast(x as f32), x.exp(), "exp");
            }
            if x > -87.0 {
                near(Real::sigmoid(x as f32), 1.0 / (1.0 + (-x).exp()), "sigmoid");
                near(Real::softplus(x as f32), x.max(0.0) + (-x.abs()).exp().ln_1p(), "softplus");
            }
            assert!((f64::from(Real::tanh_fast(x as f32)) - x.tanh()).abs() <= 2e-7);
        }
    }
}
