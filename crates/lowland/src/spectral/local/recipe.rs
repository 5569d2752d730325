//! What LLE, modified LLE, Hessian LLE and LTSA have in common: all but the penalty of one neighborhood.

use super::neighborhood::{Neighborhoods, check_count, lists_of_part};
use super::{collapsed, flatness, hessian, modified, tangent, weights};
use crate::Shape;
use crate::extension::{LocalLinear, Weights};
use crate::matrix::faer_view;
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Quantity, Report, Warning};
use crate::parameters::Value;
use crate::spectral::geodesic::folding;
use crate::spectral::landmarks::{self, Choice};
use crate::spectral::{
    ComponentModel, Disconnected, Edge, Fitted, Formula, Gram, GramKernel, NeighborGraph, Neighborhood,
    Origin, OriginMatrix, Rule, Smallest, Source, SpectralModel, check_landmarks, connected_components,
    load_anchors, smallest, unsupported,
};
use lowland_base::{Error, Result, Run, parallel};
use lowland_linalg::Operator;
use lowland_linalg::operator::{Assembled, ResidualGram};
use lowland_neighbors::{Graph, Metric, Table};
use ndarray::{Array2, ArrayView2};
use std::sync::mpsc;

/// The k nearest by the straight line: the geometry of these methods is that of the rows.
pub(crate) fn euclidean(k: usize, policy: Disconnected) -> Neighborhood {
    Neighborhood { rule: Rule::Nearest(k), metric: Metric::Euclidean, policy, edge: Edge::Either }
}

/// How many neighbors a forecast takes a radius to hold.
const USUAL_NEIGHBORS: usize = 30;

/// What the embedding of a neighborhood must satisfy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Geometry {
    /// LLE: the weights that reconstruct the point reconstruct its image.
    Weights {
        /// The ridge, relative to the trace of the local Gram matrix.
        reg: f64,
    },
    /// Modified LLE: so do all weights that nearly reconstruct it.
    Modified {
        /// As for LLE.
        reg: f64,
    },
    /// Hessian LLE: no quadratic part.
    Hessian,
    /// LTSA: an affine image of its tangent coordinates.
    Tangent,
}

impl Geometry {
    /// The fewest neighbors, with the formula.
    pub fn least(self, d: usize) -> (usize, &'static str) {
        match self {
            Self::Weights { .. } => (1, "1"),
            Self::Modified { .. } => modified::least(d),
            Self::Hessian => hessian::least(d),
            Self::Tangent => tangent::least(d),
        }
    }

    /// The matrix whose smallest eigenvectors are the embedding.
    pub fn penalty(
        self,
        points: ArrayView2<'_, f64>,
        lists: &dyn Neighborhoods,
        d: usize,
        run: &Run,
    ) -> Result<Box<dyn Operator<f64>>> {
        let _stage = run.stage("local geometry", None);
        Ok(match self {
            Self::Weights { reg } => Box::new(ResidualGram::new(&weights::matrix(points, lists, reg, run)?)?),
            Self::Modified { reg } => Box::new(modified::alignment(points, lists, d, reg, run)?),
            Self::Hessian => Box::new(hessian::alignment(points, lists, d, run)?),
            Self::Tangent => Box::new(tangent::alignment(points, lists, d, run)?),
        })
    }

    /// The same of whatever the objects are: the weights of LLE follow from distances, too.
    pub fn penalty_of(
        self,
        source: &Source,
        lists: &dyn Neighborhoods,
        d: usize,
        run: &Run,
    ) -> Result<Box<dyn Operator<f64>>> {
        match (self, source) {
            (_, Source::Points(points)) => self.penalty(points.view(), lists, d, run),
            (Self::Weights { reg }, Source::Distances(between)) => {
                let _stage = run.stage("local geometry", None);
                Ok(Box::new(ResidualGram::new(&weights::of_distances(between.view(), lists, reg, run)?)?))
            }
            _ => Err(unsupported("a sum over neighborhoods", source.kind(), "points")),
        }
    }

