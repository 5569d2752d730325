//! The exponential of many numbers at once.

use lowland_base::simd::vectorized;

/// `e^x` in place of every `x`, to 2 units in the last place; 0 where it is below 1e-307. The C library's takes one
/// number at a time, and a kernel matrix is little else.
pub fn exponentiate(values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || values.iter_mut().for_each(|value| *value = exponential(*value)),
    );
}

/// The coefficients 1 / k! from k = 13 down to 2: what is left out is below 1e-17 for |r| <= ln(2) / 2.
const COEFFICIENTS: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// `2^k e^r` with `x = k ln(2) + r`, without a branch.
#[inline(always)]
fn exponential(x: f64) -> f64 {
    // Adding this leaves a whole number, in the last bits.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    // ln(2) in two parts (Cody and Waite), the first short enough for exact multiples.
    const LN_2: (f64, f64) = (f64::from_bits(0x3fe6_2e42_fefa_3800), f64::from_bits(0x3d2e_f357_93c7_6730));
    let shifted = x * std::f64::consts::LOG2_E + WHOLE;
    let k = shifted - WHOLE;
    let r = (x - k * LN_2.0) - k * LN_2.1;
    let series = COEFFICIENTS[1..].iter().fold(COEFFICIENTS[0], |sum, c| sum * r + c);
    let power = 1.0 + (r + r * r * series);
    // k is added to the exponent.
    let scaled = f64::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 52));
    let scaled = if x < -708.0 { 0.0 } else { scaled };
    if x > 709.782_712_893_383_9 { f64::INFINITY } else { scaled }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lowland_base::Run;
    use rand::RngExt;

    #[test]
    fn as_the_c_library() {
        let mut rng = Run::new().rng("exponents");
        for bound in [1e-300, 1e-9, 0.3, 1.0, 30.0, 707.0] {
            let exponents: Vec<f64> = (0..20_011).map(|_| rng.random_range(-bound..bound)).collect();
            let mut powers = exponents.clone();
            exponentiate(&mut powers);
            for (x, power) in exponents.iter().zip(powers) {
                let expected = x.exp();
                let error = (power - expected).abs() / expected;
                assert!(error <= 2.0 * f64::EPSILON, "e^{x} = {expected}, not {power}");
            }
        }
    }

    #[test]
    fn at_the_ends_of_the_range() {
        let mut values = [0.0, -0.0, -708.1, -1e300, f64::NEG_INFINITY, 709.0, 709.79, f64::INFINITY];
        exponentiate(&mut values);
        assert_eq!(values[..5], [1.0, 1.0, 0.0, 0.0, 0.0]);
        assert!((values[5] / 709_f64.exp() - 1.0).abs() < 1e-15);
        assert_eq!(values[6..], [f64::INFINITY; 2]);
        let mut nothing = [f64::NAN];
        exponentiate(&mut nothing);
        assert!(nothing[0].is_nan());
    }
}
