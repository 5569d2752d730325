//! Points, seen through their distances.

use crate::count::{self, Prefilter};
use faer::MatRef;
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run, Scalar, precompiled};
use lowland_neighbors::index::{self, Choice, Tree};
use lowland_neighbors::{Index, Metric, Rows};

/// A set of points that is asked for distances only: the data or an embedding, in either precision.
pub trait Cloud: Sync {
    /// How many points.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distance of two points.
    fn distance(&self, i: usize, j: usize) -> f64;

    /// The `k` nearest of each of `rows`, itself left out, nearest first, ties by row number; and their distances.
    fn nearest(&self, rows: &[u32], k: usize, run: &Run) -> Result<(Vec<u32>, Vec<f64>)>;

    /// For each of `rows`, and each of its targets (as many for every row): how many other points come before it in
    /// the order by distance and row number.
    fn before(&self, rows: &[u32], targets: &[Target], run: &Run) -> Result<Vec<u32>>;
}

/// A rank in the order around a point: a distance and a row number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// The distance.
    pub distance: f64,
    /// The row; of equally far points, those with smaller numbers come before.
    pub row: u32,
}

/// The rows of a matrix, under a metric.
pub struct Points<'a, T> {
    matrix: MatRef<'a, T>,
    metric: Metric,
    rows: Rows<'a, T>,
    index: Box<dyn Index<T> + 'a>,
    prefilter: Option<Prefilter>,
}

/// Up to this many columns, the tree finds neighbors faster than looking at all pairs does.
const NARROW: usize = 8;

precompiled!(NewPoints, both, new_points(matrix: MatRef<'a, T>, metric: Metric, run: &'r Run) -> Result<Points<'a, T>>);

fn new_points<'a, T: Scalar>(matrix: MatRef<'a, T>, metric: Metric, run: &Run) -> Result<Points<'a, T>> {
    Points::new_in(matrix, metric, run)
}

precompiled!(
    NearestPoints,
    both,
    nearest_points(points: &'r Points<'r, T>, rows: &'r [u32], k: usize, run: &'r Run) -> Result<(Vec<u32>, Vec<f64>)>
);

fn nearest_points<T: Scalar>(
    points: &Points<'_, T>,
    rows: &[u32],
    k: usize,
    run: &Run,
) -> Result<(Vec<u32>, Vec<f64>)> {
    points.nearest_in(rows, k, run)
}

precompiled!(
    PointsBefore,
    both,
    points_before(points: &'r Points<'r, T>, rows: &'r [u32], targets: &'r [Target], run: &'r Run) -> Result<Vec<u32>>
);

fn points_before<T: Scalar>(
    points: &Points<'_, T>,
    rows: &[u32],
    targets: &[Target],
    run: &Run,
) -> Result<Vec<u32>> {
    count::before(points, points.prefilter.as_ref(), rows, targets, run)
}

impl<'a, T: Scalar> Points<'a, T> {
    /// The rows of a matrix of any layout; refuses what is empty or not finite.
    pub fn new(matrix: MatRef<'a, T>, metric: Metric, run: &Run) -> Result<Self> {
        T::run_precompiled::<NewPoints>((matrix, metric, run))
    }

    fn new_in(matrix: MatRef<'a, T>, metric: Metric, run: &Run) -> Result<Self> {
        let metric = metric.checked()?;
        let tree = matrix.ncols() <= NARROW && Tree::<T>::supports(metric) && matrix.nrows() > 0;
        let index = index::build(matrix, metric, if tree { Choice::Tree } else { Choice::Brute }, run)?;
        let rows = metric.prepare(matrix, run)?;
        let prefilter = Prefilter::new(&rows, metric, run)?;
        Ok(Self { matrix, metric, rows, index, prefilter })
    }

    fn nearest_in(&self, rows: &[u32], k: usize, run: &Run) -> Result<(Vec<u32>, Vec<f64>)> {
        let n = self.len();
        crate::estimate::check_k(k, n)?;
        if rows.len() == n && rows.iter().enumerate().all(|(i, &row)| i == row as usize) {
            let table = self.index.k_nearest_of_all(k, run)?;
            return Ok((table.indices, table.distances.iter().map(|d| d.wide()).collect()));
        }
        let queries =
            faer::Mat::from_fn(rows.len(), self.matrix.ncols(), |i, j| self.matrix[(rows[i] as usize, j)]);
        let table = self.index.k_nearest(queries.as_ref(), k + 1, run)?;
        let (mut indices, mut distances) = (Vec::with_capacity(rows.len() * k), Vec::new());
        for (q, &row) in rows.iter().enumerate() {
            let (found, far) = table.row(q);
            // Among many duplicates a row may not find itself; then the last goes.
            let own = found.iter().position(|&j| j == row).unwrap_or(k);
            indices
                .extend(found.iter().enumerate().filter(|(position, _)| *position != own).map(|(_, j)| *j));
            distances.extend(
                far.iter().enumerate().filter(|(position, _)| *position != own).map(|(_, d)| d.wide()),
            );
        }
        Ok((indices, distances))
    }
}

impl<T: Scalar> Cloud for Points<'_, T> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn distance(&self, i: usize, j: usize) -> f64 {
        self.metric.between(self.rows.row(i), self.rows.row(j)).wide()
    }

    fn nearest(&self, rows: &[u32], k: usize, run: &Run) -> Result<(Vec<u32>, Vec<f64>)> {
        T::run_precompiled::<NearestPoints>((self, rows, k, run))
    }

    fn before(&self, rows: &[u32], targets: &[Target], run: &Run) -> Result<Vec<u32>> {
        T::run_precompiled::<PointsBefore>((self, rows, targets, run))
    }
}

/// Points of which only the distances are known: a square matrix of them.
pub struct Distances<'a, T>(pub MatRef<'a, T>);

impl<T: Scalar> Cloud for Distances<'_, T> {
    fn len(&self) -> usize {
        self.0.nrows()
    }

    fn distance(&self, i: usize, j: usize) -> f64 {
        self.0[(i, j)].wide()
    }

    fn nearest(&self, rows: &[u32], k: usize, run: &Run) -> Result<(Vec<u32>, Vec<f64>)> {
        let n = self.len();
        crate::estimate::check_k(k, n)?;
        let parts = map_chunks(run, rows.len(), 64, |range| {
            let (mut indices, mut distances) = (Vec::new(), Vec::new());
            for &row in &rows[range] {
                let others = (0..n as u32).filter(|&j| j != row);
                let mut line: Vec<(f64, u32)> =
                    others.map(|j| (self.distance(row as usize, j as usize), j)).collect();
                let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
                line.select_nth_unstable_by(k - 1, order);
                line.truncate(k);
                line.sort_unstable_by(order);
                indices.extend(line.iter().map(|near| near.1));
                distances.extend(line.iter().map(|near| near.0));
            }
            (indices, distances)
        })?;
        let (indices, distances): (Vec<Vec<u32>>, Vec<Vec<f64>>) = parts.into_iter().unzip();
        Ok((indices.concat(), distances.concat()))
    }

    fn before(&self, rows: &[u32], targets: &[Target], run: &Run) -> Result<Vec<u32>> {
        count::before(self, None, rows, targets, run)
    }
}
