//! What the user should know about a fit, in words: the number first, the remedy last.

use lowland_base::units::{count, human_bytes, percent};
use lowland_base::{Run, Slowed};
use serde::{Deserialize, Serialize};

/// Something that the user should know and that did not stop the fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "warning", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// The data have fewer directions than components were asked for: the rest are zero.
    RankDeficient {
        /// The components asked for.
        asked: usize,
        /// The directions that the data have, as far as the solver can resolve.
        rank: usize,
        /// What could resolve more.
        remedy: String,
    },
    /// Some of the components asked for are zero for every row, though the data may vary in more directions.
    ZeroComponents {
        /// The components asked for.
        asked: usize,
        /// Those that are zero.
        zero: usize,
        /// Why, and what to do.
        reason: String,
    },
    /// The kernel is not positive semidefinite: components that would be imaginary are zero.
    NegativeEigenvalues {
        /// The components asked for.
        asked: usize,
        /// Those with a positive eigenvalue.
        positive: usize,
        /// The magnitude of the negative eigenvalues found, as a share of that of all found.
        share: f64,
    },
    /// Negative eigenvalues were left out, though none of them was asked for.
    Indefinite {
        /// The least that they can amount to, as a share of the magnitude of all.
        share: f64,
    },
    /// The neighbor graph has several connected components.
    Disconnected {
        /// The number of points of each, largest first.
        sizes: Vec<usize>,
        /// What was done about it.
        policy: String,
    },
    /// Edges of the neighbor graph that look like short circuits between sheets.
    Shortcuts {
        /// The edges, the busiest first.
        edges: Vec<(usize, usize)>,
        /// The share of all shortest paths that the busiest carries.
        flow: f64,
        /// Whether they were cut.
        cut: bool,
    },
    /// The shortest paths are folded: with so many neighbors, edges join the sheets of the manifold.
    Folded {
        /// The parameter that is too large: n_neighbors or radius.
        parameter: String,
        /// Its value.
        value: f64,
        /// One that would do.
        better: f64,
        /// The dimensions in which the shortest paths are flat with that one.
        dimensions: usize,
        /// The share of the variance of the shortest paths that these do not explain.
        unexplained: f64,
        /// The same with the better value.
        remaining: f64,
        /// The edges that were cut; 0 where cutting cannot mend it, `None` where it was not asked for.
        cut: Option<usize>,
    },
    /// An iteration ended before it had converged.
    NotConverged {
        /// What was iterated.
        what: String,
        /// The iterations made.
        steps: usize,
        /// What the last one changed.
        change: f64,
        /// What it should have changed at most.
        tolerance: f64,
    },
    /// A singular matrix was made definite by adding to its diagonal.
    Regularized {
        /// Which matrix.
        what: String,
        /// What was added, relative to the mean of the diagonal.
        amount: f64,
    },
    /// Some of the directions found are no more than noise would show.
    OnlyNoise {
        /// The directions asked for.
        asked: usize,
        /// Those that noise does not explain.
        found: usize,
    },
    /// As many columns as there were are needed for the error asked for: nothing is gained.
    NoReduction {
        /// The columns needed.
        needed: usize,
        /// The columns that the data have.
        columns: usize,
    },
    /// Distances are distorted by more than was promised.
    Distorted {
        /// The share of pairs of rows that keep their squared distance.
        share: f64,
        /// The relative error that was allowed.
        eps: f64,
    },
    /// The embedding has collapsed: most points lie in one spot, the others on rays from it.
    Collapsed {
        /// The share of the points that lie in one spot.
        share: f64,
    },
    /// Neighborhoods are not flat in so many dimensions as were asked for: they may reach from one sheet of a folded
    /// manifold to another.
    NotFlat {
        /// The number of neighbors.
        neighbors: usize,
        /// The dimensions asked for.
        dimensions: usize,
        /// The share of its variance that the median neighborhood has beside its flattest plane.
        outside: f64,
    },
    /// No number of clusters stands out among the eigenvalues.
    UnclearClusters {
        /// The clusters made.
        clusters: usize,
        /// How many times the eigenvalue after them is as large as the last of them.
        ratio: f64,
    },
    /// The layout is one on the way: its observer wanted no more iterations.
    Stopped {
        /// The iterations made.
        iterations: usize,
    },
    /// Different objects at distance zero, whose pairs would weigh infinitely much.
    ZeroDistances {
        /// How many pairs.
        pairs: usize,
        /// The least distance above zero, which they were given.
        floor: f64,
    },
    /// The memory budget made a part of the fit slower.
    Slowed {
        /// What is slower.
        what: String,
        /// The seconds that were expected.
        seconds: f64,
        /// The seconds it would take with more memory.
        without: f64,
        /// The budget in bytes.
        budget: u64,
        /// The budget that would do.
        needed: u64,
    },
    /// Analyzers of a mixture that were left with too few rows to describe, and were taken out.
    AnalyzersDied {
        /// How many.
        died: usize,
        /// How many are left.
        left: usize,
    },
    /// Rows that several charts place far apart.
    ChartsDisagree {
        /// How many rows.
        rows: usize,
        /// Of how many.
        of: usize,
        /// The charts that disagree most, worst first.
        charts: Vec<usize>,
    },
    /// Charts in groups that share no rows: how the groups lie to each other is arbitrary.
    ChartsApart {
        /// How many groups.
        groups: usize,
    },
    /// A sparse factor took more memory than the fit was forecast to take.
    FilledIn {
        /// The bytes it took.
        needed: u64,
        /// The forecast.
        forecast: u64,
    },
    /// Points all of whose neighbors are copies of them: which copies, the row numbers decided.
    Buried {
        /// How many there are.
        points: usize,
    },
}

