//! What rows are, and which of them: ids that differ, matrices that look like distances, rows of graphs, columns without a
//! value.

mod common;

use common::Folder;
use std::fmt::Write;

/// A ring of vertices with the distances to the next three on either side, 0 elsewhere.
fn ring(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let entry = |j: usize| {
            let apart = (i + n - j) % n;
            let steps = apart.min(n - apart);
            if (1..=3).contains(&steps) {
                format!("{}", steps as f64 + 0.01 * (i + j) as f64)
            } else {
                "0".into()
            }
        };
        let _ = writeln!(text, "{}", (0..n).map(entry).collect::<Vec<_>>().join(","));
    }
    text
}

#[test]
fn zeros_in_the_rows_of_a_graph_are_no_edges() {
    let folder = Folder::new();
    folder.write("g.csv", &ring(40));
    folder.write("none.csv", &format!("{}\n", vec!["0"; 40].join(",")));
    for method in
        ["t-sne --set max_iter=60", "umap --set n_epochs=40", "isomap", "mds", "laplacian-eigenmaps"]
    {
        folder.ok(&format!("embed g.csv --as graph -m {method} -o y.csv --model m.lowland --force"));
        folder.ok("transform m.lowland g.csv -o z.csv --force");
        let read = |name: &str| -> Vec<f64> {
            let text = String::from_utf8(folder.bytes(name)).unwrap();
            text.lines().skip(1).flat_map(|line| line.split(',').map(|v| v.parse().unwrap())).collect()
        };
        let (y, z) = (read("y.csv"), read("z.csv"));
        let size = y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(y.iter().zip(&z).all(|(a, b)| (a - b).abs() <= 1e-8 * size), "{method}");
        let refused = folder.run("transform m.lowland none.csv -o w.csv");
        assert_eq!(refused.code, Some(1), "{method}");
        assert!(refused.err.starts_with("error: row 0 "), "{method}: {}", refused.err);
    }
    // Without --as, they were taken as points.
    let as_points = folder.run("embed g.csv -m pca -o p.csv");
    assert!(
        as_points.err.contains("40 x 40 values, symmetric with zeros on the diagonal"),
        "{}",
        as_points.err
    );
    assert!(!folder.run("embed g.csv --as graph -m isomap -o q.csv").err.contains("symmetric with"));
}

#[test]
fn rows_with_other_ids_are_refused() {
    let folder = Folder::new();
    let row = |i: usize| format!("r{i},{},{}", i * i % 17, i % 5);
    let table = |order: &mut dyn Iterator<Item = usize>| {
        let rows: Vec<String> = order.map(row).collect();
        format!("id,a,b\n{}\n", rows.join("\n"))
    };
    folder.write("x.csv", &table(&mut (0..30)));
    folder.write("back.csv", &table(&mut (0..30).rev()));
    folder.ok("embed x.csv --id id -m pca -o y.csv");
    folder.ok("embed back.csv --id id -m pca -o z.csv");
    folder.ok("evaluate x.csv y.csv --id id");
    folder.refused("evaluate x.csv z.csv --id id", 1, "30 of 30 rows have another 'id' in z.csv");
    let fit = "embed x.csv --id id -m t-sne --set max_iter=20 --set perplexity=5";
    folder.ok(&format!("{fit} --start y.csv -o t.csv"));
    folder.refused(&format!("{fit} --start z.csv -o u.csv"), 1, "the first has 'r29' there and 'r0' here");
}

#[test]
fn a_column_without_a_value_is_named() {
    let folder = Folder::new();
    let rows: Vec<String> = (0..20).map(|i| format!("{i},,{}", i * i % 7)).collect();
    folder.write("x.csv", &format!("a,nothing,b\n{}\n", rows.join("\n")));
    for method in ["ppca", "pca"] {
        folder.refused(
            &format!("embed x.csv -m {method} -o y.csv"),
            1,
            "'nothing' is empty (--drop nothing)",
        );
    }
    folder.ok("embed x.csv -m ppca -d 1 --drop nothing -o y.csv");
    let filled = folder.run("impute x.csv -o z.csv");
    assert_eq!(filled.code, Some(0), "{}", filled.err);
    assert!(filled.err.contains("1 column without a value stays empty: 'nothing'"), "{}", filled.err);
}

#[test]
fn flags_that_have_no_effect_are_refused() {
    let folder = Folder::new();
    folder.ok("data blobs -n 60 -o x.csv");
    for command in ["compare x.csv -m pca", "evaluate x.csv x.csv", "dimension x.csv"] {
        folder.refused(&format!("{command} --disconnected largest"), 2, "--disconnected is of embed");
    }
    let refused = folder.run("dimension x.csv --as distances");
    assert!(!refused.err.contains("-- --as"), "{}", refused.err);
    folder.refused("embed x.csv -m pca -o y.csv --plot p.svg --graph", 2, "; leave out --graph");
}
