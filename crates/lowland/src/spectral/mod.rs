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
mod bounds;
pub(crate) mod cluster;
pub(crate) mod clustering;
pub mod completion;
mod component;
pub(crate) mod connected_components;
pub(crate) mod fastmap;
pub(crate) mod geodesic;
mod gram;
pub(crate) mod graph;
pub mod ham;
pub mod kernel;
mod known_rows;
pub mod landmarks;
pub mod local;
mod loss;
mod model;
mod neighbor_graph;
mod neighborhood;
mod normalize;
pub mod nystrom;
mod pipeline;
mod preimage;
mod relation;
pub(crate) mod scaling;
mod smallest;
mod source;
mod spectrum;
mod stored;
pub mod unfolding;

pub use affinity::Affinity;
pub(crate) use affinity::{AffinityAnchors, FittedAffinity, SEVENTH};
pub(crate) use anchors::{Anchors, FunctionAnchors, GivenAnchors, load_anchors};
pub(crate) use bounds::{by_factor, check_landmarks, fewer_points, forecast, unsupported, usual_landmarks};
pub(crate) use cluster::Assigner;
pub use cluster::Assignment;
pub(crate) use component::{ComponentModel, Formula};
pub use gram::{Gram, GramKernel};
pub(crate) use gram::{Origin, OriginMatrix};
pub use graph::Laplacian;
pub(crate) use known_rows::KnownRows;
pub use loss::{KernelError, RowError, feature_distances};
pub(crate) use model::Fitted;
pub use model::SpectralModel;
pub(crate) use model::blocks;
pub(crate) use neighbor_graph::{Copies, NeighborGraph};
pub(crate) use neighborhood::{Connected, Neighborhood, Rule};
pub use neighborhood::{Disconnected, Edge};
pub(crate) use normalize::{Degrees, Normalizer};
pub(crate) use pipeline::{KernelPipeline, packed};
pub(crate) use preimage::Inverse;
pub use preimage::Preimage;
pub(crate) use relation::{Relation, refuse_without_edges, without_edges};
pub(crate) use smallest::{Smallest, smallest};
pub(crate) use source::{Source, query};
pub use spectrum::Negative;
pub(crate) use spectrum::{Pairs, Spectrum, decompose, resolution};

/// Eigenvalues that are looked for after those of the components, so that a gap is seen; they are not as exact.
pub(crate) const FURTHER_EIGENVALUES: usize = 10;
