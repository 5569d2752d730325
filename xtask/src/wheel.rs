//! `cargo xtask wheel`: the wheel that is shipped, tried in an empty environment.

use crate::python::{environment, only_file, python_of, succeeds, target};
use crate::{Failure, flags::Flags, root, say};
use std::fs;
use std::process::Command;

pub const USAGE: &str = "\
cargo xtask wheel

Builds the wheel in the release profile into target/wheels, one for all Pythons from 3.10 on, installs it into an
empty environment with numpy alone, runs the README's Python example there, and says its size and the time of the
import. LOWLAND_PYTHON names the Python (python3).
";

pub fn run(flags: Flags) -> Result<(), Failure> {
    flags.end()?;
    build().map_err(Failure::Work)
}

fn build() -> Result<(), String> {
    let maker = environment(&target().join("python"), "bindings/python/requirements-test.txt")?;
    let wheels = target().join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|e| format!("cannot remove {}: {e}", wheels.display()))?;
    }
    let mut maturin = Command::new(&maker);
    maturin.args(["-m", "maturin", "build", "--quiet", "--locked", "--release", "--strip"]);
    maturin.arg("--interpreter").arg(&maker).arg("--out").arg(&wheels);
    maturin.arg("--manifest-path").arg(root().join("bindings/python/Cargo.toml"));
    succeeds(&mut maturin).map_err(|why| format!("maturin could not build the wheel: {why}"))?;
    let wheel = only_file(&wheels)?;
    let folder = target().join("empty");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    }
    succeeds(Command::new(&maker).args(["-m", "venv"]).arg(&folder))?;
    let python = python_of(&folder);
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    succeeds(Command::new(&python).args(pip).arg(&wheel)).map_err(|why| format!("pip: {why}"))?;
    let size = fs::metadata(&wheel).map_err(|e| format!("{}: {e}", wheel.display()))?.len();
    say(&format!("{}: {:.1} MB\n", wheel.display(), size as f64 / 1e6));
    succeeds(Command::new(&python).arg("-I").arg(root().join("bindings/python/try_wheel.py")).arg(root()))
}
