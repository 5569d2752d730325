//! Modified LLE (Zhang and Wang): several independent sets of weights for each neighborhood, so that its
//! embedding is held in all directions that its own points do not fill.

use super::alignment::{self, Penalties};
use super::neighborhood::{self, Differences, Neighborhoods};
use super::small::{LeftVectors, dot};
use super::tangent::check_dimensions;
use super::weights::{Reconstruction, check_reg};
use lowland_base::{Csr, Result, Run, Scalar, parallel};
use ndarray::ArrayView2;

/// Points that one task works on in the first pass.
const POINTS: usize = 256;
/// The part of the constant below which its direction is rounding.
const TINY: f64 = 1e-12;

/// The fewest neighbors, and the formula they come from.
pub(super) fn least(d: usize) -> (usize, &'static str) {
    (d + 1, "n_components + 1")
}

/// The alignment matrix: the sum over all neighborhoods of `(W_s - 1 e')(W_s - 1 e')'` over its `s` weight
/// vectors, those of LLE among them. `reg` as for the weights of LLE.
///
/// # Errors
/// A neighborhood of fewer than `d + 1` points; more dimensions than columns; a negative or infinite `reg`;
/// neighborhoods of other points; cancellation.
pub fn alignment<T: Scalar>(
    points: ArrayView2<'_, T>,
    lists: &dyn Neighborhoods,
    d: usize,
    reg: f64,
    run: &Run,
) -> Result<Csr<f64>> {
    let n = points.nrows();
    check_reg(reg)?;
    check_dimensions(&points, d)?;
    neighborhood::check(n, lists, least(d))?;
    let ratios = parallel::map_chunks(run, n, POINTS, |chunk| {
        let mut spread = Spread::default();
        chunk
            .filter_map(|i| {
                spread.of(&points, lists.of(i), i);
                spread.ratio(d)
            })
            .collect::<Vec<f64>>()
    })?;
    let eta = median(ratios.into_iter().flatten().collect());
    let local = |range: std::ops::Range<usize>, penalties: &mut Penalties| {
        let mut spread = Spread::default();
        let mut solver = Reconstruction::default();
        for i in range {
            let list = lists.of(i);
            spread.of(&points, list, i);
            let weights = solver.weights(&points, list, points.row(i), reg);
            let (minus, plus) = spread.penalty(spread.filled(d, eta), weights);
            penalties.push(list.iter().copied().chain([i as u32]), list.len(), &minus, &plus);
        }
    };
    let penalties = alignment::collect(n, local, run)?;
    alignment::sum(n, &penalties, run)
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { 0.5 * (values[middle - 1] + values[middle]) }
}

/// How the neighbors spread around the point.
#[derive(Debug, Default)]
struct Spread {
    differences: Differences,
    vectors: LeftVectors,
}

impl Spread {
    fn of<T: Scalar>(&mut self, points: &ArrayView2<'_, T>, list: &[u32], point: usize) {
        self.differences.read(points, list, points.row(point));
        self.vectors.decompose(&mut self.differences.rows, list.len());
    }

    /// What lies outside the first `r` directions, divided by what lies inside.
    fn ratio(&self, r: usize) -> Option<f64> {
        let squares = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
        let values = &self.vectors.values;
        let inside = squares(&values[..r.min(values.len())]);
        (inside > 0.0).then(|| squares(&values[r.min(values.len())..]) / inside)
    }

    /// The number of directions that count as filled: the fewest, and `d` at least, that leave less than `eta`
    /// outside; one direction always stays to be held.
    fn filled(&self, d: usize, eta: f64) -> usize {
        let (k, most) = (self.differences.count, self.vectors.rank);
        let enough = (d..most).find(|&r| self.ratio(r).is_some_and(|ratio| ratio < eta));
        enough.unwrap_or(most).min(most).min(k - 1)
    }

    /// The penalty on the neighbors and then the point, as columns `F` and `G` of `E - F F' + G G'`.
    ///
    /// With `P` the projector on the `s` directions that are not filled and `alpha^2 = 1'P1 / s`, the weight
    /// vectors are `V H + (1 - alpha) w 1'`, where `V V' = P` and `H` reflects `V'1` to `alpha 1`. Their sum of
    /// squares depends on `P` alone: `P - g g' + s u u'`, with `g` the unit vector along `P 1` and
    /// `u = [(1 - alpha) w + g / sqrt s; -1]`.
    fn penalty(&self, filled: usize, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let k = weights.len();
        let free = (k - filled) as f64;
        let mut g = vec![1.0; k];
        self.project(filled, &mut g);
        let mut length = dot(&g, &g).sqrt();
        let alpha = length / free.sqrt();
        if alpha < TINY {
            // Any direction of the space serves: the one nearest to a neighbor.
            let filling = |a: usize| (0..filled).map(|c| self.vectors.vector(c)[a].powi(2)).sum::<f64>();
            let least = (0..k).fold(0, |least, a| if filling(a) < filling(least) { a } else { least });
            g.fill(0.0);
            g[least] = 1.0;
            self.project(filled, &mut g);
            length = dot(&g, &g).sqrt();
        }
        g.iter_mut().for_each(|x| *x /= length);
        let root = free.sqrt();
        let mut plus: Vec<f64> = g.iter().zip(weights).map(|(g, w)| root * (1.0 - alpha) * w + g).collect();
        plus.push(-root);
        let mut minus = Vec::with_capacity((filled + 1) * (k + 1));
        for column in (0..filled).map(|c| self.vectors.vector(c)).chain([&g[..]]) {
            minus.extend_from_slice(column);
            minus.push(0.0);
        }
        (minus, plus)
    }

    /// Takes the filled directions out, twice over.
    fn project(&self, filled: usize, x: &mut [f64]) {
        for _ in 0..2 {
            for vector in (0..filled).map(|c| self.vectors.vector(c)) {
                let part = dot(vector, x);
                x.iter_mut().zip(vector).for_each(|(x, v)| *x -= part * v);
            }
        }
    }
}
