//! Neural networks: layers, losses and their gradients once, networks as short recipes over them. They compute in single
//! precision; what is checked and what L-BFGS ends, in double.

mod activation;
mod autoencoder;
mod centered;
mod checkpoint;
mod divergence;
mod gradient;
mod loss;
mod machine;
mod model;
mod network;
mod plan;
mod pretrain;
mod rbm;
mod real;
mod scaling;
mod schedule;
mod train;

pub use activation::Activation;
pub use autoencoder::Autoencoder;
pub(crate) use autoencoder::{admit_values, train};
pub(crate) use divergence::RbmSettings;
pub use loss::Loss;
pub use machine::RbmModel;
pub use model::AutoencoderModel;
pub use network::{Dense, Network};
pub use plan::{Pretraining, Settings};
pub(crate) use rbm::not_binary;
pub use rbm::{Rbm, Units};
pub use real::Real;
pub(crate) use scaling::outside_unit;
pub use scaling::{Preprocessing, Scaling};
pub use schedule::Schedule;
pub(crate) use train::TrainingState;
pub use train::{Epoch, Stage};

#[cfg(test)]
mod method_tests;
#[cfg(test)]
mod rbm_tests;
#[cfg(test)]
mod tests;
