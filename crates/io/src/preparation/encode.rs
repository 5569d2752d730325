//! What words become.

use crate::dates::{self, Order};
use crate::frame::is_missing;
use crate::select::Columns;
use crate::source::refuse;
use crate::table::abbreviated;
use lowland::Result;
use lowland::units::one_or_many;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Different words beyond which a column is encoded only when it is named.
pub(super) const MOST_CATEGORIES: usize = 50;

/// What a column becomes, with what the fit saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum How {
    /// Its numbers.
    Number,
    /// A column of 0 and 1 for each of these words.
    OneHot(Vec<String>),
    /// The place of the word in this list.
    Ordinal(Vec<String>),
    /// 1 for yes, 0 for no.
    Boolean,
    /// The time since 1970, in units of so many seconds.
    Date { unit: f64, day_first: bool },
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    OneHot,
    Ordinal,
    Ordered(Vec<String>),
    Boolean,
    Days,
    Seconds,
}

const KINDS: &str =
    "one-hot, ordinal, boolean, days or seconds, also COLUMN=one-hot, or COLUMN='low<middle<high'";

/// The choices of `--encode`: for all columns of words, and for single ones.
#[derive(Debug, Default)]
pub(super) struct Requests {
    pub all: Vec<Kind>,
    pub single: BTreeMap<usize, Kind>,
}

impl Requests {
    pub fn parse(texts: &[String], columns: Columns<'_>) -> Result<Self> {
        let mut requests = Self::default();
        let wrong = |text: &str| {
            let problem = format!("--encode {text}: this is no way to encode");
            refuse("", problem, format!("take {KINDS}"))
        };
        for text in texts.iter().flat_map(|text| crate::select::items(text)) {
            let plain = match text {
                "one-hot" | "onehot" | "dummies" => Some(Kind::OneHot),
                "ordinal" => Some(Kind::Ordinal),
                "boolean" | "bool" => Some(Kind::Boolean),
                "days" | "date" => Some(Kind::Days),
                "seconds" => Some(Kind::Seconds),
                _ => None,
            };
            if let Some(kind) = plain {
                requests.all.push(kind);
                continue;
            }
            let (column, kind) = text.rsplit_once('=').ok_or_else(|| wrong(text))?;
            let kind = match kind.trim() {
                "one-hot" | "onehot" | "dummies" => Kind::OneHot,
                "ordinal" => Kind::Ordinal,
                "boolean" | "bool" => Kind::Boolean,
                "days" | "date" => Kind::Days,
                "seconds" => Kind::Seconds,
                words if words.contains('<') => {
                    Kind::Ordered(words.split('<').map(|word| word.trim().to_owned()).collect())
                }
                _ => return Err(wrong(text)),
            };
            for j in columns.all("--encode", &[column.to_owned()])? {
                requests.single.insert(j, kind.clone());
            }
        }
        Ok(requests)
    }

    /// The names in front of the signs.
    pub fn named(texts: &[String]) -> impl Iterator<Item = &str> {
        texts
            .iter()
            .flat_map(|text| crate::select::items(text))
            .filter_map(|text| Some(text.rsplit_once('=')?.0))
    }

    pub fn dates(&self) -> Option<&Kind> {
        self.all.iter().find(|kind| matches!(kind, Kind::Days | Kind::Seconds))
    }

    pub fn words(&self) -> Option<&Kind> {
        self.all.iter().find(|kind| matches!(kind, Kind::OneHot | Kind::Ordinal))
    }

    pub fn booleans(&self) -> Option<&Kind> {
        self.all.iter().find(|kind| **kind == Kind::Boolean).or_else(|| self.words())
    }
}

/// Yes or no, in the words of tables.
pub(crate) fn boolean(text: &str) -> Option<f64> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "t" | "y" => Some(1.0),
        "false" | "no" | "f" | "n" => Some(0.0),
        _ => None,
    }
}

