//! Powers in single precision, in arithmetic that fills the vector units.

use std::f32::consts::LOG2_E;

/// `x^y` for `x` above 0, to about 1e-5; what would leave the range of numbers ends at its edge.
#[inline(always)]
pub fn power(x: f32, y: f32) -> f32 {
    exp2(y * log2(x))
}

#[inline(always)]
fn log2(x: f32) -> f32 {
    // The mantissa between sqrt(1/2) and sqrt(2), and its exponent.
    let bits = x.to_bits().wrapping_sub(0x3f35_04f3);
    let exponent = (bits as i32) >> 23;
    let mantissa = f32::from_bits((bits & 0x007f_ffff) + 0x3f35_04f3);
    // ln m = 2 artanh((m - 1) / (m + 1)).
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let s = t * t;
    let series = s.mul_add(s.mul_add(s.mul_add(1.0 / 7.0, 0.2), 1.0 / 3.0), 1.0);
    (2.0 * LOG2_E * t).mul_add(series, exponent as f32)
}

#[inline(always)]
fn exp2(x: f32) -> f32 {
    let x = x.clamp(-126.0, 127.0);
    // Adding this rounds to a whole number and leaves it in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let shifted = x + ROUND;
    let r = (x - (shifted - ROUND)) * std::f32::consts::LN_2;
    // Horner's rule in r^2, for the even and the odd terms at once.
    let square = r * r;
    let even = square.mul_add(square.mul_add(1.0 / 24.0, 0.5), 1.0);
    let odd = square.mul_add(square.mul_add(1.0 / 120.0, 1.0 / 6.0), 1.0);
    let p = r.mul_add(odd, even);
    p * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_powers() {
        for exponent in [0.1, 0.5, 0.895, 1.0, 1.9] {
            for k in -200..200 {
                let x = 1.17_f32.powi(k);
                let (found, wanted) = (f64::from(power(x, exponent)), f64::from(x).powf(f64::from(exponent)));
                assert!((found / wanted - 1.0).abs() < 2e-5, "{x}^{exponent}: {found}, not {wanted}");
            }
        }
    }
}
