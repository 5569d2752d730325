//! Building a program of the workspace, and finding it.

use crate::test::cargo;
use std::path::PathBuf;
use std::process::Stdio;

/// Builds a package in a profile; the path of its program.
pub fn program(package: &str, profile: &str) -> Result<PathBuf, String> {
    eprintln!("cargo build --profile {profile} --package {package}");
    let mut command = cargo();
    command.args(["build", "--profile", profile, "--package", package]);
    command.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    let output = command.output().map_err(|e| format!("cannot start cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("{package} does not build: {}", output.status));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut programs = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    programs.next_back().ok_or_else(|| format!("cargo built no program of {package}"))
}
