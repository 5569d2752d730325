//! Tables whose columns have roles: some are numbers, some are words, and some are left out.

use crate::csv::Layout;
use crate::{Format, ReadOptions, arrow, csv, decode_matrix, member, on_path, open, packed_format, parquet};
use bytes::Bytes;
use lowland::{AnyMatrix, Result};
use ndarray::{Array2, Axis};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What a column is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Numbers, into the matrix.
    Number,
    /// Words, as they stand in the file.
    Words,
    /// Not at all.
    Skip,
}

/// What is wrong with the numbers of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Flaw {
    /// The column of the file, from 0.
    pub column: usize,
    /// Cells that are missing.
    pub missing: usize,
    /// Cells that are neither missing nor a number.
    pub bad: usize,
    /// The line (from 1) of the first such cell; of the first that is missing where there is none.
    pub line: usize,
    /// The first such cell.
    pub example: String,
    /// How many of them are dates.
    pub dates: usize,
    /// How many of them say yes or no.
    pub booleans: usize,
    /// The first different ones.
    pub different: BTreeSet<String>,
}

/// Different words that are kept of a column.
pub(crate) const MOST_DIFFERENT: usize = 24;

impl Flaw {
    pub(crate) fn new(column: usize) -> Self {
        let different = BTreeSet::new();
        Self { column, missing: 0, bad: 0, line: 0, example: String::new(), dates: 0, booleans: 0, different }
    }

    /// Counts a missing cell of the line from 0.
    pub(crate) fn missing(&mut self, line: usize) {
        if self.missing == 0 && self.bad == 0 {
            self.line = line + 1;
        }
        self.missing += 1;
    }

    /// Counts a cell that is not numeric.
    pub(crate) fn bad(&mut self, line: usize, text: &str) {
        if self.bad == 0 {
            (self.line, self.example) = (line + 1, text.chars().take(40).collect());
        }
        self.bad += 1;
        self.dates += usize::from(crate::dates::is_date(text));
        self.booleans += usize::from(crate::preparation::boolean(text).is_some());
        if self.different.len() < MOST_DIFFERENT && !self.different.contains(text) {
            self.different.insert(text.to_owned());
        }
    }

    /// Adds what was counted further down.
    pub(crate) fn join(&mut self, below: Self) {
        if self.bad == 0 && (below.bad > 0 || self.missing == 0) {
            (self.line, self.example) = (below.line, below.example);
        }
        self.missing += below.missing;
        self.bad += below.bad;
        self.dates += below.dates;
        self.booleans += below.booleans;
        self.different.extend(below.different);
        while self.different.len() > MOST_DIFFERENT {
            self.different.pop_last();
        }
    }
}

/// What was read of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The columns of numbers, in their order; what is missing or wrong is NaN.
    pub matrix: AnyMatrix,
    /// The columns of words.
    pub words: BTreeMap<usize, Vec<String>>,
    /// What is wrong with the columns of numbers.
    pub flaws: Vec<Flaw>,
}

/// A table that has been opened: its columns are known, their cells can be read more than once.
pub struct TableFile<'a> {
    contents: Contents<'a>,
    /// The names of the columns, where the file gives them.
    pub names: Option<Vec<String>>,
    /// The number of columns.
    pub width: usize,
    /// What should be said about it.
    pub notes: Vec<String>,
}

enum Contents<'a> {
    Text(Layout, Cow<'a, [u8]>),
    Parquet(Bytes, ReadOptions),
    Arrow(Cow<'a, [u8]>, ReadOptions),
    Matrix(AnyMatrix),
}

impl TableFile<'static> {
    /// Opens a file: `file.npz:name` and `-` as in [`crate::read`]. A first line of text that holds a `wanted` word
    /// names the columns.
    pub fn open(source: &str, options: &ReadOptions, wanted: &dyn Fn(&str) -> bool) -> Result<Self> {
        on_path(source, || {
            let (path, _) = member(source);
            let mut bytes = open(path)?;
            let (format, packing) = packed_format(path, &mut bytes)?;
            let most = options.most_unfolded(bytes.size());
            let bytes = packing.unfold(bytes, most);
            let (contents, names, width, note) = match format {
                Format::Csv | Format::Tsv => {
                    let separator = (format == Format::Tsv).then_some(b'\t');
                    let bytes = bytes.into_bytes()?;
                    let mut layout = Layout::find(&bytes, separator, options.header, wanted)?;
                    let (names, width, note) = (layout.names.take(), layout.width, layout.note.take());
                    (Contents::Text(layout, bytes), names, width, note)
                }
                Format::Parquet => {
                    let bytes = Bytes::from(bytes.into_bytes()?.into_owned());
                    let names = parquet::names(&bytes, options)?;
                    let width = names.len();
                    (Contents::Parquet(bytes, options.clone()), Some(names), width, None)
                }
                Format::Arrow => {
                    let bytes = bytes.into_bytes()?;
                    let names = arrow::names(&bytes, options)?;
                    let width = names.len();
                    (Contents::Arrow(bytes, options.clone()), Some(names), width, None)
                }
                _ => {
                    let matrix = decode_matrix(format, source, bytes, most)?;
                    let width = matrix.dim().1;
                    (Contents::Matrix(matrix), None, width, None)
                }
            };
            let mut notes: Vec<String> = note.into_iter().collect();
            let names = names.map(|names| unique(names, &mut notes));
            Ok(Self { contents, names, width, notes })
        })
    }
}

