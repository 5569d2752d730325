//! What each recommendation is best for: a picture to look at, neighbors to keep, a classifier to feed. These differ.

use super::cell::Cell;
use super::ranking::{PICTURE, PLAIN, PRESERVATION, Ranked, rank};
use super::{Comparison, ComparisonOptions};
use crate::units::percent;
use serde::{Deserialize, Serialize};

/// What an embedding is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A picture, of the first two components.
    Picture,
    /// Neighbors stay neighbors, in all components.
    Neighbors,
    /// Rows that a vote of their neighbors labels correctly.
    Classifier,
}

impl Purpose {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Picture => "to look at",
            Self::Neighbors => "to keep neighbors",
            Self::Classifier => "to feed a classifier",
        }
    }

    fn measure(self) -> &'static str {
        match self {
            Self::Picture => PICTURE,
            Self::Neighbors => PRESERVATION,
            Self::Classifier => "knn_error",
        }
    }
}

/// A recommendation for one purpose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestFor {
    /// What it is for.
    pub purpose: Purpose,
    /// The method with its settings.
    pub cell: Cell,
    /// The methods that give the same.
    pub same_embedding: Vec<String>,
    /// The figures that decide.
    pub figures: String,
}

/// By how much the plainest method may be behind the best and still be recommended: it is linear, quick and exact.
const PLAIN_BEHIND: f64 = 0.01;

/// Points that move by more than this share of the spread say that an embedding is not stable.
pub(super) const UNSTABLE: f64 = 0.1;

/// The plainest of the methods that are as good as the best; else, where the best is surely not stable, the best of them that
/// is; else the best. None where none can be the best.
pub(super) fn chosen<'r>(comparison: &Comparison, ranking: &'r [Ranked]) -> Option<&'r Ranked> {
    let moves = |ranked: &Ranked| comparison.at(ranked)?.0.stability.map(|stable| stable.substitution);
    let best = ranking.first().filter(|ranked| ranked.excluded.is_none())?;
    let good = || ranking.iter().filter(|ranked| ranked.as_good && ranked.excluded.is_none());
    let near = |ranked: &&Ranked| {
        let scale = if best.score.value.abs() > 1.0 { best.score.value.abs() } else { 1.0 };
        ranked.cell.method == PLAIN && ranked.behind.value <= PLAIN_BEHIND * scale
    };
    if let Some(plain) = good().find(near) {
        return Some(plain);
    }
    // Exchanges that differ much from each other prove nothing; the doubts name them.
    if moves(best).is_some_and(|share| share.low > UNSTABLE)
        && let Some(stable) = good().find(|ranked| moves(ranked).is_some_and(|share| share.value <= UNSTABLE))
    {
        return Some(stable);
    }
    Some(best)
}

/// The best for every purpose that the data allow.
pub(super) fn best_for(comparison: &Comparison, comparing: &ComparisonOptions<'_>) -> Vec<BestFor> {
    let mut purposes = vec![Purpose::Picture, Purpose::Neighbors];
    if comparing.labels.is_some() {
        purposes.push(Purpose::Classifier);
    }
    let best = |purpose: Purpose| {
        let ranking = rank(&comparison.cells, purpose.measure()).ok()?;
        let chosen = chosen(comparison, &ranking)?;
        let (_, judged) = comparison.at(chosen)?;
        let value = |name: &str| judged.value(name).unwrap_or(f64::NAN);
        let figures = match purpose {
            Purpose::Picture => format!(
                "trustworthiness {:.3}, continuity {:.3} in the picture",
                judged.picture_quality.trustworthiness, judged.picture_quality.continuity
            ),
            Purpose::Neighbors => format!(
                "trustworthiness {:.3}, continuity {:.3} in {}",
                value("trustworthiness"),
                value("continuity"),
                crate::units::count(judged.components, "dimension")
            ),
            Purpose::Classifier => format!(
                "{} of the points are labeled wrongly by a vote of their neighbors, {} in the data",
                percent(value("knn_error")),
                percent(value("knn_error_data"))
            ),
        };
        Some(BestFor {
            purpose,
            cell: chosen.cell.clone(),
            same_embedding: chosen.same_embedding.clone(),
            figures,
        })
    };
    purposes.into_iter().filter_map(best).collect()
}

/// What cannot be the best, and why.
pub(super) fn excluded(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for ranked in comparison.ranking.iter().filter(|ranked| ranked.excluded.is_some()) {
        let (Some(why), Some((_, judged))) = (&ranked.excluded, comparison.at(ranked)) else { continue };
        let new = judged.value("knn_error_held_out").map(|error| {
            format!("; of rows that it had not seen, {} are labeled wrongly by a vote", percent(error))
        });
        lines.push(format!("{}: {why}{}.", ranked.cell.method, new.unwrap_or_default()));
    }
    lines
}
