//! Tables as people have them: an id, a date, categories, holes, a label; and what a model remembers of them.

mod common;
use common::Folder;
use std::fmt::Write;

/// Rows of a table of customers, with its names in the first line: everything that tables have.
fn customers(rows: std::ops::Range<usize>) -> String {
    let mut text = String::from("customer,joined,plan,active,age,income,visits,segment\n");
    for i in rows {
        let t = (i as f64 * 0.7).sin();
        let plan = ["free", "basic", "pro"][i % 3];
        let active = if i % 4 == 0 { "no" } else { "yes" };
        let age = if i % 10 == 3 { "NA".to_owned() } else { format!("{}", 40.0 + 10.0 * t) };
        let income =
            if i % 15 == 7 { String::new() } else { format!("{}", 30_000.0 + 9_000.0 * t + i as f64) };
        let segment = if t > 0.0 { "north" } else { "south" };
        let visits = (i * 7919) % 13;
        let _ = writeln!(
            text,
            "C{i:03},2021-{:02}-{:02},{plan},{active},{age},{income},{visits},{segment}",
            i % 12 + 1,
            i % 28 + 1
        );
    }
    text
}

const READY: &str = "--id customer --label-column segment --drop joined --encode plan=one-hot,active=boolean --missing \
                     ppca --standardize";

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8(bytes.to_vec()).unwrap().lines().map(str::to_owned).collect()
}

fn with_columns(text: &str, order: impl Fn(Vec<&str>) -> Vec<String>) -> String {
    text.lines().map(|line| order(line.split(',').collect()).join(",") + "\n").collect()
}

#[test]
fn the_error_lists_every_column_with_its_flag() {
    let folder = Folder::new();
    folder.write("c.csv", &customers(0..60));
    let ran = folder.run("embed c.csv -m pca");
    assert_eq!(ran.code, Some(1));
    for words in [
        "7 of 8 columns cannot be used as they are",
        "'customer' holds 60 words, 24 or more different, such as 'C000' in line 2, column 1 (--id customer",
        "'joined' holds 60 dates such as '2021-01-01'",
        "--encode joined=days",
        "'plan' holds 60 words, 3 different",
        "--encode plan=one-hot",
        "'active' has 60 yes/no values",
        "--encode active=boolean",
        "in 'age' 6 values are missing, the first in line 5, column 5 (--missing drop-rows, mean or ppca",
        "in 'income' 4 values are missing",
        "--label-column segment",
        "for example: --encode",
    ] {
        assert!(ran.err.contains(words), "{} lacks {words}", ran.err);
    }
    assert_eq!(ran.err.lines().count(), 1);
    // The line that it proposes runs as it stands.
    let proposed = ran.err.split("for example: ").nth(1).unwrap().trim();
    folder.ok(&format!("embed c.csv -m pca -q {proposed}"));
    folder.write("spoiled.csv", "a,b\n1,2\n3,12kg\n4,5\n6,\"7,000\"\n8,9\n");
    folder.refused(
        "embed spoiled.csv -m pca",
        1,
        "'b' holds 2 cells that are not (finite) numbers, such as '12kg' in line 3, column 2",
    );
}

