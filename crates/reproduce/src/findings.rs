//! What an experiment found, beside what was published. One structure makes the JSON, the page and the Markdown.

use lowland::units::grouped;
use serde::Serialize;
use std::fmt;

/// The result of an experiment.
#[derive(Debug, Clone, Serialize)]
pub struct Findings {
    /// The name of the experiment.
    pub experiment: &'static str,
    /// What is set beside what.
    pub title: String,
    /// Where the published values are from.
    pub paper: &'static str,
    /// The version of the program.
    pub lowland: &'static str,
    /// The command that repeats it.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// Whether it was the small run.
    pub quick: bool,
    /// How long it took, without what was finished before.
    pub seconds: f64,
    /// The outcome in sentences.
    pub summary: Vec<String>,
    /// Data and methods that were not there.
    pub missing: Vec<String>,
    /// The tables and figures.
    pub sections: Vec<Section>,
}

/// One table or figure of a paper.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What was done, and where it departs from the paper.
    pub text: Vec<String>,
    /// Numbers beside numbers.
    pub cells: Vec<Compared>,
    /// What the paper says in words, and what was found.
    pub claims: Vec<Claim>,
    /// Pictures, by the names of their files.
    pub figures: Vec<Figure>,
}

/// A picture.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The file, beside the page.
    pub file: String,
    /// What it shows.
    pub caption: String,
}

/// How a number of ours stands to a published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Better by more than the tolerance.
    Better,
    /// Within the tolerance, or better.
    Same,
    /// Worse by more than the tolerance.
    Worse,
    /// The method is not in the registry, or no setting of it could be fitted.
    NotAvailable,
    /// The data are not there.
    NoData,
    /// There is no published number.
    NotPublished,
}

impl Verdict {
    /// Whether both numbers are there.
    pub fn judged(self) -> bool {
        matches!(self, Self::Better | Self::Same | Self::Worse)
    }

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Same => "as published",
            Self::Worse => "worse",
            Self::NotAvailable => "not available",
            Self::NoData => "no data",
            Self::NotPublished => "not published",
        }
    }
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A share, in percent.
    Percent,
    /// A number between 0 and 1.
    Score,
    /// Any number.
    Number,
    /// A whole number.
    Count,
}

impl Unit {
    /// The number in words.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::Percent => format!("{:.2} %", 100.0 * value),
            Self::Score => format!("{value:.3}"),
            Self::Number if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) => format!("{value:.3e}"),
            Self::Number => format!("{value:.3}"),
            Self::Count => grouped(value as usize),
        }
    }
}

/// One reading of the protocol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reading {
    /// What is read so.
    pub name: String,
    /// The mean over the seeds of the best over the grid.
    pub value: f64,
    /// The least of the seeds.
    pub low: f64,
    /// The largest of them.
    pub high: f64,
    /// How many seeds.
    pub seeds: usize,
    /// The best setting, of the first seed.
    pub setting: String,
}

/// A published number beside ours.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The row: a data set.
    pub row: String,
    /// The column: a technique.
    pub column: String,
    /// What is measured.
    pub measure: String,
    /// How it is written.
    pub unit: Unit,
    /// The published number.
    pub published: Option<f64>,
    /// By how much ours may be worse.
    pub tolerance: f64,
    /// Ours, one for each reading of the protocol; the first is as printed.
    pub ours: Vec<Reading>,
    /// The best of ours over the published.
    pub ratio: Option<f64>,
    /// How they stand: the best of ours to the published.
    pub verdict: Verdict,
    /// The same for the reading that is as printed.
    pub as_printed: Verdict,
    /// A word where they differ, or where there is nothing to compare.
    pub word: String,
}

impl Compared {
    /// Compares; `less_is_better` of an error.
    pub fn new(
        (row, column, measure): (&str, &str, &str),
        unit: Unit,
        published: Option<f64>,
        tolerance: f64,
        ours: Vec<Reading>,
        less_is_better: bool,
    ) -> Self {
        let sign = if less_is_better { 1.0 } else { -1.0 };
        let stand = |value: f64| match published {
            None => Verdict::NotPublished,
            // Beyond rounding: a difference of exactly the tolerance is within it.
            Some(published) if sign * (value - published) > tolerance + 1e-12 => Verdict::Worse,
            Some(published) if sign * (published - value) > tolerance + 1e-12 => Verdict::Better,
            Some(_) => Verdict::Same,
        };
        let best = ours.iter().min_by(|a, b| (sign * a.value).total_cmp(&(sign * b.value)));
        let verdict = best.map_or(Verdict::NotAvailable, |best| stand(best.value));
        let as_printed = ours.first().map_or(Verdict::NotAvailable, |first| stand(first.value));
        let ratio = match (best, published) {
            (Some(best), Some(published)) if published != 0.0 => Some(best.value / published),
            _ => None,
        };
        Self {
            row: row.into(),
            column: column.into(),
            measure: measure.into(),
            unit,
            published,
            tolerance,
            ours,
            ratio,
            verdict,
            as_printed,
            word: String::new(),
        }
    }

