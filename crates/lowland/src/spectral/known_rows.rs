//! Rows of a graph, looked up by their entries: a new row that equals that of a vertex is this vertex.

use lowland_base::Csr;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// How far lengths of one edge may be apart at least, relative to the longer: they may have been computed in two ways.
const ROUNDING: f64 = 1e-6;

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

    /// Rows of the lengths of edges, of which those of one edge are so far apart, relative to the longer. What a row has for
    /// itself is no edge.
    pub fn of_lengths(rows: Csr<f64>, apart: f64) -> Self {
        Self { rows, tolerance: apart.max(ROUNDING), zeros: true, index: OnceLock::new() }
    }

    /// How far two entries may be apart, relative to the larger.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// All rows.
    pub fn rows(&self) -> &Csr<f64> {
        &self.rows
    }

    /// The entries of a row that count.
    pub fn row(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> {
        let (to, values) = self.rows.row(vertex);
        let counts = move |&(column, value): &(u32, f64)| {
            if self.zeros { column as usize != vertex } else { value > 0.0 }
        };
        to.iter().copied().zip(values.iter().copied()).filter(counts)
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
        // The row of a vertex with what it has for itself: 0, or what was given.
        let own = |&&(vertex, length): &&(u32, f64)| {
            self.zeros
                && (length == 0.0 || self.own(vertex).is_some_and(|own| self.off(length, own).is_some()))
                && self.apart(entries, vertex as usize, Some(vertex)).is_some()
        };
        entries.iter().filter(own).map(|entry| entry.0 as usize).take(1).collect()
    }

    /// What a vertex was given for itself.
    fn own(&self, vertex: u32) -> Option<f64> {
        let (to, values) = self.rows.row(vertex as usize);
        to.binary_search(&vertex).ok().map(|at| values[at])
    }

    /// By how much two entries are apart, relative to the larger; `None` where that is too much.
    fn off(&self, a: f64, b: f64) -> Option<f64> {
        let largest = a.abs().max(b.abs());
        let off = if largest > 0.0 { (a - b).abs() / largest } else { 0.0 };
        (off <= self.tolerance).then_some(off)
    }

    /// By how much entries, but for that of one column, are apart from those of a vertex; `None` where that is too much.
    fn apart(&self, entries: &[(u32, f64)], vertex: usize, without: Option<u32>) -> Option<f64> {
        let mut row = self.row(vertex);
        let mut most = 0.0f64;
        for &(column, value) in entries.iter().filter(|entry| Some(entry.0) != without) {
            let (other, known) = row.next()?;
            if column != other {
                return None;
            }
            most = most.max(self.off(value, known)?);
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
        assert_eq!(known.find(&[(0, 1.0), (1, 0.0)]), [1]);
        assert_eq!(known.find(&[(0, 1.0), (1, 2.0)]), [1]);
        // A new vertex between 0 and 1, and one that 2 leads to.
        assert_eq!(known.find(&[(0, 1.0), (1, 5.0)]), [] as [usize; 0]);
        assert_eq!(known.find(&[(0, 1.0), (2, 1.0)]), [] as [usize; 0]);
        assert_eq!(known.find(&[]), [4]);
        assert_eq!(known.find(&[(0, 1.1)]), [] as [usize; 0]);
        assert_eq!(known.find(&[(2, 1.0)]), [] as [usize; 0]);
        // Whole numbers are not taken for rounded ones.
        let known = KnownRows::of_lengths(of(&[&[(1, 3000.0)], &[(0, 3000.0)]]), 0.0);
        assert_eq!(known.find(&[(0, 3001.0)]), [] as [usize; 0]);
        let known = KnownRows::of_lengths(of(&[&[(1, 3000.0)], &[(0, 3000.0)]]), 1e-3);
        assert_eq!(known.find(&[(0, 3001.0)]), [1]);
        // An affinity of 0 is none.
        let known = KnownRows::of_affinities(of(&[&[(0, 0.0), (1, 0.5)], &[(0, 0.5)], &[(1, 0.5)]]));
        assert_eq!(known.find(&[(1, 0.5)]), [0, 2]);
        assert_eq!(known.find(&[(1, 0.5 + 1e-12)]), [] as [usize; 0]);
    }
}
