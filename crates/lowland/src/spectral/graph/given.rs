//! Graphs from what is given as affinities: a weighted graph, or a matrix of similarities.

use crate::spectral::affinity::not_a_similarity;
use lowland_base::{Csr, Result};
use lowland_neighbors::Graph;
use ndarray::Array2;

/// Affinities of affinity zero are none.
pub(super) fn positive(weights: &Csr<f64>) -> Result<Csr<f64>> {
    let n = weights.nrows();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let (to, affinities) = weights.row(i);
        for (&j, &affinity) in to.iter().zip(affinities).filter(|entry| *entry.1 > 0.0) {
            columns.push(j);
            values.push(affinity);
        }
        offsets.push(columns.len());
    }
    Csr::new(n, n, offsets, columns, values)
}

/// The affinities of vertices with themselves; none where nobody has one.
pub(super) fn loops(weights: &Csr<f64>) -> Vec<f64> {
    let own = |i: usize| {
        let (to, affinities) = weights.row(i);
        to.binary_search(&(i as u32)).map_or(0.0, |place| affinities[place])
    };
    let all: Vec<f64> = (0..weights.nrows()).map(own).collect();
    if all.iter().any(|&affinity| affinity > 0.0) { all } else { Vec::new() }
}

/// The graph of a matrix of similarities, and its diagonal.
pub(super) fn similarities(kernel: &Array2<f64>) -> Result<(Graph<f64>, Vec<f64>)> {
    if let Some(((row, column), value)) = kernel.indexed_iter().find(|entry| *entry.1 < 0.0) {
        return Err(not_a_similarity(row, column, *value));
    }
    let n = kernel.nrows();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for (i, row) in kernel.rows().into_iter().enumerate() {
        for (j, &value) in row.iter().enumerate().filter(|&(j, &value)| value > 0.0 && j != i) {
            columns.push(j as u32);
            values.push(value);
        }
        offsets.push(columns.len());
    }
    let graph = Graph::from_csr(Csr::new(n, n, offsets, columns, values)?, Default::default())?;
    Ok((graph, kernel.diag().to_vec()))
}
