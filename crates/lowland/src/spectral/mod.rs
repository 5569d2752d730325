//! The spectral pipeline.

pub mod local;
