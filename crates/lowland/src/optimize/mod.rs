//! What several families of methods minimize with.

pub mod adam;
pub mod descent;
