//! What speaks against a recommendation, in plain words.

use super::advice::Adviser;
use super::best_for::UNSTABLE;
use super::cell::{Judged, Outcome};
use super::counted;
use super::engine::Unmeasured;
use super::ranking::{PICTURE, PLAIN, PRESERVATION, Ranked};
use super::words::{sentence, spent};
use crate::parameters::Value;
use crate::units::percent;
use std::collections::BTreeSet;

/// Less than this share of the picture for half of the points is crowded: a normal distribution has 8 %.
const CROWDED: f64 = 0.02;

impl Adviser<'_> {
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts: Vec<String> = self.judged.warnings.iter().map(|words| sentence(words)).collect();
        doubts.extend(self.rivals());
        doubts.extend(self.quality());
        doubts.extend(self.settings());
        doubts.extend(self.stability());
        doubts.extend(self.graph());
        doubts.extend(self.missing());
        doubts.extend(self.unranked());
        doubts.extend(spent(self.comparison));
        doubts
    }

    /// Methods that were judged, but not by what ranks.
    fn unranked(&self) -> Option<String> {
        let names = |ranked: &'_ Ranked| {
            ranked.same_embedding.iter().chain([&ranked.cell.method]).cloned().collect::<Vec<_>>()
        };
        let ranked: BTreeSet<String> = self.ranking.iter().flat_map(names).collect();
        let judged = self.comparison.cells.iter().filter(|tried| tried.outcome.judged().is_some());
        let left: BTreeSet<&str> =
            judged.map(|tried| tried.cell.method.as_str()).filter(|name| !ranked.contains(*name)).collect();
        let listed = left.iter().copied().collect::<Vec<_>>().join(", ");
        let have = if left.len() == 1 { "method has" } else { "methods have" };
        (!left.is_empty()).then(|| {
            format!("{} {have} no {} and cannot be ranked: {listed}.", left.len(), self.by.replace('_', " "))
        })
    }

    /// Others that are as good. (What is best for classes is among the purposes.)
    fn rivals(&self) -> Vec<String> {
        let Self { chosen, .. } = self;
        let mut doubts = Vec::new();
        let rivals: Vec<&str> = self
            .ranking
            .iter()
            .filter(|ranked| ranked.as_good && ranked.cell.method != chosen.cell.method)
            .map(|ranked| ranked.cell.method.as_str())
            .collect();
        if !rivals.is_empty() && chosen.cell.method != PLAIN {
            doubts.push(format!("As good, as far as these data can show: {}.", rivals.join(", ")));
        }
        doubts
    }

    /// Whether even the best is good.
    fn quality(&self) -> Vec<String> {
        let Self { comparison, judged, .. } = self;
        let mut doubts = Vec::new();
        let (trust, continuity) = self.believed();
        if trust < 0.95 {
            doubts.push(format!(
                "Trustworthiness is {trust:.3}: some neighbors in the embedding are far apart in the data; the pictures of \
                 local distortion show where."
            ));
        }
        if continuity < 0.95 {
            doubts.push(format!(
                "Continuity is {continuity:.3}: some neighbors in the data are far apart in the embedding; the pictures of \
                 local distortion show where."
            ));
        }
        let share = |judged: &Judged| judged.picture_quality.half_share;
        if judged.components > 1 && share(judged) < CROWDED {
            let roomy = |ranked: &&Ranked| {
                let at = comparison.at(ranked).filter(|_| ranked.excluded.is_none());
                at.is_some_and(|(_, judged)| share(judged) >= 3.0 * CROWDED)
            };
            let other = self.ranking.iter().find(roomy);
            let other = other.map(|ranked| format!("; {} shows more to the eye", ranked.cell.method));
            doubts.push(format!(
                "Its picture is crowded: half of the points share {} of it{}.",
                percent(share(judged)),
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
        if comparison.n > self.comparing.sample_sizes.rows {
            doubts.push(format!(
                "The figures are estimates from {} of the {} points; the table gives their intervals.",
                self.comparing.sample_sizes.rows, comparison.n
            ));
        }
        doubts
    }

    /// How much hangs on the settings.
    fn settings(&self) -> Vec<String> {
        let Self { chosen, .. } = self;
        let mut doubts = Vec::new();
        if !chosen.at_grid_end.is_empty() {
            doubts.push(format!(
                "The best value of {} is the first or the last one tried: try beyond it.",
                chosen.at_grid_end.join(" and ")
            ));
        }
        if [PRESERVATION, PICTURE].contains(&self.by) && chosen.score.value - chosen.worst > 0.05 {
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
                "New points land {} of the spread from their position, farther than the exchange of rows explains ({}): \
                 fit again with them where that matters.",
                percent(stable.out_of_sample.value),
                percent(stable.substitution.value)
            ));
        }
        doubts
    }

    /// For which numbers of neighbors the graph is not connected.
    fn graph(&self) -> Vec<String> {
        let mut broken: BTreeSet<i64> = BTreeSet::new();
        for tried in &self.comparison.cells {
            if let (Some(judged), Some(Value::Integer(k))) =
                (tried.outcome.judged(), tried.cell.settings.get("n_neighbors"))
                && judged.connected_component_sizes.len() > 1
            {
                broken.insert(*k);
            }
        }
        if broken.is_empty() {
            return Vec::new();
        }
        let list: Vec<String> = broken.iter().map(ToString::to_string).collect();
        vec![format!(
            "The k-neighbor graph is disconnected at n_neighbors = {}: methods on it had to join the connected components, by \
             edges that are not between neighbors.",
            list.join(", ")
        )]
    }

    /// What was not tried.
    fn missing(&self) -> Vec<String> {
        let (mut skipped, mut failed) = (BTreeSet::new(), BTreeSet::new());
        let ranked: BTreeSet<&str> = self
            .comparison
            .ranking
            .iter()
            .flat_map(|ranked| [&ranked.cell.method].into_iter().chain(&ranked.same_embedding))
            .map(String::as_str)
            .collect();
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
