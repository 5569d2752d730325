//! The ranking in plain words: what to do, why, and what speaks against it.

use super::cell::{Judged, Outcome};
use super::engine::Unmeasured;
use super::number::{Significant, counted};
use super::ranking::{KEPT, Ranked, has_units};
use super::words::{interval, percent, sentence, spent};
use super::{Comparing, Comparison, Tried};
use crate::parameters::Value;
use crate::quality::Estimate;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What to do.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Advice {
    /// In one sentence.
    pub recommendation: String,
    /// The method; none where nothing could be judged.
    pub method: Option<String>,
    /// Its settings, beside the number of components.
    pub settings: BTreeMap<String, Value>,
    /// Why.
    pub reasons: Vec<String>,
    /// What speaks against it.
    pub doubts: Vec<String>,
}

/// The plainest method: what is not better than it is not worth its trouble.
const PLAIN: &str = "pca";

pub(super) fn of(comparison: &Comparison, comparing: &Comparing<'_>, unmeasured: Unmeasured) -> Advice {
    let mut advice = Advice::default();
    let Some(best) = comparison.ranking.first() else {
        advice.recommendation = "Nothing could be judged: see why each method was skipped or failed.".into();
        advice.doubts = spent(comparison);
        return advice;
    };
    let chosen = chosen(comparison, best);
    let Some((tried, judged)) = comparison.at(chosen) else { return advice };
    let words = if chosen.cell.settings.is_empty() {
        String::new()
    } else {
        format!(" with {}", chosen.cell.words())
    };
    advice.recommendation = if chosen.cell.method == PLAIN && best.cell.method != PLAIN {
        format!("PCA is as good here as the best of {} methods: use it.", comparison.ranking.len())
    } else {
        format!("Use {}{words}.", chosen.cell.method)
    };
    advice.method = Some(chosen.cell.method.clone());
    advice.settings = chosen.cell.settings.clone();
    let talk = Talk { comparison, comparing, unmeasured, best, chosen, tried, judged };
    advice.reasons = talk.reasons();
    advice.doubts = talk.doubts();
    advice
}

/// The plainest of the methods that are as good as the best; else the best of them that is stable; else the best.
fn chosen<'c>(comparison: &'c Comparison, best: &'c Ranked) -> &'c Ranked {
    let moves = |ranked: &Ranked| comparison.at(ranked)?.0.stability.map(|stable| stable.substitution.value);
    let good = || comparison.ranking.iter().filter(|ranked| ranked.as_good);
    if let Some(plain) = good().find(|ranked| ranked.cell.method == PLAIN) {
        return plain;
    }
    if moves(best).is_some_and(|share| share > UNSTABLE)
        && let Some(stable) = good().find(|ranked| moves(ranked).is_some_and(|share| share <= UNSTABLE))
    {
        return stable;
    }
    best
}

/// Everything that the sentences are about.
struct Talk<'a> {
    comparison: &'a Comparison,
    comparing: &'a Comparing<'a>,
    unmeasured: Unmeasured,
    best: &'a Ranked,
    chosen: &'a Ranked,
    tried: &'a Tried,
    judged: &'a Judged,
}

