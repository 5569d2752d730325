//! The graphs of models in their files.

use crate::model::Archive;
use lowland_base::{Csr, Error, Result};

/// Into a model file, under names that begin with `prefix`.
pub(crate) fn save_graph(prefix: &str, graph: &Csr<f64>, archive: &mut Archive) {
    archive.put_sparse(&format!("{prefix}graph"), graph);
}

/// The matrix of a graph of `n` vertices, symmetric and without negative entries.
pub(crate) fn load_graph(prefix: &str, n: usize, archive: &Archive) -> Result<Csr<f64>> {
    let broken = |problem: String| Error::ModelFile { problem };
    let matrix = archive.sparse(&format!("{prefix}graph"))?;
    if (matrix.nrows(), matrix.ncols()) != (n, n) {
        let (rows, columns) = (matrix.nrows(), matrix.ncols());
        return Err(broken(format!("its graph is {rows} x {columns}, not {n} x {n}")));
    }
    if !matrix.is_symmetric() || matrix.values().iter().any(|&value| value < 0.0) {
        return Err(broken("its graph is not symmetric, or has negative entries".into()));
    }
    Ok(matrix)
}
