//! The functions of a network's units, in loops that the compiler can turn into vector code.

use crate::functions;
use lowland_base::Scalar;

/// A scalar with fast functions: single precision to train with, double precision to polish and to check with.
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

/// `e^x` to about two units in the last place, 0 where it would not be a normal number.
#[inline(always)]
fn exp32(x: f32) -> f32 {
    // As `functions::exp`: adding this rounds to a whole number and leaves it in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let vanishes = x < -87.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let r = (x - whole * 0.693_359_4) + whole * 2.121_944_4e-4;
    // The Taylor series to r^7 / 7!, |r| <= 0.347.
    let mut p = 1.0 / 5_040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    if vanishes { 0.0 } else { p * power }
}

impl Real for f32 {
    #[inline(always)]
    fn sigmoid(self) -> Self {
        1.0 / (1.0 + exp32(-self))
    }
    #[inline(always)]
    fn tanh_fast(self) -> Self {
        2.0 / (1.0 + exp32(-2.0 * self)) - 1.0
    }
    #[inline(always)]
    fn softplus(self) -> Self {
        self.max(0.0) + log1p_32(exp32(-self.abs()))
    }
    #[inline(always)]
    fn exp_fast(self) -> Self {
        exp32(self)
    }
}

/// `ln(1 + e)` for `e` in [0, 1]: twice the inverse hyperbolic tangent of `e / (2 + e)`, at most a third.
#[inline(always)]
fn log1p_32(e: f32) -> f32 {
    let s = e / (2.0 + e);
    let square = s * s;
    let mut p = 2.0 / 15.0;
    p = p * square + 2.0 / 13.0;
    p = p * square + 2.0 / 11.0;
    p = p * square + 2.0 / 9.0;
    p = p * square + 2.0 / 7.0;
    p = p * square + 2.0 / 5.0;
    p = p * square + 2.0 / 3.0;
    p = p * square + 2.0;
    p * s
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
