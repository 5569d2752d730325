//! The pictures of the page: embeddings, their local distortion, spectra.

use crate::tables::{caption, cells_of, ranked};
use crate::words::{escaped, short};
use lowland::compare::{Cell, CellResult, Comparison, Judged};
use lowland::registry;
use lowland::units::count as counted;
use lowland_plot::{DotStyles, StyleKey, bars, thumbnail};
use std::fmt::Write;

/// Points in the pictures of settings that are not the best of their method.
const FEW: usize = 500;
/// A point's own trustworthiness of this or less is as bad as a picture shows.
const BAD: f64 = 0.7;

/// A picture that a click makes large, and another click small again.
fn figure(id: &str, inside: &str, caption: &str) -> String {
    format!(
        "<figure id=\"{id}\"><a class=\"zoom\" href=\"#{id}\" title=\"enlarge\">{inside}</a><a class=\"shut\" \
         href=\"#at-{id}\" id=\"at-{id}\">close</a>{caption}</figure>\n"
    )
}

/// The recommended picture beside that of PCA, or PCA's beside the best other one.
pub fn first(comparison: &Comparison, chosen: Option<&Cell>, styles: &DotStyles) -> String {
    let Some(chosen) = chosen else { return String::new() };
    let tried = |cell: &Cell| comparison.cells.iter().find(|tried| tried.cell == *cell);
    let judged = |tried: &'_ CellResult| tried.outcome.judged().cloned();
    let plain = |cell: &Cell| cell.method == registry::baseline().name;
    let other = comparison.ranking.iter().map(|ranked| &ranked.cell);
    let other = if plain(chosen) {
        other.clone().find(|cell| *cell != chosen)
    } else {
        other.clone().find(|cell| plain(cell)).or_else(|| {
            let all = comparison.cells.iter().map(|tried| &tried.cell);
            all.clone().find(|cell| plain(cell))
        })
    };
    let mut figures = String::new();
    for (cell, name) in [(Some(chosen), "recommended"), (other, "for comparison")] {
        let Some((tried, judged)) = cell.and_then(tried).and_then(|tried| Some((tried, judged(tried)?)))
        else {
            continue;
        };
        let picture =
            thumbnail(&positions(&judged), styles, &format!("{} embedding, {name}", tried.cell.method));
        let _ = writeln!(figures, "<figure>{picture}{}</figure>", caption(None, tried, &judged));
    }
    format!("{}<div class=\"first\">\n{figures}</div>\n", key(styles))
}

pub fn embeddings(comparison: &Comparison, styles: &DotStyles) -> String {
    let mut figures = String::new();
    for (position, _, tried, judged) in ranked(comparison) {
        let label = format!("{} embedding", tried.cell.method);
        figures += &figure(
            &format!("e{position}"),
            &thumbnail(&positions(judged), styles, &label),
            &caption(Some(position), tried, judged),
        );
    }
    if figures.is_empty() {
        return String::new();
    }
    let more = match comparison.dimensions {
        1 => " There is one component; the height means nothing.".to_owned(),
        2 => String::new(),
        d => format!(" Components 1 and 2 of {d} are shown."),
    };
    let sampled = if comparison.rows.len() < comparison.n {
        format!(" {} of the {} points are drawn.", comparison.rows.len(), comparison.n)
    } else {
        String::new()
    };
    format!(
        "<h2>Embeddings</h2>\n<p class=\"note\">The best setting of each method; a click on a picture enlarges \
         it.{more}{sampled}</p>\n{}<div \
         class=\"grid\">\n{figures}</div>\n",
        key(styles)
    )
}

pub fn distortions(comparison: &Comparison) -> String {
    let alarm = |values: &[f64]| DotStyles::alarm(values, 1.0, BAD);
    let mut figures = String::new();
    for (position, _, tried, judged) in ranked(comparison) {
        let (positions, picture) = (positions(judged), &judged.picture);
        let method = &tried.cell.method;
        let pair = format!(
            "<span class=\"two\"><span><small>trustworthiness</small>{}</span><span><small>continuity</small>{}</span>\
             </span>",
            thumbnail(
                &positions,
                &alarm(&picture.trustworthiness),
                &format!("{method}: local trustworthiness")
            ),
            thumbnail(&positions, &alarm(&picture.continuity), &format!("{method}: local continuity"))
        );
        figures += &figure(&format!("d{position}"), &pair, &caption(Some(position), tried, judged));
    }
    if figures.is_empty() {
        return String::new();
    }
    let scale: String = (0..8).map(|i| format!("<path class=\"a{i}\" d=\"M{} 10h15\"/>", i * 15)).collect();
    format!(
        "<h2>Local distortion</h2>\n<p class=\"note\">Each point by its own neighborhood in the picture. Red at the left: some of \
         its neighbors in the embedding are far away in the data. Red at the right: some of its neighbors in the data are far \
         away in the embedding.</p>\n<div class=\"key\"><span>1 (intact)</span><svg class=\"scale\" viewBox=\"0 0 120 20\" \
         preserveAspectRatio=\"none\">{scale}</svg><span>{BAD} or less</span></div>\n<div class=\"grid pairs\">\n\
         {figures}</div>\n"
    )
}

