//! Block Lanczos with full reorthogonalisation on a transform of the matrix (its shifted inverse, or a
//! polynomial of it) whose largest eigenvalues belong to the smallest of the matrix.

use super::{block, dense};
use faer::{Mat, MatRef};
use lowland_base::{Result, Run};
use rand::Rng;

/// A symmetric map with the eigenvectors of the matrix, the wanted ones at its upper end.
pub(super) trait Transform {
    /// The map of a block stored row by row.
    fn apply(&mut self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()>;
}

/// What one cycle is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cycle {
    /// How many leading pairs have to converge.
    pub wanted: usize,
    /// How many leading pairs are handed back.
    pub kept: usize,
    /// The dimension at which the cycle ends in any case.
    pub dimension: usize,
    /// The residual of the transform, relative to the pair's own eigenvalue, that counts as converged.
    pub goal: f64,
    /// A further bound on that ratio, divided by the pair's eigenvalue: for an inverse, one inverse
    /// iteration turns the ratio into a residual of the matrix smaller by that eigenvalue.
    pub goal_per_value: f64,
}

/// The leading pairs of the transform.
#[derive(Debug, Clone)]
pub(super) struct Leading {
    /// Orthonormal Ritz vectors, the leading one first.
    pub vectors: Mat<f64>,
    /// Whether the wanted ones reached the goal.
    pub converged: bool,
    /// How many blocks were transformed.
    pub steps: usize,
}

/// What remains of a column after orthogonalisation below this fraction is rounding noise.
const NOISE: f64 = 1e-13;

impl Cycle {
    /// Builds the Krylov space of `start` until the wanted pairs converge or the dimension is used up.
    ///
    /// The projected matrix is computed, not assumed tridiagonal, so `start` may be anything: random
    /// columns, the Ritz vectors of an earlier cycle, or both side by side.
    pub fn expand(
        &self,
        transform: &mut dyn Transform,
        start: Mat<f64>,
        rng: &mut impl Rng,
        run: &Run,
    ) -> Result<Leading> {
        let n = start.nrows();
        let dimension = self.dimension.min(n);
        let mut basis = Mat::zeros(n, dimension);
        let mut projected = Mat::<f64>::zeros(dimension, dimension);
        let sizes = block::norms(start.as_ref());
        let (mut next, _) = block::orthonormalise(start, &sizes, NOISE);
        let (mut used, mut steps) = (0, 0);
        loop {
            let width = next.ncols().min(dimension - used);
            let next_part = next.subcols(0, width);
            basis.as_mut().subcols_mut(used, width).copy_from(next_part);
            let mut image = applied(transform, next_part, run)?;
            steps += 1;
            let sizes = block::norms(image.as_ref());
            let inside = block::project_out(basis.subcols(0, used + width), image.as_mut(), run)?;
            for j in 0..width {
                for i in 0..used + width {
                    // Within the block itself both halves are computed: their mean is the symmetric part.
                    let value = if i < used {
                        inside[(i, j)]
                    } else {
                        0.5 * (inside[(i, j)] + inside[(used + j, i - used)])
                    };
                    projected[(i, used + j)] = value;
                    projected[(used + j, i)] = value;
                }
            }
            let last = used;
            used += width;
            let (fresh, coupling) = block::orthonormalise(image, &sizes, NOISE);
            let exhausted = used == dimension;
            let invariant = fresh.ncols() == 0;
            if used >= self.wanted.min(n) {
                let square = projected.submatrix(0, 0, used, used).to_owned();
                let (values, vectors) = dense::leading_of_graded(square, self.kept.min(used), run)?;
                let converged = invariant
                    || (0..self.wanted.min(used)).all(|i| {
                        let ratio =
                            coupling_norm(coupling.as_ref(), vectors.as_ref(), last, i) / values[i].abs();
                        ratio <= self.goal.min(self.goal_per_value * values[i].abs()).max(16.0 * f64::EPSILON)
                    });
                if converged || exhausted {
                    let vectors = block::combine(basis.subcols(0, used), vectors.as_ref(), run)?;
                    return Ok(Leading { vectors, converged, steps });
                }
            }
            next = if invariant { replacement(basis.subcols(0, used), width, rng, run)? } else { fresh };
        }
    }
}

/// Random columns orthogonal to an invariant subspace that is too small.
fn replacement(basis: MatRef<'_, f64>, width: usize, rng: &mut impl Rng, run: &Run) -> Result<Mat<f64>> {
    let mut fresh = block::random(basis.nrows(), width.min(basis.nrows() - basis.ncols()), rng);
    let sizes = block::norms(fresh.as_ref());
    block::project_out(basis, fresh.as_mut(), run)?;
    Ok(block::orthonormalise(fresh, &sizes, NOISE).0)
}

/// The part of the image of Ritz vector `i` outside the basis.
fn coupling_norm(coupling: MatRef<'_, f64>, vectors: MatRef<'_, f64>, last: usize, i: usize) -> f64 {
    let mut square = 0.0;
    for r in 0..coupling.nrows() {
        let sum: f64 = (0..coupling.ncols()).map(|c| coupling[(r, c)] * vectors[(last + c, i)]).sum();
        square += sum * sum;
    }
    square.sqrt()
}

/// The transform of a block of columns.
pub(super) fn applied(transform: &mut dyn Transform, x: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
    run.check()?;
    let (n, width) = (x.nrows(), x.ncols());
    let rows = block::to_rows(x);
    let mut out = vec![0.0; n * width];
    transform.apply(&rows, width, &mut out, run)?;
    Ok(block::from_rows(&out, n, width))
}