impl Talk<'_> {
    fn reasons(&self) -> Vec<String> {
        let Self { comparison, best, chosen, judged, .. } = self;
        let mut reasons = Vec::new();
        let settings = comparison.cells.iter().filter(|tried| tried.outcome.judged().is_some()).count();
        let value = |name: &str| judged.value(name).unwrap_or(f64::NAN);
        let kept = format!(
            "trustworthiness {:.3}, continuity {:.3}, where 1 is perfect and 0.5 is chance",
            value("trustworthiness"),
            value("continuity")
        );
        let of =
            format!("of {} in {}", counted(comparison.ranking.len(), "method"), counted(settings, "setting"));
        if chosen.cell == best.cell {
            let what = if comparison.ranked_by == KEPT {
                format!("keeps neighborhoods of {} points best", comparison.k)
            } else {
                format!("is best by {} ({:.4})", comparison.ranked_by, Significant(best.score.value))
            };
            reasons.push(format!("It {what} {of}: {kept}."));
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
            && let Some(plain) = comparison.ranking.iter().find(|ranked| ranked.cell.method == PLAIN)
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
                 point lands {} of it from its place.",
                stable.exchanged,
                comparison.n,
                percent(stable.substitution.value),
                percent(stable.out_of_sample.value)
            ));
        }
        reasons
    }

    fn doubts(&self) -> Vec<String> {
        let mut doubts: Vec<String> = self.judged.warnings.iter().map(|words| sentence(words)).collect();
        doubts.extend(self.rivals());
        doubts.extend(self.quality());
        doubts.extend(self.settings());
        doubts.extend(self.stability());
        doubts.extend(self.graph());
        doubts.extend(self.missing());
        doubts.extend(spent(self.comparison));
        doubts
    }

    /// By how much a method is behind the best.
    fn behind(&self, ranked: &Ranked) -> String {
        let Estimate { value, low, high } = ranked.behind;
        if has_units(&self.comparison.ranked_by) {
            let [value, low, high] = [value, low, high].map(|x| format!("{:.3}", Significant(x)));
            return format!("{value} (95 %: {low} to {high})");
        }
        interval(value, low, high)
    }

    /// Others that are as good, or better for classes.
    fn rivals(&self) -> Vec<String> {
        let Self { comparison, chosen, judged, .. } = self;
        let mut doubts = Vec::new();
        let rivals: Vec<&str> = comparison
            .ranking
            .iter()
            .filter(|ranked| ranked.as_good && ranked.cell.method != chosen.cell.method)
            .map(|ranked| ranked.cell.method.as_str())
            .collect();
        if !rivals.is_empty() && chosen.cell.method != PLAIN {
            doubts.push(format!("As good, within what these data can tell: {}.", rivals.join(", ")));
        }
        let error = |judged: &Judged| judged.value("one_nn_error");
        let by_class = comparison.ranking.iter().filter_map(|ranked| {
            let best = comparison.cells.iter().filter(|tried| tried.cell.method == ranked.cell.method);
            let best = best.filter_map(|tried| Some((tried, error(tried.outcome.judged()?)?)));
            best.min_by(|a, b| a.1.total_cmp(&b.1))
        });
        if let (Some(own), Some((other, least))) =
            (error(judged), by_class.min_by(|a, b| a.1.total_cmp(&b.1)))
            && other.cell.method != chosen.cell.method
            && least < own - 0.01
        {
            let learnt = other.cell.entry().is_ok_and(|entry| entry.capabilities.labels);
            doubts.push(format!(
                "If the classes are what matters, {} ({}) keeps them better: {} of the nearest neighbors have another \
                 label, and here {}{}.",
                other.cell.method,
                other.cell.words(),
                percent(least),
                percent(own),
                if learnt { "; but it has learnt from these very labels" } else { "" }
            ));
        }
        doubts
    }

    /// Whether even the best is good.
    fn quality(&self) -> Vec<String> {
        let Self { comparison, judged, .. } = self;
        let mut doubts = Vec::new();
        let (trust, continuity) = (judged.value("trustworthiness"), judged.value("continuity"));
        if trust.is_some_and(|trust| trust < 0.95) {
            doubts.push(
                "Some neighbors in the embedding are strangers in the data: the pictures of distortion show where."
                    .into(),
            );
        }
        if continuity.is_some_and(|continuity| continuity < 0.95) {
            doubts.push(
                "Some neighbors in the data are torn apart: the pictures of distortion show where.".into(),
            );
        }
        let share = crowded(&judged.sight.places);
        if judged.components > 1 && share < CROWDED {
            let roomy = comparison.ranking.iter().find(|ranked| {
                comparison
                    .at(ranked)
                    .is_some_and(|(_, judged)| crowded(&judged.sight.places) >= 3.0 * CROWDED)
            });
            let other = roomy.map(|ranked| format!("; {} shows more to the eye", ranked.cell.method));
            doubts.push(format!(
                "Its picture is crowded: half of the points share {} of it{}.",
                percent(share),
                other.unwrap_or_default()
            ));
        }
        if let Some(estimate) = comparison.estimated_dimension
            && estimate.value > comparison.dimensions as f64 + 0.5
        {
            doubts.push(format!(
                "The data seem to have {:.1} dimensions: {} cannot hold all of them.",
                estimate.value, comparison.dimensions
            ));
        }
        if comparison.n < 100 {
            doubts.push(format!(
                "{} points are few: other points could rank the methods otherwise.",
                comparison.n
            ));
        }
        if comparison.n > self.comparing.effort.rows {
            doubts.push(format!(
                "The figures are estimates from {} of the {} points; the table gives their intervals.",
                self.comparing.effort.rows, comparison.n
            ));
        }
        doubts
    }

    /// How much hangs on the settings.
    fn settings(&self) -> Vec<String> {
        let Self { chosen, comparison, .. } = self;
        let mut doubts = Vec::new();
        if !chosen.at_end.is_empty() {
            doubts.push(format!(
                "The best value of {} is the first or the last one tried: try beyond it.",
                chosen.at_end.join(" and ")
            ));
        }
        if comparison.ranked_by == KEPT && chosen.score.value - chosen.worst > 0.05 {
            doubts.push(format!(
                "Much hangs on its settings: over the grid it goes from {:.3} to {:.3}.",
                chosen.worst, chosen.score.value
            ));
        }
        doubts
    }

    fn stability(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let Unmeasured { methods, wanted } = self.unmeasured;
        if methods > 0 {
            doubts.push(format!(
                "The stability of {methods} of {} was not measured: the time or the memory was not enough.",
                counted(wanted, "method")
            ));
        }
        let Some(stable) = self.tried.stability else { return doubts };
        if stable.substitution.value > UNSTABLE {
            doubts.push(format!(
                "It is not stable: exchanging {} of {} rows moves points by {} of the spread of the embedding.",
                stable.exchanged,
                self.comparison.n,
                percent(stable.substitution.value)
            ));
        }
        if stable.difference.high < 0.0 && stable.out_of_sample.value > 0.02 {
            doubts.push(format!(
                "New points land {} of the spread from their place, farther than the exchange of rows explains ({}): \
                 fit again with them where that matters.",
                percent(stable.out_of_sample.value),
                percent(stable.substitution.value)
            ));
        }
        doubts
    }

    /// For which numbers of neighbors the graph is in pieces.
    fn graph(&self) -> Vec<String> {
        let mut broken: BTreeSet<i64> = BTreeSet::new();
        for tried in &self.comparison.cells {
            if let (Some(judged), Some(Value::Integer(k))) =
                (tried.outcome.judged(), tried.cell.settings.get("n_neighbors"))
                && judged.pieces.len() > 1
            {
                broken.insert(*k);
            }
        }
        if broken.is_empty() {
            return Vec::new();
        }
        let list: Vec<String> = broken.iter().map(ToString::to_string).collect();
        vec![format!(
            "The k-neighbor graph is disconnected at n_neighbors = {}: methods on it had to join the pieces, and what \
             lies between them is invented.",
            list.join(", ")
        )]
    }

    /// What was not tried.
    fn missing(&self) -> Vec<String> {
        let (mut skipped, mut failed) = (BTreeSet::new(), BTreeSet::new());
        let ranked: BTreeSet<&str> =
            self.comparison.ranking.iter().map(|ranked| ranked.cell.method.as_str()).collect();
        for tried in &self.comparison.cells {
            let name = tried.cell.method.as_str();
            match tried.outcome {
                Outcome::Skipped { .. } if !ranked.contains(name) => skipped.insert(name),
                Outcome::Failed { .. } if !ranked.contains(name) => failed.insert(name),
                _ => false,
            };
        }
        let list = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
        let mut doubts = Vec::new();
        if !failed.is_empty() {
            doubts.push(format!("Failed in every setting: {}.", list(failed)));
        }
        if !skipped.is_empty() {
            doubts.push(format!("Not tried: {}; the list of what was skipped says why.", list(skipped)));
        }
        doubts
    }
}

