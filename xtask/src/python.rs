//! `cargo xtask python`: the Python package, built, installed into an environment of its own and tested. The
//! environments of other chores are made here too.

use crate::{Failure, build, flags::Flags, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const USAGE: &str = "\
cargo xtask python [--classes | --sklearn [FILE...]]

  --classes   write the estimator classes anew from the registry, instead of running the tests
  --sklearn   run scikit-learn's own test files with lowland.sklearn in place of the import, and count; with
              words, only the files whose names contain one of them

The package is built in the dev profile and installed into target/python, with what its tests need.
LOWLAND_PYTHON names the Python (python3).
";

pub fn run(mut flags: Flags) -> Result<(), Failure> {
    let classes = flags.has("--classes");
    let theirs = flags.has("--sklearn");
    let files = flags.rest()?;
    if classes && theirs {
        return Err(Failure::Usage("`--classes` and `--sklearn` are two things: give one of them".into()));
    }
    if let Some(file) = files.first().filter(|_| !theirs) {
        return Err(Failure::Usage(format!("`{file}` is not understood; test files go with `--sklearn`")));
    }
    let done = if classes {
        write_classes()
    } else if theirs {
        their_tests(&files)
    } else {
        test()
    };
    done.map_err(Failure::Work)
}

/// Builds and installs the package, and runs its tests.
pub fn test() -> Result<(), String> {
    let python = installed()?;
    let tests = root().join("bindings/python");
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let program = build::program_of_tests("lowland")?;
    // The tests must see the installed package, not the folder that lacks the native part.
    let mut command = Command::new(python);
    command.args(pytest).arg(&tests).arg("--rootdir").arg(&tests).env("LOWLAND_PROGRAM", program);
    succeeds(&mut command)
}

fn write_classes() -> Result<(), String> {
    // Isolated, so that it sees the installed package and not the folder beside it, which lacks the native part.
    succeeds(Command::new(installed()?).arg("-I").arg(root().join("bindings/python/make_classes.py")))
}

/// scikit-learn's test files, from its wheel, on our classes.
fn their_tests(files: &[String]) -> Result<(), String> {
    let python = installed()?;
    let mut command = Command::new(python);
    command.arg("-I").arg(root().join("bindings/python/sklearn_tests.py"));
    succeeds(command.arg(target().join("python/sklearn-tests")).args(files))
}

/// The one file of a folder.
pub fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    files.next().ok_or_else(|| format!("maturin left no wheel in {}", folder.display()))
}

/// Where an environment has its Python.
pub fn python_of(folder: &Path) -> PathBuf {
    if cfg!(windows) { folder.join("Scripts").join("python.exe") } else { folder.join("bin/python") }
}

/// The Python of an environment in which the package is installed as it is now.
fn installed() -> Result<PathBuf, String> {
    let folder = target().join("python");
    let python = environment(&folder, "bindings/python/requirements-test.txt")?;
    let wheels = folder.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|e| format!("cannot remove {}: {e}", wheels.display()))?;
    }
    let mut maturin = Command::new(&python);
    maturin.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", "dev", "--strip"]);
    maturin.arg("--interpreter").arg(&python).arg("--out").arg(&wheels);
    maturin.arg("--manifest-path").arg(root().join("bindings/python/Cargo.toml"));
    succeeds(&mut maturin).map_err(|why| format!("maturin could not build the package: {why}"))?;
    let wheel = only_file(&wheels)?;
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"];
    succeeds(Command::new(&python).args(pip).arg(wheel)).map_err(|why| format!("pip: {why}"))?;
    Ok(python)
}

/// The Python of an environment that holds what a requirements file lists. An environment is used again as long
/// as neither the requirements nor the Python below it have changed.
pub fn environment(folder: &Path, requirements: &str) -> Result<PathBuf, String> {
    let base = std::env::var("LOWLAND_PYTHON").unwrap_or_else(|_| "python3".into());
    let version = version(&base)?;
    let file = root().join(requirements);
    let wanted = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let wanted = format!("# Python {version}\n{wanted}");
    // Written last, so that an interrupted installation is begun again.
    let stamp = folder.join("installed.txt");
    let python = python_of(folder);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && python.exists() {
        return Ok(python);
    }
    eprintln!("installing {requirements} into {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    }
    let venv = succeeds(Command::new(&base).args(["-m", "venv"]).arg(folder));
    venv.map_err(|why| format!("`{base} -m venv` failed: {why}; is Python's `venv` module installed?"))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    succeeds(Command::new(&python).args(pip).arg(&file)).map_err(|why| {
        format!("pip could not install {requirements}: {why}; nothing outside target was touched")
    })?;
    fs::write(&stamp, wanted).map_err(|e| format!("cannot write {}: {e}", stamp.display()))?;
    Ok(python)
}

/// Where everything that can be made again is put.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

pub fn succeeds(command: &mut Command) -> Result<(), String> {
    // Their stdout is not ours: a chore may have a table to print.
    match command.stdout(std::io::stderr()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// The version of a Python that is new enough.
fn version(python: &str) -> Result<String, String> {
    let needs = "this chore needs Python 3.10 or newer";
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
