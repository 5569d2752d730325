//! Minka's choice of the number of components ("Automatic choice of dimensionality for PCA", NIPS 2000):
//! the Laplace approximation of the evidence for each rank.

/// The rank from 1 to D - 1 with the largest evidence, for the variances of all D directions (descending) of
/// `rows` points. With one direction there is nothing to choose. Only the first `sound` variances are more than
/// rounding: to keep a direction beyond them is no choice, and its evidence, a logarithm of zero, is none.
pub(crate) fn rank(variances: &[f64], rows: usize, sound: usize) -> usize {
    let evidence = log_evidence(variances, rows);
    let best =
        (0..evidence.len().min(sound)).max_by(|&a, &b| evidence[a].total_cmp(&evidence[b]).then(b.cmp(&a)));
    best.map_or(1, |best| best + 1)
}

/// The log evidence of ranks 1, 2, ..., D - 1. All sums over pairs of directions are carried from one rank to
/// the next, so that the whole costs D^2.
fn log_evidence(variances: &[f64], rows: usize) -> Vec<f64> {
    let d = variances.len();
    let n = rows as f64;
    let largest = variances.first().copied().unwrap_or(0.0);
    if d < 2 || largest <= 0.0 {
        return Vec::new();
    }
    // The evidence of every rank moves by the same constant when the data are scaled.
    let l: Vec<f64> = variances.iter().map(|v| (v / largest).max(f64::EPSILON)).collect();
    let gap = |i: usize, j: usize| (l[i] - l[j]).max(f64::EPSILON * l[i]);

    // of_rest[i]: the sum of ln(l_i - l_j) over the directions j that the rank leaves out.
    let mut of_rest: Vec<f64> = (0..d).map(|i| (i + 1..d).map(|j| gap(i, j).ln()).sum()).collect();
    let mut rest: f64 = l.iter().sum();
    let (mut volume, mut kept_logs, mut kept_pairs) = (0.0, 0.0, 0.0);
    let mut evidence = Vec::with_capacity(d - 1);
    for rank in 1..d {
        let new = rank - 1;
        let left_out = (d - rank) as f64;
        rest -= l[new];
        kept_logs += l[new].ln();
        let half = (d - new) as f64 / 2.0;
        volume += libm::lgamma(half) - half * std::f64::consts::PI.ln() - std::f64::consts::LN_2;
        for i in 0..new {
            let log_gap = gap(i, new).ln();
            of_rest[i] -= log_gap;
            kept_pairs += log_gap + (1.0 / l[new] - 1.0 / l[i]).max(f64::EPSILON / l[i]).ln();
        }
        let noise = (rest / left_out).max(f64::EPSILON);
        let pairs_with_rest: f64 = (0..rank)
            .map(|i| of_rest[i] + left_out * (1.0 / noise - 1.0 / l[i]).max(f64::EPSILON / l[i]).ln())
            .sum();
        let rank = rank as f64;
        let freedom = rank * d as f64 - rank * (rank + 1.0) / 2.0;
        let hessian = kept_pairs + pairs_with_rest + freedom * n.ln();
        evidence.push(
            volume - kept_logs * n / 2.0 - noise.ln() * n * left_out / 2.0
                + (2.0 * std::f64::consts::PI).ln() * (freedom + rank) / 2.0
                - hessian / 2.0
                - rank * n.ln() / 2.0,
        );
    }
    evidence
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula as it is printed, pair by pair.
    fn plain(l: &[f64], rank: usize, n: f64) -> f64 {
        let d = l.len();
        let noise = l[rank..].iter().sum::<f64>() / (d - rank) as f64;
        let pi = std::f64::consts::PI;
        let mut log = -(rank as f64) * 2f64.ln();
        for i in 1..=rank {
            let m = (d - i + 1) as f64;
            log += libm::lgamma(m / 2.0) - pi.ln() * m / 2.0;
        }
        log -= l[..rank].iter().map(|l| l.ln()).sum::<f64>() * n / 2.0;
        log -= noise.ln() * n * (d - rank) as f64 / 2.0;
        let m = (d * rank) as f64 - (rank * (rank + 1)) as f64 / 2.0;
        log += (2.0 * pi).ln() * (m + rank as f64) / 2.0;
        for i in 0..rank {
            for j in i + 1..d {
                let smoothed = if j < rank { l[j] } else { noise };
                log -= ((l[i] - l[j]) * (1.0 / smoothed - 1.0 / l[i])).ln() / 2.0 + n.ln() / 2.0;
            }
        }
        log - rank as f64 * n.ln() / 2.0
    }

    #[test]
    fn equals_the_printed_formula() {
        let l = [1.0, 0.7, 0.31, 0.2, 0.05, 0.04, 0.031, 0.02];
        let evidence = log_evidence(&l, 500);
        for rank in 1..l.len() {
            let expected = plain(&l, rank, 500.0);
            assert!((evidence[rank - 1] - expected).abs() < 1e-9 * expected.abs(), "rank {rank}");
        }
    }

    #[test]
    fn does_not_depend_on_the_scale_and_finds_a_clear_rank() {
        let l: Vec<f64> =
            (0..30).map(|i| if i < 4 { 10.0 - i as f64 } else { 1.0 - 0.02 * i as f64 }).collect();
        assert_eq!(rank(&l, 1000, 30), 4);
        let tiny: Vec<f64> = l.iter().map(|l| l * 1e-200).collect();
        assert_eq!(rank(&tiny, 1000, 30), 4);
        assert_eq!(rank(&[3.0], 10, 1), 1);
        assert_eq!(rank(&[0.0, 0.0], 10, 0), 1);
    }
}
