//! Files that NumPy, SciPy, pandas and PyArrow wrote (see fixtures/make.py) are read as they were meant.

use lowland_io::{AnyMatrix, Data, Error, Labels, ReadOptions, read, read_labels};
use ndarray::Array2;

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn plain(name: &str) -> Data {
    read(&fixture(name), &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn with_label(name: &str, label: &str) -> Data {
    let options = ReadOptions { label_column: Some(label.into()), ..Default::default() };
    read(&fixture(name), &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn refusal(name: &str) -> String {
    match read(&fixture(name), &ReadOptions::default()) {
        Err(error @ Error::File { .. }) => error.to_string(),
        other => panic!("{name}: {other:?}"),
    }
}

/// `x[i, j] = 3 i + j - 4 + shift`.
fn table(shift: f64) -> Array2<f64> {
    Array2::from_shape_fn((5, 3), |(i, j)| (3 * i + j) as f64 - 4.0 + shift)
}

fn single(matrix: Array2<f64>) -> AnyMatrix {
    AnyMatrix::F32(matrix.mapv(|v| v as f32))
}

const WORDS: [&str; 5] = ["ant", "bee", "ant", "cow, brown", "d\"og"];

fn words() -> Labels {
    Labels::Words(WORDS.map(str::to_owned).to_vec())
}

#[test]
fn npy_of_every_kind() {
    for (name, shift, narrow) in [
        ("f4le", 0.5, true),
        ("f4be", 0.5, true),
        ("f2le", 0.5, true),
        ("f8le", 0.5, false),
        ("f8be", 0.5, false),
        ("fortran", 0.5, false),
        ("i1", 0.0, true),
        ("i2", 0.0, true),
        ("i4", 0.0, false),
        ("i8", 0.0, false),
        ("u1", 4.0, true),
        ("u2", 4.0, true),
        ("u4", 4.0, false),
        ("u8", 4.0, false),
    ] {
        let expected = if narrow { single(table(shift)) } else { table(shift).into() };
        assert_eq!(plain(&format!("{name}.npy")).matrix, expected, "{name}");
    }
    assert_eq!(plain("bool.npy").matrix, single(table(0.0).mapv(|v| if v > 0.0 { 1.0 } else { 0.0 })));
    assert_eq!(plain("one.npy").matrix, table(0.5).select(ndarray::Axis(1), &[0]).into());
}

#[test]
fn images_become_rows_last_index_fastest() {
    let rows = single(Array2::from_shape_fn((2, 12), |(i, j)| (12 * i + j) as f64));
    for name in ["cube.npy", "cube_fortran.npy", "cube.mat", "images-idx3-ubyte", "images-idx3-ubyte.gz"] {
        assert_eq!(plain(name).matrix, rows, "{name}");
    }
}

#[test]
fn arrays_that_are_no_matrices_are_refused_by_name() {
    assert!(refusal("complex.npy").contains("complex numbers"));
    assert!(refusal("object.npy").contains("Python objects"));
    assert!(refusal("structured.npy").contains("structured records"));
    assert!(refusal("words_unicode.npy").contains("strings can only be labels"));
    assert!(refusal("sparse.npz").contains("sparse matrix"));
    assert!(refusal("null.parquet").contains("row 1, column 'a'"));
    assert!(refusal("null.arrow").contains("row 1, column 'a'"));
    assert!(refusal("snappy.parquet").contains("column 'kind'"));
}

#[test]
fn npz_by_name() {
    for name in ["one.npz", "one.npz:arr_0", "packed.npz", "packed.npz:x", "two.npz:x"] {
        assert_eq!(plain(name).matrix, table(0.5).into(), "{name}");
    }
    assert!(refusal("two.npz").contains("of: x, labels"));
    assert!(refusal("two.npz:y").contains("there is no array 'y'"));
    assert_eq!(
        read_labels(&fixture("two.npz:labels"), None),
        Ok(Labels::Numbers(vec![0.0, 1.0, 2.0, 3.0, 4.0]))
    );
}

#[test]
fn mat_by_name() {
    for name in ["one.mat", "one.mat:x", "packed.mat"] {
        assert_eq!(plain(name).matrix, table(0.5).into(), "{name}");
    }
    assert_eq!(plain("several.mat:x").matrix, single(table(0.5)));
    assert_eq!(plain("several.mat:whole").matrix, single(table(0.0)));
    assert!(refusal("several.mat").contains("of: x, whole, z"));
    assert!(refusal("several.mat:z").contains("complex"));
    assert!(refusal("several.mat:name").contains("text"));
    assert!(refusal("several.mat:cell").contains("cell array"));
}

#[test]
fn idx_of_every_kind() {
    for name in ["i1", "i2", "f4"] {
        assert_eq!(plain(&format!("{name}.idx")).matrix, single(table(0.0)), "{name}");
    }
    for name in ["i4", "f8"] {
        assert_eq!(plain(&format!("{name}.idx")).matrix, table(0.0).into(), "{name}");
    }
    assert_eq!(
        read_labels(&fixture("labels-idx1-ubyte.gz"), None),
        Ok(Labels::Numbers(vec![0.0, 1.0, 2.0, 3.0, 4.0]))
    );
}

#[test]
fn tables_with_names_and_words() {
    let names = Some(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]);
    let csv = plain("plain.csv");
    assert_eq!((csv.matrix, csv.columns), (table(0.5).into(), names.clone()));
    assert_eq!(plain("blanks.txt").matrix, table(0.5).into());
    for name in [
        "kind.csv",
        "kind.tsv",
        "none.parquet",
        "snappy.parquet",
        "gzip.parquet",
        "zstd.parquet",
        "lz4.parquet",
        "uncompressed.feather",
        "lz4.feather",
        "zstd.feather",
    ] {
        for label in ["kind", "3"] {
            let data = with_label(name, label);
            assert_eq!(data.matrix, table(0.5).into(), "{name}");
            assert_eq!(data.columns, names, "{name}");
            assert_eq!(data.labels, Some(words()), "{name}");
        }
    }
    assert_eq!(plain("groups.parquet").matrix, table(0.5).into());
}

#[test]
fn the_label_of_a_plain_array_goes_by_index() {
    let data = with_label("f4le.npy", "1");
    assert_eq!(data.matrix, single(table(0.5).select(ndarray::Axis(1), &[0, 2])));
    assert_eq!(data.labels, Some(Labels::Numbers(table(0.5).column(1).to_vec())));
}

#[test]
fn small_columns_stay_single() {
    let expected = ndarray::array![
        [1f32, -1.0, 0.0, 0.5, 0.5],
        [0.0, 0.0, 1.0, 1.0, 1.5],
        [1.0, 1.0, 65535.0, 2.0, 2.5]
    ];
    for name in ["small.parquet", "small.arrow"] {
        let data = with_label(name, "kind");
        assert_eq!(data.matrix, AnyMatrix::F32(expected.clone()), "{name}");
        assert_eq!(data.labels, Some(Labels::Words(["x", "y", "x"].map(str::to_owned).to_vec())), "{name}");
    }
}

#[test]
fn labels_of_words() {
    for name in ["words_unicode.npy", "words_bytes.npy"] {
        assert_eq!(read_labels(&fixture(name), None), Ok(words()), "{name}");
    }
    assert_eq!(read_labels(&fixture("one.npy"), None), Ok(Labels::Numbers(table(0.5).column(0).to_vec())));
    let refused = read_labels(&fixture("f8le.npy"), None).map_err(|error| error.to_string());
    assert!(refused.is_err_and(|message| message.contains("5 x 3")));
}
