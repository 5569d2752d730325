//! What is refused, and with which position.

use lowland_io::{AnyMatrix, Data, Error, Labels, ReadOptions, Result, read, read_bytes, read_labels};
use ndarray::array;
use std::io::Write;

fn of(name: &str, bytes: &[u8]) -> Result<Data> {
    read_bytes(name, bytes, &ReadOptions::default())
}

fn csv(text: &str) -> Result<Data> {
    of("x.csv", text.as_bytes())
}

fn refused(text: &str) -> (String, String) {
    match csv(text) {
        Err(Error::File { position, problem, .. }) => (position, problem),
        other => panic!("{text:?}: {other:?}"),
    }
}

fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.expect_err("must be refused").to_string()
}

#[test]
fn csv_says_where_it_is_broken() {
    for (text, position, problem) in [
        ("1,2\n3\n", "line 2, column 2", "the line has 1 field, but the first has 2"),
        ("1,2\n3,4,5\n", "line 2, column 3", "the line has 3 fields, but the first has 2"),
        ("a,b\n1,2\n3,x\n", "line 3, column 2", "not a (finite) number: 'x'"),
        ("1,2\n3,\n", "line 2, column 2", "a value is missing"),
        ("1,2\n,3\n", "line 2, column 1", "a value is missing"),
        ("1,2\n3,NA\n", "line 2, column 2", "a value is missing: 'NA'"),
        ("1,2\n3,nan\n", "line 2, column 2", "a value is missing: 'nan'"),
        ("1,2\n3,inf\n", "line 2, column 2", "not a (finite) number: 'inf'"),
        ("1,2\n3,1e999\n", "line 2, column 2", "not a (finite) number: '1e999'"),
        ("1,2\n\n3,4\n", "line 2, column 1", "a value is missing"),
        ("1,2\n3,4 5\n", "line 2, column 2", "not a (finite) number: '4 5'"),
        ("1,2\n\"3,4\n", "line 2, column 1", "a quote is not closed on its line"),
        ("1,2\n\"3\"x,4\n", "line 2, column 1", "something follows the closing quote"),
        ("1,2\n3,0x10\n", "line 2, column 2", "not a (finite) number: '0x10'"),
        ("1\n2\n\n3\n", "line 3, column 1", "a value is missing"),
        ("1,2\n3,+-4\n", "line 2, column 2", "not a (finite) number: '+-4'"),
    ] {
        assert_eq!(refused(text), (position.to_owned(), problem.to_owned()), "{text:?}");
    }
    for text in ["", "\n\n", "\u{feff}"] {
        assert_eq!(refused(text).1, "it has no rows");
    }
}

#[test]
fn csv_in_its_many_dresses() {
    let expected = AnyMatrix::F64(array![[1.0, -2.5], [3e10, 4.0]]);
    for text in [
        "1,-2.5\n3e10,4",
        "1,-2.5\r\n3e10,4\r\n",
        "\u{feff}1,-2.5\n3e10,4\n\n\n",
        "1;-2.5\n3e10;4\n",
        "1\t-2.5\n3e10\t4\n",
        "  1   -2.5\n 3e10 \t 4 \n",
        " 1 , -2.5 \n 3e10 , +4\n",
        "\"1\",\"-2.5\"\n3e10, \"4\" \n",
        "a,b\n1,-2.5\n3e10,4\n",
        "\"a, b\",\"c\"\"d\"\n1,-2.5\n3e10,4\n",
        "2020,b\n1,-2.5\n3e10,4\n",
    ] {
        assert_eq!(csv(text).map(|data| data.matrix), Ok(expected.clone()), "{text:?}");
    }
    let names = csv("\"a, b\",\"c\"\"d\"\n1,2\n").map(|data| data.columns);
    assert_eq!(names, Ok(Some(vec!["a, b".to_owned(), "c\"d".to_owned()])));
    assert_eq!(csv("7\n").map(|data| data.matrix), Ok(AnyMatrix::F64(array![[7.0]])));
}

fn written(name: &str, bytes: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    (folder, path.to_str().expect("a name").to_owned())
}

#[test]
fn csv_header_and_label_as_asked() {
    let (_folder, path) = written("x.csv", b"1,2\n3,4\n5,6\n");
    let reading = |label: Option<&str>, header| {
        read(&path, &ReadOptions { label_column: label.map(str::to_owned), header, ..ReadOptions::default() })
    };
    let data = reading(Some("2"), Some(true)).expect("the column named 2");
    assert_eq!(data.matrix, AnyMatrix::F64(array![[3.0], [5.0]]));
    assert_eq!(data.labels, Some(Labels::Numbers(vec![4.0, 6.0])));
    assert_eq!(data.columns, Some(vec!["1".to_owned()]));
    assert_eq!(
        reading(Some("0"), None).expect("an index").labels,
        Some(Labels::Numbers(vec![1.0, 3.0, 5.0]))
    );
    assert!(message(reading(Some("2"), None)).contains("give an index below 2"));
    assert!(message(reading(Some("kind"), Some(true))).contains("name one of: 1, 2"));
}

