//! MATLAB's `.mat`, level 5: tagged elements, of which the numeric matrices are read, compressed or not.

use crate::numbers::{Kind, Layout};
use crate::source::{DAMAGED, Source, refuse, unfold};
use lowland::{AnyMatrix, Error, Result};
use std::io::{Read, Write};

const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;

/// Reads the numeric matrix of this name, or the only one.
pub(crate) fn read(bytes: &[u8], wanted: Option<&str>, most: u64) -> Result<AnyMatrix> {
    let v73 = bytes.starts_with(b"\x89HDF") || bytes.starts_with(b"MATLAB 7.3");
    if v73 {
        return Err(refuse("", "it is MATLAB v7.3 (HDF5), which is not read", "save it with -v7 or -v6"));
    }
    let big_endian = match bytes.get(124..128) {
        Some([0x00, 0x01, b'I', b'M']) => false,
        Some([0x01, 0x00, b'M', b'I']) => true,
        _ => {
            return Err(refuse(
                "byte 124",
                "it does not begin as a MATLAB v5 file",
                "save it with -v7 or -v6",
            ));
        }
    };
    let mut rest = Elements { bytes: &bytes[128..], big_endian };
    let mut names = Vec::new();
    let mut found: Option<AnyMatrix> = None;
    while !rest.bytes.is_empty() {
        let (kind, body) = rest.next(false)?;
        let unfolded;
        let body = match kind {
            MATRIX => body,
            COMPRESSED => {
                unfolded = unfold_element(body, big_endian, most)?;
                &unfolded[..]
            }
            _ => return Err(refuse("", format!("an element of type {kind} stands alone"), DAMAGED)),
        };
        let variable = Variable::parse(Elements { bytes: body, big_endian })?;
        if let Some(name) = wanted {
            if variable.name == name {
                return variable.matrix(big_endian);
            }
        } else if found.is_none() && variable.is_numeric() {
            found = Some(variable.matrix(big_endian)?);
        } else if !variable.is_numeric() {
            continue;
        }
        names.push(variable.name);
    }
    let choose = format!("choose one by file.mat:name, of: {}", crate::table::abbreviated(&names));
    match (found, wanted) {
        (_, Some(name)) => Err(refuse("", format!("there is no variable '{name}'"), choose)),
        (Some(matrix), None) if names.len() == 1 => Ok(matrix),
        (Some(_), None) => Err(refuse("", format!("it holds {} numeric variables", names.len()), choose)),
        (None, None) => Err(refuse("", "it holds no numeric variable", "save a numeric matrix")),
    }
}

/// A zlib stream that holds exactly one matrix.
fn unfold_element(compressed: &[u8], big_endian: bool, most: u64) -> Result<Vec<u8>> {
    let mut reader = flate2::read::ZlibDecoder::new(compressed);
    let mut tag = [0; 8];
    reader
        .read_exact(&mut tag)
        .map_err(|error| refuse("in a compressed variable", error.to_string(), DAMAGED))?;
    let tag = Elements { bytes: &tag, big_endian };
    if tag.u32_at(0) != MATRIX {
        return Err(refuse("in a compressed variable", "it is not a matrix", DAMAGED));
    }
    unfold(reader, tag.u32_at(4).into(), most)
}

/// Elements one after the other.
struct Elements<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl<'a> Elements<'a> {
    fn u32_at(&self, at: usize) -> u32 {
        let bytes = [0, 1, 2, 3].map(|i| self.bytes[at + i]);
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    /// The type and the contents of the next element; inside a matrix it is padded to 8 bytes.
    fn next(&mut self, padded: bool) -> Result<(u32, &'a [u8])> {
        let short = || refuse("", "an element reaches beyond the end", DAMAGED);
        if self.bytes.len() < 8 {
            return Err(short());
        }
        let tag = self.u32_at(0);
        if tag >> 16 != 0 {
            // A small element: type, size and contents in 8 bytes.
            let size = (tag >> 16) as usize;
            let body = self.bytes[4..8].get(..size).ok_or_else(short)?;
            self.bytes = &self.bytes[8..];
            return Ok((tag & 0xffff, body));
        }
        let size = self.u32_at(4) as usize;
        let body = self.bytes[8..].get(..size).ok_or_else(short)?;
        let whole = if padded { size.next_multiple_of(8) } else { size };
        self.bytes = &self.bytes[self.bytes.len().min(8 + whole)..];
        Ok((tag, body))
    }
}

/// A matrix element, its parts not yet looked into.
struct Variable<'a> {
    name: String,
    class: u32,
    complex: bool,
    shape: Vec<usize>,
    rest: Elements<'a>,
}

