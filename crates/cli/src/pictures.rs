//! The pictures of an embedding: what colors the points, what the titles say.

use crate::files::Labels;
use crate::source::Loaded;
use crate::summary::{Summary, grouped};
use lowland::{AnyMatrix, Datum, Error, Result};
use lowland_plot::{Coloring, Picture, Scatter, Shepard, Spectrum};
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

/// The Shepard diagram of a layout by stress.
pub fn shepard(summary: &Summary<'_>) -> Result<Picture> {
    let attributes = summary.model.attributes();
    let pairs = attributes.iter().find(|attribute| attribute.name == "shepard");
    let Some(Datum::Matrix(pairs)) = pairs.map(|attribute| &attribute.value) else {
        return Err(Error::Unsupported {
            method: summary.model.entry().name.into(),
            what: "show a Shepard diagram".into(),
            remedy: "leave out --plot-shepard, or choose sammon, mds or nonmetric-mds".into(),
        });
    };
    let stress = summary.model.report().objective.iter().find(|quantity| quantity.name == "stress-1");
    let stress = stress.map_or(f64::NAN, |quantity| quantity.value);
    Ok(lowland_plot::shepard(&Shepard {
        pairs: pairs.view(),
        title: &title(summary),
        subtitle: &format!("stress-1 {stress:.4}; {} pairs; {}", grouped(pairs.nrows()), summary.sizes()),
    }))
}

fn title(summary: &Summary<'_>) -> String {
    format!("{} of {}", summary.model.entry().title, summary.facts.input)
}
