//! What becomes of the columns that are not simply numbers.

use super::prepare::{Plan, Preparing};
use super::unusable::{Sort, UnusableColumns, sort};
use super::{Missing, notice};
use crate::frame::{Flaw, Frame, column};
use crate::source::refuse;
use crate::table::abbreviated;
use lowland::Result;
use lowland::units::{count, one_or_many};

impl Preparing<'_> {
    /// Leaves out the index of a data frame, and nameless columns that hold nothing.
    pub(super) fn leave_out_indexes(&mut self, frame: &Frame, numbers: &[usize]) {
        let Some(names) = self.names.clone() else { return };
        if !self.choices.columns.is_empty() {
            return;
        }
        let rows = frame.matrix.dim().0;
        let out = if self.purpose.carry { Plan::Beside } else { Plan::Out };
        for (at, &j) in numbers.iter().enumerate() {
            let flaw = frame.flaws.iter().find(|flaw| flaw.column == j);
            let first = j == 0 || names[j].starts_with("__index_level_");
            if names[j].is_empty() && flaw.is_some_and(|flaw| sort(flaw, rows) == Sort::Empty) {
                self.plans[j] = out.clone();
                self.warnings
                    .push(format!("1 column was left out: column {} has no name and no values", j + 1));
            } else if first
                && notice::is_index_name(&names[j])
                && flaw.is_none()
                && (notice::counts(&column(&frame.matrix, at))
                    || notice::numbers_rows(&column(&frame.matrix, at)))
            {
                let how = if notice::counts(&column(&frame.matrix, at)) {
                    "counts the rows, as the index of a data frame does"
                } else {
                    "numbers the rows, as the index of a data frame does whose rows were shuffled or dropped"
                };
                self.plans[j] = out.clone();
                let shown = if names[j].is_empty() { String::new() } else { format!(" ('{}')", names[j]) };
                self.warnings.push(format!(
                    "1 column was left out: column {}{shown} {how}; --columns 1- takes it in, --id {} keeps it as the id",
                    j + 1,
                    j + 1
                ));
            }
        }
    }

    /// Decides about the columns that hold other cells than numbers; whether the file must be read again.
    pub(super) fn decide(&mut self, frame: &Frame, numbers: &[usize]) -> Result<bool> {
        let rows = frame.matrix.dim().0;
        let mut again = false;
        let mut unusable: Vec<&Flaw> = Vec::new();
        let (mut left_out, mut beside, mut empty) = (Vec::new(), Vec::new(), Vec::new());
        let mut spoiled: Vec<&Flaw> = Vec::new();
        let strict = self.policy() == Some(Missing::Error);
        for flaw in &frame.flaws {
            if self.plans[flaw.column] != Plan::Number {
                continue;
            }
            let found = sort(flaw, rows);
            let request = match found {
                Sort::Dates => self.requests.dates(),
                Sort::Booleans => self.requests.booleans(),
                Sort::Words => self.requests.words(),
                Sort::Spoiled | Sort::Holes | Sort::Empty => None,
            };
            match (found, request) {
                (_, Some(kind)) => {
                    self.plans[flaw.column] = Plan::Encode(kind.clone());
                    again = true;
                }
                (Sort::Holes, None) if strict => unusable.push(flaw),
                (Sort::Holes, None) => {}
                (_, None) if self.purpose.carry && found != Sort::Spoiled => {
                    self.plans[flaw.column] = Plan::Beside;
                    if found == Sort::Empty {
                        empty.push(self.columns().called(flaw.column));
                    } else {
                        beside.push(flaw.column);
                    }
                    again = true;
                }
                (_, None) if self.purpose.explore => {
                    left_out.push(flaw.column);
                    spoiled.extend((found == Sort::Spoiled).then_some(flaw));
                }
                (_, None) => unusable.push(flaw),
            }
        }
        let used = self.plans.iter().filter(|plan| matches!(plan, Plan::Number | Plan::Encode(_))).count();
        if !unusable.is_empty() {
            return Err(self.unusable(rows, used, choice(frame, numbers)).error(&unusable));
        }
        if left_out.len() == used && used > 0 {
            let all: Vec<&Flaw> = frame.flaws.iter().collect();
            return Err(self.unusable(rows, used, choice(frame, numbers)).error(&all));
        }
        if !left_out.is_empty() {
            let is_spoiled = |j: usize| spoiled.iter().any(|flaw| flaw.column == j);
            let words: Vec<usize> = left_out.iter().copied().filter(|&j| !is_spoiled(j)).collect();
            if !words.is_empty() {
                self.note_left_out(&words, "--label-column colors by them");
            }
            if !spoiled.is_empty() {
                let unusable = self.unusable(rows, used, "ppca");
                let lines: Vec<String> = spoiled.iter().map(|flaw| unusable.line(flaw)).collect();
                let columns = count(spoiled.len(), "column");
                self.notes.push(format!("{columns} left out: {}", lines.join("; ")));
            }
            let typed: Vec<String> = left_out.iter().map(|&j| self.columns().typed(j)).collect();
            self.flags.push(format!("--drop {}", typed.join(",")));
            left_out.iter().for_each(|&j| self.plans[j] = Plan::Out);
        }
        if !empty.is_empty() {
            let (columns, stay) = (count(empty.len(), "column"), one_or_many(empty.len(), "stays", "stay"));
            let names = abbreviated(&empty);
            self.notes
                .push(format!("{columns} without a value {stay} empty: {names}; --drop leaves out a column"));
        }
        // Where distances decide, it matters which columns have no part in them; what is filled in is numbers anyway.
        if !beside.is_empty() && self.purpose.scales {
            self.note_left_out(&beside, "--id names the rows by them");
        }
        if !self.plans.iter().any(|plan| matches!(plan, Plan::Number | Plan::Encode(_))) {
            // What passes the words on does not encode them.
            let remedy = if self.purpose.carry {
                "give a table with a column of numbers"
            } else {
                "encode the words (--encode one-hot)"
            };
            return Err(refuse("", "0 of its columns hold numbers", remedy));
        }
        Ok(again)
    }

    fn unusable(&self, rows: usize, used: usize, fill: &'static str) -> UnusableColumns<'_> {
        let (columns, label_free) = (self.columns(), self.label.is_none());
        UnusableColumns { columns, rows, used, label_free, fitting: true, fill }
    }

    /// Says which columns are not numeric, and what else they are good for.
    fn note_left_out(&mut self, columns: &[usize], otherwise: &str) {
        let called: Vec<String> = columns.iter().map(|&j| self.columns().called(j)).collect();
        let are = if called.len() == 1 { "is" } else { "are" };
        self.notes.push(format!(
            "{} left out: {} {are} not numeric; --encode one-hot takes words, {otherwise}",
            count(called.len(), "column"),
            abbreviated(&called)
        ));
    }
}

/// What can be done about the missing values of the columns that are numbers but for these, by the name of the choice. Of a
/// row without a value, nothing can be predicted.
fn choice(frame: &Frame, numbers: &[usize]) -> &'static str {
    let (matrix, rows) = (frame.matrix.to_f64(), frame.matrix.dim().0);
    let usable = |j: &usize| {
        let flaw = frame.flaws.iter().find(|flaw| flaw.column == *j);
        flaw.is_none_or(|flaw| sort(flaw, rows) == Sort::Holes)
    };
    let usable: Vec<usize> = (0..numbers.len()).filter(|&at| usable(&numbers[at])).collect();
    let missing = |row: usize| usable.iter().filter(|&&at| matrix[(row, at)].is_nan()).count();
    if usable.is_empty() || (0..rows).all(|row| missing(row) < usable.len()) {
        return "ppca";
    }
    let whole = (0..rows).filter(|&row| missing(row) == 0).count();
    if 2 * whole >= rows { "drop-rows" } else { "mean" }
}
