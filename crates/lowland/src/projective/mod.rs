//! What the methods share that find a linear map.

mod affine;
pub(crate) mod minka;
pub(crate) mod spectrum;

pub(crate) use affine::Affine;
