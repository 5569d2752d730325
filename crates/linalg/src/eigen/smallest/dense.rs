//! The whole decomposition of a small dense matrix.

use super::block;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, diag::Diag};
use lowland_base::parallel::FAER;
use lowland_base::{Error, Result, Run};

/// Above this order a decomposition takes long enough for someone to want to stop it.
const SLOW: usize = 400;

/// All eigenvalues, ascending, with their vectors. The matrix is scaled by a power of two to entries of at
/// most one first: faer loses the vectors of badly scaled matrices without a word.
pub(super) fn symmetric(mut a: Mat<f64>, run: &Run) -> Result<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    let largest = a.col_iter().flat_map(|c| c.iter()).fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest == 0.0 {
        return Ok((vec![0.0; n], Mat::identity(n, n)));
    }
    let exponent = largest.log2().ceil().clamp(-1000.0, 1000.0) as i32;
    let (scale, inverse) = (2f64.powi(exponent), 2f64.powi(-exponent));
    a.col_iter_mut().flat_map(|c| c.iter_mut()).for_each(|v| *v *= inverse);
    let solve = move || {
        let (mut values, mut vectors) = (Diag::zeros(n), Mat::zeros(n, n));
        let par = if n > SLOW { FAER } else { faer::Par::Seq };
        let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, par, Default::default());
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        self_adjoint_evd(a.as_ref(), values.as_mut(), Some(vectors.as_mut()), par, stack, Default::default())
            .map(|()| (values, vectors))
    };
    let solved = if n > SLOW { run.interruptible(solve)? } else { solve() };
    let (values, vectors) = solved.map_err(|_| Error::NotConverged {
        what: "a dense eigenvalue decomposition".into(),
        residual: f64::NAN,
        tolerance: f64::EPSILON,
        steps: 0,
        remedy: "check the matrix for values that are not finite".into(),
        found: None,
    })?;
    Ok((values.column_vector().iter().map(|v| v * scale).collect(), vectors))
}

/// Eigenvalues below this fraction of the largest are found again without the larger ones.
const GRADE: f64 = 1e-4;

/// The `needed` largest pairs, descending, of a projected inverse, whose eigenvalues fall by many orders of
/// magnitude. A decomposition is exact to roundoff of the largest eigenvalue only, which would drown the
/// rest, so the space left beside the largest ones is decomposed again and again.
pub(super) fn leading_of_graded(a: Mat<f64>, needed: usize, run: &Run) -> Result<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    let (mut rest, mut space) = (a, Mat::identity(n, n));
    let (mut values, mut vectors) = (Vec::new(), Mat::zeros(n, needed));
    loop {
        let (found, turn) = symmetric(rest.clone(), run)?;
        let floor = GRADE * found[found.len() - 1];
        let left = found.partition_point(|&v| v < floor).min(found.len() - 1);
        let turned = block::combine(space.as_ref(), turn.as_ref(), run)?;
        for i in (left..found.len()).rev() {
            if values.len() < needed {
                vectors.col_mut(values.len()).copy_from(turned.col(i));
                values.push(found[i]);
            }
        }
        if values.len() >= needed || left == 0 {
            return Ok((values, vectors));
        }
        let turn = turn.subcols(0, left);
        let image = block::combine(rest.as_ref(), turn, run)?;
        rest = block::inner(turn, image.as_ref(), run)?;
        space = turned.subcols(0, left).to_owned();
    }
}
