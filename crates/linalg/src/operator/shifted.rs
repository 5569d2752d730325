//! A shifted and scaled operator.

use super::Operator;
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Csr, Result, Run, Scalar};
use std::borrow::Cow;

/// `shift I + scale A`: the same vectors, other values. `I - A` turns the largest pairs into the smallest.
pub struct Shifted<'a, T> {
    inner: &'a dyn Operator<T>,
    shift: T,
    scale: T,
}

impl<'a, T: Scalar> Shifted<'a, T> {
    /// `shift I + scale A`.
    pub fn new(inner: &'a dyn Operator<T>, shift: T, scale: T) -> Self {
        Self { inner, shift, scale }
    }
}

impl<T: Scalar> Operator<T> for Shifted<'_, T> {
    fn order(&self) -> usize {
        self.inner.order()
    }

    fn apply(&self, x: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
        self.inner.apply(x, out.as_mut(), run)?;
        for v in 0..x.ncols() {
            for i in 0..x.nrows() {
                out[(i, v)] = self.shift * x[(i, v)] + self.scale * out[(i, v)];
            }
        }
        Ok(())
    }

    fn diagonal(&self) -> Option<Vec<T>> {
        Some(self.inner.diagonal()?.into_iter().map(|a| self.shift + self.scale * a).collect())
    }

    fn to_sparse(&self, run: &Run) -> Result<Option<Cow<'_, Csr<T>>>> {
        let Some(inner) = self.inner.to_sparse(run)? else { return Ok(None) };
        Ok(Some(Cow::Owned(add_to_diagonal(&inner, self.shift, self.scale)?)))
    }

    fn to_dense(&self, run: &Run) -> Result<Mat<T>> {
        let mut dense = self.inner.to_dense(run)?;
        for j in 0..self.order() {
            for i in 0..self.order() {
                dense[(i, j)] *= self.scale;
            }
            dense[(j, j)] += self.shift;
        }
        Ok(dense)
    }
}

/// `shift I + scale A` with every entry of the diagonal stored.
pub(super) fn add_to_diagonal<T: Scalar>(a: &Csr<T>, shift: T, scale: T) -> Result<Csr<T>> {
    let n = a.nrows();
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..n {
        let (columns, entries) = a.row(row);
        let position = columns.partition_point(|&column| (column as usize) < row);
        let stored = columns.get(position) == Some(&(row as u32));
        indices.extend_from_slice(&columns[..position]);
        values.extend(entries[..position].iter().map(|&entry| scale * entry));
        indices.push(row as u32);
        values.push(if stored { shift + scale * entries[position] } else { shift });
        let rest = position + usize::from(stored);
        indices.extend_from_slice(&columns[rest..]);
        values.extend(entries[rest..].iter().map(|&entry| scale * entry));
        offsets.push(indices.len());
    }
    Csr::new(n, n, offsets, indices, values)
}
