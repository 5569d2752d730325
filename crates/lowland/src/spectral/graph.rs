//! The straight way through the pipeline for a graph: affinities, degrees, the smallest eigenpairs of a Laplacian,
//! coordinates (Burges 2.5, Bengio 2.3-2.4, Maaten 3.1.5 and 3.2.2, Ham 4). What the methods of graphs have in
//! common: they differ in the Laplacian and in how an eigenvalue scales its vector.

use super::affinity::buried;
use super::kernel::Function;
use super::landmarks::{self, Choice, Objects};
use super::neighbourhood::Connected;
use super::normalise::thinned;
use super::nystrom::view;
use super::{
    Affinity, AffinityAnchors, Anchors, Degrees, Disconnected, Fitted, FunctionAnchors, Given, GivenAnchors,
    Near, Neighbourhood, Normaliser, Piece, Rule, Source, SpectralModel, Spectrum, Strength, parts,
};
use crate::matrix::to_array;
use crate::method::{Entry, Forecast};
use crate::model::{Archive, Attribute, Quantity, Report, Warning};
use crate::parameters::Value;
use crate::{AnyInput, Shape, choices};
use faer::Mat;
use lowland_base::{Csr, Error, Result, Run, parallel};
use lowland_linalg::operator::Dense;
use lowland_linalg::{Eigenpairs, Operator, Request, Which, eigen};
use lowland_neighbors::graph::Part;
use lowland_neighbors::{Graph, Metric};
use ndarray::{Array1, Array2};

