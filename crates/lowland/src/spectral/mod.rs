//! The one pipeline of the spectral methods, each stage written once:
//!
//! ```text
//! points - neighbors -> graph -> kernel -> normalize -> eigenpairs -> scale -> embedding
//!                                   |           |            |           |
//! new x ----------------------------+- row -----+------------+-----------+-> Nyström -> y(x)
//! ```
//!
//! A stage that is fitted to the training data also handles the rows of new points, so that the lower path is
//! never written per method. All of it works in double precision on rows that lie one after the other; results
//! go back in the precision of the rows they are made from.

pub(crate) mod additive;
mod affinity;
mod anchors;
mod bottom;
pub(crate) mod cluster;
pub(crate) mod geodesic;
pub(crate) mod geodesic_recipe;
pub(crate) mod graph;
pub mod ham;
pub mod kernel;
pub mod landmarks;
pub mod local;
mod loss;
mod model;
mod neighbor_graph;
mod neighborhood;
mod normalize;
pub mod nystrom;
pub(crate) mod parts;
mod piece;
mod pipeline;
mod preimage;
pub(crate) mod scaling;
pub(crate) mod shortcuts;
mod source;
mod spectrum;

pub use affinity::Affinity;
pub(crate) use affinity::{AffinityAnchors, FittedAffinity};
pub(crate) use anchors::{Anchors, FunctionAnchors, Given, GivenAnchors, Sparse};
pub(crate) use bottom::{Bottom, bottom};
pub(crate) use cluster::Assigner;
pub use cluster::Assignment;
pub use graph::Laplacian;
pub use loss::{KernelError, RowError, feature_distances};
pub(crate) use model::Fitted;
pub use model::SpectralModel;
pub(crate) use neighbor_graph::NeighborGraph;
pub use neighborhood::Disconnected;
pub(crate) use neighborhood::{Connected, Near, Neighborhood, Rule};
pub(crate) use normalize::{Degrees, Normalizer};
pub(crate) use piece::Piece;
pub(crate) use pipeline::{
    KernelPipeline, check_landmarks, forecast, load_anchors, packed, unsupported, usual_landmarks,
};
pub(crate) use preimage::Inverse;
pub use preimage::Preimage;
pub(crate) use source::{Source, square};
pub use spectrum::Negative;
pub(crate) use spectrum::{Pairs, Spectrum, decompose, resolution};