#[test]
fn what_was_chosen_is_in_the_model_and_new_files_go_the_same_way() {
    let folder = Folder::new();
    let text = customers(0..60);
    folder.write("c.csv", &text);
    let fit = format!("embed c.csv {READY} -m pca -d 2 -o y.csv --model m.lowland");
    let ran = folder.run(&fit);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("10 missing values were filled in by ppca"), "{}", ran.err);
    let y = lines(&folder.bytes("y.csv"));
    assert_eq!((y.len(), y[0].as_str()), (61, "customer,segment,c1,c2"));
    assert!(y[1].starts_with("C000,south,"), "{}", y[1]);
    // The same rows, in the same file and in one whose columns are in another order and more than before.
    folder.ok("transform m.lowland c.csv -o same.csv -q");
    assert_eq!(folder.bytes("same.csv"), folder.bytes("y.csv"));
    let turned = with_columns(&text, |cells| {
        let mut cells: Vec<String> = cells.into_iter().map(str::to_owned).collect();
        cells.reverse();
        cells.insert(2, "9".into());
        cells
    });
    folder.write("turned.csv", &turned.replacen(",9,", ",extra,", 1));
    folder.ok("transform m.lowland turned.csv -o turned-y.csv -q");
    assert_eq!(folder.bytes("turned-y.csv"), folder.bytes("y.csv"));
    // Without label and id there is neither in the result.
    folder.write(
        "bare.csv",
        &with_columns(&text, |cells| cells[1..7].iter().map(ToString::to_string).collect()),
    );
    folder.ok("transform m.lowland bare.csv -o bare-y.csv -q");
    assert_eq!(lines(&folder.bytes("bare-y.csv"))[0], "c1,c2");
    assert!(y[1].ends_with(&lines(&folder.bytes("bare-y.csv"))[1]));
    // A column that is renamed or missing is refused by name.
    folder.write("renamed.csv", &text.replacen("income", "Income_eur", 1).replacen("visits", "calls", 1));
    folder.refused(
        "transform m.lowland renamed.csv -o z.csv",
        1,
        "2 of the 5 columns of the fit are not there: 'income' ('Income_eur' is there), 'visits'",
    );
    // A category that the fit did not see is named.
    folder.write("unseen.csv", &text.replace(",pro,", ",gold,"));
    folder.refused(
        "transform m.lowland unseen.csv -o z.csv",
        1,
        "in column 'plan' that the fit did not see: 'gold'",
    );
    folder.refused("transform m.lowland unseen.csv -o z.csv", 1, "line 4");
    folder.refused("transform m.lowland c.csv --standardize -o z.csv", 1, "leave out --standardize");
    // Back in the units of the table, with the names of the fit.
    folder.ok("embed c.csv --columns age,income,visits --missing mean --standardize -m pca -d all -o a.csv --model a.lowland -q");
    folder.ok("inverse a.lowland a.csv -o back.csv -q");
    let back = lines(&folder.bytes("back.csv"));
    assert_eq!(back[0], "age,income,visits");
    let first: Vec<f64> = back[1].split(',').map(|cell| cell.parse().unwrap()).collect();
    assert!((first[0] - 40.0).abs() < 1e-9 && (first[1] - 30_000.0).abs() < 1e-6, "{first:?}");
}

#[test]
fn rows_that_miss_values_are_left_out_with_their_ids_and_labels() {
    let folder = Folder::new();
    folder.write("c.csv", &customers(0..60));
    let line = "embed c.csv --id customer --columns age:visits --missing drop-rows -m pca";
    let ran = folder.run(&format!("{line} --label-column segment -o y.csv"));
    assert!(ran.err.contains("10 of 60 rows left out"), "{}", ran.err);
    let y = lines(&folder.bytes("y.csv"));
    assert_eq!(y.len(), 51);
    assert!(!y.iter().any(|line| line.starts_with("C003,")) && y[4].starts_with("C004,"), "{:?}", &y[..6]);
    // Labels of all rows of the file are those of the rows that were kept.
    folder.write("l.csv", &(0..60).map(|i| format!("{}\n", i % 2)).collect::<String>());
    folder.ok(&format!("{line} --labels l.csv --plot p.svg -q"));
    // An embedding is judged with its ids and labels before it.
    let flags = "--id customer --label-column segment --columns age:visits --missing drop-rows";
    let judged = folder.json(&format!("evaluate c.csv y.csv {flags} --json"));
    assert_eq!(judged["n"], 50);
    assert!(judged["measures"]["knn_error"]["value"].is_number(), "{judged}");
}

#[test]
fn columns_that_only_count_are_noticed() {
    let folder = Folder::new();
    for (name, start) in [("", 0), ("Unnamed: 0", 0), ("", 1)] {
        let rows: String = (0..20).map(|i| format!("{},{},{}\n", i + start, i % 7, i % 5)).collect();
        folder.write("frame.csv", &format!("{name},a,b\n{rows}"));
        let ran = folder.run("embed frame.csv -m pca -o y.csv --model m.lowland --json --force");
        assert!(ran.err.contains("counts the rows, as the index of a data frame does"), "{}", ran.err);
        let output: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(output["features"], 2);
        folder.ok("transform m.lowland frame.csv -o z.csv --force");
        assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"));
        assert_eq!(folder.json("embed frame.csv -m pca --columns 1- --json")["features"], 3);
        folder.ok("embed frame.csv -m pca --id 1 -o i.csv --force");
        assert!(lines(&folder.bytes("i.csv"))[1].starts_with(&format!("{start},")));
    }
    let rows: String = (0..20).map(|i| format!("{},{},{}\n", i + 100, i % 7, i % 5)).collect();
    folder.write("ids.csv", &format!("user_id,a,b\n{rows}"));
    let ran = folder.run("embed ids.csv -m pca --json");
    assert!(ran.err.contains("'user_id'; set --id user_id"), "{}", ran.err);
    assert!(!folder.run("embed ids.csv -m pca --id user_id").err.contains("user_id"));
}

