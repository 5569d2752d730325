//! What a fit reports about itself.

use super::Warning;
use crate::parameters::Value;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Up to ten eigenvalues that follow those behind the components, where they were found: a gap is seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_eigenvalues: Vec<f64>,
    /// A lower bound of the norm of their matrix, where they are its smallest: what the residuals are to be
    /// compared with. 0 where the eigenvalues themselves are.
    #[serde(default)]
    pub norm: f64,
    /// The loss of a method that minimizes one, after some numbers of iterations; the last belongs to the returned
    /// coordinates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<(usize, f64)>,
    /// The sizes of the graph's connected components, where there is a graph.
    pub connected_component_sizes: Vec<usize>,
    /// What automatic parameters became.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resolved: BTreeMap<String, Value>,
    /// The rows that are landmarks, where some stand for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub landmarks: Vec<usize>,
    /// What the fit is of, so that it can be described and repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// The losses as a matrix: iterations, and the loss after them.
    pub(crate) fn loss_history(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.losses.len(), 2), |(i, j)| match j {
            0 => self.losses[i].0 as f64,
            _ => self.losses[i].1,
        })
    }
}

/// What a fit is of: with the parameters, all that repeats it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of this library.
    pub version: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// A hash of the numbers of the input and of its shape: the same for every layout, precision and form that hold the
    /// same numbers.
    pub input_hash: String,
    /// The rows of the input.
    pub rows: usize,
    /// The columns of the input.
    pub columns: usize,
    /// The paper of the method.
    pub citation: String,
    /// The same for a reference manager.
    pub bibtex: String,
}
