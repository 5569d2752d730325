//! Bad data, for every method.

use super::program::{Chance, Count, Folder, Table, rows_of_numbers};
use super::whole;
use lowland::registry;
use std::fmt::Write;

/// A kind of bad data: its name, the name of its file, its bytes.
type Kind = (&'static str, &'static str, Vec<u8>);

/// A table by a formula of row and column.
fn table(rows: usize, columns: usize, cell: impl Fn(usize, usize) -> String) -> Vec<u8> {
    let mut text = String::new();
    for i in 0..rows {
        let line: Vec<String> = (0..columns).map(|j| cell(i, j)).collect();
        let _ = writeln!(text, "{}", line.join(","));
    }
    text.into_bytes()
}

/// Points without a structure, the same every time.
fn value(i: usize, j: usize) -> f64 {
    let mut chance = Chance((i * 31 + j) as u64 + 7);
    chance.below(1);
    chance.below(1_000_000) as f64 / 1e5 - 5.0
}

/// The good table with one cell replaced.
fn spoiled(at: (usize, usize), with: &str) -> Vec<u8> {
    table(40, 5, |i, j| if (i, j) == at { with.to_owned() } else { value(i, j).to_string() })
}

fn kinds() -> Vec<Kind> {
    let scaled =
        |scale: f64, offset: f64| table(40, 5, move |i, j| (value(i, j) * scale + offset).to_string());
    let good = table(40, 5, |i, j| value(i, j).to_string());
    let text = String::from_utf8(good.clone()).unwrap();
    let utf16 = |little: bool| {
        let words = std::iter::once(0xfeff).chain(text.encode_utf16());
        words
            .flat_map(|word: u16| if little { word.to_le_bytes() } else { word.to_be_bytes() })
            .collect::<Vec<u8>>()
    };
    let npy = |shape: &str, kind: &str, body: usize| {
        let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
        while (head.len() + 11) % 64 != 0 {
            head.push(' ');
        }
        head.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((head.len() as u16).to_le_bytes());
        bytes.extend(head.as_bytes());
        bytes.extend(vec![0x3f; body]);
        bytes
    };
    vec![
        ("good", "x.csv", good.clone()),
        ("NaN", "x.csv", spoiled((7, 2), "nan")),
        ("all the same row", "x.csv", table(40, 5, |_, j| j.to_string())),
        ("two different rows", "x.csv", table(40, 5, |i, j| value(i % 2, j).to_string())),
        ("values of 1e300", "x.csv", scaled(1e300, 0.0)),
        ("denormals", "x.csv", scaled(1e-310, 0.0)),
        ("one row", "x.csv", table(1, 5, |i, j| value(i, j).to_string())),
        ("first cell no number", "x.csv", spoiled((0, 0), "NA")),
        ("wide", "x.csv", table(6, 400, |i, j| value(i, j).to_string())),
        ("three rows", "x.csv", table(3, 5, |i, j| value(i, j).to_string())),
        ("infinity", "x.csv", spoiled((7, 2), "inf")),
        ("1e400", "x.csv", spoiled((0, 3), "1e400")),
        ("0x10", "x.csv", spoiled((0, 3), "0x10")),
        ("thousands", "x.csv", spoiled((0, 3), "\"1,000\"")),
        ("a word", "x.csv", spoiled((9, 1), "many")),
        ("an empty cell", "x.csv", spoiled((9, 1), "")),
        ("two rows", "x.csv", table(2, 5, |i, j| value(i, j).to_string())),
        ("one column", "x.csv", table(40, 1, |i, j| value(i, j).to_string())),
        (
            "a constant column",
            "x.csv",
            table(40, 5, |i, j| if j == 1 { 3.0 } else { value(i, j) }.to_string()),
        ),
        ("a zero row", "x.csv", table(40, 5, |i, j| if i == 4 { 0.0 } else { value(i, j) }.to_string())),
        ("every row twice", "x.csv", table(40, 5, |i, j| value(i / 2, j).to_string())),
        (
            "half of the rows one",
            "x.csv",
            table(40, 5, |i, j| value(if i < 20 { 0 } else { i }, j).to_string()),
        ),
        ("a line", "x.csv", table(40, 5, |i, j| (i as f64 * (j + 1) as f64).to_string())),
        ("an outlier of 1e12", "x.csv", spoiled((3, 3), "1e12")),
        ("an outlier of 1e200", "x.csv", spoiled((3, 3), "1e200")),
        ("an offset of 1e15", "x.csv", scaled(1.0, 1e15)),
        ("values of 1e150", "x.csv", scaled(1e150, 0.0)),
        ("values of 1e-150", "x.csv", scaled(1e-150, 0.0)),
        (
            "columns of all scales",
            "x.csv",
            table(40, 5, |i, j| (value(i, j) * 10f64.powi(40 * j as i32 - 80)).to_string()),
        ),
        (
            "two clusters far apart",
            "x.csv",
            table(40, 5, |i, j| (value(i, j) + if i % 2 == 0 { 1e6 } else { 0.0 }).to_string()),
        ),
        ("zeros and ones", "x.csv", table(40, 5, |i, j| f64::from(value(i, j) > 0.0).to_string())),
        ("ragged", "x.csv", [good.clone(), b"1,2\n".to_vec()].concat()),
        ("a header only", "x.csv", b"a,b,c\n".to_vec()),
        ("nothing", "x.csv", Vec::new()),
        ("only newlines", "x.csv", b"\n\n\n".to_vec()),
        ("bytes of zero", "x.csv", vec![0; 100]),
        ("UTF-16, little end", "x.csv", utf16(true)),
        ("UTF-16, big end", "x.csv", utf16(false)),
        ("a BOM", "x.csv", [b"\xef\xbb\xbf".to_vec(), good.clone()].concat()),
        ("no UTF-8", "x.csv", [good.clone(), b"\xff\xfe\xfd,1,2,3,4\n".to_vec()].concat()),
        ("carriage returns", "x.csv", text.replace('\n', "\r\n").into_bytes()),
        ("semicolons", "x.csv", text.replace(',', ";").into_bytes()),
        ("an open quote", "x.csv", [b"\"".to_vec(), good.clone()].concat()),
        ("no gzip", "x.csv.gz", good.clone()),
        ("a cut npy", "x.npy", npy("(40, 5)", "<f8", 100)),
        ("an npy of objects", "x.npy", npy("(40, 5)", "|O", 1600)),
        ("an npy that claims 2^62 rows", "x.npy", npy("(4611686018427387904, 5)", "<f8", 1600)),
        ("an npy of no rows", "x.npy", npy("(0, 5)", "<f8", 0)),
        ("an npy of no columns", "x.npy", npy("(40, 0)", "<f8", 0)),
        (IMAGES, "x.npy", npy("(4, 5, 10)", "<f8", 1600)),
        ("a text as npy", "x.npy", good.clone()),
        ("a text as parquet", "x.parquet", good.clone()),
        ("a text as mat", "x.mat", good.clone()),
        ("a text as npz", "x.npz", good),
    ]
}

