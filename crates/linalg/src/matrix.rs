//! Rectangular matrices, known by their products: what a singular value decomposition of data needs, so
//! that sparse data is never made dense and centered data never copied.

use crate::operator::sparse_product;
use crate::scale::weighted_sum;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef};
use lowland_base::{Csr, Error, Result, Run, Scalar, parallel};

/// A rectangular matrix `X`. The same bits for every number of threads.
pub trait Matrix<T: Scalar>: Send + Sync {
    /// The number of rows.
    fn nrows(&self) -> usize;

    /// The number of columns.
    fn ncols(&self) -> usize;

    /// `out = X v` for a block of column vectors.
    fn apply(&self, v: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()>;

    /// `out = X' u` for a block of column vectors.
    fn apply_transpose(&self, u: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()>;
}

/// Dense data with any strides.
#[derive(Debug, Clone, Copy)]
pub struct DenseMatrix<'a, T>(pub MatRef<'a, T>);

impl<T: Scalar> Matrix<T> for DenseMatrix<'_, T> {
    fn nrows(&self) -> usize {
        self.0.nrows()
    }

    fn ncols(&self) -> usize {
        self.0.ncols()
    }

    fn apply(&self, v: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        run.check()?;
        run.install(|| matmul(out, Accum::Replace, self.0, v, T::one(), parallel::FAER));
        Ok(())
    }

    fn apply_transpose(&self, u: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        run.check()?;
        run.install(|| matmul(out, Accum::Replace, self.0.transpose(), u, T::one(), parallel::FAER));
        Ok(())
    }
}

/// Sparse data. It holds its transpose beside it, so that both products run over rows.
pub struct SparseMatrix<'a, T> {
    rows: &'a Csr<T>,
    columns: Csr<T>,
}

impl<'a, T: Scalar> SparseMatrix<'a, T> {
    /// Makes the transpose.
    pub fn new(rows: &'a Csr<T>) -> Self {
        Self { rows, columns: rows.transpose() }
    }
}

impl<T: Scalar> Matrix<T> for SparseMatrix<'_, T> {
    fn nrows(&self) -> usize {
        self.rows.nrows()
    }

    fn ncols(&self) -> usize {
        self.rows.ncols()
    }

    fn apply(&self, v: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        sparse_product(self.rows, v, out, run)
    }

    fn apply_transpose(&self, u: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        sparse_product(&self.columns, u, out, run)
    }
}

/// `X - 1 m'`: every row less the vector `m`.
pub struct CenteredMatrix<'a, T> {
    inner: &'a dyn Matrix<T>,
    mean: Vec<T>,
}

impl<'a, T: Scalar> CenteredMatrix<'a, T> {
    /// Takes the vector that is subtracted from every row.
    pub fn new(inner: &'a dyn Matrix<T>, mean: Vec<T>) -> Result<Self> {
        if mean.len() != inner.ncols() {
            let (expected, found) = (inner.ncols(), mean.len());
            return Err(Error::Width { what: "mean vector", expected, found });
        }
        Ok(Self { inner, mean })
    }
}

impl<T: Scalar> Matrix<T> for CenteredMatrix<'_, T> {
    fn nrows(&self) -> usize {
        self.inner.nrows()
    }

    fn ncols(&self) -> usize {
        self.inner.ncols()
    }

    fn apply(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
        self.inner.apply(v, out.as_mut(), run)?;
        for c in 0..v.ncols() {
            let shift = weighted_sum(v.col(c), Some(&self.mean));
            for i in 0..out.nrows() {
                out[(i, c)] -= shift;
            }
        }
        Ok(())
    }

    fn apply_transpose(&self, u: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
        self.inner.apply_transpose(u, out.as_mut(), run)?;
        for c in 0..u.ncols() {
            let sum = weighted_sum(u.col(c), None);
            for (j, &mean) in self.mean.iter().enumerate() {
                out[(j, c)] -= mean * sum;
            }
        }
        Ok(())
    }
}