    /// New objects: with the weights or the tangent coordinates of the fit.
    fn of_new(self, source: Source, neighbors: usize, dimensions: usize) -> Result<LocalLinear> {
        let by = match self {
            Self::Weights { reg } | Self::Modified { reg } => Weights::Reconstruction { reg },
            Self::Hessian | Self::Tangent => Weights::Tangent { dimensions },
        };
        match (source, by) {
            (Source::Points(points), by) => Ok(LocalLinear::new(points, neighbors, by)),
            (Source::Distances(between), Weights::Reconstruction { reg }) => {
                Ok(LocalLinear::by_distances(between, neighbors, reg))
            }
            (other, _) => Err(unsupported("a sum over neighborhoods", other.kind(), "points")),
        }
    }
}

/// One of the four methods with its parameters.
pub(crate) struct LocalRecipe {
    pub geometry: Geometry,
    pub n_components: usize,
    pub rule: Rule,
    pub disconnected: Disconnected,
    pub landmarks: Option<usize>,
    pub choice: Choice,
}

impl LocalRecipe {
    fn neighborhood(&self) -> Neighborhood {
        Neighborhood { rule: self.rule, ..euclidean(1, self.disconnected) }
    }

    /// How many neighbors describe a new point: as many as a training point, or as the median of them.
    fn neighbors(&self, lists: &dyn Neighborhoods) -> usize {
        self.rule.k().unwrap_or_else(|| {
            let mut sizes: Vec<usize> = (0..lists.count()).map(|point| lists.of(point).len()).collect();
            sizes.sort_unstable();
            sizes.get(sizes.len() / 2).copied().unwrap_or(1)
        })
    }

    /// A radius must hold as many neighbors as the geometry needs.
    fn check_radius(&self, lists: &dyn Neighborhoods, d: usize) -> Result<()> {
        let Rule::Within(radius) = self.rule else { return Ok(()) };
        let (least, formula) = self.geometry.least(d);
        let fewest = (0..lists.count()).map(|point| lists.of(point).len()).min().unwrap_or(least);
        if fewest >= least {
            return Ok(());
        }
        let bound = format!(
            "so wide that every point has at least {formula} = {least} within it as neighbors: one has {fewest}"
        );
        Err(Error::parameter("radius", radius, bound, "raise radius, or leave it at auto"))
    }

    /// Ham 5: kernel PCA of `l_max I - M`.
    fn origin(&self) -> Origin {
        let matrix = OriginMatrix::Penalty { geometry: self.geometry, neighborhood: self.neighborhood() };
        Origin { matrix, own: Gram { kernel: GramKernel::Shifted, ..Gram::default() } }
    }

    /// A connected component; `before_solving` is called before its eigenproblem is solved.
    fn fit_component(
        &self,
        source: Source,
        lists: &dyn Neighborhoods,
        before_solving: &dyn Fn(),
        run: &Run,
    ) -> Result<(ComponentModel, Array2<f64>, Report)> {
        let n = source.len();
        let d = self.n_components.min(n.saturating_sub(1));
        self.check_radius(lists, d)?;
        let neighbors = self.neighbors(lists);
        let penalty = self.geometry.penalty_of(&source, lists, d, run)?;
        let Smallest { values, residuals, coordinates, norm, further } = {
            let penalty = {
                let _stage = run.stage("local geometry", None);
                Assembled::new(&*penalty, run)?
            };
            before_solving();
            smallest(&penalty, d, run)?
        };
        drop(penalty);
        let warnings = self.warnings(&source, lists, &coordinates, run)?;
        let report = Report {
            objective: vec![Quantity { name: "penalty a point".into(), value: values.iter().sum() }],
            eigenvalues: values,
            further_eigenvalues: further,
            residuals,
            norm,
            warnings,
            ..Report::default()
        };
        let rule = self.geometry.of_new(source, neighbors, d)?;
        let model = ComponentModel {
            members: (0..n).collect(),
            coordinates: coordinates.clone(),
            translation: vec![0.0; d],
            // No kernel of two rows is explained.
            weights: vec![0.0; d],
            formula: Formula::LocalLinear(rule),
        };
        Ok((model, coordinates, report))
    }

