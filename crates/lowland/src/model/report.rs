//! What a fit tells about itself.

use serde::{Deserialize, Serialize};

/// A quantity that a method optimizes or measures, with its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// For example `reconstruction error`.
    pub name: String,
    /// Its value for the returned coordinates.
    pub value: f64,
}

/// Something that the user should know and that did not stop the fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "warning", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// The data have fewer directions than components were asked for: the rest are zero.
    RankDeficient {
        /// The components asked for.
        asked: usize,
        /// The directions that the data have, as far as the solver can tell.
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
    /// The neighbor graph was in several pieces.
    Disconnected {
        /// The number of points of each piece, largest first.
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
    /// An iteration ended before it had settled.
    NotConverged {
        /// What was iterated.
        what: String,
        /// The steps taken.
        steps: usize,
        /// What the last step changed.
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
    /// The embedding has collapsed: most points lie in one place, the others are drawn out of it like strings.
    Collapsed {
        /// The share of the points that lie in one place.
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
    /// Points whose whole neighborhood lies at their own place: it was chosen by number.
    Buried {
        /// How many there are.
        points: usize,
    },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RankDeficient { asked, rank, remedy } => {
                write!(
                    f,
                    "{asked} components asked for, but the data vary in {rank} directions: the others are zero"
                )?;
                if remedy.is_empty() { Ok(()) } else { write!(f, "; {remedy}") }
            }
            Self::ZeroComponents { asked, zero, reason } => {
                write!(f, "{zero} of {asked} components are zero: {reason}")
            }
            Self::NegativeEigenvalues { asked, positive, share } => write!(
                f,
                "{asked} components asked for, but only {positive} have a positive eigenvalue: the others are zero \
                 (negative share of those found: {:.1} %); choose negative = shift or magnitude",
                100.0 * share
            ),
            Self::Indefinite { share } => write!(
                f,
                "the kernel is indefinite: at least {:.1} % of its eigenvalues, by magnitude, are negative and left out; \
                 choose negative = shift or magnitude",
                100.0 * share
            ),
            Self::Shortcuts { edges, flow, cut } => {
                let shown: Vec<String> = edges.iter().take(5).map(|(i, j)| format!("{i}-{j}")).collect();
                let more = if edges.len() > 5 { ", .." } else { "" };
                let advice =
                    if *cut { "cut" } else { "lower n_neighbors, or, for isomap, set cut_shortcuts = true" };
                let found = match edges.len() {
                    1 => "1 edge looks like a short circuit,".to_owned(),
                    many => format!("{many} edges look like short circuits, the busiest"),
                };
                write!(
                    f,
                    "{found} with {:.0} % of all shortest paths: {}{more}; {advice}",
                    100.0 * flow,
                    shown.join(", ")
                )
            }
            Self::Distorted { share, eps } => write!(
                f,
                "{:.1} % of the pairs of rows looked at keep their squared distance to within {eps}, not all: rows with \
                 few large entries need a denser matrix; choose kind = gaussian or hadamard, or raise density",
                100.0 * share
            ),
            Self::Collapsed { share } => write!(
                f,
                "the embedding has collapsed: {:.0} % of the points lie in one place; raise n_neighbors, remove \
                 outliers, or choose another method, such as isomap",
                100.0 * share
            ),
            Self::NotFlat { neighbors, dimensions, outside } => write!(
                f,
                "neighborhoods of {neighbors} points are not flat in {dimensions} dimensions: half of them have more \
                 than {:.0} % of their variance outside; lower n_neighbors, or raise n_components",
                100.0 * outside
            ),
            Self::UnclearClusters { clusters, ratio } => write!(
                f,
                "no number of clusters stands out: {clusters} were taken, after which the eigenvalues grow by a factor \
                 of {ratio:.1}, and even a single curve shows 4; give n_clusters"
            ),
            Self::Buried { points } => write!(
                f,
                "{points} points have all their neighbors at their own place, chosen by number; remove duplicates, or \
                 raise n_neighbors"
            ),
            Self::Disconnected { sizes, policy } => {
                let shown: Vec<String> = sizes.iter().take(8).map(usize::to_string).collect();
                let more = if sizes.len() > 8 { ", .." } else { "" };
                write!(
                    f,
                    "the neighbor graph has {} pieces, of sizes {}{more} ({policy}); raise n_neighbors or the radius (a \
                     given graph needs more edges), or choose disconnected = error, join, largest or separate",
                    sizes.len(),
                    shown.join(", ")
                )
            }
            Self::NotConverged { what, steps, change, tolerance } => write!(
                f,
                "{what} did not settle in {steps} steps: the last one changed {change:e}, and {tolerance:e} was \
                 aimed at; raise max_iter"
            ),
            Self::Regularized { what, amount } => write!(
                f,
                "the {what} matrix is singular: {amount:e} of its mean diagonal was added to the diagonal; give \
                 more rows, or set the regularization"
            ),
            Self::OnlyNoise { asked, found } => write!(
                f,
                "{found} of {asked} directions differ from what Gaussian noise would show: the rest is noise"
            ),
            Self::NoReduction { needed, columns } => write!(
                f,
                "{needed} components are needed for this error and number of rows, and the data have {columns} \
                 columns: allow a larger eps, or give n_components"
            ),
        }
    }
}

/// Everything worth knowing about a fit, but for the coordinates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// What was optimized: it belongs to the returned coordinates.
    pub objective: Vec<Quantity>,
    /// The eigenvalues behind the components, where there are any.
    pub eigenvalues: Vec<f64>,
    /// The norm of each eigenpair's true residual.
    pub residuals: Vec<f64>,
    /// A lower bound of the norm of their matrix, where they are its smallest: what the residuals are to be
    /// compared with. 0 where the eigenvalues themselves tell.
    #[serde(default)]
    pub norm: f64,
    /// The sizes of the graph's components, where there is a graph.
    pub component_sizes: Vec<usize>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}
