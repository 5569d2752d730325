//! The columns that cannot be used as they are: all of them at once, each with the flag that deals with it.

use super::encode::MOST_CATEGORIES;
use crate::frame::{Flaw, MOST_DIFFERENT};
use crate::select::Columns;
use crate::source::refuse;
use lowland::Error;
use lowland::units::{count, grouped, one_or_many};

/// Columns that are listed one by one.
const LISTED: usize = 12;

/// What the cells of a column are that are not numeric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Dates,
    Booleans,
    Words,
    /// Numbers, but for some cells.
    Spoiled,
    /// Only missing cells.
    Holes,
    /// Nothing at all.
    Empty,
}

/// What is wrong with a column of so many rows.
pub(super) fn sort(flaw: &Flaw, rows: usize) -> Sort {
    let there = rows.saturating_sub(flaw.missing);
    match flaw.bad {
        0 if there == 0 => Sort::Empty,
        0 => Sort::Holes,
        bad if flaw.dates == bad && bad == there => Sort::Dates,
        bad if flaw.booleans == bad && bad == there => Sort::Booleans,
        _ if !flaw.different.is_empty() && flaw.different.iter().all(|text| in_thousands(text)) => {
            Sort::Spoiled
        }
        bad if 2 * bad >= there => Sort::Words,
        _ => Sort::Spoiled,
    }
}

/// A number with separators of thousands, as `-1,234,567.8`.
fn in_thousands(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, rest) =
        text.trim_start_matches('-').split_once('.').unwrap_or((text.trim_start_matches('-'), "0"));
    let mut groups = whole.split(',');
    let first = groups.next().is_some_and(|group| digits(group) && group.len() <= 3);
    let mut others = 0;
    first
        && digits(rest)
        && groups.all(|group| {
            others += 1;
            digits(group) && group.len() == 3
        })
        && others > 0
}

/// What is known when the sentence is made.
pub(super) struct UnusableColumns<'a> {
    pub columns: Columns<'a>,
    pub rows: usize,
    /// How many columns were to be used.
    pub used: usize,
    /// Whether a label column can still be chosen.
    pub label_free: bool,
    /// Whether a fit is prepared, and not rows for a model.
    pub fitting: bool,
    /// The choice for missing values that is proposed.
    pub fill: &'static str,
}

