//! New points of methods that have no formula for them: one rule, the same for all of them.
//!
//! A new point is described by its nearest training points with weights that sum to one, and its image is the sum of
//! theirs with these weights: `y(x) = sum_j w_j(x) y_j` (Saul and Roweis 2003; Bengio section 3.1). A training point is
//! described by itself alone, so that its image is reproduced to the bit.
//!
//! The rule needs nothing but points, their images and a number of neighbors, whatever method made the images. With the
//! two exchanged it leads back from images to points.

mod differences;
mod indexed;
mod local_linear;
mod reconstruction;
pub(crate) mod small;
mod tangent;
#[cfg(test)]
mod tests;

pub(crate) use differences::Differences;
pub(crate) use indexed::{IndexedPoints, IndexedRows, Neighbors};
pub(crate) use local_linear::{LocalLinear, Weights};
pub(crate) use reconstruction::Reconstruction;
pub(crate) use tangent::Tangent;
