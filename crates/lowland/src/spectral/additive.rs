//! The additive constant: the least `c` for which `d + c` are distances between points (Cailliez 1983).

use super::Normalizer;
use lowland_base::{Error, Result, Run};
use lowland_linalg::operator::Packed;
use lowland_linalg::{Operator, Request, Which, eigen};

/// The least constant, 0 where none is needed. The centered matrix of `-(d + c)^2 / 2` is
/// `A + 2 c B + c^2 / 2` on the vectors of sum zero, with `A` and `B` those of `d^2` and `d`. A vector `y` makes it
/// negative until the larger root of `y'Ay + 2c y'By + c^2/2`, so that the constant is the largest root over all
/// vectors; from below, the root of the lowest eigenvector climbs to it.
pub(crate) fn constant(distances: &Packed<f64>, run: &Run) -> Result<f64> {
    const ROUNDS: usize = 100;
    let n = distances.order();
    let largest = (0..n).flat_map(|i| distances.row(i)).fold(0.0f64, f64::max);
    if n < 3 || largest == 0.0 {
        return Ok(0.0);
    }
    // In units of the largest distance, so that squares are safe.
    let (mut squares, mut plain) = (distances.clone(), distances.clone());
    squares.update(run, |_, row| row.iter_mut().for_each(|d| *d = -0.5 * (*d / largest).powi(2)))?;
    plain.update(run, |_, row| row.iter_mut().for_each(|d| *d *= -0.5 / largest))?;
    Normalizer::center(&mut squares, None, run)?;
    Normalizer::center(&mut plain, None, run)?;
    let form = |matrix: &Packed<f64>, y: &faer::Mat<f64>| -> Result<f64> {
        let product = matrix.times(y.as_ref(), run)?;
        Ok((0..n).map(|i| y[(i, 0)] * product[(i, 0)]).sum())
    };
    let mut c = 0.0;
    for _ in 0..ROUNDS {
        // The constant vector has eigenvalue 0 and must not be in the way: lift it out of the bottom.
        let lift = 1.0 / n as f64;
        let mut matrix = squares.clone();
        matrix.update(run, |i, row| {
            for (j, value) in row.iter_mut().enumerate() {
                *value += 2.0 * c * plain.get(i, j) + lift;
            }
            row[i] += 0.5 * c * c;
        })?;
        let lowest = eigen::solve(&matrix, &Request::new(1, Which::Smallest), run)?;
        let y = lowest.vectors;
        let (a, b) = (form(&squares, &y)?, 2.0 * form(&plain, &y)?);
        let discriminant = b * b - 2.0 * a;
        let root = if discriminant >= 0.0 { -b + discriminant.sqrt() } else { c };
        if root <= c * (1.0 + 1e-14) + 1e-15 {
            return Ok(c * largest);
        }
        c = root;
    }
    Err(Error::NotConverged {
        what: "the additive constant".into(),
        residual: f64::NAN,
        tolerance: 1e-14,
        steps: ROUNDS,
        remedy: "choose negative = shift instead".into(),
        found: None,
    })
}
