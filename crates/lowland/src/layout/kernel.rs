//! The similarity of two points of a layout: `w = (1 + d^2 / dof)^-((dof + 1) / 2)`, Student's t with `dof` degrees of
//! freedom. With 1 it is t-SNE's; below, tails are heavier and clusters finer (Kobak et al. 2020).

use lowland_base::{Error, Result, Scalar};

/// A similarity at a squared distance, compiled for each tail.
pub trait Tail<T: Scalar>: Copy + Send + Sync {
    /// `(w, u)` with `u = 1 / (1 + d^2 / dof)`. The gradient of `w` is `-(dof + 1) / dof * w u (a - b)`.
    fn at(self, squared: T) -> (T, T);
}

/// One degree of freedom: `w = u = 1 / (1 + d^2)`.
#[derive(Debug, Clone, Copy)]
pub struct Cauchy;

impl<T: Scalar> Tail<T> for Cauchy {
    #[inline(always)]
    fn at(self, squared: T) -> (T, T) {
        let u = T::one() / (T::one() + squared);
        (u, u)
    }
}

/// Any degrees of freedom.
#[derive(Debug, Clone, Copy)]
pub struct Student<T> {
    over_dof: T,
    power: T,
}

impl<T: Scalar> Tail<T> for Student<T> {
    #[inline(always)]
    fn at(self, squared: T) -> (T, T) {
        let u = T::one() / (T::one() + squared * self.over_dof);
        (u.powf(self.power), u)
    }
}

/// The kernel of a layout, with its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel {
    dof: f64,
}

impl Default for Kernel {
    fn default() -> Self {
        Self { dof: 1.0 }
    }
}

impl Kernel {
    /// With so many degrees of freedom, above 0.
    pub fn new(dof: f64) -> Result<Self> {
        if dof > 0.0 && dof.is_finite() {
            return Ok(Self { dof });
        }
        Err(Error::parameter("dof", dof, "above 0", "1 is t-SNE; smaller numbers show finer clusters"))
    }

    /// The degrees of freedom.
    pub fn dof(&self) -> f64 {
        self.dof
    }

    /// Whether this is t-SNE's own, which is much cheaper.
    pub(super) fn is_cauchy(&self) -> bool {
        self.dof == 1.0
    }

    /// For other degrees of freedom.
    pub(super) fn student<T: Scalar>(&self) -> Student<T> {
        Student { over_dof: T::of(1.0 / self.dof), power: T::of((self.dof + 1.0) / 2.0) }
    }

    /// `(dof + 1) / dof`: from the gradient of `w` to `w u (a - b)`.
    pub(super) fn slope(&self) -> f64 {
        (self.dof + 1.0) / self.dof
    }

    /// `(dof + 1) / 2`: from the logarithm of `1 + d^2 / dof` to that of `1 / w`.
    pub(super) fn power(&self) -> f64 {
        (self.dof + 1.0) / 2.0
    }

    /// `w` at a squared distance.
    pub(super) fn weight(&self, squared: f64) -> f64 {
        (-self.power() * (squared / self.dof).ln_1p()).exp()
    }

    /// `w` at `squared` less `w` at `far`, to full accuracy where both are almost 1.
    pub(super) fn above(&self, squared: f64, far: f64) -> f64 {
        if self.is_cauchy() {
            return (far - squared) / ((1.0 + squared) * (1.0 + far));
        }
        let exponent = self.power() * ((far / self.dof).ln_1p() - (squared / self.dof).ln_1p());
        self.weight(far) * exponent.exp_m1()
    }
}

/// Calls a function that is generic over the tail with the tail of a kernel.
macro_rules! with_tail {
    ($kernel:expr, $scalar:ty, |$tail:ident| $body:expr) => {
        if $kernel.is_cauchy() {
            let $tail = $crate::layout::kernel::Cauchy;
            $body
        } else {
            let $tail = $kernel.student::<$scalar>();
            $body
        }
    };
}
pub(super) use with_tail;