#[test]
fn labels_from_text() {
    for (text, expected) in [
        (&b"1\n2\n"[..], Labels::Numbers(vec![1.0, 2.0])),
        (b"label\n1\n2\n", Labels::Numbers(vec![1.0, 2.0])),
        (b"cat\ndog\n", Labels::Words(vec!["cat".into(), "dog".into()])),
    ] {
        let (_folder, path) = written("y.csv", text);
        assert_eq!(read_labels(&path, None), Ok(expected));
    }
    let (_folder, path) = written("y.csv", b"1,2\n3,4\n");
    assert!(message(read_labels(&path, None)).contains("2 x 2"));
    let (_folder, path) = written("y.csv", b"kind\ncat\ndog\n");
    let words = |words: &[&str]| Labels::Words(words.iter().map(|word| (*word).to_owned()).collect());
    assert_eq!(read_labels(&path, None), Ok(words(&["kind", "cat", "dog"])));
    assert_eq!(read_labels(&path, Some(true)), Ok(words(&["cat", "dog"])));
}

/// Where there is one column, an empty line is a row without a value; at the end it is none.
#[test]
fn empty_lines_of_one_column() {
    for (text, rows, at_end) in [
        ("x\n1\n2\n", 2, 0),
        ("x\n1\n\n2\n", 3, 0),
        ("x\n1\n2\n\n\r\n", 2, 2),
        ("x\n1\n2\n\"\"\n", 3, 0),
        ("x\n1\n2\nNA\n", 3, 0),
    ] {
        let (_folder, path) = written("x.csv", text.as_bytes());
        let options = ReadOptions { missing: true, ..ReadOptions::default() };
        assert_eq!(read(&path, &options).map(|data| data.matrix.dim()), Ok((rows, 1)), "{text:?}");
        assert_eq!(lowland_io::empty_lines_at_end(&path), Ok(at_end), "{text:?}");
    }
}

#[test]
fn labels_are_exact_and_never_nan() {
    let (big, next) = (1_u64 << 53, (1_u64 << 53) + 1);
    let digits = Labels::Words(vec![big.to_string(), next.to_string()]);
    let (_folder, path) = written("y.csv", format!("{big}\n{next}\n").as_bytes());
    assert_eq!(read_labels(&path, None), Ok(digits.clone()));
    for kind in ["<i8", "<u8", ">i8"] {
        let bytes = [big, next].map(|v| if kind == ">i8" { v.to_be_bytes() } else { v.to_le_bytes() });
        let array =
            npy(&format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (2,), }}"), &bytes.concat());
        let (_folder, path) = written("y.npy", &array);
        assert_eq!(read_labels(&path, None), Ok(digits.clone()), "{kind}");
        // As data they are the nearest doubles.
        let data = of("y.npy", &array).map(|data| data.matrix);
        assert_eq!(data, Ok(AnyMatrix::F64(ndarray::array![[big as f64], [big as f64]])), "{kind}");
    }
    let negative = [-5_i64, 7].map(i64::to_le_bytes).concat();
    let array = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", &negative);
    let (_folder, path) = written("y.npy", &array);
    assert_eq!(read_labels(&path, None), Ok(Labels::Numbers(vec![-5.0, 7.0])));
    let missing = [1.0, f64::NAN].map(f64::to_le_bytes).concat();
    let array = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", &missing);
    let (_folder, path) = written("y.npy", &array);
    assert!(message(read_labels(&path, None)).contains("row 1"));
    let (_folder, path) = written("y.csv", b"1\n2\nNaN\n");
    assert!(message(read_labels(&path, None)).contains("line 3"));
    let (_folder, path) = written("y.csv", b"none\nsome\n");
    assert_eq!(read_labels(&path, None), Ok(Labels::Words(vec!["none".into(), "some".into()])));
    // In a table of doubles nobody can know any more.
    let table = [1.0, big as f64].map(f64::to_le_bytes).concat();
    let array = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", &table);
    let options = ReadOptions { label_column: Some("1".into()), ..Default::default() };
    assert!(read_bytes("x.npy", &array, &options).is_ok(), "2^53 itself is exact");
    let table = [1.0, 4.0 * big as f64].map(f64::to_le_bytes).concat();
    let array = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", &table);
    assert!(message(read_bytes("x.npy", &array, &options)).contains("2^53"));
}

#[test]
fn the_result_does_not_depend_on_the_threads_and_the_first_error_wins() {
    let mut text: String = (0..40_000).map(|i| format!("{},{}\n", i, f64::from(i).sqrt())).collect();
    let with = |threads: usize, text: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| csv(text))
    };
    let one = with(1, &text);
    assert_eq!(one.as_ref().map(|data| data.matrix.dim()), Ok((40_000, 2)));
    assert_eq!(one, with(3, &text));
    let at = text.find("\n30000,").expect("a line") + 1;
    text.replace_range(at..at + 1, "x");
    text.push_str("y,1\n");
    assert_eq!(refused(&text).0, "line 30001, column 1");
    assert_eq!(with(1, &text), with(3, &text));
}

