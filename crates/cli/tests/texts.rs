//! Columns that go by name alone, and text that is not as expected.

mod common;
use common::Folder;

#[test]
fn a_model_that_knows_only_the_names_of_its_columns_takes_them_by_name() {
    use lowland::{Method, Run};
    let folder = Folder::new();
    let row = |i: usize, j: usize| ((i * 31 + j * 17) % 23) as f64 + if j == 0 { i as f64 } else { 0.0 };
    let x = ndarray::Array2::from_shape_fn((20, 3), |(i, j)| row(i, j));
    let model = lowland::methods::Pca::default().fit((&x).into(), &Run::new()).unwrap();
    let names = ["a", "b", "c"].map(String::from);
    lowland::save_named(&*model, &names, &folder.file("m.lowland")).unwrap();
    let table = |order: [usize; 3]| {
        let mut text = order.map(|j| names[j].clone()).join(",") + "\n";
        for i in 0..20 {
            text += &(order.map(|j| row(i, j).to_string()).join(",") + "\n");
        }
        text
    };
    folder.write("same.csv", &table([0, 1, 2]));
    folder.write("moved.csv", &table([2, 0, 1]));
    folder.ok("transform m.lowland same.csv -o y.csv -q");
    folder.ok("transform m.lowland moved.csv -o z.csv -q");
    assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"));
    folder.write("renamed.csv", &table([0, 1, 2]).replace('b', "other"));
    folder.refused("transform m.lowland renamed.csv -o w.csv", 1, "'b'");
}

#[test]
fn text_of_another_encoding_separator_or_target_is_understood_or_named() {
    let folder = Folder::new();
    let utf16: Vec<u8> = "a,b\n1,2\n3,4\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write_bytes("bare.csv", &utf16);
    folder.write_bytes("marked.csv", &[&b"\xff\xfe"[..], &utf16].concat());
    folder.refused("embed bare.csv -m pca", 1, "UTF-16");
    folder.refused("embed marked.csv -m pca", 1, "save it as UTF-8");
    folder.write("semicolons.csv", "a;b, in m;c\n1;2;3\n4;5;7\n7;9;9\n2;2;2\n");
    assert!(folder.ok("embed semicolons.csv -m pca -d 1 -o y.csv").contains("from 3 dimensions"));
    folder.write("first.csv", "0x1,0x2,0x3\n4,5,7\n7,8,8\n1,2,2\n");
    let ran = folder.run("embed first.csv -m pca -d 1 -o f.csv");
    assert!(ran.err.contains("3 of 3 cells of the first line look like data"), "{}", ran.err);
    if cfg!(unix) {
        folder.ok("embed semicolons.csv -m pca -d 1 -o /dev/null");
    }
}

/// The numbers of a table with a header.
fn numbers(folder: &Folder, name: &str) -> Vec<f64> {
    let text = String::from_utf8(folder.bytes(name)).unwrap();
    text.lines().skip(1).flat_map(|line| line.split(',')).map(|cell| cell.parse().unwrap()).collect()
}

