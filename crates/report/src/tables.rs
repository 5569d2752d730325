//! The tables of the page.

use crate::words::{MEASURES, duration, escaped, percent, short, thousandths, with_interval};
use lowland::compare::{Better, CellResult, Comparison, Judged, Outcome, Ranked};
use lowland::human_bytes;
use lowland::units::{count as counted, one_or_many};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The rows of the ranking that can be shown.
pub fn ranked(comparison: &Comparison) -> impl Iterator<Item = (usize, &Ranked, &CellResult, &Judged)> {
    let known =
        |(rank, ranked)| comparison.at(ranked).map(|(tried, judged)| (rank + 1, ranked, tried, judged));
    comparison.ranking.iter().enumerate().filter_map(known)
}

/// A measure: its name, the head of its column, its meaning.
type Column = (&'static str, &'static str, &'static str);

/// The measures that any cell has, in the order of the table.
fn columns(comparison: &Comparison) -> Vec<&'static Column> {
    let judged: Vec<&Judged> = comparison.cells.iter().filter_map(|tried| tried.outcome.judged()).collect();
    MEASURES.iter().filter(|(name, ..)| judged.iter().any(|one| one.measures.contains_key(*name))).collect()
}

/// The measures that the table shows beside the score; the others are behind a fold.
const FIRST: [&str; 4] = ["trustworthiness", "continuity", "r_nx_area", "knn_error"];

pub fn ranking(comparison: &Comparison) -> String {
    if comparison.ranking.is_empty() {
        return String::new();
    }
    let all = columns(comparison);
    let (first, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(name, ..)| FIRST.contains(name));
    let excluded = if comparison.ranking.iter().any(|ranked| ranked.excluded.is_some()) {
        " Those at the end, without a number, cannot be the best, whatever their score."
    } else {
        ""
    };
    let more = match others.as_slice() {
        [] => String::new(),
        others => format!(
            "<details><summary>{} more measures, and the memory</summary>\n{}</details>\n",
            others.len(),
            table(comparison, others, false)
        ),
    };
    format!(
        "<h2>Ranking</h2>\n<p class=\"note\">The best setting of each method, by {}. Below a figure: its 95 % interval; \
         that of the score takes the points as a sample of those that could have been drawn, those of the measures say \
         how well a sampled figure is known, and without one all points were counted. Green is best in its column.{excluded}\
         </p>\n{}{more}",
        if comparison.ranked_by == "neighborhood_preservation" {
            "the mean of trustworthiness and continuity".to_owned()
        } else {
            escaped(&comparison.ranked_by)
        },
        table(comparison, &first, true)
    )
}

/// The ranked methods with these measures; the first table has what ranks, the other what is left.
fn table(comparison: &Comparison, columns: &[&Column], first: bool) -> String {
    let rows: Vec<_> = ranked(comparison).collect();
    let can_be_best = || rows.iter().filter(|row| row.1.excluded.is_none()).map(|row| row.3);
    let best: BTreeMap<&str, f64> = columns
        .iter()
        .filter(|(name, ..)| !name.ends_with("_data") || *name == "rank_error_data")
        // Kernels differ: the least error is not the best method's.
        .filter(|(name, ..)| !name.starts_with("kernel_error"))
        .filter_map(|(name, ..)| Some((*name, best_of(name, can_be_best())?)))
        .collect();
    let mut head = String::from("<th class=\"name\">method</th>");
    if first {
        head += "<th title=\"what ranks\">score</th><th title=\"by how much it is behind the best, over the same \
                 points\">behind</th>";
    }
    for (_, short, meaning) in columns {
        let _ = write!(head, "<th title=\"{}\">{}</th>", escaped(meaning), escaped(short));
    }
    head += if first { "<th>fit</th>" } else { "<th>memory</th>" };
    let mut body = String::new();
    for (rank, ranked, tried, judged) in rows.iter().copied() {
        let number = if ranked.excluded.is_some() { String::new() } else { format!("{rank}. ") };
        let notes: Vec<String> = [
            Some(tried.cell.words()).filter(|_| !tried.cell.settings.is_empty()),
            Some(format!("the same: {}", ranked.same_embedding.join(", ")))
                .filter(|_| !ranked.same_embedding.is_empty()),
            ranked.excluded.clone(),
        ]
        .into_iter()
        .flatten()
        .map(|note| format!("<small>{}</small>", escaped(&note)))
        .collect();
        let _ = write!(
            body,
            "<tr><th class=\"name\" data-v=\"{rank}\">{number}{}{}</th>",
            escaped(&tried.cell.method),
            notes.concat()
        );
        if first {
            let behind = match comparison.ranked_by.as_str() {
                _ if rank == 1 || ranked.excluded.is_some() => "–".to_owned(),
                // It has the units of the data.
                "raw_stress" => with_interval(&ranked.behind),
                _ => thousandths(&ranked.behind),
            };
            let _ = write!(
                body,
                "<td data-v=\"{}\">{}</td><td data-v=\"{}\">{behind}{}</td>",
                ranked.score.value,
                with_interval(&ranked.score),
                ranked.behind.value,
                if ranked.as_good && rank > 1 { "<small>as good</small>" } else { "" }
            );
        }
        for (name, ..) in columns {
            let best = best.get(name).copied().filter(|_| ranked.excluded.is_none());
            body += &figure(judged, name, best);
        }
        let (value, words) = if first {
            (judged.seconds, duration(judged.seconds))
        } else {
            (judged.memory_bytes as f64, human_bytes(judged.memory_bytes))
        };
        let _ = writeln!(body, "<td data-v=\"{value}\">{words}</td></tr>");
    }
    format!(
        "<div class=\"box\" tabindex=\"0\"><table class=\"sorted\"><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody>\
         </table></div>\n"
    )
}

