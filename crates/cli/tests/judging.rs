//! `lowland evaluate` and `lowland dimension`.

mod common;
use common::Folder;

#[test]
fn an_embedding_is_judged_and_the_data_themselves_are_perfect() {
    let folder = Folder::new();
    folder.ok("data swiss-roll -n 300 --seed 2 -o x.npy --labels l.csv --truth t.npy");
    folder.ok("embed x.npy -m pca -d 2 -o y.npy");
    let told = folder.json("evaluate x.npy y.npy -k 8 --labels l.csv --truth t.npy --report r.json --json");
    let written: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!((&told["n"], &told["k"]), (&300.into(), &8.into()));
    let value = |told: &serde_json::Value, name: &str| told["measures"][name]["value"].as_f64().unwrap();
    let names =
        ["trustworthiness", "continuity", "r_nx_area", "spearman", "knn_error", "silhouette", "procrustes"];
    for name in names {
        assert_eq!(value(&told, name), value(&written, name), "{name}");
    }
    assert!((0.5..1.0).contains(&value(&told, "trustworthiness")));
    assert!(told.get("per_point").is_none(), "too long for a screen");
    assert_eq!(written["per_point"]["stretch"].as_array().unwrap().len(), 300);
    assert_eq!(written["curves"]["q_nx"].as_array().unwrap().len(), 299);
    let perfect = folder.json("evaluate data:swiss-roll?n=300&seed=2 x.npy --json");
    for (name, right) in
        [("trustworthiness", 1.0), ("continuity", 1.0), ("normalized_stress", 0.0), ("spearman", 1.0)]
    {
        assert_eq!(value(&perfect, name), right, "{name}");
    }
    assert!(folder.ok("evaluate x.npy y.npy").contains("trustworthiness"));
    assert_eq!(folder.ok("evaluate x.npy y.npy -q"), "");
}

#[test]
fn the_dimension_of_a_roll_is_two() {
    let folder = Folder::new();
    let told = folder.json("dimension data:swiss-roll?n=1000 --report r.json --json");
    for (name, estimate) in told["estimates"].as_object().unwrap() {
        let value = estimate["value"].as_f64().unwrap();
        assert!((value - 2.0).abs() < 0.4, "{name}: {value}");
    }
    assert_eq!(told["estimates"].as_object().unwrap().len(), 6);
    let written: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!(written["estimates"]["mle"]["local"].as_array().unwrap().len(), 1000);
    let one = folder.ok("dimension data:swiss-roll?n=200 -e two-nn");
    assert!(one.contains("two_nn") && !one.contains("mle"));
}

#[test]
fn what_cannot_be_judged_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.ok("data moons -n 20 -o x.npy --labels l.csv");
    folder.ok("data moons -n 19 -o y.npy");
    folder.refused("evaluate x.npy y.npy", 1, "19 rows for 20");
    folder.refused("evaluate x.npy x.npy --labels y.npy", 1, "y.npy");
    folder.refused("evaluate x.npy x.npy -k 20", 1, "n_neighbors = 20");
    folder.refused("evaluate x.npy missing.npy", 1, "missing.npy");
    folder.refused("evaluate x.npy x.npy --report x.npy --force", 1, "x.npy");
    folder.refused("evaluate x.npy", 2, "EMBEDDING");
    folder.refused("dimension x.npy -e fractal", 2, "two_nn");
    folder.refused("dimension x.npy --k1 9 --k2 9", 1, "k1");
    folder.write("few.csv", "1,2\n1,2\n3,4\n");
    folder.refused("dimension few.csv", 1, "2 rows are too few");
}
