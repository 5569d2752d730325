//! An operator of any magnitude as an iteration wants it: with products near 1.

use super::pairs::safe_power;
use crate::operator::Operator;
use crate::scale;
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Result, Run, Scalar};

/// What is not finite when an operator is broken.
const PRODUCT: &str = "product with the matrix";

/// The operator times a power of two, so that its products with unit vectors are near 1.
pub(crate) struct Scaled<'a, T> {
    op: &'a dyn Operator<T>,
    before: i32,
    after: i32,
}

impl<'a, T: Scalar> Scaled<'a, T> {
    /// Scales by what it makes of `sample`, whose columns are unit vectors: given back, too.
    pub fn new(op: &'a dyn Operator<T>, sample: MatRef<'_, T>, run: &Run) -> Result<(Self, Mat<T>)> {
        let mut scaled = Self { op, before: 0, after: 0 };
        let mut products = Mat::zeros(sample.nrows(), sample.ncols());
        op.apply(sample, products.as_mut(), run)?;
        scaled.before = safe_power::<T>(scale::max_abs(products.as_ref()));
        if scaled.before != 0 {
            scaled.apply(sample, products.as_mut(), run)?;
        }
        scale::check_finite(PRODUCT, products.as_ref())?;
        scaled.after = scale::exponent_to_one(scale::max_abs(products.as_ref()));
        scale::scale_by_power(products.as_mut(), scaled.after);
        Ok((scaled, products))
    }

    /// The power of two, of which the inverse brings values back.
    pub fn power(&self) -> i32 {
        self.before + self.after
    }

    /// `out = 2^power A x`.
    pub fn apply(&self, x: MatRef<'_, T>, mut out: MatMut<'_, T>, run: &Run) -> Result<()> {
        if self.before == 0 {
            self.op.apply(x, out.as_mut(), run)?;
        } else {
            let mut scaled = x.to_owned();
            scale::scale_by_power(scaled.as_mut(), self.before);
            self.op.apply(scaled.as_ref(), out.as_mut(), run)?;
        }
        scale::scale_by_power(out.as_mut(), self.after);
        scale::check_finite(PRODUCT, out.as_ref())
    }
}
