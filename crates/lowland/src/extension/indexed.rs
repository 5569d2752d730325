//! Training points with the index that finds neighbors among them, built once.

use crate::matrix::faer_view;
use crate::model::Archive;
use lowland_base::{Csr, Result, Run};
use lowland_neighbors::index::{self, Choice};
use lowland_neighbors::{Index, Metric, Rows, SparseIndex, Table};
use ndarray::{Array2, ArrayView2};
use std::sync::{Arc, OnceLock};

/// Training points and their distances from a new point, nearest first.
pub(crate) type Neighbors = Vec<(u32, f64)>;

/// Points that new points find their neighbors among.
///
/// The index is built when neighbors are first asked for, also in a model that was loaded, and then kept for all batches.
/// It is built with the default seed: where it is approximate, what a new point gets must not depend on the run that
/// happened to come first.
pub(crate) struct IndexedPoints {
    values: Arc<Vec<f64>>,
    shape: (usize, usize),
    metric: Metric,
    index: OnceLock<Box<dyn Index<f64>>>,
}

impl IndexedPoints {
    pub fn new(points: Array2<f64>, metric: Metric) -> Self {
        let shape = points.dim();
        let values = if points.is_standard_layout() {
            let (mut values, start) = points.into_raw_vec_and_offset();
            // The array may be a part of its allocation.
            values.drain(..start.unwrap_or(0));
            values.truncate(shape.0 * shape.1);
            values
        } else {
            points.iter().copied().collect()
        };
        Self { values: Arc::new(values), shape, metric, index: OnceLock::new() }
    }

    pub fn len(&self) -> usize {
        self.shape.0
    }

    pub fn view(&self) -> ArrayView2<'_, f64> {
        // As many values as the shape says: it is that of the array they come from.
        ArrayView2::from_shape(self.shape, &self.values).unwrap_or_else(|_| ArrayView2::from(&[[]; 0]))
    }

    fn index(&self, run: &Run) -> Result<&dyn Index<f64>> {
        if let Some(index) = self.index.get() {
            return Ok(&**index);
        }
        let rows = Rows::shared(Arc::clone(&self.values), self.shape.1);
        let built = index::build_shared(&rows, self.metric, Choice::Auto, &run.clone().with_seed(0))?;
        // Another thread may have been faster: its index is the same.
        Ok(&**self.index.get_or_init(|| built))
    }

    /// The `k` nearest of each new point, or all points where there are fewer, as a table.
    pub fn table(&self, queries: ArrayView2<'_, f64>, k: usize, run: &Run) -> Result<Table<f64>> {
        self.index(run)?.k_nearest(faer_view(queries), k.min(self.len()), run)
    }

    /// The `k` nearest of each new point, or all points where there are fewer.
    pub fn nearest(&self, queries: ArrayView2<'_, f64>, k: usize, run: &Run) -> Result<Vec<Neighbors>> {
        let table = self.table(queries, k, run)?;
        let row = |query| {
            let (indices, distances): (&[u32], &[f64]) = table.row(query);
            indices.iter().copied().zip(distances.iter().copied()).collect()
        };
        Ok((0..queries.nrows()).map(row).collect())
    }

    /// All points within a radius of each new point; the nearest one where there is none.
    pub fn within(&self, queries: ArrayView2<'_, f64>, radius: f64, run: &Run) -> Result<Vec<Neighbors>> {
        let inside = self.index(run)?.within(faer_view(queries), radius, run)?;
        let mut lists = self.nearest(queries, 1, run)?;
        for (query, list) in lists.iter_mut().enumerate() {
            let (indices, distances) = inside.row(query);
            if !indices.is_empty() {
                *list = indices.iter().copied().zip(distances.iter().copied()).collect();
                list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            }
        }
        Ok(lists)
    }

    /// The distance of each new point to the nearest.
    pub fn distances(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<f64>> {
        let lists = self.nearest(queries, 1, run)?;
        Ok(lists.iter().map(|list| list.first().map_or(f64::INFINITY, |near| near.1)).collect())
    }

    /// Into a model file. The index is not: it is built again.
    pub fn save(&self, name: &str, archive: &mut Archive) {
        archive.put(name, self.view().to_owned());
    }

    pub fn load(name: &str, shape: (usize, usize), metric: Metric, archive: &Archive) -> Result<Self> {
        Ok(Self::new(archive.matrix(name, shape)?, metric))
    }
}

/// The same for sparse rows.
pub(crate) struct IndexedRows {
    pub rows: Csr<f64>,
    metric: Metric,
    index: OnceLock<SparseIndex>,
}

impl IndexedRows {
    pub fn new(rows: Csr<f64>, metric: Metric) -> Self {
        Self { rows, metric, index: OnceLock::new() }
    }

    /// The index of these rows, for the fit: what it holds besides the rows is freed with it.
    pub fn fresh(&self) -> Result<SparseIndex> {
        SparseIndex::new(&self.rows, self.metric)
    }

    /// The `k` nearest of each new row, or all rows where there are fewer.
    pub fn table(&self, queries: &Csr<f64>, k: usize, run: &Run) -> Result<Table<f64>> {
        let index = match self.index.get() {
            Some(index) => index,
            None => {
                let built = self.fresh()?;
                self.index.get_or_init(|| built)
            }
        };
        index.k_nearest(queries, k.min(self.rows.nrows()), run)
    }
}