/// Points that move by more than this share of the spread say that an embedding is not stable.
const UNSTABLE: f64 = 0.1;

/// Less than this share of the picture for half of the points is crowded: a normal distribution has 4 %.
const CROWDED: f64 = 0.01;

/// The share of a picture that the middle half of the points take along both axes.
fn crowded(places: &[[f64; 2]]) -> f64 {
    let along = |axis: usize| {
        let mut values: Vec<f64> = places.iter().map(|place| place[axis]).collect();
        values.sort_by(f64::total_cmp);
        let (Some(low), Some(high)) = (values.first(), values.last()) else { return 1.0 };
        let quarter = values.len() / 4;
        let middle = values[values.len() - 1 - quarter] - values[quarter];
        if high > low { middle / (high - low) } else { 1.0 }
    };
    along(0) * along(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_crowded_and_squares_are_not() {
        let square: Vec<[f64; 2]> = (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20)]).collect();
        assert!((crowded(&square) - 0.25).abs() < 0.05);
        let strings: Vec<[f64; 2]> =
            (0..400).map(|i| if i < 20 { [f64::from(i), 0.0] } else { [0.0, f64::from(i % 5)] }).collect();
        assert_eq!(crowded(&strings), 0.0);
        assert_eq!([crowded(&[]), crowded(&[[1.0, 2.0]])], [1.0, 1.0]);
    }
}
