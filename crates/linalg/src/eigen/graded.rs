//! The decomposition of small matrices of any magnitude, and of graded ones.

use super::{Which, dense};
use crate::{scale, tall};
use faer::{Mat, MatRef};
use lowland_base::{Result, Run};

/// All pairs of a symmetric matrix, in the order of `which`. Its two halves may differ by rounding.
pub(crate) fn decompose(matrix: MatRef<'_, f64>, which: Which, run: &Run) -> Result<(Vec<f64>, Mat<f64>)> {
    let n = matrix.nrows();
    let mut mean = Mat::from_fn(n, n, |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]));
    let power = scale::exponent_to_one(scale::max_abs(mean.as_ref()));
    scale::scale_by_power(mean.as_mut(), power);
    let found = dense::decompose_finely(mean.as_ref(), n, which, run)?;
    Ok((found.values.into_iter().map(|value| scale::times_power(value, -power)).collect(), found.vectors))
}

/// Eigenvalues below this fraction of the largest are found again without the larger ones.
const GRADE: f64 = 1e-4;

/// The `needed` largest pairs, descending, of a projected inverse, whose eigenvalues fall by many orders of
/// magnitude. A decomposition is exact to roundoff of the largest eigenvalue only, which would drown the
/// rest, so the space left beside the largest ones is decomposed again and again.
pub(crate) fn largest(matrix: Mat<f64>, needed: usize, run: &Run) -> Result<(Vec<f64>, Mat<f64>)> {
    let n = matrix.nrows();
    let (mut rest, mut space) = (matrix, Mat::identity(n, n));
    let (mut values, mut vectors) = (Vec::new(), Mat::zeros(n, needed));
    loop {
        let (found, turn) = decompose(rest.as_ref(), Which::Largest, run)?;
        let floor = GRADE * found[0];
        let large = found.iter().take_while(|&&value| value >= floor).count().max(1);
        let turned = tall::combine(space.as_ref(), turn.as_ref(), run)?;
        for (i, &value) in found[..large].iter().enumerate().take(needed - values.len()) {
            vectors.col_mut(values.len()).copy_from(turned.col(i));
            values.push(value);
        }
        if values.len() >= needed || large == found.len() {
            return Ok((values, vectors));
        }
        let turn = turn.get(.., large..);
        let image = tall::combine(rest.as_ref(), turn, run)?;
        rest = tall::inner(turn, image.as_ref(), run)?;
        space = turned.get(.., large..).to_owned();
    }
}
