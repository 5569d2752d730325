//! The flags that say what is taken of a table, and what becomes of it.

use crate::outcome::{Failure, Outcome};
use clap::{Args, ValueHint};
use lowland::InputKind;
use lowland_io::preparation::{Choices, Missing};

/// The data.
#[derive(Args, Default)]
pub struct Input {
    /// The data: a file ('-' is CSV on standard input) or data:NAME?n=1000&noise=0&density=1&seed=0
    #[arg(value_hint = ValueHint::FilePath)]
    pub input: String,
    /// What is taken of a table.
    #[command(flatten)]
    pub table: Table,
}

/// What is taken of a table.
#[derive(Args, Default)]
#[command(next_help_heading = "Columns and rows of a table")]
pub struct Table {
    /// Only these columns: names, numbers from 1, ranges (a:c, 3-7) or patterns (x_*), with commas between them
    #[arg(long, value_name = "LIST")]
    pub columns: Vec<String>,
    /// Leave out these columns: names, numbers, ranges or patterns, as above
    #[arg(long, value_name = "LIST")]
    pub drop: Vec<String>,
    /// The column that names the rows: it is not part of the data, and stands before the results
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// The column that holds labels: it is not part of the data, colors pictures, and some methods learn from it
    #[arg(short = 'l', long, visible_alias = "color", value_name = "COLUMN")]
    pub label_column: Option<String>,
    /// What words become: one-hot, ordinal, boolean, or for dates days or seconds; for one column COLUMN=one-hot or
    /// COLUMN='low<middle<high'
    #[arg(long, value_name = "[COLUMN=]KIND")]
    pub encode: Vec<String>,
    /// What is done about missing values: drop-rows, ppca, mean or error [default: error, unless the method takes them]
    #[arg(long, value_name = "CHOICE", hide_possible_values = true)]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(Missing::ALL.map(|(name, _)| name)))]
    pub missing: Option<String>,
    /// Give every column mean 0 and standard deviation 1
    #[arg(long)]
    pub standardize: bool,
    /// Whether the first line of a text file holds names, yes or no [default: by its looks]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no)]
    pub header: Option<bool>,
}

fn yes_or_no(word: &str) -> Result<bool, String> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "true" | "y" | "1" => Ok(true),
        "no" | "false" | "n" | "0" => Ok(false),
        _ => Err("it must be yes or no".into()),
    }
}

impl Table {
    /// What was chosen.
    pub fn choices(&self, memory: Option<u64>) -> Choices {
        Choices {
            columns: self.columns.clone(),
            drop: self.drop.clone(),
            id: self.id.clone(),
            label: self.label_column.clone(),
            encode: self.encode.clone(),
            missing: self.missing.as_deref().and_then(|word| word.parse().ok()),
            standardize: self.standardize,
            header: self.header,
            memory,
            ..Choices::default()
        }
    }

    /// Refuses what changes single columns or rows of a matrix that has one for each object.
    pub fn check(&self, kind: InputKind) -> Outcome {
        if matches!(kind, InputKind::Points | InputKind::Sparse) {
            return Ok(());
        }
        let given = [
            (self.standardize, "--standardize"),
            (!self.encode.is_empty(), "--encode"),
            (self.missing.as_deref().is_some_and(|choice| choice != "error"), "--missing"),
        ];
        match given.iter().find(|(given, _)| *given) {
            Some((_, flag)) => {
                let message = format!("{flag} is for points, not for {}; leave out {flag}", kind.words());
                Err(Failure::Usage(message))
            }
            None => Ok(()),
        }
    }

    /// Refuses labels from a column and from a file.
    pub fn check_labels(&self, file: Option<&String>) -> Outcome {
        match (&self.label_column, file) {
            (Some(column), Some(file)) => Err(Failure::Usage(format!(
                "2 sources of labels, --label-column {column} and --labels {file}; give one of them"
            ))),
            _ => Ok(()),
        }
    }

    /// The flags as they are typed, for a command line that does the same.
    pub fn typed(&self) -> String {
        let mut line = String::new();
        let mut add = |flag: &str, value: &str| line += &format!(" --{flag} {}", quoted(value));
        self.columns.iter().for_each(|list| add("columns", list));
        self.drop.iter().for_each(|list| add("drop", list));
        self.id.iter().for_each(|name| add("id", name));
        self.label_column.iter().for_each(|name| add("label-column", name));
        self.encode.iter().for_each(|kind| add("encode", kind));
        self.missing.iter().for_each(|choice| add("missing", choice));
        self.header.iter().for_each(|header| add("header", if *header { "yes" } else { "no" }));
        if self.standardize {
            line += " --standardize";
        }
        line
    }
}

impl Input {
    /// The input and its flags as they are typed.
    pub fn typed(&self) -> String {
        format!("{}{}", quoted(&self.input), self.table.typed())
    }
}

/// A word that a shell takes as one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-:=+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
