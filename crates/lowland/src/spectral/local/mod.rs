//! Local geometry: from points and their neighborhoods to the sparse matrices whose smallest eigenvectors are
//! the embedding.
//!
//! [`weights`] (LLE), [`modified`] (modified LLE), [`hessian`] (Hessian LLE) and [`tangent`] (LTSA) each look at
//! one neighborhood at a time, in double precision, and say how an embedding of it is to be penalized. The sum
//! of the penalties is symmetric and positive semidefinite, and constant vectors cost nothing: `M 1 = 0`.

mod alignment;
mod anchors;
mod collapse;
mod flatness;
pub mod hessian;
pub mod modified;
mod neighborhood;
mod recipe;
mod small;
pub mod tangent;
#[cfg(test)]
mod tests;
pub mod weights;

pub(crate) use collapse::collapsed;
pub use collapse::collapsed_share;
pub(crate) use flatness::folded;
pub use neighborhood::Neighborhoods;
pub(crate) use neighborhood::{check_count, of_part};
pub(crate) use recipe::{Geometry, LocalRecipe, euclidean, forecast};
