//! The straight way through the pipeline for a graph: affinities, degrees, the smallest eigenpairs of a Laplacian,
//! coordinates (Burges 2.5, Bengio 2.3-2.4, Maaten 3.1.5 and 3.2.2, Ham 4). What the methods of graphs have in
//! common: they differ in the Laplacian and in how an eigenvalue scales its vector.

mod coordinates;
mod dense;
mod given;
mod known;
mod weights;

pub(crate) use weights::plain_laplacian;

use super::affinity::buried;
use super::kernel::Function;
use super::landmarks::{self, Choice, Objects};
use super::local::{collapsed, folded};
use super::neighbor_graph::Copies;
use super::neighborhood::Connected;
use super::nystrom::view;
use super::{
    Affinity, AffinityAnchors, Anchors, Degrees, Disconnected, Fitted, FittedAffinity, NeighborGraph,
    Neighborhood, Normalizer, Piece, Rule, Source, SpectralModel, parts, shortcuts,
};
use crate::method::{Entry, Forecast, Recipe};
use crate::model::{Archive, Attribute, Report, Warning};
use crate::parameters::Value;
use crate::{AnyInput, InputKind, Shape, choices};
use given::{loops, positive, similarities};
use known::without;
use lowland_base::{Error, Result, Run};
use lowland_neighbors::graph::Part;
use lowland_neighbors::{Graph, Metric};
use ndarray::{Array1, Array2, s};
use std::sync::OnceLock;
use weights::Weights;

choices! {
    /// Which Laplacian of the graph.
    pub enum Laplacian {
        /// `L v = m D v`, that is `I - D^-1 W`: the generalized problem of Belkin and Niyogi.
        RandomWalk = "random-walk" | "generalised" | "generalized",
        /// `I - D^-1/2 W D^-1/2` (Bengio eq. 12).
        Symmetric = "symmetric" | "normalised" | "normalized",
        /// `D - W`.
        Unnormalized = "unnormalized" | "unnormalised",
    }
}

/// How an eigenvector of the Laplacian becomes a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Output {
    /// Unit variance: `sqrt(n) v` (Bengio 2.3-2.4).
    Unit,
    /// `l^t` times the right eigenvectors of the walk: all of them together keep the diffusion distance.
    Diffusion(f64),
    /// `sqrt(vol / m) v`: all of them together keep the square root of the commute time (Ham 4.2).
    Commute,
    /// `exp(-t m / 2) v`: kernel PCA of the heat kernel `exp(-t L)` (Ham 4.1).
    Heat(f64),
}

/// The settings of a method of graphs.
#[derive(Debug, Clone)]
pub(crate) struct GraphRecipe {
    pub neighborhood: Neighborhood,
    pub count: usize,
    pub affinity: Affinity,
    pub width: Option<f64>,
    /// Whether the numbers of a graph are affinities, and not lengths.
    pub given: bool,
    /// Whether all pairs of points have an edge, and not to their neighbors only.
    pub dense: bool,
    /// Whether a point is bound to itself.
    pub loops: bool,
    pub alpha: f64,
    pub laplacian: Laplacian,
    pub output: Output,
    /// Whether the first vector, which is the same for every graph, is kept.
    pub trivial: bool,
    pub landmarks: Option<usize>,
    pub choice: Choice,
}

/// What the attributes mean.
pub(crate) const ATTRIBUTES: &[(&str, &str)] =
    &[("laplacian_eigenvalues", "The eigenvalues of the Laplacian, one a component, ascending.")];

impl GraphRecipe {
    pub fn new(neighborhood: Neighborhood, count: usize) -> Self {
        Self {
            neighborhood,
            count,
            affinity: Affinity::Gaussian,
            width: None,
            given: false,
            dense: false,
            loops: false,
            alpha: 0.0,
            laplacian: Laplacian::RandomWalk,
            output: Output::Unit,
            trivial: false,
            landmarks: None,
            choice: Choice::Uniform,
        }
    }

