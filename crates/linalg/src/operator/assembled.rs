//! An operator whose sparse form is made beforehand.

use super::Operator;
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Csr, Result, Run, Scalar};
use std::borrow::Cow;

/// Another operator and its sparse form, so that this is made once, and at a time of one's choice.
pub struct Assembled<'a, T: Scalar> {
    inner: &'a dyn Operator<T>,
    sparse: Option<Cow<'a, Csr<T>>>,
}

impl<'a, T: Scalar> Assembled<'a, T> {
    /// Makes the sparse form, where there is one.
    pub fn new(inner: &'a dyn Operator<T>, run: &Run) -> Result<Self> {
        Ok(Self { inner, sparse: inner.to_sparse(run)? })
    }
}

impl<T: Scalar> Operator<T> for Assembled<'_, T> {
    fn order(&self) -> usize {
        self.inner.order()
    }

    fn apply(&self, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        self.inner.apply(x, out, run)
    }

    fn diagonal(&self) -> Option<Vec<T>> {
        self.inner.diagonal()
    }

    fn to_sparse(&self, _run: &Run) -> Result<Option<Cow<'_, Csr<T>>>> {
        Ok(self.sparse.as_deref().map(Cow::Borrowed))
    }

    fn to_dense(&self, run: &Run) -> Result<Mat<T>> {
        self.inner.to_dense(run)
    }
}
