//! Stability, comparisons, and what a model loses.

mod comparing;
mod model;
mod stability;
