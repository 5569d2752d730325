//! The pictures of the page: embeddings, where not to believe them, spectra.

use crate::tables::{caption, cells_of, ranked};
use crate::words::{escaped, short};
use lowland::compare::{Comparison, Judged, Tried};
use lowland_plot::{Looks, LooksKey, bars, thumbnail};
use std::fmt::Write;

/// Points in the pictures of settings that are not the best of their method.
const FEW: usize = 500;
/// A point's own trustworthiness of this or less is as bad as a picture shows.
const BAD: f64 = 0.7;

pub fn embeddings(comparison: &Comparison, looks: &Looks) -> String {
    let mut figures = String::new();
    for (place, _, tried, judged) in ranked(comparison) {
        let label = format!("{} embedding", tried.cell.method);
        let _ = writeln!(
            figures,
            "<figure>{}{}</figure>",
            thumbnail(&places(judged), looks, &label),
            caption(Some(place), tried, judged)
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
        format!(" {} of the points are drawn.", comparison.rows.len())
    } else {
        String::new()
    };
    format!(
        "<h2>Embeddings</h2>\n<p class=\"note\">The best setting of each method.{more}{sampled}</p>\n{}<div \
         class=\"grid\">\n{figures}</div>\n",
        key(looks)
    )
}

pub fn distortions(comparison: &Comparison) -> String {
    let alarm = |values: &[f64]| Looks::alarm(values, 1.0, BAD);
    let mut figures = String::new();
    for (place, _, tried, judged) in ranked(comparison) {
        let (places, sight) = (places(judged), &judged.sight);
        let method = &tried.cell.method;
        let _ = writeln!(
            figures,
            "<figure><div class=\"two\"><div><span>trustworthiness</span>{}</div><div><span>continuity</span>{}</div>\
             </div>{}</figure>",
            thumbnail(&places, &alarm(&sight.trustworthiness), &format!("{method}: local trustworthiness")),
            thumbnail(&places, &alarm(&sight.continuity), &format!("{method}: local continuity")),
            caption(Some(place), tried, judged)
        );
    }
    if figures.is_empty() {
        return String::new();
    }
    let scale: String = (0..8).map(|i| format!("<path class=\"a{i}\" d=\"M{} 10h15\"/>", i * 15)).collect();
    format!(
        "<h2>Where not to believe the picture</h2>\n<p class=\"note\">Each point by its own neighborhood. Red at the \
         left: strangers are among its neighbors in the embedding. Red at the right: its neighbors in the data were torn \
         away.</p>\n<div class=\"key\"><span>1 (intact)</span><svg class=\"scale\" viewBox=\"0 0 120 20\" \
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
            "<figure>{}<figcaption><b>{}</b><small>{} eigenvalues, from {} to {}</small></figcaption></figure>",
            bars(values, &label),
            escaped(&tried.cell.method),
            values.len(),
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
pub fn all_cells(comparison: &Comparison, looks: &Looks) -> String {
    let shown = comparison.rows.len();
    let step = shown.div_ceil(FEW).max(1);
    let some: Vec<usize> = (0..shown).step_by(step).collect();
    let few = looks.select(&some);
    let mut folded = String::new();
    for (place, ranked, ..) in ranked(comparison) {
        let mut cells: Vec<(&Tried, &Judged)> = comparison
            .cells
            .iter()
            .filter(|tried| tried.cell.method == ranked.cell.method)
            .filter_map(|tried| Some((tried, tried.outcome.judged()?)))
            .collect();
        cells.sort_by(|a, b| order(a.0).partial_cmp(&order(b.0)).unwrap_or(std::cmp::Ordering::Equal));
        let mut figures = String::new();
        if cells.len() > 1 {
            for (tried, judged) in &cells {
                let all = places(judged);
                let places: Vec<[f64; 2]> = some.iter().filter_map(|&i| all.get(i).copied()).collect();
                let _ = writeln!(
                    figures,
                    "<figure>{}<figcaption>{}</figcaption></figure>",
                    thumbnail(&places, &few, &tried.cell.to_string()),
                    escaped(&tried.cell.words())
                );
            }
            figures = format!("<div class=\"grid small\">\n{figures}</div>\n");
        }
        let count = match cells.len() {
            1 => "1 setting".to_owned(),
            many => format!("{many} settings"),
        };
        let _ = writeln!(
            folded,
            "<details><summary>{place}. {} ({count})</summary>{}{figures}</details>",
            escaped(&ranked.cell.method),
            cells_of(&cells)
        );
    }
    if folded.is_empty() { folded } else { format!("<h2>Every setting</h2>\n{folded}") }
}

/// Settings by their numbers.
fn order(tried: &Tried) -> Vec<f64> {
    use lowland::parameters::Value;
    let number = |value: &Value| match value {
        Value::Integer(value) => *value as f64,
        Value::Real(value) => *value,
        _ => 0.0,
    };
    tried.cell.settings.values().map(number).collect()
}

/// The places of the dots. A single component has no height of its own: its dots are spread out so as to be seen.
fn places(judged: &Judged) -> Vec<[f64; 2]> {
    let places = &judged.sight.places;
    if judged.components > 1 {
        return places.clone();
    }
    let (low, high) = places
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[0]), high.max(p[0])));
    let tall = 0.3 * (high - low);
    let spread = |(i, place): (usize, &[f64; 2])| [place[0], tall * ((i as f64 * 0.618_034).fract() - 0.5)];
    places.iter().enumerate().map(spread).collect()
}

fn key(looks: &Looks) -> String {
    match &looks.key {
        LooksKey::None => String::new(),
        LooksKey::Names(names) => {
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
        LooksKey::Scale(low, high, name) => {
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
