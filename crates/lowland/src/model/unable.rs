//! What a model says that cannot do what it was asked for: the methods that can are the remedy.

use crate::{Entry, registry};
use lowland_base::Error;
use lowland_base::units::alternatives;

/// So many names are listed; of more, the first few.
const LISTED: usize = 12;
const FEW: usize = 3;

/// It does not go back from the embedding.
pub(crate) fn to_invert(entry: &Entry) -> Error {
    unable(entry, "go back from the embedding", |other| other.capabilities.inverse)
}

/// It has no density.
pub(crate) fn to_give_density(entry: &Entry) -> Error {
    unable(entry, "give a likelihood: its model is not a density", |other| other.capabilities.density)
}

/// It has no energy.
pub(crate) fn to_give_energy(entry: &Entry) -> Error {
    let what = "give a free energy: its model is not a Boltzmann machine";
    unable(entry, what, |other| other.capabilities.energy)
}

/// It has no density to draw from.
pub(crate) fn to_sample(entry: &Entry) -> Error {
    let draws = |other: &Entry| other.capabilities.density || other.capabilities.energy;
    unable(entry, "draw rows: its model is not a density", draws)
}

/// It has no clusters.
pub(crate) fn to_assign(entry: &Entry) -> Error {
    let groups = |other: &Entry| other.capabilities.mixture || other.name == registry::clustering().name;
    unable(entry, "assign points to clusters", groups)
}

/// It has no parts.
pub(crate) fn to_give_responsibilities(entry: &Entry) -> Error {
    unable(entry, "give responsibilities: its model is not a mixture", |other| other.capabilities.mixture)
}

/// It knows no missing values.
pub(crate) fn to_impute(entry: &Entry) -> Error {
    unable(entry, "fill in missing values", |other| other.capabilities.missing)
}

fn unable(entry: &Entry, what: &str, can: impl Fn(&Entry) -> bool) -> Error {
    let others = registry::all().iter().filter(|other| other.name != entry.name && can(other));
    let able: Vec<&str> = others.map(|other| other.name).collect();
    let remedy = match able.len() {
        0 => "choose another method".into(),
        1..=LISTED => format!("choose {}", alternatives(&able)),
        _ => format!("choose a method that can, such as {}", alternatives(&able[..FEW])),
    };
    Error::Unsupported { method: entry.name.into(), what: what.into(), remedy }
}
