//! The cells of a text table, by the roles of their columns.

use super::fields::{Broken, FILL_LABEL, Fields, Separator, decoded, is_missing, with_point};
use super::without_return;
use crate::Labels;
use crate::frame::{Flaw, Role};
use crate::source::refuse;
use lowland::Result;
use lowland::units::count;
use ndarray::Array2;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Bytes of a chunk that is parsed in one go.
const CHUNK: usize = 1 << 18;

/// What every line of a table holds.
pub(super) struct Table {
    pub separator: Separator,
    /// One for each column.
    pub roles: Vec<Role>,
    /// Whether values may be missing.
    pub missing: bool,
    /// Whether labels may be missing.
    pub missing_labels: bool,
    /// Whether what is not numeric is counted and left open instead of refused.
    pub lenient: bool,
    /// The number of the body's first line, from 0.
    pub first_line: usize,
    /// Whether numbers have decimal commas.
    pub commas: bool,
}

/// What the cells hold.
pub(super) struct Parsed {
    pub matrix: Array2<f64>,
    /// The words of each column of them, chunk by chunk.
    pub words: Vec<(usize, Vec<Words>)>,
    pub flaws: Vec<Flaw>,
}

/// What a chunk holds beside its numbers.
#[derive(Default)]
struct Found {
    words: Vec<Words>,
    flaws: BTreeMap<usize, Flaw>,
}

impl Table {
    fn width(&self) -> usize {
        self.roles.len()
    }

    fn kept(&self) -> usize {
        self.roles.iter().filter(|role| **role == Role::Number).count()
    }

    pub fn parse(&self, body: &[u8]) -> Result<Parsed> {
        let chunks = chunks(body);
        let lines: Vec<usize> = chunks.par_iter().map(|chunk| count_lines(chunk)).collect();
        let rows: usize = lines.iter().sum();
        // A row takes at least one byte a field, unless it may be empty, and one a separator or the end of the
        // line. With fewer, some line is too short: that is found below without room for the rest.
        let least = self.width() * if self.missing || self.missing_labels { 1 } else { 2 };
        let enough = rows.checked_mul(least).is_some_and(|bytes| bytes <= body.len() + 1);
        let kept = self.kept();
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
        let results: Vec<Result<Found>> = if enough {
            parts.into_par_iter().map(|(chunk, line, part)| self.chunk(chunk, line, part)).collect()
        } else {
            parts.into_iter().map(|(chunk, line, _)| self.chunk(chunk, line, &mut [])).collect()
        };
        // The first error in the order of the file, whichever thread met one first.
        let found = results.into_iter().collect::<Result<Vec<Found>>>()?;
        let matrix = Array2::from_shape_vec((rows, kept), values)
            .map_err(|_| refuse("", "its lines do not hold the same number of fields", "make them equal"))?;
        let worded = (0..self.width()).filter(|&j| self.roles[j] == Role::Words);
        let mut words: Vec<(usize, Vec<Words>)> = worded.map(|j| (j, Vec::new())).collect();
        let mut flaws: BTreeMap<usize, Flaw> = BTreeMap::new();
        for part in found {
            words.iter_mut().zip(part.words).for_each(|((_, all), words)| all.push(words));
            for (column, flaw) in part.flaws {
                flaws.entry(column).or_insert_with(|| Flaw::new(column)).join(flaw);
            }
        }
        Ok(Parsed { matrix, words, flaws: flaws.into_values().collect() })
    }

    /// Parses whole lines. With an empty `out` they are only checked.
    fn chunk(&self, chunk: &[u8], first_line: usize, out: &mut [f64]) -> Result<Found> {
        let worded = self.roles.iter().filter(|role| **role == Role::Words).count();
        let mut found = Found::default();
        found.words.resize_with(worded, Words::default);
        let mut at = 0;
        let mut line = first_line;
        let mut start = 0;
        let mut scratch = vec![0.0; if out.is_empty() { self.width() } else { 0 }];
        let kept = self.kept();
        let plain = kept == self.width();
        while start < chunk.len() {
            let row = if out.is_empty() { &mut scratch[..kept] } else { &mut out[at..at + kept] };
            start = match if plain { self.quick(chunk, start, row) } else { None } {
                Some(next) => next,
                None => {
                    let end = memchr::memchr(b'\n', &chunk[start..]).map_or(chunk.len(), |n| start + n);
                    self.careful(without_return(&chunk[start..end]), line, row, &mut found)
                        .map_err(|broken| broken.at(line))?;
                    end + 1
                }
            };
            at += kept;
            line += 1;
        }
        Ok(found)
    }

