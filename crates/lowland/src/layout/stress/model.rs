//! The model of every layout by stress: the map, what the rows of new objects are compared with, and what the fit found.

use super::disparity::Curve;
use super::objects::Geometry;
use super::transform::Frozen;
use crate::matrix::{AnyMatrix, sorted_rows};
use crate::method::Entry;
use crate::model::{Archive, Attribute, Model, Report};
use crate::parameters::Value;
use crate::spectral::geodesic::GeodesicAnchors;
use crate::spectral::{Anchors, blocks, query, refuse_without_edges};
use crate::{Admitted, AnyInput, InputKind};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run, units};
use lowland_neighbors::{Metric, Rows};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// What the rows of new objects are compared with.
pub(crate) enum Reach {
    /// Points, by a metric: some or all of these.
    Points { points: Array2<f64>, metric: Metric },
    /// Rows are distances to all training objects.
    Columns(usize),
    /// Distances along a graph, to its vertices or to pivots.
    Graph(Box<GeodesicAnchors>, usize),
}

/// What a fit has found.
pub(crate) struct Found {
    /// One position a row, in the order of the input.
    pub embedding: Array2<f64>,
    pub reach: Reach,
    /// The rows of the embedding that distances of new objects lead to, in that order.
    pub anchors: Vec<usize>,
    /// The rows of the embedding that a graph's vertices are, where not all of them are anchors.
    pub vertices: Vec<usize>,
    pub curve: Curve,
    /// The power of the distance that pairs are divided by.
    pub power: f64,
    pub per_point: Vec<f64>,
    pub shepard: Array2<f64>,
    /// The value that each start led to.
    pub starts: Vec<f64>,
    pub iterations: usize,
    pub single: bool,
    pub report: Report,
}

/// A fitted layout by stress.
pub struct StressModel {
    entry: &'static Entry,
    parameters: Vec<(&'static str, Value)>,
    found: Found,
    shown: AnyMatrix,
    /// The training points in the order of their values.
    sorted: OnceLock<Vec<usize>>,
    /// The training points as the metric sees them, made when new rows first come.
    prepared: OnceLock<Rows<'static, f64>>,
}

impl std::fmt::Debug for StressModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StressModel").field("entry", &self.entry).finish_non_exhaustive()
    }
}

