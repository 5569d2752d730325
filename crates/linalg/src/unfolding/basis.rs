//! The space in which the columns of `Y` lie: all of it, or the span of a few vectors (landmark and fast MVU).

use crate::tall;
use faer::{Mat, MatRef};
use lowland_base::{Csr, Result, Run};
use std::borrow::Cow;

/// `Y = B Q`.
pub(super) enum Basis {
    /// `B = I`.
    All,
    /// Orthonormal columns without a mean.
    Span(Mat<f64>),
}

impl Basis {
    /// `B Q` for `width` columns, row by row.
    pub fn expand<'a>(&self, q: &'a [f64], width: usize, run: &Run) -> Result<Cow<'a, [f64]>> {
        let Self::Span(basis) = self else { return Ok(Cow::Borrowed(q)) };
        let q = MatRef::from_row_major_slice(q, basis.ncols(), width);
        Ok(Cow::Owned(by_rows(&tall::combine(basis.as_ref(), q, run)?)))
    }

    /// `B' G`.
    pub fn reduce(&self, g: Vec<f64>, width: usize, run: &Run) -> Result<Vec<f64>> {
        let Self::Span(basis) = self else { return Ok(g) };
        let g = MatRef::from_row_major_slice(&g, basis.nrows(), width);
        Ok(by_rows(&tall::inner(basis.as_ref(), g, run)?))
    }

    /// `B' A B`, for a span.
    pub fn project(basis: &Mat<f64>, a: &Csr<f64>, run: &Run) -> Result<Mat<f64>> {
        use crate::operator::Operator;
        let mut product = Mat::zeros(basis.nrows(), basis.ncols());
        a.apply(basis.as_ref(), product.as_mut(), run)?;
        let inner = tall::inner(basis.as_ref(), product.as_ref(), run)?;
        Ok(Mat::from_fn(inner.nrows(), inner.ncols(), |i, j| 0.5 * (inner[(i, j)] + inner[(j, i)])))
    }
}

/// The entries row by row.
pub(super) fn by_rows(matrix: &Mat<f64>) -> Vec<f64> {
    let mut out = Vec::with_capacity(matrix.nrows() * matrix.ncols());
    for i in 0..matrix.nrows() {
        out.extend((0..matrix.ncols()).map(|j| matrix[(i, j)]));
    }
    out
}
