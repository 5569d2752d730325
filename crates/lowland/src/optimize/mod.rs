//! Minimizing a smooth function of many variables, and iterating to a fixed point.
//!
//! An objective is a closure that writes the gradient at a point and returns the value there. A search looks at the
//! cancellation switch before every evaluation, and calls `each` with the number of the step and the loss after it, so
//! that a method reports its progress, and can end the search by an error.

pub(crate) mod adam;
pub(crate) mod descent;
pub(crate) mod fixed_point;
pub(crate) mod lbfgs;
mod line_search;

pub(crate) use line_search::backtrack;

/// Where a search ended.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    pub point: Vec<f64>,
    pub value: f64,
    /// The loss at the start and after each step.
    pub history: Vec<f64>,
    /// Whether it ended by itself, and not for want of steps.
    pub converged: bool,
}

/// The inner product.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A callback for searches that report nothing.
pub(crate) fn silent(_step: usize, _loss: f64) -> lowland_base::Result<()> {
    Ok(())
}
