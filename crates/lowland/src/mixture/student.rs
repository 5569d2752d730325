//! Student's t in place of the Gaussian (McLachlan, Bean and Ben-Tovim Jones 2007; Maaten 7.3): a row that is far from an
//! analyzer has little weight in it. The degrees of freedom say how little, and can be found by maximum likelihood.

/// Degrees of freedom that are looked for: below, there is hardly a density; above, it is Gaussian.
pub(super) const DEGREES: (f64, f64) = (0.5, 200.0);

/// What degrees of freedom that are found by maximum likelihood start from.
pub(super) const FIRST: f64 = 10.0;

/// The maximization step for the degrees of freedom: the root of a decreasing function. `rest` is the mean of `ln u - u` over
/// the rows, where `u = (old + d) / (old + distance^2)` are their weights.
pub(super) fn maximize(old: f64, d: usize, rest: f64) -> f64 {
    let half = 0.5 * (old + d as f64);
    let constant = 1.0 + rest + digamma(half) - half.ln();
    let slope = |degrees: f64| (0.5 * degrees).ln() - digamma(0.5 * degrees) + constant;
    let (mut low, mut high) = DEGREES;
    if slope(high) >= 0.0 {
        return high;
    }
    if slope(low) <= 0.0 {
        return low;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The derivative of the logarithm of the gamma function, for positive arguments.
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = square
        * (1.0 / 12.0
            - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0))));
    sum + x.ln() - 0.5 / x - series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_is_the_slope_of_the_logarithm_of_gamma() {
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-13);
        for x in [0.25, 0.9, 3.7, 25.0, 400.0] {
            let slope = (libm::lgamma(x * (1.0 + 1e-5)) - libm::lgamma(x * (1.0 - 1e-5))) / (2e-5 * x);
            assert!((digamma(x) - slope).abs() < 1e-7 * (1.0 + slope.abs()), "{x}");
        }
    }
}