#[test]
fn a_first_line_with_a_spoiled_number_is_no_header() {
    let folder = Folder::new();
    for first in ["NA,1,2", ",1,2", "nan,1,2", "1e400,1,2", "0x10,1,2", "\"1,000\",1,2"] {
        folder.write("x.csv", &format!("{first}\n4,5,6\n7,8.5,9\n1,2,5\n"));
        folder.refused("embed x.csv -m pca", 1, "line 1, column 1");
        assert_eq!(folder.json("embed x.csv -m pca --header yes --json")["n"], 3, "{first}");
    }
    folder.write("years.csv", "id,2019,2020\n1,5,6\n7,8.5,9\n4,2,5\n");
    let ran = folder.run("embed years.csv -m pca");
    assert!(
        ran.err.contains("2 of 3 cells of the first line look like data") && ran.err.contains("--header no"),
        "{}",
        ran.err
    );
    assert!(!folder.run("embed years.csv -m pca --header yes").err.contains("first line"));
}

#[test]
fn numbers_with_separators_of_thousands_are_named_as_such() {
    let folder = Folder::new();
    let line = |i: usize| format!("{}.5,\"{},{:03}.25\"\n", i, 10 + i, (7 * i) % 1000);
    folder.write("x.csv", &format!("length,income\n{}", (1..40).map(line).collect::<String>()));
    let ran = folder.run("embed x.csv -m pca");
    assert!(
        ran.err.contains("'income' holds 39 cells") && ran.err.contains("without separators of thousands"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("one-hot") && !ran.err.contains("--id"), "{}", ran.err);
    // Words with commas are words.
    let place = |i: usize| format!("{i}.5,\"Bern, {i}\"\n");
    folder.write("y.csv", &format!("length,place\n{}", (1..40).map(place).collect::<String>()));
    assert!(folder.run("embed y.csv -m pca").err.contains("39 words"));
}

#[test]
fn packed_tables_and_the_standard_output() {
    let folder = Folder::new();
    let text = customers(0..40);
    folder.write("c.csv", &text);
    folder.write_bytes("c.csv.gz", &common::gzip(text.as_bytes()));
    folder.ok(&format!("embed c.csv {READY} -m pca -o y.csv -q"));
    folder.ok(&format!("embed c.csv.gz {READY} -m pca -o packed.csv.gz -q"));
    folder.ok(&format!("embed c.csv.gz {READY} -m pca -o packed.csv.zst -q"));
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(
        &mut flate2::read::GzDecoder::new(&folder.bytes("packed.csv.gz")[..]),
        &mut unpacked,
    )
    .unwrap();
    assert_eq!(unpacked, folder.bytes("y.csv"));
    let (gz, zst) =
        (folder.ok("dimension packed.csv.gz --drop 1,2"), folder.ok("dimension packed.csv.zst --drop 1,2"));
    assert_eq!(gz, zst);
    // Nothing but the table on the standard output.
    let ran = folder.run(&format!("embed c.csv {READY} -m pca -o -"));
    assert_eq!(ran.out.as_bytes(), folder.bytes("y.csv"));
    assert!(ran.err.contains("pca of c: 40 points"), "{}", ran.err);
    assert!(!folder.names().contains(&"-".to_owned()));
    let mut cut = common::gzip(text.as_bytes());
    cut.truncate(cut.len() / 2);
    folder.write_bytes("cut.csv.gz", &cut);
    folder.refused("embed cut.csv.gz -m pca", 1, "cut.csv.gz");
    folder.write_bytes("cells.h5ad", b"\x89HDF\r\n\x1a\n");
    folder.refused("embed cells.h5ad -m pca", 1, "anndata.read_h5ad('cells.h5ad').to_df().to_csv");
}

#[test]
fn impute_keeps_what_it_does_not_touch() {
    let folder = Folder::new();
    let text = customers(0..60);
    folder.write("c.csv", &text);
    folder.ok("impute c.csv -o full.csv --standardize --model m.lowland -q");
    let full = lines(&folder.bytes("full.csv"));
    let before: Vec<&str> = text.lines().collect();
    assert_eq!(full[0], before[0]);
    let mut filled = 0;
    for (now, before) in full.iter().zip(before).skip(1) {
        for (at, (now, before)) in now.split(',').zip(before.split(',')).enumerate() {
            if before.is_empty() || before == "NA" {
                filled += usize::from(now.parse::<f64>().is_ok_and(f64::is_finite));
            } else {
                assert_eq!(now, before, "column {at}");
            }
        }
    }
    assert_eq!(filled, 10);
    folder.ok("impute c.csv --from m.lowland -o again.csv -q");
    assert_eq!(folder.bytes("again.csv"), folder.bytes("full.csv"));
    folder.refused("impute c.csv --missing mean -o z.csv", 2, "leave out --missing");
    // Digits that a number would lose.
    folder.write(
        "zip.csv",
        "zip,account,a,b\n01234,12345678901234567891,1.50,2\n04567,12345678901234567892,2.50,\n\
                             09871,12345678901234567893,3.50,6.0\n01111,12345678901234567894,0.50,1\n",
    );
    folder.ok("impute zip.csv --columns a,b -o zip2.csv -q");
    let zip = lines(&folder.bytes("zip2.csv"));
    assert_eq!(zip[1], "01234,12345678901234567891,1.50,2");
    assert!(zip[2].starts_with("04567,12345678901234567892,2.50,4"), "{}", zip[2]);
    folder.ok("impute zip.csv -o zip3.csv -q");
    assert!(lines(&folder.bytes("zip3.csv"))[3] == "09871,12345678901234567893,3.50,6.0");
    folder.ok("impute zip.csv --columns a,b -o zip.npy -q");
    // A column of words beside them that is encoded changes nothing for the numbers.
    folder.write("plan.csv", "plan,zip,a\nlow,01,1.50\nhigh,02,2.50\nlow,03,\nhigh,04,3.50\nlow,05,1.0\n");
    folder.ok("embed plan.csv --encode one-hot -m ppca -d 1 --model p.lowland -q");
    folder.ok("impute plan.csv --from p.lowland -o plan2.csv -q");
    assert!(lines(&folder.bytes("plan2.csv"))[1].ends_with("01,1.50"));
}

#[test]
fn outliers_say_what_has_no_part_and_leave_holes_open() {
    let folder = Folder::new();
    let text = customers(0..60);
    folder.write("c.csv", &format!("{text}C060,2021-01-01,pro,yes,900,9e6,999,north\n"));
    for how in ["ppca", "mean", "ppca --standardize"] {
        let ran = folder.run(&format!("outliers c.csv --missing {how} --threshold 100 -o kept.csv --force"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let words = "5 columns left out: 'customer', 'joined', 'plan', 'active', 'segment' are not numeric";
        assert!(ran.err.contains(words), "{}", ran.err);
        assert!(ran.out.contains("  line 62       factor "), "{}", ran.out);
        assert_eq!(String::from_utf8(folder.bytes("kept.csv")).unwrap(), text, "{how}");
    }
}

#[test]
fn a_table_alone_is_looked_at_and_what_was_done_is_said() {
    let folder = Folder::new();
    folder.write("c.csv", &customers(0..60));
    let ran = folder.run("embed c.csv");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("kept      nothing: -o y.csv keeps the embedding"), "{}", ran.out);
    for words in [
        "5 columns left out: 'customer', 'joined', 'plan', 'active', 'segment'",
        "10 missing values were filled in by ppca",
        "every column was standardized",
        "no method was named, and pca was taken",
        "lowland compare c.csv --drop customer,joined,plan,active,segment --standardize --missing ppca shows",
    ] {
        assert!(ran.err.contains(words), "{} lacks {words}", ran.err);
    }
    // The line that does the same does.
    let line =
        ran.err.split("pca was taken: lowland ").nth(1).unwrap().split(" does the same").next().unwrap();
    folder.ok(&format!("{line} -o a.csv -q"));
    folder.ok("embed c.csv -o b.csv -q");
    assert_eq!(folder.bytes("a.csv"), folder.bytes("b.csv"));
    folder.refused("plan c.csv", 2, "--method");
    assert_eq!(folder.json("embed data:blobs --json")["method"], "pca");
}

#[test]
fn scales_that_are_worlds_apart_are_warned_about() {
    let folder = Folder::new();
    let rows: String =
        (0..50).map(|i| format!("{},{}\n", (i * 31 % 50) * 1000, (i * 17 % 50) as f64 / 50.0)).collect();
    folder.write("x.csv", &format!("income,share\n{rows}"));
    for line in ["embed x.csv -m pca", "dimension x.csv", "cluster x.csv -n 2"] {
        let ran = folder.run(line);
        assert!(ran.err.contains("times larger standard deviation in 'income'"), "{line}: {}", ran.err);
        assert!(ran.err.contains("--standardize"), "{line}: {}", ran.err);
        assert!(!folder.run(&format!("{line} --standardize")).err.contains("varies"), "{line}");
    }
    let labels: String = (0..50).map(|i| format!("{}\n", i % 2)).collect();
    folder.write("l.csv", &labels);
    assert_eq!(folder.run("embed x.csv -m lda --labels l.csv -d 1").err, "", "units do not matter to it");
}

#[test]
fn columns_without_names_go_by_position() {
    let folder = Folder::new();
    let rows = |sign: f64| -> String {
        (0..30)
            .map(|i| {
                format!(
                    "{i},{},{},{}\n",
                    (i * 7 % 11) as f64 * sign,
                    i * 5 % 13,
                    if i % 2 == 0 { "a" } else { "b" }
                )
            })
            .collect()
    };
    folder.write("x.csv", &rows(1.0));
    folder.ok("embed x.csv --id 1 --label-column 4 -m pca -o y.csv --model m.lowland -q");
    assert!(lines(&folder.bytes("y.csv"))[0] == "id,label,c1,c2");
    folder.ok("transform m.lowland x.csv -o same.csv -q");
    assert_eq!(folder.bytes("y.csv"), folder.bytes("same.csv"));
    folder.write("two.csv", "0,0\n7,5\n");
    folder.ok("transform m.lowland two.csv -o two-y.csv -q");
    let (two, y) = (lines(&folder.bytes("two-y.csv")), lines(&folder.bytes("y.csv")));
    assert!(y[1].ends_with(&two[1]) && y[2].ends_with(&two[2]));
    folder.write("three.csv", "0,0,1\n7,5,1\n");
    folder.refused(
        "transform m.lowland three.csv -o z.csv",
        1,
        "3 columns in it, but the table of the fit had 4, of which 2 were used",
    );
    folder.refused("embed x.csv --drop 9 -m pca", 1, "--drop: there is no column '9' among its 4");
}

#[test]
fn clusters_and_columnar_formats_carry_ids_too() {
    let folder = Folder::new();
    folder.write("c.csv", &customers(0..60));
    folder.ok(&format!("cluster c.csv {READY} -n 2 -o l.csv --model m.lowland -q"));
    let clusters = lines(&folder.bytes("l.csv"));
    assert_eq!((clusters.len(), clusters[0].as_str()), (61, "customer,segment,cluster"));
    folder.ok("assign m.lowland c.csv -o assigned.csv -q");
    assert_eq!(lines(&folder.bytes("assigned.csv"))[0], "customer,segment,cluster");
    folder.ok(&format!("embed c.csv {READY} -m pca -o y.parquet -q"));
    folder.ok(&format!("embed c.csv {READY} -m pca -o y.npy -q"));
    // A table of typed columns: words, a label, an id.
    folder.ok("embed y.parquet --id customer --label-column segment -m pca -d all -o z.csv -q");
    assert_eq!(lines(&folder.bytes("z.csv"))[0], "customer,segment,c1,c2");
    folder.refused("embed y.parquet -m pca", 1, "2 of 4 columns cannot be used");
}
