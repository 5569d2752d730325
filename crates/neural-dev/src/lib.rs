//! The room `neural/`, before it moves into the library.
#![forbid(unsafe_code)]

mod functions;
pub mod neural;
pub mod optimize;
