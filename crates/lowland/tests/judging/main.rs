//! Stability, and comparisons.

mod comparing;
mod stability;
