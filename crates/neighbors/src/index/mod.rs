//! Indexes: structures that find the neighbors of a point. One trait, one suite of tests over all of them.

mod approximate;
mod brute;
mod objects;
#[cfg(test)]
mod tests;
mod tree;

use crate::metric::kernel::smallest_sound_sum;
use crate::{Metric, Rows, Table};
use faer::MatRef;
use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Error, Result, Run, Scalar, precompiled};

pub use approximate::Approximate;
pub use brute::Brute;
pub use objects::{Objects, precomputed};
pub use tree::Tree;

/// Finds neighbors among the rows it was built from.
pub trait Index<T: Scalar>: Send + Sync {
    /// The number of rows it holds.
    fn len(&self) -> usize;

    /// Whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `k` nearest of every row it holds. A row is never its own neighbor: that goes by index, not by
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
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Choice {
    /// The fastest for this size, width and metric: exact, unless looking at every pair of wide points would
    /// take longer than about ten seconds; then approximate with [`Approximate::DEFAULT_RECALL`].
    #[default]
    Auto,
    /// Every pair is looked at. Exact, for every metric.
    Brute,
    /// A k-d tree. Exact, for the Minkowski family.
    Tree,
    /// Clusters and projections, for the Euclidean family and angles.
    Approximate {
        /// The share of the true neighbors to find on average, above 0. With 1 every pair is looked at.
        recall: f64,
    },
}

/// Builds an index over the rows of `points`. All exact indexes give the same bits.
pub fn build<'a, T: Scalar>(
    points: MatRef<'a, T>,
    metric: Metric,
    choice: Choice,
    run: &Run,
) -> Result<Box<dyn Index<T> + 'a>> {
    T::run_precompiled::<Build>((points, metric, choice, run))
}

precompiled!(
    Build,
    both,
    build_in(points: MatRef<'a, T>, metric: Metric, choice: Choice, run: &'r Run) -> Result<Box<dyn Index<T> + 'a>>
);

fn build_in<'a, T: Scalar>(
    points: MatRef<'a, T>,
    metric: Metric,
    choice: Choice,
    run: &Run,
) -> Result<Box<dyn Index<T> + 'a>> {
    match choice {
        Choice::Auto => match build_in(points, metric, automatic(points, metric), run) {
            // What the approximate index cannot take, the exact one can.
            Err(Error::Unsupported { .. }) => build_in(points, metric, Choice::Brute, run),
            built => built,
        },
        Choice::Brute => Ok(Box::new(Brute::new(points, metric, run)?)),
        Choice::Tree => Ok(Box::new(Tree::new(points, metric, run)?)),
        Choice::Approximate { recall: 1.0 } => build_in(points, metric, Choice::Brute, run),
        Choice::Approximate { recall } => Ok(Box::new(Approximate::new(points, metric, recall, run)?)),
    }
}

/// As [`build`], an index that can be kept: it shares its rows with their owner, and borrows nothing.
pub fn build_shared<T: Scalar>(
    rows: &Rows<'static, T>,
    metric: Metric,
    choice: Choice,
    run: &Run,
) -> Result<Box<dyn Index<T>>> {
    let points = rows.columns().transpose();
    match choice {
        Choice::Auto => match build_shared(rows, metric, automatic(points, metric), run) {
            Err(Error::Unsupported { .. }) => build_shared(rows, metric, Choice::Brute, run),
            built => built,
        },
        Choice::Brute | Choice::Approximate { recall: 1.0 } => {
            Ok(Box::new(Brute::of_rows(rows.clone(), metric, run)?))
        }
        Choice::Tree => Ok(Box::new(Tree::of_rows(rows.clone(), metric, run)?)),
        Choice::Approximate { recall } => Ok(Box::new(Approximate::new(points, metric, recall, run)?)),
    }
}

/// Rows squared times columns from which on looking at every pair takes longer than about ten seconds on two
/// cores (20,000 x 784 took 3 s).
const LONG: f64 = 1e12;

/// Above how many columns trees are not worth their cells.
const WIDEST: usize = 8;

