//! Points as contiguous rows, whatever layout they came in.

use faer::MatRef;
use lowland_base::parallel::fill_rows;
use lowland_base::{Result, Run, Scalar};
use std::sync::Arc;

/// Rows that can be lent out as slices: borrowed where the input lies row by row, shared where its owner shares them,
/// copied otherwise. The values are the same either way, and so are the bits of everything computed from them.
#[derive(Debug, Clone)]
pub struct Rows<'a, T> {
    store: Store<'a, T>,
}

/// Both hold the transpose (width x n), so that a row is a contiguous column.
#[derive(Debug, Clone)]
enum Store<'a, T> {
    Borrowed(MatRef<'a, T>),
    Shared { values: Arc<Vec<T>>, width: usize, count: usize },
}

impl<'a, T: Scalar> Rows<'a, T> {
    /// The rows of a matrix of any layout.
    pub fn new(points: MatRef<'a, T>) -> Self {
        let columns = points.transpose();
        let contiguous = columns.row_stride() == 1;
        if contiguous {
            return Self { store: Store::Borrowed(columns) };
        }
        let (n, width) = points.shape();
        let mut values = Vec::with_capacity(n * width);
        for i in 0..n {
            values.extend(points.row(i).iter().copied());
        }
        Rows::shared(Arc::new(values), width)
    }

    /// Rows of `width` values, one after the other, that others hold as well: an index of them borrows nothing.
    pub fn shared(values: Arc<Vec<T>>, width: usize) -> Self {
        let count = values.len().checked_div(width).unwrap_or(0);
        Self { store: Store::Shared { values, width, count } }
    }

    /// Rows of `width` values, each written by `write`.
    pub fn from_fn(
        n: usize,
        width: usize,
        run: &Run,
        write: impl Fn(usize, &mut [T]) + Sync + Send,
    ) -> Result<Self> {
        let mut values = vec![T::zero(); n * width];
        fill_rows(run, &mut values, width, 64, |range, rows| {
            range.zip(rows.chunks_exact_mut(width)).for_each(|(i, row)| write(i, row));
        })?;
        Ok(Rows::shared(Arc::new(values), width))
    }

    /// The rows as columns: width x n.
    pub fn columns(&self) -> MatRef<'_, T> {
        match &self.store {
            Store::Borrowed(columns) => *columns,
            Store::Shared { values, width, count } => MatRef::from_column_major_slice(values, *width, *count),
        }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.columns().ncols()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of values in a row.
    pub fn width(&self) -> usize {
        self.columns().nrows()
    }

    /// One row.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[T] {
        self.columns().col(i).try_as_col_major().map_or(&[], |column| column.as_slice())
    }
}
