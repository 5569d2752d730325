//! The ranking in plain words: what to do, why, and what speaks against it.

use super::best_for::{self, BestFor, UNSTABLE, chosen};
use super::cell::Judged;
use super::counted;
use super::engine::Unmeasured;
use super::number::Significant;
use super::ranking::{PICTURE, PLAIN, PRESERVATION, Ranked, has_units, rank};
use super::words::{interval, spent};
use super::{CellResult, Comparison, ComparisonOptions};
use crate::parameters::Value;
use crate::quality::Estimate;
use crate::units::percent;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What to do.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Advice {
    /// In one sentence.
    pub recommendation: String,
    /// The method; none where nothing could be judged.
    pub method: Option<String>,
    /// Its settings, beside the number of components.
    pub settings: BTreeMap<String, Value>,
    /// The best for each purpose: to look at, to keep neighbors, to feed a classifier.
    pub best_for: Vec<BestFor>,
    /// Why.
    pub reasons: Vec<String>,
    /// What speaks against it.
    pub doubts: Vec<String>,
    /// What cannot be the best, whatever its score, and why.
    pub excluded: Vec<String>,
}

/// Unless a measure was named, what is recommended is the picture that can be trusted most.
pub(super) fn of(
    comparison: &Comparison,
    comparing: &ComparisonOptions<'_>,
    unmeasured: Unmeasured,
) -> Advice {
    let mut advice = Advice { excluded: best_for::excluded(comparison), ..Advice::default() };
    let by = comparing.rank_by.as_deref().unwrap_or(PICTURE);
    let ranking = rank(&comparison.cells, by).unwrap_or_default();
    if ranking.is_empty() {
        advice.recommendation = "Nothing could be judged: see why each method was skipped or failed.".into();
        advice.doubts = spent(comparison);
        return advice;
    }
    advice.best_for = best_for::best_for(comparison, comparing);
    let picked = chosen(comparison, &ranking);
    let Some((chosen, (tried, judged))) = picked.and_then(|ranked| Some((ranked, comparison.at(ranked)?)))
    else {
        advice.recommendation = "No method can be recommended: see why each is excluded.".into();
        advice.doubts = spent(comparison);
        return advice;
    };
    let best = &ranking[0];
    let words = if chosen.cell.settings.is_empty() {
        String::new()
    } else {
        format!(" with {}", chosen.cell.words())
    };
    advice.recommendation = if chosen.cell.method == PLAIN && best.cell.method != PLAIN {
        format!("PCA is as good here as the best of {} methods: use it.", methods(&ranking))
    } else {
        format!("Use {}{words}.", chosen.cell.method)
    };
    advice.method = Some(chosen.cell.method.clone());
    advice.settings = chosen.cell.settings.clone();
    let ranking = &ranking;
    let adviser = Adviser { comparison, comparing, unmeasured, ranking, by, best, chosen, tried, judged };
    advice.reasons = adviser.reasons();
    advice.doubts = adviser.doubts();
    advice
}

/// How many methods a ranking has, those with the same embedding counted each.
fn methods(ranking: &[Ranked]) -> usize {
    ranking.iter().map(|ranked| 1 + ranked.same_embedding.len()).sum()
}

/// Everything that the sentences are about.
pub(super) struct Adviser<'a> {
    pub comparison: &'a Comparison,
    pub comparing: &'a ComparisonOptions<'a>,
    pub unmeasured: Unmeasured,
    pub ranking: &'a [Ranked],
    pub by: &'a str,
    pub best: &'a Ranked,
    pub chosen: &'a Ranked,
    pub tried: &'a CellResult,
    pub judged: &'a Judged,
}

impl Adviser<'_> {
    fn reasons(&self) -> Vec<String> {
        let Self { comparison, best, chosen, judged, .. } = self;
        let mut reasons = Vec::new();
        let is_ranked = |method: &String| {
            self.ranking
                .iter()
                .any(|ranked| ranked.cell.method == *method || ranked.same_embedding.contains(method))
        };
        let judged_cells = comparison.cells.iter().filter(|tried| tried.outcome.judged().is_some());
        let settings = judged_cells.filter(|tried| is_ranked(&tried.cell.method)).count();
        let (trust, continuity) = self.believed();
        let kept = format!(
            "trustworthiness {trust:.3}, continuity {continuity:.3}, where 1 is perfect and 0.5 is chance"
        );
        let of =
            format!("of {} in {}", counted(methods(self.ranking), "method"), counted(settings, "setting"));
        if chosen.cell == best.cell {
            let what = match self.by {
                PICTURE if comparison.dimensions > 2 => {
                    format!("keeps neighborhoods of {} best in the picture", counted(comparison.k, "point"))
                }
                PICTURE | PRESERVATION => {
                    format!("keeps neighborhoods of {} best", counted(comparison.k, "point"))
                }
                by => format!("is best by {by} ({:.4})", Significant(best.score.value)),
            };
            reasons.push(format!("It {what} {of}: {kept}."));
            if !chosen.same_embedding.is_empty() {
                reasons.push(format!("Its embedding is also that of {}.", chosen.same_embedding.join(", ")));
            }
        } else if chosen.cell.method != PLAIN {
            reasons.push(format!(
                "The best {of} is {} ({}), but it is not stable on these data; this one is, and only {} behind: {kept}.",
                best.cell.method,
                best.cell.words(),
                self.behind(chosen)
            ));
        } else {
            reasons.push(format!(
                "The best {of} is {} ({}), and PCA is behind it by {}, which does not matter: {kept}. It is linear, \
                 quick, embeds new points exactly and goes back.",
                best.cell.method,
                best.cell.words(),
                self.behind(chosen)
            ));
        }
        if chosen.cell.method != PLAIN
            && let Some(plain) = self.ranking.iter().find(|ranked| ranked.cell.method == PLAIN)
        {
            reasons.push(format!(
                "A straight projection is not enough: PCA is behind by {}.",
                self.behind(plain)
            ));
        }
        if let (Some(here), Some(there)) = (judged.value("one_nn_error"), judged.value("one_nn_error_data")) {
            reasons.push(format!(
                "The nearest neighbor has another label for {} of the points in the embedding, and for {} in the data.",
                percent(here),
                percent(there)
            ));
        }
        if let Some(stable) = self.tried.stability.filter(|stable| stable.substitution.value <= UNSTABLE) {
            reasons.push(format!(
                "It is stable: exchanging {} of {} rows moves points by {} of the spread of the embedding, and a new \
                 point lands {} of it from its position.",
                stable.exchanged,
                comparison.n,
                percent(stable.substitution.value),
                percent(stable.out_of_sample.value)
            ));
        }
        reasons
    }

    /// Trustworthiness and continuity, of the picture where that is what is recommended.
    pub fn believed(&self) -> (f64, f64) {
        let quality = self.judged.picture_quality;
        let value = |name: &str| self.judged.value(name).unwrap_or(f64::NAN);
        match self.by {
            PICTURE => (quality.trustworthiness, quality.continuity),
            _ => (value("trustworthiness"), value("continuity")),
        }
    }

    /// By how much a method is behind the best.
    pub fn behind(&self, ranked: &Ranked) -> String {
        let Estimate { value, low, high } = ranked.behind;
        if has_units(self.by) {
            let [value, low, high] = [value, low, high].map(|x| format!("{:.3}", Significant(x)));
            return format!("{value} (95 %: {low} to {high})");
        }
        interval(value, low, high)
    }
}
