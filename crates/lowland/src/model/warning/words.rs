//! Warnings in words: the number first, the remedy last.

use super::Warning;
use lowland_base::Slowed;
use lowland_base::units::{count, human_bytes, one_or_many, percent};

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RankDeficient { asked, rank, remedy } => {
                let directions = count(*rank, "direction");
                advised(f, &format!("{}: the data vary in {directions}", zero(asked - rank, *asked)), remedy)
            }
            Self::Stopped { iterations } => write!(
                f,
                "{} made when the fit was asked to stop; fit again from this layout or its checkpoint to go on",
                count(*iterations, "iteration")
            ),
            Self::ZeroComponents { asked, zero: none, reason } => {
                write!(f, "{}: {reason}", zero(*none, *asked))
            }
            Self::NegativeEigenvalues { asked, positive, share } => write!(
                f,
                "{}: only {} {} positive (negative share of those found: {}); choose negative = shift or magnitude",
                zero(asked - positive, *asked),
                count(*positive, "eigenvalue"),
                one_or_many(*positive, "is", "are"),
                percent(*share)
            ),
            Self::Indefinite { share } => write!(
                f,
                "at least {} of the kernel's eigenvalues, by magnitude, are negative and left out; choose negative = \
                 shift or magnitude",
                percent(*share)
            ),
            Self::NonEuclideanGeodesics { share, remedy } => advised(
                f,
                &format!(
                    "at least {} of the eigenvalues of the geodesic distances, by magnitude, are negative and left out: \
                     these distances are not Euclidean, mostly because of short circuits between sheets or holes in the \
                     sample (negative = shift would only hide it)",
                    percent(*share)
                ),
                remedy,
            ),
            Self::ShortCircuits { edges, flow, cut: _, remedy } => {
                let found = match edges.len() {
                    1 => "1 edge looks like a short circuit,".to_owned(),
                    many => format!("{many} edges look like short circuits, the busiest"),
                };
                let flow = percent(*flow);
                advised(
                    f,
                    &format!("{found} with {flow} of all shortest paths: {}", first_few(edges)),
                    remedy,
                )
            }
            Self::SteepShortCircuits { edges, detour, cut: _, remedy } => {
                let found = match edges.len() {
                    1 => "1 edge looks like a short circuit, for".to_owned(),
                    many => format!("{many} edges look like short circuits:"),
                };
                let detour = short(detour.round());
                let way = format!(
                    "{found} the way around along the manifold is up to {detour} times as long: {}",
                    first_few(edges)
                );
                advised(f, &way, remedy)
            }
            Self::TooManyNeighbors {
                parameter,
                value,
                better,
                dimensions,
                unexplained,
                remaining,
                cut,
                remedy,
            } => {
                let does = better.map_or("between neighbors of each other".to_owned(), |better| {
                    format!("at {}", short(better))
                });
                let why = format!(
                    "{} of the variance of the shortest paths is not explained in {} at {parameter} = {}, and {} {does}",
                    percent(*unexplained),
                    count(*dimensions, "dimension"),
                    short(*value),
                    percent(*remaining)
                );
                let found = match cut {
                    None => format!(
                        "{why}: so many neighbors make short circuits between sheets that are far apart along the manifold"
                    ),
                    Some(0) => format!(
                        "{why}: so many neighbors make more short circuits than cut_short_circuits can find"
                    ),
                    Some(edges) => format!(
                        "{} {} cut, for so many neighbors make short circuits: {why}",
                        count(*edges, "edge"),
                        one_or_many(*edges, "was", "were")
                    ),
                };
                advised(f, &found, remedy)
            }
            Self::Distorted { share, eps } => write!(
                f,
                "{} of the sampled pairs do not keep their squared distance to within {eps}: rows with few \
                 large entries need a denser matrix; choose kind = gaussian or hadamard, or raise density",
                percent(1.0 - share)
            ),
            Self::Collapsed { share, remedy } => {
                let share = percent(*share);
                advised(
                    f,
                    &format!("{share} of the points lie in one spot: the embedding has collapsed"),
                    remedy,
                )
            }
            Self::NotFlat { neighbors, dimensions, outside, remedy } => advised(
                f,
                &format!(
                    "{} of the variance or more is outside the best subspace of {} in half of the neighborhoods of {}, \
                     which are not flat",
                    percent(*outside),
                    count(*dimensions, "dimension"),
                    count(*neighbors, "point")
                ),
                remedy,
            ),
            Self::NoEigengap { clusters, ratio } => write!(
                f,
                "{} {} chosen, but there is no clear eigengap: the next eigenvalue is {ratio:.1} times the last of them, \
                 and that of a single curve is 4 times; set n_clusters",
                count(*clusters, "cluster"),
                one_or_many(*clusters, "was", "were")
            ),
            Self::ZeroDistances { pairs, floor } => write!(
                f,
                "{} of different objects at distance 0 {} as {floor:.3e}, the least distance above it; merge objects \
                 that are the same",
                count(*pairs, "pair"),
                one_or_many(*pairs, "counts", "count")
            ),
            Self::Slowed { what, seconds, without, budget, needed } => {
                write!(f, "{}", slowed(what, (*seconds, *without), (*budget, *needed)))
            }
            Self::AnalyzersRemoved { removed, left } => write!(
                f,
                "{removed} of {} {} removed, with too few rows left to describe; lower n_analyzers",
                count(removed + left, "analyzer"),
                one_or_many(*removed, "was", "were")
            ),
            Self::ChartsDisagree { rows, of, charts } => {
                let charts: Vec<String> = charts.iter().map(usize::to_string).collect();
                write!(
                    f,
                    "{rows} of {} {} coordinates that differ much between the charts that share {}, most of all between \
                     charts {} (attribute 'disagreement' has each row); do not trust these regions, or change \
                     n_analyzers",
                    count(*of, "row"),
                    one_or_many(*rows, "has", "have"),
                    one_or_many(*rows, "it", "them"),
                    charts.join(", ")
                )
            }
            Self::ChartsDisconnected { groups } => write!(
                f,
                "{} of charts {} no rows: their positions relative to each other are arbitrary; raise n_analyzers, or \
                 choose llc",
                count(*groups, "group"),
                one_or_many(*groups, "shares", "share")
            ),
            Self::FactorOverForecast { needed, forecast } => {
                let (needed, forecast) = (human_bytes(*needed), human_bytes(*forecast));
                write!(
                    f,
                    "{needed} were needed for a sparse factor with more fill-in than the {forecast} of the forecast; set \
                     a memory budget to take a slower way within it"
                )
            }
            Self::OnlyDuplicateNeighbors { points, remedy } => advised(
                f,
                &format!(
                    "{} {} only copies as neighbors, chosen by row number",
                    count(*points, "point"),
                    one_or_many(*points, "has", "have")
                ),
                remedy,
            ),
            Self::Disconnected { sizes, policy, remedy } => {
                let shown: Vec<String> = sizes.iter().take(8).map(usize::to_string).collect();
                let more =
                    if sizes.len() > 8 { format!(" and {} more", sizes.len() - 8) } else { String::new() };
                let done = if policy.is_empty() {
                    ", were joined by their shortest edges".to_owned()
                } else {
                    format!(" (disconnected = {policy})")
                };
                let found = count(sizes.len(), "connected component");
                let sizes = shown.join(", ");
                advised(f, &format!("{found} in the neighbor graph, of sizes {sizes}{more}{done}"), remedy)
            }
            Self::NotConverged { what, steps, change, tolerance } => write!(
                f,
                "{} {} not enough for {what} to converge: the last one changed {change:.1e}, and the tolerance is \
                 {tolerance:.1e}; raise max_iter",
                count(*steps, "iteration"),
                one_or_many(*steps, "was", "were")
            ),
            Self::Rigid { distances, dimensions, components, share, remedy } => advised(
                f,
                &format!(
                    "{} {} kept by one shape only, that of the data in {}: nothing was unfolded, and {} {} {} of the \
                     variance",
                    count(*distances, "distance"),
                    one_or_many(*distances, "is", "are"),
                    count(*dimensions, "dimension"),
                    count(*components, "component"),
                    one_or_many(*components, "holds", "hold"),
                    percent(*share)
                ),
                remedy,
            ),
            Self::NotCertified { steps, violation, gap, tolerance, remedy } => write!(
                f,
                "{} did not reach the tolerance: squared distances are off by up to {violation:.1e} of themselves (tol is \
                 {tolerance:.0e}), and the trace may be {} below its maximum (ten times tol is allowed); {remedy}",
                count(*steps, "step"),
                percent(*gap)
            ),
            Self::Regularized { what, amount } => write!(
                f,
                "{amount:.1e} of its mean diagonal was added to the diagonal of the {what} matrix, which is singular; give \
                 more rows, or set regularization"
            ),
            Self::OnlyNoise { asked, found } => write!(
                f,
                "{} of {} {} no different from what Gaussian noise would show; do not interpret {}",
                asked - found,
                count(*asked, "direction"),
                one_or_many(asked - found, "is", "are"),
                one_or_many(asked - found, "it", "them")
            ),
            Self::NoReduction { needed, columns } => write!(
                f,
                "{} {} needed for this error and number of rows, and the data have {}; allow a larger eps, or give \
                 n_components",
                count(*needed, "component"),
                one_or_many(*needed, "is", "are"),
                count(*columns, "column")
            ),
        }
    }
}

fn slowed(what: &str, (seconds, without): (f64, f64), (budget, needed): (u64, u64)) -> Slowed {
    Slowed { what: what.to_owned(), seconds, without, budget, needed }
}

/// A whole number as such, another one with three digits.
pub(super) fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{:.3}", crate::compare::Significant(value))
    }
}

/// `1 of 6 components is zero`, `2 of 6 components are zero`.
fn zero(number: usize, of: usize) -> String {
    format!("{number} of {} {} zero", count(of, "component"), one_or_many(number, "is", "are"))
}

/// The first few edges.
fn first_few(edges: &[(usize, usize)]) -> String {
    let shown: Vec<String> = edges.iter().take(5).map(|(i, j)| format!("{i}-{j}")).collect();
    format!("{}{}", shown.join(", "), if edges.len() > 5 { ", .." } else { "" })
}

/// What was found, and what can be done about it with the method, where that is known.
fn advised(f: &mut std::fmt::Formatter<'_>, found: &str, remedy: &str) -> std::fmt::Result {
    if remedy.is_empty() { f.write_str(found) } else { write!(f, "{found}; {remedy}") }
}
