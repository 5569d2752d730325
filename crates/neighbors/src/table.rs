//! The neighbors of many points.

/// `k` neighbors for each query, nearest first, ties by index.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<T> {
    /// How many neighbors each query has.
    pub k: usize,
    /// The neighbors' row numbers, `k` a query.
    pub indices: Vec<u32>,
    /// Their distances, `k` a query.
    pub distances: Vec<T>,
}

impl<T> Table<T> {
    /// The number of queries.
    pub fn len(&self) -> usize {
        self.indices.len().checked_div(self.k).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The neighbors of one query and their distances.
    pub fn row(&self, query: usize) -> (&[u32], &[T]) {
        let range = query * self.k..(query + 1) * self.k;
        (&self.indices[range.clone()], &self.distances[range])
    }

    /// The first `k` neighbors of every query; the table itself if it has no more.
    pub fn truncated(&self, k: usize) -> Self
    where
        T: Clone,
    {
        let k = k.min(self.k);
        let rows = 0..self.len();
        Self {
            k,
            indices: rows.clone().flat_map(|q| self.row(q).0[..k].to_vec()).collect(),
            distances: rows.flat_map(|q| self.row(q).1[..k].to_vec()).collect(),
        }
    }

    /// From `k` neighbors a query, in order, in pieces.
    pub(crate) fn collect(k: usize, queries: usize, pieces: impl IntoIterator<Item = Vec<(T, u32)>>) -> Self {
        let mut table =
            Self { k, indices: Vec::with_capacity(queries * k), distances: Vec::with_capacity(queries * k) };
        for (distance, index) in pieces.into_iter().flatten() {
            table.indices.push(index);
            table.distances.push(distance);
        }
        table
    }
}
