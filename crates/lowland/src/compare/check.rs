//! Whether a comparison can be what it is asked to be: found out before anything is fitted.

use super::grid::{Override, concerns};
use super::ranking::PRESERVATION;
use crate::method::Entry;
use crate::quality::{CLASS_MEASURES, MEASURES};
use crate::registry;
use lowland_base::names::{nearest, simplified};
use lowland_base::{Error, Result};

/// The measures that only some models have.
const OF_MODELS: [&str; 4] =
    ["reconstruction_error", "kernel_error", "kernel_error_held_out", "knn_error_held_out"];

/// The measure that ranks must be one, and those of classes need labels.
pub(super) fn rank_by(measure: Option<&str>, labeled: bool) -> Result<()> {
    let Some(by) = measure else { return Ok(()) };
    let mut known: Vec<&str> = [&[PRESERVATION][..], &MEASURES, &OF_MODELS].concat();
    if labeled {
        known.extend(CLASS_MEASURES);
    }
    if known.contains(&by) {
        return Ok(());
    }
    let remedy = if CLASS_MEASURES.contains(&by) {
        "give labels: it judges by classes".to_owned()
    } else {
        format!("the nearest name is '{}'", nearest(&simplified(by), known.iter().copied()))
    };
    Err(Error::parameter("rank_by", by, format!("it must be one of {}", known.join(", ")), remedy))
}

/// Every override must be of a parameter that some method of the comparison has, with values that it takes.
pub(super) fn grid(overrides: &[Override], entries: &[&'static Entry]) -> Result<()> {
    for other in overrides {
        let grid = match &other.method {
            Some(method) => format!("{method}.{}", other.parameter),
            None => other.parameter.clone(),
        };
        let concerned: Vec<&'static Entry> =
            entries.iter().copied().filter(|entry| concerns(other, entry)).collect();
        if let (true, Some(method)) = (concerned.is_empty(), &other.method) {
            let entry = registry::find(method)?;
            let chosen: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
            let bound = format!("for a method that is compared: {}", chosen.join(", "));
            let remedy = format!("compare {} too, or leave it out", entry.name);
            return Err(Error::parameter("grid", grid, bound, remedy));
        }
        let names = |entry: &&'static Entry| (entry.parameters)().into_iter().map(|p| p.name);
        let able: Vec<&'static Entry> = concerned
            .iter()
            .copied()
            .filter(|entry| names(entry).any(|name| name == other.parameter))
            .collect();
        if able.is_empty() {
            let known: Vec<&str> = concerned.iter().flat_map(names).collect();
            let near = nearest(&simplified(&other.parameter), known.into_iter());
            let bound = match &concerned[..] {
                [one] => format!("{} has no parameter {}", one.name, other.parameter),
                _ => format!("none of the methods has a parameter {}", other.parameter),
            };
            return Err(Error::parameter("grid", grid, bound, format!("the nearest name is '{near}'")));
        }
        // What some methods take and others do not is skipped where it does not fit.
        for value in &other.values {
            let taken: Vec<Result<()>> =
                able.iter().map(|entry| (entry.create)().set(&other.parameter, value)).collect();
            if taken.iter().all(Result::is_err) {
                taken.into_iter().collect::<Result<()>>()?;
            }
        }
    }
    Ok(())
}
