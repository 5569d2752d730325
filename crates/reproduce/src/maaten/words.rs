//! What is said about cells: why they differ or are empty, and how the protocol is read.

use super::techniques::Reading;
use super::{SetFound, TECHNIQUES, Tries};
use crate::findings::{Compared, Section, Verdict};
use crate::published::{self, Measure};
use lowland::compare::{CellResult, Outcome};

/// The techniques of which settings could not be fitted or were stopped, with the first reason.
pub fn unfinished(set: &str, found: &SetFound) -> Vec<String> {
    let words = |(column, tries): (&&'static str, &Tries)| {
        let all: Vec<&CellResult> = tries.readings.iter().flatten().flatten().collect();
        let reasons: Vec<&String> = all
            .iter()
            .filter_map(|tried| match &tried.outcome {
                Outcome::Failed { reason } | Outcome::Skipped { reason, .. } => Some(reason),
                Outcome::Judged(_) => None,
            })
            .collect();
        let first = reasons.first()?;
        Some(format!("{set}, {column}: {} of {} settings ({first})", reasons.len(), all.len()))
    };
    found.tries.iter().filter_map(words).collect()
}

/// Why a cell is empty, or what is known about a difference.
pub fn word(cell: &Compared, set: &str, measure: Measure, found: Option<&SetFound>) -> String {
    match cell.verdict {
        Verdict::NotAvailable => {
            let tried = found.and_then(|found| found.tries.get(cell.column.as_str()));
            let reason = tried.and_then(|tries| {
                tries.readings.iter().flatten().flatten().find_map(|tried| match &tried.outcome {
                    Outcome::Failed { reason } | Outcome::Skipped { reason, .. } => Some(reason.clone()),
                    Outcome::Judged(_) => None,
                })
            });
            reason.unwrap_or_else(|| "not available in this version".into())
        }
        Verdict::NoData => "the data are not there".into(),
        Verdict::Worse => published::note(set, &cell.column, measure).map_or_else(
            || {
                let within = cell.ours.iter().any(|reading| match (measure, cell.published) {
                    (Measure::Error, Some(p)) => reading.low <= p + cell.tolerance,
                    (_, Some(p)) => reading.high >= p - cell.tolerance,
                    _ => false,
                });
                if within {
                    "one of the seeds is within the tolerance".into()
                } else {
                    "not explained".into()
                }
            },
            str::to_owned,
        ),
        Verdict::Better if cell.as_printed == Verdict::Worse => "in another reading".into(),
        Verdict::Same if cell.as_printed == Verdict::Worse => "in another reading".into(),
        _ => String::new(),
    }
}

/// How the protocol is read.
pub fn readings() -> Section {
    let mut section = Section { title: "How the protocol is read".into(), ..Section::default() };
    section.text.push(
        "Best over the grid, for each measure by itself, as the paper says. The first reading of each technique is as \
         printed; where the protocol can be read in more than one way, the others follow, and the page says which one \
         decided. Artificial data: appendix B with noise of 0.05 and the labels of the authors' toolbox. HD is drawn evenly, as \
         appendix B says, and in another reading as the authors' toolbox draws it: on a grid of five values a parameter, which \
         are 3,125 points. Images of bytes are divided by 255."
            .into(),
    );
    section.text.push(
        "Two readings were added after a result had been seen: the one that embeds the halves of the broken roll side by side, and \
         the one that draws HD on the grid of the authors' toolbox. What there is without them is listed below each table."
            .into(),
    );
    for technique in TECHNIQUES {
        let words: Vec<&str> = technique.readings.iter().map(|reading: &Reading| reading.name).collect();
        section.text.push(format!("{}: {}.", technique.column, words.join("; ")));
    }
    section
}
