//! Where the data sets are, for the chores, the tests and the examples: each takes in this file by `#[path]`.

use std::path::{Path, PathBuf};

/// The folder that `LOWLAND_DATA` names; without it, `../shared/data` beside the repository.
pub fn data_folder() -> PathBuf {
    let named = std::env::var_os("LOWLAND_DATA").filter(|name| !name.is_empty());
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let top = package.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(package);
    named.map_or_else(|| top.join("../shared/data"), PathBuf::from)
}
