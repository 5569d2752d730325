//! What is written is read back, bit for bit; and nothing is ever half written or lost.

use lowland_io::{AnyMatrix, Error, Labels, Output, ReadOptions, read, read_labels};
use ndarray::Array2;
use proptest::prelude::*;
use std::path::Path;

const EXTENSIONS: [&str; 9] = ["npy", "npz", "csv", "tsv", "parquet", "arrow", "feather", "mat", "idx"];

fn round_trip(matrix: &AnyMatrix, extension: &str, columns: Option<&[String]>) -> lowland_io::Data {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("y.{extension}"));
    let output = Output::prepare(&path, false, &[]).expect("prepared");
    output.write(matrix, columns).expect("written");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "no temporary file is left");
    let header = Some(columns.is_some());
    read(path.to_str().expect("a name"), &ReadOptions { header, ..Default::default() }).expect("read")
}

fn bits(matrix: &AnyMatrix) -> Vec<u64> {
    match matrix {
        AnyMatrix::F32(m) => m.iter().map(|v| v.to_bits().into()).collect(),
        AnyMatrix::F64(m) => m.iter().map(|v| v.to_bits()).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Every finite number, also denormal and negative zero, in every format.
    #[test]
    fn every_bit_comes_back(
        columns in 1usize..5,
        numbers in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO, 5..60),
    ) {
        let rows = numbers.len() / columns;
        let double = Array2::from_shape_fn((rows, columns), |(i, j)| numbers[i * columns + j]);
        let single = double.mapv(|v| f32::from_bits((v.to_bits() >> 32) as u32)).mapv(|v| if v.is_finite() { v } else { 1.5 });
        let names: Vec<String> = (0..columns).map(|j| format!("the \"{j}\", of {columns}")).collect();
        for extension in EXTENSIONS {
            for matrix in [AnyMatrix::F64(double.clone()), AnyMatrix::F32(single.clone())] {
                let data = round_trip(&matrix, extension, None);
                // Text has no precision of its own.
                let text = matches!(extension, "csv" | "tsv");
                let back = if text && matches!(matrix, AnyMatrix::F32(_)) {
                    AnyMatrix::F32(data.matrix.to_f64().mapv(|v| v as f32))
                } else {
                    data.matrix
                };
                prop_assert_eq!(back.dim(), matrix.dim());
                prop_assert_eq!(bits(&back), bits(&matrix), "{}", extension);
            }
        }
        for extension in ["csv", "tsv", "parquet", "arrow"] {
            let data = round_trip(&AnyMatrix::F64(double.clone()), extension, Some(&names));
            prop_assert_eq!(data.columns.as_ref(), Some(&names), "{}", extension);
            prop_assert_eq!(bits(&data.matrix), bits(&AnyMatrix::F64(double.clone())));
        }
    }
}

#[test]
fn more_rows_than_a_batch_and_other_strides() {
    let matrix = Array2::from_shape_fn((2, 70_000), |(i, j)| (i * 70_000 + j) as f64).reversed_axes();
    for extension in EXTENSIONS {
        assert_eq!(
            round_trip(&matrix.clone().into(), extension, None).matrix,
            matrix.clone().into(),
            "{extension}"
        );
    }
}

#[test]
fn labels_come_back() {
    let numbers = Labels::Numbers(vec![0.0, -3.0, 2.0]);
    let odd = Labels::Numbers(vec![0.5, 1e300, -0.1]);
    let words = Labels::Words(["cat", "red, dog", "é\"\u{1f600}"].map(str::to_owned).to_vec());
    let folder = tempfile::tempdir().expect("a folder");
    for extension in EXTENSIONS {
        for labels in [&numbers, &odd, &words] {
            let path = folder.path().join(format!("y.{extension}"));
            let written = Output::prepare(&path, true, &[]).expect("prepared").write_labels(labels);
            if matches!(labels, Labels::Words(_)) && matches!(extension, "npz" | "mat" | "idx") {
                assert!(matches!(written, Err(Error::File { .. })), "{extension}");
            } else {
                assert_eq!(written, Ok(()), "{extension}");
                assert_eq!(
                    read_labels(path.to_str().expect("a name"), None).as_ref(),
                    Ok(labels),
                    "{extension}"
                );
            }
        }
    }
}

fn reason(path: &Path, force: bool, inputs: &[&str]) -> String {
    Output::prepare(path, force, inputs).expect_err("must be refused").to_string()
}

#[test]
fn what_must_not_be_written_is_refused_before_the_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.csv");
    std::fs::write(&path, "1,2\n").expect("a file");
    let name = path.to_str().expect("a name");
    assert!(reason(&path, false, &[]).contains("use --force"));
    assert!(reason(&path, true, &[name]).contains("the input"));
    std::fs::hard_link(&path, folder.path().join("same.csv")).expect("a link");
    assert!(reason(&folder.path().join("same.csv"), true, &[name]).contains("the input"));
    assert!(reason(&folder.path().join("none").join("y.csv"), false, &[]).contains("y.csv"));
    assert!(reason(&folder.path().join("y.docx"), false, &[]).contains("extension"));
    assert!(reason(&folder.path().join("y.idx.gz"), false, &[]).contains("extension"));
    std::fs::create_dir(folder.path().join("z.csv")).expect("a folder");
    assert!(reason(&folder.path().join("z.csv"), true, &[]).contains("not a regular file"));
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), "1,2\n");
    assert!(Output::prepare(&path, true, &["-", "other.npz:x"]).is_ok());
}

#[test]
fn what_fails_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.mat");
    std::fs::write(&path, "old").expect("a file");
    let output = Output::prepare(&path, true, &[]).expect("prepared");
    assert!(output.write_labels(&Labels::Words(vec!["a".into()])).is_err());
    drop(Output::prepare(&path, true, &[]).expect("prepared"));
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), "old");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    // A file that came to be there meanwhile is not replaced without being asked to.
    let path = folder.path().join("y.csv");
    let output = Output::prepare(&path, false, &[]).expect("prepared");
    std::fs::write(&path, "someone else's").expect("a file");
    assert!(matches!(output.write(&Array2::<f64>::zeros((1, 1)).into(), None), Err(Error::Io { .. })));
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), "someone else's");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_bytes_need_no_extension() {
    let folder = tempfile::tempdir().expect("a folder");
    let (real, link) = (folder.path().join("real"), folder.path().join("link.model"));
    std::fs::write(&real, "old").expect("a file");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    Output::prepare_bytes(&link, true, &[]).expect("prepared").write_bytes(b"new").expect("written");
    assert_eq!(std::fs::read(&real).expect("the file"), b"new");
    assert!(link.is_symlink());
}
