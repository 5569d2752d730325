//! Formats, by the end of a file's name or by its first bytes, and how they may be packed.

use crate::source::{Source, refuse};
use lowland::{Error, Result};
use std::io::Write;
use std::path::Path;

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Npy,
    Npz,
    Csv,
    Tsv,
    Parquet,
    Arrow,
    Mat,
    Idx,
}

/// What is said wherever a format is unknown.
pub(crate) const FORMATS: &str =
    "use .npy, .npz, .csv, .tsv, .txt (also .csv.gz and .csv.zst), .parquet, .arrow, .feather, .mat or .idx";

/// What a text table or an array can be packed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// The contents, of which `most` bytes are read.
    pub fn unfold(self, source: Source<'_>, most: u64) -> Source<'_> {
        match self {
            Self::Plain => source,
            Self::Gzip => source.gunzip(most),
            Self::Zstd => source.unzstd(most),
        }
    }

    /// Writes through the packer.
    pub fn write(
        self,
        out: &mut (dyn Write + Send),
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
    ) -> Result<()> {
        let io = crate::source::io;
        match self {
            Self::Plain => write(out),
            Self::Gzip => {
                let mut packer = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                write(&mut packer)?;
                packer.finish().map(|_| ()).map_err(io)
            }
            Self::Zstd => {
                let mut packer = zstd::stream::write::Encoder::new(out, 0).map_err(io)?;
                write(&mut packer)?;
                packer.finish().map(|_| ()).map_err(io)
            }
        }
    }
}

impl Format {
    /// By the end of the file's name.
    pub fn of_name(path: &Path) -> Option<(Self, Packing)> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let (stem, packing) = match (name.strip_suffix(".gz"), name.strip_suffix(".zst")) {
            (Some(stem), _) => (stem, Packing::Gzip),
            (_, Some(stem)) => (stem, Packing::Zstd),
            _ => (name.as_str(), Packing::Plain),
        };
        let extension = stem.rsplit('.').next().filter(|_| stem.contains('.')).unwrap_or("");
        // MNIST's own names: train-images-idx3-ubyte, train-images.idx3-ubyte.
        let mnist = stem.rfind("idx").is_some_and(
            |at| matches!(stem.as_bytes()[at + 3..], [dimensions, b'-', ..] if dimensions.is_ascii_digit()),
        );
        if extension == "idx" || mnist {
            // Its reader unpacks by itself.
            return (packing != Packing::Zstd).then_some((Self::Idx, Packing::Plain));
        }
        let format = match extension {
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "csv" | "txt" | "dat" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "feather" | "ipc" => Self::Arrow,
            "mat" => Self::Mat,
            _ => return None,
        };
        let packable = matches!(format, Self::Csv | Self::Tsv | Self::Npy);
        (packable || packing == Packing::Plain).then_some((format, packing))
    }

    /// By the first bytes of the file.
    fn of_magic(head: &[u8]) -> Option<Self> {
        let starts = |magic: &[u8]| head.starts_with(magic);
        Some(match () {
            () if starts(b"\x93NUMPY") => Self::Npy,
            () if starts(b"PK\x03\x04") => Self::Npz,
            () if starts(b"PAR1") => Self::Parquet,
            () if starts(b"ARROW1") || starts(b"FEA1") => Self::Arrow,
            () if starts(b"MATLAB ") || starts(b"\x89HDF") => Self::Mat,
            () if starts(b"\x1f\x8b") || starts(b"\0\0") => Self::Idx,
            () => return None,
        })
    }
}

/// The format of a file and its packing; what is known and not read is named as what it is.
pub(crate) fn packed_format(path: &str, source: &mut Source<'_>) -> Result<(Format, Packing)> {
    if path == "-" {
        let packed = source.peek()?.starts_with(b"\x1f\x8b");
        return Ok((Format::Csv, if packed { Packing::Gzip } else { Packing::Plain }));
    }
    if let Some(found) = Format::of_name(Path::new(path)) {
        return Ok(found);
    }
    if let Some(refusal) = foreign(path) {
        return Err(refusal);
    }
    match Format::of_magic(source.peek()?) {
        Some(format) => Ok((format, Packing::Plain)),
        // Many collections of data name their tables so.
        None if path.to_ascii_lowercase().ends_with(".data") => Ok((Format::Csv, Packing::Plain)),
        None => Err(refuse("", "neither its name nor its first bytes show its format", FORMATS)),
    }
}

/// Files that other programs write, and how they become one that is read.
fn foreign(path: &str) -> Option<Error> {
    let extension = Path::new(path).extension()?.to_string_lossy().to_lowercase();
    let (what, remedy) = match extension.as_str() {
        "h5ad" => (
            "an AnnData file (HDF5), which is not read",
            format!(
                "export it in Python: import anndata; anndata.read_h5ad('{path}').to_df().to_csv('x.csv'), or \
                 numpy.save('x.npy', anndata.read_h5ad('{path}').obsm['X_pca']) for an embedding in it"
            ),
        ),
        "h5" | "hdf5" | "hdf" | "loom" => (
            "an HDF5 file, which is not read",
            format!(
                "export it in Python: import h5py, numpy; numpy.save('x.npy', h5py.File('{path}')['NAME'][:])"
            ),
        ),
        "xlsx" | "xls" | "xlsm" | "ods" => (
            "a spreadsheet, which is not read",
            format!(
                "save the sheet as CSV, or in Python: pandas.read_excel('{path}').to_csv('x.csv', index=False)"
            ),
        ),
        "json" | "jsonl" | "ndjson" => (
            "JSON, which is not read",
            format!("export it in Python: pandas.read_json('{path}').to_csv('x.csv', index=False)"),
        ),
        "pkl" | "pickle" => (
            "a Python pickle, which is not read: it could run code",
            format!("export it in Python: pandas.read_pickle('{path}').to_csv('x.csv', index=False)"),
        ),
        "rds" | "rdata" | "rda" => {
            ("a file of R, which is not read", "export it in R: write.csv(x, 'x.csv')".to_owned())
        }
        "sav" | "dta" | "sas7bdat" => (
            "a file of a statistics package, which is not read",
            "export it as CSV, from that package or by pandas".to_owned(),
        ),
        _ => return None,
    };
    Some(refuse("", format!("it is {what}"), remedy))
}
