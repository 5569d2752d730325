//! Layouts by stress: the distances of a layout follow given dissimilarities. Sammon mapping, metric and non-metric scaling
//! differ in the weights of the pairs and in what the distances are compared with.
//!
//! ```text
//! objects -> pairs (all, or some drawn for each) -> start -> [ disparities -> Guttman transform ] -> layout
//!                                                                   |
//! new x ---- distances to the objects ------------------------------+--> position, each by itself
//! ```
//!
//! Kruskal 1964, Sammon 1969, de Leeuw 1977; Borg and Groenen 2005; Maaten 4.1, Burges 2.2.2.

mod cone;
mod descents;
mod disparity;
mod gather;
mod guttman;
pub mod isotonic;
mod majorize;
mod measure;
#[cfg(test)]
mod method_tests;
pub(crate) mod model;
pub(crate) mod objects;
mod pairs;
pub(crate) mod recipe;
mod start;
#[cfg(test)]
mod tests;
mod transform;

pub use disparity::{Scale, Ties, Transformation};
pub use majorize::Patience;
pub use model::StressModel;
pub use recipe::Solver;
pub use start::StressInit;
