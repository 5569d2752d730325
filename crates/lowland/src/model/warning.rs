//! What the user should know about a fit.

use lowland_base::{Run, Slowed};
use serde::{Deserialize, Serialize};

mod remedies;
mod words;

pub(crate) use remedies::Situation;

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
        /// What to do; where the solver does not know, what this method can do.
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
    /// The same of shortest paths along a graph of neighbors, whose short circuits, holes and bends do that.
    NonEuclideanGeodesics {
        /// As above.
        share: f64,
        /// What to do with this method. Like all remedies, it is filled in when the fit is finished.
        #[serde(default)]
        remedy: String,
    },
    /// The neighbor graph has several connected components.
    Disconnected {
        /// The number of points of each, largest first.
        sizes: Vec<usize>,
        /// What was done about it, as `disconnected` says it; empty where the method has no such parameter, and joins them.
        policy: String,
        /// What to do with this method.
        #[serde(default)]
        remedy: String,
    },
    /// Edges of the neighbor graph that look like short circuits between sheets.
    ShortCircuits {
        /// The edges, the busiest first.
        edges: Vec<(usize, usize)>,
        /// The share of all shortest paths that the busiest carries.
        flow: f64,
        /// Whether they were cut.
        cut: bool,
        /// What to do with this method.
        #[serde(default)]
        remedy: String,
    },
    /// Edges of the neighbor graph that leave the manifold at both ends, and around which the way is long.
    SteepShortCircuits {
        /// The edges, that with the longest way around it first.
        edges: Vec<(usize, usize)>,
        /// How many times as long as the edge that way is.
        detour: f64,
        /// Whether they were cut.
        cut: bool,
        /// What to do with this method.
        #[serde(default)]
        remedy: String,
    },
    /// With so many neighbors, edges join sheets of the manifold, and its geodesics are not flat.
    TooManyNeighbors {
        /// The parameter that is too large: n_neighbors or radius.
        parameter: String,
        /// Its value.
        value: f64,
        /// One that would do; `None` where no smaller one does, and only fewer edges of the same neighbors do.
        better: Option<f64>,
        /// The dimensions in which the shortest paths are flat then.
        dimensions: usize,
        /// The share of the variance of the shortest paths that these do not explain.
        unexplained: f64,
        /// The same with the better value, or with edges between neighbors of each other.
        remaining: f64,
        /// The edges that were cut; 0 where cutting does not help, `None` where it was not asked for.
        cut: Option<usize>,
        /// What to do with this method.
        #[serde(default)]
        remedy: String,
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
    /// The distances that must be kept leave one shape, that of the data: nothing was unfolded.
    Rigid {
        /// How many distances are kept.
        distances: usize,
        /// The dimensions of that shape.
        dimensions: usize,
        /// The components asked for.
        components: usize,
        /// Their share of its variance.
        share: f64,
        /// What to do with this method.
        #[serde(default)]
        remedy: String,
    },
    /// An unfolding whose distances are not kept, or whose trace is not proven to be the greatest, within the tolerance.
    NotCertified {
        /// The updates of the Lagrange multipliers.
        steps: usize,
        /// The largest relative violation of a squared distance.
        violation: f64,
        /// By how much of itself the trace may be below the greatest.
        gap: f64,
        /// The largest violation allowed, a tenth of the largest gap.
        tolerance: f64,
        /// What to do.
        remedy: String,
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
        /// What to do with this method.
        #[serde(default)]
        remedy: String,
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
        /// What to do with this method.
        #[serde(default)]
        remedy: String,
    },
    /// No number of clusters stands out among the eigenvalues.
    NoEigengap {
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
    AnalyzersRemoved {
        /// How many.
        removed: usize,
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
    ChartsDisconnected {
        /// How many groups.
        groups: usize,
    },
    /// A sparse factor took more memory than the fit was forecast to take.
    FactorOverForecast {
        /// The bytes it took.
        needed: u64,
        /// The forecast.
        forecast: u64,
    },
    /// Points all of whose neighbors are copies of them: which copies, the row numbers decided.
    OnlyDuplicateNeighbors {
        /// How many there are.
        points: usize,
        /// What to do with this method.
        #[serde(default)]
        remedy: String,
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
    pub(crate) fn factor_over_forecast(run: &Run, forecast: u64) -> Option<Self> {
        let needed = run.needed();
        (needed > forecast).then_some(Self::FactorOverForecast { needed, forecast })
    }

    /// Connected components that were joined by a method that has no other way.
    pub(crate) fn joined(sizes: &[usize]) -> Self {
        Self::Disconnected { sizes: sizes.to_vec(), policy: String::new(), remedy: String::new() }
    }

    /// Whether it is about short circuits.
    pub(crate) fn is_of_short_circuits(&self) -> bool {
        matches!(
            self,
            Self::TooManyNeighbors { .. } | Self::SteepShortCircuits { .. } | Self::ShortCircuits { .. }
        )
    }

    /// What is said of a kernel, as it is said of shortest paths: the remedy is that of the cause.
    pub(crate) fn of_paths(self) -> Self {
        match self {
            Self::Indefinite { share } => Self::NonEuclideanGeodesics { share, remedy: String::new() },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
