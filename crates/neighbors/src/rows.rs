//! Points as contiguous rows, whatever layout they came in.

use faer::{Mat, MatRef};
use lowland_base::Scalar;

/// Rows that can be lent out as slices: borrowed where the input lies row by row, copied otherwise. The
/// values are the same either way, and so are the bits of everything computed from them.
pub struct Rows<'a, T> {
    store: Store<'a, T>,
}

/// Both hold the transpose (width x n), so that a row is a contiguous column.
enum Store<'a, T> {
    Borrowed(MatRef<'a, T>),
    Owned(Mat<T>),
}

impl<'a, T: Scalar> Rows<'a, T> {
    /// The rows of a matrix of any layout.
    pub fn new(points: MatRef<'a, T>) -> Self {
        let columns = points.transpose();
        let contiguous = columns.row_stride() == 1;
        Self { store: if contiguous { Store::Borrowed(columns) } else { Store::Owned(columns.to_owned()) } }
    }

    /// Rows of `width` values, each written by `write`.
    pub fn from_fn(n: usize, width: usize, mut write: impl FnMut(usize, &mut [T])) -> Self {
        let mut columns = Mat::zeros(width, n);
        for i in 0..n {
            if let Some(column) = columns.col_mut(i).try_as_col_major_mut() {
                write(i, column.as_slice_mut());
            }
        }
        Self { store: Store::Owned(columns) }
    }

    /// The rows as columns: width x n.
    pub fn columns(&self) -> MatRef<'_, T> {
        match &self.store {
            Store::Borrowed(columns) => *columns,
            Store::Owned(columns) => columns.as_ref(),
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
