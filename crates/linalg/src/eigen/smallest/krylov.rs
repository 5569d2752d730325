//! Block Lanczos with full reorthogonalization on a transform of the matrix (its shifted inverse, or a
//! polynomial of it) whose largest eigenvalues belong to the smallest of the matrix.

use super::block;
use crate::eigen::graded;
use crate::eigen::pace::Pace;
use crate::orthonormal::{self, Extension};
use crate::tall;
use faer::{Mat, MatRef};
use lowland_base::{Result, Run};
use rand::Rng;

/// A symmetric map with the eigenvectors of the matrix, the wanted ones at its upper end.
pub(super) trait Transform {
    /// The map of a block stored row by row.
    fn apply(&mut self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()>;
}

/// Up to this dimension the projected matrix is decomposed after every step.
const SMALL: usize = 48;
/// The residual of the transform, relative to the pair's own eigenvalue, of pairs that are wanted only roughly: the error of the
/// eigenvalue is of the order of its square.
pub(super) const ROUGHLY: f64 = 0.1;

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
    /// How many more are wanted with a residual of [`ROUGHLY`].
    pub rough: usize,
    /// Whether it reports how far it is: where the whole iteration is one cycle, or a few.
    pub reports_progress: bool,
}

/// The leading pairs of the transform.
pub(super) struct Leading {
    /// Orthonormal columns, and combinations of these: the Ritz vectors, the leading one first.
    basis: Mat<f64>,
    combinations: Mat<f64>,
    /// The eigenvalues of the transform that are known at least roughly, descending.
    pub values: Vec<f64>,
    /// Whether the wanted ones reached the goal.
    pub converged: bool,
    /// How many blocks were transformed.
    pub steps: usize,
}

impl Leading {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.combinations.ncols()
    }

    /// The first `count` Ritz vectors; the basis goes.
    pub fn vectors(self, count: usize, run: &Run) -> Result<Mat<f64>> {
        let basis = self.basis.subcols(0, self.combinations.nrows());
        tall::combine(basis, self.combinations.subcols(0, count), run)
    }
}

/// The bytes of a Krylov space of this dimension, its work space and its Ritz vectors.
pub(super) fn memory(n: usize, dimension: usize, width: usize) -> u64 {
    (size_of::<f64>() * n * (dimension + 7 * width)) as u64
}

impl Cycle {
    /// Builds the Krylov space of `start` until the wanted pairs converge or the dimension is used up.
    ///
    /// The projected matrix is computed, not assumed tridiagonal, so `start` may be anything: random
    /// columns, the Ritz vectors of an earlier cycle, or both side by side. A column that depends on the
    /// others is replaced by a random one.
    pub fn expand(
        &self,
        transform: &mut dyn Transform,
        start: Mat<f64>,
        rng: &mut impl Rng,
        run: &Run,
    ) -> Result<Leading> {
        // One that reports its own progress has loops that are silent.
        let run = &if self.reports_progress { run.with_silent_loops() } else { run.clone() };
        let n = start.nrows();
        let dimension = self.dimension.min(n);
        let mut width = start.ncols().min(dimension);
        let bytes = memory(n, dimension, width);
        run.reserve("the Krylov basis", bytes, "ask for fewer pairs")?;
        let mut basis = Mat::zeros(n, dimension + width);
        let mut projected = Mat::<f64>::zeros(dimension, dimension);
        basis.as_mut().subcols_mut(0, width).copy_from(start.subcols(0, width));
        orthonormal::extend(basis.as_mut().subcols_mut(0, width), 0, 0, 0.0, rng, run)?;
        let (mut used, mut steps, mut local) = (0, 0, 0);
        let (mut pace, mut first, mut share) = (Pace::default(), 1.0f64, 0.0f64);
        loop {
            // The block at `used` joins the basis; its image, made orthonormal, is the next.
            let image = applied(transform, basis.subcols(used, width), run)?;
            steps += 1;
            let (last, end) = (used, used + width);
            let next = width.min(dimension - end);
            let mut columns = basis.as_mut().subcols_mut(0, end + width);
            columns.as_mut().subcols_mut(end, width).copy_from(&image);
            // By the recurrence of Lanczos only the block itself and the one before it are in its image.
            let Extension { inside, triangle, fresh } =
                orthonormal::extend(columns, end, local, 0.0, rng, run)?;
            local = last;
            for j in 0..width {
                for i in 0..end {
                    // Within the block itself both halves are computed: their mean is the symmetric part.
                    let mirror = if i < last { inside[(i, j)] } else { inside[(last + j, i - last)] };
                    let value = 0.5 * (inside[(i, j)] + mirror);
                    projected[(i, last + j)] = value;
                    projected[(last + j, i)] = value;
                }
            }
            used = end;
            let exhausted = next == 0;
            let is_due = exhausted || fresh == width || used <= SMALL || steps >= pace.next;
            if used >= (self.wanted + self.rough).min(dimension) && is_due {
                let square = projected.submatrix(0, 0, used, used).to_owned();
                let (values, vectors) = graded::largest(square, self.kept.min(used), run)?;
                let excess = |i: usize| {
                    let part = vectors.submatrix(last, i, width, 1);
                    let ratio = coupling_norm(triangle.as_ref(), part) / values[i].abs();
                    let exact = self.goal.min(self.goal_per_value * values[i].abs()).max(16.0 * f64::EPSILON);
                    ratio / if i < self.wanted { exact } else { ROUGHLY.max(exact) }
                };
                let larger =
                    |worst: f64, excess: f64| if excess <= worst || worst.is_nan() { worst } else { excess };
                let exact = (0..self.wanted.min(values.len())).map(excess).fold(0.0, larger);
                let last_wanted = (self.wanted + self.rough).min(values.len());
                let worst = (self.wanted..last_wanted).map(excess).fold(exact, larger);
                let converged = fresh == width || exact <= 1.0;
                pace.note(steps, worst);
                first = first.max(worst);
                if self.reports_progress && first > 1.0 && first.is_finite() {
                    // From the first residual to the wanted one, on a logarithmic scale.
                    share = share.max((first / worst.max(1.0)).ln() / first.ln());
                    run.share(share);
                }
                // What is wanted roughly is waited for, but not in another cycle.
                if fresh == width || worst <= 1.0 || exhausted {
                    let rough = (0..values.len()).take_while(|&i| excess(i) <= 1.0).count();
                    let values = values[..rough].to_vec();
                    return Ok(Leading { basis, combinations: vectors, values, converged, steps });
                }
            }
            width = next;
        }
    }
}

/// The part of the image of a Ritz vector outside the basis, from the vector's entries of the last block.
fn coupling_norm(triangle: MatRef<'_, f64>, part: MatRef<'_, f64>) -> f64 {
    let entry = |i: usize| (i..part.nrows()).map(|k| triangle[(i, k)] * part[(k, 0)]).sum::<f64>();
    (0..part.nrows()).map(|i| entry(i).powi(2)).sum::<f64>().sqrt()
}

/// The transform of a block of columns.
pub(super) fn applied(transform: &mut dyn Transform, x: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
    run.check()?;
    let (n, width) = (x.nrows(), x.ncols());
    let rows = block::to_rows(x, run)?;
    let mut out = vec![0.0; n * width];
    transform.apply(&rows, width, &mut out, run)?;
    block::from_rows(&out, n, width, run)
}
