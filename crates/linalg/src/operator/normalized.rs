//! The symmetric normalization of a graph.

use super::Operator;
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Csr, Error, Result, Run, Scalar};
use std::borrow::Cow;

/// `D^-1/2 A D^-1/2`. A row of degree 0 (an isolated point) becomes a row of zeros.
pub struct Normalized<'a, T> {
    inner: &'a dyn Operator<T>,
    factors: Vec<T>,
}

impl<'a, T: Scalar> Normalized<'a, T> {
    /// Takes the diagonal of `D`, which must be finite and not negative.
    pub fn new(inner: &'a dyn Operator<T>, degrees: &[T]) -> Result<Self> {
        if degrees.len() != inner.order() {
            let (expected, found) = (inner.order(), degrees.len());
            return Err(Error::Width { what: "vector of degrees", expected, found });
        }
        if let Some((row, degree)) =
            degrees.iter().enumerate().find(|(_, d)| !(d.wide() >= 0.0 && d.wide().is_finite()))
        {
            let problem = format!("the degree of row {row} is {degree}, but must be finite and not negative");
            return Err(Error::malformed("vector of degrees", problem, "check the weights of the graph"));
        }
        let factor = |&d: &T| if d.is_zero() { T::zero() } else { T::of(1.0 / d.wide().sqrt()) };
        Ok(Self { inner, factors: degrees.iter().map(factor).collect() })
    }

    /// The diagonal of `D^-1/2`, zero where the degree is.
    pub fn factors(&self) -> &[T] {
        &self.factors
    }
}

impl<T: Scalar> Operator<T> for Normalized<'_, T> {
    fn order(&self) -> usize {
        self.inner.order()
    }

    fn apply(&self, x: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
        let inside = Mat::from_fn(x.nrows(), x.ncols(), |i, v| self.factors[i] * x[(i, v)]);
        self.inner.apply(inside.as_ref(), out.as_mut(), run)?;
        for v in 0..x.ncols() {
            for (i, &factor) in self.factors.iter().enumerate() {
                out[(i, v)] *= factor;
            }
        }
        Ok(())
    }

    fn diagonal(&self) -> Option<Vec<T>> {
        let inner = self.inner.diagonal()?;
        Some(inner.into_iter().zip(&self.factors).map(|(a, &f)| f * a * f).collect())
    }

    fn to_sparse(&self, run: &Run) -> Result<Option<Cow<'_, Csr<T>>>> {
        let Some(inner) = self.inner.to_sparse(run)? else { return Ok(None) };
        let mut sparse = inner.into_owned();
        let (offsets, columns) = (sparse.offsets().to_vec(), sparse.indices().to_vec());
        let values = sparse.values_mut();
        for row in 0..self.factors.len() {
            for position in offsets[row]..offsets[row + 1] {
                // The product of the factors first: it is the same for the mirrored entry, to the bit.
                values[position] *= self.factors[row] * self.factors[columns[position] as usize];
            }
        }
        Ok(Some(Cow::Owned(sparse)))
    }
}
