//! The findings as one page of HTML that needs nothing else: pictures are in it.

use crate::findings::{Claim, Compared, Findings, Section, Verdict};
use crate::tables::{at, axes};
use crate::work::Work;
use lowland::Result;
use lowland_plot::escaped;
use lowland_report::{document, grouped};

/// What the page adds to the style of reports.
const STYLE: &str = "
td.worse{background:color-mix(in srgb,#c0392b 14%,transparent)}
td.worse b{color:#b03a2e}
td.other{background:color-mix(in srgb,#b7791f 12%,transparent)}
td.none{color:var(--soft)}
figure img,figure svg{display:block;width:100%;height:auto}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,480px),1fr));gap:.9rem;margin:.8rem 0}
@media(prefers-color-scheme:dark){td.worse b{color:#f1948a}}
";

/// The page.
pub fn html(findings: &Findings, work: &Work) -> Result<String> {
    let mut body = format!(
        "<p class=\"lead\">{}. Seed {}{}.</p><pre><code>{}</code></pre>",
        escaped(findings.paper),
        findings.seed,
        if findings.quick { "; the small run" } else { "" },
        escaped(&findings.command)
    );
    body += "<section class=\"advice\">";
    for line in &findings.summary {
        body += &format!("<p>{}</p>", escaped(line));
    }
    if !findings.missing.is_empty() {
        let items: String =
            findings.missing.iter().map(|line| format!("<li>{}</li>", escaped(line))).collect();
        body += &format!("<h3>Not there</h3><ul>{items}</ul>");
    }
    body += "</section>\n";
    if findings.sections.iter().flat_map(|section| &section.cells).any(|cell| cell.published.is_some()) {
        body += "<p class=\"note\">In each cell: ours, the published value, and the ratio of the two. Red: worse than published \
                 by more than the tolerance. Yellow: as good only in a reading of the protocol other than the first. What lies \
                 behind a cell is shown when the pointer rests on it, and is in <code>results.csv</code>.</p>";
    }
    for section in &findings.sections {
        body += &one(section, work)?;
    }
    let title = format!("{}: {}", findings.experiment, findings.title);
    Ok(document(&title, STYLE, &body, findings.seconds))
}

fn one(section: &Section, work: &Work) -> Result<String> {
    let mut out = format!("<h2>{}</h2>\n", escaped(&section.title));
    for line in &section.text {
        out += &format!("<p>{}</p>\n", escaped(line));
    }
    if !section.cells.is_empty() {
        out += &matrix(section);
        out += &differences(section);
    }
    if !section.claims.is_empty() {
        out += &claims(&section.claims);
    }
    if !section.figures.is_empty() {
        out += "<div class=\"pictures\">";
        for figure in &section.figures {
            out += &format!(
                "<figure>{}<figcaption>{} <small>{}</small></figcaption></figure>",
                work.picture(&figure.file)?,
                escaped(&figure.caption),
                escaped(&figure.file)
            );
        }
        out += "</div>\n";
    }
    Ok(out)
}

fn matrix(section: &Section) -> String {
    let (rows, columns) = axes(section);
    let head: String = columns.iter().map(|column| format!("<th>{}</th>", escaped(column))).collect();
    let mut out =
        format!("<div class=\"box\"><table><thead><tr><th class=\"name\"></th>{head}</tr></thead><tbody>");
    for row in rows {
        let cells: String = columns
            .iter()
            .map(|column| at(section, row, column).map_or_else(|| "<td></td>".into(), shown))
            .collect();
        out += &format!("<tr><th class=\"name\">{}</th>{cells}</tr>", escaped(row));
    }
    out + "</tbody></table></div>\n"
}

fn shown(cell: &Compared) -> String {
    let class = match cell.verdict {
        Verdict::Worse => "worse",
        Verdict::NotAvailable | Verdict::NoData => "none",
        _ if cell.as_printed == Verdict::Worse => "other",
        _ => "",
    };
    let ours = cell.best().map_or_else(|| "-".into(), |best| cell.unit.show(best.value));
    let published = cell.published.map(|value| cell.unit.show(value)).unwrap_or_default();
    let ratio = cell.ratio.map(|ratio| format!("<small>\u{d7} {ratio:.2}</small>")).unwrap_or_default();
    let mut title: Vec<String> = cell
        .ours
        .iter()
        .map(|reading| {
            let seeds = match reading.seeds {
                1 => String::new(),
                seeds => format!(
                    " ({} to {} over {} seeds)",
                    cell.unit.show(reading.low),
                    cell.unit.show(reading.high),
                    grouped(seeds)
                ),
            };
            format!("{}: {}{seeds}; {}", reading.name, cell.unit.show(reading.value), reading.setting)
        })
        .collect();
    title.push(cell.verdict.word().into());
    if !cell.word.is_empty() {
        title.push(cell.word.clone());
    }
    let word = match cell.verdict {
        Verdict::NotAvailable | Verdict::NoData => format!("<small>{}</small>", cell.verdict.word()),
        _ => String::new(),
    };
    format!(
        "<td class=\"{class}\" title=\"{}\"><b>{}</b><small>{}</small>{ratio}{word}</td>",
        escaped(&title.join("\n")),
        escaped(&ours),
        escaped(&published)
    )
}

/// Every cell that is worse, or not as printed, in a line.
fn differences(section: &Section) -> String {
    let listed = |cell: &&Compared| {
        cell.verdict == Verdict::Worse || (cell.verdict.judged() && cell.as_printed == Verdict::Worse)
    };
    let line = |cell: &Compared| {
        let best = cell.best()?;
        let published = cell.published?;
        Some(format!(
            "<tr><th class=\"name\">{}</th><td class=\"t\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"t\">{}</td><td \
             class=\"t wrap\">{}</td><td class=\"t wrap\">{}</td></tr>",
            escaped(&cell.row),
            escaped(&cell.column),
            escaped(&cell.unit.show(best.value)),
            escaped(&cell.unit.show(published)),
            cell.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
            cell.verdict.word(),
            escaped(&format!("{}; {}", best.name, best.setting)),
            escaped(&cell.word)
        ))
    };
    let lines: String = section.cells.iter().filter(listed).filter_map(line).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "<h3>Where they differ</h3><div class=\"box\"><table><thead><tr><th class=\"name\"></th><th \
         class=\"t\"></th><th>ours</th><th>published</th><th>ratio</th><th class=\"t\">verdict</th><th \
         class=\"t\">reading and setting</th><th class=\"t\">why</th></tr></thead><tbody>{lines}</tbody></table></div>\n"
    )
}

fn claims(claims: &[Claim]) -> String {
    let line = |claim: &Claim| {
        let class = if claim.confirmed == Some(false) { "worse" } else { "" };
        format!(
            "<tr><th class=\"name\">{}</th><td class=\"t wrap\">{}</td><td class=\"t {class}\"><b>{}</b></td><td class=\"t \
             wrap\">{}</td></tr>",
            escaped(&claim.place),
            escaped(&claim.claim),
            claim.word(),
            escaped(&claim.found)
        )
    };
    let lines: String = claims.iter().map(line).collect();
    format!(
        "<div class=\"box\"><table><thead><tr><th class=\"name\"></th><th class=\"t\">the paper</th><th \
         class=\"t\"></th><th class=\"t\">found</th></tr></thead><tbody>{lines}</tbody></table></div>\n"
    )
}
