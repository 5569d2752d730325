//! Indexes: structures that answer 'who is near?'. One trait, one suite of tests over all of them.

mod approximate;
mod brute;
mod objects;
#[cfg(test)]
mod tests;
mod tree;

use crate::{Metric, Table};
use faer::MatRef;
use lowland_base::{Csr, Error, Result, Run, Scalar};

pub use approximate::Approximate;
pub use brute::Brute;
pub use objects::{Objects, precomputed};
pub use tree::Tree;

/// Finds neighbours among the rows it was built from.
pub trait Index<T: Scalar>: Send + Sync {
    /// The number of rows it holds.
    fn len(&self) -> usize;

    /// Whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `k` nearest of every row it holds. A row is never its own neighbour: that goes by index, not by
    /// distance, for duplicates exist.
    fn k_nearest_of_all(&self, k: usize, run: &Run) -> Result<Table<T>>;

    /// The `k` nearest of new points.
    fn k_nearest(&self, queries: MatRef<'_, T>, k: usize, run: &Run) -> Result<Table<T>>;

    /// All within `radius` (inclusive) of every row it holds, itself left out; columns ascending.
    fn within_of_all(&self, radius: T, run: &Run) -> Result<Csr<T>>;

    /// All within `radius` (inclusive) of new points; columns ascending.
    fn within(&self, queries: MatRef<'_, T>, radius: T, run: &Run) -> Result<Csr<T>>;
}

/// Which index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// The fastest exact one for this size, width and metric.
    #[default]
    Auto,
    /// Every pair is looked at. Exact, for every metric.
    Brute,
    /// A k-d tree. Exact, for the Minkowski family.
    Tree,
}

/// The widest points for which the tree is chosen, and the fewest: see [`build`].
const TREE_WIDTH: usize = 10;
const TREE_ROWS: usize = 1_000;

/// Builds an index over the rows of `points`. All exact indexes give the same bits.
pub fn build<'a, T: Scalar>(
    points: MatRef<'a, T>,
    metric: Metric,
    choice: Choice,
    run: &Run,
) -> Result<Box<dyn Index<T> + 'a>> {
    let tree = match choice {
        Choice::Brute => false,
        Choice::Tree => true,
        Choice::Auto => {
            Tree::<T>::supports(metric) && points.ncols() <= TREE_WIDTH && points.nrows() >= TREE_ROWS
        }
    };
    if tree {
        Ok(Box::new(Tree::new(points, metric, run)?))
    } else {
        Ok(Box::new(Brute::new(points, metric, run)?))
    }
}

/// Points must have rows, columns, and finite values.
fn check_points<T: Scalar>(points: MatRef<'_, T>, what: &'static str) -> Result<()> {
    if points.nrows() == 0 {
        return Err(Error::Empty { what, axis: "rows" });
    }
    if points.ncols() == 0 {
        return Err(Error::Empty { what, axis: "columns" });
    }
    if u32::try_from(points.nrows()).is_err() {
        return Err(Error::parameter(what, points.nrows(), "at most 4294967295 rows", "take a sample"));
    }
    check_finite(points, what)
}

fn check_finite<T: Scalar>(points: MatRef<'_, T>, what: &'static str) -> Result<()> {
    let mut first = None;
    let mut count = 0;
    for row in 0..points.nrows() {
        for column in 0..points.ncols() {
            if !points[(row, column)].is_finite() {
                first.get_or_insert((row, column));
                count += 1;
            }
        }
    }
    match first {
        None => Ok(()),
        Some((row, column)) => {
            Err(Error::NotFinite { what, row, column, value: points[(row, column)].wide(), count })
        }
    }
}

/// New points must have the width of the old ones, and finite values.
fn check_queries<T: Scalar>(queries: MatRef<'_, T>, width: usize) -> Result<()> {
    if queries.ncols() != width {
        return Err(Error::Width { what: "query points", expected: width, found: queries.ncols() });
    }
    check_finite(queries, "query points")
}

/// A point has `n - 1` neighbours among its own, a new point `n`.
fn check_k(k: usize, available: usize) -> Result<()> {
    if (1..=available).contains(&k) {
        return Ok(());
    }
    let remedy =
        if available == 0 { "give more points" } else { "ask for fewer neighbours, and for at least one" };
    Err(Error::parameter("n_neighbors", k, format!("1 to {available}, the number of other points"), remedy))
}

fn check_radius<T: Scalar>(radius: T) -> Result<()> {
    if radius >= T::zero() {
        return Ok(());
    }
    Err(Error::parameter("radius", radius, "0 or more", "give a distance"))
}

/// A sparse matrix from entries in pieces; `mirrored` adds each entry's mirror image.
fn collect_csr<T: Scalar>(
    rows: usize,
    columns: usize,
    pieces: &[Vec<(u32, u32, T)>],
    mirrored: bool,
) -> Result<Csr<T>> {
    let mut offsets = vec![0_usize; rows + 1];
    for &(row, column, _) in pieces.iter().flatten() {
        offsets[row as usize + 1] += 1;
        if mirrored {
            offsets[column as usize + 1] += 1;
        }
    }
    for row in 0..rows {
        offsets[row + 1] += offsets[row];
    }
    let mut entries = vec![(0_u32, T::zero()); offsets[rows]];
    let mut next = offsets.clone();
    let mut put = |row: u32, column: u32, value: T| {
        entries[next[row as usize]] = (column, value);
        next[row as usize] += 1;
    };
    for &(row, column, value) in pieces.iter().flatten() {
        put(row, column, value);
        if mirrored {
            put(column, row, value);
        }
    }
    for row in 0..rows {
        entries[offsets[row]..offsets[row + 1]].sort_unstable_by_key(|entry| entry.0);
    }
    let (indices, values) = entries.into_iter().unzip();
    Csr::new(rows, columns, offsets, indices, values)
}
