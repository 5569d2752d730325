//! Writing tables, labels and bytes, whole or not at all: see [`lowland::files`].

use crate::source::{io, refuse};
use crate::{FORMATS, Format, Labels, arrow, csv, idx, mat, member, npy, npz, on_path, parquet, table};
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
    format: Option<Format>,
    force: bool,
    begun: Atomic,
}

impl Output {
    /// Prepares a file whose extension names its format. Refused: an extension that is not known, an existing
    /// file without `force`, one of the `inputs`, a folder that is not there or not writable.
    pub fn prepare(path: &Path, force: bool, inputs: &[&str]) -> Result<Self> {
        on_path(&path.to_string_lossy(), || {
            let packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
            let format = Format::of_name(path)
                .filter(|_| !packed)
                .ok_or_else(|| refuse("", "its extension names no format that can be written", FORMATS))?;
            Self::open(path, Some(format), force, inputs)
        })
    }

    /// As [`Output::prepare`], for [`Output::write_bytes`] only: the extension may be anything.
    pub fn prepare_bytes(path: &Path, force: bool, inputs: &[&str]) -> Result<Self> {
        on_path(&path.to_string_lossy(), || Self::open(path, None, force, inputs))
    }

    fn open(path: &Path, format: Option<Format>, force: bool, inputs: &[&str]) -> Result<Self> {
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
        Ok(Self { path: path.to_owned(), format, force, begun: Atomic::begin(path).map_err(io)? })
    }

    /// Where it is written until it is whole: whoever ends the process from outside removes this file.
    /// None where the bytes go straight to a device or a pipe.
    pub fn temporary(&self) -> Option<&Path> {
        self.begun.temporary()
    }

    /// Writes a matrix, with names for its columns where the format holds names.
    pub fn write(self, matrix: &AnyMatrix, columns: Option<&[String]>) -> Result<()> {
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

    /// Writes one label a row. Words go to text, `.npy`, Parquet and Arrow only.
    pub fn write_labels(self, labels: &Labels) -> Result<()> {
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
        self.finish(|out| out.write_all(bytes).map_err(io))
    }

    fn whole(self, write: impl FnOnce(Format, &mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
        let Some(format) = self.format else {
            return on_path(&self.path.to_string_lossy(), || {
                Err(refuse("", "its format is not known", FORMATS))
            });
        };
        self.finish(|out| write(format, out))
    }

    fn finish(self, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
        let Self { path, force, mut begun, .. } = self;
        on_path(&path.to_string_lossy(), || {
            let mut out = BufWriter::with_capacity(1 << 16, begun.file());
            write(&mut out)?;
            out.flush().map_err(io)?;
            drop(out);
            // Unless forced, whatever has come to be there since is not replaced.
            begun.finish(force).map_err(io)
        })
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
