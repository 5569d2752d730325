//! Neighbor embeddings, developed beside the library.

pub mod layout;
pub mod optimize;
