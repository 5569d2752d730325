//! Writing tables, labels and bytes, whole or not at all: see [`lowland::files`].

use crate::format::{FORMATS, Format, Packing};
use crate::source::{io, refuse};
use crate::{Labels, arrow, csv, idx, mat, member, npy, npz, on_path, parquet, table};
use lowland::files::{Atomic, is_stream};
use lowland::{AnyMatrix, Error, Result};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A promise of a file: everything that can refuse it before the computation has been asked. Dropped unused,
/// it leaves nothing behind.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    format: Option<(Format, Packing)>,
    force: bool,
    /// None where the bytes go to the standard output.
    begun: Option<Atomic>,
}

/// A file that is written and on the disk, but for its name. Dropped without one, it leaves nothing behind.
#[derive(Debug)]
pub struct Written {
    path: PathBuf,
    force: bool,
    begun: Option<Atomic>,
}

impl Written {
    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name, which `files::keep_names` brings to the disk. Unless forced, whatever has come to be there since is not
    /// replaced.
    pub fn name(self) -> Result<()> {
        let Self { path, force, begun } = self;
        on_path(&path.to_string_lossy(), || begun.map_or(Ok(()), |begun| begun.name(force).map_err(io)))
    }
}

/// Columns in their order, each with its name: some of a matrix, some of words beside it.
#[derive(Debug, Clone)]
pub struct Sheet<'a> {
    /// The numbers.
    pub matrix: &'a AnyMatrix,
    /// Whether text begins with a line of names.
    pub header: bool,
    /// The columns. Formats that hold only numbers get the matrix alone.
    pub columns: Vec<(String, Part<'a>)>,
}

/// A column of a sheet.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// This column of the matrix.
    Number(usize),
    /// One label or word a row.
    Other(&'a Labels),
}

impl Output {
    /// Prepares a file whose extension names its format; `-` is CSV on the standard output. Refused: an extension that
    /// is not known, an existing file without `force`, one of the `inputs`, a folder that is not there or not writable.
    pub fn prepare(path: &Path, force: bool, inputs: &[&str]) -> Result<Self> {
        on_path(&path.to_string_lossy(), || {
            if is_standard(path) {
                return Self::open(path, Some((Format::Csv, Packing::Plain)), force, inputs);
            }
            let packed = |(format, packing): &(Format, Packing)| {
                let gz = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
                *packing != Packing::Plain && !matches!(format, Format::Csv | Format::Tsv)
                    || gz && *format == Format::Idx
            };
            // A device or a pipe has no extension, and takes text.
            let device = || {
                let found = fs::metadata(path).ok()?;
                is_stream(&found).then_some((Format::Csv, Packing::Plain))
            };
            let format = Format::of_name(path)
                .filter(|found| !packed(found))
                .or_else(device)
                .ok_or_else(|| refuse("", "its extension names no format that can be written", FORMATS))?;
            Self::open(path, Some(format), force, inputs)
        })
    }

    /// Whether it is a table of text, in which a number may stand in any form.
    pub fn is_text(&self) -> bool {
        matches!(self.format, Some((Format::Csv | Format::Tsv, _)))
    }

    /// As [`Output::prepare`], for [`Output::write_bytes`] only: the extension may be anything.
    pub fn prepare_bytes(path: &Path, force: bool, inputs: &[&str]) -> Result<Self> {
        on_path(&path.to_string_lossy(), || Self::open(path, None, force, inputs))
    }

    fn open(path: &Path, format: Option<(Format, Packing)>, force: bool, inputs: &[&str]) -> Result<Self> {
        if is_standard(path) {
            return Ok(Self { path: path.to_owned(), format, force, begun: None });
        }
        for input in inputs {
            if *input != "-" && same_file(path, Path::new(member(input).0)) {
                return Err(refuse("", format!("it is the input '{input}' itself"), "choose another name"));
            }
        }
        match fs::metadata(path) {
            // Nothing is lost by writing to a terminal or into a pipe.
            Ok(found) if is_stream(&found) => {}
            Ok(found) if !found.is_file() => {
                return Err(refuse("", "it exists and is not a regular file", "choose another name"));
            }
            Ok(_) if !force => {
                return Err(refuse(
                    "",
                    "it exists already",
                    "choose another name, or use --force to replace it",
                ));
            }
            _ => {}
        }
        Ok(Self { path: path.to_owned(), format, force, begun: Some(Atomic::begin(path).map_err(io)?) })
    }

    /// Where it is written until it is whole: whoever ends the process from outside removes this file.
    /// None where the bytes go straight to a device or a pipe.
    pub fn temporary(&self) -> Option<&Path> {
        self.begun.as_ref().and_then(Atomic::temporary)
    }

    /// Writes a matrix, with names for its columns where the format holds names.
    pub fn write(self, matrix: &AnyMatrix, columns: Option<&[String]>) -> Result<()> {
        self.matrix(matrix, columns)?.name()
    }

