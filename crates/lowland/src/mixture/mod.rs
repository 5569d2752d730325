//! Latent Gaussian models, `x = W z + mean + noise`: their density, and their fit to weighted rows.
//!
//! A mixture of them fits each analyzer to all rows, weighted by its responsibilities.

pub(crate) mod align;
mod analyzers;
pub(crate) mod closed_form;
pub(crate) mod em;
mod evaluate;
pub(crate) mod evidence;
pub(crate) mod fit;
mod gaussian;
mod inverse;
mod model;
mod pass;
pub(crate) mod recipe;
mod select;
pub(crate) mod settings;
mod small;
pub(crate) mod start;
mod student;
mod table;

pub(crate) use analyzers::{Local, Mixture, inner};
pub(crate) use gaussian::Gaussian;
pub(crate) use inverse::Inverse;
pub use model::MixtureModel;
pub(crate) use model::most_responsible;
pub(crate) use small::eigen_of_small;
pub(crate) use table::Weights;

#[cfg(test)]
mod tests;