    fn warnings(
        &self,
        source: &Source,
        lists: &dyn Neighborhoods,
        coordinates: &Array2<f64>,
        run: &Run,
    ) -> Result<Vec<Warning>> {
        // The neighbors that a collapsed embedding needs are no fewer.
        if let Some(collapsed) = collapsed(faer_view(coordinates.view())) {
            return Ok(vec![collapsed]);
        }
        let outside = match source {
            Source::Points(points) => flatness::not_flat(points.view(), lists, self.n_components, run)?,
            // The tangent planes are those of points.
            _ => None,
        };
        let (neighbors, dimensions) = (self.neighbors(lists), self.n_components);
        let not_flat = |outside| Warning::NotFlat { neighbors, dimensions, outside, remedy: String::new() };
        Ok(outside.map(not_flat).into_iter().collect())
    }
}

impl Recipe for LocalRecipe {
    type Model = SpectralModel;

    /// The bounds, each with its reason.
    fn check(&self, shape: &Shape) -> Result<()> {
        let d = self.n_components;
        check_landmarks(d, self.landmarks, shape.rows)?;
        let n = self.landmarks.unwrap_or(shape.rows);
        check_dimensions(d, n, shape.columns, !matches!(self.geometry, Geometry::Weights { .. }))?;
        self.neighborhood().check(n)?;
        if let Rule::Adaptive { k: k @ ..2, .. } = self.rule {
            let bound = "at least 2 with an adaptive neighborhood";
            return Err(Error::parameter("n_neighbors", k, bound, "raise it"));
        }
        self.rule.k().map_or(Ok(()), |k| check_count(k, n, self.geometry.least(d)))
    }

    /// The points twice, the neighbors, the penalties, the matrix and its factor.
    fn forecast(&self, shape: &Shape) -> Forecast {
        let (d, k) = (self.n_components as f64, self.rule.k().unwrap_or(USUAL_NEIGHBORS) as f64);
        let n = self.landmarks.map_or(shape.rows, |count| count.min(shape.rows)) as f64;
        let all = shape.rows as f64;
        let remedy = crate::spectral::fewer_points(shape.kind).into();
        Forecast { remedy, ..forecast((n, all), shape.columns as f64, k, d, shape.factor) }
    }

    /// Neighbors, penalties, eigenpairs: component by component, on all points or on landmarks.
    fn fit(
        &self,
        Training { input, .. }: Training<'_, '_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let source = Source::of(input)?;
        let features = source.features();
        let mut whole = landmarks::fit_to(source, (self.landmarks, self.choice), run, |source| {
            let neighborhood = self.neighborhood();
            let fewest = self.geometry.least(self.n_components).0;
            let NeighborGraph { source, table, graph, copies } =
                NeighborGraph::of_distinct(&neighborhood, source, (self.n_components, fewest), run)?;
            let all = lists_of(table, &graph);
            let examined = graph.clone();
            let (begin, begun) = mpsc::channel();
            let fit = move || {
                let before_solving = || begin.send(()).unwrap_or_default();
                let connected = neighborhood.connected(graph, &source, run)?;
                let joined = connected.joined();
                connected_components::fit(connected, &source, &neighborhood, self.n_components, run, |part| {
                    let rows: Vec<usize> = part.rows.iter().map(|&row| row as usize).collect();
                    let lists = lists_of_part(&*all, &rows, &part, joined);
                    let (model, coordinates, report) =
                        self.fit_component(source.select(&rows)?, &lists, &before_solving, run)?;
                    Ok((numbered(model, &rows), coordinates, report))
                })
            };
            // The eigensolver leaves threads idle, and a warning does not change what it solves. It is waited for: what comes
            // before it keeps all threads busy.
            let search = move |run: &Run| {
                // A fit that fails before has nothing to be warned of.
                if begun.recv().is_err() {
                    Ok(None)
                } else {
                    folding::search(&examined, neighborhood.rule, run)
                }
            };
            let (mut whole, fold) = parallel::join(run, fit, search)?;
            if let Some(fold) = fold {
                whole.report.warnings.retain(|warning| !matches!(warning, Warning::NotFlat { .. }));
                whole.report.warnings.insert(0, fold.warning(None));
            }
            Ok(copies.spread(whole))
        })?;
        whole.report.warnings.extend(Warning::slowed(run));
        whole.report.warnings.extend(Warning::factor_over_forecast(run, self.forecast(&input.shape()).bytes));
        let fitted = Fitted {
            entry,
            settings,
            features,
            connected_components: whole.connected_components,
            embedding: whole.embedding,
            report: whole.report,
            attributes: Vec::new(),
        };
        Ok(SpectralModel::new(fitted, input).with_origin(Some(self.origin())))
    }

