//! Data files for Lowland: strict reading, and writing whole or not at all.
//!
//! ```no_run
//! use lowland_io::{Output, ReadOptions, read};
//! use std::path::Path;
//!
//! let output = Output::prepare(Path::new("y.parquet"), false, &["x.csv"])?;
//! let data = read("x.csv", &ReadOptions { label_column: Some("species".into()), ..Default::default() })?;
//! output.write(&data.matrix, data.columns.as_deref())?;
//! # Ok::<(), lowland::Error>(())
//! ```
//!
//! # Memory
//!
//! Nothing is allocated by a size that a file merely claims. What is held at any time, all copies counted, is at most
//! 64 MiB + 4 x the larger of the file and of what has been read from it so far: a damaged or hostile file costs no
//! more than its own size warrants. Where numbers are larger in memory than in the file (a CSV of digits, bytes,
//! booleans, anything compressed), it is the numbers that count: they are read into single precision where that is
//! exact (booleans, integers of 8 and 16 bits, half precision) and into double precision otherwise.
//!
//! What a compressed file (gzip, npz, mat, Parquet, Arrow) unfolds to is bounded by 8 MiB + [`MOST_EXPANSION`] x the
//! file. Beyond that it is refused as a bomb, unless [`ReadOptions::memory`] allows it.

mod arrow;
mod csv;
mod dates;
mod format;
mod frame;
mod idx;
mod mat;
mod npy;
mod npz;
mod numbers;
mod output;
mod parquet;
pub mod preparation;
mod select;
mod source;
mod table;
mod thrift;
mod typed;

pub use frame::{Flaw, Frame, Role, TableFile, Texts, is_missing};
pub use lowland::{AnyMatrix, Error, Result};
pub use output::{Output, Part, Sheet, Written};
pub use source::MOST_EXPANSION;

use format::{Format, packed_format};
use ndarray::Array2;
use source::{Source, refuse};
use std::io::Read;
use std::path::Path;

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// One point a row, without the label column.
    pub matrix: AnyMatrix,
    /// The names of the matrix's columns, where the file gives them.
    pub columns: Option<Vec<String>>,
    /// The label column, if one was asked for.
    pub labels: Option<Labels>,
}

/// One label a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// Every label is a number.
    Numbers(Vec<f64>),
    /// At least one label is not.
    Words(Vec<String>),
}

impl Labels {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(labels) => labels.len(),
            Self::Words(labels) => labels.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How to read a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The column that holds labels, by its name or its index from 0; it may hold words.
    pub label_column: Option<String>,
    /// Whether a text file begins with a line of names; `None` finds out.
    pub header: Option<bool>,
    /// Whether values may be missing: an empty cell, `NaN`, `NA`, `n/a`, `null`, `none` or `?` of a text file, and a
    /// null of a table, are read as NaN. Without it they are refused.
    pub missing: bool,
    /// Whether labels may be missing in the same way: of numbers they are NaN, of words empty. Without it they are refused.
    pub missing_labels: bool,
    /// The bytes that a compressed file may unfold to, where that is more than [`MOST_EXPANSION`] allows.
    pub memory: Option<u64>,
}

impl ReadOptions {
    /// The most bytes that a file of this size may unfold to.
    fn most_unfolded(&self, file: usize) -> u64 {
        let usual = (8 << 20) + (file as u64).saturating_mul(MOST_EXPANSION);
        usual.max(self.memory.unwrap_or(0))
    }
}

/// Reads a matrix: `file.npz:name` and `file.mat:name` choose one of several arrays, `-` is CSV on standard
/// input, and everything else goes by its extension or, failing that, by its first bytes.
pub fn read(source: &str, options: &ReadOptions) -> Result<Data> {
    on_path(source, || decode(source, open(member(source).0)?, options))
}

/// Reads a matrix from a file held in memory; `name` says the format, as in [`read`].
pub fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Data> {
    on_path(name, || decode(name, Source::bytes(bytes), options))
}

fn decode(source: &str, mut bytes: Source<'_>, options: &ReadOptions) -> Result<Data> {
    let (format, packing) = packed_format(member(source).0, &mut bytes)?;
    let most = options.most_unfolded(bytes.size());
    let bytes = packing.unfold(bytes, most);
    let data = match format {
        Format::Csv => csv::read(&bytes.into_bytes()?, None, options),
        Format::Tsv => csv::read(&bytes.into_bytes()?, Some(b'\t'), options),
        Format::Parquet => parquet::read(bytes.into_bytes()?.into_owned(), options),
        Format::Arrow => arrow::read(bytes.into_bytes()?, options),
        _ => with_labels(decode_matrix(format, source, bytes, most)?, options),
    }?;
    if let (Some(Labels::Numbers(labels)), false) = (&data.labels, options.missing_labels) {
        not_nan(labels)?;
    }
    Ok(data)
}

