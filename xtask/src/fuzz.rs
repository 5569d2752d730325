//! `cargo xtask fuzz`: the fuzz targets, one a format, each for some time.

use crate::python::target;
use crate::{Failure, build, flags, flags::Flags, root, say};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

pub const USAGE: &str = "\
cargo xtask fuzz [FORMAT...] [--seconds N] [--sanitizer NAME]

  FORMAT            npy, npz, csv, tsv, parquet, arrow, mat, idx or model; all of them if none is named
  --seconds N       how long each is run (60)
  --sanitizer NAME  none, address or another that cargo-fuzz knows (none: the libraries are safe Rust)

Each target begins with the files of the tests, and models of every method; what it finds worth keeping goes into
target/fuzz-corpus. An input that panics, takes more than 10 seconds or more memory than its size warrants ends the
chore and is left in target/fuzz-found. It needs cargo-fuzz (`cargo install cargo-fuzz`) and a nightly compiler
(`rustup toolchain install nightly`).
";

/// The targets, with the endings of the test files that they begin with.
const TARGETS: &[(&str, &[&str])] = &[
    ("npy", &[".npy"]),
    ("npz", &[".npz"]),
    ("csv", &[".csv", ".txt"]),
    ("tsv", &[".tsv"]),
    ("parquet", &[".parquet"]),
    ("arrow", &[".arrow", ".feather"]),
    ("mat", &[".mat"]),
    ("idx", &[".idx", "ubyte", "ubyte.gz"]),
    ("model", &[]),
];

pub fn run(mut flags: Flags) -> Result<(), Failure> {
    let seconds = flags.count("--seconds")?.unwrap_or(60);
    let sanitizer = flags.value("--sanitizer")?.unwrap_or_else(|| "none".into());
    let wanted = flags.rest()?;
    let names = || TARGETS.iter().map(|(name, _)| *name);
    if let Some(wrong) = wanted.iter().find(|word| names().all(|name| name != word.as_str())) {
        let near = flags::nearest(wrong, names());
        return Err(Failure::Usage(format!("no format `{wrong}`; the nearest is `{near}`")));
    }
    let chosen =
        TARGETS.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|word| word == name));
    fuzz(&chosen.collect::<Vec<_>>(), seconds, &sanitizer).map_err(Failure::Work)
}

/// `cargo fuzz`, by a compiler that can instrument.
fn cargo_fuzz() -> Command {
    let mut command = Command::new("cargo");
    // What the stable cargo above us has set would win over the word that follows.
    for key in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC"] {
        command.env_remove(key);
    }
    command.args(["+nightly", "fuzz"]).current_dir(root());
    command
}

fn fuzz(chosen: &[&(&str, &[&str])], seconds: usize, sanitizer: &str) -> Result<(), String> {
    let there = cargo_fuzz().arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        return Err(
            "`cargo +nightly fuzz` does not run: `cargo install cargo-fuzz` and `rustup toolchain install \
                    nightly` bring what it needs"
                .into(),
        );
    }
    for (name, endings) in chosen {
        let [seeds, corpus, found] = ["seeds", "corpus", "found"].map(|kind| folder(kind, name));
        for folder in [&seeds, &corpus, &found] {
            fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
        }
        if endings.is_empty() {
            model_seeds(&seeds)?
        } else {
            file_seeds(&seeds, endings)?
        }
        say(&format!("\n==> {name}, for {seconds} s\n"));
        let mut command = cargo_fuzz();
        command.args(["run", "--fuzz-dir", "fuzz", "--sanitizer", sanitizer, "--target-dir"]);
        command.arg(target().join("fuzz")).arg(name).arg(&corpus).arg(&seeds).arg("--");
        command
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-artifact_prefix={}/", found.display()));
        command.args(["-max_len=65536", "-timeout=10", "-rss_limit_mb=4096", "-print_final_stats=1"]);
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("{name}: {status}; what did it is in {}", found.display())),
            Err(error) => return Err(format!("{name}: {error}")),
        }
    }
    Ok(())
}

fn folder(kind: &str, name: &str) -> std::path::PathBuf {
    target().join(format!("fuzz-{kind}")).join(name)
}

/// The files of the tests that have these endings.
fn file_seeds(seeds: &Path, endings: &[&str]) -> Result<(), String> {
    let tests = root().join("crates/io/tests/fixtures");
    let failed = |e: std::io::Error| format!("{}: {e}", tests.display());
    for entry in fs::read_dir(&tests).map_err(failed)? {
        let file = entry.map_err(failed)?;
        let name = file.file_name().to_string_lossy().into_owned();
        if endings.iter().any(|ending| name.ends_with(ending)) {
            fs::copy(file.path(), seeds.join(&name)).map_err(failed)?;
        }
    }
    Ok(())
}

/// A small model of every method that can be fitted to points alone.
fn model_seeds(seeds: &Path) -> Result<(), String> {
    let program = build::program_of_tests("lowland")?;
    let output = Command::new(&program).args(["methods", "--json"]).output().map_err(|e| e.to_string())?;
    let methods: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    for method in methods.as_array().into_iter().flatten() {
        let Some(name) = method["name"].as_str() else { continue };
        let mut embed = Command::new(&program);
        embed.args([
            "embed",
            "data:swiss-roll?n=40&seed=1",
            "-d",
            "2",
            "-q",
            "--force",
            "-m",
            name,
            "--model",
        ]);
        let status = embed.arg(seeds.join(name)).stderr(Stdio::null()).status().map_err(|e| e.to_string())?;
        if !status.success() {
            eprintln!("no model of {name} to begin with");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_a_program_and_every_program_a_target() {
        let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
        let paths: Vec<&str> = manifest.lines().filter_map(|line| line.strip_prefix("path = ")).collect();
        let expected: Vec<String> =
            TARGETS.iter().map(|(name, _)| format!("\"targets/{name}.rs\"")).collect();
        assert_eq!(paths, expected);
    }
}
