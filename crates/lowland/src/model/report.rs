//! What a fit reports about itself.

use super::Warning;
use serde::{Deserialize, Serialize};

/// A quantity that a method optimizes or measures, with its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// For example `reconstruction error`.
    pub name: String,
    /// Its value for the returned coordinates.
    pub value: f64,
}

/// Everything worth knowing about a fit, but for the coordinates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// What was optimized: it belongs to the returned coordinates.
    pub objective: Vec<Quantity>,
    /// The eigenvalues behind the components, where there are any.
    pub eigenvalues: Vec<f64>,
    /// The norm of each eigenpair's true residual.
    pub residuals: Vec<f64>,
    /// A lower bound of the norm of their matrix, where they are its smallest: what the residuals are to be
    /// compared with. 0 where the eigenvalues themselves are.
    #[serde(default)]
    pub norm: f64,
    /// The loss of a method that minimizes one, after some numbers of iterations; the last belongs to the returned
    /// coordinates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<(usize, f64)>,
    /// The sizes of the graph's connected components, where there is a graph.
    pub component_sizes: Vec<usize>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}
