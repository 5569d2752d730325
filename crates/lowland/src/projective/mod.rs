//! What the methods share that find a linear map.

mod affine;
pub(crate) mod em;
pub(crate) mod functions;
mod gaussian;
pub(crate) mod lbfgs;
mod linear;
pub(crate) mod minka;
pub(crate) mod oriented;
pub(crate) mod relatives;
pub(crate) mod spectrum;
pub(crate) mod whitened;

pub(crate) use affine::Affine;
pub(crate) use gaussian::Gaussian;
pub use linear::LinearModel;
pub(crate) use linear::{Form, Map, Part};
