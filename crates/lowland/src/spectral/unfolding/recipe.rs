//! What MVU, landmark MVU and fast MVU share: the graph, the semidefinite program, and the local-linear rule for new points.

use super::report::trace_of;
use super::{Distances, Span, Way, edges};
use crate::Shape;
use crate::extension::{LocalLinear, Weights};
use crate::matrix::{sorted_rows, to_array};
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Attribute, Quantity, Report, Warning};
use crate::parameters::Value;
use crate::spectral::FURTHER_EIGENVALUES;
use crate::spectral::geodesic::{folding, short_circuits, steep};
use crate::spectral::local::{Neighborhoods, euclidean, of_component};
use crate::spectral::{
    ComponentModel, Copies, Disconnected, Fitted, Formula, NeighborGraph, Neighborhood, Source,
    SpectralModel, connected_components, fewer_points, load_anchors, unsupported,
};
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::unfolding::{
    Constraint, Options, Unfolded, Unfolding, interior_point, interior_point_bytes, low_rank,
};
use lowland_neighbors::graph::ConnectedComponent;
use lowland_neighbors::{Graph, geodesics};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// The ridge of the weights over neighbors, as that of LLE: of the landmark transformation and of new points.
const REG: f64 = 1e-3;
/// The interior-point method holds matrices of as many rows as there are edges.
const MOST_EXACT: usize = 500;
/// So many edges the interior-point method solves in a second or two.
const FEW_EDGES: usize = 1200;
/// From so many points the geodesics are taken that say how large the trace can be.
const SOURCES: usize = 20;
/// The slack in a span where none is asked for.
const SPAN_SLACK: f64 = 0.05;
/// The span of landmark MVU, unless it is given.
const USUAL_SPAN: f64 = 60.0;
/// The largest relative violation of a distance in a span, where all points are improved from there.
const START: f64 = 0.01;

/// MVU and its faster versions: the settings.
pub(crate) struct UnfoldingRecipe {
    pub n_components: usize,
    pub n_neighbors: usize,
    pub distances: Distances,
    pub angles: bool,
    pub slack: Option<f64>,
    pub span: Span,
    /// Whether what was found in a span is improved point by point.
    pub refine: bool,
    pub way: Way,
    pub tol: f64,
    pub max_iter: usize,
    pub disconnected: Disconnected,
    /// Whether short circuits are cut: each of them would hold the whole sheet together.
    pub cut: bool,
}

impl UnfoldingRecipe {
    fn neighborhood(&self) -> Neighborhood {
        euclidean(self.n_neighbors, self.disconnected)
    }