/// From how many rows of so many columns on the index that is chosen by itself is approximate.
pub fn approximate_from(columns: usize) -> Option<usize> {
    (columns > WIDEST).then(|| (LONG / columns as f64).sqrt().ceil() as usize)
}

/// The tree up to eight columns; beyond, the approximate index for large data. Measured: seconds of processor time, tree / brute, k = 12, uniform points,
/// the tree's worst case (on a manifold it does better):
///
/// | n      | D = 2 or 3    | 6           | 8           | 10          |
/// |--------|---------------|-------------|-------------|-------------|
/// |  1,000 | 0.001 / 0.004 |             | 0.003 / 0.006 | 0.004 / 0.005 |
/// |  4,000 | 0.006 / 0.045 |             | 0.020 / 0.048 | 0.031 / 0.047 |
/// | 20,000 | 0.023 / 0.34  | 0.13 / 0.40 | 0.39 / 0.40 | 0.60 / 0.40 |
/// | 50,000 | 0.09 / 1.3    |             | 1.2 / 1.4   | 2.3 / 1.5   |
fn automatic<T: Scalar>(points: MatRef<'_, T>, metric: Metric) -> Choice {
    // Where squares underflow the tree cannot leave anything out; the prefilter scales.
    let underflow = || {
        let largest =
            (0..points.ncols()).flat_map(|j| points.col(j).iter()).fold(T::zero(), |a, b| a.max(b.abs()));
        let resolved = largest * T::EPSILON;
        resolved * resolved < smallest_sound_sum()
    };
    if points.ncols() <= WIDEST && Tree::<T>::supports(metric) && !underflow() {
        Choice::Tree
    } else if points.ncols() as f64 * (points.nrows() as f64).powi(2) > LONG {
        Choice::Approximate { recall: Approximate::<T>::DEFAULT_RECALL }
    } else {
        Choice::Brute
    }
}

/// Points must have rows, columns, and finite values.
fn check_points<T: Scalar>(points: MatRef<'_, T>, run: &Run) -> Result<()> {
    let what = "points";
    if points.nrows() == 0 {
        return Err(Error::Empty { what, axis: "rows" });
    }
    if points.ncols() == 0 {
        return Err(Error::Empty { what, axis: "columns" });
    }
    if u32::try_from(points.nrows()).is_err() {
        return Err(Error::parameter(what, points.nrows(), "at most 4294967295 rows", "take a sample"));
    }
    check_finite(points, what, run)
}

fn check_finite<T: Scalar>(points: MatRef<'_, T>, what: &'static str, run: &Run) -> Result<()> {
    // Along the memory, without an early exit: this vectorizes.
    let lines = if points.col_stride().abs() == 1 { points.transpose() } else { points };
    let sound = map_chunks(run, lines.ncols(), 64, |range| {
        let values = lines.subcols(range.start, range.len());
        values.col_iter().all(|line| line.iter().fold(true, |sound, x| sound & x.is_finite()))
    })?;
    if sound.into_iter().all(|sound| sound) {
        return Ok(());
    }
    let cells = (0..points.nrows()).flat_map(|row| (0..points.ncols()).map(move |column| (row, column)));
    let mut wrong = cells.filter(|&cell| !points[cell].is_finite());
    let (row, column) = wrong.next().unwrap_or((0, 0));
    Err(Error::NotFinite { what, row, column, value: points[(row, column)].wide(), count: 1 + wrong.count() })
}

/// New points must have the width of the old ones, and finite values.
fn check_queries<T: Scalar>(queries: MatRef<'_, T>, width: usize, run: &Run) -> Result<()> {
    if queries.ncols() != width {
        return Err(Error::Width { what: "query points", expected: width, found: queries.ncols() });
    }
    check_finite(queries, "query points", run)
}

/// A point has `n - 1` neighbors among its own, a new point `n`.
pub(crate) fn check_k(k: usize, available: usize) -> Result<()> {
    if (1..=available).contains(&k) {
        return Ok(());
    }
    let remedy =
        if available == 0 { "give more points" } else { "ask for fewer neighbors, and for at least one" };
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
