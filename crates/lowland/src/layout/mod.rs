//! Neighbor embeddings: points on a plane (or line, or in space) that are drawn together along the edges of a neighbor
//! graph and pushed apart otherwise. t-SNE and its kin differ in the affinities of the edges, in how repulsion is
//! computed, and in the schedule of the descent (Böhm, Berens and Kobak 2022).
//!
//! ```text
//! neighbors -> affinity -> edges -> attraction + repulsion -> descent -> layout
//!                                        |           |
//! new x ---- affinities to neighbors ----+-- frozen -+--> each by itself
//! ```

pub mod affinity;
mod attraction;
mod chance;
pub mod checkpoint;
mod edges;
mod initial_layout;
mod kernel;
#[cfg(test)]
mod method_tests;
pub(crate) mod model;
mod order;
pub(crate) mod outcome;
pub(crate) mod pacmap;
mod points;
pub(crate) mod repulsion;
#[cfg(test)]
mod resume_tests;
pub(crate) mod start;
pub mod stress;
pub(crate) mod training;
mod transform;
pub mod tsne;
pub(crate) mod umap;

pub use affinity::Affinity;
pub use kernel::Kernel;
pub use model::LayoutModel;
pub(crate) use points::check_shape;
pub use repulsion::Approach;
