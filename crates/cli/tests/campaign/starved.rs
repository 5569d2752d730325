//! Full disks and little memory: an error, never an abort, and nothing half-written.

use super::program::{Count, Folder, Table};
use super::whole;
use lowland::registry;

pub fn campaign(table: &mut Table) {
    let all = registry::all();
    let few: Vec<_> = all.iter().step_by(if whole() { 1 } else { 6 }).collect();
    for entry in &few {
        let name = entry.name;
        let folder = Folder::new();
        let write = |line: &str, before: &str| {
            let line = format!("embed data:swiss-roll?n=400 -m {name} -d 2 -q --threads 1 {line}");
            let ran = folder.run(before, &line);
            let mut judged = ran.judged();
            if judged.0 == Count::Done {
                judged = (Count::Broken, "a full disk went unnoticed".into());
            }
            (judged, ran.err)
        };
        for line in ["-o /dev/full", "--report /dev/full", "--model /dev/full"] {
            // The name of a device says nothing about a format.
            let (judged, _) = write(line, "");
            table.count("disk full: a device", name, judged);
        }
        // Blocks of 512 bytes: the embedding alone takes 6,400 bytes.
        let (mut judged, err) = write("-o y.npy --model m.lowland", "ulimit -f 4;");
        let left = std::fs::read_dir(&folder.0).unwrap().count();
        if left > 0 {
            judged = (Count::Broken, format!("{left} files were left: {err}"));
        }
        table.count("disk full: a limit on files", name, judged);
    }
    memory(table);
}

/// From far too little to nearly enough.
fn memory(table: &mut Table) {
    let all = registry::all();
    let few: Vec<_> = all.iter().step_by(if whole() { 1 } else { 9 }).collect();
    let levels: &[usize] = if whole() { &[60, 80, 100, 120, 150, 200, 300, 500] } else { &[90, 200] };
    for entry in few {
        for mebibytes in levels {
            let folder = Folder::new();
            let line = format!("embed data:swiss-roll?n=3000 -m {} -d 2 -o y.npy -q --threads 2", entry.name);
            let ran = folder.run(&format!("ulimit -v {};", mebibytes * 1024), &line);
            let mut judged = ran.judged();
            // Below what the loader itself needs, no line of ours is ever run.
            if ran.code == Some(127) && ran.err.contains("error while loading") {
                judged = (Count::Refused, String::new());
            }
            let there = folder.file("y.npy").exists();
            if judged.0 != Count::Broken && (there != (judged.0 == Count::Done) || folder.temporaries() > 0) {
                judged = (Count::Broken, format!("it left files: {}", ran.err.trim()));
            }
            table.count(&format!("ulimit -v of {mebibytes} MiB"), entry.name, judged);
        }
    }
    let folder = Folder::new();
    assert_eq!(folder.run("", "embed data:swiss-roll?n=60 -m pca --model m.lowland -q").code, Some(0));
    for line in [
        "embed data:swiss-roll?n=2000000 -m isomap -o y.npy",
        "embed data:swiss-roll?n=2000000 -m classical-mds --memory 1000000GiB -o y.npy",
        "sample m.lowland -n 100000000000 -o y.npy",
        "data blobs -n 99999999 -o y.npy --memory 1GiB",
    ] {
        // What any machine has less of than this needs; the last is refused by its limit.
        let before = if line.starts_with("data") { "ulimit -v 1000000;" } else { "" };
        let ran = folder.run(before, line);
        let mut judged = ran.judged();
        if judged.0 == Count::Done || folder.file("y.npy").exists() || folder.temporaries() > 0 {
            judged = (Count::Broken, format!("it was not refused: {}", ran.err.trim()));
        }
        table.count("far more than there is", line, judged);
    }
}
