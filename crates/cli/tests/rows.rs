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

/// 40 rows of numbers under the names a, b and c.
fn numbers(cell: impl Fn(usize, usize) -> String) -> String {
    let row = |i| (0..3).map(|j| cell(i, j)).collect::<Vec<_>>().join(",");
    format!("a,b,c\n{}\n", (0..40).map(row).collect::<Vec<_>>().join("\n"))
}

fn value(i: usize, j: usize) -> String {
    format!("{}.5", (i * (3 * j + 7) + i * i % 11) % 23)
}

#[test]
fn a_row_without_a_value_is_named_by_its_line_and_stays_empty() {
    let folder = Folder::new();
    let hole = |i: usize, j: usize| i == 5 || i == 9 && j == 1;
    folder.write("x.csv", &numbers(|i, j| if hole(i, j) { String::new() } else { value(i, j) }));
    // Prediction has nothing to go by; what is proposed works.
    let refused = folder.run("embed x.csv -m pca");
    let proposed = refused.err.split("for example: ").nth(1).unwrap().trim();
    assert_eq!(proposed, "--missing drop-rows", "{}", refused.err);
    folder.ok(&format!("embed x.csv -m pca {proposed}"));
    let words = "line 7: 1 row holds missing values only, the first here; take --missing drop-rows or mean";
    folder.refused("embed x.csv -m pca --missing ppca", 1, words);
    folder.refused("embed x.csv", 1, words);
    let filled = folder.run("impute x.csv -o full.csv --model m.lowland");
    assert_eq!(filled.code, Some(0), "{}", filled.err);
    assert!(filled.err.contains("1 row without a value stays empty, the first in line 7"), "{}", filled.err);
    assert!(filled.out.contains("1 value filled in"), "{}", filled.out);
    let full = String::from_utf8(folder.bytes("full.csv")).unwrap();
    assert_eq!(full.lines().nth(6), Some(",,"), "{full}");
    assert!(full.lines().nth(10).unwrap().split(',').all(|cell| !cell.is_empty()), "{full}");
    folder.ok("impute x.csv --from m.lowland -o again.csv");
    assert_eq!(full.into_bytes(), folder.bytes("again.csv"));
    folder.refused("transform m.lowland x.csv -o y.csv", 1, "line 7");
}

#[test]
fn nothing_is_proposed_that_leaves_no_column() {
    let folder = Folder::new();
    folder.write("words.csv", "p,q\nfoo,bar\nbaz,qux\n");
    let words = "0 columns hold numbers: encode the words (--encode one-hot)";
    for line in ["embed words.csv -m pca -d 1", "embed words.csv -d 1"] {
        folder.refused(line, 1, words);
    }
    folder.ok("embed words.csv -m pca -d 1 --encode one-hot");
    folder.write("empty.csv", "a,b,c\n,,\n,,\n,,\n");
    for line in ["embed empty.csv -m pca", "embed empty.csv", "embed empty.csv -m ppca --header yes"] {
        let ran = folder.run(line);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains("0 of 3 columns hold numbers") && !ran.err.contains("--"), "{}", ran.err);
    }
    folder.refused("impute words.csv -o y.csv", 1, "give a table with a column of numbers");
}

#[test]
fn labels_of_a_file_may_have_a_name_and_may_not_be_missing() {
    let folder = Folder::new();
    folder.write("x.csv", "0,0\n1,0\n3,1\n4,0\n");
    folder.write("l.csv", "kind\n1\n2\n1\n2\n");
    folder.ok("embed x.csv -m lda -d 1 --labels l.csv");
    // A word among words may be the label of a row that is not there.
    folder.write("l.csv", "kind\ncat\ndog\ncat\ndog\n");
    let words = "if the first, 'kind', is a name, delete that line";
    folder.refused("embed x.csv -m lda -d 1 --labels l.csv", 1, words);
    let words = "fill it in, or leave the row out of both files";
    for labels in ["cat\n\ndog\ncat\n", "1\nNaN\n2\n1\n"] {
        folder.write("l.csv", labels);
        folder.refused("embed x.csv -m lda -d 1 --labels l.csv", 1, words);
    }
}

#[test]
fn outliers_take_as_many_neighbors_as_there_are_different_rows() {
    let folder = Folder::new();
    let rows = |different: usize| -> String {
        (0..20).map(|i| format!("{},{}\n", i % different, i % different * 7 % 5)).collect()
    };
    folder.write("few.csv", &rows(6));
    assert_eq!(folder.json("outliers few.csv --json")["k"], 5);
    folder.refused("outliers few.csv -k 6", 1, "1 to 5, the number of other different points");
    folder.write("one.csv", &rows(1));
    folder.refused("outliers one.csv", 1, "1 different row is too few");
}

#[test]
fn the_first_look_takes_what_there_is() {
    let folder = Folder::new();
    folder.write("one.csv", &(0..20).map(|i| format!("r{i},{}\n", i * 7 % 11)).collect::<String>());
    let ran = folder.run("embed one.csv -o y.csv");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("lowland embed one.csv --drop 1 -m pca -d 1 does the same"), "{}", ran.err);
    assert!(ran.err.contains("lowland compare one.csv --drop 1 shows"), "{}", ran.err);
    folder.ok("embed one.csv --drop 1 -m pca -d 1 -o z.csv");
    assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"));
    for power in ["e300", "e-300"] {
        folder.write("x.csv", &numbers(|i, j| value(i, j) + power));
        folder.ok("embed x.csv -o y.csv --force");
        folder.ok("embed x.csv -m pca -o z.csv --force");
        assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"), "{power}");
    }
    folder.write("x.csv", &numbers(|i, j| if (i, j) == (1, 1) { "inf".into() } else { value(i, j) }));
    let ran = folder.run("embed x.csv");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let words = "1 column left out: 'b' holds 1 cell that is not a (finite) number, such as 'inf' in line 3";
    assert!(ran.err.contains(words) && !ran.err.contains("one-hot"), "{}", ran.err);
    // A ratio that no double holds.
    folder.write("x.csv", &numbers(|i, j| value(i, j) + ["e300", "e-300", ""][j]));
    let ran = folder.run("embed x.csv -m pca");
    assert!(ran.err.contains("over 1e308 times larger"), "{}", ran.err);
}
