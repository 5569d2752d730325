//! LTSA: each neighborhood's embedding is to be an affine image of its tangent coordinates (Maaten eq. 19, as
//! corrected: the `d` leading left singular vectors of the centered neighborhood).

use super::alignment::{self, Penalties};
use super::neighborhood::{self, Neighborhoods};
use crate::extension::Tangent;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use ndarray::ArrayView2;

/// The fewest neighbors, and the formula they come from.
pub(super) fn least(d: usize) -> (usize, &'static str) {
    (d + 2, "n_components + 2")
}

/// The alignment matrix: the sum over all neighborhoods of `I - [1/sqrt k, V][1/sqrt k, V]'`, with `V` the
/// orthonormal tangent coordinates in `d` dimensions, or in fewer where the neighborhood has fewer.
///
/// With `k = d + 1` every term would vanish, so `k` must be at least `d + 2`.
///
/// # Errors
/// Too small a neighborhood; more dimensions than columns; neighborhoods of other points; cancellation.
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
            penalties.push(list.iter().copied(), list.len(), &tangent.affine(), &[]);
        }
    };
    let penalties = alignment::collect(n, local, run)?;
    alignment::sum(n, &penalties, run)
}

pub(super) fn check_dimensions<T>(points: &ArrayView2<'_, T>, d: usize) -> Result<()> {
    if d == 0 || d > points.ncols() {
        let bound = format!("from 1 to the number of columns, {}", points.ncols());
        return Err(Error::too_many_components(d, points.ncols(), bound, "columns"));
    }
    Ok(())
}
