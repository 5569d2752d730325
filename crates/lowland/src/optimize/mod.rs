//! What several families of methods minimize with.

pub mod descent;
