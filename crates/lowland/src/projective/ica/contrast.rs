//! Contrast functions: how far projections are from a Gaussian (Hyvärinen 1999).

use crate::choices;
use crate::functions::{exp, tanh};
use lowland_base::simd::vectorized;

choices! {
    /// What measures the distance from a Gaussian.
    pub enum Contrast {
        /// ln cosh: for all purposes.
        Logcosh = "logcosh",
        /// A Gaussian bump: for heavy tails, and where outliers must not count.
        Exp = "exp",
        /// The fourth power, that is the kurtosis: fast, but sensitive to outliers.
        Cube = "cube",
    }
}

impl Contrast {
    /// Replaces projections, `k` a row, by the contrast's derivative, and adds up its second derivative, a column each.
    /// Long functions are taken value by value, and only then are the columns looked at: so the compiler makes vector
    /// code of both.
    pub fn derive(self, y: &mut [f64], second: &mut [f64], k: usize) {
        let mut bumps = if self == Self::Exp { y.to_vec() } else { Vec::new() };
        vectorized(
            #[inline(always)]
            || match self {
                Self::Logcosh => {
                    y.iter_mut().for_each(|y| *y = tanh(*y));
                    for row in y.chunks_exact(k) {
                        second.iter_mut().zip(row).for_each(|(second, t)| *second += 1.0 - t * t);
                    }
                }
                Self::Exp => {
                    bumps.iter_mut().for_each(|y| *y = exp(-0.5 * *y * *y));
                    for (row, bumps) in y.chunks_exact_mut(k).zip(bumps.chunks_exact(k)) {
                        for ((y, e), second) in row.iter_mut().zip(bumps).zip(&mut *second) {
                            *second += (1.0 - *y * *y) * e;
                            *y *= e;
                        }
                    }
                }
                Self::Cube => {
                    for row in y.chunks_exact_mut(k) {
                        for (y, second) in row.iter_mut().zip(&mut *second) {
                            *second += 3.0 * *y * *y;
                            *y = *y * *y * *y;
                        }
                    }
                }
            },
        );
    }

    /// Adds the contrast of projections, `k` a row and at most a thousand rows, to sums, a column each.
    pub fn add_up(self, y: &mut [f64], sums: &mut [f64], k: usize) {
        if self == Self::Logcosh {
            return add_log_cosh(y, sums, k);
        }
        vectorized(
            #[inline(always)]
            || match self {
                Self::Exp => y.iter_mut().for_each(|y| *y = -exp(-0.5 * *y * *y)),
                _ => y.iter_mut().for_each(|y| *y = 0.25 * *y * *y * *y * *y),
            },
        );
        for row in y.chunks_exact(k) {
            sums.iter_mut().zip(row).for_each(|(sum, y)| *sum += y);
        }
    }

    /// The contrast's mean over a standard Gaussian.
    pub fn of_gaussian(self) -> f64 {
        match self {
            Self::Logcosh => 0.374_567_207_491_438,
            Self::Exp => -std::f64::consts::FRAC_1_SQRT_2,
            Self::Cube => 0.75,
        }
    }
}

/// `ln cosh y = |y| + ln(1 + e^-2|y|) - ln 2`: no overflow, and as no factor in the logarithm is above 2, a column of a
/// thousand rows needs one logarithm, of their product.
fn add_log_cosh(y: &mut [f64], sums: &mut [f64], k: usize) {
    let mut products = vec![1.0; k];
    for row in y.chunks_exact(k) {
        sums.iter_mut().zip(row).for_each(|(sum, y)| *sum += y.abs());
    }
    vectorized(
        #[inline(always)]
        || y.iter_mut().for_each(|y| *y = 1.0 + exp(-2.0 * y.abs())),
    );
    for row in y.chunks_exact(k) {
        products.iter_mut().zip(row).for_each(|(product, y)| *product *= y);
    }
    let rows = (y.len() / k) as f64;
    for (sum, product) in sums.iter_mut().zip(products) {
        *sum += product.ln() - rows * std::f64::consts::LN_2;
    }
}
