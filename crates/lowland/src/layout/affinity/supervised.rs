//! Labels in the fuzzy graph of UMAP (McInnes, Healy and Melville 2018): edges between rows of different labels become
//! weak, and every point keeps one of full weight.

use super::symmetrize;
use lowland_base::{Csr, Error, Result, Run};

/// The label of a row whose label is not known.
pub const UNKNOWN: i64 = -1;
/// How far apart two rows are of which one has no label: `exp(-1)` of the weight stays.
const UNKNOWN_DISTANCE: f64 = 1.0;

/// The graph with the labels taken into account. `weight` is from 0 (they do not count) to 1 (they alone count).
pub fn with_labels(graph: &Csr<f64>, labels: &[i64], weight: f64, run: &Run) -> Result<Csr<f64>> {
    if !(0.0..=1.0).contains(&weight) {
        return Err(Error::parameter("target_weight", weight, "0 to 1", "0.5 is usual"));
    }
    if weight == 0.0 {
        return Ok(graph.clone());
    }
    let far = if weight < 1.0 { 2.5 / (1.0 - weight) } else { f64::INFINITY };
    let factor = |i: usize, j: usize| match (labels[i], labels[j]) {
        (UNKNOWN, _) | (_, UNKNOWN) => (-UNKNOWN_DISTANCE).exp(),
        (a, b) if a == b => 1.0,
        _ => (-far).exp(),
    };
    let n = graph.nrows();
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let (columns, weights) = graph.row(i);
        let row: Vec<f64> = columns.iter().zip(weights).map(|(&j, w)| w * factor(i, j as usize)).collect();
        let largest = row.iter().fold(0.0_f64, |a, &b| a.max(b));
        for (&column, value) in columns.iter().zip(row) {
            if value > 0.0 {
                indices.push(column);
                values.push(value / largest);
            }
        }
        offsets.push(indices.len());
    }
    let local = Csr::new(n, n, offsets, indices, values)?;
    symmetrize(&local, |a, b| a + b - a * b, run)
}
