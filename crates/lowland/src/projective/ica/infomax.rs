//! Infomax (Bell and Sejnowski 1995; extended by Lee, Girolami and Sejnowski 1999): the unmixing `W` with the largest
//! likelihood `ln |det W| + sum_i E ln p_i(w_i'x)`, where the densities `p_i` are given: that of the logistic function, or,
//! for each component, one with heavy or one with light tails, as its projections have.
//!
//! The natural gradient is `(I - E[f(y) y']) W`, with `f = -p'/p`. Steps along it are divided by the curvature that the
//! likelihood has where components are independent, a block of two for each pair, and halved until the likelihood rises.

use super::{Contrast, Iteration, Unmixed, largest_change};
use crate::functions::tanh;
use crate::optimize::backtrack;
use crate::projective::inverse::inverse;
use crate::projective::whitened::{Whitened, decorrelated};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Stage};
use ndarray::Array2;

/// The least curvature of a pair of components.
const LEAST_CURVATURE: f64 = 0.05;
/// How often a step is halved.
const HALVINGS: usize = 12;

/// The density of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Density {
    /// The derivative of the logistic function: `f = tanh(y / 2)`.
    Logistic,
    /// Heavy tails: `f = y + tanh y`.
    Super,
    /// Light tails, two peaks: `f = y - tanh y`.
    Sub,
}

impl Density {
    /// `f(y)`, with `t` the hyperbolic tangent of `half()` times `y`.
    fn score(self, y: f64, t: f64) -> f64 {
        match self {
            Self::Logistic => t,
            Self::Super => y + t,
            Self::Sub => y - t,
        }
    }

    /// `f'(y)`.
    fn slope(self, t: f64) -> f64 {
        match self {
            Self::Logistic => 0.5 * (1.0 - t * t),
            Self::Super => 2.0 - t * t,
            Self::Sub => t * t,
        }
    }

    fn half(self) -> f64 {
        if self == Self::Logistic { 0.5 } else { 1.0 }
    }

    /// `-ln p` from the mean square and the mean `ln cosh` of `half()` times the projections, but for a constant.
    fn loss(self, square: f64, log_cosh: f64) -> f64 {
        match self {
            Self::Logistic => 2.0 * log_cosh,
            Self::Super => 0.5 * square + log_cosh,
            Self::Sub => 0.5 * square - log_cosh,
        }
    }
}

/// What all rows say of one unmixing.
struct State {
    w: Array2<f64>,
    /// `E[f(y) y'] - I`.
    gradient: Array2<f64>,
    /// `E[f'(y)]` and `E[f'(y) y^2]` of each component.
    slope: Vec<f64>,
    own: Vec<f64>,
    /// Minus the log-likelihood of a row, but for a constant.
    loss: f64,
}

impl Iteration {
    /// From a start with orthonormal rows.
    pub(super) fn infomax(
        &self,
        z: &Whitened,
        start: &Array2<f64>,
        extended: bool,
        stage: &Stage<'_>,
        run: &Run,
    ) -> Result<Unmixed> {
        let start = decorrelated(start, run)?;
        let mut densities = vec![Density::Logistic; start.nrows()];
        if extended {
            densities = by_tails(z, &start, run)?;
        }
        let mut state = State::at(z, start, &densities, run)?;
        let (mut change, mut steps, mut settled) = (f64::INFINITY, 0, false);
        let mut losses = Vec::new();
        while steps < self.steps && !(settled && change < self.tolerance) {
            steps += 1;
            let step = state.step();
            let direction = step.dot(&state.w);
            // Of the whole step, also where less of it is taken.
            change = largest_change(&unit_rows(&(&state.w + &direction)), &unit_rows(&state.w));
            let falls = |share: f64| {
                let next = State::at(z, &state.w + &(share * &direction), &densities, run)?;
                Ok((next.loss < state.loss).then_some(next))
            };
            let better = backtrack(1.0, HALVINGS, falls)?;
            let rose = better.is_some();
            if let Some((_, next)) = better {
                state = next;
            }
            stage.advance_with_loss(state.loss)?;
            losses.push((steps, state.loss));
            settled = true;
            if extended {
                let now = by_tails(z, &unit_rows(&state.w), run)?;
                settled = now == densities;
                if !settled {
                    densities = now;
                    state = State::at(z, state.w, &densities, run)?;
                }
            }
            // Rounding is all that is left.
            if settled && !rose {
                break;
            }
        }
        Ok(Unmixed { directions: unit_rows(&state.w), steps, change, losses })
    }
}