impl StressModel {
    pub(crate) fn new(entry: &'static Entry, parameters: Vec<(&'static str, Value)>, found: Found) -> Self {
        let shown = AnyMatrix::rounded(found.embedding.clone(), found.single);
        Self { entry, parameters, found, shown, sorted: OnceLock::new(), prepared: OnceLock::new() }
    }

    fn quantity(&self, name: &str) -> f64 {
        let objective = &self.found.report.objective;
        objective.iter().find(|quantity| quantity.name == name).map_or(f64::NAN, |quantity| quantity.value)
    }

    /// What was minimized, for the returned layout: the first of the report's objectives.
    pub fn loss(&self) -> f64 {
        self.found.report.objective.first().map_or(f64::NAN, |quantity| quantity.value)
    }

    /// Kruskal's stress-1 of the returned layout: `sqrt(sum w (t - d)^2 / sum w d^2)`, for distances `d` in the layout and
    /// disparities `t`.
    pub fn stress_1(&self) -> f64 {
        self.quantity("stress-1")
    }

    /// `sum w (t - d)^2` of the returned layout.
    pub fn raw_stress(&self) -> f64 {
        self.quantity("raw stress")
    }

    /// What each start led to, the first start first.
    pub fn starts(&self) -> &[f64] {
        &self.found.starts
    }

    /// The mean of the weighted squared residuals of each row's pairs.
    pub fn stress_per_point(&self) -> &[f64] {
        &self.found.per_point
    }

    /// Pairs of rows: the dissimilarity, the disparity, and the distance in the layout. All pairs, or evenly chosen ones
    /// where there are more than ten thousand.
    pub fn shepard(&self) -> ArrayView2<'_, f64> {
        self.found.shepard.view()
    }

    pub(crate) fn load(
        entry: &'static Entry,
        parameters: Vec<(&'static str, Value)>,
        geometry: Geometry,
        power: f64,
        archive: &Archive,
    ) -> Result<Self> {
        let broken = |problem: String| Error::ModelFile { problem };
        let embedding = archive.any_matrix("stress.embedding")?;
        let (n, components) = embedding.dim();
        if n == 0 {
            return Err(broken("a layout without points".into()));
        }
        crate::layout::points::check_components(components).map_err(|e| broken(e.to_string()))?;
        let anchors = archive.indices("stress.anchors", n)?;
        let features = archive.count("stress.features")?;
        let reach = match archive.word("stress.reach")? {
            "points" => {
                let points = archive.matrix("stress.points", (n, features))?;
                Reach::Points { points, metric: geometry.metric }
            }
            "columns" => Reach::Columns(features),
            "graph" => {
                let graph =
                    GeodesicAnchors::load(geometry.neighborhood(), "stress.graph.", features, archive)?;
                Reach::Graph(Box::new(graph), features)
            }
            other => return Err(broken(format!("rows that are compared with {other:?}"))),
        };
        let expected = match &reach {
            Reach::Points { .. } => anchors.len(),
            Reach::Columns(columns) => *columns,
            Reach::Graph(graph, _) => graph.len(),
        };
        if anchors.is_empty() || anchors.len() != expected {
            return Err(broken(format!(
                "{} for {}",
                units::count(anchors.len(), "position"),
                units::count(expected, "distance")
            )));
        }
        let vertices = if archive.has_array("stress.vertices") {
            archive.indices("stress.vertices", n)?
        } else {
            Vec::new()
        };
        if let Reach::Graph(graph, _) = &reach
            && (graph.relation.len() != n || !(vertices.is_empty() || vertices.len() == n))
        {
            let (rows, points) = (units::count(graph.relation.len(), "row"), units::count(n, "point"));
            return Err(broken(format!("{rows} of a graph for {points}")));
        }
        let knots = optional(archive, "stress.curve")?;
        if knots.nrows() > 0 && knots.ncols() != 2 {
            return Err(broken("a curve that is none".into()));
        }
        let curve = Curve {
            knots: knots.rows().into_iter().map(|knot| [knot[0], knot[1]]).collect(),
            open: archive.count("stress.open")? == 1,
        };
        let starts = archive.any_matrix("stress.starts")?;
        let found = Found {
            embedding,
            reach,
            anchors,
            vertices,
            curve,
            power,
            per_point: archive.vector("stress.per_point", n)?.to_vec(),
            shepard: optional(archive, "stress.shepard")?,
            starts: starts.iter().copied().collect(),
            iterations: archive.count("stress.iterations")?,
            single: archive.count("single")? == 1,
            report: archive.report().clone(),
        };
        Ok(Self::new(entry, parameters, found))
    }

    /// The distances of new objects to the anchors.
    fn distances(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let Found { reach, anchors, .. } = &self.found;
        match reach {
            Reach::Columns(_) => Ok(queries.to_owned()),
            Reach::Graph(graph, _) => {
                let kernel = graph.rows(queries, run)?.dense(graph.len());
                Ok(kernel.mapv(|k| (-2.0 * k).max(0.0).sqrt()))
            }
            Reach::Points { points, metric, .. } => {
                let rows = |x: ArrayView2<'_, f64>| {
                    let values = Arc::new(x.iter().copied().collect::<Vec<f64>>());
                    metric.prepare_rows(Rows::shared(values, x.ncols()), run)
                };
                let all = match self.prepared.get() {
                    Some(all) => all,
                    None => {
                        let all = rows(points.view())?;
                        self.prepared.get_or_init(|| all)
                    }
                };
                let new = rows(queries)?;
                let mut out = Array2::zeros((queries.nrows(), anchors.len()));
                let flat = out.as_slice_mut().unwrap_or_default();
                fill_rows(run, flat, anchors.len(), 4, |range, out| {
                    for (query, out) in range.zip(out.chunks_exact_mut(anchors.len())) {
                        for (out, &anchor) in out.iter_mut().zip(anchors) {
                            *out = metric.between(new.row(query), all.row(anchor));
                        }
                    }
                })?;
                Ok(out)
            }
        }
    }

    /// The training point equal to a new one, where not all of them are anchors.
    fn known(&self, query: ArrayView1<'_, f64>) -> Option<usize> {
        let Found { reach, anchors, vertices, .. } = &self.found;
        let points = match reach {
            Reach::Points { points, .. } => points.view(),
            Reach::Graph(graph, _) => graph.relation.points()?,
            Reach::Columns(_) => return None,
        };
        if anchors.len() == points.nrows() {
            return None;
        }
        let sorted = self.sorted.get_or_init(|| sorted_rows(points));
        let compare = |row: usize| -> Ordering {
            let orders =
                points.row(row).into_iter().zip(&query).map(|(a, b)| (a + 0.0).total_cmp(&(b + 0.0)));
            orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let row = sorted[sorted.binary_search_by(|&row| compare(row)).ok()?];
        Some(vertices.get(row).copied().unwrap_or(row))
    }
}

/// A matrix that is not kept where it has no rows.
fn optional(archive: &Archive, name: &str) -> Result<Array2<f64>> {
    if archive.has_array(name) { archive.any_matrix(name) } else { Ok(Array2::zeros((0, 3))) }
}

/// New rows that are compared with all anchors at a time.
const BATCH: usize = 512;

