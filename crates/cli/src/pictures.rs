//! The pictures of an embedding: what colors the points, what the titles say.

use crate::files::Labels;
use crate::source::Loaded;
use crate::summary::{Summary, grouped};
use lowland::{AnyMatrix, Error, Result};
use lowland_plot::{Coloring, Picture, Scatter, Spectrum};
use std::collections::BTreeSet;

/// Whole numbers with at most this many different values are classes, not quantities.
const MOST_NUMBERED_CLASSES: usize = 30;

pub fn scatter(embedding: &AnyMatrix, loaded: &Loaded, summary: &Summary<'_>) -> Picture {
    let coordinates = embedding.to_f64();
    let classes = classes(loaded);
    let coloring = coloring(loaded, classes.as_deref());
    let title = title(summary);
    lowland_plot::scatter(&Scatter {
        coordinates: coordinates.view(),
        coloring,
        title: &title,
        subtitle: &summary.sizes(),
    })
}

/// What colors the points: the known structure, the classes, or the values.
pub fn coloring<'l>(loaded: &'l Loaded, classes: Option<&'l [String]>) -> Coloring<'l> {
    match (&loaded.structure, classes, &loaded.labels) {
        (Some((values, name)), ..) => Coloring::Values(values, name),
        (_, Some(names), _) => Coloring::Classes(names),
        (_, _, Some(Labels::Numbers(values))) => Coloring::Values(values, "value"),
        _ => Coloring::Plain,
    }
}

/// The labels as names of classes, where they are.
pub fn classes(loaded: &Loaded) -> Option<Vec<String>> {
    match loaded.labels.as_ref()? {
        Labels::Words(words) => Some(words.clone()),
        Labels::Numbers(numbers) => {
            let mut seen = BTreeSet::new();
            for number in numbers {
                if number.fract() != 0.0 {
                    return None;
                }
                seen.insert(*number as i64);
                if seen.len() > MOST_NUMBERED_CLASSES {
                    return None;
                }
            }
            Some(numbers.iter().map(ToString::to_string).collect())
        }
    }
}

pub fn spectrum(summary: &Summary<'_>) -> Result<Picture> {
    let report = summary.model.report();
    let method = summary.model.entry();
    if report.eigenvalues.is_empty() {
        return Err(Error::Unsupported {
            method: method.name.into(),
            what: "show a spectrum".into(),
            remedy: "leave out --plot-spectrum: this method has no eigenvalues".into(),
        });
    }
    let share = report.objective.iter().find(|q| q.name.ends_with("share")).map(|q| q.value);
    let count = report.eigenvalues.len();
    Ok(lowland_plot::spectrum(&Spectrum {
        eigenvalues: &report.eigenvalues,
        share,
        title: &title(summary),
        subtitle: &format!("{} eigenvalues; {}", grouped(count), summary.sizes()),
    }))
}

fn title(summary: &Summary<'_>) -> String {
    format!("{} of {}", summary.model.entry().title, summary.facts.input)
}
