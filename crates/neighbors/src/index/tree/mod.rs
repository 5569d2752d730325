//! A k-d tree: exact neighbors of points with few coordinates.

mod layout;
mod norm;
mod search;

use super::{Index, check_k, check_points, check_queries, check_radius, collect_csr};
use crate::nearest::Nearest;
use crate::{Metric, Rows, Table};
use faer::MatRef;
use layout::Layout;
use lowland_base::parallel::map_chunks;
use lowland_base::simd::vectorized;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use norm::Norm;
use search::{Search, Within};

/// The leaves of a task.
const TASK: usize = 32;

/// The exact index for the Minkowski family in few dimensions. The same bits as [`super::Brute`].
pub struct Tree<'a, T> {
    metric: Metric,
    rows: Rows<'a, T>,
    layout: Layout<T>,
}

impl<'a, T: Scalar> Tree<'a, T> {
    /// An index over the rows of `points`.
    pub fn new(points: MatRef<'a, T>, metric: Metric, run: &Run) -> Result<Self> {
        Self::checked(points, || Rows::new(points), metric, run)
    }

    /// As [`Tree::new`]; over shared rows it borrows nothing.
    pub fn of_rows(rows: Rows<'a, T>, metric: Metric, run: &Run) -> Result<Self> {
        let same = rows.clone();
        Self::checked(same.columns().transpose(), || rows, metric, run)
    }

    fn checked(
        points: MatRef<'_, T>,
        rows: impl FnOnce() -> Rows<'a, T>,
        metric: Metric,
        run: &Run,
    ) -> Result<Self> {
        let metric = metric.checked()?;
        if !Self::supports(metric) {
            return Err(Error::conflict(
                "metric",
                format!("metric = {metric} does not go with the tree index"),
                "use the brute index",
            ));
        }
        check_points(points, run)?;
        let needed = Self::forecast(points.nrows(), points.ncols(), 0);
        run.reserve("the tree", needed, "project the points to fewer columns")?;
        let rows = rows();
        let layout = Layout::new(&rows, run)?;
        Ok(Self { metric, rows, layout })
    }

    /// The bytes that building the tree, and finding `k` neighbors of every row with it, take at most.
    pub fn forecast(rows: usize, columns: usize, k: usize) -> u64 {
        let scalar = size_of::<T>() as u64;
        let (n, width, k) = (rows as u64, columns as u64, k as u64);
        // The rows, the leaves (half empty at worst) with their boxes, the order and the keys; the answers.
        n * (width * scalar * 4 + 2 * scalar + 16) + n * k * (3 * scalar + 12)
    }

    /// Whether the tree can work with this metric: it must grow with every coordinate's difference.
    pub fn supports(metric: Metric) -> bool {
        use Metric::*;
        matches!(metric, Euclidean | SquaredEuclidean | Manhattan | Chebyshev | Minkowski(_))
    }

    /// Refuses a search whose answers do not fit.
    fn reserve(&self, rows: usize, k: usize, run: &Run) -> Result<()> {
        let width = self.rows.width();
        let needed = Self::forecast(rows, width, k) - Self::forecast(rows, width, 0);
        run.reserve("the search for neighbors", needed, "ask for fewer neighbors")
    }

    /// Picks the norm, and lets the `job` run with it.
    fn with_norm<J: Job<T>>(&self, job: J) -> Result<J::Output> {
        match self.metric {
            Metric::SquaredEuclidean => job.run(self, norm::SquaredEuclidean),
            Metric::Manhattan => job.run(self, norm::Manhattan),
            Metric::Chebyshev => job.run(self, norm::Chebyshev),
            Metric::Minkowski(p) => job.run(self, norm::Minkowski(T::of(p))),
            _ => job.run(self, norm::Euclidean),
        }
    }

    /// The search of queries in their own layout; of the points themselves where there are none.
    fn search<'b, N>(&'b self, queries: Option<&'b (Rows<'b, T>, Layout<T>)>, norm: N) -> Search<'b, T, N> {
        let (query_rows, layout) =
            queries.map_or((&self.rows, &self.layout), |(rows, layout)| (rows, layout));
        Search {
            metric: self.metric,
            norm,
            points: &self.layout,
            point_rows: &self.rows,
            queries: layout,
            query_rows,
            same: queries.is_none(),
        }
    }
}

