//! The findings as a CSV file of all cells, and as Markdown.

use crate::findings::{Compared, Findings, Section, Verdict};
use std::fmt::Write;

/// Rows and columns of a section, in the order in which they come.
pub fn axes(section: &Section) -> (Vec<&str>, Vec<&str>) {
    let (mut rows, mut columns): (Vec<&str>, Vec<&str>) = Default::default();
    for cell in &section.cells {
        if !rows.contains(&cell.row.as_str()) {
            rows.push(&cell.row);
        }
        if !columns.contains(&cell.column.as_str()) {
            columns.push(&cell.column);
        }
    }
    (rows, columns)
}

/// The cell at a row and a column.
pub fn at<'a>(section: &'a Section, row: &str, column: &str) -> Option<&'a Compared> {
    section.cells.iter().find(|cell| cell.row == row && cell.column == column)
}

/// One line a cell and reading.
pub fn csv(findings: &Findings) -> String {
    let mut out = String::from(
        "section,row,column,measure,published,tolerance,reading,setting,ours,low,high,seeds,ratio,verdict,as_printed,word\n",
    );
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let number = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    for section in &findings.sections {
        for cell in &section.cells {
            let head = format!(
                "{},{},{},{},{},{}",
                quoted(&section.title),
                quoted(&cell.row),
                quoted(&cell.column),
                quoted(&cell.measure),
                number(cell.published),
                cell.tolerance
            );
            let tail = format!(
                "{},{},{},{}",
                number(cell.ratio),
                cell.verdict.word(),
                cell.as_printed.word(),
                quoted(&cell.word)
            );
            if cell.ours.is_empty() {
                let _ = writeln!(out, "{head},,,,,,,{tail}");
            }
            for reading in &cell.ours {
                let _ = writeln!(
                    out,
                    "{head},{},{},{},{},{},{},{tail}",
                    quoted(&reading.name),
                    quoted(&reading.setting),
                    reading.value,
                    reading.low,
                    reading.high,
                    reading.seeds
                );
            }
        }
    }
    out
}

/// The head of the page of all experiments.
const HEAD: &str = "# The papers, reproduced

The experiments of five papers, run again and set beside what was published. Every figure of ours was written by `lowland reproduce
all --out DIR --data DATA`; what remarks on cells that differ say of other code, such as scikit-learn, is printed by
`benches/papers.py`. `lowland reproduce NAME` runs one experiment, and leaves every cell with its readings and settings
(`results.csv`, `results.json`), the pictures and a page (`index.html`). `DATA` is a folder with the real data sets; what is not
there is reported as missing. The published values are data in `crates/reproduce/published`, with the remarks on cells that differ.

In a table: ours / published. Where several seeds were drawn, ours is their mean, with the least and the largest in parentheses.
**Bold**: worse than published by more than the tolerance. *Slanted*: as good only in a reading of the protocol other than the first;
both values are listed below the table.
";

/// All experiments on one page.
pub fn together(all: &[Findings]) -> String {
    all.iter().fold(HEAD.to_owned(), |page, findings| page + "\n" + markdown(findings, 2).trim_end() + "\n")
}

/// To be read, and to be kept beside the code; headings begin at this level.
pub fn markdown(findings: &Findings, level: usize) -> String {
    let (top, below) = ("#".repeat(level), "#".repeat(level + 1));
    let mut out = format!("{top} {}: {}\n\n", findings.experiment, findings.title);
    let _ = writeln!(out, "{}.\n", findings.paper);
    let _ = writeln!(out, "- command: `{}`", findings.command);
    let _ = writeln!(
        out,
        "- version {}, seed {}{}\n",
        findings.lowland,
        findings.seed,
        if findings.quick { ", the small run" } else { "" }
    );
    for line in &findings.summary {
        let _ = writeln!(out, "{line}\n");
    }
    if !findings.missing.is_empty() {
        let _ = writeln!(out, "Not there: {}.\n", findings.missing.join("; "));
    }
    for section in &findings.sections {
        let _ = writeln!(out, "{below} {}\n", section.title);
        for line in &section.text {
            let _ = writeln!(out, "{line}\n");
        }
        out += &matrix(section);
        for claim in &section.claims {
            let _ = writeln!(
                out,
                "- {}: {}. **{}**: {}.",
                claim.place,
                claim.claim.trim_end_matches('.'),
                claim.word(),
                claim.found.trim_end_matches('.')
            );
        }
        if !section.claims.is_empty() {
            out.push('\n');
        }
        out += &differences(section);
    }
    out
}