/// The matrix of a file that holds arrays.
fn decode_matrix(format: Format, source: &str, mut bytes: Source<'_>, most: u64) -> Result<AnyMatrix> {
    let name = member(source).1;
    match format {
        Format::Npz => npz::read(&bytes.into_bytes()?, name, most)?.matrix(),
        Format::Mat => mat::read(&bytes.into_bytes()?, name, most),
        Format::Idx => idx::read(bytes, most),
        _ => npy::read(&mut bytes)?.matrix(),
    }
}

/// Reads one label a row: a one-dimensional array of numbers or strings, or a file of one column. A text file
/// has a header if `header` says so; where that is `None`, only if its first line is a word and its second a number.
/// Integers that a double cannot hold exactly are words: their digits. A label that is missing or NaN is refused.
pub fn read_labels(source: &str, header: Option<bool>) -> Result<Labels> {
    labels_from(source, header, false)
}

/// [`read_labels`] where labels may be missing: see [`ReadOptions::missing_labels`].
pub fn read_labels_or_none(source: &str, header: Option<bool>) -> Result<Labels> {
    labels_from(source, header, true)
}

/// How many empty lines end a text file: they are no rows.
pub fn empty_lines_at_end(source: &str) -> Result<usize> {
    on_path(source, || {
        let path = member(source).0;
        let mut bytes = open(path)?;
        let (format, packing) = packed_format(path, &mut bytes)?;
        if !matches!(format, Format::Csv | Format::Tsv) {
            return Ok(0);
        }
        let most = ReadOptions::default().most_unfolded(bytes.size());
        Ok(csv::empty_lines_at_end(&packing.unfold(bytes, most).into_bytes()?))
    })
}

fn labels_from(source: &str, header: Option<bool>, missing_labels: bool) -> Result<Labels> {
    on_path(source, || {
        let (path, name) = member(source);
        let mut bytes = open(path)?;
        let (format, packing) = packed_format(path, &mut bytes)?;
        let label_column = Some("0".into());
        let only = ReadOptions { label_column, header, missing_labels, ..Default::default() };
        let most = only.most_unfolded(bytes.size());
        let content = match format {
            Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow => {
                return only_column(decode(source, bytes, &only)?);
            }
            _ if packing != format::Packing::Plain => npy::read(&mut packing.unfold(bytes, most))?,
            Format::Npy => npy::read(&mut bytes)?,
            Format::Npz => npz::read(&bytes.into_bytes()?, name, most)?,
            Format::Mat => npy::Content::Matrix(mat::read(&bytes.into_bytes()?, name, most)?),
            Format::Idx => npy::Content::Matrix(idx::read(bytes, most)?),
        };
        match content {
            npy::Content::Words(words) => match words.iter().position(String::is_empty) {
                Some(row) if !missing_labels => {
                    Err(refuse(format!("row {row}"), "the label is missing", LABELED))
                }
                _ => Ok(Labels::Words(words)),
            },
            npy::Content::Integers { integers, .. } => Ok(integers.labels()),
            npy::Content::Matrix(matrix) => match matrix.dim() {
                (_, 1) | (1, _) => {
                    distinguishable(matrix.to_f64().into_raw_vec_and_offset().0, missing_labels)
                }
                (rows, columns) => Err(not_labels(rows, columns)),
            },
        }
    })
}

/// Puts the file's name into an error that does not have it yet.
pub(crate) fn on_path<T>(path: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    work().map_err(|error| match error {
        Error::File { path: inner, position, problem, remedy } if inner.is_empty() => {
            Error::File { path: path.to_owned(), position, problem, remedy }
        }
        Error::Io { path: inner, problem } if inner.is_empty() => {
            Error::Io { path: path.to_owned(), problem }
        }
        other => other,
    })
}

/// The file and the array inside it: `a.npz:name`.
pub(crate) fn member(source: &str) -> (&str, Option<&str>) {
    let lower = source.to_ascii_lowercase();
    for extension in [".npz:", ".mat:"] {
        if let Some(at) = lower.rfind(extension) {
            let end = at + extension.len();
            return (&source[..end - 1], Some(&source[end..]));
        }
    }
    (source, None)
}

fn open(path: &str) -> Result<Source<'static>> {
    if path == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(source::io)?;
        return Ok(Source::owned(bytes));
    }
    Source::file(Path::new(path))
}

