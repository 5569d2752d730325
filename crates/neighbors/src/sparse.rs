//! The nearest neighbors of sparse rows, exactly, for metrics that follow from inner products. The products of a row with
//! all others are summed column by column; what they leave in doubt is measured entry by entry.

use crate::index::check_k;
use crate::nearest::{Nearest, by_distance};
use crate::{Metric, Table};
use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Error, Result, Run};
use std::cmp::Ordering;

/// Queries a chunk.
const CHUNK: usize = 32;
/// How far inner products may be off, relative to the squared norms: generous for thousands of entries a row.
const DOUBT: f64 = 1e-12;

/// Sparse rows that neighbors are searched among.
#[derive(Debug, Clone)]
pub struct SparseIndex {
    rows: Prepared,
    columns: Csr<f64>,
    metric: Metric,
}

/// Rows as the metric sees them, with their squared norms.
#[derive(Debug, Clone)]
struct Prepared {
    rows: Csr<f64>,
    squares: Vec<f64>,
}

impl SparseIndex {
    /// For the Euclidean metric, its square and the cosine.
    pub fn new(rows: &Csr<f64>, metric: Metric) -> Result<Self> {
        if !matches!(metric, Metric::Euclidean | Metric::SquaredEuclidean | Metric::Cosine) {
            let problem = format!("metric = {metric} does not take sparse rows");
            let remedy = "choose euclidean, sqeuclidean or cosine, or give dense rows";
            return Err(Error::conflict("metric", problem, remedy));
        }
        let rows = Prepared::new(rows, metric)?;
        let columns = rows.rows.transpose();
        Ok(Self { rows, columns, metric })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.squares.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.squares.is_empty()
    }

    /// The distance of two rows, by number.
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        self.between(self.rows.row(i), self.rows.row(j))
    }

    /// The `k` nearest of every row, itself left out.
    pub fn k_nearest_of_all(&self, k: usize, run: &Run) -> Result<Table<f64>> {
        check_k(k, self.len().saturating_sub(1))?;
        self.search(&self.rows, k, true, run)
    }

    /// The `k` nearest of new rows.
    pub fn k_nearest(&self, queries: &Csr<f64>, k: usize, run: &Run) -> Result<Table<f64>> {
        check_k(k, self.len())?;
        if queries.ncols() != self.rows.rows.ncols() {
            let (expected, found) = (self.rows.rows.ncols(), queries.ncols());
            return Err(Error::Width { what: "rows", expected, found });
        }
        self.search(&Prepared::new(queries, self.metric)?, k, false, run)
    }

    fn search(&self, queries: &Prepared, k: usize, of_all: bool, run: &Run) -> Result<Table<f64>> {
        let count = queries.squares.len();
        let parts = map_chunks(run, count, CHUNK, |range| {
            let mut products = vec![0.0; self.len()];
            range.flat_map(|q| self.nearest(queries, q, k, of_all, &mut products)).collect::<Vec<_>>()
        })?;
        Ok(Table::collect(k, count, parts))
    }

    fn nearest(
        &self,
        queries: &Prepared,
        q: usize,
        k: usize,
        of_all: bool,
        products: &mut [f64],
    ) -> Vec<(f64, u32)> {
        products.fill(0.0);
        let (columns, values) = queries.rows.row(q);
        for (&column, &value) in columns.iter().zip(values) {
            let (rows, entries) = self.columns.row(column as usize);
            rows.iter().zip(entries).for_each(|(&i, &entry)| products[i as usize] += value * entry);
        }
        let own = queries.squares[q];
        let other = |i: usize| !(of_all && i == q);
        let squared = |i: usize| match self.metric {
            // As `between` has it: half of this is the distance of a zero row.
            Metric::Cosine if (own == 0.0) != (self.rows.squares[i] == 0.0) => 2.0,
            _ => (own + self.rows.squares[i] - 2.0 * products[i]).max(0.0),
        };
        let doubt = |i: usize| DOUBT * (own + self.rows.squares[i]);
        let mut bound = Nearest::new(k);
        (0..self.len()).filter(|&i| other(i)).for_each(|i| bound.push(squared(i) + doubt(i), i as u32));
        let limit = bound.limit();
        let candidates = (0..self.len()).filter(|&i| other(i) && squared(i) - doubt(i) <= limit);
        let mut found: Vec<(f64, u32)> =
            candidates.map(|i| (self.between(queries.row(q), self.rows.row(i)), i as u32)).collect();
        found.sort_unstable_by(by_distance);
        found.truncate(k);
        found
    }

    /// The distance of two prepared rows.
    fn between(&self, a: Row<'_>, b: Row<'_>) -> f64 {
        match self.metric {
            // The zero row has no angle: it is as far from every other as a right angle.
            Metric::Cosine if a.0.is_empty() != b.0.is_empty() => 1.0,
            Metric::Cosine => 0.5 * squared_difference(a, b),
            Metric::SquaredEuclidean => squared_difference(a, b),
            _ => squared_difference(a, b).sqrt(),
        }
    }
}

