//! Whether neighbourhoods are as flat as the embedding asked for. Too many neighbours reach from one sheet of a folded
//! manifold to the next, and the embedding folds (Maaten section 7.2).

use super::neighbourhood::Neighbourhoods;
use super::tangent::Tangent;
use lowland_base::{Result, Run, parallel};
use ndarray::ArrayView2;

/// Neighbourhoods looked at.
const SAMPLE: usize = 500;
/// From this part of what a ball would have outside, the neighbourhoods are not flat.
const ROUND: f64 = 0.5;

/// The share of the variance that the median neighbourhood has outside its flattest `d`-plane, if that is nearer to
/// that of a ball than to none.
pub(super) fn not_flat(
    points: ArrayView2<'_, f64>,
    lists: &dyn Neighbourhoods,
    d: usize,
    run: &Run,
) -> Result<Option<f64>> {
    let n = points.nrows();
    let step = n.div_ceil(SAMPLE).max(1);
    let looked_at: Vec<usize> = (0..n).step_by(step).collect();
    let parts = parallel::map_chunks(run, looked_at.len(), 16, |range| {
        let mut tangent = Tangent::default();
        let mut shares = Vec::new();
        for &i in &looked_at[range] {
            let list = lists.of(i);
            let directions = points.ncols().min(list.len().saturating_sub(1));
            if directions > d {
                tangent.of(&points, list, points.row(i), d);
                let ball = (directions - d) as f64 / directions as f64;
                shares.extend(tangent.outside().map(|outside| (outside / ball, outside)));
            }
        }
        shares
    })?;
    let mut shares = parts.concat();
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median = shares.get(shares.len() / 2);
    Ok(median.filter(|median| median.0 > ROUND).map(|median| median.1))
}
