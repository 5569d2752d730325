//! The best cell of every method, the best method first.

use super::cell::{Better, Cell, Judged};
use super::picture::coincide;
use super::{CellResult, number};
use crate::parameters::Value;
use crate::quality::Estimate;
use crate::units::percent;
use lowland_base::{Error, Result};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What ranks unless something else is asked for: the mean of trustworthiness and continuity.
pub const PRESERVATION: &str = "neighborhood_preservation";

/// What ranks pictures: the same of the two components that are drawn.
pub(super) const PICTURE: &str = "neighborhood_preservation_of_picture";

/// The plainest method: what is not better than it is not worth its trouble, and it stands for all that do the same.
pub(super) const PLAIN: &str = crate::methods::PCA.name;

/// Differences below this are not worth a choice: as a share of the best value where that has units or is beyond 1.
const WORTH: f64 = 0.005;

/// Whether a measure has the units of the data.
pub(super) fn has_units(measure: &str) -> bool {
    measure == "raw_stress"
}

/// A difference that is not worth a choice, beside this best value.
fn margin(best: f64, by: &str) -> f64 {
    WORTH * if has_units(by) { best.abs() } else { best.abs().max(1.0) }
}

/// The two-sided 95 % point of the normal distribution.
const SURE: f64 = 1.96;

/// A method's rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// Its best cell.
    pub cell: Cell,
    /// What it was ranked by. The interval takes the points as a sample of those that could have been drawn.
    #[serde(with = "number::estimate")]
    pub score: Estimate,
    /// By how much it is behind the best, over the same points.
    #[serde(with = "number::estimate")]
    pub behind: Estimate,
    /// Whether it cannot be distinguished from the best, or not by a difference that matters.
    pub as_good: bool,
    /// The score of its worst cell.
    pub worst: f64,
    /// How many of its cells were judged.
    pub judged: usize,
    /// The parameters whose best value is the first or last one tried.
    pub at_grid_end: Vec<String>,
    /// The methods whose embeddings are the same but for position, orientation and scale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_embedding: Vec<String>,
    /// Why it cannot be the best, whatever its score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<String>,
}

impl Ranked {
    /// The method, and those that give the same.
    pub fn names(&self) -> String {
        if self.same_embedding.is_empty() {
            self.cell.method.clone()
        } else {
            format!("{} (the same: {})", self.cell.method, self.same_embedding.join(", "))
        }
    }
}

/// A cell's score; less is better for some measures.
fn score(judged: &Judged, by: &str) -> Option<(Estimate, Better)> {
    if by == PRESERVATION || by == PICTURE {
        let value = if by == PICTURE {
            judged.picture_quality.kept()
        } else {
            judged.value("trustworthiness")? / 2.0 + judged.value("continuity")? / 2.0
        };
        let half = half_width(&each(judged, by));
        let score = Estimate { value, low: value - half, high: (value + half).min(1.0) };
        return Some((score, Better::More));
    }
    judged.measures.get(by).map(|figure| (figure.estimate, figure.better))
}

/// What is kept around each point.
fn each(judged: &Judged, by: &str) -> Vec<f64> {
    if by == PICTURE { judged.drawn() } else { judged.kept() }
}

/// Half the interval of a mean.
fn half_width(values: &[f64]) -> f64 {
    let m = values.len() as f64;
    if m < 2.0 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / m;
    let spread = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (m - 1.0);
    SURE * (spread / m).sqrt()
}

/// Why a cell cannot be the best, whatever its score.
fn why_excluded(cell: &Cell, judged: &Judged) -> Option<String> {
    if cell.entry().is_ok_and(|entry| entry.capabilities.labels) {
        return Some("it learned from the labels that judge it".into());
    }
    let share = percent(judged.picture_quality.half_share);
    judged
        .picture_quality
        .collapsed
        .then(|| format!("its picture has collapsed: half of the points share {share} of it"))
}

/// Ranks by a measure, or by [`PRESERVATION`]: first what can be the best, then what cannot, whatever its score.
pub(super) fn rank(cells: &[CellResult], by: &str) -> Result<Vec<Ranked>> {
    let of = |tried: &CellResult| tried.outcome.judged().and_then(|judged| why_excluded(&tried.cell, judged));
    let (fit, unfit): (Vec<&CellResult>, Vec<&CellResult>) =
        cells.iter().partition(|tried| of(tried).is_none());
    // Whether the measure is one: some only have it among those that cannot be the best.
    rank_alike(&cells.iter().collect::<Vec<_>>(), by)?;
    let mut ranking = grouped(rank_alike(&fit, by).unwrap_or_default(), cells);
    for mut other in rank_alike(&unfit, by).unwrap_or_default() {
        if ranking.iter().any(|known| known.cell.method == other.cell.method) {
            continue;
        }
        let tried = cells.iter().find(|tried| tried.cell == other.cell);
        other.excluded = tried.and_then(of);
        other.as_good = false;
        ranking.push(other);
    }
    Ok(ranking)
}

