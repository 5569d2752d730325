//! The neighbours of many points.

/// `k` neighbours for each query, nearest first, ties by index.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<T> {
    /// How many neighbours each query has.
    pub k: usize,
    /// The neighbours' row numbers, `k` a query.
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

    /// The neighbours of one query and their distances.
    pub fn row(&self, query: usize) -> (&[u32], &[T]) {
        let range = query * self.k..(query + 1) * self.k;
        (&self.indices[range.clone()], &self.distances[range])
    }
}