impl How {
    /// Learns from the words of a column.
    pub fn learn(kind: &Kind, words: &[String], name: &str) -> Result<Self> {
        let cells = || words.iter().map(String::as_str).filter(|word| !is_missing(word));
        let known = || -> BTreeSet<&str> { cells().map(str::trim).collect() };
        let odd = |problem: String, remedy: &str| Err(refuse(format!("column {name}"), problem, remedy));
        Ok(match kind {
            Kind::OneHot => {
                let known: Vec<String> = sorted(&known());
                if known.len() > 10_000 {
                    let problem = format!("{} different words would be as many columns", known.len());
                    return odd(problem, "leave it out (--drop), or take it as --id");
                }
                Self::OneHot(known)
            }
            Kind::Ordinal => Self::Ordinal(sorted(&known())),
            Kind::Ordered(order) => {
                let other: Vec<String> = known()
                    .into_iter()
                    .filter(|word| !order.iter().any(|o| o == word))
                    .map(str::to_owned)
                    .collect();
                if !other.is_empty() {
                    let problem = format!(
                        "{} of its words {} not in the order given: {}",
                        other.len(),
                        one_or_many(other.len(), "is", "are"),
                        abbreviated(&other)
                    );
                    return odd(problem, "put them into the order (--encode COLUMN='low<middle<high')");
                }
                Self::Ordinal(order.clone())
            }
            Kind::Boolean => match cells().find(|word| boolean(word).is_none()) {
                Some(word) => return odd(format!("'{word}' is neither yes nor no"), "encode it as one-hot"),
                None => Self::Boolean,
            },
            Kind::Days | Kind::Seconds => match dates::order(cells()) {
                Ok(order) => Self::Date {
                    unit: if *kind == Kind::Days { 86_400.0 } else { 1.0 },
                    day_first: order == Order::DayFirst,
                },
                Err(problem) => return odd(problem, "correct it, or leave the column out (--drop)"),
            },
        })
    }

    /// The names of the columns that it becomes.
    pub fn columns(&self, name: &str) -> Vec<String> {
        match self {
            Self::OneHot(words) => words.iter().map(|word| format!("{name}={word}")).collect(),
            _ => vec![name.to_owned()],
        }
    }

    /// The numbers of a column of words; a missing cell is NaN in all of them. Where a word is not known, the rows of
    /// all such words by word.
    pub fn numbers(&self, words: &[String]) -> std::result::Result<Vec<Vec<f64>>, BTreeMap<String, usize>> {
        let mut unknown = BTreeMap::new();
        let width = if let Self::OneHot(known) = self { known.len() } else { 1 };
        let mut columns = vec![vec![f64::NAN; words.len()]; width];
        for (row, word) in
            words.iter().map(|word| word.trim()).enumerate().filter(|(_, word)| !is_missing(word))
        {
            let value = match self {
                Self::OneHot(known) => match known.iter().position(|k| k == word) {
                    Some(at) => {
                        columns
                            .iter_mut()
                            .enumerate()
                            .for_each(|(j, c)| c[row] = f64::from(u8::from(j == at)));
                        continue;
                    }
                    None => None,
                },
                Self::Ordinal(known) => known.iter().position(|k| k == word).map(|at| at as f64),
                Self::Boolean => boolean(word),
                Self::Date { unit, day_first } => {
                    let order = if *day_first { Order::DayFirst } else { Order::MonthFirst };
                    dates::seconds(word, order).map(|seconds| seconds / unit)
                }
                Self::Number => crate::csv::number(word.as_bytes()),
            };
            match value {
                Some(value) => columns[0][row] = value,
                None => {
                    unknown.entry(word.to_owned()).or_insert(row);
                }
            }
        }
        if unknown.is_empty() { Ok(columns) } else { Err(unknown) }
    }

    /// What it would have taken, for a word that it does not know.
    pub fn takes(&self) -> String {
        match self {
            Self::OneHot(known) | Self::Ordinal(known) => abbreviated(known),
            Self::Boolean => "true, false, yes, no".into(),
            Self::Date { .. } => "dates such as 2021-03-04".into(),
            Self::Number => "numbers".into(),
        }
    }
}

/// By their numbers where all are numbers.
fn sorted(words: &BTreeSet<&str>) -> Vec<String> {
    let mut all: Vec<&str> = words.iter().copied().collect();
    let number = |word: &str| crate::csv::number(word.as_bytes());
    if all.iter().all(|word| number(word).is_some()) {
        all.sort_by(|a, b| number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0)));
    }
    all.into_iter().map(str::to_owned).collect()
}
