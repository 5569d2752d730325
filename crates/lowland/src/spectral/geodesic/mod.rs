//! Isomap and its relatives: the graph, its geodesics, and classical scaling of these.

mod anchors;
pub(crate) mod folding;
mod ranks;
mod recipe;
pub(crate) mod short_circuits;
pub(crate) mod steep;
mod tearing;
mod variance;

pub(crate) use anchors::{GeodesicAnchors, GeodesicSource, half_squared};
pub(crate) use recipe::GeodesicRecipe;
pub(crate) use variance::residual_variance;