/// Methods with the same embedding in one entry, under the name of the plainest or else of the best.
fn grouped(ranking: Vec<Ranked>, cells: &[CellResult]) -> Vec<Ranked> {
    let picture = |ranked: &Ranked| {
        let tried = cells.iter().find(|tried| tried.cell == ranked.cell)?;
        Some(&tried.outcome.judged()?.picture)
    };
    let mut groups: Vec<Ranked> = Vec::new();
    for mut ranked in ranking {
        let same = |group: &&mut Ranked| matches!((picture(group), picture(&ranked)), (Some(a), Some(b)) if coincide(a, b));
        match groups.iter_mut().find(same) {
            Some(group) if ranked.cell.method == PLAIN => {
                ranked.same_embedding = std::mem::take(&mut group.same_embedding);
                ranked.same_embedding.insert(0, group.cell.method.clone());
                *group = ranked;
            }
            Some(group) => group.same_embedding.push(ranked.cell.method),
            None => groups.push(ranked),
        }
    }
    groups
}

/// Ranks cells that can all be the best, or none of them.
fn rank_alike(cells: &[&CellResult], by: &str) -> Result<Vec<Ranked>> {
    let mut known = BTreeSet::from([PRESERVATION]);
    let mut scored: Vec<(&Cell, &Judged, Estimate, Better)> = Vec::new();
    for tried in cells {
        let Some(judged) = tried.outcome.judged() else { continue };
        known.extend(judged.measures.keys().map(String::as_str));
        if let Some((score, better)) = score(judged, by).filter(|(score, _)| !score.value.is_nan()) {
            scored.push((&tried.cell, judged, score, better));
        }
    }
    if scored.is_empty() && !known.contains(by) && known.len() > 1 {
        let known: Vec<&str> = known.into_iter().collect();
        return Err(Error::parameter(
            "rank_by",
            by,
            format!("it must be one of {}", known.join(", ")),
            "choose one of these; those of classes need labels",
        ));
    }
    let sign = |better: Better| if better == Better::More { 1.0 } else { -1.0 };
    let order = |a: &(&Cell, &Judged, Estimate, Better),
                 b: &(&Cell, &Judged, Estimate, Better)|
     -> Ordering { (sign(b.3) * b.2.value).total_cmp(&(sign(a.3) * a.2.value)) };
    // Stable: of equally good cells the first one wins, which is nearest to the middle of its grid.
    scored.sort_by(order);
    let Some(&(_, best, best_score, better)) = scored.first() else { return Ok(Vec::new()) };
    let mut ranking: Vec<Ranked> = Vec::new();
    for (cell, judged, score, _) in &scored {
        if let Some(known) = ranking.iter_mut().find(|ranked| ranked.cell.method == cell.method) {
            (known.worst, known.judged) = (score.value, known.judged + 1);
            continue;
        }
        let behind = behind(best, judged, (best_score, *score), sign(better), by);
        ranking.push(Ranked {
            cell: (*cell).clone(),
            score: *score,
            behind,
            as_good: behind.low <= 0.0 || behind.value < margin(best_score.value, by),
            worst: score.value,
            judged: 1,
            at_grid_end: at_grid_end(cell, scored.iter().map(|scored| scored.0)),
            same_embedding: Vec::new(),
            excluded: None,
        });
    }
    Ok(ranking)
}

/// By how much a cell is behind the best: point by point where they have points, else by the two intervals.
fn behind(best: &Judged, other: &Judged, scores: (Estimate, Estimate), sign: f64, by: &str) -> Estimate {
    let value = (sign * (scores.0.value - scores.1.value)).max(0.0);
    let (a, b) = (each(best, by), each(other, by));
    let half = if (by == PRESERVATION || by == PICTURE) && a.len() == b.len() {
        half_width(&a.iter().zip(&b).map(|(a, b)| a - b).collect::<Vec<f64>>())
    } else {
        (scores.0.high - scores.0.low).hypot(scores.1.high - scores.1.low) / 2.0
    };
    Estimate { value, low: value - half, high: value + half }
}

/// The parameters whose value is the smallest or the largest of at least three that were tried.
fn at_grid_end<'c>(cell: &Cell, all: impl Iterator<Item = &'c Cell>) -> Vec<String> {
    let number = |value: &Value| match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        _ => None,
    };
    let like: Vec<&Cell> = all.filter(|other| other.method == cell.method).collect();
    let ends = |(name, value): (&String, &Value)| {
        let own = number(value)?;
        let mut tried: Vec<f64> = like.iter().filter_map(|other| number(other.settings.get(name)?)).collect();
        tried.sort_by(f64::total_cmp);
        tried.dedup();
        let end = tried.len() > 2 && (tried.first() == Some(&own) || tried.last() == Some(&own));
        end.then(|| name.clone())
    };
    cell.settings.iter().filter_map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worth_a_choice_does_not_depend_on_the_units() {
        assert_eq!(margin(0.9, PRESERVATION), WORTH);
        assert_eq!(margin(0.001, "normalized_stress"), WORTH);
        for unit in [1e-12, 1.0, 1e9] {
            assert_eq!(margin(unit, "raw_stress"), WORTH * unit);
        }
    }
}