/// The best value of a measure.
fn best_of<'a>(name: &str, judged: impl Iterator<Item = &'a Judged>) -> Option<f64> {
    let figures = judged.filter_map(|judged| judged.measures.get(name));
    let order = |a: &f64, b: &f64| a.total_cmp(b);
    let values: Vec<(f64, Better)> = figures.map(|figure| (figure.estimate.value, figure.better)).collect();
    let numbers = values.iter().map(|value| value.0);
    match values.first()?.1 {
        Better::More => numbers.max_by(order),
        Better::Less => numbers.min_by(order),
    }
}

fn figure(judged: &Judged, name: &str, best: Option<f64>) -> String {
    let Some(figure) = judged.measures.get(name) else { return "<td>n/a</td>".into() };
    let class = if best == Some(figure.estimate.value) { " class=\"best\"" } else { "" };
    format!("<td{class} data-v=\"{}\">{}</td>", figure.estimate.value, with_interval(&figure.estimate))
}

pub fn stability(comparison: &Comparison) -> String {
    let rows: Vec<_> = ranked(comparison).filter_map(|row| Some((row.1, row.2.stability?))).collect();
    let Some((_, first)) = rows.first() else { return String::new() };
    let mut body = String::new();
    let summary = |estimate: &lowland::quality::Estimate| {
        let ends = [estimate.low, estimate.high].map(|end| percent(end).replace('-', "−"));
        format!("{}<small>{} to {}</small>", percent(estimate.value).replace('-', "−"), ends[0], ends[1])
    };
    for (ranked, stable) in &rows {
        let _ = writeln!(
            body,
            "<tr><th class=\"name\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&ranked.cell.method),
            summary(&stable.substitution),
            summary(&stable.out_of_sample),
            summary(&stable.difference)
        );
    }
    format!(
        "<h2>Stability</h2>\n<p class=\"note\">How far points move when {} of the {} rows {}, and \
         how far a new point lands from where it lies when it is part of the fit; in shares of the spread of the \
         embedding, after alignment, with 95 % intervals over {}. A difference that is not below 0: new points \
         can be trusted as much as those of the fit.</p>\n<div class=\"box\" tabindex=\"0\"><table><thead><tr><th \
         class=\"name\">method</th><th>rows exchanged</th><th>new point</th><th>difference</th></tr></thead><tbody>\n\
         {body}</tbody></table></div>\n",
        first.exchanged,
        comparison.n,
        one_or_many(first.exchanged, "is exchanged for another", "are exchanged for others"),
        counted(first.splits, "split")
    )
}

pub fn cost(comparison: &Comparison) -> String {
    let mut rows: Vec<_> = ranked(comparison).collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.sort_by(|a, b| a.3.seconds.total_cmp(&b.3.seconds));
    let most = rows.iter().map(|row| row.3.seconds).fold(1e-9, f64::max);
    let mut body = String::new();
    for (_, ranked, _, judged) in rows {
        let _ = writeln!(
            body,
            "<tr><th class=\"name\">{}</th><td data-v=\"{}\">{}</td><td class=\"bar\"><span class=\"meter\" \
             style=\"width:{:.1}%\"></span></td><td data-v=\"{}\">{}</td></tr>",
            escaped(&ranked.cell.method),
            judged.seconds,
            duration(judged.seconds),
            100.0 * judged.seconds / most,
            judged.memory_bytes,
            human_bytes(judged.memory_bytes)
        );
    }
    format!(
        "<h2>Cost</h2>\n<p class=\"note\">The time of one fit on the threads that a setting had (most often one, for \
         settings run side by side), and the memory that it was forecast to need beyond the data.</p>\n<div \
         class=\"box\" tabindex=\"0\"><table class=\"sorted\"><thead><tr><th class=\"name\">method</th><th>time</th><th \
         class=\"t\"></th><th>memory</th></tr></thead><tbody>\n{body}</tbody></table></div>\n"
    )
}

