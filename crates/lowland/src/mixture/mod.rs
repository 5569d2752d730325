//! Latent Gaussian models, `x = W z + mean + noise`: their density, and their fit to weighted rows.
//!
//! A mixture of them fits each component to all rows, weighted by its responsibilities.

pub(crate) mod closed_form;
pub(crate) mod em;
pub(crate) mod evidence;
mod gaussian;
mod small;
mod table;

pub(crate) use gaussian::Gaussian;
pub(crate) use small::eigen_of_small;
pub(crate) use table::Weights;

#[cfg(test)]
mod tests;