impl State {
    fn at(z: &Whitened, w: Array2<f64>, densities: &[Density], run: &Run) -> Result<Self> {
        let (k, n) = (w.nrows(), z.n as f64);
        let change = |y: &mut [f64], sums: &mut [f64]| {
            let mut t = y.to_vec();
            let halves: Vec<f64> = densities.iter().map(|density| density.half()).collect();
            for row in t.chunks_exact_mut(k) {
                row.iter_mut().zip(&halves).for_each(|(t, half)| *t *= half);
            }
            Contrast::Logcosh.add_up(&mut t.clone(), &mut sums[2 * k..], k);
            vectorized(
                #[inline(always)]
                || t.iter_mut().for_each(|t| *t = tanh(*t)),
            );
            let (slopes, own) = sums[..2 * k].split_at_mut(k);
            for (row, t) in y.chunks_exact_mut(k).zip(t.chunks_exact(k)) {
                for (i, (y, &t)) in row.iter_mut().zip(t).enumerate() {
                    let slope = densities[i].slope(t);
                    slopes[i] += slope;
                    own[i] += slope * *y * *y;
                    *y = densities[i].score(*y, t);
                }
            }
        };
        let (sum, more) = z.weighted_sums(&w, 3 * k, change, run)?;
        let mut gradient = (sum / n).dot(&w.t());
        gradient.diag_mut().mapv_inplace(|g| g - 1.0);
        let mean = |from: usize| more[from..from + k].iter().map(|sum| sum / n).collect::<Vec<f64>>();
        let squares = w.rows().into_iter().map(|w| w.dot(&w));
        let losses = densities.iter().zip(squares).zip(mean(2 * k));
        let fit: f64 = losses.map(|((density, square), log_cosh)| density.loss(square, log_cosh)).sum();
        // No unmixing is singular: its likelihood is zero.
        let loss = inverse(&w).map_or(f64::INFINITY, |(_, log_det)| fit - log_det);
        Ok(Self { slope: mean(0), own: mean(k), gradient, loss, w })
    }

    /// The step `D` of `W <- (I + D) W`: the gradient divided by the curvature of independent components,
    /// `E[f'(y_i)] E[y_j^2]` with 1 between `D_ij` and `D_ji`, raised where it is small or negative.
    fn step(&self) -> Array2<f64> {
        let k = self.w.nrows();
        let square = |i: usize| self.w.row(i).dot(&self.w.row(i));
        let mut step = Array2::zeros((k, k));
        for i in 0..k {
            step[(i, i)] = -self.gradient[(i, i)] / (1.0 + self.own[i]).max(LEAST_CURVATURE);
            for j in 0..i {
                let (mut a, mut b) = (self.slope[i] * square(j), self.slope[j] * square(i));
                let least = 0.5 * (a + b) - (0.25 * (a - b) * (a - b) + 1.0).sqrt();
                let raise = (LEAST_CURVATURE - least).max(0.0);
                (a, b) = (a + raise, b + raise);
                let (g, h) = (self.gradient[(i, j)], self.gradient[(j, i)]);
                step[(i, j)] = -(b * g - h) / (a * b - 1.0);
                step[(j, i)] = -(a * h - g) / (a * b - 1.0);
            }
        }
        step
    }
}

/// The density that suits each projection of variance 1: the switch of Lee, Girolami and Sejnowski.
fn by_tails(z: &Whitened, unit: &Array2<f64>, run: &Run) -> Result<Vec<Density>> {
    let k = unit.nrows();
    let add_up = |y: &mut [f64], sums: &mut [f64]| {
        let mut t = y.to_vec();
        vectorized(
            #[inline(always)]
            || t.iter_mut().for_each(|t| *t = tanh(*t)),
        );
        for (row, t) in y.chunks_exact(k).zip(t.chunks_exact(k)) {
            for ((sum, y), t) in sums.iter_mut().zip(row).zip(t) {
                *sum += 1.0 - t * t - y * t;
            }
        }
    };
    let sums = z.sums(unit, add_up, run)?;
    Ok(sums.into_iter().map(|sum| if sum > 0.0 { Density::Super } else { Density::Sub }).collect())
}

fn unit_rows(w: &Array2<f64>) -> Array2<f64> {
    let mut unit = w.clone();
    for mut row in unit.rows_mut() {
        let length = row.dot(&row).sqrt().max(f64::MIN_POSITIVE);
        row.mapv_inplace(|x| x / length);
    }
    unit
}