    /// [`Output::write`] without the name.
    pub fn matrix(self, matrix: &AnyMatrix, columns: Option<&[String]>) -> Result<Written> {
        let width = matrix.dim().1;
        if let Some(names) = columns.filter(|names| names.len() != width) {
            return Err(Error::Width { what: "list of column names", expected: width, found: names.len() });
        }
        self.whole(|format, out| match format {
            Format::Npy => npy::write(matrix, out).map_err(io),
            Format::Npz => npz::write(matrix, out).map_err(io),
            Format::Csv => csv::write(matrix, columns, b',', out),
            Format::Tsv => csv::write(matrix, columns, b'\t', out),
            Format::Parquet => parquet::write(matrix, columns, out),
            Format::Arrow => arrow::write(matrix, columns, out),
            Format::Mat => mat::write(matrix, out),
            Format::Idx => idx::write(matrix, out),
        })
    }

    /// Writes the columns of a sheet below their names; formats that hold only numbers get its matrix.
    pub fn write_sheet(self, sheet: &Sheet<'_>) -> Result<()> {
        self.sheet(sheet)?.name()
    }

    /// [`Output::write_sheet`] without the name.
    pub fn sheet(self, sheet: &Sheet<'_>) -> Result<Written> {
        self.whole(|format, out| match format {
            Format::Npy => npy::write(sheet.matrix, out).map_err(io),
            Format::Npz => npz::write(sheet.matrix, out).map_err(io),
            Format::Csv => csv::write_sheet(sheet, b',', out),
            Format::Tsv => csv::write_sheet(sheet, b'\t', out),
            Format::Parquet | Format::Arrow => {
                let batch = table::sheet_batch(sheet)?;
                let (schema, batches) = (batch.schema(), std::iter::once(Ok(batch)));
                match format {
                    Format::Parquet => parquet::write_batches(&schema, batches, out),
                    _ => arrow::write_batches(&schema, batches, out),
                }
            }
            Format::Mat => mat::write(sheet.matrix, out),
            Format::Idx => idx::write(sheet.matrix, out),
        })
    }

    /// Writes one label a row. Words go to text, `.npy`, Parquet and Arrow only.
    pub fn write_labels(self, labels: &Labels) -> Result<()> {
        self.labels(labels)?.name()
    }

    /// [`Output::write_labels`] without the name.
    pub fn labels(self, labels: &Labels) -> Result<Written> {
        self.whole(|format, out| match (format, labels) {
            (Format::Npy, _) => npy::write_labels(labels, out).map_err(io),
            (Format::Csv, _) => csv::write_labels(labels, b',', out),
            (Format::Tsv, _) => csv::write_labels(labels, b'\t', out),
            (Format::Parquet | Format::Arrow, _) => {
                let batch = table::label_batch(labels)?;
                let schema = batch.schema();
                let batches = std::iter::once(Ok(batch));
                match format {
                    Format::Parquet => parquet::write_batches(&schema, batches, out),
                    _ => arrow::write_batches(&schema, batches, out),
                }
            }
            (_, Labels::Words(_)) => Err(refuse(
                "",
                "this format does not hold words",
                "write labels to .npy, .csv, .parquet or .arrow",
            )),
            (_, Labels::Numbers(numbers)) => {
                let column = ndarray::Array2::from_shape_vec((numbers.len(), 1), numbers.clone());
                let matrix =
                    AnyMatrix::F64(column.map_err(|error| refuse("", error.to_string(), "report this"))?);
                match format {
                    Format::Npz => npz::write(&matrix, out).map_err(io),
                    Format::Mat => mat::write(&matrix, out),
                    _ => idx::write(&matrix, out),
                }
            }
        })
    }

    /// Writes these bytes, whatever the extension says.
    pub fn write_bytes(self, bytes: &[u8]) -> Result<()> {
        self.bytes(bytes)?.name()
    }

    /// [`Output::write_bytes`] without the name.
    pub fn bytes(self, bytes: &[u8]) -> Result<Written> {
        self.finish(|out| out.write_all(bytes).map_err(io))
    }

    fn whole(self, write: impl FnOnce(Format, &mut (dyn Write + Send)) -> Result<()>) -> Result<Written> {
        let Some((format, packing)) = self.format else {
            return on_path(&self.path.to_string_lossy(), || {
                Err(refuse("", "its format is not known", FORMATS))
            });
        };
        self.finish(|out| packing.write(out, |out| write(format, out)))
    }

    fn finish(self, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<Written> {
        let Self { path, force, begun, .. } = self;
        let begun = on_path(&path.to_string_lossy(), || {
            let Some(mut begun) = begun else { return to_standard(write).map(|()| None) };
            let mut out = BufWriter::with_capacity(1 << 16, begun.file());
            write(&mut out)?;
            out.flush().map_err(io)?;
            drop(out);
            begun.seal().map_err(io)?;
            Ok(Some(begun))
        })?;
        Ok(Written { path, force, begun })
    }
}

fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Everything at once, so that nothing is written where the work fails. Who reads no further has what was wanted.
fn to_standard(write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    let mut out = std::io::stdout().lock();
    match out.write_all(&bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(io),
    }
}

/// Whether both names lead to one file, also through links.
fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(a), Ok(b)) = (fs::metadata(a), fs::metadata(b)) {
            return (a.dev(), a.ino()) == (b.dev(), b.ino());
        }
    }
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
