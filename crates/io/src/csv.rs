//! Text tables: numbers between commas, semicolons, tabs or blanks, one row a line.
//!
//! The lines are cut into chunks that are parsed at the same time, each into its own part of the matrix, so
//! that the result does not depend on the number of threads. A quoted field ends on the line it began on.

mod fields;

use crate::source::{io, refuse};
use crate::{Data, Labels, ReadOptions, column_index};
use fields::{Broken, Field, Fields, Separator, is_missing};
use lowland::{AnyMatrix, Result};
use ndarray::Array2;
use rayon::prelude::*;
use std::io::Write;

/// Bytes of a chunk that is parsed in one go.
const CHUNK: usize = 1 << 18;

/// Reads a table; the separator is found out if it is not given.
pub(crate) fn read(bytes: &[u8], separator: Option<u8>, options: &ReadOptions) -> Result<Data> {
    let text = trimmed(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    if text.is_empty() {
        return Err(refuse("", "it has no rows", "give a file with at least one line of numbers"));
    }
    let first_end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let first = without_return(&text[..first_end]);
    let separator = separator.map_or_else(|| sniff(first), Separator::Byte);
    let mut width = 0;
    for field in Fields::new(first, separator) {
        field.map_err(|broken| broken.at(0))?;
        width += 1;
    }
    let after = &text[text.len().min(first_end + 1)..];
    let header = match options.header {
        Some(header) => header,
        None => detect_header(first, after, separator, options.missing),
    };
    let body = if header { after } else { text };
    let columns: Option<Vec<String>> = header.then(|| {
        let fields = Fields::new(first, separator).filter_map(std::result::Result::ok);
        fields.map(|field| String::from_utf8_lossy(&field.text()).into_owned()).collect()
    });
    let label = options
        .label_column
        .as_deref()
        .map(|wanted| column_index(wanted, columns.as_deref(), width))
        .transpose()?;
    let table = Table { separator, width, label, missing: options.missing, first_line: usize::from(header) };
    let (matrix, labels) = table.parse(body)?;
    let columns = columns.map(|names| {
        let kept = names.into_iter().enumerate().filter(|&(j, _)| Some(j) != label);
        kept.map(|(_, name)| name).collect()
    });
    Ok(Data { matrix: AnyMatrix::F64(matrix), columns, labels })
}

struct Table {
    separator: Separator,
    width: usize,
    label: Option<usize>,
    /// Whether values may be missing.
    missing: bool,
    /// The number of the body's first line, from 0.
    first_line: usize,
}

impl Table {
    fn parse(&self, body: &[u8]) -> Result<(Array2<f64>, Option<Labels>)> {
        let chunks = chunks(body);
        let lines: Vec<usize> = chunks.par_iter().map(|chunk| count_lines(chunk)).collect();
        let rows: usize = lines.iter().sum();
        // A row takes at least one byte a field, unless it may be empty, and one a separator or the end of the
        // line. With fewer, some line is too short: that is found below without room for the rest.
        let least = self.width * if self.missing { 1 } else { 2 };
        let enough = rows.checked_mul(least).is_some_and(|bytes| bytes <= body.len() + 1);
        let kept = self.width - usize::from(self.label.is_some());
        // Zeros that come from the system: the threads that fill them are the first to touch them.
        let mut values = vec![0.0; if enough { rows * kept } else { 0 }];
        let mut parts = Vec::with_capacity(chunks.len());
        let mut rest = &mut values[..];
        let mut line = self.first_line;
        for (chunk, &count) in chunks.iter().zip(&lines) {
            let (part, after) = rest.split_at_mut(rest.len().min(count * kept));
            parts.push((*chunk, line, part));
            rest = after;
            line += count;
        }
        let results: Vec<Result<Words>> = if enough {
            parts.into_par_iter().map(|(chunk, line, part)| self.chunk(chunk, line, part)).collect()
        } else {
            parts.into_iter().map(|(chunk, line, _)| self.chunk(chunk, line, &mut [])).collect()
        };
        // The first error in the order of the file, whichever thread met one first.
        let words = results.into_iter().collect::<Result<Vec<Words>>>()?;
        let matrix = Array2::from_shape_vec((rows, kept), values)
            .map_err(|_| refuse("", "its lines do not hold the same number of fields", "make them equal"))?;
        let labels = self.label.map(|_| labels(&words, self.first_line)).transpose()?;
        Ok((matrix, labels))
    }

    /// Parses whole lines. With an empty `out` they are only checked.
    fn chunk(&self, chunk: &[u8], first_line: usize, out: &mut [f64]) -> Result<Words> {
        let mut words = Words::default();
        let mut at = 0;
        let mut line = first_line;
        let mut start = 0;
        let mut scratch = vec![0.0; if out.is_empty() { self.width } else { 0 }];
        let kept = self.width - usize::from(self.label.is_some());
        while start < chunk.len() {
            let row = if out.is_empty() { &mut scratch[..kept] } else { &mut out[at..at + kept] };
            start = match self.quick(chunk, start, row) {
                Some(next) => next,
                None => {
                    let end = memchr::memchr(b'\n', &chunk[start..]).map_or(chunk.len(), |n| start + n);
                    self.careful(without_return(&chunk[start..end]), row, &mut words)
                        .map_err(|broken| broken.at(line))?;
                    end + 1
                }
            };
            at += kept;
            line += 1;
        }
        Ok(words)
    }

    /// A line of nothing but plain numbers and separators; anything else is left to [`Table::careful`].
    fn quick(&self, chunk: &[u8], start: usize, row: &mut [f64]) -> Option<usize> {
        let Separator::Byte(separator) = self.separator else { return None };
        if self.label.is_some() || row.is_empty() {
            return None;
        }
        let mut at = start;
        let last = row.len() - 1;
        for (j, value) in row.iter_mut().enumerate() {
            let rest = &chunk[at..];
            let (number, length) = fast_float2::parse_partial::<f64, _>(rest).ok()?;
            if !number.is_finite() {
                return None;
            }
            *value = number;
            at += length;
            if j < last {
                if chunk.get(at) != Some(&separator) {
                    return None;
                }
                at += 1;
            }
        }
        match &chunk[at..] {
            [] => Some(at),
            [b'\n', ..] => Some(at + 1),
            [b'\r', b'\n', ..] => Some(at + 2),
            _ => None,
        }
    }

    /// A line field by field: quotes, blanks, the label, and what is wrong with it.
    fn careful(&self, line: &[u8], row: &mut [f64], words: &mut Words) -> Result<(), Broken> {
        let mut found = 0;
        let mut next = 0;
        for field in Fields::new(line, self.separator) {
            let field = field?;
            if found < self.width {
                if Some(found) == self.label {
                    let text = field.text();
                    let word = std::str::from_utf8(&text)
                        .map_err(|_| Broken::new(found, "the label is not valid UTF-8"))?;
                    if word.is_empty() {
                        return Err(Broken::new(found, "a label is missing"));
                    }
                    words.push(word);
                } else {
                    let value = cell(&field.text(), self.missing);
                    row[next] = value.ok_or_else(|| Broken::number(found, &field.text()))?;
                    next += 1;
                }
            }
            found += 1;
        }
        if found != self.width {
            let problem = format!("the line has {found} fields, but the first has {}", self.width);
            return Err(Broken::new(found.min(self.width), problem));
        }
        Ok(())
    }
}

/// A finite number and nothing else.
fn number(text: &[u8]) -> Option<f64> {
    let unsigned = match text {
        [b'+', rest @ ..] if !rest.starts_with(b"-") && !rest.starts_with(b"+") => rest,
        other => other,
    };
    fast_float2::parse::<f64, _>(unsigned).ok().filter(|number| number.is_finite())
}

/// The same, or NaN where the value may be missing and is.
fn cell(text: &[u8], missing: bool) -> Option<f64> {
    number(text).or_else(|| (missing && is_missing(text)).then_some(f64::NAN))
}

/// The labels of a chunk, one after the other in one text: a string each would take many times the file.
#[derive(Default)]
struct Words {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Words {
    fn push(&mut self, word: &str) {
        self.text.push_str(word);
        self.ends.push(self.text.len());
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text[start..end])
    }
}

/// All numbers, or words. Where all others are numbers, `NaN` and its like are no class but a label that is missing.
fn labels(chunks: &[Words], first_line: usize) -> Result<Labels> {
    let all = || chunks.iter().flat_map(Words::iter);
    let count = chunks.iter().map(|words| words.ends.len()).sum();
    let mut numbers = Vec::with_capacity(count);
    for word in all() {
        match exact(word) {
            Some(number) => numbers.push(number),
            None => break,
        }
    }
    if numbers.len() == count {
        return Ok(Labels::Numbers(numbers));
    }
    drop(numbers);
    let is_number = |word: &str| number(word.as_bytes()).is_some();
    if all().any(is_number)
        && all().all(|word| is_number(word) || is_missing(word.as_bytes()))
        && let Some(row) = all().position(|word| !is_number(word))
    {
        return Err(refuse(
            format!("line {}", first_line + row + 1),
            "the label is missing or NaN",
            "leave out the rows without a label, or give them a class of their own",
        ));
    }
    let mut words = Vec::with_capacity(count);
    words.extend(all().map(str::to_owned));
    Ok(Labels::Words(words))
}

/// A number that is not another whole number than the word says: beyond 2^53 doubles merge them, and a word that is no
/// double's own digits is kept as a word.
fn exact(word: &str) -> Option<f64> {
    let number = number(word.as_bytes())?;
    if number.abs() < 9_007_199_254_740_992.0 {
        return Some(number);
    }
    let digits = word.trim_start_matches(['+', '-']);
    let whole = digits.bytes().all(|b| b.is_ascii_digit());
    (!whole || format!("{}", number.abs()) == digits.trim_start_matches('0')).then_some(number)
}

/// Without the empty lines at the end.
fn trimmed(text: &[u8]) -> &[u8] {
    let ends = |b: &u8| *b == b'\n' || *b == b'\r';
    &text[..text.iter().rposition(|b| !ends(b)).map_or(0, |last| last + 1)]
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn sniff(line: &[u8]) -> Separator {
    // What stands between quotes separates nothing.
    let mut inside = false;
    let bare: Vec<u8> = line
        .trim_ascii()
        .iter()
        .filter(|&&b| {
            inside ^= b == b'"';
            !inside
        })
        .copied()
        .collect();
    match b",;\t".iter().find(|separator| bare.contains(separator)) {
        Some(&separator) => Separator::Byte(separator),
        None if bare.contains(&b' ') => Separator::Blanks,
        None => Separator::Byte(b','),
    }
}

/// Whether the first line names the columns: some field of it is no number where the second line has one.
fn detect_header(first: &[u8], after: &[u8], separator: Separator, missing: bool) -> bool {
    let end = memchr::memchr(b'\n', after).unwrap_or(after.len());
    let second = without_return(&after[..end]);
    let is_number =
        |field: Result<Field<'_>, Broken>| field.is_ok_and(|field| cell(&field.text(), missing).is_some());
    let pairs = Fields::new(first, separator).zip(Fields::new(second, separator));
    let only_line = after.is_empty();
    if only_line {
        return false;
    }
    pairs.into_iter().any(|(first, second)| !is_number(first) && is_number(second))
}

/// Whole lines, about [`CHUNK`] bytes of them each.
fn chunks(mut body: &[u8]) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    while !body.is_empty() {
        let from = CHUNK.min(body.len());
        let end = memchr::memchr(b'\n', &body[from..]).map_or(body.len(), |n| from + n + 1);
        let (chunk, rest) = body.split_at(end);
        chunks.push(chunk);
        body = rest;
    }
    chunks
}

fn count_lines(chunk: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', chunk).count() + usize::from(!chunk.ends_with(b"\n"))
}

/// Writes a matrix, each number as the shortest text that reads back to it.
pub(crate) fn write(
    matrix: &AnyMatrix,
    columns: Option<&[String]>,
    separator: u8,
    out: &mut dyn Write,
) -> Result<()> {
    let mut line = Vec::new();
    if let Some(columns) = columns {
        join(columns, separator, &mut line, |name, line| quote(name, separator, line));
        out.write_all(&line).map_err(io)?;
    }
    macro_rules! rows {
        ($m:expr) => {
            for row in $m.rows() {
                line.clear();
                join(row, separator, &mut line, |&v, line| {
                    line.extend(zmij::Buffer::new().format(v).as_bytes())
                });
                out.write_all(&line).map_err(io)?;
            }
        };
    }
    match matrix {
        AnyMatrix::F32(m) => rows!(m),
        AnyMatrix::F64(m) => rows!(m),
    }
    Ok(())
}

/// Writes one label a line, without a header.
pub(crate) fn write_labels(labels: &Labels, separator: u8, out: &mut dyn Write) -> Result<()> {
    let mut text = Vec::new();
    match labels {
        // `{}` writes whole numbers without a point.
        Labels::Numbers(numbers) => numbers.iter().for_each(|v| text.extend(format!("{v}\n").bytes())),
        Labels::Words(words) => {
            words.iter().for_each(|word| join([word], separator, &mut text, |w, t| quote(w, separator, t)));
        }
    }
    out.write_all(&text).map_err(io)
}

fn join<T>(
    fields: impl IntoIterator<Item = T>,
    separator: u8,
    line: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    for (j, field) in fields.into_iter().enumerate() {
        if j > 0 {
            line.push(separator);
        }
        write(field, line);
    }
    line.push(b'\n');
}

/// A name, in quotes if it needs them; a line break in it becomes a blank.
fn quote(name: &str, separator: u8, line: &mut Vec<u8>) {
    let special = |b: u8| matches!(b, b'"' | b'\n' | b'\r' | b' ' | b',' | b';' | b'\t') || b == separator;
    if name.bytes().any(special) {
        let name = name.replace(['\n', '\r'], " ").replace('"', "\"\"");
        line.extend(format!("\"{name}\"").bytes());
    } else {
        line.extend(name.bytes());
    }
}
