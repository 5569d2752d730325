//! The room `neural/`, before it moves into the library.

mod functions;
pub mod neural;
pub mod optimize;