/// Something to do with the norm known at compile time.
trait Job<T: Scalar> {
    type Output;
    fn run<N: Norm<T>>(self, tree: &Tree<'_, T>, norm: N) -> Result<Self::Output>;
}

/// The nearest k.
struct KNearest<'a, T> {
    queries: Option<&'a (Rows<'a, T>, Layout<T>)>,
    k: usize,
    run: &'a Run,
}

impl<T: Scalar> Job<T> for KNearest<'_, T> {
    type Output = Table<T>;

    fn run<N: Norm<T>>(self, tree: &Tree<'_, T>, norm: N) -> Result<Table<T>> {
        let (k, run) = (self.k, self.run);
        let search = tree.search(self.queries, norm);
        let layout = search.queries;
        let pieces = map_chunks(run, layout.leaves, TASK, |leaves| {
            let queries = layout.starts[leaves.end] - layout.starts[leaves.start];
            let mut nearest = Vec::with_capacity(queries * k);
            let mut found = vec![Nearest::new(k); layout::LEAF];
            let mut stack = Vec::new();
            for leaf in leaves {
                run.check()?;
                found.iter_mut().for_each(Nearest::clear);
                vectorized(
                    #[inline(always)]
                    || search.leaf(leaf, &mut found, &mut stack),
                );
                for found in &mut found[..layout.points(leaf).len()] {
                    nearest.extend_from_slice(found.sorted());
                }
            }
            Ok(nearest)
        })?;
        let n = search.query_rows.len();
        let mut table = Table { k, indices: vec![0; n * k], distances: vec![T::zero(); n * k] };
        let mut queries = layout.order.iter();
        for piece in pieces {
            for (nearest, &query) in piece?.chunks_exact(k).zip(&mut queries) {
                for (e, &(distance, index)) in nearest.iter().enumerate() {
                    table.indices[query as usize * k + e] = index;
                    table.distances[query as usize * k + e] = distance;
                }
            }
        }
        Ok(table)
    }
}

/// All within a radius.
struct Radius<'a, T> {
    queries: Option<&'a (Rows<'a, T>, Layout<T>)>,
    radius: T,
    run: &'a Run,
}

impl<T: Scalar> Job<T> for Radius<'_, T> {
    type Output = Csr<T>;

    fn run<N: Norm<T>>(self, tree: &Tree<'_, T>, norm: N) -> Result<Csr<T>> {
        let (radius, run) = (self.radius, self.run);
        let search = tree.search(self.queries, norm);
        let pieces = map_chunks(run, search.queries.leaves, TASK, |leaves| {
            let mut all = Vec::new();
            let mut stack = Vec::new();
            for leaf in leaves {
                run.check()?;
                let mut within = Within { radius, found: Vec::new() };
                vectorized(
                    #[inline(always)]
                    || search.leaf(leaf, &mut within, &mut stack),
                );
                let queries = search.queries.points(leaf);
                let named = |(position, point, distance): (u32, u32, T)| {
                    (queries[position as usize], point, distance)
                };
                all.extend(within.found.into_iter().map(named));
            }
            Ok(all)
        })?;
        let pieces = pieces.into_iter().collect::<Result<Vec<_>>>()?;
        collect_csr(search.query_rows.len(), tree.rows.len(), &pieces, false)
    }
}

impl<T: Scalar> Index<T> for Tree<'_, T> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn k_nearest_of_all(&self, k: usize, run: &Run) -> Result<Table<T>> {
        check_k(k, self.len().saturating_sub(1))?;
        self.reserve(self.len(), k, run)?;
        self.with_norm(KNearest { queries: None, k, run })
    }

    fn k_nearest(&self, queries: MatRef<'_, T>, k: usize, run: &Run) -> Result<Table<T>> {
        check_k(k, self.len())?;
        check_queries(queries, self.rows.width(), run)?;
        self.reserve(queries.nrows(), k, run)?;
        let rows = Rows::new(queries);
        let layout = Layout::new(&rows, run)?;
        self.with_norm(KNearest { queries: Some(&(rows, layout)), k, run })
    }

    fn within_of_all(&self, radius: T, run: &Run) -> Result<Csr<T>> {
        check_radius(radius)?;
        self.with_norm(Radius { queries: None, radius, run })
    }

    fn within(&self, queries: MatRef<'_, T>, radius: T, run: &Run) -> Result<Csr<T>> {
        check_radius(radius)?;
        check_queries(queries, self.rows.width(), run)?;
        let rows = Rows::new(queries);
        let layout = Layout::new(&rows, run)?;
        self.with_norm(Radius { queries: Some(&(rows, layout)), radius, run })
    }
}
