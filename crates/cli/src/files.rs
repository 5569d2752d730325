//! The one door to files: matrices and labels in, whole files out.

use lowland::{AnyMatrix, Error, Result};
use ndarray::Array2;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What a file holds.
pub struct Data {
    pub matrix: AnyMatrix,
    pub labels: Option<Labels>,
}

/// One label a row.
pub enum Labels {
    Numbers(Vec<f64>),
    Words(Vec<String>),
}

impl Labels {
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Words(words) => words.len(),
        }
    }
}

/// How to read a table.
pub struct ReadOptions {
    pub label_column: Option<String>,
    pub header: Option<bool>,
}

fn refused(path: &str, problem: impl ToString) -> Error {
    Error::Io { path: path.into(), problem: problem.to_string() }
}

/// Refuses a name that ends in no known format.
fn known_format(path: &str) -> Result<()> {
    if path.ends_with(".npy") || path.ends_with(".csv") {
        return Ok(());
    }
    Err(refused(path, "the format is not known; end the name in .npy or .csv"))
}

/// Refuses one file for two outputs.
pub fn distinct(paths: &[&String]) -> Result<()> {
    let mut seen = BTreeSet::new();
    match paths.iter().find(|path| !seen.insert(path.as_str())) {
        Some(twice) => Err(refused(twice, "it is named for two outputs; give each a file of its own")),
        None => Ok(()),
    }
}

pub fn read(path: &str, options: &ReadOptions) -> Result<Data> {
    known_format(path)?;
    let bytes = std::fs::read(path).map_err(|e| refused(path, e))?;
    if path.ends_with(".npy") {
        return Ok(Data { matrix: npy(path, &bytes)?, labels: None });
    }
    let text = String::from_utf8(bytes).map_err(|_| refused(path, "it is not text in UTF-8"))?;
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let first: Vec<&str> = lines.peek().map_or(Vec::new(), |line| line.split(',').map(str::trim).collect());
    let named = options.header.unwrap_or_else(|| first.iter().any(|word| word.parse::<f64>().is_err()));
    if named {
        lines.next();
    }
    let label = match &options.label_column {
        Some(name) => {
            Some((first.iter().position(|word| word == name).filter(|_| named)).ok_or_else(|| {
                refused(path, format!("it has no column '{name}'; it has {}", first.join(", ")))
            })?)
        }
        None => None,
    };
    let (mut values, mut words, mut rows) = (Vec::new(), Vec::new(), 0);
    for line in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        rows += 1;
        if cells.len() != first.len() {
            let problem = format!("row {rows} has {} cells, the first {}", cells.len(), first.len());
            return Err(refused(path, problem));
        }
        for (j, cell) in cells.into_iter().enumerate() {
            if Some(j) == label {
                words.push(cell.to_owned());
            } else {
                let not = || refused(path, format!("row {rows}, column {}: '{cell}' is not a number", j + 1));
                values.push(cell.parse::<f64>().map_err(|_| not())?);
            }
        }
    }
    let width = first.len() - usize::from(label.is_some());
    let matrix = Array2::from_shape_vec((rows, width), values).map_err(|e| refused(path, e))?;
    Ok(Data { matrix: matrix.into(), labels: label.map(|_| labels(words)) })
}

/// Numbers if all of them are.
fn labels(words: Vec<String>) -> Labels {
    let numbers: std::result::Result<Vec<f64>, _> = words.iter().map(|word| word.parse()).collect();
    numbers.map_or(Labels::Words(words), Labels::Numbers)
}

pub fn read_labels(path: &str) -> Result<Labels> {
    if path.ends_with(".npy") {
        let matrix = npy(path, &std::fs::read(path).map_err(|e| refused(path, e))?)?.to_f64();
        return Ok(Labels::Numbers(matrix.iter().copied().collect()));
    }
    let text = std::fs::read_to_string(path).map_err(|e| refused(path, e))?;
    Ok(labels(text.lines().map(|line| line.trim().to_owned()).collect()))
}