impl Model for StressModel {
    fn entry(&self) -> &'static Entry {
        self.entry
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.parameters.clone()
    }

    fn features(&self) -> usize {
        match &self.found.reach {
            Reach::Points { points, .. } => points.ncols(),
            Reach::Columns(features) | Reach::Graph(_, features) => *features,
        }
    }

    fn components(&self) -> usize {
        self.found.embedding.ncols()
    }

    fn row_kinds(&self) -> &'static [InputKind] {
        match &self.found.reach {
            Reach::Points { .. } => &[InputKind::Points, InputKind::Sparse],
            Reach::Columns(_) => &[InputKind::Distances],
            Reach::Graph(graph, _) => graph.relation.kinds(),
        }
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        Some(&self.shown)
    }

    fn report(&self) -> &Report {
        &self.found.report
    }

    fn report_mut(&mut self) -> &mut Report {
        &mut self.found.report
    }

    fn archive(&self) -> Archive {
        let found = &self.found;
        let mut archive = Archive::new(self.parameters(), &found.report);
        archive.put("stress.embedding", found.embedding.clone());
        archive.put_indices("stress.anchors", &found.anchors);
        archive.put_fact("stress.features", self.features());
        let reach = match &found.reach {
            Reach::Points { points, .. } => {
                archive.put("stress.points", points.clone());
                "points"
            }
            Reach::Columns(_) => "columns",
            Reach::Graph(graph, _) => {
                graph.save("stress.graph.", &mut archive);
                "graph"
            }
        };
        archive.put_fact("stress.reach", reach);
        if !found.vertices.is_empty() {
            archive.put_indices("stress.vertices", &found.vertices);
        }
        let knots = &found.curve.knots;
        if !knots.is_empty() {
            archive.put("stress.curve", Array2::from_shape_fn((knots.len(), 2), |(k, c)| knots[k][c]));
        }
        archive.put_fact("stress.open", usize::from(found.curve.open));
        archive.put_vector("stress.per_point", &found.per_point);
        if found.shepard.nrows() > 0 {
            archive.put("stress.shepard", found.shepard.clone());
        }
        archive.put_vector("stress.starts", &found.starts);
        archive.put_fact("stress.iterations", found.iterations);
        archive.put_fact("single", usize::from(found.single));
        archive
    }

    /// The distances of a new object need not all be known.
    fn takes_missing(&self) -> bool {
        matches!(self.found.reach, Reach::Columns(_))
    }

    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        let input = input.input();
        let Found { embedding, reach, anchors, curve, power, .. } = &self.found;
        let points = embedding.select(Axis(0), anchors);
        let frozen = Frozen { points: points.view(), curve, power: *power };
        let rows = input.shape().rows;
        let mut placed = Array2::zeros((rows, embedding.ncols()));
        let stage = run.stage("new points", Some(rows as u64));
        for Range { start, end } in blocks(&input, BATCH) {
            let queries = match reach {
                Reach::Graph(graph, _) => graph.relation.queries(input, start..end),
                Reach::Points { .. } | Reach::Columns(_) => query(input, start..end),
            };
            if let Reach::Graph(graph, _) = reach {
                refuse_without_edges([&graph.relation], queries.view(), start)?;
            }
            let found = frozen.transform(self.distances(queries.view(), run)?.view(), run)?;
            placed.slice_mut(s![start..end, ..]).assign(&found);
            if let Reach::Graph(graph, _) = reach {
                let known = |vertex: usize| embedding.row(vertex);
                graph.relation.settle_known(queries.view(), known, placed.slice_mut(s![start..end, ..]));
            }
            for (k, query) in queries.rows().into_iter().enumerate() {
                if let Some(row) = self.known(query) {
                    placed.row_mut(start + k).assign(&embedding.row(row));
                }
            }
            stage.advance((end - start) as u64)?;
        }
        Ok(AnyMatrix::rounded(placed, matches!(input, AnyInput::F32(_))))
    }

    fn attributes(&self) -> Vec<Attribute> {
        let found = &self.found;
        let mut all = vec![
            Attribute::new("stress", "What was minimized, for the returned layout.", self.loss()),
            Attribute::new(
                "loss_history",
                "Iterations and the stress after them.",
                found.report.loss_history(),
            ),
            Attribute::new("n_iter", "The iterations that led to the returned layout.", found.iterations),
            Attribute::new(
                "stress_of_starts",
                "The stress that each start led to; the least was kept.",
                Array1::from(found.starts.clone()),
            ),
            Attribute::new(
                "stress_per_point",
                "The mean of the weighted squared residuals of each row's pairs.",
                Array1::from(found.per_point.clone()),
            ),
        ];
        if found.shepard.nrows() > 0 {
            all.push(Attribute::new(
                "shepard",
                "Pairs of rows, at most ten thousand: dissimilarity, disparity, distance in the layout.",
                found.shepard.clone(),
            ));
        }
        all
    }
}
