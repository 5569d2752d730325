//! `cargo xtask site`: the documentation as pages to look at in a browser.

use crate::python::{environment, succeeds, target};
use crate::{Failure, build, flags::Flags, root, test::cargo};
use std::path::PathBuf;
use std::process::Command;

pub const USAGE: &str = "\
cargo xtask site

Builds the documentation into target/site: start at index.html there. The pages come from docs, GUIDE.md, the registry
(a page a method) and the docstrings of the Python package; the pictures of the gallery are drawn by the program, and
kept in target/site-work for the next time. What `cargo doc` makes in target/doc becomes a part of it. Nothing is
loaded from elsewhere when the pages are looked at.

LOWLAND_PROGRAM names a built program; without it one is built in the release profile. LOWLAND_PYTHON names the Python
(python3).
";

pub fn run(flags: Flags) -> Result<(), Failure> {
    flags.end()?;
    build().map_err(Failure::Work)
}

fn build() -> Result<(), String> {
    let python = environment(&target().join("site-python"), "docs/site/requirements.txt")?;
    let program = match std::env::var_os("LOWLAND_PROGRAM") {
        Some(program) => PathBuf::from(program),
        None => build::program("lowland-cli", "release")?,
    };
    let mut pages = Command::new(python);
    pages.arg(root().join("docs/site/pages.py")).arg(program);
    pages.arg(target().join("site-work")).arg(target().join("site"));
    succeeds(cargo().args(["doc", "--workspace", "--no-deps", "--quiet"]))
        .map_err(|why| format!("`cargo doc --workspace --no-deps` failed: {why}"))?;
    pages.arg(target().join("doc"));
    succeeds(&mut pages).map_err(|why| format!("the pages could not be made: {why}"))
}
