//! NumPy's `.npy`: a magic, a Python dictionary in text, the numbers.

use crate::numbers::{Kind, Layout, flattened, write_rows};
use crate::source::{DAMAGED, Source, refuse};
use crate::{Integers, Labels};
use lowland::{AnyMatrix, Result};
use ndarray::Array2;
use std::io::Write;

/// What an array can hold.
pub(crate) enum Content {
    Matrix(AnyMatrix),
    /// One row or column of integers that doubles may not hold.
    Integers {
        shape: (usize, usize),
        integers: Integers,
    },
    Words(Vec<String>),
}

impl Content {
    /// The matrix; words are refused.
    pub fn matrix(self) -> Result<AnyMatrix> {
        match self {
            Self::Matrix(matrix) => Ok(matrix),
            Self::Integers { shape, integers } => Array2::from_shape_vec(shape, integers.doubles())
                .map(AnyMatrix::F64)
                .map_err(|_| refuse("in its header", "its shape does not fit its numbers", DAMAGED)),
            Self::Words(_) => {
                Err(refuse("in its header", "the array holds strings", "strings can only be labels"))
            }
        }
    }
}

/// Reads an array of any shape as rows, or a one-dimensional array of strings.
pub(crate) fn read(source: &mut Source<'_>) -> Result<Content> {
    if source.array::<6>()? != *b"\x93NUMPY" {
        return Err(refuse("byte 0", "it does not begin as a .npy file", "name it by what it is"));
    }
    let [major, _] = source.array::<2>()?;
    let length = match major {
        1 => u32::from(u16::from_le_bytes(source.array()?)),
        2 | 3 => u32::from_le_bytes(source.array()?),
        _ => {
            let problem = format!("version {major} of the format is unknown");
            return Err(refuse("byte 6", problem, "write it with versions 1 to 3"));
        }
    };
    source.check(length.into())?;
    // The dictionary of a plain array is short, whatever follows.
    if length > 1 << 16 {
        return Err(refuse("byte 8", format!("its header claims {length} bytes"), DAMAGED));
    }
    let mut text = vec![0; length as usize];
    source.fill(&mut text)?;
    let header = Header::parse(&text)?;
    let content = header.read(source)?;
    source.end()?;
    Ok(content)
}

struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<usize>,
}

impl Header {
    fn read(&self, source: &mut Source<'_>) -> Result<Content> {
        let unknown = |what: &str| {
            let problem = format!("it holds {what} (dtype '{}')", self.descr);
            refuse("in its header", problem, "convert it to float32 or float64 first")
        };
        let mut characters = self.descr.chars();
        let order = characters.next().unwrap_or(' ');
        let code = characters.next().unwrap_or(' ');
        let big_endian = match order {
            '<' | '|' | '=' => false,
            '>' => true,
            _ => return Err(unknown("an unknown byte order")),
        };
        let size: usize = match characters.as_str() {
            // Python objects have no size.
            "" => 0,
            digits => digits.parse().map_err(|_| unknown("an unknown kind of value"))?,
        };
        let kind = match (code, size) {
            ('b', 1) => Kind::Bool,
            ('i', 1) => Kind::I8,
            ('u', 1) => Kind::U8,
            ('i', 2) => Kind::I16,
            ('u', 2) => Kind::U16,
            ('i', 4) => Kind::I32,
            ('u', 4) => Kind::U32,
            ('i', 8) => Kind::I64,
            ('u', 8) => Kind::U64,
            ('f', 2) => Kind::F16,
            ('f', 4) => Kind::F32,
            ('f', 8) => Kind::F64,
            ('f', _) => return Err(unknown("floats of a platform's own size")),
            ('c', _) => return Err(unknown("complex numbers")),
            ('O', _) => return Err(unknown("Python objects")),
            ('M' | 'm', _) => return Err(unknown("dates or durations")),
            ('V', _) => return Err(unknown("structured records")),
            ('U' | 'S', _) => return self.words(source, code, size, big_endian).map(Content::Words),
            _ => return Err(unknown("an unknown kind of value")),
        };
        let shape = &self.shape;
        let layout = Layout { kind, big_endian, shape, by_column: self.fortran, wide: false };
        let line = flattened(shape)?;
        if matches!(kind, Kind::I64 | Kind::U64) && (line.0 == 1 || line.1 == 1) {
            let integers = Integers { bits: layout.read_bits(source)?, signed: kind == Kind::I64 };
            return Ok(Content::Integers { shape: line, integers });
        }
        layout.read(source).map(Content::Matrix)
    }

