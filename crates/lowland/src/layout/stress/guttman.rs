//! The Guttman transform `V⁺ B(Y) Y`: where the quadratic that touches the stress in `Y`, and lies above it everywhere else,
//! is least (de Leeuw 1977). `V` is the Laplacian of the weights.

use super::pairs::{Ends, Pairs};
use lowland_base::{Result, Run};

/// `sum_j w_ij (t_ij / d_ij) (y_i - y_j)`, that is `B(Y) Y`, and the raw stress `sum w (t - d)^2`.
#[inline(always)]
pub(crate) fn stress(squared: f64, target: f64, weight: f64) -> (f64, f64) {
    let distance = squared.sqrt();
    let ratio = if distance > 0.0 { weight * target / distance } else { 0.0 };
    let residual = target - distance;
    (ratio, weight * residual * residual)
}

/// `sum_j w_ij (y_i - y_j)`, that is `V Y`.
#[inline(always)]
fn laplacian(_squared: f64, _target: f64, weight: f64) -> (f64, f64) {
    (weight, 0.0)
}

/// The most steps of a solution, and the share of its residual where it ends: a step short of the exact transform
/// still lowers the quadratic, and so the stress.
const STEPS: usize = 30;
const ENOUGH: f64 = 0.03;

/// How `V` is inverted.
pub(crate) enum Inverse {
    /// All pairs weigh as much as their masses: a division.
    Uniform { total: f64 },
    /// Conjugate gradients, scaled by the diagonal of `V`.
    Iterated { diagonal: Vec<f64> },
}

impl Inverse {
    pub fn of(pairs: &Pairs, run: &Run) -> Result<Self> {
        if pairs.ends == Ends::All && pairs.weights.is_none() {
            let total = pairs.mass.as_ref().map_or(pairs.n as f64, |mass| mass.iter().sum());
            return Ok(Self::Uniform { total });
        }
        let mut diagonal = vec![0.0; pairs.n];
        run.check()?;
        pairs.each(0..pairs.len(), |index, i, j| {
            let weight = pairs.full_weight(index, i, j);
            diagonal[i] += weight;
            diagonal[j] += weight;
        });
        // A point without a pair stays where it is.
        diagonal.iter_mut().filter(|v| **v <= 0.0).for_each(|v| *v = 1.0);
        Ok(Self::Iterated { diagonal })
    }

    /// The transform, from `B(Y) Y`.
    pub fn transform<const D: usize>(
        &self,
        pairs: &Pairs,
        y: &[[f64; D]],
        pull: Vec<[f64; D]>,
        run: &Run,
    ) -> Result<Vec<[f64; D]>> {
        match self {
            Self::Uniform { total } => {
                let mut moved = pull;
                for (i, position) in moved.iter_mut().enumerate() {
                    let mass = pairs.mass.as_ref().map_or(1.0, |mass| mass[i]);
                    position.iter_mut().for_each(|x| *x /= total * mass);
                }
                Ok(moved)
            }
            Self::Iterated { diagonal } => solve(pairs, diagonal, y, &pull, run),
        }
    }
}

/// `V Y`.
pub(crate) fn times<const D: usize>(pairs: &Pairs, y: &[[f64; D]], run: &Run) -> Result<Vec<[f64; D]>> {
    Ok(pairs.sweep(y, &pairs.given, laplacian, run)?.pull)
}

/// `V z = b` by conjugate gradients from `y` on. The components are solved side by side, each with its own step.
fn solve<const D: usize>(
    pairs: &Pairs,
    diagonal: &[f64],
    y: &[[f64; D]],
    b: &[[f64; D]],
    run: &Run,
) -> Result<Vec<[f64; D]>> {
    let mut z = y.to_vec();
    let product = times(pairs, &z, run)?;
    let mut residual: Vec<[f64; D]> =
        b.iter().zip(&product).map(|(b, v)| std::array::from_fn(|c| b[c] - v[c])).collect();
    let scaled = |residual: &[[f64; D]]| -> Vec<[f64; D]> {
        residual.iter().zip(diagonal).map(|(r, v)| r.map(|r| r / v)).collect()
    };
    let mut direction = scaled(&residual);
    let mut size = inner(&residual, &direction);
    let first = size;
    for _ in 0..STEPS {
        let product = times(pairs, &direction, run)?;
        let curvature = inner(&direction, &product);
        let step: [f64; D] =
            std::array::from_fn(|c| if curvature[c] > 0.0 { size[c] / curvature[c] } else { 0.0 });
        for i in 0..z.len() {
            for c in 0..D {
                z[i][c] += step[c] * direction[i][c];
                residual[i][c] -= step[c] * product[i][c];
            }
        }
        let preconditioned = scaled(&residual);
        let next = inner(&residual, &preconditioned);
        if (0..D).all(|c| next[c] <= ENOUGH * ENOUGH * first[c]) {
            break;
        }
        for (p, q) in direction.iter_mut().zip(&preconditioned) {
            for c in 0..D {
                p[c] = q[c] + if size[c] > 0.0 { next[c] / size[c] * p[c] } else { 0.0 };
            }
        }
        size = next;
    }
    Ok(z)
}

fn inner<const D: usize>(a: &[[f64; D]], b: &[[f64; D]]) -> [f64; D] {
    let mut sums = [0.0; D];
    for (a, b) in a.iter().zip(b) {
        (0..D).for_each(|c| sums[c] += a[c] * b[c]);
    }
    sums
}
