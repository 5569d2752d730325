//! What the methods share that find a linear map.

mod affine;
pub(crate) mod em;
mod gaussian;
mod hadamard;
pub(crate) mod lbfgs;
mod linear;
pub(crate) mod minka;
pub(crate) mod oriented;
pub(crate) mod relatives;
pub(crate) mod spectrum;
pub(crate) mod whitened;

pub(crate) use affine::Affine;
pub(crate) use gaussian::Gaussian;
pub(crate) use hadamard::Hadamard;
pub use linear::LinearModel;
pub(crate) use linear::{Form, Map, Part};
