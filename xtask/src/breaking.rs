//! `cargo xtask break`: an attempt to break the program, for every method.

use crate::{Failure, flags, flags::Flags, root};
use std::process::Command;

pub const USAGE: &str = "\
cargo xtask break [PART...]

  PART   data, models, ends, starved or forecasts; all of them if none is named

Bad data, damaged and forged model files, signals at random moments, kills, full disks, little memory, and forecasts of
memory beside what fits take: for every method of the registry. It prints tables of counts and fails where a promise is
broken. The tests run a short version of each part (`cargo nextest run -p lowland-cli --test campaign`).
";

/// The parts, with the tests that run them.
const PARTS: &[(&str, &str)] = &[
    ("data", "bad_data_are_refused_or_embedded_by_every_method"),
    ("models", "damaged_and_forged_models_are_refused_or_give_numbers"),
    ("ends", "signals_leave_nothing_and_kills_leave_sets_that_belong_together"),
    ("starved", "full_disks_and_little_memory_are_errors"),
    ("forecasts", "forecasts_are_upper_bounds"),
];

pub fn run(flags: Flags) -> Result<(), Failure> {
    let wanted = flags.rest()?;
    let names = || PARTS.iter().map(|(name, _)| *name);
    if let Some(wrong) = wanted.iter().find(|word| names().all(|name| name != word.as_str())) {
        let near = flags::nearest(wrong, names());
        return Err(Failure::Usage(format!("no part `{wrong}`; the nearest is `{near}`")));
    }
    let chosen = PARTS.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|word| word == name));
    let mut broken = Vec::new();
    for (name, test) in chosen {
        let mut command = Command::new("cargo");
        command.args(["test", "-q", "-p", "lowland-cli", "--test", "campaign", "--", "--nocapture", test]);
        command.env("LOWLAND_BREAK", "1").current_dir(root());
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(_) => broken.push(*name),
            Err(error) => return Err(Failure::Work(error.to_string())),
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    Err(Failure::Work(format!("promises were broken by: {}; see above", broken.join(", "))))
}
