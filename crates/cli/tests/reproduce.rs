//! `lowland reproduce`: every experiment in its small run.

mod common;
#[path = "../../../xtask/src/data_folder.rs"]
mod data_folder;
use common::Folder;
use std::path::PathBuf;

/// The folder of real data, where there is one.
fn data() -> Option<PathBuf> {
    let found = Some(data_folder::data_folder()).filter(|path| path.join("coil20.npy").is_file());
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
fn the_comparative_review_runs_in_its_small_form_and_goes_on_where_it_was() {
    let data = data().map(|data| format!("--data {}", data.display())).unwrap_or_default();
    let folder = Folder::new();
    let line = format!("reproduce maaten2009 --out m --quick --json {data}");
    let found = folder.json(&line);
    let sections: Vec<&str> =
        found["sections"].as_array().unwrap().iter().map(|s| s["title"].as_str().unwrap()).collect();
    assert_eq!(sections.len(), 8, "{sections:?}");
    // Every published value is there, and beside it a number of ours where there are data.
    let cells: Vec<serde_json::Value> =
        cells(&found).into_iter().filter(|c| c["measure"] != "power of n").collect();
    let published: Vec<&serde_json::Value> = cells.iter().filter(|c| !c["published"].is_null()).collect();
    assert_eq!(published.len(), 374);
    let without = |row: &str| row.starts_with("NiSIS") || (data.is_empty() && natural(row));
    for cell in published {
        let (row, ours) = (cell["row"].as_str().unwrap(), cell["ours"].as_array().unwrap().len());
        assert_eq!(ours == 0, without(row), "{cell}");
        assert_eq!(cell["verdict"] == "no_data", without(row), "{cell}");
    }
    // What a few hundred points can show: the neighborhoods of a peak are kept, and a projection of a closed helix to a line is
    // not trusted.
    let value = |row: &str, column: &str, measure: &str| {
        let same =
            |c: &&serde_json::Value| c["row"] == row && c["column"] == column && c["measure"] == measure;
        cells.iter().find(same).unwrap()["ours"][0]["value"].as_f64().unwrap()
    };
    assert!(value("Twin peaks (2D)", "PCA", "T(12)") > 0.95);
    assert!(value("Twin peaks (2D)", "Isomap", "T(12)") > 0.95);
    assert!(value("Helix (1D)", "PCA", "T(12)") < 0.85);
    let page = String::from_utf8(folder.bytes("m/index.html")).unwrap();
    assert!(page.matches("<svg").count() >= if data.is_empty() { 5 } else { 9 });
    let again = folder.json(&line);
    assert_eq!(again["sections"], found["sections"]);
}

fn natural(row: &str) -> bool {
    ["MNIST", "COIL20", "ORL", "HIVA"].iter().any(|name| row.starts_with(name))
}

#[test]
fn what_cannot_be_reproduced_is_refused() {
    let folder = Folder::new();
    assert!(folder.ok("reproduce").contains("ham2004"));
    folder.refused("reproduce maaten2008 --out o", 2, "did you mean 'maaten2009'?");
    folder.refused("reproduce zzz --out o", 2, "'lowland reproduce' lists them");
    folder.refused("reproduce ham2004", 2, "--out");
    folder.refused("reproduce ham2004 --out o --data nowhere", 1, "not a folder");
    folder.refused("reproduce ham2004 --out o --sets helix", 1, "no data sets");
    folder.refused("reproduce maaten2009 --out o --sets helics", 1, "helix");
    folder.refused("reproduce maaten2009 --out o --seeds 0", 1, "1 or more");
    assert_eq!(folder.names(), Vec::<String>::new());
}
