//! A line of text, field by field.

use crate::source::refuse;
use lowland::{Error, Result};
use std::borrow::Cow;

/// What separates the fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Byte(u8),
    /// Any number of blanks and tabs.
    Blanks,
}

/// What is wrong with a line.
pub(super) struct Broken {
    column: usize,
    problem: String,
    remedy: &'static str,
}

impl Broken {
    pub fn new(column: usize, problem: impl Into<String>) -> Self {
        Self { column, problem: problem.into(), remedy: EVEN }
    }

    /// A label that is missing, in a file of labels `alone` or beside numbers.
    pub fn label(column: usize, alone: bool) -> Self {
        let remedy = if alone { FILL_LABEL } else { "fill it in, or leave out the row" };
        Self { column, problem: "a label is missing".into(), remedy }
    }

    pub fn number(column: usize, text: &[u8]) -> Self {
        let shown: String = decoded(&text[..text.len().min(60)]).chars().take(40).collect();
        let problem = match () {
            () if text.is_empty() => "a value is missing".to_owned(),
            () if is_missing(text) => format!("a value is missing: '{shown}'"),
            () => format!("not a (finite) number: '{shown}'"),
        };
        let missing = text.is_empty() || is_missing(text);
        let remedy = if missing { "fill it in with 'lowland impute', or remove the line" } else { EVEN };
        Self { column, problem, remedy }
    }

    pub fn at(self, line: usize) -> Error {
        let position = format!("line {}, column {}", line + 1, self.column + 1);
        refuse(position, self.problem, self.remedy)
    }
}

/// What to do about a line that is not like the others.
const EVEN: &str = "every line needs the same number of fields, all numbers but for the label column";

/// What to do about a label that is missing in a file of its own.
pub(crate) const FILL_LABEL: &str = "fill it in, or leave the row out of both files";

/// Whether a field says that its value is missing.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    [&b""[..], b"na", b"nan", b"n/a", b"null", b"none", b"?"].contains(&&text.to_ascii_lowercase()[..])
}

/// Text in UTF-8; where it is not, each byte is the letter of Latin-1.
pub(super) fn decoded(text: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(text.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// A number with a decimal comma, with a point in its place; `None` where it is none.
pub(super) fn with_point(text: &[u8]) -> Option<Vec<u8>> {
    let at = memchr::memchr(b',', text)?;
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    if !digit(text.get(at + 1)) || memchr::memchr2(b'.', b',', &text[..at]).is_some() {
        return None;
    }
    let pointed = [&text[..at], b".", &text[at + 1..]].concat();
    super::number(&pointed).is_some().then_some(pointed)
}

/// Whether the comma may be one of thousands: up to three digits before it, three after it.
pub(super) fn may_be_thousands(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let parts: Vec<&[u8]> = digits.split(|byte| *byte == b',').collect();
    let whole = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    matches!(parts[..], [before, after] if (1..4).contains(&before.len()) && after.len() == 3 && whole(before) && whole(after))
}

/// A field as it stands in the line.
pub(super) struct Field<'a> {
    raw: &'a [u8],
    quoted: bool,
}

impl<'a> Field<'a> {
    pub fn text(&self) -> Cow<'a, [u8]> {
        if self.quoted && memchr::memchr(b'"', self.raw).is_some() {
            // Inside quotes, two quotes stand for one.
            let mut previous = 0;
            let mut text = Vec::with_capacity(self.raw.len());
            for at in memchr::memmem::find_iter(self.raw, b"\"\"") {
                text.extend(&self.raw[previous..=at]);
                previous = at + 2;
            }
            text.extend(&self.raw[previous..]);
            return Cow::Owned(text);
        }
        Cow::Borrowed(self.raw)
    }
}

/// The fields of a line.
pub(super) struct Fields<'a> {
    line: Option<&'a [u8]>,
    separator: Separator,
    column: usize,
}

impl<'a> Fields<'a> {
    pub fn new(line: &'a [u8], separator: Separator) -> Self {
        let line = if separator == Separator::Blanks { line.trim_ascii() } else { line };
        Self { line: Some(line), separator, column: 0 }
    }

    fn is_separator(&self, byte: u8) -> bool {
        match self.separator {
            Separator::Byte(separator) => byte == separator,
            Separator::Blanks => byte == b' ' || byte == b'\t',
        }
    }

    /// Goes on after the separator at `at`, or ends there.
    fn advance(&mut self, line: &'a [u8], at: usize) {
        self.line = (at < line.len()).then(|| {
            let rest = &line[at + 1..];
            if self.separator == Separator::Blanks { rest.trim_ascii_start() } else { rest }
        });
        self.column += 1;
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.line.take()?;
        let blanks = line.iter().take_while(|&&b| b == b' ' && !self.is_separator(b)).count();
        let column = self.column;
        if line.get(blanks) == Some(&b'"') {
            let inside = &line[blanks + 1..];
            let mut end = 0;
            loop {
                match memchr::memchr(b'"', &inside[end..]) {
                    Some(n) if inside.get(end + n + 1) == Some(&b'"') => end += n + 2,
                    Some(n) => break end += n,
                    None => return Some(Err(Broken::new(column, "a quote is not closed on its line"))),
                }
            }
            let after = &inside[end + 1..];
            let gap = after.iter().position(|&b| self.is_separator(b)).unwrap_or(after.len());
            if !after[..gap].trim_ascii().is_empty() {
                return Some(Err(Broken::new(column, "something follows the closing quote")));
            }
            self.advance(after, gap);
            return Some(Ok(Field { raw: &inside[..end], quoted: true }));
        }
        let end = match self.separator {
            Separator::Byte(separator) => memchr::memchr(separator, line),
            Separator::Blanks => memchr::memchr2(b' ', b'\t', line),
        }
        .unwrap_or(line.len());
        self.advance(line, end);
        Some(Ok(Field { raw: line[..end].trim_ascii(), quoted: false }))
    }
}
