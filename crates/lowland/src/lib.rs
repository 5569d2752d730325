//! Lowland turns high-dimensional data into few dimensions: every classic method behind one contract.
//!
//! ```
//! use lowland::{Method, Model, Run, methods::Pca, parameters::Components};
//! use ndarray::array;
//!
//! let x = array![[2.0, 0.1], [-2.0, -0.1], [1.0, 0.0], [-1.0, 0.0]];
//! let run = Run::new();
//! let pca = Pca { n_components: Components::Count(1), ..Pca::default() };
//! let model = pca.fit_model(&x, &run)?;
//! let y = model.transform((&x).into(), &run)?;
//! assert_eq!(y.dim(), (4, 1));
//! # Ok::<(), lowland::Error>(())
//! ```
//!
//! A method is a plain struct of parameters; fitting it gives a model; the model embeds new points, goes back
//! where that has a meaning, says what was optimized, and is saved to a file. [`registry`] lists the methods
//! with everything that a front end needs to know about them.

mod admitted;
mod check;
mod chunks;
pub mod compare;
pub mod data;
mod describe;
mod extension;
mod fingerprint;
mod functions;
mod input;
mod kmeans;
pub mod layout;
pub mod machine_speed;
mod matrix;
mod method;
pub mod methods;
mod mixture;
mod model;
pub mod neural;
mod optimize;
pub mod parameters;
pub mod plan;
mod projective;
pub mod quality;
pub mod registry;
pub mod spectral;
pub mod stability;

pub use admitted::Admitted;
pub use chunks::{Accumulate, Chunks, Stream};
pub use input::{AnyInput, Input, InputKind, Shape};
pub use lowland_base::{
    Cancel, Checkpoint, Csr, Error, FitIdentity, Mat, MatRef, MemoryLimit, Partial, Progress, Result, Run,
    Scalar, Slowed, Stage, Verdict, files, human_bytes, memory, names, units,
};
pub use matrix::{AnyMatrix, Element};
pub use method::{Capabilities, Entry, Fit, Forecast, Method, Names, Properties, Training};
pub use model::{
    Archive, Attribute, Datum, Model, Preparation, Provenance, Quantity, Report, Warning, load, load_bytes,
    load_names, load_prepared, prepared_bytes, save_named,
};
pub use projective::LinearModel;

/// How many dimensions data really have.
pub use lowland_quality::dimension;

/// Operators, eigenpairs, singular values.
pub use lowland_linalg as linalg;
/// Metrics, neighbor search, the neighbor graph.
pub use lowland_neighbors as neighbors;

/// The code of the README and of the guide, run as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../GUIDE.md")]
    struct Guide;
}
