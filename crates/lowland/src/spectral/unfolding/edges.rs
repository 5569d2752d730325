//! The edges whose lengths are kept.

use crate::spectral::local::Neighborhoods;
use lowland_neighbors::{Graph, Metric};
use ndarray::ArrayView2;
use std::collections::HashSet;

/// An edge shorter than this share of the root mean square counts as that long: its ends are one point, but for rounding.
const SHORTEST: f64 = 1e-7;

/// The edges of the graph, and with `angles` also between all that are neighbors of one point: then its neighborhood is
/// rigid.
pub(super) fn of(
    graph: &Graph<f64>,
    points: ArrayView2<'_, f64>,
    lists: &dyn Neighborhoods,
    angles: bool,
) -> Vec<(u32, u32, f64)> {
    let mut edges = Vec::new();
    for i in 0..graph.len() {
        let (to, lengths) = graph.neighbors(i);
        let upper = to.iter().zip(lengths).filter(|(j, _)| **j as usize > i);
        edges.extend(upper.map(|(&j, &length)| (i as u32, j, length)));
    }
    if angles {
        let mut known: HashSet<(u32, u32)> = edges.iter().map(|&(i, j, _)| (i, j)).collect();
        let row = |i: u32| points.row(i as usize).to_vec();
        for point in 0..lists.count() {
            // Without those whose edge was cut as a short circuit.
            let kept = |j: &u32| graph.neighbors(point).0.binary_search(j).is_ok();
            let list: Vec<u32> = lists.of(point).iter().copied().filter(kept).collect();
            for (at, &i) in list.iter().enumerate() {
                for &j in &list[at + 1..] {
                    let pair = (i.min(j), i.max(j));
                    if known.insert(pair) {
                        edges.push((pair.0, pair.1, Metric::Euclidean.between(&row(i), &row(j))));
                    }
                }
            }
        }
    }
    let longest = edges.iter().fold(0.0f64, |most, edge| most.max(edge.2));
    let relative = |edge: &(u32, u32, f64)| (edge.2 / longest).powi(2);
    let mean = edges.iter().map(relative).sum::<f64>() / edges.len().max(1) as f64;
    let least = SHORTEST * longest * mean.sqrt();
    edges.iter_mut().for_each(|edge| edge.2 = edge.2.max(least));
    edges
}