impl Warning {
    /// What the memory budget of a run has made slower.
    pub(crate) fn slowed(run: &Run) -> impl Iterator<Item = Self> {
        run.take_slowed().into_iter().map(|Slowed { what, seconds, without, budget, needed }| Self::Slowed {
            what,
            seconds,
            without,
            budget,
            needed,
        })
    }

    /// A factor that took more than was forecast.
    pub(crate) fn filled_in(run: &Run, forecast: u64) -> Option<Self> {
        let needed = run.take_needed();
        (needed > forecast).then_some(Self::FilledIn { needed, forecast })
    }

    /// Whether it is [`Warning::Folded`].
    pub(crate) fn is_folded(&self) -> bool {
        matches!(self, Self::Folded { .. })
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RankDeficient { asked, rank, remedy } => {
                let remedy = if remedy.is_empty() { "ask for fewer components" } else { remedy };
                let directions = count(*rank, "direction");
                write!(f, "{}: the data vary in {directions}; {remedy}", zero(asked - rank, *asked))
            }
            Self::Stopped { iterations } => write!(
                f,
                "{} made, and then stopped as asked; fit again from this layout or its checkpoint to go on",
                count(*iterations, "iteration")
            ),
            Self::ZeroComponents { asked, zero: none, reason } => {
                write!(f, "{}: {reason}", zero(*none, *asked))
            }
            Self::NegativeEigenvalues { asked, positive, share } => write!(
                f,
                "{}: only {positive} eigenvalues are positive (negative share of those found: {}); choose negative \
                 = shift or magnitude",
                zero(asked - positive, *asked),
                percent(*share)
            ),
            Self::Indefinite { share } => write!(
                f,
                "at least {} of the kernel's eigenvalues, by magnitude, are negative and left out; choose negative = \
                 shift or magnitude",
                percent(*share)
            ),
            Self::Shortcuts { edges, flow, cut } => {
                let shown: Vec<String> = edges.iter().take(5).map(|(i, j)| format!("{i}-{j}")).collect();
                let more = if edges.len() > 5 { ", .." } else { "" };
                let advice = match (cut, edges.len()) {
                    (true, 1) => "it was cut",
                    (true, _) => "they were cut",
                    (false, _) => "lower n_neighbors, or, for isomap, set cut_shortcuts = true",
                };
                let found = match edges.len() {
                    1 => "1 edge looks like a short circuit,".to_owned(),
                    many => format!("{many} edges look like short circuits, the busiest"),
                };
                write!(
                    f,
                    "{found} with {} of all shortest paths: {}{more}; {advice}",
                    percent(*flow),
                    shown.join(", ")
                )
            }
            Self::Folded { parameter, value, better, dimensions, unexplained, remaining, cut } => {
                let (value, better) = (short(*value), short(*better));
                let space = count(*dimensions, "dimension");
                let why = format!(
                    "{} of the variance of the shortest paths is not explained in {space} at {parameter} = {value}, and \
                     {} at {better}",
                    percent(*unexplained),
                    percent(*remaining)
                );
                match cut {
                    None => write!(
                        f,
                        "{why}: so many neighbors make short circuits between sheets that are far apart along the \
                         manifold; set {parameter} = {better} (or, for isomap, cut_shortcuts = true)"
                    ),
                    Some(0) => write!(
                        f,
                        "{why}: so many neighbors make more short circuits than cut_shortcuts can find; set \
                         {parameter} = {better}"
                    ),
                    Some(edges) => write!(
                        f,
                        "{}, for so many neighbors make short circuits: {why}; {parameter} = {better} does without",
                        if *edges == 1 {
                            "1 edge was cut".to_owned()
                        } else {
                            format!("{edges} edges were cut")
                        }
                    ),
                }
            }
            Self::Distorted { share, eps } => write!(
                f,
                "{} of the pairs of rows looked at do not keep their squared distance to within {eps}: rows with few \
                 large entries need a denser matrix; choose kind = gaussian or hadamard, or raise density",
                percent(1.0 - share)
            ),
            Self::Collapsed { share } => write!(
                f,
                "{} of the points lie in one spot: the embedding has collapsed; raise n_neighbors, remove outliers, \
                 or choose another method, such as isomap",
                percent(*share)
            ),
            Self::NotFlat { neighbors, dimensions, outside } => write!(
                f,
                "{} of its variance or more is outside a flat space of {} in half of the neighborhoods of \
                 {neighbors} points; lower n_neighbors, or raise n_components",
                percent(*outside),
                count(*dimensions, "dimension")
            ),
            Self::UnclearClusters { clusters, ratio } => write!(
                f,
                "{} taken, but no number of clusters stands out: the eigenvalues after them grow by a factor of \
                 {ratio:.1}, and even a single curve shows 4; give n_clusters",
                if *clusters == 1 { "1 cluster was".to_owned() } else { format!("{clusters} clusters were") }
            ),
            Self::ZeroDistances { pairs, floor } => write!(
                f,
                "{} of different objects at distance 0 count as {floor:.3e}, the least distance above it; merge objects \
                 that are the same",
                count(*pairs, "pair")
            ),
            Self::Slowed { what, seconds, without, budget, needed } => {
                write!(f, "{}", slowed(what, (*seconds, *without), (*budget, *needed)))
            }
            Self::AnalyzersDied { died, left } => write!(
                f,
                "{} left with too few rows to describe were taken out, of {}; ask for fewer with n_analyzers",
                count(*died, "analyzer"),
                died + left
            ),
            Self::ChartsDisagree { rows, of, charts } => {
                let charts: Vec<String> = charts.iter().map(usize::to_string).collect();
                write!(
                    f,
                    "{rows} of {of} rows are placed far apart by the charts that share them, most of all by those \
                     numbered {} (attribute 'disagreement' has each row); do not trust these regions, or change \
                     n_analyzers",
                    charts.join(", ")
                )
            }
            Self::ChartsApart { groups } => write!(
                f,
                "{groups} groups of charts share no rows, so that how they lie to each other is arbitrary; ask for more \
                 with n_analyzers, or choose llc"
            ),
            Self::FilledIn { needed, forecast } => {
                let (needed, forecast) = (human_bytes(*needed), human_bytes(*forecast));
                write!(
                    f,
                    "{needed} went into a sparse factor that fills in, and {forecast} were forecast; "
                )?;
                write!(f, "a memory budget (--memory) takes a slower way that keeps to it")
            }
            Self::Buried { points } => write!(
                f,
                "{} only copies as neighbors, chosen by row number; remove duplicates, or raise n_neighbors",
                if *points == 1 { "1 point has".to_owned() } else { format!("{points} points have") }
            ),
            Self::Disconnected { sizes, policy } => {
                let shown: Vec<String> = sizes.iter().take(8).map(usize::to_string).collect();
                let more = if sizes.len() > 8 { ", .." } else { "" };
                write!(
                    f,
                    "{} in the neighbor graph, of sizes {}{more} (disconnected = {policy}); raise n_neighbors or the radius (a given \
                     graph needs more edges), or choose error, join, largest or separate",
                    count(sizes.len(), "connected component"),
                    shown.join(", ")
                )
            }
            Self::NotConverged { what, steps, change, tolerance } => write!(
                f,
                "{} were not enough for {what} to converge: the last one changed {change:.1e}, and the tolerance is \
                 {tolerance:.1e}; raise max_iter",
                count(*steps, "iteration")
            ),
            Self::Regularized { what, amount } => write!(
                f,
                "{amount:.1e} of its mean diagonal was added to the diagonal of the {what} matrix, which is singular; give \
                 more rows, or set the regularization"
            ),
            Self::OnlyNoise { asked, found } => write!(
                f,
                "{} of {asked} directions are no different from what Gaussian noise would show; do not interpret {}",
                asked - found,
                if asked - found == 1 { "it" } else { "them" }
            ),
            Self::NoReduction { needed, columns } => write!(
                f,
                "{} needed for this error and number of rows, and the data have {}; allow a larger eps, or give \
                 n_components",
                if *needed == 1 { "1 component is".to_owned() } else { format!("{needed} components are") },
                count(*columns, "column")
            ),
        }
    }
}

fn slowed(what: &str, (seconds, without): (f64, f64), (budget, needed): (u64, u64)) -> Slowed {
    Slowed { what: what.to_owned(), seconds, without, budget, needed }
}

/// A whole number as such, another one with three digits.
fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{:.3}", crate::compare::Significant(value))
    }
}

/// `1 of 6 components is zero`, `2 of 6 components are zero`.
fn zero(number: usize, of: usize) -> String {
    format!("{number} of {} {} zero", count(of, "component"), if number == 1 { "is" } else { "are" })
}

#[cfg(test)]
mod tests;
