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
    /// Made when it is first needed.
    index: OnceLock<Index>,
}

/// Where to look.
struct Index {
    /// Vertices with the same entries, to the bit.
    groups: Vec<Vec<usize>>,
    /// The groups by the hash of their columns, each with its first entry, in ascending order of it.
    by_columns: HashMap<u64, Vec<(f64, usize)>>,
}

impl KnownRows {
    /// Rows of affinities.
    pub fn of_affinities(rows: Csr<f64>) -> Self {
        Self { rows, tolerance: 0.0, zeros: false, index: OnceLock::new() }
    }

    /// Rows of the lengths of edges, which may be so far apart, relative to the longer. A row has no edge to itself.
    pub fn of_lengths(rows: Csr<f64>, tolerance: f64) -> Self {
        let rows = if (0..rows.nrows()).any(|i| has(&rows, i)) { without_diagonal(&rows) } else { rows };
        Self { rows, tolerance, zeros: true, index: OnceLock::new() }
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

    /// The vertices with just these entries. Those that have them to the bit go before those that have them but for rounding.
    pub fn find(&self, entries: &[(u32, f64)]) -> Vec<usize> {
        let index = self.index.get_or_init(|| self.index());
        let alike = index.by_columns.get(&of_columns(entries)).map_or(&[][..], Vec::as_slice);
        let first = first_of(entries);
        let off = self.tolerance * first.abs();
        let begin = alike.partition_point(|group| group.0 < first - 2.0 * off);
        let near = alike[begin..].iter().take_while(|group| group.0 <= first + 2.0 * off);
        let apart = |&(_, group): &(f64, usize)| {
            let vertex = *index.groups[group].first()?;
            Some((self.apart(entries, vertex, None)?, group))
        };
        let found: Vec<(f64, usize)> = near.filter_map(apart).collect();
        let least = found.iter().fold(f64::INFINITY, |least, found| least.min(found.0));
        if least.is_finite() {
            let best = found.iter().filter(|found| found.0 == least);
            let mut all: Vec<usize> = best.flat_map(|found| index.groups[found.1].iter().copied()).collect();
            all.sort_unstable();
            return all;
        }
        // An edge that leads to the vertex itself.
        let own = |&&(vertex, _): &&(u32, f64)| {
            self.zeros && self.apart(entries, vertex as usize, Some(vertex)).is_some()
        };
        entries.iter().filter(own).map(|entry| entry.0 as usize).take(1).collect()
    }

    /// By how much entries, but for that of one column, are apart from those of a vertex; `None` where that is too much.
    fn apart(&self, entries: &[(u32, f64)], vertex: usize, without: Option<u32>) -> Option<f64> {
        let mut row = self.row(vertex);
        let mut most = 0.0f64;
        for &(column, value) in entries.iter().filter(|entry| Some(entry.0) != without) {
            let (other, known) = row.next()?;
            let largest = value.abs().max(known.abs());
            let off = if largest > 0.0 { (value - known).abs() / largest } else { 0.0 };
            if column != other || off > self.tolerance {
                return None;
            }
            most = most.max(off);
        }
        row.next().is_none().then_some(most)
    }

    fn index(&self) -> Index {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut by_values: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut by_columns: HashMap<u64, Vec<(f64, usize)>> = HashMap::new();
        for vertex in 0..self.rows.nrows() {
            let entries: Vec<(u32, f64)> = self.row(vertex).collect();
            let mut hasher = DefaultHasher::new();
            entries.iter().for_each(|(column, value)| (column, value.to_bits()).hash(&mut hasher));
            let same = by_values.entry(hasher.finish()).or_default();
            let is_same = |&&group: &&usize| {
                let first = groups[group].first();
                first.is_some_and(|&first| self.row(first).eq(entries.iter().copied()))
            };
            if let Some(&group) = same.iter().find(is_same) {
                groups[group].push(vertex);
                continue;
            }
            same.push(groups.len());
            let alike = by_columns.entry(of_columns(&entries)).or_default();
            alike.push((first_of(&entries), groups.len()));
            groups.push(vec![vertex]);
        }
        by_columns.values_mut().for_each(|groups| groups.sort_by(|a, b| a.0.total_cmp(&b.0)));
        Index { groups, by_columns }
    }
}

/// What a row is looked up by: the columns of its entries.
fn of_columns(entries: &[(u32, f64)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    entries.iter().for_each(|(column, _)| column.hash(&mut hasher));
    hasher.finish()
}

fn first_of(entries: &[(u32, f64)]) -> f64 {
    entries.first().map_or(0.0, |entry| entry.1)
}

/// Whether a row has an entry in its own column.
fn has(rows: &Csr<f64>, row: usize) -> bool {
    rows.row(row).0.binary_search(&(row as u32)).is_ok()
}

fn without_diagonal(rows: &Csr<f64>) -> Csr<f64> {
    let entries = |row: usize| {
        let (columns, values) = rows.row(row);
        let all = columns.iter().map(|&column| column as usize).zip(values);
        all.filter(move |&(column, _)| column != row).map(move |(column, &value)| (row, column, value))
    };
    let kept: Vec<(usize, usize, f64)> = (0..rows.nrows()).flat_map(entries).collect();
    Csr::from_entries(rows.nrows(), rows.ncols(), &kept).unwrap_or_else(|_| rows.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[(u32, f64)]]) -> Csr<f64> {
        let entries: Vec<(usize, usize, f64)> = rows
            .iter()
            .enumerate()
            .flat_map(|(i, row)| row.iter().map(move |&(j, value)| (i, j as usize, value)))
            .collect();
        Csr::from_entries(rows.len(), rows.len(), &entries).unwrap()
    }

    #[test]
    fn the_nearest_rows_are_found_and_all_that_are_equal() {
        let rows = of(&[&[(0, 0.0), (1, 1.0)], &[(0, 1.0), (1, 2.0)], &[(0, 1.0)], &[(0, 1.0 + 1e-8)], &[]]);
        let known = KnownRows::of_lengths(rows, 1e-6);
        // Rows 1 and 2 are equal but for an edge of row 1 to itself, which does not count.
        assert_eq!(known.find(&[(0, 1.0)]), [1, 2]);
        assert_eq!(known.find(&[(0, 1.0 + 1e-8)]), [3]);
        assert_eq!(known.find(&[(0, 1.0 + 4e-9)]).len(), 2);
        assert_eq!(known.find(&[(1, 1.0)]), [0]);
        assert_eq!(known.find(&[(0, 0.0), (1, 1.0)]), [0]);
        assert_eq!(known.find(&[(0, 1.0), (1, 5.0)]), [1]);
        assert_eq!(known.find(&[]), [4]);
        assert_eq!(known.find(&[(0, 1.1)]), [] as [usize; 0]);
        assert_eq!(known.find(&[(2, 1.0)]), [] as [usize; 0]);
        // An affinity of 0 is none.
        let known = KnownRows::of_affinities(of(&[&[(0, 0.0), (1, 0.5)], &[(0, 0.5)], &[(1, 0.5)]]));
        assert_eq!(known.find(&[(1, 0.5)]), [0, 2]);
        assert_eq!(known.find(&[(1, 0.5 + 1e-12)]), [] as [usize; 0]);
    }
}