    /// Strings, padded with zeros to `size` characters: of four bytes (`U`) or one (`S`).
    fn words(
        &self,
        source: &mut Source<'_>,
        code: char,
        size: usize,
        big_endian: bool,
    ) -> Result<Vec<String>> {
        let (rows, columns) = flattened(&self.shape)?;
        if columns != 1 {
            return Err(refuse("in its header", "it holds a table of strings", "labels are one-dimensional"));
        }
        let width = size.checked_mul(if code == 'U' { 4 } else { 1 });
        let bytes = width.and_then(|width| width.checked_mul(rows));
        let (Some(width), Some(bytes)) = (width, bytes) else {
            return Err(refuse("in its header", "the claimed shape is beyond any memory", DAMAGED));
        };
        source.check(bytes as u64)?;
        // Strings of no width cost nothing in the file: nothing bounds their number.
        if width == 0 && rows > 0 {
            return Err(refuse(
                "in its header",
                "its strings have no width",
                "give labels that are not empty",
            ));
        }
        let mut buffer = vec![0; width];
        let mut words = Vec::new();
        for row in 0..rows {
            source.fill(&mut buffer)?;
            let text: Option<String> = if code == 'U' {
                let units = buffer.as_chunks::<4>().0.iter();
                units
                    .map(|&b| if big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) })
                    .map(char::from_u32)
                    .collect()
            } else {
                String::from_utf8(buffer.clone()).ok()
            };
            let text = text.ok_or_else(|| {
                refuse(format!("row {row}"), "the string is not valid text", "store it as Unicode ('U')")
            })?;
            words.push(text.trim_end_matches('\0').to_owned());
        }
        Ok(words)
    }

    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`, and nothing else.
    fn parse(text: &[u8]) -> Result<Self> {
        let bad = || refuse("in its header", "its dictionary is malformed", DAMAGED);
        let text = std::str::from_utf8(text).map_err(|_| bad())?;
        let mut rest =
            text.trim().strip_prefix('{').and_then(|t| t.strip_suffix('}')).ok_or_else(bad)?.trim();
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        while !rest.is_empty() {
            let (key, after) = quoted(rest).ok_or_else(bad)?;
            let after = after.trim_start().strip_prefix(':').ok_or_else(bad)?.trim_start();
            rest = match key {
                "descr" if after.starts_with('[') => {
                    let problem = "it holds structured records (its dtype is a list of fields)";
                    return Err(refuse(
                        "in its header",
                        problem,
                        "store the fields as the columns of one array",
                    ));
                }
                "descr" if descr.is_none() => {
                    let (value, after) = quoted(after).ok_or_else(bad)?;
                    descr = Some(value.to_owned());
                    after
                }
                "fortran_order" if fortran.is_none() => {
                    let (value, length) = if after.starts_with("True") { (true, 4) } else { (false, 5) };
                    if !value && !after.starts_with("False") {
                        return Err(bad());
                    }
                    fortran = Some(value);
                    &after[length..]
                }
                "shape" if shape.is_none() => {
                    let (inside, after) =
                        after.strip_prefix('(').and_then(|t| t.split_once(')')).ok_or_else(bad)?;
                    let inside = inside.trim();
                    let inside = inside.strip_suffix(',').unwrap_or(inside);
                    let sizes = inside.split(',').filter(|_| !inside.is_empty());
                    let sizes: Vec<usize> = sizes
                        .map(|n| n.trim().trim_end_matches('L').parse().map_err(|_| bad()))
                        .collect::<Result<_>>()?;
                    if sizes.len() > 32 {
                        return Err(bad());
                    }
                    shape = Some(sizes);
                    after
                }
                _ => return Err(bad()),
            };
            rest = rest.trim_start();
            rest = match rest.strip_prefix(',') {
                Some(after) => after.trim_start(),
                None if rest.is_empty() => rest,
                None => return Err(bad()),
            };
        }
        let (Some(descr), Some(fortran), Some(shape)) = (descr, fortran, shape) else { return Err(bad()) };
        Ok(Self { descr, fortran, shape })
    }
}

/// A quoted string at the front, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

fn header(descr: &str, shape: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The numbers begin at a multiple of 64 bytes; the last byte of the header is a newline.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(length as u16).to_le_bytes())?;
    writeln!(out, "{text:<width$}", width = length - 1)
}

/// Writes a matrix.
pub(crate) fn write(matrix: &AnyMatrix, out: &mut dyn Write) -> std::io::Result<()> {
    let (rows, columns) = matrix.dim();
    let descr = if matches!(matrix, AnyMatrix::F32(_)) { "<f4" } else { "<f8" };
    header(descr, &format!("({rows}, {columns})"), out)?;
    write_rows(matrix, out)
}

/// Writes labels: whole numbers as 64-bit integers, other numbers as doubles, words as Unicode.
pub(crate) fn write_labels(labels: &Labels, out: &mut dyn Write) -> std::io::Result<()> {
    let shape = format!("({},)", labels.len());
    match labels {
        Labels::Numbers(numbers) if numbers.iter().all(|v| v.fract() == 0.0 && v.abs() <= 2f64.powi(53)) => {
            header("<i8", &shape, out)?;
            numbers.iter().try_for_each(|v| out.write_all(&(*v as i64).to_le_bytes()))
        }
        Labels::Numbers(numbers) => {
            header("<f8", &shape, out)?;
            numbers.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
        }
        Labels::Words(words) => {
            let width = words.iter().map(|word| word.chars().count()).max().unwrap_or(0).max(1);
            header(&format!("<U{width}"), &shape, out)?;
            for word in words {
                let padded = word.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
                padded.into_iter().try_for_each(|c| out.write_all(&c.to_le_bytes()))?;
            }
            Ok(())
        }
    }
}
