//! The Python side: an environment of its own with the peers, and the data that all contestants share.

use super::entries::Benchmark;
use crate::root;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The Python of an environment that holds the peers in the versions of `benches/requirements.txt`. An
/// environment is used again as long as neither the requirements nor the Python below it have changed.
pub fn install(folder: &Path) -> Result<PathBuf, String> {
    let base = std::env::var("LOWLAND_PYTHON").unwrap_or_else(|_| "python3".into());
    let version = version(&base)?;
    let requirements = root().join("benches/requirements.txt");
    let wanted = fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    let wanted = format!("# Python {version}\n{wanted}");
    // Written last, so that an interrupted installation is begun again.
    let stamp = folder.join("installed.txt");
    let python =
        if cfg!(windows) { folder.join("Scripts").join("python.exe") } else { folder.join("bin/python") };
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && python.exists() {
        return Ok(python);
    }
    eprintln!("installing the peers into {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    }
    let venv = succeeds(Command::new(&base).args(["-m", "venv"]).arg(folder));
    venv.map_err(|why| format!("`{base} -m venv` failed: {why}; is Python's `venv` module installed?"))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    succeeds(Command::new(&python).args(pip).arg(&requirements)).map_err(|why| {
        format!("pip could not install benches/requirements.txt: {why}; nothing outside target was touched")
    })?;
    fs::write(&stamp, wanted).map_err(|e| format!("cannot write {}: {e}", stamp.display()))?;
    Ok(python)
}

fn succeeds(command: &mut Command) -> Result<(), String> {
    // Their stdout is not ours: that is for the table alone.
    match command.stdout(std::io::stderr()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// The version of a Python that is new enough.
fn version(python: &str) -> Result<String, String> {
    let needs = "bench needs Python 3.10 or newer for the peers";
    let output = Command::new(python).args(["-c", "import sys; print(*sys.version_info[:3])"]).output();
    let output = output.map_err(|e| format!("{needs}: `{python}`: {e}; LOWLAND_PYTHON can name another"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u32> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
    match numbers[..] {
        [major, minor, patch] if (major, minor) >= (3, 10) => Ok(format!("{major}.{minor}.{patch}")),
        [major, minor, patch] => {
            Err(format!("{needs}: `{python}` is {major}.{minor}.{patch}; LOWLAND_PYTHON can name another"))
        }
        _ => Err(format!("{needs}: `{python}` does not say its version")),
    }
}

/// The versions of everything that takes part.
pub fn versions(python: &Path) -> Result<Value, String> {
    let script = "\
import json, platform, importlib.metadata as m
names = ['numpy', 'scipy', 'scikit-learn', 'pynndescent', 'numba']
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
