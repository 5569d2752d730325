//! `cargo xtask test`: every check, in order, to the first that fails.

use crate::{Failure, flags::Flags, python, root, say, text};
use std::process::{Command, Stdio};
use std::time::Instant;

pub const USAGE: &str = "\
cargo xtask test [--fast]

  --fast   leave out the doc tests, the docs and the Python package
";

/// A cargo command, or another chore.
enum Step {
    Cargo { name: &'static str, line: &'static str, environment: Option<(&'static str, &'static str)> },
    Text,
    Python,
}

impl Step {
    fn cargo(name: &'static str, line: &'static str) -> Self {
        Step::Cargo { name, line, environment: None }
    }

    fn name(&self) -> &'static str {
        match self {
            Step::Cargo { name, .. } => name,
            Step::Text => "text",
            Step::Python => "python",
        }
    }

    /// The line that runs this step alone.
    fn alone(&self) -> String {
        match self {
            Step::Cargo { line, environment: None, .. } => format!("cargo {line}"),
            Step::Cargo { line, environment: Some((key, value)), .. } => {
                format!("{key}='{value}' cargo {line}")
            }
            Step::Text => "cargo xtask text".into(),
            Step::Python => "cargo xtask python".into(),
        }
    }

    fn run(&self) -> Result<(), String> {
        match self {
            Step::Python => python::test(),
            Step::Text => text::check(&root()).map(|files| say(&format!("{files} files read\n"))),
            Step::Cargo { line, environment, .. } => {
                let mut command = cargo();
                command.args(line.split(' ')).envs(*environment);
                match command.status() {
                    Ok(status) if status.success() => Ok(()),
                    Ok(status) => Err(status.to_string()),
                    Err(error) => Err(error.to_string()),
                }
            }
        }
    }
}

/// The cargo that runs this chore, at the top of the repository.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

fn has_nextest() -> bool {
    let quiet = cargo().args(["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

fn steps(fast: bool, nextest: bool) -> Vec<Step> {
    let tests =
        if nextest { "nextest run --workspace" } else { "test --workspace --lib --bins --tests --examples" };
    let mut steps = vec![
        Step::cargo("format", "fmt --all --check"),
        Step::cargo("lints", "clippy --workspace --all-targets -- -D warnings"),
        Step::cargo("tests", tests),
    ];
    if !fast {
        steps.push(Step::cargo("doc tests", "test --workspace --doc"));
        let environment = Some(("RUSTDOCFLAGS", "-D warnings"));
        steps.push(Step::Cargo { name: "docs", line: "doc --workspace --no-deps", environment });
    }
    steps.push(Step::Text);
    if !fast {
        steps.push(Step::Python);
    }
    steps
}

pub fn run(mut flags: Flags) -> Result<(), Failure> {
    let fast = flags.has("--fast");
    flags.end()?;
    let mut times = String::new();
    let begun = Instant::now();
    let steps = steps(fast, has_nextest());
    for step in &steps {
        say(&format!("\n==> {}: {}\n", step.name(), step.alone()));
        let step_begun = Instant::now();
        let outcome = step.run();
        times.push_str(&format!("{:>8.1} s  {}\n", step_begun.elapsed().as_secs_f64(), step.name()));
        if let Err(why) = outcome {
            say(&format!("\n{times}"));
            let message = format!("`{}` failed: {why}\nalone: {}", step.name(), step.alone());
            return Err(Failure::Work(message));
        }
    }
    let left_out = if fast { ", without the doc tests, the docs and the Python package" } else { "" };
    let total = begun.elapsed().as_secs_f64();
    say(&format!("\n{times}{total:>8.1} s  all {} steps passed{left_out}\n", steps.len()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_for_one_step_carries_its_environment() {
        let steps = steps(false, false);
        let docs = steps.iter().find(|s| s.name() == "docs").unwrap();
        assert_eq!(docs.alone(), "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps");
    }

    #[test]
    fn fast_leaves_out_the_docs_and_the_python_package() {
        let names = |fast| steps(fast, true).iter().map(Step::name).collect::<Vec<_>>();
        assert_eq!(names(false), ["format", "lints", "tests", "doc tests", "docs", "text", "python"]);
        assert_eq!(names(true), ["format", "lints", "tests", "text"]);
    }
}
