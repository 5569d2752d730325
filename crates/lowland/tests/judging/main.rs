//! Stability, comparisons, and what a model loses.

mod advising;
mod comparing;
mod model;
mod stability;
