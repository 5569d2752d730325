//! Signals at random moments, and `kill -9`.

use super::program::{Chance, Count, Folder, Table, waited};
use super::whole;
use lowland::registry;
use std::process::Command;
use std::time::{Duration, Instant};

const OUTPUTS: [&str; 3] = ["y.npy", "m.lowland", "r.json"];

/// Built-in data have labels of their own, for the methods that learn from them.
fn line(method: &str, seed: usize, rows: usize) -> String {
    format!(
        "embed data:swiss-roll?n={rows}&seed={seed} -m {method} -d 2 --seed {seed} -o y.npy --model m.lowland --report r.json \
         -q --force --threads 2"
    )
}

/// Which of the outputs are there, and of which seed.
fn seeds(folder: &Folder) -> Vec<Option<String>> {
    let report = |bytes: &[u8]| {
        let report: serde_json::Value = serde_json::from_slice(bytes).ok()?;
        Some(format!("seed {}", report["seed"]))
    };
    let read = |name: &str| {
        let bytes = std::fs::read(folder.file(name)).ok()?;
        if name == "r.json" {
            report(&bytes).or(Some("torn".into()))
        } else {
            Some(format!("{:x}", hash(&bytes)))
        }
    };
    OUTPUTS.iter().map(|name| read(name)).collect()
}

fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

pub fn campaign(table: &mut Table) {
    let mut chance = Chance(16);
    let all = registry::all();
    let (signals, kills) = if whole() { (350, 250) } else { (10, 8) };
    for i in 0..signals {
        let entry = all[chance.below(all.len())];
        let (signal, code) = if i % 2 == 0 { ("-TERM", 143) } else { ("-INT", 130) };
        table.count(
            &format!("signal {signal}"),
            entry.name,
            signaled(entry.name, (signal, code), &mut chance),
        );
    }
    // One folder: what is killed stands in the way of what follows.
    let folder = Folder::new();
    let mut mixed = 0;
    for i in 0..kills {
        let entry = all[chance.below(all.len())];
        let judged = killed(&folder, entry.name, i + 1, &mut chance);
        mixed += usize::from(judged.1.starts_with("mixed"));
        table.count("kill -9", entry.name, judged);
    }
    let after = folder.run("", &line("pca", 0, 50));
    let judged = match folder.temporaries() {
        0 => after.judged(),
        left => (Count::Broken, format!("{left} temporary files are still there")),
    };
    table.count("a run after the kills", "pca", judged);
    table.notes.push(format!("{mixed} of {kills} killed sets mixed two runs"));
}

fn signaled(method: &str, (signal, code): (&str, i32), chance: &mut Chance) -> (Count, String) {
    let folder = Folder::new();
    let child = folder.command("", &line(method, 1, 1500)).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(chance.below(400) as u64));
    let id = child.id().to_string();
    let sent = Instant::now();
    let _ = Command::new("kill").args([signal, &id]).status();
    let ran = waited(child);
    let took = sent.elapsed();
    let there = seeds(&folder).iter().flatten().count();
    match ran.code {
        // It had begun to end by itself.
        Some(0) if there == 3 => (Count::Done, String::new()),
        Some(1) if there == 0 => ran.judged(),
        // A signal before the program can listen ends it as it always does: there is nothing to be kept yet.
        None if there == 0 && folder.temporaries() == 0 && !ran.late => (Count::Refused, String::new()),
        Some(found) if found == code && there == 0 && folder.temporaries() == 0 => {
            // Only the whole campaign looks at the clock: tests run on machines of any speed.
            let late = whole() && took > Duration::from_secs(2);
            (if late { Count::Broken } else { Count::Refused }, format!("it took {took:?}"))
        }
        code => (
            Count::Broken,
            format!("{code:?}, {there} files, {} temporary: {}", folder.temporaries(), ran.err.trim()),
        ),
    }
}

/// The outputs are those of the run before or all new.
fn killed(folder: &Folder, method: &str, seed: usize, chance: &mut Chance) -> (Count, String) {
    let before = seeds(folder);
    let mut child = folder.command("", &line(method, seed, 600)).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(chance.below(300) as u64));
    let _ = child.kill();
    let _ = child.wait();
    let after = seeds(folder);
    let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
    match changed {
        0 => (Count::Refused, String::new()),
        3 => (Count::Done, String::new()),
        // The one moment that is left: between two renames.
        _ => (Count::Broken, format!("mixed: {before:?} {after:?}")),
    }
}