    /// The graph without short circuits, where it stays as connected as it was, and the warnings about them.
    fn without_short_circuits(
        &self,
        graph: Graph<f64>,
        points: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(Graph<f64>, Vec<Warning>)> {
        let rule = self.neighborhood().rule;
        let (graph, steep_warning) =
            steep::without_short_circuits(graph, points, rule, self.n_components, self.cut, run)?;
        // Single edges first: the others are found by a graph with fewer edges, and cutting them costs more than these.
        let examine = |graph: Graph<f64>, cut: bool| {
            let (graph, single) = short_circuits::examined(graph, cut, run)?;
            let (graph, many) = folding::without_short_circuits(graph, rule, cut, run)?;
            let warnings =
                if cut { single.into_iter().chain(many).collect() } else { Vec::from_iter(many.or(single)) };
            Ok::<_, Error>((graph, warnings))
        };
        let components = graph.connected_components().count();
        let (without, short_circuit_warnings) = examine(graph.clone(), self.cut)?;
        let (graph, short_circuit_warnings) = if without.connected_components().count() > components {
            // A bridge, and not a short circuit.
            examine(graph, false)?
        } else {
            (without, short_circuit_warnings)
        };
        // Those that were only named would be named again.
        let short_circuit_warnings =
            if self.cut || steep_warning.is_none() { short_circuit_warnings } else { Vec::new() };
        Ok((graph, steep_warning.into_iter().chain(short_circuit_warnings).collect()))
    }

    /// The program of a connected graph.
    fn problem(
        &self,
        graph: &Graph<f64>,
        edges: &[(u32, u32, f64)],
        (constraint, slack): (Constraint, Option<f64>),
        run: &Run,
    ) -> Result<Unfolding> {
        let problem = Unfolding::new(graph.len(), edges, constraint)?;
        let Some(slack) = slack else { return Ok(problem) };
        // An edge of mean weight bends by this share: the mean weight is the trace over the sum of squared lengths, and no
        // trace is above that of the geodesics.
        let n = graph.len();
        let sources: Vec<u32> = (0..SOURCES.min(n)).map(|i| (i * n / SOURCES.min(n)) as u32).collect();
        let mut paths = vec![0.0; sources.len() * n];
        geodesics::shortest_paths(graph, &sources, &mut paths, run)?;
        let squares: f64 = edges.iter().map(|edge| edge.2 * edge.2).sum();
        let trace = 0.5 * paths.iter().map(|path| path * path).sum::<f64>() / sources.len() as f64;
        problem.with_slack((trace / squares / slack).clamp(1e-12, 1e12))
    }

    fn options(&self, components: usize) -> Options {
        Options {
            rank: components + 2,
            tolerance: self.tol,
            gap: 10.0 * self.tol,
            steps: self.max_iter,
            ..Options::default()
        }
    }

    fn solve(
        &self,
        points: &Array2<f64>,
        graph: &Graph<f64>,
        lists: &dyn Neighborhoods,
        run: &Run,
    ) -> Result<(Unfolded, usize)> {
        let d = self.n_components.min(points.nrows().saturating_sub(1)).max(1);
        let edges = edges::of(graph, points.view(), lists, self.angles);
        let count = edges.len();
        let constraint = match self.distances {
            Distances::Keep => Constraint::Equal,
            Distances::Shrink => Constraint::AtMost,
        };
        let whole = self.problem(graph, &edges, (constraint, self.slack), run)?;
        if self.way == Way::InteriorPoint {
            return Ok((self.exact(&whole, run)?, count));
        }
        let options = self.options(d);
        let Some(basis) = self.span.vectors(points, graph, lists, REG, run)? else {
            let found = low_rank(&whole, &options, run)?;
            // A trace above its bound is not exact either.
            let is_proven = found.converged && found.gap() >= -options.gap;
            let is_last = is_proven || !self.may_be_solved_exactly(count);
            return Ok((if is_last { found } else { self.exactly(&whole, found, run)? }, count));
        };
        // Few vectors keep no distance exactly, so there is slack: else one edge would shrink the whole. Among landmarks distances
        // may not grow (Weinberger, Packer and Saul 2005). The smoothest vectors keep them as well as they can (Weinberger, Sha,
        // Zhu and Saul 2006): where distances may shrink, the sheet would give up its shorter side.
        let inside = if let Span::Landmarks { .. } = self.span { constraint } else { Constraint::Equal };
        let limits = (inside, self.slack.or(Some(SPAN_SLACK)));
        let problem = self.problem(graph, &edges, limits, run)?;
        // A start need not be exact.
        let tolerance = if self.refine { self.tol.max(START) } else { self.tol };
        let inside = Options { basis: Some(basis), tolerance, gap: 10.0 * tolerance, ..options.clone() };
        let found = low_rank(&problem, &inside, run)?;
        if !self.refine {
            return Ok((found, count));
        }
        let start =
            Mat::from_fn(points.nrows(), d.min(found.coordinates.ncols()), |i, j| found.coordinates[(i, j)]);
        let fine = Options { start: Some(start), most_rank: d, ..options };
        Ok((low_rank(&whole, &fine, run)?, count))
    }

    /// Where lengths are kept there may be no optimal dual weights, and the low-rank solver then does not come to an end. The
    /// interior-point method mostly does, and is affordable for few edges.
    fn may_be_solved_exactly(&self, edges: usize) -> bool {
        self.distances == Distances::Keep && self.slack.is_none() && edges <= FEW_EDGES
    }

    /// What the interior-point method finds with a tenth of the tolerance, converged where it is within the whole of it.
    fn exact(&self, problem: &Unfolding, run: &Run) -> Result<Unfolded> {
        let Options { tolerance, gap, .. } = self.options(self.n_components);
        let found = interior_point(problem, 0.1 * tolerance, run)?;
        let converged = found.converged || (found.worst_violation <= tolerance && openness(&found) <= gap);
        Ok(Unfolded { converged, ..found })
    }

    /// The same, where it is nearer to the solution than what was found.
    fn exactly(&self, problem: &Unfolding, found: Unfolded, run: &Run) -> Result<Unfolded> {
        match self.exact(problem, run) {
            Ok(exact)
                if exact.worst_violation <= self.tol.max(found.worst_violation)
                    && openness(&exact) < openness(&found) =>
            {
                Ok(exact)
            }
            Err(Error::Canceled) => Err(Error::Canceled),
            _ => Ok(found),
        }
    }

    fn fit_component(
        &self,
        points: Array2<f64>,
        graph: &Graph<f64>,
        lists: &dyn Neighborhoods,
        run: &Run,
    ) -> Result<(ComponentModel, Array2<f64>, Report, (Vec<f64>, usize))> {
        let n = points.nrows();
        let d = self.n_components.min(n);
        let mut coordinates = Array2::zeros((n, d));
        let (mut report, mut spectrum, mut steps) = (Report::default(), vec![0.0; d], 1);
        if n > 1 && points.rows().into_iter().any(|row| row != points.row(0)) {
            let (found, edges) = self.solve(&points, graph, lists, run)?;
            let all: Array2<f64> = to_array(found.coordinates.as_ref());
            let kept = d.min(all.ncols());
            coordinates.slice_mut(s![.., ..kept]).assign(&all.slice(s![.., ..kept]));
            report = self.report(&found, (d, edges), (&all, trace_of(&points)));
            report.landmarks = self.span.landmarks(&points, run)?;
            report.further_eigenvalues =
                found.spectrum.iter().copied().skip(d).take(FURTHER_EIGENVALUES).collect();
            (spectrum, steps) = (found.spectrum, found.steps.max(1));
        } else {
            report.objective = vec![Quantity { name: "trace".into(), value: 0.0 }];
            report.eigenvalues = vec![0.0; d];
            report.residuals = vec![0.0; d];
        }
        if spectrum.iter().take(d).filter(|&&value| value > 0.0).count() < d {
            let rank = spectrum.iter().take_while(|&&value| value > 0.0).count();
            report.warnings.push(Warning::RankDeficient { asked: d, rank, remedy: String::new() });
        }
        let rule = LocalLinear::new(points, self.n_neighbors.min(n), Weights::Reconstruction { reg: REG });
        let model = ComponentModel {
            members: (0..n).collect(),
            coordinates: coordinates.clone(),
            translation: vec![0.0; d],
            weights: vec![1.0; d],
            formula: Formula::LocalLinear(rule),
        };
        Ok((model, coordinates, report, (spectrum, steps)))
    }
}

/// The size of the gap between the trace and its bound.
fn openness(found: &Unfolded) -> f64 {
    if found.gap().is_finite() { found.gap().abs() } else { f64::INFINITY }
}

impl Recipe for UnfoldingRecipe {
    type Model = SpectralModel;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (d, n) = (self.n_components, shape.rows);
        self.neighborhood().check(n)?;
        if d >= n {
            let bound = format!("below {n}, the number of points");
            return Err(Error::too_many_components(d, n.saturating_sub(1), bound, "points"));
        }
        let most = match self.span {
            Span::All => return self.check_exact(n),
            Span::Landmarks { count, .. } => {
                if count > n {
                    let bound = format!("at most {n}, the number of points");
                    return Err(Error::parameter("landmarks", count, bound, "ask for fewer landmarks"));
                }
                count
            }
            Span::Laplacian { count } => count,
        };
        if d > most {
            let bound = format!("at most {most}, the number of vectors that are combined");
            return Err(Error::too_many_components(d, most, bound, "points"));
        }
        Ok(())
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, k, d) = (shape.rows as f64, self.n_neighbors as f64, self.n_components as f64);
        let span = match self.span {
            Span::All => 0.0,
            Span::Landmarks { count, .. } => (count as f64).min(n),
            Span::Laplacian { count } => count as f64,
        };
        let edges = |angles: bool| if angles { n * (k + 0.5 * k * k) } else { 0.8 * n * k };
        // Points twice, edges with their weights, the vectors of the inner steps, the factors, the span with its products.
        let rank = d + 4.0;
        let factor = |edges: f64| 10.0 * (2.0 * edges + n) * rank.min(8.0);
        let numbers = |edges: f64, span: f64| {
            3.0 * n * shape.columns as f64 + 30.0 * edges + 20.0 * n * rank + factor(edges) + 4.0 * n * span
        };
        let bytes = |edges: f64, span: f64| (8.0 * numbers(edges, span)) as u64 + (1 << 20);
        let in_span = bytes(edges(false), n.min(USUAL_SPAN));
        let edges = edges(self.angles);
        let is_exact = self.way == Way::InteriorPoint
            || (self.span == Span::All && self.may_be_solved_exactly(edges as usize));
        let exact = if is_exact { interior_point_bytes(shape.rows, edges as usize) } else { 0 };
        let bytes = bytes(edges, span) + exact;
        let remedy = if self.span == Span::All && in_span < bytes {
            "choose landmark-mvu or fast-mvu"
        } else {
            fewer_points(shape.kind)
        };
        Forecast { bytes, flops: 2e4 * edges * rank + exact as f64 / 8.0 * edges, remedy: remedy.into() }
    }

    fn fit(
        &self,
        Training { input, .. }: Training<'_, '_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let Source::Points(points) = Source::of(input)? else {
            return Err(unsupported(entry.name, input.shape().kind, "points"));
        };
        // In an order of their own, so that the result does not depend on the one that they came in.
        let order = sorted_rows(points.view());
        let source = Source::Points(points.select(Axis(0), &order));
        drop(points);
        let features = source.features();
        let neighborhood = self.neighborhood();
        let NeighborGraph { source, table, graph, copies } =
            NeighborGraph::of_distinct(&neighborhood, &source, (self.n_components, 1), run)?;
        let (Source::Points(points), Some(table)) = (&*source, table) else {
            return Err(unsupported(entry.name, source.kind(), "points"));
        };
        let (graph, short_circuit_warnings) = self.without_short_circuits(graph, points.view(), run)?;
        let connected = neighborhood.connected(graph, &source, run)?;
        let joined = connected.joined();
        let (mut spectrum, mut steps) = (Vec::new(), 1);
        let mut whole = connected_components::fit(
            connected,
            &source,
            &neighborhood,
            self.n_components,
            run,
            |part: ConnectedComponent<f64>| {
                let (points, lists) = of_component(points, &table, &part, joined);
                let (model, embedding, mut report, (values, taken)) =
                    self.fit_component(points.into_owned(), &part.graph, &lists, run)?;
                report.landmarks.iter_mut().for_each(|landmark| *landmark = part.rows[*landmark] as usize);
                spectrum = if spectrum.is_empty() { values } else { std::mem::take(&mut spectrum) };
                steps = steps.max(taken);
                Ok((model, embedding, report))
            },
        )?;
        whole.report.warnings.splice(0..0, short_circuit_warnings);
        let whole = Copies::reordered(order).spread(copies.spread(whole));
        let fitted = Fitted {
            entry,
            settings,
            features,
            connected_components: whole.connected_components,
            embedding: whole.embedding,
            report: whole.report,
            attributes: vec![
                Attribute::new(ATTRIBUTES[0].0, ATTRIBUTES[0].1, Array1::from(spectrum)),
                Attribute::new(ATTRIBUTES[1].0, ATTRIBUTES[1].1, steps),
            ],
        };
        Ok(SpectralModel::new(fitted, input))
    }

    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<SpectralModel> {
        SpectralModel::load(entry, settings, archive, ATTRIBUTES, load_anchors)
    }
}

/// What the attributes mean.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("spectrum", "All eigenvalues of the learned kernel, of the largest connected component."),
    ("n_iter", "The outer steps of the solver."),
];

impl UnfoldingRecipe {
    fn check_exact(&self, n: usize) -> Result<()> {
        if self.way == Way::LowRank || n <= MOST_EXACT {
            return Ok(());
        }
        let problem = format!("{n} points are too many for solver = interior-point (at most {MOST_EXACT})");
        Err(Error::conflict("solver", problem, "choose low-rank"))
    }
}
