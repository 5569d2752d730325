//! The two number types that all of Lowland is generic over.

use std::fmt::{Debug, Display};
use std::iter::Sum;

/// `f32` or `f64`. What comes in as one goes out as the same.
pub trait Scalar:
    faer::traits::RealField
    + num_traits::Float
    + num_traits::NumAssign
    + Sum
    + Copy
    + Debug
    + Display
    + Default
    + Send
    + Sync
    + 'static
{
    /// The distance from 1 to the next number.
    const EPSILON: Self;
    /// The name that files and messages use.
    const NAME: &'static str;
    /// The nearest number of this type.
    fn of(value: f64) -> Self;
    /// The same number in double precision.
    fn wide(self) -> f64;
}

impl Scalar for f32 {
    const EPSILON: Self = f32::EPSILON;
    const NAME: &'static str = "f32";
    fn of(value: f64) -> Self {
        value as f32
    }
    fn wide(self) -> f64 {
        self as f64
    }
}

impl Scalar for f64 {
    const EPSILON: Self = f64::EPSILON;
    const NAME: &'static str = "f64";
    fn of(value: f64) -> Self {
        value
    }
    fn wide(self) -> f64 {
        self
    }
}
