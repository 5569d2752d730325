//! Neighbors for Lowland: metrics, exact and approximate indexes behind one trait, the neighbor graph with
//! its connected components, and geodesics.

pub mod geodesics;
pub mod graph;
pub mod index;
mod metric;
mod nearest;
mod queue;
mod rows;
mod sparse;
mod table;

pub use graph::Graph;
pub use index::Index;
pub use metric::Metric;
pub use rows::Rows;
pub use sparse::SparseIndex;
pub use table::Table;
