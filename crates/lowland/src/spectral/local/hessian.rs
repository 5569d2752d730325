//! Hessian LLE (Donoho and Grimes): the quadratic part of the embedding in each neighborhood's tangent
//! coordinates is penalized.

use super::alignment::{self, Penalties};
use super::neighborhood::{self, Neighborhoods};
use super::small::Basis;
use super::tangent::{Tangent, check_dimensions};
use lowland_base::{Csr, Result, Run, Scalar};
use ndarray::ArrayView2;

/// A product of coordinates that keeps less than this of its length beside the others is one of them.
const DEPENDENT: f64 = 1e-10;

/// The fewest neighbors, and the formula they come from.
pub(super) fn least(d: usize) -> (usize, &'static str) {
    (1 + d + d * (d + 1) / 2, "1 + n_components + n_components * (n_components + 1) / 2")
}

/// The alignment matrix: the sum over all neighborhoods of `Q Q'`, with `Q` an orthonormal basis of what the
/// `d (d + 1) / 2` products of tangent coordinates hold beside the constant and the coordinates themselves.
/// A neighborhood that does not determine a Hessian, for its rank is lower, its distinct points are too few or they
/// lie on one quadric, is to be embedded affinely, as in LTSA.
///
/// # Errors
/// A neighborhood of fewer than `1 + d + d (d + 1) / 2` points; more dimensions than columns; neighborhoods
/// of other points; cancellation.
pub fn alignment<T: Scalar>(
    points: ArrayView2<'_, T>,
    lists: &dyn Neighborhoods,
    d: usize,
    run: &Run,
) -> Result<Csr<f64>> {
    let n = points.nrows();
    check_dimensions(&points, d)?;
    neighborhood::check(n, lists, least(d))?;
    let orphan = alignment::orphans(lists);
    let local = |range: std::ops::Range<usize>, penalties: &mut Penalties| {
        let (mut tangent, mut list) = (Tangent::default(), Vec::new());
        for i in range {
            alignment::with_orphan(lists, &orphan, i, &mut list);
            tangent.of(&points, &list, points.row(i), d);
            let quadratic = products(&tangent);
            if quadratic.len() < d * (d + 1) / 2 * list.len() {
                penalties.push(list.iter().copied(), list.len(), &tangent.affine(), &[]);
            } else {
                penalties.push(list.iter().copied(), 0, &[], &quadratic);
            }
        }
    };
    let penalties = alignment::collect(n, local, run)?;
    alignment::sum(n, &penalties, run)
}

/// An orthonormal basis of the products of coordinates beside the affine functions. The product with the most
/// left goes first, and those with nothing left are left out.
fn products(tangent: &Tangent) -> Vec<f64> {
    let affine = tangent.affine();
    let affine_length = affine.len();
    let mut basis = Basis { columns: affine };
    let mut left: Vec<(Vec<f64>, f64)> = Vec::new();
    let mut longest = 0f64;
    for a in 0..tangent.dimensions {
        for b in 0..=a {
            let (x, y) = (tangent.vectors.vector(a), tangent.vectors.vector(b));
            let product: Vec<f64> = x.iter().zip(y).map(|(x, y)| x * y).collect();
            longest = longest.max(product.iter().map(|p| p * p).sum::<f64>().sqrt());
            left.push((product, 0.0));
        }
    }
    while !left.is_empty() {
        for (column, length) in &mut left {
            *length = basis.residual(column);
        }
        let best = (0..left.len()).fold(0, |best, c| if left[c].1 > left[best].1 { c } else { best });
        let (column, length) = left.swap_remove(best);
        if length <= DEPENDENT * longest {
            break;
        }
        basis.push(&column, length);
    }
    basis.columns.split_off(affine_length)
}
