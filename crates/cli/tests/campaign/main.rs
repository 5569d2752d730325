//! An attempt to break the program: bad data, damaged and forged models, signals, kills, full disks and little memory, for
//! every method of the registry. Here it is short; `cargo xtask break` runs all of it and prints the table.

#![cfg(target_os = "linux")]

mod data;
mod ends;
mod forecasts;
mod models;
mod program;
mod starved;

use program::Table;

/// Whether everything is tried, and not a sample.
fn whole() -> bool {
    std::env::var_os("LOWLAND_BREAK").is_some()
}

/// Runs one part and holds it to account.
fn tried(part: &str, attempt: impl FnOnce(&mut Table)) {
    let mut table = Table::new(part);
    attempt(&mut table);
    table.finish();
}

#[test]
fn bad_data_are_refused_or_embedded_by_every_method() {
    tried("bad data", data::campaign);
}

#[test]
fn damaged_and_forged_models_are_refused_or_give_numbers() {
    tried("models", models::campaign);
}

#[test]
fn signals_leave_nothing_and_kills_leave_sets_that_belong_together() {
    tried("signals and kills", ends::campaign);
}

#[test]
fn full_disks_and_little_memory_are_errors() {
    tried("full disk, little memory", starved::campaign);
}

#[test]
fn forecasts_are_upper_bounds() {
    tried("forecasts", forecasts::campaign);
}
