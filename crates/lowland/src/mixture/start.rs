//! Where a mixture starts: rows in groups, and an analyzer of each group.

use super::closed_form::{self, Dimension};
use super::fit::{Request, Rows, Tails};
use super::{Gaussian, Mixture, student};
use crate::choices;
use crate::kmeans;
use crate::methods::{Pca, SvdSolver};
use crate::parameters::Components;
use crate::projective::spectrum::Spectrum;
use crate::spectral::{Disconnected, Edge, Neighborhood, Rule, Source};
use lowland_base::{Result, Run};
use lowland_neighbors::{Graph, Metric, geodesics};
use ndarray::{Array2, ArrayView2, Axis, s};
use rand::RngExt;

choices! {
    /// Where the analyzers start.
    pub enum Start {
        /// Patches of the neighbor graph, by shortest paths: no patch reaches across a fold.
        Graph = "graph" | "patches",
        /// Groups by k-means, seeded by k-means++.
        KMeans = "k-means++" | "kmeans",
        /// The rows nearest to each of some random rows.
        Random = "random",
    }
}

/// Rounds in which the centers of patches and groups move.
const ROUNDS: usize = 20;

/// The neighbor graph, where the start needs one.
pub(super) struct Patches(Option<Graph<f64>>);

impl Patches {
    pub fn new(x: ArrayView2<'_, f64>, request: &Request, run: &Run) -> Result<Self> {
        if request.start != Start::Graph || request.analyzers < 2 {
            return Ok(Self(None));
        }
        let k = request.neighbors.min(x.nrows() - 1).max(1);
        let neighborhood = Neighborhood {
            rule: Rule::Nearest(k),
            metric: Metric::Euclidean,
            policy: Disconnected::Join,
            edge: Edge::Either,
        };
        let source = Source::Points(x.to_owned());
        let graph = neighborhood.graph(&source, run)?;
        let part = neighborhood.connected(graph, &source, run)?.connected_components.into_iter().next();
        Ok(Self(part.map(|part| part.graph)))
    }

    /// The group of each row, for one of several starts.
    pub fn labels(
        &self,
        x: ArrayView2<'_, f64>,
        request: &Request,
        number: usize,
        run: &Run,
    ) -> Result<Vec<u32>> {
        let (n, m) = (x.nrows(), request.analyzers);
        if m < 2 {
            return Ok(vec![0; n]);
        }
        let purpose = format!("mixture start {number}");
        if let Some(graph) = &self.0 {
            return patches(graph, x, m, &purpose, run);
        }
        let seeds = match request.start {
            Start::Random => {
                let drawn = rand::seq::index::sample(&mut run.rng(&purpose), n, m).into_vec();
                return Ok(kmeans::assign(x, x.select(Axis(0), &drawn).view(), run)?
                    .into_iter()
                    .map(|found| found.0)
                    .collect());
            }
            _ => kmeans::seed(x, m, &purpose, run)?,
        };
        Ok(kmeans::refine(x, seeds, ROUNDS, run)?.labels)
    }
}

/// The nearest of `m` centers along the graph. The first centers are far from each other; each then moves to the row
/// of its patch that is nearest to the mean, as long as that changes something.
fn patches(
    graph: &Graph<f64>,
    x: ArrayView2<'_, f64>,
    m: usize,
    purpose: &str,
    run: &Run,
) -> Result<Vec<u32>> {
    let n = x.nrows();
    let mut centers = vec![run.rng(purpose).random_range(0..n) as u32];
    let mut nearest = vec![f64::INFINITY; n];
    while centers.len() < m {
        let mut lengths = vec![0.0; n];
        geodesics::shortest_paths(graph, &centers[centers.len() - 1..], &mut lengths, run)?;
        nearest.iter_mut().zip(&lengths).for_each(|(least, &length)| *least = least.min(length));
        let far = (0..n).reduce(|far, row| if nearest[row] > nearest[far] { row } else { far });
        match far.filter(|&far| nearest[far] > 0.0) {
            Some(far) => centers.push(far as u32),
            None => break,
        }
    }
    let mut labels = vec![0; n];
    for _ in 0..ROUNDS {
        let mut lengths = vec![0.0; centers.len() * n];
        geodesics::shortest_paths(graph, &centers, &mut lengths, run)?;
        for (row, label) in labels.iter_mut().enumerate() {
            let least = (0..centers.len())
                .reduce(|a, b| if lengths[b * n + row] < lengths[a * n + row] { b } else { a });
            *label = least.unwrap_or(0) as u32;
        }
        let moved: Vec<u32> = centers
            .iter()
            .enumerate()
            .map(|(j, &center)| middle(x, &labels, j as u32).unwrap_or(center))
            .collect();
        if moved == centers {
            break;
        }
        centers = moved;
    }
    Ok(labels)
}

