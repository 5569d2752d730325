//! Local geometry: from points and their neighborhoods to the sparse matrices whose smallest eigenvectors are
//! the embedding.
//!
//! `weights` (LLE), `modified` (modified LLE), `hessian` (Hessian LLE) and `tangent` (LTSA) each look at
//! one neighborhood at a time, in double precision, and give the penalty of an embedding of it. The sum
//! of the penalties is symmetric and positive semidefinite, and constant vectors cost nothing: `M 1 = 0`.
//! New points are embedded by the rule of `extension`.

mod alignment;
mod collapse;
mod flatness;
pub(crate) mod hessian;
pub(crate) mod modified;
mod neighborhood;
mod recipe;
pub(crate) mod tangent;
#[cfg(test)]
mod tests;
pub mod weights;

pub(crate) use collapse::collapsed;
pub use collapse::collapsed_share;
pub(crate) use flatness::folded;
pub use neighborhood::Neighborhoods;
pub(crate) use neighborhood::{check_count, lists_of_part, of_component};
pub(crate) use recipe::{Geometry, LocalRecipe, euclidean, forecast, lists_of, rule};
