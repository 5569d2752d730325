//! What the methods share that find a linear map: the map and its model, the spectrum of a covariance, whitening, and a
//! file or folder for the solver of each family.

pub(crate) mod affine;
mod axes;
pub(crate) mod classes;
pub(crate) mod discriminant;
pub(crate) mod factor;
mod hadamard;
pub(crate) mod ica;
pub(crate) mod inverse;
pub(crate) mod layers;
mod linear;
pub(crate) mod minka;
pub(crate) mod nca;
pub(crate) mod oriented;
pub(crate) mod pursuit;
pub(crate) mod random;
pub(crate) mod relatives;
pub(crate) mod signs;
pub(crate) mod singular;
pub(crate) mod spectrum;
pub(crate) mod stream;
pub(crate) mod variances;
pub(crate) mod whitened;

pub(crate) use affine::Affine;
pub(crate) use axes::AxisGaussian;
pub(crate) use hadamard::Hadamard;
pub use linear::LinearModel;
pub(crate) use linear::Map;