/// The row of a group that is nearest to its mean.
fn middle(x: ArrayView2<'_, f64>, labels: &[u32], group: u32) -> Option<u32> {
    let members: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] == group).collect();
    let mean = x.select(Axis(0), &members).mean_axis(Axis(0))?;
    let apart = |row: usize| x.row(row).iter().zip(&mean).map(|(x, mean)| (x - mean).powi(2)).sum::<f64>();
    let best = members.into_iter().map(|row| (apart(row), row)).reduce(|a, b| if b.0 < a.0 { b } else { a });
    best.map(|best| best.1 as u32)
}

/// A mixture with an analyzer of each group that has rows.
pub(super) fn mixture(rows: &Rows, labels: &[u32], request: &Request, run: &Run) -> Result<Mixture> {
    let x = rows.view();
    let floors = rows.floors(request);
    let groups = labels.iter().fold(0, |most, &label| most.max(label + 1));
    let (mut weights, mut analyzers) = (Vec::new(), Vec::new());
    for group in 0..groups {
        run.check()?;
        let members: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] == group).collect();
        if !members.is_empty() {
            weights.push(members.len() as f64 / labels.len() as f64);
            analyzers.push(of_group(x.select(Axis(0), &members).view(), &floors, request.factors, run)?);
        }
    }
    let degrees = match request.tails {
        Tails::Gaussian => Vec::new(),
        Tails::Student(degrees) => vec![degrees.unwrap_or(student::FIRST); weights.len()],
    };
    Ok(rows.mixture(weights, analyzers, degrees))
}

/// The closed form of probabilistic PCA for some rows.
pub(super) fn of_group(
    x: ArrayView2<'_, f64>,
    floors: &[f64],
    factors: usize,
    run: &Run,
) -> Result<Gaussian> {
    let (n, d) = x.dim();
    let mut loadings = Array2::zeros((d, factors));
    let rank = factors.min(n - 1).min(d);
    if rank == 0 {
        let mean = x.mean_axis(Axis(0)).map(|mean| mean.to_vec()).unwrap_or_default();
        return Ok(Gaussian { mean, loadings, noise: floors.to_vec() });
    }
    let spectrum = leading(x, rank, run)?;
    let (density, _) = closed_form::fit(&spectrum, Dimension::Count(rank));
    loadings.slice_mut(s![.., ..rank]).assign(&density.loadings);
    let noise = density.noise.iter().zip(floors).map(|(noise, floor)| noise.max(*floor)).collect();
    Ok(Gaussian { mean: density.mean, loadings, noise })
}

/// The principal directions of some rows, by a way that forms no covariance.
pub(crate) fn leading(x: ArrayView2<'_, f64>, rank: usize, run: &Run) -> Result<Spectrum> {
    let (n, d) = x.dim();
    let svd_solver = if 8 * rank < n.min(d) { SvdSolver::Krylov } else { SvdSolver::Full };
    let mut spectrum =
        Pca { n_components: Components::Count(rank), svd_solver, ..Pca::default() }.spectrum(x, run)?;
    // Some ways give more directions than were asked for.
    let rank = rank.min(spectrum.directions.ncols());
    spectrum.directions = spectrum.directions.subcols(0, rank).to_owned();
    spectrum.variances.truncate(rank);
    Ok(spectrum)
}