pub fn spectra(comparison: &Comparison) -> String {
    let mut figures = String::new();
    for (_, _, tried, judged) in ranked(comparison).filter(|row| !row.3.eigenvalues.is_empty()) {
        let values = &judged.eigenvalues;
        let label = format!("eigenvalues of {}", tried.cell.method);
        let ends = [values.first(), values.last()].map(|end| short(end.copied().unwrap_or(0.0)));
        let _ = writeln!(
            figures,
            "<figure>{}<figcaption><b>{}</b><small>{}, from {} to {}</small></figcaption></figure>",
            bars(values, &label),
            escaped(&tried.cell.method),
            counted(values.len(), "eigenvalue"),
            ends[0],
            ends[1]
        );
    }
    if figures.is_empty() {
        return String::new();
    }
    format!(
        "<h2>Spectra</h2>\n<p class=\"note\">The eigenvalues behind the components, in their order: the largest for \
         methods that keep variance, the smallest for those that keep neighborhoods.</p>\n<div class=\"grid\">\n\
         {figures}</div>\n"
    )
}

/// Every setting, folded by method.
pub fn all_cells(comparison: &Comparison, styles: &DotStyles) -> String {
    let shown = comparison.rows.len();
    let step = shown.div_ceil(FEW).max(1);
    let some: Vec<usize> = (0..shown).step_by(step).collect();
    let few = styles.select(&some);
    let mut folded = String::new();
    for (position, ranked, ..) in ranked(comparison) {
        let mut cells: Vec<(&CellResult, &Judged)> = comparison
            .cells
            .iter()
            .filter(|tried| tried.cell.method == ranked.cell.method)
            .filter_map(|tried| Some((tried, tried.outcome.judged()?)))
            .collect();
        cells.sort_by(|a, b| order(a.0).partial_cmp(&order(b.0)).unwrap_or(std::cmp::Ordering::Equal));
        let mut figures = String::new();
        if cells.len() > 1 {
            for (number, (tried, judged)) in cells.iter().enumerate() {
                let all = positions(judged);
                let positions: Vec<[f64; 2]> = some.iter().filter_map(|&i| all.get(i).copied()).collect();
                figures += &figure(
                    &format!("c{position}-{number}"),
                    &thumbnail(&positions, &few, &tried.cell.to_string()),
                    &format!("<figcaption>{}</figcaption>", escaped(&tried.cell.words())),
                );
            }
            figures = format!("<div class=\"grid small\">\n{figures}</div>\n");
        }
        let count = counted(cells.len(), "setting");
        let _ = writeln!(
            folded,
            "<details><summary>{position}. {} ({count})</summary>{}{figures}</details>",
            escaped(&ranked.names()),
            cells_of(&cells)
        );
    }
    if folded.is_empty() { folded } else { format!("<h2>Every setting</h2>\n{folded}") }
}

/// Settings by their numbers.
fn order(tried: &CellResult) -> Vec<f64> {
    use lowland::parameters::Value;
    let number = |value: &Value| match value {
        Value::Integer(value) => *value as f64,
        Value::Real(value) => *value,
        _ => 0.0,
    };
    tried.cell.settings.values().map(number).collect()
}

/// The positions of the dots. A single component has no height of its own: its dots are spread out so as to be seen.
fn positions(judged: &Judged) -> Vec<[f64; 2]> {
    let positions = &judged.picture.positions;
    if judged.components > 1 {
        return positions.clone();
    }
    let (low, high) = positions
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[0]), high.max(p[0])));
    let tall = 0.3 * (high - low);
    let spread =
        |(i, position): (usize, &[f64; 2])| [position[0], tall * ((i as f64 * 0.618_034).fract() - 0.5)];
    positions.iter().enumerate().map(spread).collect()
}

fn key(styles: &DotStyles) -> String {
    match &styles.key {
        StyleKey::None => String::new(),
        StyleKey::Names(names) => {
            let names: String = names
                .iter()
                .map(|(name, look)| {
                    format!(
                        "<span><svg viewBox=\"0 0 20 20\"><path class=\"{look}\" d=\"M10 10h.01\"/></svg>{}</span>",
                        escaped(name)
                    )
                })
                .collect();
            format!("<div class=\"key\">{names}</div>\n")
        }
        StyleKey::Scale(low, high, name) => {
            let steps: String =
                (0..16).map(|i| format!("<path class=\"v{i}\" d=\"M{} 10h8\"/>", i * 8)).collect();
            format!(
                "<div class=\"key\"><span>{}: {}</span><svg class=\"scale\" viewBox=\"0 0 128 20\" \
                 preserveAspectRatio=\"none\">{steps}</svg><span>{}</span></div>\n",
                escaped(name),
                short(*low),
                short(*high)
            )
        }
    }
}