/// Whether the name of a file says that it holds a table.
pub fn is_table(path: &str) -> bool {
    path == "-" || Format::of_name(Path::new(path)).is_some()
}

fn plain(matrix: AnyMatrix) -> Data {
    Data { matrix, columns: None, labels: None }
}

fn only_column(data: Data) -> Result<Labels> {
    match (data.matrix.dim(), data.labels) {
        ((_, 0), Some(labels)) => Ok(labels),
        ((rows, columns), _) => Err(not_labels(rows, columns + 1)),
    }
}

fn not_labels(rows: usize, columns: usize) -> Error {
    refuse(
        "",
        format!("it is {rows} x {columns}, but labels are one column"),
        "give a file with one label a row",
    )
}

/// What to do about labels that are missing.
const LABELED: &str = "leave out the rows without a label, or give them a class of their own";

/// Refuses labels that are NaN: two of them are not equal, and every order has them somewhere else.
fn not_nan(labels: &[f64]) -> Result<()> {
    match labels.iter().position(|label| label.is_nan()) {
        None => Ok(()),
        Some(row) => Err(refuse(format!("row {row}"), "the label is NaN", LABELED)),
    }
}

/// Beyond this, not every whole number is a double.
const MOST_EXACT: u64 = 1 << 53;

/// Labels that have been made doubles. Whole numbers so large may have been others before.
fn distinguishable(labels: Vec<f64>, missing: bool) -> Result<Labels> {
    if !missing {
        not_nan(&labels)?;
    }
    let whole = labels.iter().all(|label| label.is_nan() || label.fract() == 0.0);
    match labels.iter().position(|label| label.abs() > MOST_EXACT as f64) {
        Some(row) if whole => Err(refuse(
            format!("row {row}"),
            format!("the label {} is beyond 2^53, where doubles merge whole numbers", labels[row]),
            "give labels as text, or as a one-dimensional .npy file of integers",
        )),
        _ => Ok(Labels::Numbers(labels)),
    }
}

/// Integers of 64 bits.
pub(crate) struct Integers {
    pub bits: Vec<u64>,
    pub signed: bool,
}

impl Integers {
    /// The nearest doubles.
    pub fn doubles(self) -> Vec<f64> {
        let signed = self.signed;
        self.bits.into_iter().map(|bits| if signed { bits as i64 as f64 } else { bits as f64 }).collect()
    }

    /// Numbers where doubles hold all of them, else words: their digits.
    pub fn labels(self) -> Labels {
        let size = |bits: u64| if self.signed { (bits as i64).unsigned_abs() } else { bits };
        if self.bits.iter().all(|&bits| size(bits) <= MOST_EXACT) {
            return Labels::Numbers(self.doubles());
        }
        let digits = |&bits: &u64| if self.signed { (bits as i64).to_string() } else { bits.to_string() };
        Labels::Words(self.bits.iter().map(digits).collect())
    }
}

/// Takes the label column out of a matrix without names.
fn with_labels(matrix: AnyMatrix, options: &ReadOptions) -> Result<Data> {
    let Some(wanted) = &options.label_column else { return Ok(plain(matrix)) };
    let columns = matrix.dim().1;
    let at = column_index(wanted, None, columns)?;
    let (labels, matrix): (Vec<f64>, AnyMatrix) = match matrix {
        AnyMatrix::F32(m) => (m.column(at).iter().map(|&v| v.into()).collect(), without(&m, at).into()),
        AnyMatrix::F64(m) => (m.column(at).to_vec(), without(&m, at).into()),
    };
    Ok(Data { matrix, columns: None, labels: Some(distinguishable(labels, options.missing_labels)?) })
}

/// All columns but one. No list of them: where there are no rows, nothing bounds their number.
fn without<T: Copy>(matrix: &Array2<T>, at: usize) -> Array2<T> {
    let (rows, columns) = matrix.dim();
    Array2::from_shape_fn((rows, columns - 1), |(i, j)| matrix[[i, j + usize::from(j >= at)]])
}

/// Which column is meant: a name goes before an index.
pub(crate) fn column_index(wanted: &str, names: Option<&[String]>, count: usize) -> Result<usize> {
    if let Some(at) = names.and_then(|names| names.iter().position(|name| name == wanted)) {
        return Ok(at);
    }
    match wanted.parse::<usize>() {
        Ok(at) if at < count => Ok(at),
        _ => {
            let known = match names {
                Some(names) => format!("name one of: {}", table::abbreviated(names)),
                None => format!("give an index below {count}"),
            };
            Err(refuse("", format!("there is no column '{wanted}' among its {count}"), known))
        }
    }
}
