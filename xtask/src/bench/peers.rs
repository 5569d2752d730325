//! The Python side: the versions of the peers, and the data that all contestants share.

use super::entries::Benchmark;
use crate::root;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// The versions of everything that takes part.
pub fn versions(python: &Path) -> Result<Value, String> {
    let script = "\
import json, platform, importlib.metadata as m
names = ['numpy', 'scipy', 'scikit-learn', 'pynndescent', 'numba', 'openTSNE', 'umap-learn', 'pacmap', 'pandas', 'pyarrow', 'sammon-mapping']
print(json.dumps({'python': platform.python_version(), **{n: m.version(n) for n in names}}))";
    let output = Command::new(python).args(["-c", script]).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("cannot start the peers' Python: {e}"))?;
    let broken = |e| format!("the peers are not whole: {e}; remove target/peers and try again");
    let mut versions: Value = serde_json::from_slice(&output.stdout).map_err(broken)?;
    let rustc = super::machine::line_of("rustc", &["--version"]);
    versions["rustc"] = rustc.trim_start_matches("rustc ").into();
    versions["lowland"] = super::machine::line_of("git", &["describe", "--always", "--dirty"]).into();
    Ok(versions)
}

/// Makes the data that are not there yet. The names of what was made, in the order of the benchmarks: MNIST
/// is replaced by something with another name where it cannot be found.
pub fn make_data(python: &Path, folder: &Path, chosen: &[Benchmark]) -> Result<Vec<String>, String> {
    let script = root().join("benches/make_data.py");
    let mut command = Command::new(python);
    command.arg(script).arg(folder).stderr(Stdio::inherit());
    for benchmark in chosen {
        let reference = benchmark.reference.as_ref().map(|r| format!(".{r}")).unwrap_or_default();
        command.arg(format!("{}{reference}", benchmark.data));
    }
    let output = command.output().map_err(|e| format!("cannot start the peers' Python: {e}"))?;
    if !output.status.success() {
        return Err(format!("benches/make_data.py failed: {}", output.status));
    }
    let made: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    if made.len() != chosen.len() {
        return Err(format!("benches/make_data.py made {} of {} sets", made.len(), chosen.len()));
    }
    Ok(made)
}