impl UnusableColumns<'_> {
    /// The error, over all these columns.
    pub fn error(&self, flaws: &[&Flaw]) -> Error {
        if let Some(error) = self.nothing(flaws).filter(|_| self.fitting) {
            return error;
        }
        let mut listed: Vec<String> = flaws.iter().take(LISTED).map(|flaw| self.line(flaw)).collect();
        if flaws.len() > LISTED {
            let rest: Vec<String> =
                flaws[LISTED..].iter().map(|flaw| self.columns.called(flaw.column)).collect();
            listed.push(format!("and {} more: {}", rest.len(), crate::table::abbreviated(&rest)));
        }
        let (of, be) = (count(self.used, "column"), "cannot be used");
        let problem = format!(
            "{} of {of} {be} as {}: {}",
            flaws.len(),
            if flaws.len() == 1 { "it is" } else { "they are" },
            listed.join("; ")
        );
        refuse("", problem, self.remedy(flaws))
    }

    /// The error of a table that holds nothing, but perhaps a line of names that was taken for data.
    fn nothing(&self, flaws: &[&Flaw]) -> Option<Error> {
        let is_empty = |flaw: &&Flaw| flaw.bad + flaw.missing == self.rows && flaw.bad < self.rows.min(2);
        if flaws.len() != self.used || !flaws.iter().all(is_empty) {
            return None;
        }
        let (empty, cells) = (flaws.iter().map(|flaw| flaw.missing).sum(), self.used * self.rows);
        let problem = format!(
            "0 of {} {} numbers, and {} of {} empty",
            count(self.used, "column"),
            one_or_many(self.used, "holds", "hold"),
            grouped(empty),
            count(cells, "cell") + if cells == 1 { " is" } else { " are" }
        );
        Some(refuse("", problem, "give a table with a column of numbers"))
    }

    /// What is wrong with one of them, and its flags.
    pub fn line(&self, flaw: &Flaw) -> String {
        let (called, typed) = (self.columns.called(flaw.column), self.columns.typed(flaw.column));
        let place = format!("line {}, column {}", flaw.line, flaw.column + 1);
        let different = match flaw.different.len() {
            24.. => "24 or more different".to_owned(),
            few => format!("{few} different"),
        };
        let such = format!("such as '{}' in {place}", flaw.example);
        let holes =
            if flaw.missing > 0 { format!(", and {} missing", grouped(flaw.missing)) } else { String::new() };
        let bad = grouped(flaw.bad);
        let flags = |flags: String| {
            if self.fitting { flags } else { "the fit had numbers there: correct them".to_owned() }
        };
        let label = if self.label_free { format!("--label-column {typed}, ") } else { String::new() };
        match sort(flaw, self.rows) {
            Sort::Dates => {
                let flags = flags(format!("--encode {typed}=days, or --drop {typed}"));
                format!("{called} holds {} {such}{holes} ({flags})", count(flaw.bad, "date"))
            }
            Sort::Booleans => {
                let flags = flags(format!("--encode {typed}=boolean, {label}or --drop {typed}"));
                format!("{called} has {}, {such}{holes} ({flags})", count(flaw.bad, "yes/no value"))
            }
            Sort::Words if self.is_category(flaw) => {
                let flags = flags(format!("{label}--encode {typed}=one-hot, or --drop {typed}"));
                format!("{called} holds {}, {different}, {such}{holes} ({flags})", count(flaw.bad, "word"))
            }
            Sort::Words => {
                let flags = flags(format!(
                    "--id {typed} if they name the rows, --encode {typed}=one-hot, or --drop {typed}"
                ));
                format!("{called} holds {}, {different}, {such}{holes} ({flags})", count(flaw.bad, "word"))
            }
            Sort::Spoiled => {
                let comma = |text: &String| {
                    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
                    text.split_once(',').is_some_and(|(a, b)| digits(a.trim_start_matches('-')) && digits(b))
                };
                let correct = one_or_many(flaw.bad, "correct it", "correct them");
                let cause = if flaw.different.iter().all(|text| in_thousands(text)) {
                    "write them without separators of thousands"
                } else if flaw.different.iter().all(comma) {
                    "write decimal points"
                } else {
                    correct
                };
                let not = if flaw.bad == 1 {
                    "cell that is not a (finite) number"
                } else {
                    "cells that are not (finite) numbers"
                };
                let drop =
                    if self.fitting { format!("{cause}, or --drop {typed}") } else { correct.to_owned() };
                format!("{called} holds {bad} {not}, {such}{holes} ({drop})")
            }
            Sort::Holes => {
                let is = if flaw.missing == 1 { "value is" } else { "values are" };
                let flags = match (self.fitting, self.fill) {
                    (true, "ppca") => {
                        "--missing drop-rows, mean or ppca, or fill them in with 'lowland impute'"
                    }
                    // A row is empty: it stays so.
                    (true, _) => "--missing drop-rows or mean",
                    (false, _) => "--missing drop-rows, or fill them in with 'lowland impute'",
                };
                let missing = grouped(flaw.missing);
                format!("in {called} {missing} {is} missing, the first in {place} ({flags})")
            }
            Sort::Empty => format!("{called} is empty ({})", flags(format!("--drop {typed}"))),
        }
    }

    /// Few words that come again.
    fn is_category(&self, flaw: &Flaw) -> bool {
        flaw.different.len() < 24 && (flaw.different.len() < flaw.bad || flaw.bad <= 2)
    }

    /// One command line that deals with all of them.
    fn remedy(&self, flaws: &[&Flaw]) -> String {
        if !self.fitting {
            return "give a table like that of the fit".into();
        }
        let (mut drop, mut encode, mut missing, mut label) = (Vec::new(), Vec::new(), false, None);
        let categories =
            flaws.iter().filter(|f| sort(f, self.rows) == Sort::Words && self.is_category(f)).count();
        for flaw in flaws {
            let typed = self.columns.typed(flaw.column);
            let sort = sort(flaw, self.rows);
            match sort {
                Sort::Words if self.is_category(flaw) && self.label_free && categories == 1 => {
                    label = Some(typed)
                }
                Sort::Words if self.is_category(flaw) => encode.push(format!("--encode {typed}=one-hot")),
                Sort::Booleans => encode.push(format!("--encode {typed}=boolean")),
                Sort::Dates | Sort::Words | Sort::Spoiled | Sort::Empty => drop.push(typed),
                Sort::Holes => {}
            }
            let kept =
                matches!(sort, Sort::Holes | Sort::Booleans) || sort == Sort::Words && !encode.is_empty();
            missing |= flaw.missing > 0 && kept;
        }
        if drop.len() + usize::from(label.is_some()) == self.used {
            return self.without_numbers(flaws);
        }
        let mut flags: Vec<String> = Vec::new();
        flags.extend(label.map(|label| format!("--label-column {label}")));
        flags.append(&mut encode);
        if !drop.is_empty() {
            flags.push(format!("--drop {}", drop.join(",")));
        }
        if missing {
            flags.push(format!("--missing {}", self.fill));
        }
        format!("for example: {}", flags.join(" "))
    }

    /// The same where nothing would be left without these columns.
    fn without_numbers(&self, flaws: &[&Flaw]) -> String {
        if flaws.iter().any(|flaw| sort(flaw, self.rows) == Sort::Spoiled) {
            return "correct the cells that are not numbers".into();
        }
        let (mut encode, mut drop, mut missing) = (Vec::new(), Vec::new(), "");
        for flaw in flaws {
            let typed = self.columns.typed(flaw.column);
            let how = match sort(flaw, self.rows) {
                Sort::Words if flaw.different.len() < MOST_DIFFERENT => "one-hot",
                Sort::Dates => "days",
                _ => {
                    drop.push(typed);
                    continue;
                }
            };
            encode.push(format!("--encode {typed}={how}"));
            if flaw.missing > 0 {
                missing = " --missing mean";
            }
        }
        let all_words = drop.is_empty() && encode.iter().all(|flag| flag.ends_with("=one-hot"));
        match (encode.is_empty(), drop.is_empty()) {
            (true, _) => "0 columns hold numbers: give a table with one that does".into(),
            _ if all_words => format!("0 columns hold numbers: encode the words (--encode one-hot{missing})"),
            (_, true) => format!("for example: {}{missing}", encode.join(" ")),
            _ => format!("for example: {} --drop {}{missing}", encode.join(" "), drop.join(",")),
        }
    }
}

/// Too many different words for a column of their own each.
pub(super) fn too_many(columns: Columns<'_>, found: &[(usize, usize)]) -> Error {
    let called: Vec<String> = found
        .iter()
        .map(|(j, different)| format!("{} ({} different words)", columns.called(*j), grouped(*different)))
        .collect();
    let typed: Vec<String> = found.iter().map(|(j, _)| columns.typed(*j)).collect();
    let problem = format!(
        "{} of the columns to encode {} more than {MOST_CATEGORIES} different words: {}",
        found.len(),
        if found.len() == 1 { "has" } else { "have" },
        called.join(", ")
    );
    let each: Vec<String> = typed.iter().map(|typed| format!("--encode {typed}=one-hot")).collect();
    refuse(
        "",
        problem,
        format!("leave them out (--drop {}), or name them: {}", typed.join(","), each.join(" ")),
    )
}
