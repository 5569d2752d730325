//! LLE: the weights that best rebuild each point from its neighbors (Bengio section 2.6).

use super::neighborhood::{self, Differences, Neighborhoods};
use super::small;
use lowland_base::{Csr, Error, Result, Run, Scalar, parallel};
use ndarray::{ArrayView1, ArrayView2};

/// Points that one task works on.
const POINTS: usize = 256;

/// The weights `W`: row `i` rebuilds point `i` from its neighbors, sums to one, and has no entry on the
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
    let n = points.nrows();
    check_reg(reg)?;
    neighborhood::check(n, lists, (1, "1"))?;
    let pieces = parallel::map_chunks(run, n, POINTS, |chunk| {
        let mut solver = Reconstruction::default();
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        let mut order: Vec<usize> = Vec::new();
        for i in chunk {
            let list = lists.of(i);
            let weights = solver.weights(&points, list, points.row(i), reg);
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
    for piece in pieces {
        indices.extend(piece.0);
        values.extend(piece.1);
    }
    Csr::new(n, n, offsets, indices, values)
}

/// The weights of a new point over its neighbors among `points`, by the same formula: the extension of Saul
/// and Roweis is the sum of their images with these weights. A point that coincides with neighbors is the first
/// of them (Bengio section 2.6: `w(x_j, x_i)` is 1 for `i = j` and 0 otherwise).
pub fn of_new_point<T: Scalar>(
    points: ArrayView2<'_, T>,
    list: &[u32],
    point: ArrayView1<'_, T>,
    reg: f64,
) -> Vec<f64> {
    if let Some(same) = list.iter().position(|&j| points.row(j as usize) == point) {
        return (0..list.len()).map(|a| if a == same { 1.0 } else { 0.0 }).collect();
    }
    Reconstruction::default().weights(&points, list, point, reg).to_vec()
}

pub(super) fn check_reg(reg: f64) -> Result<()> {
    if reg.is_finite() && reg >= 0.0 {
        return Ok(());
    }
    Err(Error::parameter("reg", reg, "0 or more, and finite", "the usual value is 0.001"))
}

/// Solves for the weights, with room that is used again.
#[derive(Debug, Default)]
pub(super) struct Reconstruction {
    differences: Differences,
    gram: Vec<f64>,
    work: Vec<f64>,
    weights: Vec<f64>,
}

impl Reconstruction {
    /// The weights of `list` that rebuild `point`.
    pub fn weights<T: Scalar>(
        &mut self,
        points: &ArrayView2<'_, T>,
        list: &[u32],
        point: ArrayView1<'_, T>,
        reg: f64,
    ) -> &[f64] {
        self.differences.read(points, list, point);
        let k = list.len();
        small::gram(&self.differences.rows, k, &mut self.gram);
        self.weights.clear();
        self.weights.resize(k, 1.0 / k as f64);
        let trace: f64 = (0..k).map(|a| self.gram[a * k + a]).sum();
        if trace == 0.0 {
            return &self.weights;
        }
        let rounding = k as f64 * f64::EPSILON * trace;
        let mut ridge = reg * trace;
        loop {
            self.work.clone_from(&self.gram);
            (0..k).for_each(|a| self.work[a * k + a] += ridge);
            if small::solve_for_ones(&mut self.work, k, rounding, &mut self.weights) || ridge > trace {
                break;
            }
            // Singular up to rounding: the smallest ridge that makes it definite.
            ridge = (4.0 * ridge).max(rounding);
        }
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= sum);
        &self.weights
    }
}
