//! Judging embeddings, how many dimensions data have, and which points are outliers.
//!
//! A [`Cloud`] is a set of points seen only through its distances; [`Points`] makes one from a matrix, [`Distances`] from the distances themselves. An embedding
//! is judged by comparing the cloud of the data with that of the embedding: whether neighbors stay neighbors
//! ([`Neighborhoods`], [`Curves`]), whether distances stay distances ([`pairs`]), whether classes stay apart
//! ([`labels`]), whether a known truth is found ([`procrustes`]). [`evaluate`] does all of it in one call.
//!
//! Ranks: the points around a point are ordered by distance, equal distances by row number, and the point itself
//! is left out; the nearest has rank 1. Nothing of the size n x n is ever held. Above a size, rows or pairs are
//! sampled, and the [`Estimate`] carries a 95 % interval.

mod cloud;
mod count;
mod curves;
pub mod dimension;
mod entropy;
mod estimate;
mod evaluate;
pub mod labels;
mod neighborhoods;
pub mod outliers;
pub mod pairs;
mod procrustes;

pub use cloud::{Cloud, Distances, Points};
pub use curves::{Curves, curves};
pub use entropy::gaussian_entropy;
pub use estimate::{Estimate, check_k};
pub use evaluate::{
    CLASS_MEASURES, Evaluation, MEASURES, Measure, PerPoint, SampleSizes, Truth, evaluate,
    evaluate_neighborhoods, sampled_rows,
};
pub use neighborhoods::{Neighborhoods, continuity, trustworthiness};
pub use procrustes::procrustes;