fn npy(path: &str, bytes: &[u8]) -> Result<AnyMatrix> {
    let broken = || refused(path, "it is not an npy file of f4 or f8 in little-endian order");
    let start = if bytes.get(6) == Some(&1) { 10 } else { 12 };
    let length = bytes.get(8..start).ok_or_else(broken)?;
    let length = length.iter().rev().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
    let header =
        bytes.get(start..start + length).and_then(|h| std::str::from_utf8(h).ok()).ok_or_else(broken)?;
    let shape =
        header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).ok_or_else(broken)?.0;
    let sizes: Vec<usize> = shape.split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let (rows, columns) = match sizes[..] {
        [rows, columns] => (rows, columns),
        [rows] => (rows, 1),
        _ => return Err(broken()),
    };
    let body = &bytes[start + length..];
    let fortran = header.contains("'fortran_order': True");
    let count = rows.checked_mul(columns).ok_or_else(broken)?;
    fn shaped<T: Clone>(rows: usize, columns: usize, fortran: bool, values: Vec<T>) -> Option<Array2<T>> {
        if !fortran {
            return Array2::from_shape_vec((rows, columns), values).ok();
        }
        Some(Array2::from_shape_vec((columns, rows), values).ok()?.reversed_axes())
    }
    if header.contains("'<f8'") && count.checked_mul(8) == Some(body.len()) {
        let values = body.as_chunks().0.iter().map(|c| f64::from_le_bytes(*c)).collect();
        shaped(rows, columns, fortran, values).map(AnyMatrix::F64).ok_or_else(broken)
    } else if header.contains("'<f4'") && count.checked_mul(4) == Some(body.len()) {
        let values = body.as_chunks().0.iter().map(|c| f32::from_le_bytes(*c)).collect();
        shaped(rows, columns, fortran, values).map(AnyMatrix::F32).ok_or_else(broken)
    } else {
        Err(broken())
    }
}

/// Files under way, which an interrupted run removes.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes what is not finished, and lets nothing new begin; called before the process is ended from outside.
pub fn abandon() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// A file that will be written whole or not at all.
pub struct Output {
    path: PathBuf,
    temporary: PathBuf,
}

impl Output {
    /// A matrix or labels, in the format that the name tells. Refuses, before any work, what could not be
    /// written afterwards.
    pub fn prepare(path: &str, force: bool, inputs: &[&str]) -> Result<Self> {
        known_format(path)?;
        Self::prepare_bytes(path, force, inputs)
    }

    /// As [`Output::prepare`], for bytes whatever the name.
    pub fn prepare_bytes(path: &str, force: bool, inputs: &[&str]) -> Result<Self> {
        let place = PathBuf::from(path);
        let real = std::fs::canonicalize(&place).ok();
        if real.is_some() && inputs.iter().any(|input| std::fs::canonicalize(input).ok() == real) {
            return Err(refused(path, "it is also an input; choose another name"));
        }
        if place.is_dir() {
            return Err(refused(path, "it is a folder; name a file"));
        }
        if real.is_some() && !force {
            return Err(refused(path, "it exists; choose another name, or overwrite it with --force"));
        }
        let name = place.file_name().ok_or_else(|| refused(path, "it is not the name of a file"))?;
        let temporary =
            place.with_file_name(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
        let output = Self { path: place, temporary };
        output.create().map_err(|e| refused(path, format!("it cannot be written: {e}")))?;
        Ok(output)
    }

    fn create(&self) -> std::io::Result<std::fs::File> {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).insert(self.temporary.clone());
        std::fs::File::create(&self.temporary)
    }

    pub fn write_bytes(self, bytes: &[u8]) -> Result<()> {
        let written = self
            .create()
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .and_then(|()| std::fs::rename(&self.temporary, &self.path));
        written.map_err(|e| refused(&self.path.to_string_lossy(), e))
    }

    pub fn write(self, matrix: &AnyMatrix, columns: Option<&[String]>) -> Result<()> {
        let bytes =
            if self.path.extension() == Some("npy".as_ref()) {
                npy_bytes(matrix)
            } else {
                let mut text = columns.map_or(String::new(), |names| names.join(",") + "\n");
                let shown = |cells: Vec<String>| cells.join(",") + "\n";
                match matrix {
                    AnyMatrix::F32(m) => text
                        .extend(m.rows().into_iter().map(|r| shown(r.iter().map(f32::to_string).collect()))),
                    AnyMatrix::F64(m) => text
                        .extend(m.rows().into_iter().map(|r| shown(r.iter().map(f64::to_string).collect()))),
                }
                text.into_bytes()
            };
        self.write_bytes(&bytes)
    }

    pub fn write_labels(self, labels: &Labels) -> Result<()> {
        let mut text = String::new();
        match labels {
            Labels::Numbers(numbers) => numbers.iter().for_each(|number| {
                let _ = writeln!(text, "{number}");
            }),
            Labels::Words(words) => words.iter().for_each(|word| {
                let _ = writeln!(text, "{word}");
            }),
        }
        self.write_bytes(text.as_bytes())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.temporary);
        if Path::new(&self.temporary).exists() {
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

fn npy_bytes(matrix: &AnyMatrix) -> Vec<u8> {
    let (rows, columns) = matrix.dim();
    let kind = if matches!(matrix, AnyMatrix::F32(_)) { "<f4" } else { "<f8" };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    match matrix {
        AnyMatrix::F32(m) => m.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
        AnyMatrix::F64(m) => m.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
    }
    bytes
}
