//! The entropy of a projection, if its points are those of a Gaussian (Burges eq. 1.6).

use faer::{Mat, MatRef};
use lowland_base::{Error, Result, Run, Scalar};
use lowland_linalg::svd;

/// The differential entropy, in bits, of the Gaussian with the covariance of these points,
/// `log2((2 pi e)^d) / 2 + log2(det C) / 2`, where `C` has the divisor n. As a projection is a function of the data, this is
/// also its mutual information with them, but for the size of the bins that both are counted in: among all projections
/// on orthonormal directions, that on the principal ones has the most. (The paper has `e` outside of the power.) Minus
/// infinity where the points do not fill their dimensions.
pub fn gaussian_entropy<T: Scalar>(points: MatRef<'_, T>, run: &Run) -> Result<f64> {
    let (n, d) = (points.nrows(), points.ncols());
    if n < 2 {
        return Err(Error::TooFewRows { rows: n, needed: 2, what: "an entropy".into() });
    }
    // In units of the largest value, so that no square overflows.
    let size = (0..d).flat_map(|j| points.col(j).iter()).fold(0.0f64, |most, x| most.max(x.wide().abs()));
    if size == 0.0 || n <= d {
        return Ok(f64::NEG_INFINITY);
    }
    let mut centered = Mat::from_fn(n, d, |i, j| points[(i, j)].wide() / size);
    for j in 0..d {
        let mean = centered.col(j).iter().sum::<f64>() / n as f64;
        (0..n).for_each(|i| centered[(i, j)] -= mean);
    }
    let found = svd::thin(centered.as_ref(), run)?;
    let largest = found.values.first().copied().unwrap_or(0.0);
    let least = largest * f64::EPSILON * n as f64;
    let deviation = |value: &f64| {
        if *value > least { (value / (n as f64).sqrt()).log2() + size.log2() } else { f64::NEG_INFINITY }
    };
    let logarithms: f64 = found.values.iter().map(deviation).sum();
    Ok(0.5 * d as f64 * (2.0 * std::f64::consts::PI * std::f64::consts::E).log2() + logarithms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn cloud(n: usize, d: usize, seed: u64) -> Mat<f64> {
        let mut rng = Run::new().with_seed(seed).rng("entropy");
        // Columns that go together, of different spread.
        let raw = Mat::from_fn(n, d, |_, j| (rng.random::<f64>() - 0.5) * (1.0 + j as f64));
        Mat::from_fn(n, d, |i, j| 3.0 + raw[(i, j)] + 0.5 * raw[(i, (j + 1) % d)])
    }

    /// The determinant of the covariance by elimination, and the formula; maps change it by their determinant.
    #[test]
    fn the_entropy_is_that_of_the_formula_and_follows_linear_maps() {
        let run = Run::new();
        for (d, seed) in [(1, 1), (2, 2), (4, 3)] {
            let x = cloud(300, d, seed);
            let mean: Vec<f64> = (0..d).map(|j| x.col(j).iter().sum::<f64>() / 300.0).collect();
            let covariance = |i: usize, j: usize| {
                (0..300).map(|r| (x[(r, i)] - mean[i]) * (x[(r, j)] - mean[j])).sum::<f64>() / 300.0
            };
            let mut c = Mat::from_fn(d, d, covariance);
            let mut det = 1.0;
            for p in 0..d {
                det *= c[(p, p)];
                for r in p + 1..d {
                    let factor = c[(r, p)] / c[(p, p)];
                    (p..d).for_each(|k| c[(r, k)] -= factor * c[(p, k)]);
                }
            }
            let expected =
                0.5 * ((2.0 * std::f64::consts::PI * std::f64::consts::E).powi(d as i32) * det).log2();
            let found = gaussian_entropy(x.as_ref(), &run).unwrap();
            assert!((found - expected).abs() < 1e-10, "{d}: {found} {expected}");
            // A shift changes nothing, a scale adds its logarithm for every dimension, however large.
            for scale in [4.0, 1e200, 1e-200] {
                let other = Mat::from_fn(300, d, |i, j| scale * (x[(i, j)] + 2.0));
                let moved = gaussian_entropy(other.as_ref(), &run).unwrap();
                assert!((moved - found - d as f64 * f64::log2(scale)).abs() < 1e-9, "{d} {scale:e}");
            }
        }
    }

    #[test]
    fn points_that_do_not_fill_their_dimensions_have_none() {
        let run = Run::new();
        let x = cloud(50, 2, 5);
        let flat = Mat::from_fn(50, 3, |i, j| x[(i, j % 2)]);
        assert_eq!(gaussian_entropy(flat.as_ref(), &run), Ok(f64::NEG_INFINITY));
        assert_eq!(gaussian_entropy(Mat::<f64>::zeros(9, 2).as_ref(), &run), Ok(f64::NEG_INFINITY));
        assert!(gaussian_entropy(Mat::<f64>::zeros(1, 2).as_ref(), &run).is_err());
    }
}
