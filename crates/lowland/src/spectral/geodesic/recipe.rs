//! What Isomap, landmark Isomap and C-Isomap share: the graph, its geodesics, and classical scaling of these.

use super::anchors::conformal;
use super::{GeodesicAnchors, GeodesicSource, folding, half_squared, short_circuits, steep, tearing};
use crate::matrix::{large_zeros, square};
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Attribute, Report, Warning};
use crate::parameters::Value;
use crate::spectral::kernel::Function;
use crate::spectral::landmarks::{self, Choice};
use crate::spectral::nystrom::Variant;
use crate::spectral::{
    Anchors, ComponentModel, Fitted, KernelPipeline, Negative, NeighborGraph, Neighborhood, Relation, Rule,
    Source, SpectralModel, connected_components,
};
use crate::{Input, InputKind, Shape, spectral};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run, pages};
use lowland_linalg::operator::Packed;
use lowland_neighbors::graph::ConnectedComponent;
use lowland_neighbors::{Graph, Metric, Table, geodesics};
use ndarray::{Array1, Array2, s};

/// How many neighbors a radius is taken to give, in a forecast.
const USUAL_NEIGHBORS: usize = 8;
/// Edges are looked at from planes of at most so many dimensions.
const STEEP: usize = 2;

/// Isomap and its relatives: the settings.
pub(crate) struct GeodesicRecipe {
    pub neighborhood: Neighborhood,
    pub count: usize,
    pub negative: Negative,
    pub landmarks: Option<usize>,
    pub choice: Choice,
    /// Whether edges are scaled by the mean distances of neighbors (C-Isomap).
    pub conformal: bool,
    /// Whether short circuits are cut.
    pub cut: bool,
    /// The longest cycle that an edge beyond the spanning tree may close, where loops are torn.
    pub tear: Option<usize>,
}

impl GeodesicRecipe {
    /// One connected component: geodesics, kernel, coordinates.
    fn fit_component(
        &self,
        mut part: ConnectedComponent<f64>,
        source: &Source,
        local_scales: Option<&[f64]>,
        run: &Run,
    ) -> Result<(ComponentModel, Array2<f64>, Report, Vec<f64>)> {
        let n = part.graph.len();
        if let Some(longest) = self.tear {
            part.graph = tearing::cut_loops(&part.graph, longest, run)?;
        }
        let relation = Relation::to(source, &part.rows, self.neighborhood.metric);
        let local_scales = local_scales.map(|all| part.rows.iter().map(|&row| all[row as usize]).collect());
        let count = self.landmarks.map_or(n, |count| count.min(n));
        let between = match (source, &relation) {
            (Source::Distances(all), Relation::Columns { columns, .. })
                if count < n && self.choice != Choice::Uniform =>
            {
                Some(square(all.view(), columns))
            }
            _ => None,
        };
        let objects = match (&relation, &between) {
            (Relation::Points(points), _) => Input::Points(points.view()),
            (_, Some(distances)) => Input::Distances(distances.view()),
            _ => Input::Graph(part.graph.distances()),
        };
        let chosen = landmarks::choose(objects, &Function::Linear, count, self.choice, run)?;
        drop(between);
        let stage = run.stage("geodesics", None);
        let (geodesics, mut inner) = if count == n {
            let mut all = pages::zeros(n * n)?;
            let sources: Vec<u32> = (0..n as u32).collect();
            geodesics::shortest_paths(&part.graph, &sources, &mut all, run)?;
            // The two directions of a path may round differently: one is taken.
            (GeodesicSource::Graph(part.graph), Packed::from_lower(n, all)?)
        } else {
            let sources: Vec<u32> = chosen.iter().map(|&landmark| landmark as u32).collect();
            let mut from = large_zeros(count, n)?;
            if let Some(flat) = from.as_slice_mut() {
                geodesics::shortest_paths(&part.graph, &sources, flat, run)?;
            }
            let table = transposed(&from, run)?;
            let between = chosen.iter().flat_map(|&row| table.row(row).to_vec()).collect();
            (GeodesicSource::Table(table), Packed::from_lower(count, between)?)
        };
        drop(stage);
        inner.update(run, |_, row| row.iter_mut().for_each(|way| *way = half_squared(*way)))?;
        let pipeline = KernelPipeline {
            count: self.count.min(count),
            center: true,
            weights: None,
            negative: self.negative,
            variant: Variant::Plain,
        };
        let anchors =
            Box::new(GeodesicAnchors { neighborhood: self.neighborhood, relation, geodesics, local_scales });
        let (model, embedding, mut report, variance) =
            pipeline.fit_geodesic(anchors, inner, count == n, run)?;
        if count < n {
            report.landmarks = chosen.iter().map(|&landmark| part.rows[landmark] as usize).collect();
        }
        Ok((model, embedding, report, variance))
    }
}

impl Recipe for GeodesicRecipe {
    type Model = SpectralModel;

