//! Eigenpairs that are made, sorted and cut together.

use super::{Eigenpairs, Which};
use crate::operator::Operator;
use crate::{scale, signs};
use faer::{Mat, MatRef};
use lowland_base::{Error, Partial, Result, Run, Scalar};
use std::cmp::Ordering;
use std::sync::Arc;

impl Which {
    /// The order in which two eigenvalues are returned.
    pub(crate) fn order<T: Scalar>(self, a: T, b: T) -> Ordering {
        let (a, b) = (a.wide(), b.wide());
        match self {
            Which::Largest => b.total_cmp(&a),
            Which::Smallest => a.total_cmp(&b),
            Which::LargestMagnitude => b.abs().total_cmp(&a.abs()).then(b.total_cmp(&a)),
        }
    }
}

impl<T: Scalar> Eigenpairs<T> {
    /// No pairs of a matrix of this order.
    pub fn empty(order: usize) -> Self {
        Self { values: Vec::new(), vectors: Mat::zeros(order, 0), residuals: Vec::new() }
    }

    /// The pairs of `op` with these values and unit vectors: sorted, their signs fixed, and their true
    /// residuals computed.
    pub fn of(
        op: &dyn Operator<T>,
        values: Vec<T>,
        vectors: Mat<T>,
        which: Which,
        run: &Run,
    ) -> Result<Self> {
        let residuals = residuals(op, &values, vectors.as_ref(), run)?;
        let mut pairs = Self { values, vectors, residuals };
        pairs.sort(which);
        pairs.fix_signs();
        Ok(pairs)
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The largest residual, 0 of no pairs.
    pub fn worst_residual(&self) -> T {
        self.residuals.iter().fold(T::zero(), |worst, &r| if r > worst || r.is_nan() { r } else { worst })
    }

    /// Into the order of `which`; equal values keep theirs.
    pub fn sort(&mut self, which: Which) {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&a, &b| which.order(self.values[a], self.values[b]));
        if order.is_sorted() {
            return;
        }
        self.values = order.iter().map(|&i| self.values[i]).collect();
        self.residuals = order.iter().map(|&i| self.residuals[i]).collect();
        self.vectors = Mat::from_fn(self.vectors.nrows(), order.len(), |i, j| self.vectors[(i, order[j])]);
    }

    /// Turns each vector so that its entry of largest magnitude is positive, the first where several tie.
    pub fn fix_signs(&mut self) {
        signs::fix(self.vectors.as_mut());
    }

    /// Only the first `count` pairs.
    pub fn truncate(&mut self, count: usize) {
        let count = count.min(self.len());
        self.values.truncate(count);
        self.residuals.truncate(count);
        let rows = self.vectors.nrows();
        self.vectors.truncate(rows, count);
    }

    /// The pairs, unless one's residual exceeds `bound`: such a result is an error that carries them.
    pub(crate) fn accept(self, bound: f64, what: &str, steps: usize, remedy: &str) -> Result<Self> {
        let worst = self.worst_residual().wide();
        if worst <= bound {
            return Ok(self);
        }
        Err(Error::NotConverged {
            what: what.into(),
            residual: worst,
            tolerance: bound,
            steps,
            remedy: remedy.into(),
            found: Some(Arc::new(Partial {
                values: self.values.iter().map(|v| v.wide()).collect(),
                vectors: Mat::from_fn(self.vectors.nrows(), self.vectors.ncols(), |i, j| {
                    self.vectors[(i, j)].wide()
                }),
                residuals: self.residuals.iter().map(|r| r.wide()).collect(),
            })),
        })
    }
}

/// `|A v - l v|` of each pair. A product that overflows is repeated with smaller vectors, one whose last
/// digits underflow with larger ones.
pub(crate) fn residuals<T: Scalar>(
    op: &dyn Operator<T>,
    values: &[T],
    vectors: MatRef<'_, T>,
    run: &Run,
) -> Result<Vec<T>> {
    const BLOCK: usize = 64;
    let n = vectors.nrows();
    let mut norms = Vec::with_capacity(values.len());
    for block in lowland_base::parallel::chunks(values.len(), BLOCK) {
        let mut products = Mat::zeros(n, block.len());
        let vectors = vectors.subcols(block.start, block.len());
        op.apply(vectors, products.as_mut(), run)?;
        let power = safe_power::<T>(scale::max_abs(products.as_ref()));
        if power != 0 {
            let mut scaled = vectors.to_owned();
            scale::scale_by_power(scaled.as_mut(), power);
            op.apply(scaled.as_ref(), products.as_mut(), run)?;
        }
        let values: Vec<T> = block.map(|pair| scale::times_power(values[pair], power)).collect();
        let sizes = residual_norms(products, &values, vectors);
        norms.extend(sizes.into_iter().map(|size| scale::times_power(T::of(size), -power)));
    }
    Ok(norms)
}

/// `|A v - l v|` of each pair, from the products `A v`.
pub(crate) fn residual_norms<T: Scalar>(
    mut products: Mat<T>,
    values: &[T],
    vectors: MatRef<'_, T>,
) -> Vec<f64> {
    let norm = |(j, &value): (usize, &T)| {
        for (product, &x) in products.col_mut(j).iter_mut().zip(vectors.col(j).iter()) {
            *product -= value * x;
        }
        scale::norm(products.col(j))
    };
    values.iter().enumerate().map(norm).collect()
}

/// The power of two by which vectors are scaled before a product whose largest entry would be `size`, so
/// that it neither overflows nor loses its last digits to underflow. 0 nearly always.
pub(crate) fn safe_power<T: Scalar>(size: f64) -> i32 {
    let (power, tiny) = if size_of::<T>() == 8 { (64, 1e-290) } else { (32, 1e-28) };
    match size {
        size if !size.is_finite() => -power,
        size if size > 0.0 && size < tiny => power,
        _ => 0,
    }
}
