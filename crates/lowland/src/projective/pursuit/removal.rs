//! Structure removal (Friedman 1987): what a projection shows is made Gaussian, and nothing else is changed, so that the next
//! search finds something else.

use crate::projective::whitened::Whitened;
use lowland_base::{Result, Run};
use ndarray::Array2;
use std::f64::consts::{FRAC_PI_8, PI, SQRT_2};

/// So many times a plane is made Gaussian along each of its axes, turned by so many steps of an eighth of a right angle.
const ROUNDS: usize = 8;
const TURNS: usize = 4;

/// Makes the projections on one direction, or on the plane of two, Gaussian.
pub(crate) fn remove(z: &mut Whitened, directions: &Array2<f64>, run: &Run) -> Result<()> {
    let before: Vec<Vec<f64>> =
        directions.rows().into_iter().map(|row| z.project(&row.to_vec(), run)).collect::<Result<_>>()?;
    let mut after = before.clone();
    match &mut after[..] {
        [a, b] => {
            for _ in 0..ROUNDS {
                run.check()?;
                for turn in 0..TURNS {
                    let angle = turn as f64 * FRAC_PI_8;
                    rotate(a, b, angle);
                    (*a, *b) = (scores(a), scores(b));
                    rotate(a, b, -angle);
                }
            }
        }
        lines => lines.iter_mut().for_each(|y| *y = scores(y)),
    }
    for ((direction, before), after) in directions.rows().into_iter().zip(&before).zip(&after) {
        for ((row, before), after) in z.rows.chunks_exact_mut(z.rank).zip(before).zip(after) {
            row.iter_mut().zip(direction).for_each(|(x, w)| *x += (after - before) * w);
        }
    }
    Ok(())
}

fn rotate(a: &mut [f64], b: &mut [f64], angle: f64) {
    let (sine, cosine) = angle.sin_cos();
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

/// The normal scores, with variance 1: Gaussian quantiles in the order of the numbers. Equal numbers have one score.
fn scores(y: &[f64]) -> Vec<f64> {
    let n = y.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| y[i].total_cmp(&y[j]));
    let mut scores = vec![0.0; n];
    let mut start = 0;
    while start < n {
        let alike = order[start..].iter().take_while(|&&i| y[i] == y[order[start]]).count();
        let middle = start as f64 + alike as f64 / 2.0;
        let score = normal_quantile(middle / n as f64);
        order[start..start + alike].iter().for_each(|&i| scores[i] = score);
        start += alike;
    }
    let variance = scores.iter().map(|score| score * score).sum::<f64>() / n as f64;
    // Numbers that are all the same have the score 0, but for rounding.
    let scale = if variance > 1e-12 { 1.0 / variance.sqrt() } else { 0.0 };
    scores.iter_mut().for_each(|score| *score *= scale);
    scores
}

/// Where the normal distribution has this probability below it, between 0 and 1.
fn normal_quantile(p: f64) -> f64 {
    let below = p.min(1.0 - p);
    // To three digits (Abramowitz and Stegun 26.2.23), and by Halley's steps to all.
    let t = (-2.0 * below.ln()).sqrt();
    let mut x = (2.515517 + t * (0.802853 + t * 0.010328))
        / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
        - t;
    for _ in 0..2 {
        let error = 0.5 * libm::erfc(-x / SQRT_2) - below;
        let step = error * (2.0 * PI).sqrt() * (0.5 * x * x).exp();
        x -= step / (1.0 + 0.5 * x * step);
    }
    if p < 0.5 { x } else { -x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        // By scipy.special.ndtri.
        for (p, x) in [
            (1e-9, -5.997807015007687),
            (0.025, -1.9599639845400545),
            (0.3, -0.5244005127080409),
            (0.5, 0.0),
            (0.9, 1.2815515655446004),
            (0.999, 3.090232306167813),
        ] {
            assert!((normal_quantile(p) - x).abs() < 1e-12, "{p}: {}", normal_quantile(p));
        }
        let tied = scores(&[3.0, 1.0, 1.0, 7.0]);
        assert!(tied[1] == tied[2] && tied[1] < tied[0] && tied[0] < tied[3]);
        assert_eq!(scores(&[2.0; 5]), [0.0; 5]);
    }
}