type Row<'a> = (&'a [u32], &'a [f64]);

impl Prepared {
    fn new(rows: &Csr<f64>, metric: Metric) -> Result<Self> {
        let n = rows.nrows();
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut squares = Vec::with_capacity(n);
        for i in 0..n {
            let (columns, entries) = rows.row(i);
            let largest = entries.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            // Scaled before it is squared.
            let norm = largest
                * entries.iter().map(|v| (v / largest.max(f64::MIN_POSITIVE)).powi(2)).sum::<f64>().sqrt();
            let unit = if metric == Metric::Cosine && norm > 0.0 { norm } else { 1.0 };
            for (&column, &value) in columns.iter().zip(entries) {
                if value != 0.0 {
                    indices.push(column);
                    values.push(value / unit);
                }
            }
            let begin = offsets[i];
            squares.push(values[begin..].iter().map(|v| v * v).sum());
            offsets.push(indices.len());
        }
        Ok(Self { rows: Csr::new(n, rows.ncols(), offsets, indices, values)?, squares })
    }

    fn row(&self, i: usize) -> Row<'_> {
        self.rows.row(i)
    }
}

fn squared_difference(a: Row<'_>, b: Row<'_>) -> f64 {
    let (mut x, mut y, mut sum) = (0, 0, 0.0);
    while x < a.0.len() || y < b.0.len() {
        let order = match (a.0.get(x), b.0.get(y)) {
            (Some(p), Some(q)) => p.cmp(q),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        let difference = match order {
            Ordering::Less => a.1[x],
            Ordering::Greater => b.1[y],
            Ordering::Equal => a.1[x] - b.1[y],
        };
        sum += difference * difference;
        x += usize::from(order != Ordering::Greater);
        y += usize::from(order != Ordering::Less);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index;
    use faer::Mat;
    use rand::Rng;

    #[test]
    fn sparse_rows_have_the_neighbors_of_dense_ones() {
        let run = Run::new();
        let mut rng = run.rng("sparse rows");
        for metric in [Metric::Euclidean, Metric::SquaredEuclidean, Metric::Cosine] {
            for (n, d) in [(60, 20), (90, 300)] {
                let mut dense = Mat::<f64>::zeros(n, d);
                for i in 0..n {
                    for _ in 0..7 {
                        let bits = rng.next_u64();
                        dense[(i, (bits >> 8) as usize % d)] = (bits & 0xff) as f64 / 64.0 - 2.0;
                    }
                }
                // A copy, and a row without entries.
                (0..d).for_each(|j| dense[(3, j)] = dense[(40, j)]);
                (0..d).for_each(|j| dense[(5, j)] = 0.0);
                let entries: Vec<(usize, usize, f64)> = (0..n)
                    .flat_map(|i| (0..d).map(move |j| (i, j)))
                    .filter(|&(i, j)| dense[(i, j)] != 0.0)
                    .map(|(i, j)| (i, j, dense[(i, j)]))
                    .collect();
                let sparse = Csr::from_entries(n, d, &entries).unwrap();
                let index = SparseIndex::new(&sparse, metric).unwrap();
                let reference = index::build(dense.as_ref(), metric, index::Choice::Brute, &run).unwrap();
                for (found, wanted) in [
                    (index.k_nearest_of_all(9, &run), reference.k_nearest_of_all(9, &run)),
                    (index.k_nearest(&sparse, 9, &run), reference.k_nearest(dense.as_ref(), 9, &run)),
                ] {
                    let (found, wanted) = (found.unwrap(), wanted.unwrap());
                    for (a, b) in found.distances.iter().zip(&wanted.distances) {
                        assert!((a - b).abs() <= 1e-12 * b.max(1.0), "{metric} {n} x {d}: {a} {b}");
                    }
                    assert!(
                        found
                            .distances
                            .iter()
                            .zip(&wanted.distances)
                            .all(|(a, b)| (*a == 0.0) == (*b == 0.0))
                    );
                }
            }
        }
        assert!(SparseIndex::new(&Csr::from_entries(2, 2, &[]).unwrap(), Metric::Manhattan).is_err());
    }
}
