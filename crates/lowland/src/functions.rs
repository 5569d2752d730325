//! Exponential functions in loops that the compiler can turn into vector code.

use lowland_base::simd::vectorized;

/// `e^x` to about two units in the last place; 0 below the smallest normal number, and the largest number above it.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    // Adding this rounds to a whole number and leaves it in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let vanishes = x < -708.0;
    let x = x.clamp(-708.0, 709.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // ln 2 in two parts, so that the rest of the reduction is exact.
    let r = (x - whole * 6.931_471_803_691_238e-1) - whole * 1.908_214_929_270_587_7e-10;
    // The Taylor series to r^13 / 13!, |r| <= 0.347.
    let mut p = 1.0 / 6_227_020_800.0;
    p = p * r + 1.0 / 479_001_600.0;
    p = p * r + 1.0 / 39_916_800.0;
    p = p * r + 1.0 / 3_628_800.0;
    p = p * r + 1.0 / 362_880.0;
    p = p * r + 1.0 / 40_320.0;
    p = p * r + 1.0 / 5_040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    // 2^whole, from the low bits: they hold `whole` beside the bits of the rounding constant.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if vanishes { 0.0 } else { p * power }
}

/// `e^(factor x)` in place of every `x`.
pub(crate) fn exponentiate(values: &mut [f64], factor: f64) {
    vectorized(
        #[inline(always)]
        || values.iter_mut().for_each(|value| *value = exp(factor * *value)),
    );
}

/// `e^x` to about two units in the last place, 0 where it would not be a normal number.
#[inline(always)]
pub(crate) fn exp_single(x: f32) -> f32 {
    // As in `exp`: adding this rounds to a whole number and leaves it in the low bits.
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

/// `ln(1 + e)` for `e` in [0, 1]: twice the inverse hyperbolic tangent of `e / (2 + e)`, at most a third.
#[inline(always)]
pub(crate) fn log1p_single(e: f32) -> f32 {
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

/// The hyperbolic tangent to four units in the last place.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    let a = x.abs().min(20.0);
    let e = exp(-2.0 * a);
    // Below 0.1 the difference would cancel: the series.
    let square = a * a;
    let series = a
        * (1.0
            + square
                * (-1.0 / 3.0
                    + square
                        * (2.0 / 15.0
                            + square
                                * (-17.0 / 315.0
                                    + square
                                        * (62.0 / 2835.0
                                            + square
                                                * (-1382.0 / 155_925.0
                                                    + square * (21844.0 / 6_081_075.0)))))));
    let t = if a < 0.1 { series } else { (1.0 - e) / (1.0 + e) };
    t.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agree_with_the_standard_library() {
        for i in -200_000..200_000i32 {
            let x = f64::from(i) * 0.003_52;
            let (ours, theirs) = (exp(x), x.exp());
            assert!((ours - theirs).abs() <= 1e-15 * theirs, "{x}: {ours} {theirs}");
            let x = f64::from(i) * 1.3e-4;
            assert!((tanh(x) - x.tanh()).abs() <= 4.0 * f64::EPSILON * x.tanh().abs(), "{x}");
        }
        assert_eq!(tanh(-0.0).to_bits(), (-0.0f64).to_bits());
        assert!(exp(-708.5) == 0.0 && exp(f64::NEG_INFINITY) == 0.0 && exp(-707.9) > 0.0);
    }
}
