//! An operator as the solvers of this folder see it: scaled by a power of two, in double precision.

use super::symmetric::Symmetric;
use crate::eigen::scaled::Scaled;
use crate::{Operator, orthonormal, scale};
use faer::Mat;
use lowland_base::{Result, Run, Scalar};

/// A scaled operator of which nothing is known but its products.
pub(super) struct Products<'a, T> {
    order: usize,
    scaled: Scaled<'a, T>,
    norm: f64,
}

impl<'a, T: Scalar> Products<'a, T> {
    /// Scales by the operator's image of a few random unit vectors.
    pub fn new(operator: &'a dyn Operator<T>, run: &Run) -> Result<Self> {
        let order = operator.order();
        let mut rng = run.rng("norm");
        let mut x = Mat::<T>::zeros(order, 4.min(order));
        orthonormal::fill_normal(x.as_mut(), &mut rng);
        orthonormal::extend(x.as_mut(), 0, 0, 0.0, &mut rng, run)?;
        let (scaled, _) = Scaled::new(operator, x.as_ref(), run)?;
        // Steps of power iteration: a lower bound of the norm, within a small factor of it.
        let mut image = x.clone();
        let mut norm = 0.0;
        for _ in 0..3 {
            scaled.apply(x.as_ref(), image.as_mut(), run)?;
            norm = image.col_iter().map(scale::norm).fold(norm, f64::max);
            orthonormal::extend(image.as_mut(), 0, 0, 0.0, &mut rng, run)?;
            x.copy_from(&image);
        }
        Ok(Self { order, scaled, norm })
    }
}

impl<T: Scalar> Symmetric for Products<'_, T> {
    fn order(&self) -> usize {
        self.order
    }

    fn power(&self) -> i32 {
        self.scaled.power()
    }

    fn norm(&self) -> f64 {
        self.norm
    }

    fn bound(&self) -> f64 {
        f64::INFINITY
    }

    fn multiply(&self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let x = Mat::from_fn(self.order, width, |i, j| T::of(x[i * width + j]));
        let mut image = Mat::zeros(self.order, width);
        self.scaled.apply(x.as_ref(), image.as_mut(), run)?;
        for j in 0..width {
            for (i, value) in image.col(j).iter().enumerate() {
                out[i * width + j] = value.wide();
            }
        }
        Ok(())
    }
}