#[test]
fn a_wide_first_line_over_many_short_ones_claims_no_memory() {
    let mut text = vec!["1"; 50_000].join(",");
    text.push_str(&"\n1".repeat(50_000));
    assert_eq!(refused(&text).0, "line 2, column 2");
}

fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn npy_claims_are_checked() {
    let array = |shape: &str| {
        npy(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"), &[0; 16])
    };
    assert_eq!(of("x.npy", &array("(2,)")).map(|data| data.matrix.dim()), Ok((2, 1)));
    assert_eq!(of("x.npy", &array("(1, 2L)")).map(|data| data.matrix.dim()), Ok((1, 2)));
    assert!(message(of("x.npy", &array("(3,)"))).contains("24 bytes are claimed, but only 16"));
    assert!(message(of("x.npy", &array("(1,)"))).contains("more than the header claims"));
    for huge in ["(1099511627776, 1099511627776)", "(4294967296, 4294967296, 4294967296)", "(1000000000000,)"]
    {
        assert!(message(of("x.npy", &array(huge))).contains("claimed"), "{huge}");
    }
    for broken in [
        "{'descr': '<f8', 'shape': (2,)}",
        "{'descr': '<f8'",
        "[]",
        "{'descr': '<f8', 'fortran_order': No, 'shape': (2,)}",
    ] {
        assert!(message(of("x.npy", &npy(broken, &[0; 16]))).contains("dictionary is malformed"), "{broken}");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn a_gzip_bomb_is_refused() {
    let mut bomb = vec![0, 0, 8, 1, 0, 0, 0, 10];
    bomb.resize(100 << 20, 0);
    let bomb = gzip(&bomb);
    assert!(bomb.len() < 200_000);
    assert!(message(of("x.idx", &bomb)).contains("more than the header claims"));
    // A header that goes along with the bomb does not help it: no real data shrinks a thousandfold.
    let mut honest = vec![0, 0, 8, 1, 0x06, 0x40, 0, 0];
    honest.resize((100 << 20) + 8, 0);
    assert!(message(of("x.idx", &gzip(&honest))).contains("decompresses to more than"));
}

#[test]
fn damaged_archives_are_refused() {
    let fixture = |name: &str| {
        std::fs::read(format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).expect(name)
    };
    let mut stored = fixture("one.npz");
    let at = stored.len() / 2;
    stored[at] ^= 1;
    assert!(message(of("x.npz", &stored)).contains("checksum"));
    let mut hdf = b"MATLAB 7.3 MAT-file".to_vec();
    hdf.resize(600, b' ');
    assert!(message(of("x.mat", &hdf)).contains("HDF5"));
    assert!(message(of("x.idx", b"\0\0\x07\x01\0\0\0\0")).contains("type 0x07"));
}

#[test]
fn names_that_lead_nowhere() {
    let none = ReadOptions::default();
    assert!(
        matches!(read("no-such-file.csv", &none), Err(Error::Io { path, .. }) if path == "no-such-file.csv")
    );
    let (folder, path) = written("x.unknown", b"1,2\n");
    assert!(message(read(&path, &none)).contains("neither its name nor its first bytes"));
    assert!(message(read(folder.path().to_str().expect("a name"), &none)).contains("not a regular file"));
    let (_folder, path) =
        written("x.data", &npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", &[1, 2]));
    assert_eq!(read(&path, &none).map(|data| data.matrix), Ok(AnyMatrix::F32(array![[1.0], [2.0]])));
}

#[test]
fn missing_cells_are_nan_where_they_are_allowed() {
    let allowed = ReadOptions { missing: true, ..ReadOptions::default() };
    for (text, expected) in [
        ("1,2\n,4\n", vec![1.0, 2.0, f64::NAN, 4.0]),
        (",\n,\n,\n1,2\n", vec![f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN, 1.0, 2.0]),
        // A word for what is missing is no name of a column.
        ("NA,2\n3,NaN\n", vec![f64::NAN, 2.0, 3.0, f64::NAN]),
        ("a,b\nn/a,2\n3,\"\"\n", vec![f64::NAN, 2.0, 3.0, f64::NAN]),
        ("a b\n? 2\n3 null\n", vec![f64::NAN, 2.0, 3.0, f64::NAN]),
    ] {
        let data = lowland_io::read_bytes("x.csv", text.as_bytes(), &allowed).unwrap();
        let found = data.matrix.to_f64();
        let same = found.iter().zip(&expected).all(|(a, b)| a == b || a.is_nan() && b.is_nan());
        assert!(same && found.len() == expected.len(), "{text:?}: {found}");
    }
    // Everything else stays as strict as it was.
    for text in ["1,2\n3,x\n", "1,2\n3\n", "1,2\n3,inf\n", "1,2\n,,\n"] {
        assert!(lowland_io::read_bytes("x.csv", text.as_bytes(), &allowed).is_err(), "{text:?}");
    }
    let labeled = ReadOptions { label_column: Some("0".into()), ..allowed };
    assert!(lowland_io::read_bytes("x.csv", b"1,2\n,4\n", &labeled).is_err(), "a label may not be missing");
}