    /// The same with attributes of its own.
    pub fn load_with(
        &self,
        attributes: &'static [(&'static str, &'static str)],
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<SpectralModel> {
        let anchors = |prefix: &str, features: usize, archive: &Archive| -> Result<Box<dyn Anchors>> {
            if archive.has_array(&format!("{prefix}graph_offsets")) {
                return Ok(Box::new(AffinityAnchors::load(self.neighborhood, prefix, features, archive)?));
            }
            super::load_anchors(prefix, features, archive)
        };
        SpectralModel::load(entry, settings, archive, attributes, anchors)
    }

    fn chosen(&self, source: &Source, count: usize, run: &Run) -> Result<Vec<usize>> {
        let objects = match source {
            Source::Points(x) => Objects::Points(x.view()),
            Source::Distances(x) => Objects::Distances(x.view()),
            Source::Kernel(x) => Objects::Kernel(x.view()),
            Source::Graph(x) => Objects::Anonymous(x.nrows()),
        };
        landmarks::choose(objects, &Function::Linear, count, self.choice, run)
    }

    fn sparsely(&self, source: &Source, run: &Run) -> Result<(parts::Whole, Vec<f64>)> {
        let given = matches!(source, Source::Kernel(_)) || (self.given && matches!(source, Source::Graph(_)));
        let mut own = Vec::new();
        let NeighborGraph { source, table, graph, copies } = match source {
            Source::Kernel(kernel) => {
                let (graph, diagonal) = similarities(kernel)?;
                own = diagonal;
                NeighborGraph::given(graph, source)
            }
            Source::Graph(weights) if given => {
                own = loops(weights);
                NeighborGraph::given(Graph::from_csr(positive(weights)?, Default::default())?, source)
            }
            Source::Graph(_) => NeighborGraph::of(&self.neighborhood, source, run)?,
            // Clusters may be found of fewer vectors than were looked at.
            _ => NeighborGraph::of_distinct(
                &self.neighborhood,
                source,
                if self.trivial { 0 } else { self.count },
                run,
            )?,
        };
        drop(table);
        let buried = if given { 0 } else { buried(&graph) };
        // Between clusters there may well be few edges, with many paths through them.
        let suspicions =
            if given || self.trivial { Vec::new() } else { self.suspicions(&graph, &source, run)? };
        let connected = if self.trivial && (given || matches!(*source, Source::Graph(_))) {
            // Clusters of a given graph: its pieces are clusters already, and need no link.
            let sizes = graph.components().sizes_descending();
            let rows = (0..graph.len() as u32).collect();
            Connected { parts: vec![Part { rows, graph }], left_out: Vec::new(), sizes }
        } else {
            self.neighborhood.connected(graph, &source, run)?
        };
        let mut values = Vec::new();
        let mut whole =
            parts::fit(connected, &source, &self.neighborhood, self.count, run, |part: Part<f64>| {
                let stage = run.stage("affinities", None);
                let n = part.graph.len();
                let affinity = if given {
                    FittedAffinity::Given
                } else {
                    FittedAffinity::fit(self.affinity, self.width, &part.graph)
                };
                let loops: Vec<f64> = if !own.is_empty() {
                    part.rows.iter().map(|&row| own[row as usize]).collect()
                } else if self.loops && !given {
                    vec![1.0; n]
                } else {
                    Vec::new()
                };
                let weights = affinity.weights(&part.graph, &loops)?;
                let near = parts::near(&source, &part.rows);
                let (neighborhood, by_hash) = (self.neighborhood, OnceLock::new());
                let anchors =
                    AffinityAnchors { neighborhood, near, affinity, weights: weights.clone(), by_hash };
                drop(stage);
                let most = if self.trivial { n } else { n - 1 };
                let mut own_values = Vec::new();
                let count = self.count.min(most);
                let (mut piece, embedding, report) =
                    self.piece(Box::new(anchors), Weights::Sparse(weights), count, &mut own_values, run)?;
                if given && self.laplacian == Laplacian::Unnormalized {
                    piece = piece.by_equation(own_values.clone());
                }
                values.append(&mut own_values);
                Ok((piece, embedding, report))
            })?;
        whole.report.warnings.extend(suspicions);
        if buried > 0 {
            whole.report.warnings.push(Warning::Buried { points: buried });
        }
        if matches!(copies, Copies::All) {
            gather(&mut whole, usize::from(self.trivial));
        }
        Ok((copies.spread(whole), values))
    }

    /// What looks like too many neighbors: edges between the sheets of a folded manifold, whether few or many
    /// (Maaten 7.2).
    fn suspicions(&self, graph: &Graph<f64>, source: &Source, run: &Run) -> Result<Vec<Warning>> {
        let mut warnings: Vec<Warning> = shortcuts::glance(graph, run)?.into_iter().collect();
        if let (Source::Points(points), Metric::Euclidean) = (source, self.neighborhood.metric)
            && let Some(outside) = folded(points.view(), graph, self.count, run)?
        {
            let neighbors =
                self.neighborhood.rule.k().unwrap_or(graph.distances().nnz() / graph.len().max(1));
            warnings.push(Warning::NotFlat { neighbors, dimensions: self.count, outside });
        }
        Ok(warnings)
    }

    /// One connected graph: normalize, solve, scale.
    fn piece(
        &self,
        anchors: Box<dyn Anchors>,
        weights: Weights,
        count: usize,
        values: &mut Vec<f64>,
        run: &Run,
    ) -> Result<(Piece, Array2<f64>, Report)> {
        let ones = vec![1.0; anchors.len()];
        let densities = weights.sums(&ones, run)?;
        // The densities to the power -alpha, on either side (Coifman and Lafon 2006).
        let thinning = |&q: &f64| if q > 0.0 { q.powf(-self.alpha) } else { 0.0 };
        let (factors, degrees) = if self.alpha > 0.0 {
            let factors: Vec<f64> = densities.iter().map(thinning).collect();
            let degrees = weights.sums(&factors, run)?;
            (factors, degrees)
        } else {
            (ones, densities.clone())
        };
        let plain = self.laplacian == Laplacian::Unnormalized;
        let found = {
            let _stage = run.stage("eigenpairs", None);
            let asked = if self.trivial { count } else { count + 1 };
            let found = weights.smallest(&factors, &degrees, plain, asked, run)?;
            if self.trivial {
                found.pairs
            } else {
                let first: Vec<f64> = degrees.iter().map(|d| if plain { 1.0 } else { d.sqrt() }).collect();
                without(found, &first, run)?
            }
        };
        let by = match self.laplacian {
            Laplacian::Symmetric => Degrees::Roots,
            Laplacian::RandomWalk => Degrees::Products,
            Laplacian::Unnormalized => Degrees::Own,
        };
        let spectrum = self.spectrum(&found, &degrees)?;
        values.clone_from(&found.values);
        let report = self.report(&found, &spectrum, &degrees);
        let normalizer = Normalizer::Divide { densities, alpha: self.alpha, degrees, by };
        let piece = Piece::whole(anchors, normalizer, &spectrum);
        Ok((piece, spectrum.coordinates, report))
    }
}

impl Recipe for GraphRecipe {
    type Model = SpectralModel;

