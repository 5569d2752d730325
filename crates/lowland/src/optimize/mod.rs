//! Minimizers that several families of methods share.

pub mod adam;
