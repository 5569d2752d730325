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
    /// Runs precompiled code of this type.
    fn run_precompiled<'a, 'r, W: Precompiled>(input: W::Input<'a, 'r, Self>) -> W::Output<'a, Self>;
}

/// What a crate does alike in both types, compiled in that crate. A generic function is compiled anew in every crate,
/// program and test that calls it, with all that it calls; one that calls [`Scalar::run_precompiled`] is not.
/// [`precompiled!`](crate::precompiled) makes this of a generic function.
pub trait Precompiled {
    /// What goes in: what the result may borrow lives for `'a`, the rest for `'r`.
    type Input<'a, 'r, T: Scalar>;
    /// What comes out.
    type Output<'a, T: Scalar>;
    /// In single precision. The parameter has no meaning: with it this is compiled only where it is used.
    fn in_f32<'a, 'r, Lazy>(input: Self::Input<'a, 'r, f32>) -> Self::Output<'a, f32>;
    /// In double precision.
    fn in_f64<'a, 'r>(input: Self::Input<'a, 'r, f64>) -> Self::Output<'a, f64>;
}

/// A generic function, [`Precompiled`]: `precompiled!(Name, both, function(a: A<'a, T>, b: &'r B) -> C<T>)`. It is compiled in
/// this crate in both types; with `double` in place of `both`, in double precision, and in single precision only
/// where that is used.
#[macro_export]
macro_rules! precompiled {
    ($name:ident, both, $function:ident($($argument:ident: $input:ty),*) -> $output:ty) => {
        struct $name;
        impl $name {
            fn single<'a, 'r>(
                input: <Self as $crate::Precompiled>::Input<'a, 'r, f32>,
            ) -> <Self as $crate::Precompiled>::Output<'a, f32> {
                let ($($argument,)*) = input;
                $function($($argument),*)
            }
        }
        $crate::precompiled!(@ $name, single, $function($($argument: $input),*) -> $output);
    };
    ($name:ident, double, $function:ident($($argument:ident: $input:ty),*) -> $output:ty) => {
        struct $name;
        impl $name {
            fn single<'a, 'r, Lazy>(
                input: <Self as $crate::Precompiled>::Input<'a, 'r, f32>,
            ) -> <Self as $crate::Precompiled>::Output<'a, f32> {
                let ($($argument,)*) = input;
                $function($($argument),*)
            }
        }
        $crate::precompiled!(@ $name, single::<Lazy>, $function($($argument: $input),*) -> $output);
    };
    (@ $name:ident, $single:ident $(::<$lazy:ident>)?, $function:ident($($argument:ident: $input:ty),*) -> $output:ty) => {
        impl $crate::Precompiled for $name {
            type Input<'a, 'r, T: $crate::Scalar> = ($($input,)*);
            type Output<'a, T: $crate::Scalar> = $output;
            fn in_f32<'a, 'r, Lazy>(input: Self::Input<'a, 'r, f32>) -> Self::Output<'a, f32> {
                $name::$single$(::<$lazy>)?(input)
            }
            fn in_f64<'a, 'r>(input: Self::Input<'a, 'r, f64>) -> Self::Output<'a, f64> {
                let ($($argument,)*) = input;
                $function($($argument),*)
            }
        }
    };
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
    fn run_precompiled<'a, 'r, W: Precompiled>(input: W::Input<'a, 'r, Self>) -> W::Output<'a, Self> {
        W::in_f32::<()>(input)
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
    fn run_precompiled<'a, 'r, W: Precompiled>(input: W::Input<'a, 'r, Self>) -> W::Output<'a, Self> {
        W::in_f64(input)
    }
}
