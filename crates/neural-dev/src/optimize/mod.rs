//! Minimizers of smooth functions.

pub mod adam;
pub(crate) mod lbfgs;