/// Ours / published, or ours alone in a column without anything published; bold where ours is worse.
fn matrix(section: &Section) -> String {
    if section.cells.is_empty() {
        return String::new();
    }
    let (rows, columns) = axes(section);
    let alone = |column: &str| {
        section.cells.iter().filter(|cell| cell.column == column).all(|cell| cell.published.is_none())
    };
    let corner = if columns.iter().all(|column| alone(column)) { "" } else { "ours / published" };
    let mut out = format!("| {corner} | {} |\n|---|", columns.join(" | "));
    out += &"---|".repeat(columns.len());
    out.push('\n');
    for row in rows {
        let words = columns.iter().map(|column| {
            at(section, row, column).map(|cell| short(cell, alone(column))).unwrap_or_default()
        });
        let _ = writeln!(out, "| {row} | {} |", words.collect::<Vec<_>>().join(" | "));
    }
    out.push('\n');
    out
}

fn short(cell: &Compared, alone: bool) -> String {
    let show = |value: f64| cell.unit.show(value).replace(" %", "");
    let published = cell.published.map_or_else(|| "-".into(), &show);
    let Some(best) = cell.best() else { return format!("- / {published}") };
    let mut ours = show(best.value);
    if best.seeds > 1 {
        ours += &format!(" ({} to {})", show(best.low), show(best.high));
    }
    match cell.verdict {
        _ if alone => ours,
        Verdict::Worse => format!("**{ours}** / {published}"),
        _ if cell.as_printed == Verdict::Worse => format!("*{ours}* / {published}"),
        _ => format!("{ours} / {published}"),
    }
}

/// A line for each cell that is worse, with the word on it, and for each that is as good only in another reading, with both.
fn differences(section: &Section) -> String {
    let (mut out, mut otherwise) = (String::new(), String::new());
    for cell in &section.cells {
        let only =
            cell.verdict.judged() && cell.verdict != Verdict::Worse && cell.as_printed == Verdict::Worse;
        let values = cell.ours.first().zip(cell.best()).zip(cell.published).filter(|_| only);
        if let Some(((first, best), published)) = values {
            let show = |value: f64| cell.unit.show(value);
            let (ours, other, published) = (show(first.value), show(best.value), show(published));
            let _ = writeln!(
                otherwise,
                "- {}, {}: {ours} as printed, {other} against {published} in the reading '{}'.",
                cell.row, cell.column, best.name
            );
        }
    }
    for cell in section.cells.iter().filter(|cell| cell.verdict == Verdict::Worse) {
        let Some((best, published)) = cell.best().zip(cell.published) else { continue };
        let ratio = cell.ratio.map(|ratio| format!(", ratio {ratio:.2}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "- {}, {}: {} against {}{ratio}. {}",
            cell.row,
            cell.column,
            cell.unit.show(best.value),
            cell.unit.show(published),
            sentence(&cell.word)
        );
    }
    let headed = |head: &str, lines: &str| match lines {
        "" => String::new(),
        lines => format!("{head}:\n\n{lines}\n"),
    };
    headed("Worse than published", &out) + &headed("As good in another reading only", &otherwise)
}

/// With a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => {
            let end = if words.ends_with('.') { "" } else { "." };
            format!("{}{}{end}", first.to_uppercase(), letters.as_str())
        }
        None => String::new(),
    }
}