    /// The bounds that all methods of graphs have.
    fn check(&self, shape: &Shape) -> Result<()> {
        let rows = shape.rows;
        if let Some(count) = self.landmarks.filter(|&count| count > rows) {
            let bound = format!("at most {rows}, the number of points");
            return Err(Error::parameter("landmarks", count, bound, "ask for fewer landmarks"));
        }
        if let Some(count) = self.landmarks.filter(|&count| shape.kind == InputKind::Graph && count < rows) {
            let bound =
                "auto for a graph: the edges between a few of its vertices say nothing about the others";
            let remedy = "leave landmarks at auto, give points, distances or similarities, or take isomap";
            return Err(Error::parameter("landmarks", count, bound, remedy));
        }
        let vertices = self.landmarks.unwrap_or(rows);
        let most = if self.trivial { vertices } else { vertices.saturating_sub(1) };
        if self.count > most {
            let left_out = if self.trivial { "" } else { " less the constant vector" };
            let bound = format!("at most {most}, the number of vertices{left_out}");
            return Err(Error::parameter("n_components", self.count, bound, "ask for fewer components"));
        }
        if matches!(shape.kind, InputKind::Points | InputKind::Distances) {
            self.neighborhood.check(vertices)?;
        }
        if self.dense && shape.kind == InputKind::Points && self.neighborhood.metric != Metric::Euclidean {
            let bound = "euclidean where all pairs of points have an edge";
            let remedy = "bind neighbors only, or give distances";
            return Err(Error::parameter("metric", self.neighborhood.metric, bound, remedy));
        }
        Ok(())
    }

