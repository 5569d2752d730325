//! Sparse matrices in model files.

use crate::model::Archive;
use lowland_base::{Csr, Error, Result};

/// Into a model file, under names that begin with `prefix`.
pub(crate) fn save_graph(prefix: &str, graph: &Csr<f64>, archive: &mut Archive) {
    archive.put_indices(&format!("{prefix}graph_offsets"), graph.offsets());
    let columns: Vec<usize> = graph.indices().iter().map(|&column| column as usize).collect();
    archive.put_indices(&format!("{prefix}graph_columns"), &columns);
    archive.put_vector(&format!("{prefix}graph_lengths"), graph.values());
}

/// The matrix of a graph of `n` vertices, symmetric and without negative entries.
pub(crate) fn load_graph(prefix: &str, n: usize, archive: &Archive) -> Result<Csr<f64>> {
    let columns = archive.indices(&format!("{prefix}graph_columns"), n)?;
    let offsets = archive.indices(&format!("{prefix}graph_offsets"), columns.len() + 1)?;
    let lengths = archive.vector(&format!("{prefix}graph_lengths"), columns.len())?.to_vec();
    let columns = columns.into_iter().map(|column| column as u32).collect();
    let broken = |problem: String| Error::ModelFile { problem };
    let matrix = Csr::new(n, n, offsets, columns, lengths).map_err(|e| broken(e.to_string()))?;
    if !matrix.is_symmetric() || matrix.values().iter().any(|&value| value < 0.0) {
        return Err(broken("its graph is not symmetric, or has negative entries".into()));
    }
    Ok(matrix)
}
