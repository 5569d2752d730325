//! Where bytes come from, with what is known about how many there can be.

use lowland::units::{count, one_or_many};
use lowland::{Error, Result};
use rayon::prelude::*;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

/// The most that a compressed file may unfold to, as a multiple of its size (beyond the first 8 MiB); no
/// measurements shrink further, and what is nearly all zeros is better read by [`ReadOptions::memory`].
///
/// [`ReadOptions::memory`]: crate::ReadOptions::memory
pub const MOST_EXPANSION: u64 = 256;

/// Bytes in order, and how many are left where that is known: it is not inside a compressed stream.
pub(crate) struct Source<'a> {
    reader: Box<dyn BufRead + 'a>,
    left: Option<u64>,
    /// What the reader goes over, if it is in memory anyway.
    whole: Option<&'a [u8]>,
    /// What the reader goes over, if it is a file.
    file: Option<Arc<File>>,
}

/// Bytes of a file that are read in one go.
const PART: usize = 4 << 20;

/// More or fewer rows than a file promises.
pub(crate) fn promised(promised: usize, found: usize) -> Error {
    let be = |number| one_or_many(number, "is", "are");
    let rows = count(promised, "row");
    refuse("", format!("{rows} {} promised, but {found} {} there", be(promised), be(found)), DAMAGED)
}

/// The one way to refuse a file; its path is filled in by the caller that knows it.
pub(crate) fn refuse(
    position: impl Into<String>,
    problem: impl Into<String>,
    remedy: impl Into<String>,
) -> Error {
    Error::File {
        path: String::new(),
        position: position.into(),
        problem: problem.into(),
        remedy: remedy.into(),
    }
}

/// What to say of a file that ends too early, or lies.
pub(crate) const DAMAGED: &str = "the file is damaged or cut short: get or write it again";

/// An error of the operating system; its path is filled in by the caller that knows it.
pub(crate) fn io(error: std::io::Error) -> Error {
    Error::io("", &error)
}

/// Refuses a file that unfolds to far more than its size.
pub(crate) fn bomb(most: u64) -> Error {
    refuse(
        "in its compressed part",
        format!(
            "it decompresses to more than {}, which real data of its size hardly do",
            lowland::human_bytes(most)
        ),
        "if it is genuine, allow it by a larger memory (--memory), or store it with less compression",
    )
}

impl<'a> Source<'a> {
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Self { left: Some(bytes.len() as u64), reader: Box::new(bytes), whole: Some(bytes), file: None }
    }

    pub fn owned(bytes: Vec<u8>) -> Self {
        Self { left: Some(bytes.len() as u64), reader: Box::new(Cursor::new(bytes)), whole: None, file: None }
    }

    /// A regular file: only there the size is known beforehand.
    pub fn file(path: &Path) -> Result<Self> {
        let file = Arc::new(lowland::files::open(path).map_err(io)?);
        let metadata = file.metadata().map_err(io)?;
        let reader = Box::new(BufReader::with_capacity(1 << 16, file.clone()));
        Ok(Self { left: Some(metadata.len()), reader, whole: None, file: Some(file) })
    }

    /// The contents of a gzip stream, of which `most` bytes are read.
    pub fn gunzip(self, most: u64) -> Self {
        let unfolded =
            Bounded { reader: flate2::bufread::MultiGzDecoder::new(self.reader), most, left: most };
        Self {
            reader: Box::new(BufReader::with_capacity(1 << 16, unfolded)),
            left: None,
            whole: None,
            file: None,
        }
    }

    /// The contents of a Zstandard stream, of which `most` bytes are read.
    pub fn unzstd(self, most: u64) -> Self {
        let unfolded = Bounded { reader: Unstarted::Waiting(Some(self.reader)), most, left: most };
        Self {
            reader: Box::new(BufReader::with_capacity(1 << 16, unfolded)),
            left: None,
            whole: None,
            file: None,
        }
    }

    /// How many bytes are left, or none where that is unknown.
    pub fn size(&self) -> usize {
        usize::try_from(self.left.unwrap_or(0)).unwrap_or(usize::MAX)
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
        self.reader.read_exact(buffer).map_err(unfolding)?;
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
            Err(error) => Err(unfolding(error)),
        }
    }

    /// All bytes of a source from which none have been taken.
    pub fn into_bytes(mut self) -> Result<Cow<'a, [u8]>> {
        if let Some(whole) = self.whole {
            return Ok(Cow::Borrowed(whole));
        }
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(self.size())
            .map_err(|error| refuse("", error.to_string(), "free some memory"))?;
        #[cfg(unix)]
        if let Some(file) = &self.file {
            use std::os::unix::fs::FileExt;
            // Zeros that come from the system, now that there is room for them: the threads that read are the
            // first to touch them, which is half of the work.
            bytes = vec![0; self.size()];
            let parts = bytes.par_chunks_mut(PART).enumerate();
            let read = parts.map(|(i, part)| file.read_exact_at(part, (i * PART) as u64).map_err(unfolding));
            read.collect::<Result<()>>()?;
            return Ok(Cow::Owned(bytes));
        }
        self.reader.read_to_end(&mut bytes).map_err(unfolding)?;
        Ok(Cow::Owned(bytes))
    }
}

/// A Zstandard stream that is opened by the first read, where its error has a place.
enum Unstarted<'a> {
    Waiting(Option<Box<dyn BufRead + 'a>>),
    Open(zstd::stream::read::Decoder<'static, Box<dyn BufRead + 'a>>),
}

impl Read for Unstarted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if let Self::Waiting(reader) = self {
            let reader = reader.take().ok_or_else(|| std::io::Error::from(ErrorKind::InvalidData))?;
            *self = Self::Open(zstd::stream::read::Decoder::with_buffer(reader)?);
        }
        match self {
            Self::Open(decoder) => decoder.read(buffer),
            Self::Waiting(_) => Ok(0),
        }
    }
}

/// A decompressor that fails beyond a number of bytes.
struct Bounded<R> {
    reader: R,
    most: u64,
    left: u64,
}

/// What it fails with.
#[derive(Debug)]
struct Beyond(u64);

impl std::fmt::Display for Beyond {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "more than {} bytes", self.0)
    }
}

impl std::error::Error for Beyond {}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let got = self.reader.read(buffer)?;
        self.left =
            self.left.checked_sub(got as u64).ok_or_else(|| std::io::Error::other(Beyond(self.most)))?;
        Ok(got)
    }
}

/// What a reader's error means.
fn unfolding(error: std::io::Error) -> Error {
    if let Some(Beyond(most)) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        return bomb(*most);
    }
    match error.kind() {
        ErrorKind::UnexpectedEof => refuse("at its end", "more bytes were promised", DAMAGED),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            refuse("in its compressed part", error.to_string(), DAMAGED)
        }
        _ => io(error),
    }
}

/// Everything that a decompressor gives, if it is `expected` bytes long and no more than `most`. Grows with what
/// really comes.
pub(crate) fn unfold(reader: impl Read, expected: u64, most: u64) -> Result<Vec<u8>> {
    if expected > most {
        return Err(bomb(most));
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