    fn check(&self, shape: &Shape) -> Result<()> {
        if shape.kind != InputKind::Graph {
            self.neighborhood.check(shape.rows)?;
        }
        if let Rule::Adaptive { k: k @ ..2, .. } = self.neighborhood.rule {
            let bound = "at least 2 with an adaptive neighborhood";
            return Err(Error::parameter("n_neighbors", k, bound, "raise it"));
        }
        spectral::check_landmarks(self.count, self.landmarks, shape.rows)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, k) = (shape.rows as f64, self.neighborhood.rule.k().unwrap_or(USUAL_NEIGHBORS) as f64);
        let mut forecast = spectral::forecast(shape, self.landmarks, self.count);
        // The geodesics before they are packed, or the table of landmarks; the graph both ways, the searches' work space.
        let table = self.landmarks.map_or(0.5 * n * n, |count| 2.0 * n * count as f64);
        forecast.bytes += (8.0 * table + n * (60.0 * k + 1100.0)) as u64;
        forecast.flops += self.landmarks.map_or(n, |count| count as f64) * n * k * 20.0;
        forecast
    }

    fn fit(
        &self,
        Training { input, .. }: Training<'_, '_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let source = Source::of(input)?;
        let NeighborGraph { mut graph, table, .. } = NeighborGraph::of(&self.neighborhood, &source, run)?;
        let local_scales = self.conformal.then(|| local_scales(&graph, table.as_ref()));
        drop(table);
        // Of a given graph no number of neighbors is known.
        let mut short_circuit_warning = None;
        if !matches!(source, Source::Graph { .. }) {
            (graph, short_circuit_warning) =
                folding::without_short_circuits(graph, self.neighborhood.rule, self.cut, run)?;
        }
        if let (None, Source::Points(points), Metric::Euclidean) =
            (&short_circuit_warning, &source, self.neighborhood.metric)
        {
            let (rule, planes) = (self.neighborhood.rule, self.count.min(STEEP));
            (graph, short_circuit_warning) =
                steep::without_short_circuits(graph, points.view(), rule, planes, self.cut, run)?;
        }
        if let Some(local_scales) = &local_scales {
            graph = scaled(&graph, local_scales)?;
        }
        if short_circuit_warning.is_none() {
            (graph, short_circuit_warning) = short_circuits::examined(graph, self.cut, run)?;
        }
        let connected = self.neighborhood.connected(graph, &source, run)?;
        let mut curve = Vec::new();
        let fitted =
            connected_components::fit(connected, &source, &self.neighborhood, self.count, run, |part| {
                let (model, embedding, report, variance) =
                    self.fit_component(part, &source, local_scales.as_deref(), run)?;
                curve = if curve.is_empty() { variance } else { curve.clone() };
                Ok((model, embedding, report))
            })?;
        let mut report = fitted.report;
        if short_circuit_warning.as_ref().is_some_and(Warning::is_of_short_circuits) {
            // Negative eigenvalues are what short circuits leave.
            report.warnings.retain(|warning| !matches!(warning, Warning::Indefinite { .. }));
        } else if !matches!(source, Source::Graph { .. }) {
            report.warnings = report.warnings.into_iter().map(Warning::of_paths).collect();
        }
        report.warnings.splice(0..0, short_circuit_warning);
        let attributes = vec![Attribute::new(ATTRIBUTES[0].0, ATTRIBUTES[0].1, Array1::from(curve))];
        let fitted = Fitted {
            entry,
            settings,
            features: source.features(),
            connected_components: fitted.connected_components,
            embedding: fitted.embedding,
            report,
            attributes,
        };
        Ok(SpectralModel::new(fitted, input))
    }

    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<SpectralModel> {
        let anchors = |prefix: &str, features: usize, archive: &Archive| -> Result<Box<dyn Anchors>> {
            Ok(Box::new(GeodesicAnchors::load(self.neighborhood, prefix, features, archive)?))
        };
        SpectralModel::load(entry, settings, archive, ATTRIBUTES, anchors)
    }
}

/// The transpose, row after row.
fn transposed(matrix: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let (rows, columns) = matrix.dim();
    let mut out = large_zeros(columns, rows)?;
    fill_rows(run, out.as_slice_mut().unwrap_or_default(), rows, 64, |range, out| {
        for (i, row) in matrix.rows().into_iter().enumerate() {
            for (value, out) in row.slice(s![range.clone()]).iter().zip(out.chunks_exact_mut(rows)) {
                out[i] = *value;
            }
        }
    })?;
    Ok(out)
}

/// What the attributes mean.
const ATTRIBUTES: &[(&str, &str)] = &[(
    "geodesic_residual_variance",
    "1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on.",
)];

/// The mean distance of each point to its k nearest (de Silva and Tenenbaum 2003), or, where neighborhoods are not given by
/// k, the mean length of its edges.
fn local_scales(graph: &Graph<f64>, nearest: Option<&Table<f64>>) -> Vec<f64> {
    (0..graph.len())
        .map(|i| {
            let lengths = nearest.map_or_else(|| graph.neighbors(i).1, |table| table.row(i).1);
            lengths.iter().sum::<f64>() / lengths.len().max(1) as f64
        })
        .collect()
}

fn scaled(graph: &Graph<f64>, local_scales: &[f64]) -> Result<Graph<f64>> {
    let mut lengths = graph.distances().clone();
    let (offsets, columns) = (lengths.offsets().to_vec(), lengths.indices().to_vec());
    let values = lengths.values_mut();
    for i in 0..local_scales.len() {
        for entry in offsets[i]..offsets[i + 1] {
            values[entry] = conformal(values[entry], local_scales[i], local_scales[columns[entry] as usize]);
        }
    }
    Graph::from_csr(lengths, lowland_neighbors::graph::Symmetrize::Either)
}