choices! {
    /// Which Laplacian of the graph.
    pub enum Laplacian {
        /// `L v = m D v`, that is `I - D^-1 W`: the generalised problem of Belkin and Niyogi.
        RandomWalk = "random-walk" | "generalized" | "generalised",
        /// `I - D^-1/2 W D^-1/2` (Bengio eq. 12).
        Symmetric = "symmetric" | "normalized" | "normalised",
        /// `D - W`.
        Unnormalised = "unnormalised" | "unnormalized",
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

/// The bonds of one connected graph.
enum Weights {
    Sparse(Csr<f64>),
    Dense(Array2<f64>),
}

/// What a method of graphs is told.
#[derive(Debug, Clone)]
pub(crate) struct GraphRecipe {
    pub hood: Neighbourhood,
    pub count: usize,
    pub affinity: Affinity,
    pub width: Option<f64>,
    /// Whether the numbers of a graph are strengths, and not lengths.
    pub given: bool,
    /// Whether all points are bound to all, and not to their neighbours only.
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
    pub fn new(hood: Neighbourhood, count: usize) -> Self {
        Self {
            hood,
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

    /// The bounds that all methods of graphs have.
    pub fn check(&self, shape: &Shape) -> Result<()> {
        let rows = shape.rows;
        if let Some(count) = self.landmarks.filter(|&count| count > rows) {
            let bound = format!("at most {rows}, the number of points");
            return Err(Error::parameter("landmarks", count, bound, "ask for fewer landmarks"));
        }
        let vertices = self.landmarks.unwrap_or(rows);
        let most = if self.trivial { vertices } else { vertices.saturating_sub(1) };
        if self.count > most {
            let left_out = if self.trivial { "" } else { " less the constant vector" };
            let bound = format!("at most {most}, the number of vertices{left_out}");
            return Err(Error::parameter("n_components", self.count, bound, "ask for fewer components"));
        }
        if matches!(shape.kind, "points" | "distances") {
            self.hood.check(vertices)?;
        }
        if self.dense && shape.kind == "points" && self.hood.metric != Metric::Euclidean {
            let bound = "euclidean where all points are bound to all";
            let remedy = "bind neighbours only, or give distances";
            return Err(Error::parameter("metric", self.hood.metric, bound, remedy));
        }
        Ok(())
    }

    /// What a fit costs. The factor of a sparse Laplacian is bounded by that of a plane grid with as many bonds.
    pub fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, c) = (shape.rows as f64, shape.columns as f64, self.count as f64 + 1.0);
        let m = self.landmarks.map_or(n, |count| count as f64);
        let given = if shape.kind == "points" { n * d } else { shape.stored as f64 };
        let edges = match shape.kind {
            "points" | "distances" => 2.0 * m * self.hood.rule.k().unwrap_or(30) as f64,
            _ => shape.stored as f64,
        };
        let whole = m <= 300.0 || 8.0 * c >= m;
        let (solver, flops) = if whole {
            (4.0 * m * m, 10.0 * m * m * m)
        } else if self.dense {
            (m * m + m * (4.0 * c + 200.0), m * m * (10.0 * c + 60.0 + 2.0 * d))
        } else {
            let fill = edges * (2.0 + m.log2()) + m * (60.0 + 12.0 * c);
            (fill, 40.0 * fill * (c + 10.0) + 20.0 * m * m.sqrt() * edges / m)
        };
        let numbers = 3.0 * given + 12.0 * edges + solver + 8.0 * n * (c + 4.0) + 20.0 * n;
        Forecast {
            bytes: (8.0 * numbers) as u64 + (1 << 20),
            flops: flops + 50.0 * n * d * (n.log2() + 20.0),
            remedy: "choose landmarks, fewer than there are points, or fewer neighbours".into(),
        }
    }

    pub fn fit(
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
            self.densely(&source, &chosen, run)?
        } else {
            self.sparsely(&source, &chosen, run)?
        };
        let (whole, values) = whole;
        let mut report = whole.report;
        let share = super::local::collapsed_share(view(&whole.embedding));
        if share >= COLLAPSED && whole.pieces.len() == 1 {
            report.warnings.push(Warning::Collapsed { share });
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

    fn chosen(&self, source: &Source, count: usize, run: &Run) -> Result<Vec<usize>> {
        let objects = match source {
            Source::Points(x) => Objects::Points(x.view()),
            Source::Distances(x) => Objects::Distances(x.view()),
            Source::Kernel(x) => Objects::Kernel(x.view()),
            Source::Graph(x) => Objects::Anonymous(x.nrows()),
        };
        landmarks::choose(objects, &Function::Linear, count, self.choice, run)
    }

    /// All points bound to all: one piece.
    fn densely(&self, source: &Source, chosen: &[usize], run: &Run) -> Result<(parts::Whole, Vec<f64>)> {
        let width = match self.width {
            Some(width) => width,
            None => super::affinity::median_length(&self.hood.graph(source, run)?),
        };
        let gamma = 0.5 / width.powi(2).max(f64::MIN_POSITIVE);
        let stage = run.stage("kernel", None);
        let (anchors, weights): (Box<dyn Anchors>, Array2<f64>) = match source {
            Source::Points(points) => {
                let anchors = FunctionAnchors::new(Function::Gaussian { gamma }, points.clone(), run)?;
                let matrix = anchors.matrix(run)?;
                (Box::new(anchors), matrix)
            }
            Source::Distances(distances) => {
                let meaning = Given::Gaussian { gamma };
                let matrix = distances.mapv(|distance| meaning.value(distance));
                (Box::new(GivenAnchors { meaning, columns: chosen.to_vec() }), matrix)
            }
            _ => return Err(super::unsupported("a dense graph", source.kind(), "points or distances")),
        };
        drop(stage);
        let mut values = Vec::new();
        let count = self.count;
        let (piece, embedding, report) =
            self.piece(anchors, Weights::Dense(weights), count, &mut values, run)?;
        Ok((parts::Whole { pieces: vec![piece], embedding, report }, values))
    }

    fn sparsely(&self, source: &Source, chosen: &[usize], run: &Run) -> Result<(parts::Whole, Vec<f64>)> {
        let given = matches!(source, Source::Kernel(_)) || (self.given && matches!(source, Source::Graph(_)));
        let (graph, own) = match source {
            Source::Kernel(kernel) => similarities(kernel)?,
            Source::Graph(weights) if given => {
                (Graph::from_csr(positive(weights)?, Default::default())?, Vec::new())
            }
            _ => (self.hood.graph(source, run)?, Vec::new()),
        };
        let buried = if given { 0 } else { buried(&graph) };
        let connected = if self.trivial && (given || matches!(source, Source::Graph(_))) {
            // Clusters of a given graph: its pieces are clusters already, and need no link.
            let sizes = graph.components().sizes_descending();
            let rows = (0..graph.len() as u32).collect();
            Connected { parts: vec![Part { rows, graph }], left_out: Vec::new(), sizes }
        } else {
            self.hood.connected(graph, source, run)?
        };
        let mut values = Vec::new();
        let mut whole = parts::fit(connected, source, &self.hood, self.count, run, |part: Part<f64>| {
            let stage = run.stage("affinities", None);
            let n = part.graph.len();
            let strength =
                if given { Strength::Given } else { Strength::fit(self.affinity, self.width, &part.graph) };
            let loops: Vec<f64> = if !own.is_empty() {
                part.rows.iter().map(|&row| own[row as usize]).collect()
            } else if self.loops && !given {
                vec![1.0; n]
            } else {
                Vec::new()
            };
            let weights = strength.weights(&part.graph, &loops)?;
            let near = match parts::near(source, &part.rows) {
                Near::Columns(columns) => Near::Columns(columns.into_iter().map(|c| chosen[c]).collect()),
                points => points,
            };
            let anchors = AffinityAnchors { hood: self.hood, near, strength, weights: weights.clone() };
            drop(stage);
            let most = if self.trivial { n } else { n - 1 };
            let mut own_values = Vec::new();
            let count = self.count.min(most);
            let fitted =
                self.piece(Box::new(anchors), Weights::Sparse(weights), count, &mut own_values, run)?;
            values.append(&mut own_values);
            Ok(fitted)
        })?;
        if buried > 0 {
            whole.report.warnings.push(Warning::Buried { points: buried });
        }
        Ok((whole, values))
    }

    /// One connected graph: normalise, solve, scale.
    fn piece(
        &self,
        anchors: Box<dyn Anchors>,
        mut weights: Weights,
        count: usize,
        values: &mut Vec<f64>,
        run: &Run,
    ) -> Result<(Piece, Array2<f64>, Report)> {
        let densities = weights.sums(run)?;
        if self.alpha > 0.0 {
            weights.each(run, |i, j, w| thinned(w, densities[i], densities[j], self.alpha))?;
        }
        let degrees = if self.alpha > 0.0 { weights.sums(run)? } else { densities.clone() };
        let plain = self.laplacian == Laplacian::Unnormalised;
        let first: Vec<f64> =
            if plain { vec![1.0; degrees.len()] } else { degrees.iter().map(|d| d.sqrt()).collect() };
        let found = {
            let _stage = run.stage("eigenpairs", None);
            let asked = if self.trivial { count } else { count + 1 };
            let found = weights.smallest(&degrees, plain, asked, run)?;
            if self.trivial { found.pairs } else { without(found, &first, run)? }
        };
        let by = match self.laplacian {
            Laplacian::Symmetric => Degrees::Roots,
            Laplacian::RandomWalk => Degrees::Products,
            Laplacian::Unnormalised => Degrees::Own,
        };
        let spectrum = self.spectrum(&found, &degrees);
        values.clone_from(&found.values);
        let report = self.report(&found, &spectrum, &degrees);
        let normaliser = Normaliser::Divide { densities, alpha: self.alpha, degrees, by };
        let piece = Piece::whole(anchors, normaliser, &spectrum);
        Ok((piece, spectrum.coordinates, report))
    }

    /// Coordinates, and the map that gives them from normalised rows.
    fn spectrum(&self, found: &Eigenpairs<f64>, degrees: &[f64]) -> Spectrum {
        let n = degrees.len() as f64;
        let volume: f64 = degrees.iter().sum();
        let vectors: Array2<f64> = to_array(found.vectors.as_ref());
        let (mut coordinates, mut map) = (vectors.clone(), vectors);
        let mut weights = Vec::new();
        for (c, &m) in found.values.iter().enumerate() {
            // The eigenvalue of the walk; for the unnormalised Laplacian that of a walk on even degrees.
            let walk = match self.laplacian {
                Laplacian::Unnormalised => 1.0 - m * n / volume,
                _ => 1.0 - m,
            };
            let factor = match self.output {
                Output::Unit => 1.0,
                Output::Diffusion(t) => walk.signum() * walk.abs().powf(t),
                Output::Commute => (volume / m.max(f64::MIN_POSITIVE)).sqrt(),
                Output::Heat(t) => (-0.5 * t * m).exp(),
            };
            let unit = if self.output == Output::Unit { n.sqrt() } else { 1.0 };
            let back = if walk.abs() > SMALLEST_WALK { 1.0 / walk } else { 0.0 };
            for (i, &d) in degrees.iter().enumerate() {
                let entry = coordinates[(i, c)];
                let (place, share) = match self.laplacian {
                    Laplacian::RandomWalk => ((volume / d).sqrt(), d / volume),
                    _ => (unit, 1.0),
                };
                coordinates[(i, c)] = entry * place * factor;
                map[(i, c)] = entry * place * factor * share * back;
            }
            weights.push(match self.laplacian {
                Laplacian::RandomWalk => walk / (factor * factor).max(f64::MIN_POSITIVE),
                Laplacian::Symmetric => walk / (unit * factor).powi(2),
                Laplacian::Unnormalised => 0.0,
            });
        }
        Spectrum {
            values: found.values.clone(),
            residuals: found.residuals.clone(),
            coordinates,
            map,
            weights,
            shift: 0.0,
            warnings: Vec::new(),
        }
    }

    /// Eigenvalues of the kernel that the embedding belongs to, and what was minimised.
    fn report(&self, found: &Eigenpairs<f64>, spectrum: &Spectrum, degrees: &[f64]) -> Report {
        let pairs = found.values.iter().zip(&found.residuals);
        let (eigenvalues, residuals) = match self.output {
            // Of L^+: |L^+ v - v / m| <= |L v - m v| / (m m_1).
            Output::Commute => {
                let least = found.values.first().copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
                pairs
                    .map(|(&m, &r)| (1.0 / m.max(f64::MIN_POSITIVE), r / (m * least).max(f64::MIN_POSITIVE)))
                    .unzip()
            }
            // Of exp(-t L), whose derivative is at most t.
            Output::Heat(t) => pairs.map(|(&m, &r)| ((-t * m).exp(), t * r)).unzip(),
            _ if self.laplacian == Laplacian::Unnormalised => pairs.map(|(&m, &r)| (m, r)).unzip(),
            _ => pairs.map(|(&m, &r)| (1.0 - m, r)).unzip(),
        };
        let quantity = |name: &str, value: f64| Quantity { name: name.into(), value };
        let mut objective = vec![quantity("sum of Laplacian eigenvalues", found.values.iter().sum())];
        if let (Output::Diffusion(_), Some(last)) = (self.output, found.values.last()) {
            objective.push(quantity("last kept eigenvalue of the walk", 1.0 - last));
        }
        objective.push(quantity("volume", degrees.iter().sum()));
        Report { objective, eigenvalues, residuals, warnings: spectrum.warnings.clone(), ..Report::default() }
    }
}

/// An eigenvalue of the walk below this cannot be divided by.
const SMALLEST_WALK: f64 = 1e-12;
/// The share of points in one place that makes an embedding a collapsed one.
const COLLAPSED: f64 = 0.5;
/// How near the first vector found must be to the one known, to be left out as it is.
const KNOWN: f64 = 1e-10;

/// The anchors of a graph method from a model file.
pub(crate) fn load_anchors(
    hood: Neighbourhood,
    prefix: &str,
    features: usize,
    archive: &Archive,
) -> Result<Box<dyn Anchors>> {
    if archive.has_array(&format!("{prefix}graph_offsets")) {
        return Ok(Box::new(AffinityAnchors::load(hood, prefix, features, archive)?));
    }
    super::load_anchors(prefix, features, archive)
}

/// A neighbourhood of the nearest, or of all within a radius.
pub(crate) fn hood(
    n_neighbors: usize,
    radius: Option<f64>,
    metric: Metric,
    policy: Disconnected,
) -> Neighbourhood {
    let rule = radius.map_or(Rule::Nearest(n_neighbors), Rule::Within);
    Neighbourhood { rule, metric, policy }
}

/// Bonds of strength zero are none.
fn positive(weights: &Csr<f64>) -> Result<Csr<f64>> {
    let n = weights.nrows();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let (to, strengths) = weights.row(i);
        for (&j, &strength) in to.iter().zip(strengths).filter(|entry| *entry.1 > 0.0) {
            columns.push(j);
            values.push(strength);
        }
        offsets.push(columns.len());
    }
    Csr::new(n, n, offsets, columns, values)
}

/// The graph of a matrix of similarities, and its diagonal.
fn similarities(kernel: &Array2<f64>) -> Result<(Graph<f64>, Vec<f64>)> {
    if let Some(((row, column), value)) = kernel.indexed_iter().find(|entry| *entry.1 < 0.0) {
        let problem = format!("entry ({row}, {column}) is {value}, but similarities must be 0 or more");
        return Err(Error::Malformed { what: "matrix of similarities", problem });
    }
    let n = kernel.nrows();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for (i, row) in kernel.rows().into_iter().enumerate() {
        for (j, &value) in row.iter().enumerate().filter(|&(j, &value)| value > 0.0 && j != i) {
            columns.push(j as u32);
            values.push(value);
        }
        offsets.push(columns.len());
    }
    let graph = Graph::from_csr(Csr::new(n, n, offsets, columns, values)?, Default::default())?;
    Ok((graph, kernel.diag().to_vec()))
}

/// The pairs of a Laplacian, and the matrix they belong to.
struct Found {
    pairs: Eigenpairs<f64>,
    matrix: Matrix,
}

enum Matrix {
    /// The Laplacian itself.
    Sparse(Csr<f64>),
    /// The Laplacian, or `D^-1/2 W D^-1/2` where `turned`.
    Dense { matrix: Array2<f64>, turned: bool },
}

impl Weights {
    fn sums(&self, run: &Run) -> Result<Vec<f64>> {
        let parts = match self {
            Self::Sparse(w) => parallel::map_chunks(run, w.nrows(), 4096, |rows| {
                rows.map(|i| w.row(i).1.iter().sum::<f64>()).collect::<Vec<_>>()
            })?,
            Self::Dense(w) => parallel::map_chunks(run, w.nrows(), 64, |rows| {
                rows.map(|i| w.row(i).to_slice().unwrap_or_default().iter().sum::<f64>()).collect::<Vec<_>>()
            })?,
        };
        Ok(parts.concat())
    }

    fn each(&mut self, run: &Run, f: impl Fn(usize, usize, f64) -> f64 + Sync + Send) -> Result<()> {
        match self {
            Self::Sparse(w) => {
                let (offsets, columns) = (w.offsets().to_vec(), w.indices().to_vec());
                let values = w.values_mut();
                for i in 0..offsets.len() - 1 {
                    for place in offsets[i]..offsets[i + 1] {
                        values[place] = f(i, columns[place] as usize, values[place]);
                    }
                }
                Ok(())
            }
            Self::Dense(w) => {
                let n = w.ncols();
                parallel::fill_rows(run, w.as_slice_mut().unwrap_or_default(), n, 16, |rows, part| {
                    for (i, row) in rows.zip(part.chunks_exact_mut(n)) {
                        row.iter_mut().enumerate().for_each(|(j, value)| *value = f(i, j, *value));
                    }
                })
            }
        }
    }

    /// The smallest pairs of `D - W`, or of `I - D^-1/2 W D^-1/2`.
    fn smallest(mut self, degrees: &[f64], plain: bool, count: usize, run: &Run) -> Result<Found> {
        let roots: Vec<f64> = degrees.iter().map(|&d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
        match self {
            Self::Sparse(w) => {
                let matrix = laplacian(&w, degrees, (!plain).then_some(&roots))?;
                drop(w);
                let pairs = eigen::solve(&matrix, &Request::new(count, Which::Smallest), run)?;
                Ok(Found { pairs, matrix: Matrix::Sparse(matrix) })
            }
            Self::Dense(_) => {
                self.each(run, |i, j, w| match (plain, i == j) {
                    (true, true) => degrees[i] - w,
                    (true, false) => -w,
                    // The product of the roots first: it is the same for the mirrored entry, to the bit.
                    (false, _) => w * (roots[i] * roots[j]),
                })?;
                let Self::Dense(matrix) = self else { return Err(Error::Cancelled) };
                let which = if plain { Which::Smallest } else { Which::Largest };
                let mut pairs = eigen::solve(&Dense::new(view(&matrix))?, &Request::new(count, which), run)?;
                if !plain {
                    pairs.values.iter_mut().for_each(|value| *value = 1.0 - *value);
                }
                Ok(Found { pairs, matrix: Matrix::Dense { matrix, turned: !plain } })
            }
        }
    }
}

/// `D - W`, or with the roots of the inverse degrees `I - D^-1/2 W D^-1/2`; the diagonal is stored.
fn laplacian(w: &Csr<f64>, degrees: &[f64], roots: Option<&Vec<f64>>) -> Result<Csr<f64>> {
    let n = w.nrows();
    let entries = w.nnz() + n;
    let (mut offsets, mut columns, mut values) =
        (Vec::with_capacity(n + 1), Vec::with_capacity(entries), Vec::with_capacity(entries));
    offsets.push(0);
    for i in 0..n {
        let (to, weights) = w.row(i);
        let before = to.partition_point(|&j| (j as usize) < i);
        let looped = to.get(before) == Some(&(i as u32));
        let own = if looped { weights[before] } else { 0.0 };
        // The product of the roots first: it is the same for the mirrored entry, to the bit.
        let entry = |(&j, &weight): (&u32, &f64)| match roots {
            Some(roots) => -weight * (roots[i] * roots[j as usize]),
            None => -weight,
        };
        let after = before + usize::from(looped);
        columns.extend_from_slice(&to[..before]);
        values.extend(to[..before].iter().zip(&weights[..before]).map(entry));
        columns.push(i as u32);
        values.push(roots.map_or(degrees[i] - own, |roots| 1.0 - own * (roots[i] * roots[i])));
        columns.extend_from_slice(&to[after..]);
        values.extend(to[after..].iter().zip(&weights[after..]).map(entry));
        offsets.push(columns.len());
    }
    Csr::new(n, n, offsets, columns, values)
}

/// The pairs without the one whose vector is known. Where the graph all but falls apart, that vector is mixed with
/// its neighbours: then the found space is turned until it stands alone.
fn without(found: Found, first: &[f64], run: &Run) -> Result<Eigenpairs<f64>> {
    let Found { pairs, matrix } = found;
    let (n, k) = (pairs.vectors.nrows(), pairs.values.len());
    if k <= 1 {
        return Ok(Eigenpairs { values: Vec::new(), vectors: Mat::zeros(n, 0), residuals: Vec::new() });
    }
    let length = first.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut along: Vec<f64> =
        (0..k).map(|j| (0..n).map(|i| pairs.vectors[(i, j)] * (first[i] / length)).sum::<f64>()).collect();
    if (1.0 - along[0].abs()).abs() <= KNOWN {
        return Ok(Eigenpairs {
            values: pairs.values[1..].to_vec(),
            vectors: pairs.vectors.subcols(1, k - 1).to_owned(),
            residuals: pairs.residuals[1..].to_vec(),
        });
    }
    // Householder: H = I - 2 u u' takes the known direction to the first axis.
    let norm = along.iter().map(|x| x * x).sum::<f64>().sqrt();
    along[0] += if along[0] >= 0.0 { norm } else { -norm };
    let square: f64 = along.iter().map(|x| x * x).sum();
    let turn = Mat::from_fn(k, k, |i, j| f64::from(i == j) - 2.0 * along[i] * along[j] / square);
    let rest = turn.subcols(1, k - 1);
    let small = Mat::from_fn(k - 1, k - 1, |a, b| {
        (0..k).map(|i| rest[(i, a)] * pairs.values[i] * rest[(i, b)]).sum::<f64>()
    });
    let small = Mat::from_fn(k - 1, k - 1, |a, b| 0.5 * (small[(a, b)] + small[(b, a)]));
    let within = eigen::solve(&Dense::new(small.as_ref())?, &Request::new(k - 1, Which::Smallest), run)?;
    let combine = |i: usize, j: usize, m: faer::MatRef<'_, f64>, r: faer::MatRef<'_, f64>| {
        (0..r.nrows()).map(|l| m[(i, l)] * r[(l, j)]).sum::<f64>()
    };
    let turned = Mat::from_fn(k, k - 1, |i, j| combine(i, j, rest, within.vectors.as_ref()));
    let vectors = Mat::from_fn(n, k - 1, |i, j| combine(i, j, pairs.vectors.as_ref(), turned.as_ref()));
    let mut image = Mat::zeros(n, k - 1);
    let turned_values = match &matrix {
        Matrix::Sparse(matrix) => {
            Operator::apply(matrix, vectors.as_ref(), image.as_mut(), run)?;
            false
        }
        Matrix::Dense { matrix, turned } => {
            Dense::new(view(matrix))?.apply(vectors.as_ref(), image.as_mut(), run)?;
            *turned
        }
    };
    let residuals = within.values.iter().enumerate().map(|(j, &m)| {
        let value = if turned_values { 1.0 - m } else { m };
        (0..n).map(|i| (image[(i, j)] - value * vectors[(i, j)]).powi(2)).sum::<f64>().sqrt()
    });
    let residuals = residuals.collect();
    Ok(Eigenpairs { values: within.values, vectors, residuals })
}

/// `D - W` of a symmetric matrix of weights.
pub(crate) fn plain_laplacian(weights: &Csr<f64>) -> Result<Csr<f64>> {
    let degrees: Vec<f64> = (0..weights.nrows()).map(|i| weights.row(i).1.iter().sum()).collect();
    laplacian(weights, &degrees, None)
}