    /// A line of nothing but plain numbers and separators; anything else is left to [`Table::careful`].
    fn quick(&self, chunk: &[u8], start: usize, row: &mut [f64]) -> Option<usize> {
        let Separator::Byte(separator) = self.separator else { return None };
        if row.is_empty() {
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

    /// A line field by field: quotes, blanks, words, and what is wrong with it.
    fn careful(&self, line: &[u8], at: usize, row: &mut [f64], found: &mut Found) -> Result<(), Broken> {
        let (mut column, mut next, mut worded) = (0, 0, 0);
        for field in Fields::new(line, self.separator) {
            let field = field?;
            match self.roles.get(column) {
                Some(Role::Words) => {
                    let text = field.text();
                    let word = match (std::str::from_utf8(&text), self.lenient) {
                        (Ok(word), _) => word.into(),
                        (Err(_), true) => decoded(&text),
                        (Err(_), false) => {
                            return Err(Broken::new(column, "the label is not valid UTF-8"));
                        }
                    };
                    if word.is_empty() && !self.lenient && !self.missing_labels {
                        return Err(Broken::label(column, self.width() == 1));
                    }
                    found.words[worded].push(&word);
                    worded += 1;
                }
                Some(Role::Number) => {
                    let text = field.text();
                    row[next] = match self.cell(&text) {
                        Some(value) if self.lenient && value.is_nan() => {
                            let flaw = found.flaws.entry(column).or_insert_with(|| Flaw::new(column));
                            flaw.missing(at);
                            value
                        }
                        Some(value) => value,
                        None if self.lenient => {
                            let flaw = found.flaws.entry(column).or_insert_with(|| Flaw::new(column));
                            flaw.bad(at, &decoded(&text));
                            f64::NAN
                        }
                        None => return Err(Broken::number(column, &text)),
                    };
                    next += 1;
                }
                Some(Role::Skip) | None => {}
            }
            column += 1;
        }
        if column != self.width() {
            let problem =
                format!("the line has {}, but the first has {}", count(column, "field"), self.width());
            return Err(Broken::new(column.min(self.width()), problem));
        }
        Ok(())
    }
}

/// A finite number and nothing else.
pub(crate) fn number(text: &[u8]) -> Option<f64> {
    let unsigned = match text {
        [b'+', rest @ ..] if !rest.starts_with(b"-") && !rest.starts_with(b"+") => rest,
        other => other,
    };
    fast_float2::parse::<f64, _>(unsigned).ok().filter(|number| number.is_finite())
}

impl Table {
    /// A number, or NaN where the value may be missing and is.
    fn cell(&self, text: &[u8]) -> Option<f64> {
        let pointed = if self.commas { with_point(text) } else { None };
        number(pointed.as_deref().unwrap_or(text))
            .or_else(|| (self.missing && is_missing(text)).then_some(f64::NAN))
    }
}

/// The labels of a chunk, one after the other in one text: a string each would take many times the file.
#[derive(Default)]
pub(super) struct Words {
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

/// Each as a string of its own.
pub(super) fn owned(chunks: &[Words]) -> Vec<String> {
    chunks.iter().flat_map(Words::iter).map(str::to_owned).collect()
}

/// What to do about a label that is missing in a table.
pub(crate) const LABELED: &str =
    "leave out the rows without a label (--missing drop-rows), or give them a class of their own";

/// The labels of chunks of words, of a file of labels `alone` or beside numbers.
pub(super) fn labels(chunks: &[Words], first_line: usize, missing: bool, alone: bool) -> Result<Labels> {
    let position = |row| format!("line {}", first_line + row + 1);
    let remedy = if alone { FILL_LABEL } else { LABELED };
    labels_of(|| chunks.iter().flat_map(Words::iter), position, (missing, remedy))
}

/// All numbers, or words. Where all others are numbers, `NaN` and its like are no class but a label that is missing.
pub(crate) fn labels_of<'w, I: Iterator<Item = &'w str>>(
    all: impl Fn() -> I,
    position: impl Fn(usize) -> String,
    (missing, remedy): (bool, &str),
) -> Result<Labels> {
    let is_number = |word: &str| number(word.as_bytes()).is_some();
    let among_numbers =
        all().any(is_number) && all().all(|word| is_number(word) || is_missing(word.as_bytes()));
    let none = |word: &str| missing && among_numbers && is_missing(word.as_bytes());
    let count = all().count();
    let mut numbers = Vec::with_capacity(count);
    for word in all() {
        match exact(word) {
            Some(number) => numbers.push(number),
            None if none(word) => numbers.push(f64::NAN),
            None => break,
        }
    }
    if numbers.len() == count {
        return Ok(Labels::Numbers(numbers));
    }
    drop(numbers);
    if among_numbers
        && !missing
        && let Some(row) = all().position(|word| !is_number(word))
    {
        return Err(refuse(position(row), "the label is missing or NaN", remedy));
    }
    let mut words = Vec::with_capacity(count);
    words.extend(all().map(|word| if none(word) { "" } else { word }.to_owned()));
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