    /// From a model file.
    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<SpectralModel> {
        Ok(SpectralModel::load(entry, settings, archive, &[], load_anchors)?.with_origin(Some(self.origin())))
    }
}

/// Components below the number of points, and, where tangent spaces have them, no more than columns.
fn check_dimensions(d: usize, points: usize, columns: usize, tangent: bool) -> Result<()> {
    let most = if tangent { columns.min(points.saturating_sub(1)) } else { points.saturating_sub(1) };
    if d <= most {
        return Ok(());
    }
    let bound = if tangent && columns < points {
        format!("at most {columns}, the number of columns")
    } else {
        format!("below {points}, the number of points")
    };
    Err(Error::too_many_components(d, most, bound, if most == columns { "columns" } else { "points" }))
}

/// What it costs to align `n` of `all` points; with the bytes of the matrix and its factor, where these are known.
pub(crate) fn forecast((n, all): (f64, f64), columns: f64, k: f64, d: f64, factor: Option<u64>) -> Forecast {
    // A row of the matrix has the neighbors of the neighbors, which overlap; the factor fills in.
    let row = (0.5 * k * k + 4.0 * k).min(n);
    let small = if n <= 300.0 || 8.0 * (d + 1.0) >= n { 5.0 * n * n } else { 0.0 };
    let matrices = factor.map_or(4.0 * row * n + small.max(8.0 * row * n), crate::spectral::by_factor);
    // Meanwhile the graph and some with fewer edges are looked at for short circuits.
    let graphs = 8.0 * n * k + 60.0 * n;
    let numbers =
        3.0 * all * columns + n * k * (d + 4.0) + graphs + matrices + 12.0 * all * (d + 1.0) + 40.0 * n;
    Forecast {
        bytes: (8.0 * numbers) as u64 + (1 << 16),
        flops: n * k * k * (columns + 4.0 * k) + 200.0 * n * row * (d + 1.0),
        remedy: String::new(),
    }
}

/// The neighborhoods of all points: the nearest, or where their number varies all that have an edge.
pub(crate) fn lists_of(table: Option<Table<f64>>, graph: &Graph<f64>) -> Box<dyn Neighborhoods> {
    match table {
        Some(table) => Box::new(table),
        None => Box::new(graph.distances().clone()),
    }
}

/// The rule of a method: the nearest, as many of them as the data are flat, or all within a radius.
pub(crate) fn rule(k: usize, radius: Option<f64>, adaptive: bool, dimension: usize) -> Rule {
    match radius {
        Some(radius) => Rule::Within(radius),
        None if adaptive => Rule::Adaptive { k, dimension: dimension.min(k.saturating_sub(1)) },
        None => Rule::Nearest(k),
    }
}

/// The model of a part, which finds its objects in the columns of all.
fn numbered(mut model: ComponentModel, rows: &[usize]) -> ComponentModel {
    model.renumber(|column| rows[column]);
    model
}
