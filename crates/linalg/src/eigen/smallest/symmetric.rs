//! What the solvers of this folder share: products, Rayleigh-Ritz, and the rounding of what was found to the
//! number type of the task.

use super::block;
use super::krylov::ROUGHLY;
use crate::eigen::pairs::residual_norms;
use crate::eigen::{Eigenpairs, Solved, Task, Which, graded};
use crate::{scale, tall};
use faer::{Mat, MatRef};
use lowland_base::{Result, Run, Scalar};

/// A symmetric matrix, scaled to moderate entries, known by its products.
pub(super) trait Symmetric: Sync {
    /// The number of rows.
    fn order(&self) -> usize;

    /// The power of two it was multiplied by.
    fn power(&self) -> i32;

    /// A lower bound of the 2-norm of the scaled matrix, so that a tolerance relative to it is never laxer
    /// than one relative to the norm.
    fn norm(&self) -> f64;

    /// An upper bound of the 2-norm, as far as one is known.
    fn bound(&self) -> f64;

    /// `out = A x` for a block stored row by row.
    fn multiply(&self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()>;

    /// `A x` for a block of columns.
    fn product(&self, x: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
        let (n, width) = (x.nrows(), x.ncols());
        let rows = block::to_rows(x, run)?;
        let mut out = vec![0.0; n * width];
        self.multiply(&rows, width, &mut out, run)?;
        block::from_rows(&out, n, width, run)
    }

    /// The best pairs within the span of orthonormal columns.
    fn rayleigh_ritz(&self, basis: Mat<f64>, steps: usize, run: &Run) -> Result<Found> {
        let image = self.product(basis.as_ref(), run)?;
        let projected = tall::inner(basis.as_ref(), image.as_ref(), run)?;
        let (values, turn) = graded::decompose(projected.as_ref(), Which::Smallest, run)?;
        let vectors = tall::combine(basis.as_ref(), turn.as_ref(), run)?;
        let image = tall::combine(image.as_ref(), turn.as_ref(), run)?;
        let residuals = residual_norms(image, &values, vectors.as_ref());
        Ok(Found { values, vectors, residuals, further: Vec::new(), steps })
    }
}

/// Approximate pairs of the scaled matrix, ascending.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Rayleigh quotients.
    pub values: Vec<f64>,
    /// Orthonormal columns.
    pub vectors: Mat<f64>,
    /// `|A v - l v|` of each; none of a decomposition as a whole, which [`finish`] measures.
    pub residuals: Vec<f64>,
    /// Eigenvalues that follow those asked for, roughly, where they are known without vectors.
    pub further: Vec<f64>,
    /// The steps it took.
    pub steps: usize,
}

impl Found {
    /// The largest residual of the first `count` pairs.
    pub fn worst(&self, count: usize) -> f64 {
        self.residuals[..count].iter().fold(0.0, |worst, &r| if r > worst || r.is_nan() { r } else { worst })
    }
}

/// The residuals that a solver works for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// How many pairs.
    pub count: usize,
    /// How many eigenvalues after those, roughly.
    pub further: usize,
    /// The residual wanted.
    pub wanted: f64,
    /// The residual that is taken when no more progress is made: what rounding allows.
    pub allowed: f64,
}

impl Goal {
    /// The goal of a task, for its scaled matrix.
    pub fn of<T: Scalar>(task: &Task<'_, T>, matrix: &dyn Symmetric) -> Self {
        let wanted = task.tolerance.max(2.0 * f64::EPSILON) * matrix.norm();
        Self { count: task.count, further: task.further, wanted, allowed: task.bound(matrix.norm()) }
    }
}

/// The first pairs, scaled back, rounded, signed, measured with the operator itself, and returned or refused.
pub(super) fn finish<T: Scalar>(
    task: &Task<'_, T>,
    matrix: &dyn Symmetric,
    found: &Found,
) -> Result<Solved<T>> {
    let power = -matrix.power();
    let values = found.values[..task.count].iter().map(|&v| T::of(scale::times_power(v, power))).collect();
    let vectors = Mat::from_fn(matrix.order(), task.count, |i, j| T::of(found.vectors[(i, j)]));
    let pairs = Eigenpairs::of(task.op, values, vectors, Which::Smallest, task.run)?;
    let bound = task.bound(scale::times_power(matrix.norm(), power));
    let remedy = "loosen the tolerance, or try another solver";
    let pairs = pairs.accept(bound, "the smallest eigenpairs", found.steps, remedy)?;
    let back = |value: f64| T::of(scale::times_power(value, power));
    if !found.further.is_empty() {
        return Ok((pairs, found.further.iter().map(|&value| back(value)).collect()));
    }
    // The error of a value is far below its residual.
    let allowed = task.bound(matrix.norm());
    let rough =
        |i: usize| found.residuals.get(i).is_none_or(|r| *r <= ROUGHLY * found.values[i].abs() + allowed);
    let last = (task.count + task.further).min(found.values.len());
    let further = (task.count..last).take_while(|&i| rough(i)).map(|i| back(found.values[i])).collect();
    Ok((pairs, further))
}
