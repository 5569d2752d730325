//! Centering in feature space, without forming the centered matrix.

use super::Operator;
use crate::scale::weighted_sum;
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Error, Result, Run, Scalar};

/// `P A P'` with `P = I - 1 c'`: a Gram matrix of points whose weighted mean `c` has been moved to the
/// origin. With equal weights `1/n` it is the double centering of classical scaling.
pub struct Centered<'a, T> {
    inner: &'a dyn Operator<T>,
    weights: Vec<T>,
}

impl<'a, T: Scalar> Centered<'a, T> {
    /// Equal weights.
    pub fn new(inner: &'a dyn Operator<T>) -> Self {
        let n = inner.order();
        Self { inner, weights: vec![T::of(1.0 / n.max(1) as f64); n] }
    }

    /// Weights of their own, one a row; they should sum to 1.
    pub fn weighted(inner: &'a dyn Operator<T>, weights: Vec<T>) -> Result<Self> {
        if weights.len() != inner.order() {
            let (expected, found) = (inner.order(), weights.len());
            return Err(Error::Width { what: "vector of centering weights", expected, found });
        }
        Ok(Self { inner, weights })
    }
}

impl<T: Scalar> Operator<T> for Centered<'_, T> {
    fn order(&self) -> usize {
        self.inner.order()
    }

    fn apply(&self, x: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
        let n = self.order();
        let mut inside: Mat<T> = x.to_owned();
        for v in 0..x.ncols() {
            // P' x = x - c (1'x)
            let sum = weighted_sum(x.col(v), None);
            for i in 0..n {
                inside[(i, v)] -= self.weights[i] * sum;
            }
        }
        self.inner.apply(inside.as_ref(), out.as_mut(), run)?;
        for v in 0..x.ncols() {
            // P y = y - 1 (c'y)
            let mean = weighted_sum(out.as_ref().col(v), Some(&self.weights));
            for i in 0..n {
                out[(i, v)] -= mean;
            }
        }
        Ok(())
    }
}
