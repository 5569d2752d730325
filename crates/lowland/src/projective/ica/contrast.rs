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
    /// Replaces projections, `k` a row and at most a thousand rows, by the contrast's derivative. Adds up its second
    /// derivative, a column each, and behind these sums the contrast itself.
    /// Long functions are taken value by value, and only then are the columns looked at: so the compiler makes vector
    /// code of both.
    pub fn derive(self, y: &mut [f64], sums: &mut [f64], k: usize) {
        let mut bumps = if self == Self::Exp { y.to_vec() } else { Vec::new() };
        // Of `1 + tanh |y|`: as none is above 2, a column of a thousand rows needs one logarithm, of their product.
        let mut products = vec![1.0; k];
        let (second, contrast) = sums.split_at_mut(k);
        vectorized(
            #[inline(always)]
            || match self {
                Self::Logcosh => {
                    for row in y.chunks_exact(k) {
                        contrast.iter_mut().zip(row).for_each(|(sum, y)| *sum += y.abs());
                    }
                    y.iter_mut().for_each(|y| *y = tanh(*y));
                    for row in y.chunks_exact(k) {
                        for ((second, product), t) in second.iter_mut().zip(&mut products).zip(row) {
                            *second += 1.0 - t * t;
                            *product *= 1.0 + t.abs();
                        }
                    }
                }
                Self::Exp => {
                    bumps.iter_mut().for_each(|y| *y = exp(-0.5 * *y * *y));
                    for (row, bumps) in y.chunks_exact_mut(k).zip(bumps.chunks_exact(k)) {
                        let sums = second.iter_mut().zip(&mut *contrast);
                        for ((y, e), (second, contrast)) in row.iter_mut().zip(bumps).zip(sums) {
                            *second += (1.0 - *y * *y) * e;
                            *contrast -= e;
                            *y *= e;
                        }
                    }
                }
                Self::Cube => {
                    for row in y.chunks_exact_mut(k) {
                        let sums = second.iter_mut().zip(&mut *contrast);
                        for (y, (second, contrast)) in row.iter_mut().zip(sums) {
                            let square = *y * *y;
                            *second += 3.0 * square;
                            *contrast += 0.25 * square * square;
                            *y *= square;
                        }
                    }
                }
            },
        );
        // `ln cosh y = |y| - ln(1 + tanh |y|)`.
        contrast.iter_mut().zip(&products).for_each(|(sum, product)| *sum -= product.ln());
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

    /// How far from a Gaussian a projection of variance 1 is that has this mean contrast.
    pub fn negentropy(self, mean: f64) -> f64 {
        let of_gaussian = match self {
            Self::Logcosh => 0.374_567_207_491_438,
            Self::Exp => -std::f64::consts::FRAC_1_SQRT_2,
            Self::Cube => 0.75,
        };
        (mean - of_gaussian).powi(2)
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
