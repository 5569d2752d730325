//! Warnings in words: the number first, the remedy last.

use super::Warning;
use lowland_base::Slowed;
use lowland_base::units::{count, human_bytes, one_or_many, percent};

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
            Self::NonEuclideanGeodesics { share, mutual } => write!(
                f,
                "at least {} of the eigenvalues of the geodesic distances, by magnitude, are negative and left out: these \
                 distances are not Euclidean, mostly because of short circuits between sheets or holes in the sample; \
                 lower n_neighbors, or set {}cut_short_circuits = true (negative = shift would only hide it)",
                percent(*share),
                if *mutual { "" } else { "graph = mutual or " }
            ),
            Self::ShortCircuits { edges, flow, cut } => {
                let found = match edges.len() {
                    1 => "1 edge looks like a short circuit,".to_owned(),
                    many => format!("{many} edges look like short circuits, the busiest"),
                };
                write!(
                    f,
                    "{found} with {} of all shortest paths: {}",
                    percent(*flow),
                    short_circuits(edges, *cut)
                )
            }
            Self::SteepShortCircuits { edges, detour, cut } => {
                let found = match edges.len() {
                    1 => "1 edge looks like a short circuit, for".to_owned(),
                    many => format!("{many} edges look like short circuits:"),
                };
                write!(
                    f,
                    "{found} the way around along the manifold is up to {} times as long: {}",
                    short(detour.round()),
                    short_circuits(edges, *cut)
                )
            }
            Self::TooManyNeighbors { parameter, value, better, dimensions, unexplained, remaining, cut } => {
                let (value, better) = (short(*value), better.map(short));
                let space = count(*dimensions, "dimension");
                let does = better
                    .as_ref()
                    .map_or("between neighbors of each other".to_owned(), |better| format!("at {better}"));
                let why = format!(
                    "{} of the variance of the shortest paths is not explained in {space} at {parameter} = {value}, and \
                     {} {does}",
                    percent(*unexplained),
                    percent(*remaining)
                );
                let set = better.as_ref().map(|better| format!("set {parameter} = {better}"));
                match cut {
                    None => write!(
                        f,
                        "{why}: so many neighbors make short circuits between sheets that are far apart along the \
                         manifold; {}",
                        set.map_or_else(
                            || "no smaller number does, so give more points, leave out those between the sheets, or \
                                take isomap with graph = mutual or cut_short_circuits = true"
                                .to_owned(),
                            |set| format!("{set} (or, for isomap and mvu, cut_short_circuits = true)")
                        )
                    ),
                    Some(0) => write!(
                        f,
                        "{why}: so many neighbors make more short circuits than cut_short_circuits can find; {}",
                        set.unwrap_or_else(|| "set graph = mutual".to_owned())
                    ),
                    Some(edges) => write!(
                        f,
                        "{} {} cut, for so many neighbors make short circuits: {why}; {}",
                        count(*edges, "edge"),
                        one_or_many(*edges, "was", "were"),
                        better.map_or("graph = mutual does without".to_owned(), |better| format!(
                            "{parameter} = {better} does without"
                        ))
                    ),
                }
            }
            Self::Distorted { share, eps } => write!(
                f,
                "{} of the sampled pairs do not keep their squared distance to within {eps}: rows with few \
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
                "{} of the variance or more is outside the best subspace of {} in half of the neighborhoods of \
                 {}, which are not flat; lower n_neighbors, or raise n_components",
                percent(*outside),
                count(*dimensions, "dimension"),
                count(*neighbors, "point")
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
            Self::OnlyDuplicateNeighbors { points } => write!(
                f,
                "{} {} only copies as neighbors, chosen by row number; remove duplicates, or raise n_neighbors",
                count(*points, "point"),
                one_or_many(*points, "has", "have")
            ),
            Self::Disconnected { sizes, policy } => {
                let shown: Vec<String> = sizes.iter().take(8).map(usize::to_string).collect();
                let more = if sizes.len() > 8 { ", .." } else { "" };
                let found = format!(
                    "{} in the neighbor graph, of sizes {}{more}",
                    count(sizes.len(), "connected component"),
                    shown.join(", ")
                );
                if policy.is_empty() {
                    return write!(f, "{found}, were joined by their shortest edges; raise n_neighbors");
                }
                write!(
                    f,
                    "{found} (disconnected = {policy}); raise n_neighbors, or the radius where one is set (a given graph needs more edges), \
                     or choose error, join, largest or separate"
                )
            }
            Self::NotConverged { what, steps, change, tolerance } => write!(
                f,
                "{} {} not enough for {what} to converge: the last one changed {change:.1e}, and the tolerance is \
                 {tolerance:.1e}; raise max_iter",
                count(*steps, "iteration"),
                one_or_many(*steps, "was", "were")
            ),
            Self::Rigid { distances, dimensions, components, share } => write!(
                f,
                "{} {} kept by one shape only, that of the data in {}: nothing was unfolded, and {} {} {} of the variance; \
                 set distances = shrink, or lower n_neighbors",
                count(*distances, "distance"),
                one_or_many(*distances, "is", "are"),
                count(*dimensions, "dimension"),
                count(*components, "component"),
                one_or_many(*components, "holds", "hold"),
                percent(*share)
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
                 more rows, or set the regularization"
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
fn short(value: f64) -> String {
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

/// The first few edges, and what was or can be done about them.
fn short_circuits(edges: &[(usize, usize)], cut: bool) -> String {
    let shown: Vec<String> = edges.iter().take(5).map(|(i, j)| format!("{i}-{j}")).collect();
    let more = if edges.len() > 5 { ", .." } else { "" };
    let advice = match (cut, edges.len()) {
        (true, 1) => "it was cut",
        (true, _) => "they were cut",
        (false, _) => "lower n_neighbors, or, for isomap and mvu, set cut_short_circuits = true",
    };
    format!("{}{more}; {advice}", shown.join(", "))
}