impl TableFile<'_> {
    /// Whether the columns have no names and cannot have words: an array, not a table.
    pub fn is_array(&self) -> bool {
        matches!(self.contents, Contents::Matrix(_))
    }

    /// The line of the first row, where the file is text.
    pub fn first_line(&self) -> Option<usize> {
        match &self.contents {
            Contents::Text(layout, _) => Some(layout.line(0)),
            _ => None,
        }
    }

    /// Where a row stands in the file.
    pub fn position(&self, row: usize) -> String {
        match self.first_line() {
            Some(first) => format!("line {}", first + row),
            None => format!("row {row}"),
        }
    }

    /// The cells of these columns as the text has them, for the rows that are kept: digits and leading zeros that a number
    /// loses, and how a missing one is written. `None` for a file that is no text.
    pub fn texts(&mut self, columns: &[usize], rows: Option<&[usize]>) -> Result<Texts> {
        if !matches!(self.contents, Contents::Text(..)) {
            return Ok(vec![None; columns.len()]);
        }
        let wanted: BTreeSet<usize> = columns.iter().copied().collect();
        let role = |j: usize| if wanted.contains(&j) { Role::Words } else { Role::Skip };
        let roles: Vec<Role> = (0..self.width).map(role).collect();
        let words = self.read(&roles)?.words;
        let column = |j: &usize| {
            words.get(j).map(|words| match rows {
                Some(rows) => rows.iter().map(|&i| words[i].clone()).collect(),
                None => words.clone(),
            })
        };
        Ok(columns.iter().map(column).collect())
    }

    /// Reads the columns, each in its role. An array whose columns are all numbers is given away: the next time it is empty.
    pub fn read(&mut self, roles: &[Role]) -> Result<Frame> {
        match &mut self.contents {
            Contents::Text(layout, bytes) => layout.frame(bytes, roles),
            Contents::Parquet(bytes, options) => parquet::frame(bytes, options, roles),
            Contents::Arrow(bytes, options) => arrow::frame(bytes, options, roles),
            Contents::Matrix(matrix) => {
                if roles.iter().all(|role| *role == Role::Number) {
                    let matrix = std::mem::replace(matrix, AnyMatrix::F64(Array2::zeros((0, 0))));
                    return Ok(Frame { matrix, words: BTreeMap::new(), flaws: Vec::new() });
                }
                let of = |wanted| (0..roles.len()).filter(move |&j| roles[j] == wanted);
                let kept: Vec<usize> = of(Role::Number).collect();
                let text = |column: Vec<f64>| column.into_iter().map(|v| format!("{v}")).collect();
                let words = of(Role::Words).map(|j| (j, text(column(matrix, j)))).collect();
                Ok(Frame { matrix: chosen(matrix, &kept), words, flaws: Vec::new() })
            }
        }
    }
}

/// Columns of cells as the text has them.
pub type Texts = Vec<Option<Vec<String>>>;

/// One column in double precision.
pub(crate) fn column(matrix: &AnyMatrix, j: usize) -> Vec<f64> {
    match matrix {
        AnyMatrix::F32(m) => m.column(j).iter().map(|&v| v.into()).collect(),
        AnyMatrix::F64(m) => m.column(j).to_vec(),
    }
}

/// These columns alone.
pub(crate) fn chosen(matrix: &AnyMatrix, columns: &[usize]) -> AnyMatrix {
    match matrix {
        AnyMatrix::F32(m) => m.select(Axis(1), columns).into(),
        AnyMatrix::F64(m) => m.select(Axis(1), columns).into(),
    }
}

/// Names of which no two are equal.
fn unique(names: Vec<String>, notes: &mut Vec<String>) -> Vec<String> {
    let given: BTreeSet<String> = names.iter().cloned().collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut renamed = Vec::new();
    let names = names.into_iter().map(|name| {
        if name.is_empty() || seen.insert(name.clone()) {
            return name;
        }
        let free =
            (1..).map(|i| format!("{name}.{i}")).find(|new| !given.contains(new) && !seen.contains(new));
        let new = free.unwrap_or_else(|| name.clone());
        seen.insert(new.clone());
        renamed.push(new.clone());
        new
    });
    let names = names.collect();
    if !renamed.is_empty() {
        let (are, many) = if renamed.len() == 1 { ("has", "") } else { ("have", "s") };
        notes.push(format!(
            "{} column{many} {are} the name of another and {are} been taken as {}; name every column differently",
            renamed.len(),
            crate::table::abbreviated(&renamed)
        ));
    }
    names
}

/// Whether a cell says that its value is missing.
pub fn is_missing(text: &str) -> bool {
    csv::is_missing(text.trim().as_bytes())
}
