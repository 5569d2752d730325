//! The chores of the project: `cargo xtask` lists them.

mod bench;
mod breaking;
mod build;
mod data_folder;
mod flags;
mod fuzz;
mod python;
mod site;
mod test;
mod text;
mod wheel;

use flags::{Flags, Wrong};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why a chore did not end well.
pub enum Failure {
    /// It was asked for in a way that it does not know: exit 2.
    Usage(String),
    /// It was done and went wrong: exit 1.
    Work(String),
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Self {
        Failure::Usage(wrong.0)
    }
}

struct Chore {
    name: &'static str,
    about: &'static str,
    usage: &'static str,
    run: fn(Flags) -> Result<(), Failure>,
}

const CHORES: &[Chore] = &[
    Chore {
        name: "test",
        about: "every check that a change must pass: format, lints, tests, docs, text, Python",
        usage: test::USAGE,
        run: test::run,
    },
    Chore {
        name: "text",
        about: "the project's own text: no machine paths or registry hosts, links that resolve, citations that are listed",
        usage: text::USAGE,
        run: text::run,
    },
    Chore {
        name: "python",
        about: "the Python package: built, installed into target/python, tested",
        usage: python::USAGE,
        run: python::run,
    },
    Chore {
        name: "wheel",
        about: "the wheel to ship, built in the release profile and tried in an empty environment",
        usage: wheel::USAGE,
        run: wheel::run,
    },
    Chore {
        name: "site",
        about: "the documentation as a site: guide, a page a method, gallery, API",
        usage: site::USAGE,
        run: site::run,
    },
    Chore {
        name: "bench",
        about: "times against the Python peers, in turns on this machine, as a table",
        usage: bench::USAGE,
        run: bench::run,
    },
    Chore {
        name: "fuzz",
        about: "the reading of every format, fed with damaged files for as long as you like",
        usage: fuzz::USAGE,
        run: fuzz::run,
    },
    Chore {
        name: "break",
        about: "bad data, damaged models, signals, kills, full disks, little memory: for every method",
        usage: breaking::USAGE,
        run: breaking::run,
    },
];

/// The top of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// Writes to stdout; a reader that has gone away (`| head`) is no failure.
pub fn say(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(name) = words.next().filter(|w| !["help", "--help", "-h"].contains(&w.as_str())) else {
        say(&list());
        return ExitCode::SUCCESS;
    };
    let Some(chore) = CHORES.iter().find(|c| c.name == name) else {
        let near = flags::nearest(&name, CHORES.iter().map(|c| c.name));
        eprintln!("xtask: no chore `{name}`; the nearest is `{near}`. `cargo xtask` lists them all.");
        return ExitCode::from(2);
    };
    let words: Vec<String> = words.collect();
    if words.iter().any(|w| w == "--help" || w == "-h") {
        say(&format!("{}: {}\n\n{}", chore.name, chore.about, chore.usage));
        return ExitCode::SUCCESS;
    }
    match (chore.run)(Flags::new(words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            let synopsis = chore.usage.lines().next().unwrap_or_default();
            eprintln!("xtask {name}: {message}\nusage: {synopsis}\n`cargo xtask {name} --help` says more");
            ExitCode::from(2)
        }
        Err(Failure::Work(message)) => {
            eprintln!("xtask {name}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn list() -> String {
    let line = |c: &Chore| format!("  {:<6} {}\n", c.name, c.about);
    let lines: String = CHORES.iter().map(line).collect();
    format!("cargo xtask CHORE [--help]\n\n{lines}")
}
