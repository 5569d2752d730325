//! Where bytes come from, with what is known about how many there can be.

use lowland::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// The most that a compressed file may unfold to, as a multiple of its size (beyond the first 8 MiB).
pub const MOST_EXPANSION: u64 = 256;

/// Bytes in order, and how many are left where that is known: it is not inside a compressed stream.
pub(crate) struct Source<'a> {
    reader: Box<dyn BufRead + 'a>,
    left: Option<u64>,
}

/// The one way to refuse a file; its path is filled in by the caller that knows it.
pub(crate) fn refuse(
    place: impl Into<String>,
    problem: impl Into<String>,
    remedy: impl Into<String>,
) -> Error {
    Error::File { path: String::new(), place: place.into(), problem: problem.into(), remedy: remedy.into() }
}

/// What to say of a file that ends too early, or lies.
pub(crate) const DAMAGED: &str = "the file is damaged or cut short: get or write it again";

/// An error of the operating system; its path is filled in by the caller that knows it.
pub(crate) fn io(error: std::io::Error) -> Error {
    Error::Io { path: String::new(), problem: error.to_string() }
}

/// The most bytes that `compressed` bytes may become.
pub(crate) fn most_unfolded(compressed: usize) -> u64 {
    (8 << 20) + (compressed as u64).saturating_mul(MOST_EXPANSION)
}

impl<'a> Source<'a> {
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Self { left: Some(bytes.len() as u64), reader: Box::new(bytes) }
    }

    pub fn owned(bytes: Vec<u8>) -> Self {
        Self { left: Some(bytes.len() as u64), reader: Box::new(Cursor::new(bytes)) }
    }

    /// A regular file: only there the size is known beforehand.
    pub fn file(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            return Err(refuse(
                "",
                "it is not a regular file",
                "give a file, or '-' for CSV on standard input",
            ));
        }
        Ok(Self { left: Some(metadata.len()), reader: Box::new(BufReader::with_capacity(1 << 16, file)) })
    }

    /// The contents of a gzip stream.
    pub fn gunzip(self) -> Self {
        let compressed = usize::try_from(self.left.unwrap_or(0)).unwrap_or(usize::MAX);
        let unfolded = flate2::bufread::MultiGzDecoder::new(self.reader).take(most_unfolded(compressed));
        Self { reader: Box::new(BufReader::with_capacity(1 << 16, unfolded)), left: None }
    }

    /// The next bytes, not taken.
    pub fn peek(&mut self) -> Result<&[u8]> {
        self.reader.fill_buf().map_err(io)
    }

    /// How many bytes are left, where that is known.
    pub fn left(&self) -> Option<u64> {
        self.left
    }

    /// Fills `buffer`, or says that the file is cut short.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.reader.read_exact(buffer).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => refuse("at its end", "more bytes were promised", DAMAGED),
            std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData => {
                refuse("in its compressed part", error.to_string(), DAMAGED)
            }
            _ => io(error),
        })?;
        self.left = self.left.map(|left| left.saturating_sub(buffer.len() as u64));
        Ok(())
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Refuses a claim to more bytes than there are.
    pub fn check(&self, claimed: u64) -> Result<()> {
        match self.left {
            Some(left) if claimed > left => Err(refuse(
                "in its header",
                format!("{claimed} bytes are claimed, but only {left} are there"),
                DAMAGED,
            )),
            _ => Ok(()),
        }
    }

    /// Refuses whatever follows the end.
    pub fn end(&mut self) -> Result<()> {
        let mut more = [0; 1];
        match self.reader.read(&mut more) {
            Ok(0) => Ok(()),
            Ok(_) => Err(refuse("at its end", "there is more than the header claims", DAMAGED)),
            Err(error) => Err(refuse("at its end", error.to_string(), DAMAGED)),
        }
    }

    /// All bytes.
    pub fn into_bytes(mut self) -> Result<Vec<u8>> {
        let size = self.left.and_then(|left| usize::try_from(left).ok()).unwrap_or(0);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|error| refuse("", error.to_string(), "free some memory"))?;
        self.reader.read_to_end(&mut bytes).map_err(io)?;
        Ok(bytes)
    }
}

/// Everything that a decompressor gives, if it is `expected` bytes long. Grows with what really comes.
pub(crate) fn unfold(reader: impl Read, expected: u64, compressed: usize) -> Result<Vec<u8>> {
    if expected > most_unfolded(compressed) {
        let problem = format!("{compressed} compressed bytes claim to be {expected}");
        return Err(refuse("in its compressed part", problem, "store it without compression"));
    }
    let mut bytes = Vec::new();
    let got = reader
        .take(expected + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refuse("in its compressed part", error.to_string(), DAMAGED))?;
    if got as u64 != expected {
        let problem = format!(
            "{expected} bytes are claimed, but there are {}",
            if got as u64 > expected { "more".to_owned() } else { got.to_string() }
        );
        return Err(refuse("in its compressed part", problem, DAMAGED));
    }
    Ok(bytes)
}