/// Values whose squares overflow or vanish: the result is that of the data divided by one number.
#[test]
fn extreme_values_are_rescaled_or_refused_with_the_flag() {
    let folder = Folder::new();
    let table = |power: i32, last: i32| {
        let value = |i: usize, j: usize| {
            let power = if j == 2 { last } else { power };
            // In two steps: the inverse of 2^1060 would be none.
            ((i * (j + 3) * 7) % 101 + i % 3) as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
        };
        let line = |i| (0..3).map(|j| format!("{:e}", value(i, j))).collect::<Vec<_>>().join(",");
        format!("a,b,c\n{}\n", (0..120).map(line).collect::<Vec<_>>().join("\n"))
    };
    // The largest value is between 64 and 128 times the power, and the least power of two that divides is 2^-1022.
    for (power, left) in [(996, -6), (-1060, -38)] {
        folder.write("extreme.csv", &table(power, power));
        for method in ["pca", "isomap", "t-sne"] {
            let ran =
                folder.run(&format!("embed extreme.csv -m {method} -o y.csv --model m.lowland --force"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            assert!(ran.err.contains("all values were divided by"), "{}", ran.err);
            folder.write("plain.csv", &table(left, left));
            folder.ok(&format!("embed plain.csv -m {method} -o z.csv --force"));
            assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"), "{method}");
            folder.ok("transform m.lowland extreme.csv -o z.csv --force");
            for (a, b) in numbers(&folder, "y.csv").iter().zip(&numbers(&folder, "z.csv")) {
                assert!((a - b).abs() < 1e-9, "{method}: {a} {b}");
            }
        }
    }
    folder.write("apart.csv", &table(996, 0));
    let ran = folder.run("embed apart.csv -m isomap -o y.csv --force");
    assert!(ran.code == Some(1) && ran.err.contains("--standardize"), "{}", ran.err);
    folder.ok("embed apart.csv -m isomap --standardize -o y.csv --force");
    folder.write("plain.csv", &table(0, 0));
    folder.ok("embed plain.csv -m isomap --standardize -o z.csv --force");
    assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"));
}

#[test]
fn decimal_commas_are_read() {
    let folder = Folder::new();
    let value = |i: usize, j: usize| (i * (j + 3)) as f64 % 11.0 / 4.0 - 1.0;
    for (name, header, separator) in
        [("c.csv", "a;b;c\n", ";"), ("n.csv", "", ";"), ("t.tsv", "a\tb\tc\n", "\t")]
    {
        let table = |mark: &str| {
            let cell = |i, j| value(i, j).to_string().replace('.', mark);
            let line = |i| (0..3).map(|j| cell(i, j)).collect::<Vec<_>>().join(separator);
            format!("{header}{}\n", (0..30).map(line).collect::<Vec<_>>().join("\n"))
        };
        folder.write(&format!("p{name}"), &table("."));
        folder.write(name, &table(","));
        folder.ok(&format!("embed p{name} -m pca -o y.csv --force -q"));
        let ran = folder.run(&format!("embed {name} -m pca -o z.csv --model m.lowland --force"));
        assert!(ran.err.contains("decimal") && ran.err.contains("comma"), "{}", ran.err);
        assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"), "{name}");
        folder.ok(&format!("transform m.lowland {name} -o z.csv --force"));
        assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"), "{name}");
    }
}

#[test]
fn quiet_is_quiet_about_letters_that_a_font_lacks() {
    let folder = Folder::new();
    let rows: String = (0..20).map(|i| format!("{},{},{}\n", i % 7, i % 5, ["狐", "猫"][i % 2])).collect();
    folder.write("x.csv", &format!("a,b,kind\n{rows}"));
    let line = "embed x.csv -m pca --label-column kind --plot p.png --force";
    let ran = folder.run(line);
    assert!(ran.code == Some(0) && ran.err.contains("2 characters cannot be drawn"), "{}", ran.err);
    let ran = folder.run(&format!("{line} -q"));
    assert!(ran.code == Some(0) && ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn indexes_in_any_order_and_with_gaps_are_noticed() {
    let folder = Folder::new();
    // Shuffled, and with gaps where rows were dropped: distinct whole numbers all the same.
    for number in [|i: usize| (i * 7 + 3) % 20, |i: usize| 3 * i + i % 2, |i: usize| (i * 7 + 3) % 20 * 5] {
        let rows: String = (0..20).map(|i| format!("{},{},{}\n", number(i), i % 7, i % 5)).collect();
        folder.write("frame.csv", &format!(",a,b\n{rows}"));
        let ran = folder.run("embed frame.csv -m pca -o y.csv --model m.lowland --json --force");
        assert!(ran.err.contains("numbers the rows, as the index of a data frame"), "{}", ran.err);
        let output: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(output["features"], 2);
        folder.ok("transform m.lowland frame.csv -o z.csv --force");
        assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"));
    }
    // A measurement comes again, is below zero or no whole number.
    for number in
        [|i: usize| i as f64 / 2.0, |i: usize| (i % 11) as f64, |i: usize| ((i * 7) % 20) as f64 - 3.0]
    {
        let rows: String = (0..20).map(|i| format!("{},{},{}\n", number(i), i % 7, i % 5)).collect();
        folder.write("frame.csv", &format!(",a,b\n{rows}"));
        assert_eq!(folder.json("embed frame.csv -m pca --json")["features"], 3);
    }
}

#[test]
fn labels_in_latin_1_are_read_and_said_to_be() {
    let folder = Folder::new();
    let mut bytes = b"a,b,kind\n".to_vec();
    for i in 0..20 {
        bytes.extend(format!("{},{},", i % 7, i % 5).bytes());
        bytes.extend(if i % 2 == 0 { &b"caf\xe9\n"[..] } else { b"bar\n" });
    }
    std::fs::write(folder.file("x.csv"), bytes).unwrap();
    let ran = folder.run("embed x.csv -m pca --label-column kind -o y.csv --force");
    assert!(ran.code == Some(0) && ran.err.contains("0xe9 ('é' in Latin-1)"), "{}", ran.err);
    assert!(String::from_utf8(folder.bytes("y.csv")).unwrap().contains("café"));
}

/// What cannot be measured or is not used is said, and not left out in silence.
#[test]
fn nothing_that_was_asked_for_is_passed_over() {
    let folder = Folder::new();
    folder.ok("data swiss-roll -n 150 -o x.npy");
    folder.ok("embed x.npy -m lle -d 2 -o y.npy --model lle.lowland");
    folder.refused(
        "evaluate x.npy y.npy --model lle.lowland --held-out x.npy",
        1,
        "leave out the held-out rows",
    );
    folder.refused("kernel lle.lowland -o k.npy --time 3", 1, "exponential");
    folder.refused("kernel lle.lowland -o k.npy --kernel inverse --shift 3", 1, "shifted");
    folder.ok("kernel lle.lowland -o k.npy --kernel exponential --time 3");
    // Kernels of two rows have neither.
    for method in ["isomap", "kernel-pca"] {
        folder.ok(&format!("embed x.npy -m {method} -d 2 -o {method}.npy --model {method}.lowland"));
        for (flag, word) in [("--time", "exponential"), ("--shift", "shifted")] {
            let line = format!("kernel {method}.lowland -o own.npy {flag} 3");
            folder.refused(&line, 1, &format!("is for the {word} kernel only; leave it out"));
        }
        folder.ok(&format!("kernel {method}.lowland -o {method}-kernel.npy"));
    }
    let said = folder.ok("compare x.npy -d 2 -m lle,isomap,ltsa --grid n_neighbors=8 --rank-by kernel_error --stability 0 -o c.html");
    assert!(said.contains("2 methods have no kernel error and cannot be ranked: lle, ltsa"), "{said}");
    assert!(said.contains("of 1 method in 1 setting:"), "{said}");
    let mut table = String::from("name,a,b\n");
    for i in 0..60 {
        table += &format!("r{i},{},{}\n", i % 8, i / 8);
    }
    folder.write("t.csv", &(table + "far,90,90\n"));
    assert!(folder.ok("outliers t.csv --id name -k 8").contains("far"));
    let said = folder.ok("methods autoencoder");
    assert!(said.contains("i: iterations") && said.contains("w: weights of the network"), "{said}");
    assert!(folder.ok("methods fast-ica").contains("convex        no"));
    let said = folder.ok("stability data:swiss-roll?n=100 -m isomap -k 8 --shares 0.05,0.1 --splits 2");
    assert!(said.contains("The difference is that of the rows held out"), "{said}");
}
