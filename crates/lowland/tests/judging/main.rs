//! Stability, comparisons, and what a model loses.

mod advising;
mod comparing;
mod entropy;
mod model;
mod stability;