    /// The best of ours by the verdict: the reading that decided.
    pub fn best(&self) -> Option<&Reading> {
        let ratio = |reading: &&Reading| match (self.published, self.ratio) {
            (Some(published), Some(ratio)) => (reading.value / published - ratio).abs(),
            _ => 0.0,
        };
        self.ours.iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)))
    }
}

/// What a paper says in words, and what was found.
#[derive(Debug, Clone, Serialize)]
pub struct Claim {
    /// Where in the paper.
    pub place: String,
    /// The claim, in our words.
    pub claim: String,
    /// What was found.
    pub found: String,
    /// `None` where nothing can be said.
    pub confirmed: Option<bool>,
}

impl Claim {
    /// A claim and whether it holds.
    pub fn new(place: &str, claim: &str, found: String, confirmed: Option<bool>) -> Self {
        Self { place: place.into(), claim: claim.into(), found, confirmed }
    }

    /// In a word.
    pub fn word(&self) -> &'static str {
        match self.confirmed {
            Some(true) => "confirmed",
            Some(false) => "contradicted",
            None => "not decided",
        }
    }
}

/// How many cells stand how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// With a published number and one of ours.
    pub judged: usize,
    /// Of these, as good or better in some reading.
    pub good: usize,
    /// Of these, as good or better as printed.
    pub good_as_printed: usize,
    /// With a published number, and no number of ours: the technique is not available.
    pub not_available: usize,
    /// With a published number, and no data.
    pub no_data: usize,
}

impl Tally {
    /// Counts.
    pub fn of<'a>(cells: impl Iterator<Item = &'a Compared>) -> Self {
        let mut tally = Self::default();
        for cell in cells {
            match cell.verdict {
                Verdict::NotAvailable if cell.published.is_some() => tally.not_available += 1,
                Verdict::NoData if cell.published.is_some() => tally.no_data += 1,
                verdict if verdict.judged() => {
                    tally.judged += 1;
                    tally.good += usize::from(verdict != Verdict::Worse);
                    tally.good_as_printed +=
                        usize::from(cell.as_printed.judged() && cell.as_printed != Verdict::Worse);
                }
                _ => {}
            }
        }
        tally
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |count: usize| 100.0 * count as f64 / self.judged.max(1) as f64;
        write!(
            f,
            "{} of {} cells with a published value are as good or better ({:.1} %), {} of them in the first reading, which is \
             as printed ({:.1} %)",
            self.good,
            self.judged,
            share(self.good),
            self.good_as_printed,
            share(self.good_as_printed)
        )?;
        if self.not_available > 0 {
            write!(f, "; {} cells have a technique that is not available", self.not_available)?;
        }
        if self.no_data > 0 {
            write!(f, "; {} cells have no data", self.no_data)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(value: f64) -> Reading {
        Reading {
            name: "as printed".into(),
            value,
            low: value,
            high: value,
            seeds: 1,
            setting: String::new(),
        }
    }

    #[test]
    fn an_error_is_better_below_and_a_score_above() {
        let error = |ours: Vec<f64>| {
            let ours = ours.into_iter().map(reading).collect();
            Compared::new(("helix", "PCA", "error"), Unit::Percent, Some(0.10), 0.01, ours, true)
        };
        assert_eq!(error(vec![0.11]).verdict, Verdict::Same);
        assert_eq!(error(vec![0.12]).verdict, Verdict::Worse);
        assert_eq!(error(vec![0.05]).verdict, Verdict::Better);
        assert_eq!(error(vec![]).verdict, Verdict::NotAvailable);
        // The other reading decides the verdict, and not what is said of the first.
        let both = error(vec![0.30, 0.09]);
        assert_eq!((both.verdict, both.as_printed), (Verdict::Same, Verdict::Worse));
        assert!((both.ratio.unwrap() - 0.9).abs() < 1e-12);
        assert_eq!(both.best().unwrap().value, 0.09);
        let score = |value: f64| {
            let ours = vec![reading(value)];
            Compared::new(("helix", "PCA", "T"), Unit::Score, Some(0.90), 0.01, ours, false).verdict
        };
        assert_eq!(score(0.89), Verdict::Same);
        assert_eq!(score(0.88), Verdict::Worse);
        assert_eq!(score(0.95), Verdict::Better);
        let cells = [error(vec![0.11]), error(vec![0.12]), error(vec![]), both];
        let tally = Tally::of(cells.iter());
        assert_eq!((tally.judged, tally.good, tally.good_as_printed, tally.not_available), (3, 2, 1, 1));
    }
}
