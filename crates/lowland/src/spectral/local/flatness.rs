//! Whether neighborhoods are as flat as the embedding asked for. Too many neighbors reach from one sheet of a folded
//! manifold to the next, and the embedding folds (Maaten section 7.2).

use super::neighborhood::Neighborhoods;
use super::tangent::Tangent;
use lowland_base::{Result, Run, parallel};
use lowland_neighbors::Graph;
use ndarray::ArrayView2;

/// Neighborhoods looked at.
const SAMPLE: usize = 500;
/// From this part of what a ball would have outside, the neighborhoods are not flat.
const ROUND: f64 = 0.5;
/// For the number of neighbors to be at fault, all of them must be at least so round, and the nearest few at most. The few
/// points nearest in a ball still have a third of it outside.
const FOLDED: f64 = 0.3;
const FLAT: f64 = 0.15;

/// The share of the variance that the median neighborhood has outside its flattest `d`-plane, if that is nearer to
/// that of a ball than to none.
pub(super) fn not_flat(
    points: ArrayView2<'_, f64>,
    lists: &dyn Neighborhoods,
    d: usize,
    run: &Run,
) -> Result<Option<f64>> {
    let median = median(points, |i| lists.of(i).to_vec(), d, run)?;
    Ok(median.filter(|median| median.0 > ROUND).map(|median| median.1))
}

/// The same for methods whose components are not the dimensions of a manifold: only where the nearest few neighbors
/// are flat is it the number of neighbors that is at fault, and not the data.
pub(crate) fn folded(
    points: ArrayView2<'_, f64>,
    graph: &Graph<f64>,
    d: usize,
    run: &Run,
) -> Result<Option<f64>> {
    let of = |i: usize| {
        let (to, lengths) = graph.neighbors(i);
        let mut list: Vec<(u32, f64)> = to.iter().copied().zip(lengths.iter().copied()).collect();
        list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        list.into_iter().map(|entry| entry.0).collect::<Vec<u32>>()
    };
    let few = 2 * d + 4;
    let first = |i: usize| {
        let mut list = of(i);
        list.truncate(few);
        list
    };
    let Some(all) = median(points, of, d, run)?.filter(|all| all.0 > FOLDED) else { return Ok(None) };
    let nearest = median(points, first, d, run)?;
    Ok(nearest.filter(|nearest| nearest.0 < FLAT).map(|_| all.1))
}

/// Of the median neighborhood of a sample: what is outside its flattest `d`-plane as a part of what a ball would have,
/// and as a share of its variance. Nothing where no neighborhood has more than `d` directions.
fn median(
    points: ArrayView2<'_, f64>,
    of: impl Fn(usize) -> Vec<u32> + Sync,
    d: usize,
    run: &Run,
) -> Result<Option<(f64, f64)>> {
    let n = points.nrows();
    let step = n.div_ceil(SAMPLE).max(1);
    let looked_at: Vec<usize> = (0..n).step_by(step).collect();
    let parts = parallel::map_chunks(run, looked_at.len(), 16, |range| {
        let mut tangent = Tangent::default();
        let mut shares = Vec::new();
        for &i in &looked_at[range] {
            let list = of(i);
            let directions = points.ncols().min(list.len().saturating_sub(1));
            if directions > d {
                tangent.of(&points, &list, points.row(i), d);
                let ball = (directions - d) as f64 / directions as f64;
                shares.extend(tangent.outside().map(|outside| (outside / ball, outside)));
            }
        }
        shares
    })?;
    let mut shares = parts.concat();
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(shares.get(shares.len() / 2).copied())
}
