//! The width of a Gaussian around a point that gives its neighbors a wanted perplexity.

use lowland_base::Scalar;

/// How close the entropy comes to the wanted one, relative to what rounding allows.
const TOLERANCE: f64 = 1e-12;

/// `p_j = exp(-beta d_j^2) / sum` with `beta` such that the perplexity `exp(H(p))` is as asked: bisection on `log beta`,
/// with Newton's steps where they stay inside. Where neighbors at the smallest distance alone have a larger perplexity,
/// they share all; where all distances are the same, all share.
pub fn conditional_row<T: Scalar>(distances: &[T], perplexity: f64) -> Vec<f64> {
    let k = distances.len();
    let least = distances.iter().fold(f64::INFINITY, |a, b| a.min(b.wide()));
    let most = distances.iter().fold(0.0_f64, |a, b| a.max(b.wide()));
    if k == 0 || most <= least || perplexity >= k as f64 {
        return vec![1.0 / k.max(1) as f64; k];
    }
    // Squares relative to the largest, less the smallest: neither the scale nor an offset of the distances matters.
    let squared: Vec<f64> = distances
        .iter()
        .map(|d| {
            let (near, far) = ((d.wide() - least) / most, (d.wide() + least) / most);
            near * far
        })
        .collect();
    let nearest = squared.iter().filter(|&&s| s == 0.0).count();
    if nearest as f64 >= perplexity {
        return squared.iter().map(|&s| if s == 0.0 { 1.0 / nearest as f64 } else { 0.0 }).collect();
    }
    let target = perplexity.ln();
    let mean = squared.iter().sum::<f64>() / k as f64;
    let mut log_beta = -mean.ln();
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut row = vec![0.0; k];
    for _ in 0..200 {
        let beta = log_beta.exp();
        let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
        for (p, &s) in row.iter_mut().zip(&squared) {
            *p = (-beta * s).exp();
            sum += *p;
            first += *p * s;
            second += *p * s * s;
        }
        let (first, second) = (first / sum, second / sum);
        let entropy = sum.ln() + beta * first;
        let excess = entropy - target;
        if excess.abs() <= TOLERANCE {
            break;
        }
        if excess > 0.0 {
            low = log_beta;
        } else {
            high = log_beta;
        }
        // dH / d log beta = -beta^2 Var(d^2).
        let newton = log_beta + excess / (beta * beta * (second - first * first));
        log_beta = if newton > low && newton < high && (newton - log_beta).abs() < 4.0 {
            newton
        } else if low.is_infinite() {
            high - 2.0
        } else if high.is_infinite() {
            low + 2.0
        } else {
            0.5 * (low + high)
        };
        if high - low <= 1e-15 * log_beta.abs().max(1.0) {
            break;
        }
    }
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|p| *p /= sum);
    row
}