/// What was skipped and what failed, settings with the same outcome in one row.
pub fn left_out(comparison: &Comparison) -> String {
    let mut rows: Vec<(&str, &str, &str, Vec<String>)> = Vec::new();
    for tried in &comparison.cells {
        let (outcome, reason) = match &tried.outcome {
            Outcome::Judged(_) => continue,
            Outcome::Failed { reason } => ("failed", reason),
            Outcome::Skipped { reason, .. } => ("skipped", reason),
        };
        let method = tried.cell.method.as_str();
        let words = if tried.cell.settings.is_empty() { String::new() } else { tried.cell.words() };
        match rows.iter_mut().find(|known| known.0 == method && known.1 == outcome && known.2 == reason) {
            Some(known) => known.3.push(words),
            None => rows.push((method, outcome, reason, vec![words])),
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut body = String::new();
    for (method, outcome, reason, settings) in rows {
        let settings = match settings.len() {
            1 => settings.concat(),
            many => format!("{many} settings"),
        };
        let _ = writeln!(
            body,
            "<tr><th class=\"name\">{}<small>{}</small></th><td class=\"t\">{outcome}</td><td class=\"t wrap\">{}</td></tr>",
            escaped(method),
            escaped(&settings),
            escaped(reason)
        );
    }
    format!(
        "<h2>Skipped and failed</h2>\n<div class=\"box\" tabindex=\"0\"><table><thead><tr><th class=\"name\">method</th>\
         <th class=\"t\">outcome</th><th class=\"t\">reason</th></tr></thead><tbody>\n{body}</tbody></table></div>\n"
    )
}

/// What the measures mean.
pub fn measures(comparison: &Comparison) -> String {
    let lines: String = columns(comparison)
        .iter()
        .map(|(_, short, meaning)| format!("<dt>{}</dt><dd>{}</dd>", escaped(short), escaped(meaning)))
        .collect();
    if lines.is_empty() { String::new() } else { format!("<h2>The measures</h2>\n<dl>{lines}</dl>\n") }
}

/// All cells of a method: settings and the figures that matter most.
pub fn cells_of(tried: &[(&CellResult, &Judged)]) -> String {
    let names = ["trustworthiness", "continuity", "r_nx_area", "one_nn_error", "spearman"];
    let shown: Vec<_> = MEASURES
        .iter()
        .filter(|(name, ..)| {
            names.contains(name) && tried.iter().any(|(_, j)| j.measures.contains_key(*name))
        })
        .collect();
    let head: String = shown.iter().map(|(_, short, _)| format!("<th>{}</th>", escaped(short))).collect();
    let mut body = String::new();
    for (tried, judged) in tried {
        let _ = write!(body, "<tr><th class=\"name\">{}</th>", escaped(&tried.cell.words()));
        for (name, ..) in &shown {
            body += &figure(judged, name, None);
        }
        let warnings: Vec<String> = judged.warnings.iter().map(|words| escaped(words)).collect();
        let _ = writeln!(
            body,
            "<td>{}</td><td class=\"t wrap\">{}</td></tr>",
            duration(judged.seconds),
            warnings.join("<br>")
        );
    }
    format!(
        "<div class=\"box\" tabindex=\"0\"><table><thead><tr><th class=\"name\">setting</th>{head}<th>fit</th><th \
         class=\"t\">warnings</th></tr></thead><tbody>\n{body}</tbody></table></div>\n"
    )
}

/// The caption of a picture: what it is, and how far it can be trusted.
pub fn caption(rank: Option<usize>, tried: &CellResult, judged: &Judged) -> String {
    let rank = rank.map(|rank| format!("{rank}. ")).unwrap_or_default();
    let settings = match tried.cell.settings.len() {
        0 => String::new(),
        _ => format!("<small>{}</small>", escaped(&tried.cell.words())),
    };
    format!(
        "<figcaption><b>{rank}{}</b>{settings}<small>trust {}, continuity {}{}</small></figcaption>",
        escaped(&tried.cell.method),
        short(judged.picture_quality.trustworthiness),
        short(judged.picture_quality.continuity),
        if judged.components > 2 { " in the picture" } else { "" }
    )
}