    /// What a fit costs. The factor of a sparse Laplacian is bounded by that of a plane grid with as many affinities.
    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, c) = (shape.rows as f64, shape.columns as f64, self.count as f64 + 1.0);
        let m = self.landmarks.map_or(n, |count| count as f64);
        let given = if shape.kind == InputKind::Points { n * d } else { shape.stored as f64 };
        let edges = match shape.kind {
            InputKind::Points | InputKind::Distances => {
                2.0 * m * self.neighborhood.rule.k().unwrap_or(30) as f64
            }
            _ => shape.stored as f64,
        };
        let whole = m <= 300.0 || 8.0 * c >= m;
        let (solver, flops) = if whole {
            (4.0 * m * m, 10.0 * m * m * m)
        } else if self.dense {
            (0.5 * m * m + m * (4.0 * c + 200.0), m * m * (10.0 * c + 60.0 + 2.0 * d))
        } else {
            let fill = edges * (2.0 + m.log2()) + m * (100.0 + 12.0 * c);
            (fill, 40.0 * fill * (c + 10.0) + 20.0 * m * m.sqrt() * edges / m)
        };
        let numbers = 3.0 * given + 12.0 * edges + solver + 8.0 * n * (c + 4.0) + 20.0 * n;
        Forecast {
            bytes: (8.0 * numbers) as u64 + (1 << 20),
            flops: flops + 50.0 * n * d * (n.log2() + 20.0),
            remedy: "choose landmarks, fewer than there are points, or fewer neighbors".into(),
        }
    }

    fn fit(
        &self,
        input: AnyInput<'_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let source = Source::of(input)?;
        let (n, features) = (source.len(), source.features());
        let count = self.landmarks.unwrap_or(n);
        let chosen = self.chosen(&source, count, run)?;
        let part = if count < n { Some(source.select(&chosen)?) } else { None };
        let source = part.unwrap_or(source);
        let whole = if self.dense && !matches!(source, Source::Graph(_) | Source::Kernel(_)) {
            self.densely(&source, run)?
        } else {
            self.sparsely(&source, run)?
        };
        let (mut whole, values) = whole;
        whole.pieces.iter_mut().for_each(|piece| piece.anchors.renumber(&|column| chosen[column]));
        let mut report = whole.report;
        if whole.pieces.len() == 1 {
            // Of different points: copies of one lie in one place as they should.
            report.warnings.extend(collapsed(view(&whole.pieces[0].coordinates)));
        }
        let attributes = vec![Attribute::new(ATTRIBUTES[0].0, ATTRIBUTES[0].1, Array1::from(values))];
        let fitted = Fitted {
            entry,
            settings,
            features,
            pieces: whole.pieces,
            embedding: whole.embedding,
            report,
            attributes,
        };
        let model = SpectralModel::new(fitted, input);
        if count < n { model.spread(input, run) } else { Ok(model) }
    }

    /// From a model file.
    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<SpectralModel> {
        self.load_with(ATTRIBUTES, entry, settings, archive)
    }
}

/// All points are at one place, and so are their images: the vectors found but for the first few, which are constant, tell
/// copies apart.
fn gather(whole: &mut parts::Whole, constant: usize) {
    let one = |matrix: &mut Array2<f64>| {
        let mut first = matrix.row(0).to_owned();
        first.slice_mut(s![constant..]).fill(0.0);
        matrix.rows_mut().into_iter().for_each(|mut row| row.assign(&first));
    };
    one(&mut whole.embedding);
    for piece in &mut whole.pieces {
        one(&mut piece.coordinates);
        piece.map.slice_mut(s![.., constant..]).fill(0.0);
    }
}

/// A neighborhood of the nearest, or of all within a radius.
pub(crate) fn neighborhood(
    n_neighbors: usize,
    radius: Option<f64>,
    metric: Metric,
    policy: Disconnected,
) -> Neighborhood {
    let rule = radius.map_or(Rule::Nearest(n_neighbors), Rule::Within);
    Neighborhood { rule, metric, policy }
}
