//! LLE: the weights that best reconstruct each point from its neighbors (Bengio section 2.6).

use super::neighborhood::{self, Neighborhoods};
use crate::extension::Reconstruction;
use lowland_base::{Csr, Error, Result, Run, Scalar, parallel};
use ndarray::ArrayView2;

/// Points that one task works on.
const POINTS: usize = 256;

/// The weights `W`: row `i` reconstructs point `i` from its neighbors, sums to one, and has no entry on the
/// diagonal. The matrix of LLE is `(I - W)'(I - W)`.
///
/// `reg` times the trace of the local Gram matrix is added to its diagonal: `reg` is Bengio's `Delta^2 / k`, and
/// scikit-learn's `reg`. Where that is below rounding, as with `reg = 0` and more neighbors than columns, just
/// enough is added for a solution to exist. Neighbors that all coincide with the point get equal weights.
///
/// # Errors
/// A negative or infinite `reg`; a point without neighbors; neighborhoods of other points; cancellation.
pub fn matrix<T: Scalar>(
    points: ArrayView2<'_, T>,
    lists: &dyn Neighborhoods,
    reg: f64,
    run: &Run,
) -> Result<Csr<f64>> {
    assemble(points.nrows(), lists, reg, run, |solver, list, i, out| {
        out.extend_from_slice(solver.weights(&points, list, points.row(i), reg));
    })
}

/// The same of objects that are known by the distances between them: the inner products of the differences of a
/// neighborhood follow from its distances. Those of points give the weights of the points; those that no points have
/// may give an indefinite local Gram matrix, and then just enough is added to its diagonal.
///
/// # Errors
/// As [`matrix`].
pub fn of_distances(
    between: ArrayView2<'_, f64>,
    lists: &dyn Neighborhoods,
    reg: f64,
    run: &Run,
) -> Result<Csr<f64>> {
    assemble(between.nrows(), lists, reg, run, |solver, list, i, out| {
        let to: Vec<f64> = list.iter().map(|&j| between[(i, j as usize)]).collect();
        out.extend_from_slice(solver.weights_by_distances(&between, list, &to, reg));
    })
}

/// The sparse matrix of the weights that `of` appends for a neighborhood and its point.
fn assemble(
    n: usize,
    lists: &dyn Neighborhoods,
    reg: f64,
    run: &Run,
    of: impl Fn(&mut Reconstruction, &[u32], usize, &mut Vec<f64>) + Sync + Send,
) -> Result<Csr<f64>> {
    check_reg(reg)?;
    neighborhood::check(n, lists, (1, "1"))?;
    let parts = parallel::map_chunks(run, n, POINTS, |chunk| {
        let mut solver = Reconstruction::default();
        let mut weights = Vec::new();
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        let mut order: Vec<usize> = Vec::new();
        for i in chunk {
            let list = lists.of(i);
            weights.clear();
            of(&mut solver, list, i, &mut weights);
            order.clear();
            order.extend(0..list.len());
            order.sort_unstable_by_key(|&a| list[a]);
            indices.extend(order.iter().map(|&a| list[a]));
            values.extend(order.iter().map(|&a| weights[a]));
        }
        (indices, values)
    })?;
    let mut offsets = Vec::with_capacity(n + 1);
    offsets.push(0);
    offsets.extend((0..n).scan(0, |end, i| {
        *end += lists.of(i).len();
        Some(*end)
    }));
    let entries = offsets[n];
    let (mut indices, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    for (columns, weights) in parts {
        indices.extend(columns);
        values.extend(weights);
    }
    Csr::new(n, n, offsets, indices, values)
}

pub(super) fn check_reg(reg: f64) -> Result<()> {
    if reg.is_finite() && reg >= 0.0 {
        return Ok(());
    }
    Err(Error::parameter("reg", reg, "0 or more, and finite", "the usual value is 0.001"))
}
