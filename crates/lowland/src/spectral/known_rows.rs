//! Rows of a graph, looked up by their entries: a new row that equals that of a vertex is this vertex.

use lowland_base::Csr;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// The rows of a graph.
pub(crate) struct KnownRows {
    rows: Csr<f64>,
    /// How far two entries may be apart, relative to the larger.
    tolerance: f64,
    /// Whether entries that are 0 count: lengths of edges do, affinities do not.
    zeros: bool,
    /// Made when it is first needed: the vertices by the hash of the columns of their rows.
    by_columns: OnceLock<HashMap<u64, Vec<usize>>>,
}

impl KnownRows {
    /// Rows of affinities.
    pub fn of_affinities(rows: Csr<f64>) -> Self {
        Self { rows, tolerance: 0.0, zeros: false, by_columns: OnceLock::new() }
    }

    /// Rows of the lengths of edges, which may be so far apart, relative to the longer.
    pub fn of_lengths(rows: Csr<f64>, tolerance: f64) -> Self {
        Self { rows, tolerance, zeros: true, by_columns: OnceLock::new() }
    }

    /// All rows.
    pub fn rows(&self) -> &Csr<f64> {
        &self.rows
    }

    /// The entries of a row that count.
    pub fn row(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> {
        let (to, values) = self.rows.row(vertex);
        to.iter().copied().zip(values.iter().copied()).filter(|entry| self.zeros || entry.1 > 0.0)
    }

    /// The vertices with just these entries.
    pub fn find(&self, entries: &[(u32, f64)]) -> Vec<usize> {
        let by_columns = self.by_columns.get_or_init(|| {
            let mut by_columns: HashMap<u64, Vec<usize>> = HashMap::new();
            (0..self.rows.nrows()).for_each(|i| by_columns.entry(hash(self.row(i))).or_default().push(i));
            by_columns
        });
        let alike = by_columns.get(&hash(entries.iter().copied())).map_or(&[][..], Vec::as_slice);
        let same = |(a, b): (&(u32, f64), (u32, f64))| {
            a.0 == b.0 && (a.1 - b.1).abs() <= self.tolerance * a.1.abs().max(b.1.abs())
        };
        let is =
            |&i: &usize| self.row(i).count() == entries.len() && entries.iter().zip(self.row(i)).all(same);
        alike.iter().copied().filter(is).collect()
    }
}

/// What a row is looked up by: the columns of its entries.
fn hash(row: impl Iterator<Item = (u32, f64)>) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.for_each(|(column, _)| column.hash(&mut hasher));
    hasher.finish()
}