/// Four images of 5 x 10: each is a row.
const IMAGES: &str = "an npy of three axes";

pub fn campaign(table: &mut Table) {
    let folder = Folder::new();
    std::fs::write(folder.file("labels.csv"), table_of_labels()).unwrap();
    let kinds = kinds();
    // The first few are those that reach into the methods; the others are mostly the reader's.
    let most = if whole() { kinds.len() } else { 4 };
    for (kind, name, bytes) in &kinds[..most] {
        std::fs::write(folder.file(name), bytes).unwrap();
        let lines = std::str::from_utf8(bytes).map_or(0, |text| text.lines().count());
        let rows = if *kind == IMAGES { 4 } else { lines };
        for entry in registry::all() {
            let labels = if entry.capabilities.labels && rows == 40 { "--labels labels.csv" } else { "" };
            let line =
                format!("embed {name} -m {} -d 2 {labels} -o y.csv -q --force --threads 1", entry.name);
            let ran = folder.run("", &line);
            let mut judged = ran.judged();
            if judged.0 == Count::Done && rows_of_numbers(&folder.file("y.csv")) != Some(rows) {
                judged = (Count::Broken, "the embedding is not one row of numbers a row".into());
            }
            if folder.temporaries() > 0 {
                judged = (Count::Broken, "a temporary file was left".into());
            }
            table.count(kind, entry.name, judged);
            let _ = std::fs::remove_file(folder.file("y.csv"));
        }
    }
}

/// Pairs of rows, for the methods that learn from labels.
fn table_of_labels() -> String {
    (0..40).map(|i| format!("{}\n", i / 4)).collect()
}
