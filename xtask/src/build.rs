//! Building a program of the workspace, and finding it.

use crate::test::cargo;
use std::path::PathBuf;
use std::process::Stdio;

/// Builds a package in a profile; the path of its program.
pub fn program(package: &str, profile: &str) -> Result<PathBuf, String> {
    built(&["--profile", profile, "--package", package])
}

/// The program as the tests build it. With all packages chosen the dependencies have the features that they have in
/// the tests; with one, some have fewer, and they and all above them would be compiled once more.
pub fn program_of_tests(name: &str) -> Result<PathBuf, String> {
    built(&["--workspace", "--bin", name])
}

fn built(what: &[&str]) -> Result<PathBuf, String> {
    let line = what.join(" ");
    eprintln!("cargo build {line}");
    let mut command = cargo();
    command.arg("build").args(what);
    command.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    let output = command.output().map_err(|e| format!("cannot start cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("`cargo build {line}` failed: {}", output.status));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut programs = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    programs.next_back().ok_or_else(|| format!("`cargo build {line}` built no program"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A feature that another package asks of a common dependency makes two builds of all that stands on it. What the
    /// Python package lacks is listed in its Cargo.toml.
    #[test]
    fn the_python_package_shares_the_build_of_the_tests() {
        let tree = |what: &[&str]| -> BTreeSet<String> {
            let mut command = cargo();
            command
                .args(["tree", "--locked", "--prefix", "none", "--format", "{p} {f}", "--edges"])
                .args(what);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8_lossy(&output.stdout);
            text.lines().map(|line| line.trim_end_matches(" (*)").trim_end().to_owned()).collect()
        };
        let tests = tree(&["normal,build,dev", "--workspace"]);
        let package = tree(&["normal,build", "--package", "lowland-python"]);
        let others: Vec<_> = package.difference(&tests).collect();
        assert!(package.len() > 10 && others.is_empty(), "with other features in the tests: {others:#?}");
    }
}