impl<'a> Variable<'a> {
    fn parse(mut parts: Elements<'a>) -> Result<Self> {
        let bad = |what: &str| refuse("in a variable", what.to_owned(), DAMAGED);
        let big_endian = parts.big_endian;
        let (6, flags @ [_, _, _, _, _, _, _, _]) = parts.next(true)? else {
            return Err(bad("its flags are missing"));
        };
        let flags = Elements { bytes: flags, big_endian }.u32_at(0);
        let (5, sizes) = parts.next(true)? else { return Err(bad("its dimensions are missing")) };
        if sizes.len() % 4 != 0 || !(2..=32).contains(&(sizes.len() / 4)) {
            return Err(bad("its dimensions are malformed"));
        }
        let sizes = Elements { bytes: sizes, big_endian };
        let shape = (0..sizes.bytes.len() / 4).map(|i| sizes.u32_at(4 * i) as usize).collect();
        let (1, name) = parts.next(true)? else { return Err(bad("its name is missing")) };
        let name = String::from_utf8_lossy(name).into_owned();
        Ok(Self { name, class: flags & 0xff, complex: flags & 0x800 != 0, shape, rest: parts })
    }

    fn is_numeric(&self) -> bool {
        (6..=15).contains(&self.class)
    }

    /// The matrix, in the precision of its class: MATLAB stores whole doubles as small integers.
    fn matrix(&self, big_endian: bool) -> Result<AnyMatrix> {
        self.numbers(big_endian).map_err(|error| match error {
            Error::File { path, problem, remedy, .. } => {
                Error::File { path, position: format!("in its variable '{}'", self.name), problem, remedy }
            }
            other => other,
        })
    }

    fn numbers(&self, big_endian: bool) -> Result<AnyMatrix> {
        let what = match self.class {
            1 => "a cell array",
            2 => "a structure",
            3 | 17 => "an object",
            4 => "text",
            5 => "a sparse matrix",
            6..=15 if self.complex => "complex numbers",
            6..=15 => "",
            _ => "something unknown",
        };
        if !what.is_empty() {
            return Err(refuse("", format!("it is {what}"), "save a full, real, numeric matrix"));
        }
        let mut rest = Elements { ..self.rest };
        let (stored, body) = rest.next(true)?;
        let kind = match stored {
            1 => Kind::I8,
            2 => Kind::U8,
            3 => Kind::I16,
            4 => Kind::U16,
            5 => Kind::I32,
            6 => Kind::U32,
            7 => Kind::F32,
            9 => Kind::F64,
            12 => Kind::I64,
            13 => Kind::U64,
            _ => return Err(refuse("", format!("its numbers are of the unknown type {stored}"), DAMAGED)),
        };
        let wide = !(7..=11).contains(&self.class);
        let layout = Layout { kind, big_endian, shape: &self.shape, by_column: true, wide };
        let mut source = Source::bytes(body);
        let matrix = layout.read(&mut source)?;
        source.end()?;
        if self.class == 7 && matches!(matrix, AnyMatrix::F64(_)) {
            return Err(refuse("", "single precision is stored as something wider", DAMAGED));
        }
        Ok(matrix)
    }
}

/// Writes one variable, `data`, uncompressed.
pub(crate) fn write(matrix: &AnyMatrix, out: &mut dyn Write) -> Result<()> {
    let (rows, columns) = matrix.dim();
    let (size, class, kind) = match matrix {
        AnyMatrix::F32(_) => (4, 7u32, 7u32),
        AnyMatrix::F64(_) => (8, 6, 9),
    };
    let bytes = rows * columns * size;
    let padding = bytes.next_multiple_of(8) - bytes;
    // The matrix's own size is a 32-bit number: its parts, with their tags.
    let (Ok(rows), Ok(columns), Ok(bytes), Ok(whole)) = (
        i32::try_from(rows),
        i32::try_from(columns),
        u32::try_from(bytes),
        u32::try_from(bytes + padding + 48),
    ) else {
        return Err(refuse("", "MATLAB v5 holds at most 4 GiB in a variable", "write another format"));
    };
    let mut head = format!("{:<116}", "MATLAB 5.0 MAT-file, written by lowland").into_bytes();
    head.extend([0; 8]);
    head.extend(*b"\x00\x01IM");
    for number in [MATRIX, whole, 6, 8, class, 0, 5, 8, rows as u32, columns as u32, 1 | 4 << 16] {
        head.extend(number.to_le_bytes());
    }
    head.extend(*b"data");
    head.extend(kind.to_le_bytes());
    head.extend(bytes.to_le_bytes());
    out.write_all(&head)
        .and_then(|()| match matrix {
            AnyMatrix::F32(m) => m.t().iter().try_for_each(|v| out.write_all(&v.to_le_bytes())),
            AnyMatrix::F64(m) => m.t().iter().try_for_each(|v| out.write_all(&v.to_le_bytes())),
        })
        .and_then(|()| out.write_all(&[0; 8][..padding]))
        .map_err(crate::source::io)
}
