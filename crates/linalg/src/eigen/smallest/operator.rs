//! An operator as the solvers of this folder see it: scaled by a power of two, in double precision.

use super::block;
use super::symmetric::Symmetric;
use crate::Operator;
use faer::Mat;
use lowland_base::{Error, Result, Run, Scalar};

/// A scaled operator.
pub(super) struct Scaled<'a, T> {
    operator: &'a dyn Operator<T>,
    scale: f64,
    norm: f64,
}

impl<'a, T: Scalar> Scaled<'a, T> {
    /// Scales by the norm of the operator's image of a few random unit vectors.
    pub fn new(operator: &'a dyn Operator<T>, run: &Run) -> Result<Self> {
        let n = operator.order();
        let mut plain = Self { operator, scale: 1.0, norm: 0.0 };
        let mut x = block::random(n, 4.min(n), &mut run.rng("norm"));
        let mut size = 0.0;
        // Two steps of power iteration: a lower bound of the norm, within a small factor of it.
        for _ in 0..3 {
            let lengths = block::norms(x.as_ref());
            let (unit, _) = block::orthonormalise(x, &lengths, 0.0);
            x = plain.product(unit.as_ref(), run)?;
            size = block::norms(x.as_ref()).into_iter().fold(size, f64::max);
        }
        if !size.is_finite() {
            let problem = "a product with it is not finite".to_owned();
            return Err(Error::Malformed { what: "operator", problem });
        }
        if size > 0.0 {
            plain.scale = 2f64.powi(size.log2().ceil().clamp(-1000.0, 1000.0) as i32);
            plain.norm = size / plain.scale;
        }
        Ok(plain)
    }
}

impl<T: Scalar> Symmetric for Scaled<'_, T> {
    fn order(&self) -> usize {
        self.operator.order()
    }

    fn scale(&self) -> f64 {
        self.scale
    }

    fn norm(&self) -> f64 {
        self.norm
    }

    fn bound(&self) -> f64 {
        f64::INFINITY
    }

    fn multiply(&self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let n = self.order();
        let x = Mat::from_fn(n, width, |i, j| T::of(x[i * width + j]));
        let mut image = Mat::zeros(n, width);
        self.operator.apply(x.as_ref(), image.as_mut(), run)?;
        for j in 0..width {
            for (i, value) in image.col(j).iter().enumerate() {
                out[i * width + j] = value.wide() / self.scale;
            }
        }
        Ok(())
    }
}
