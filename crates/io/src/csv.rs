//! Text tables: cells between commas, semicolons, tabs or blanks, one row a line.
//!
//! The lines are cut into chunks that are parsed at the same time, each into its own part of the matrix, so
//! that the result does not depend on the number of threads. A quoted field ends on the line it began on.

mod fields;
mod header;
mod parse;
mod write;

pub(crate) use fields::is_missing;
pub(crate) use parse::{LABELED, labels_of, number};
pub(crate) use write::{write, write_labels, write_sheet};

use crate::frame::{Frame, Role};
use crate::source::refuse;
use crate::{Data, ReadOptions, column_index};
use fields::{Fields, Separator};
use header::Verdict;
use lowland::units::{count, one_or_many};
use lowland::{AnyMatrix, Result};
use parse::Table;
use std::ops::Range;

/// How a text table lies in its bytes.
pub(crate) struct Layout {
    separator: Separator,
    pub width: usize,
    pub names: Option<Vec<String>>,
    body: Range<usize>,
    first_line: usize,
    /// Whether numbers have decimal commas.
    commas: bool,
    /// What should be said about the first line.
    pub note: Option<String>,
}

impl Layout {
    /// Finds out the separator and whether there are names, where neither is given. A first line that holds one of the
    /// `wanted` words names the columns.
    pub fn find(
        bytes: &[u8],
        separator: Option<u8>,
        header: Option<bool>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Self> {
        let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        // Half of the bytes of Latin letters in UTF-16 are zero; no table of text has such a byte.
        let marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        if marked || bytes.iter().take(200).any(|&byte| byte == 0) {
            let problem =
                if marked { "it is text in UTF-16" } else { "it has bytes of 0, as text in UTF-16" };
            return Err(refuse("", problem, "save it as UTF-8 (in a spreadsheet: CSV UTF-8)"));
        }
        let text = trimmed(&bytes[start..]);
        if text.is_empty() {
            return Err(refuse("", "it has no rows", "give a file with at least one line of numbers"));
        }
        let first_end = memchr::memchr(b'\n', text).unwrap_or(text.len());
        let first = without_return(&text[..first_end]);
        let separator = separator.map_or_else(|| sniff(first), Separator::Byte);
        // As many as there are: a vector that grows would hold three times what it needs.
        let mut cells = Vec::with_capacity(header::count(first, separator));
        for field in Fields::new(first, separator) {
            let field = field.map_err(|broken| broken.at(0))?;
            cells.push(fields::decoded(&field.text()).into_owned());
        }
        let after = &text[text.len().min(first_end + 1)..];
        let comma = header::decimal_comma(text, separator);
        let verdict = match header {
            Some(true) => Verdict::Names,
            Some(false) => Verdict::Data,
            None => header::judge(&cells, after, separator, comma.is_some(), wanted),
        };
        let mut note = None;
        let named = match verdict {
            Verdict::Names => true,
            Verdict::Data => false,
            Verdict::Doubtful { names, words } => {
                note = Some(words);
                names
            }
        };
        if named && after.is_empty() {
            let remedy = "give a file with at least one row, or say --header no if the line is one";
            return Err(refuse("", "it has a line of names and no rows", remedy));
        }
        let mut add = |words: String| {
            note = Some(note.take().map_or_else(|| words.clone(), |note| format!("{note}; {words}")))
        };
        if let Err(error) = std::str::from_utf8(text) {
            let byte = text.get(error.valid_up_to()).copied().unwrap_or_default();
            add(format!(
                "1 byte or more is no UTF-8, the first of value {byte:#x} ('{}' in Latin-1), and was read as Latin-1; if \
                 that is wrong, save the file as UTF-8",
                char::from(byte)
            ));
        }
        if let Some(cell) = &comma {
            add(format!(
                "1 kind of decimal mark was found, the comma (as in '{cell}'): such cells were read as numbers; if commas \
                 mean something else, write points"
            ));
        }
        let mut width = cells.len();
        // A table of R: no name above the names of the rows.
        if named && header::count(after, separator) == width + 1 {
            cells.insert(0, String::new());
            width += 1;
        }
        let empty = empty_lines_at_end(&bytes[start..]);
        if width == 1 && empty > 0 {
            add(format!(
                "{} at the end {} left out; write \"\" or NA for a missing value",
                count(empty, "empty line"),
                one_or_many(empty, "was", "were")
            ));
        }
        let from = if named { first_end + 1 } else { 0 };
        Ok(Self {
            separator,
            width,
            names: named.then_some(cells),
            body: start + from..start + text.len(),
            first_line: usize::from(named),
            commas: comma.is_some(),
            note,
        })
    }

    /// The cells by the roles of their columns; what is not numeric where a number is wanted is counted.
    pub fn frame(&self, bytes: &[u8], roles: &[Role]) -> Result<Frame> {
        let table = self.table(roles.to_vec(), (true, true), true);
        let parsed = table.parse(&bytes[self.body.clone()])?;
        let words = parsed.words.iter().map(|(column, words)| (*column, parse::owned(words))).collect();
        Ok(Frame { matrix: AnyMatrix::F64(parsed.matrix), words, flaws: parsed.flaws })
    }

    /// The line of a row, from 1.
    pub fn line(&self, row: usize) -> usize {
        self.first_line + row + 1
    }

    fn table(&self, roles: Vec<Role>, (missing, missing_labels): (bool, bool), lenient: bool) -> Table {
        let &Self { separator, first_line, commas, .. } = self;
        Table { separator, roles, missing, missing_labels, lenient, first_line, commas }
    }
}

/// Reads a table of numbers and perhaps labels; the separator is found out if it is not given.
pub(crate) fn read(bytes: &[u8], separator: Option<u8>, options: &ReadOptions) -> Result<Data> {
    let layout = Layout::find(bytes, separator, options.header, &|_| false)?;
    let (names, width) = (layout.names.as_deref(), layout.width);
    let label = options.label_column.as_deref();
    let label = label.map(|wanted| column_index(wanted, names, width)).transpose()?;
    let role = |j| if Some(j) == label { Role::Words } else { Role::Number };
    let may_be_missing = (options.missing, options.missing_labels);
    let table = layout.table((0..width).map(role).collect(), may_be_missing, false);
    let parsed = table.parse(&bytes[layout.body.clone()])?;
    let labels = parsed.words.first();
    let labels =
        labels.map(|(_, words)| parse::labels(words, layout.first_line, options.missing_labels, width == 1));
    let labels = labels.transpose()?;
    let columns = layout.names.map(|names| {
        let kept = names.into_iter().enumerate().filter(|&(j, _)| Some(j) != label);
        kept.map(|(_, name)| name).collect()
    });
    Ok(Data { matrix: AnyMatrix::F64(parsed.matrix), columns, labels })
}

/// The empty lines at the end of a text.
pub(crate) fn empty_lines_at_end(text: &[u8]) -> usize {
    text[trimmed(text).len()..].iter().filter(|b| **b == b'\n').count().saturating_sub(1)
}

/// Without the empty lines at the end: editors leave them there, and they are no rows. Elsewhere, an empty line of a table
/// of one column is a row without a value.
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
    // A comma beside another separator is one of a number or of a sentence.
    match b"\t;,".iter().find(|separator| bare.contains(separator)) {
        Some(&separator) => Separator::Byte(separator),
        None if bare.contains(&b' ') => Separator::Blanks,
        None => Separator::Byte(b','),
    }
}
