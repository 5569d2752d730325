//! `lowland reproduce`: every experiment in its small run.

mod common;
use common::Folder;
use std::path::PathBuf;

/// The folder of real data, where there is one.
fn data() -> Option<PathBuf> {
    let named = std::env::var("LOWLAND_DATA").ok().map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = named.into_iter().chain([beside]).find(|path| path.join("coil20.npy").is_file());
    if found.is_none() {
        eprintln!(
            "no real data: set LOWLAND_DATA to the folder that has coil20.npy; what needs them is not tested"
        );
    }
    found
}

fn cells(json: &serde_json::Value) -> Vec<serde_json::Value> {
    let sections = json["sections"].as_array().unwrap();
    sections.iter().flat_map(|section| section["cells"].as_array().unwrap().clone()).collect()
}

#[test]
fn the_review_comes_out_beside_its_tables_and_goes_on_where_it_was() {
    let folder = Folder::new();
    let data = data().map(|path| format!("--data {}", path.display())).unwrap_or_default();
    let line = format!("reproduce maaten2009 --out out --quick --seeds 1 --json {data}");
    let json = folder.json(&line);
    let all = cells(&json);
    // Every published value has a cell, and every cell a verdict.
    let published =
        all.iter().filter(|cell| cell["published"].is_number() && cell["measure"] != "power of n");
    assert_eq!(published.count(), 374);
    let of = |row: &str, column: &str, measure: &str| {
        let found = |cell: &&serde_json::Value| {
            cell["row"] == row && cell["column"] == column && cell["measure"] == measure
        };
        all.iter().find(found).unwrap_or_else(|| panic!("{row} {column} {measure}")).clone()
    };
    // Even with 500 points LTSA unrolls the Swiss roll, and PCA does not.
    let score = |column: &str| of("Swiss roll (2D)", column, "T(12)")["ours"][0]["value"].as_f64().unwrap();
    assert!(score("LTSA") > 0.97 && score("PCA") < 0.95, "{} {}", score("LTSA"), score("PCA"));
    assert_eq!(of("NiSIS (15D)", "PCA", "T(12)")["verdict"], "no_data");
    // All that is registered has a number on every data set that is there.
    for cell in &all {
        let known = ["better", "same", "worse", "not_available", "no_data", "not_published"];
        assert!(known.contains(&cell["verdict"].as_str().unwrap()), "{cell}");
        if cell["verdict"] == "not_available" {
            assert!(!cell["word"].as_str().unwrap().is_empty(), "{cell}");
        }
    }
    for name in ["results.json", "results.csv", "results.md", "index.html", "helix.svg"] {
        assert!(!folder.bytes(&format!("out/{name}")).is_empty());
    }
    let page = String::from_utf8(folder.bytes("out/index.html")).unwrap();
    assert!(page.contains("Table 3") && page.contains("13.18 %") && !page.contains("src=\"http"));
    // The second time nothing is fitted: no cell is written again, and everything is the same.
    let kept = || {
        let entries = std::fs::read_dir(folder.file("out/work")).unwrap().map(|entry| entry.unwrap());
        let mut kept: Vec<_> =
            entries.map(|entry| (entry.file_name(), entry.metadata().unwrap().modified().unwrap())).collect();
        kept.sort();
        kept
    };
    let before = kept();
    assert!(before.len() > 100, "{}", before.len());
    let again = folder.json(&line);
    assert_eq!(again["sections"], json["sections"]);
    assert_eq!(kept(), before);
}

#[test]
fn experiments_without_real_data_run_and_say_what_they_found() {
    let folder = Folder::new();
    let confirmed = |name: &str| {
        let json = folder.json(&format!("reproduce {name} --out {name} --quick --json"));
        let sections = json["sections"].as_array().unwrap().clone();
        let claims = sections.iter().flat_map(|section| section["claims"].as_array().unwrap().clone());
        let claims: Vec<serde_json::Value> = claims.collect();
        assert!(!claims.is_empty());
        claims
    };
    // Theorems hold to rounding.
    for claim in confirmed("mohri-15.4") {
        assert_ne!(claim["confirmed"], false, "{claim}");
    }
    for claim in confirmed("burges2005") {
        assert_ne!(claim["confirmed"], false, "{claim}");
    }
    let of = |claims: &[serde_json::Value], words: &str| {
        let found = |claim: &&serde_json::Value| claim["claim"].as_str().unwrap().contains(words);
        claims.iter().find(found).unwrap_or_else(|| panic!("{words}"))["confirmed"].clone()
    };
    let ham = confirmed("ham2004");
    assert_eq!(of(&ham, "changes between the second and the third"), true);
    assert_eq!(of(&ham, "linear in those of feature space"), true);
    // Without the faces, figure 2 alone.
    let bengio = confirmed("bengio2006");
    assert_eq!(of(&bengio, "kernel PCA with a Gaussian kernel does not find it"), true);
    assert!(folder.ok("reproduce bengio2006 --out bengio2006 --quick").contains("missing"));
}

#[test]
fn experiments_with_real_data_run() {
    let Some(data) = data() else { return };
    let folder = Folder::new();
    let bengio =
        folder.json(&format!("reproduce bengio2006 --out b --quick --json --data {}", data.display()));
    assert_eq!(bengio["sections"].as_array().unwrap().len(), 3);
    assert!(bengio["summary"][0].as_str().unwrap().contains("2 %"));
    let mohri =
        folder.json(&format!("reproduce mohri-15.6 --out m --quick --json --data {}", data.display()));
    let value = |row: &str, column: &str| {
        let found = cells(&mohri).into_iter().find(|c| c["row"] == row && c["column"] == column);
        found.unwrap()["ours"][0]["value"].as_f64().unwrap()
    };
    // Of ten neighbors, at most ten are kept; more dimensions keep more, and PCA keeps more than chance.
    assert!(value("PCA, score10", "k = 50") > value("PCA, score10", "k = 10"));
    assert!(value("PCA, score10", "k = 50") > value("random projection, score10", "k = 50"));
    assert!(value("PCA, score50", "k = 50") <= 10.0);
}

#[test]
fn what_cannot_be_reproduced_is_refused() {
    let folder = Folder::new();
    assert!(folder.ok("reproduce").contains("ham2004"));
    folder.refused("reproduce maaten2008 --out o", 2, "maaten2009");
    folder.refused("reproduce ham2004", 2, "--out");
    folder.refused("reproduce ham2004 --out o --data nowhere", 1, "not a folder");
    folder.refused("reproduce ham2004 --out o --sets helix", 1, "no data sets");
    folder.refused("reproduce maaten2009 --out o --sets helics", 1, "helix");
    folder.refused("reproduce maaten2009 --out o --seeds 0", 1, "1 or more");
    assert_eq!(folder.names(), Vec::<String>::new());
}
