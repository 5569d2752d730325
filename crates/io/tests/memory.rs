//! The rule of the crate's documentation for valid files: what is held at any time is at most 4 x the larger of the
//! file and of what it holds. The 64 MiB on top would hide everything here: 2 MiB must do.

mod counting;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch};
use counting::peak_of;
use lowland_io::{AnyMatrix, Data, Error, Labels, ReadOptions, read_bytes};
use std::io::Write;
use std::sync::Arc;

/// The bytes of what was read.
fn held(data: &Data) -> usize {
    let (rows, columns) = data.matrix.dim();
    let number = if matches!(data.matrix, AnyMatrix::F32(_)) { 4 } else { 8 };
    let words = |words: &[String]| words.iter().map(|word| size_of::<String>() + word.len()).sum();
    let labels = match &data.labels {
        None => 0,
        Some(Labels::Numbers(numbers)) => 8 * numbers.len(),
        Some(Labels::Words(labels)) => words(labels),
    };
    rows * columns * number + labels + data.columns.as_deref().map_or(0, words)
}

fn check(name: &str, bytes: &[u8], label: Option<&str>, dim: (usize, usize)) {
    let options = ReadOptions { label_column: label.map(str::to_owned), ..Default::default() };
    let (data, peak) = peak_of(|| read_bytes(name, bytes, &options));
    let data = data.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(data.matrix.dim(), dim, "{name}");
    let (file, held) = (bytes.len(), held(&data));
    let most = (2 << 20) + 4 * file.max(held);
    assert!(peak <= most, "{name}: {peak} bytes at the peak for a file of {file} that holds {held}");
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

/// An archive of one deflated array.
fn npz(array: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(array).expect("memory");
    let packed = packed.finish().expect("memory");
    let mut crc = flate2::Crc::new();
    crc.update(array);
    let mut common = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0];
    for number in [crc.sum(), packed.len() as u32, array.len() as u32, 5] {
        common.extend(number.to_le_bytes());
    }
    let mut bytes = [&b"PK\x03\x04"[..], &common, b"x.npy", &packed].concat();
    let directory = bytes.len() as u32;
    bytes.extend([&b"PK\x01\x02\x14\0"[..], &common, &[0; 14], b"x.npy"].concat());
    bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    bytes.extend(51u32.to_le_bytes());
    bytes.extend(directory.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

/// A MATLAB matrix of doubles that are stored as bytes, compressed.
fn mat(rows: u32, columns: u32, data: &[u8]) -> Vec<u8> {
    let mut matrix = Vec::new();
    for number in [6, 8, 6, 0, 5, 8, rows, columns, 1 | 1 << 16, u32::from(b'x'), 2, data.len() as u32] {
        matrix.extend(number.to_le_bytes());
    }
    matrix.extend(data);
    matrix.resize(matrix.len().next_multiple_of(8), 0);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&[14u32.to_le_bytes(), (matrix.len() as u32).to_le_bytes()].concat()).expect("memory");
    packed.write_all(&matrix).expect("memory");
    let packed = packed.finish().expect("memory");
    let mut bytes = format!("{:<124}", "MATLAB 5.0 MAT-file").into_bytes();
    bytes.extend(b"\x00\x01IM");
    bytes.extend(15u32.to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(packed);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Four columns, in batches.
fn tables(column: &dyn Fn() -> ArrayRef, batches: usize) -> [Vec<u8>; 2] {
    let batch =
        RecordBatch::try_from_iter(["a", "b", "c", "d"].map(|name| (name, column()))).expect("a batch");
    let (mut parquet, mut arrow) = (Vec::new(), Vec::new());
    let mut to_parquet =
        parquet::arrow::ArrowWriter::try_new(&mut parquet, batch.schema(), None).expect("a writer");
    let mut to_arrow = arrow_ipc::writer::FileWriter::try_new(&mut arrow, &batch.schema()).expect("a writer");
    for _ in 0..batches {
        to_parquet.write(&batch).expect("memory");
        to_arrow.write(&batch).expect("memory");
    }
    to_parquet.close().expect("memory");
    to_arrow.finish().expect("memory");
    drop(to_arrow);
    [parquet, arrow]
}

/// One test: the allocator counts for the whole program.
#[test]
fn valid_files_take_what_they_hold() {
    const N: usize = 2 << 20;
    let bytes: Vec<u8> = (0..N).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let sparse: Vec<u8> = bytes.iter().map(|&b| b.saturating_sub(250)).collect();

    check("x.csv", "1,2,3,4\n".repeat(N / 4).as_bytes(), None, (N / 4, 4));
    check("x.csv", format!("1{}", ",2".repeat(N - 1)).as_bytes(), None, (1, N));
    check("x.csv", "1,2\n".repeat(N / 2).as_bytes(), Some("0"), (N / 2, 1));
    check("x.csv", "1\n".repeat(N).as_bytes(), Some("0"), (N, 0));
    check("x.csv", "a,2\n".repeat(N / 2).as_bytes(), Some("0"), (N / 2, 1));
    let header: String = (0..N / 8).map(|i| format!("c{i},")).collect();
    let wide = format!("{}\n{}", header.trim_end_matches(','), vec!["1"; N / 8].join(","));
    check("x.csv", wide.as_bytes(), None, (1, N / 8));

    for data in [&bytes, &sparse] {
        let array = npy("|u1", &format!("({}, 8)", N / 8), data);
        check("x.npy", &array, None, (N / 8, 8));
        check("x.npy", &array, Some("0"), (N / 8, 7));
        check("x.npz", &npz(&array), None, (N / 8, 8));
        check("x.mat", &mat(N as u32 / 8, 8, data), None, (N / 8, 8));
        let idx = [&[0, 0, 8, 2][..], &(N as u32 / 8).to_be_bytes(), &8u32.to_be_bytes(), data].concat();
        check("x.idx", &idx, None, (N / 8, 8));
        check("x.idx.gz", &gzip(&idx), None, (N / 8, 8));
    }
    for batches in [1, 16] {
        let rows = N / 4 / batches;
        let flags = |i: usize| i.is_multiple_of(3);
        let booleans =
            tables(&|| Arc::new(BooleanArray::from_iter((0..rows).map(|i| Some(flags(i))))), batches);
        let doubles = tables(
            &|| Arc::new(Float64Array::from_iter_values((0..rows).map(|i| (i as f64).sqrt()))),
            batches,
        );
        for [parquet, arrow] in [booleans, doubles] {
            check("x.parquet", &parquet, None, (rows * batches, 4));
            check("x.arrow", &arrow, None, (rows * batches, 4));
        }
    }
    columns_of_nothing_take_nothing();
    a_bomb_is_bounded();
}

/// Found by fuzzing: no rows of 84 million columns.
fn columns_of_nothing_take_nothing() {
    let options = ReadOptions { label_column: Some("0".into()), ..Default::default() };
    let (data, peak) = peak_of(|| read_bytes("x.idx", b"\0\0\x09\x02\0\0\0\0\x05\x01\x03\x0a", &options));
    assert_eq!(data.map(|data| data.matrix.dim()), Ok((0, 0x0501_030a - 1)));
    assert!(peak < 1 << 20, "{peak}");
}

fn a_bomb_is_bounded() {
    // 64 MiB of zeros in 64 KiB: refused, and after no more than 8 MiB + 256 x the file have unfolded.
    let mut zeros = vec![0, 0, 8, 2, 0, 64, 0, 0, 0, 0, 0, 16];
    zeros.resize(12 + (64 << 20), 0);
    let bomb = gzip(&zeros);
    let usual = ReadOptions::default();
    let (refused, peak) = peak_of(|| read_bytes("x.idx.gz", &bomb, &usual));
    assert!(
        matches!(&refused, Err(Error::File { problem, .. }) if problem.contains("decompresses to more than"))
    );
    let unfolded = (8 << 20) + 256 * bomb.len();
    assert!(unfolded < 48 << 20 && peak < 4 * 4 * unfolded, "{peak} of {unfolded}");
    let generous = ReadOptions { memory: Some(65 << 20), ..usual };
    assert_eq!(read_bytes("x.idx.gz", &bomb, &generous).map(|data| data.matrix.dim()), Ok((4 << 20, 16)));
}
