//! What Isomap, landmark Isomap and C-Isomap share: the graph, its geodesics, and classical scaling of these.

use super::geodesic::{GeodesicAnchors, GeodesicSource, conformal, half_squared};
use super::kernel::Function;
use super::landmarks::{self, Choice, Objects};
use super::nystrom::Variant;
use super::{
    Anchors, Fitted, KernelPipeline, Near, Negative, NeighborGraph, Neighborhood, Piece, Rule, Source,
    SpectralModel, parts, shortcuts,
};
use crate::matrix::large_zeros;
use crate::method::{Entry, Forecast, Recipe};
use crate::model::{Archive, Attribute, Report};
use crate::parameters::Value;
use crate::{AnyInput, InputKind, Shape, spectral};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run, pages};
use lowland_linalg::operator::Packed;
use lowland_neighbors::graph::Part;
use lowland_neighbors::{Graph, Table, geodesics};
use ndarray::{Array1, Array2, s};

/// How many neighbors a ball is taken to hold, in a forecast.
const USUAL_NEIGHBORS: usize = 8;

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
}

impl GeodesicRecipe {
    /// One connected part: geodesics, kernel, coordinates.
    fn piece(
        &self,
        part: Part<f64>,
        source: &Source,
        local_scales: Option<&[f64]>,
        run: &Run,
    ) -> Result<(Piece, Array2<f64>, Report, Vec<f64>)> {
        let n = part.graph.len();
        let near = parts::near(source, &part.rows);
        let local_scales = local_scales.map(|all| part.rows.iter().map(|&row| all[row as usize]).collect());
        let count = self.landmarks.map_or(n, |count| count.min(n));
        let own = match (source, &near) {
            (Source::Distances(all), Near::Columns(columns)) if self.choice == Choice::Farthest => {
                Some(spectral::square(all, columns))
            }
            _ => None,
        };
        let objects = match (&near, &own) {
            (Near::Points(points), _) => Objects::Points(points.view()),
            (_, Some(distances)) => Objects::Distances(distances.view()),
            // Of a graph only numbers are known before its geodesics are.
            _ => Objects::Anonymous(n),
        };
        let chosen = landmarks::choose(objects, &Function::Linear, count, self.choice, run)?;
        let stage = run.stage("geodesics", None);
        let (geodesics, mut inner) = if count == n {
            let mut all = pages::zeros(n * n);
            let sources: Vec<u32> = (0..n as u32).collect();
            geodesics::shortest_paths(&part.graph, &sources, &mut all, run)?;
            // The two directions may round differently: one is taken.
            (GeodesicSource::Graph(part.graph), Packed::from_lower(n, all)?)
        } else {
            let sources: Vec<u32> = chosen.iter().map(|&landmark| landmark as u32).collect();
            let mut from = large_zeros(count, n);
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
            Box::new(GeodesicAnchors { neighborhood: self.neighborhood, near, geodesics, local_scales });
        pipeline.fit_geodesic(anchors, inner, count == n, run)
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
        forecast.bytes += (8.0 * table + n * (60.0 * k + 600.0)) as u64;
        forecast.flops += self.landmarks.map_or(n, |count| count as f64) * n * k * 20.0;
        forecast
    }

    fn fit(
        &self,
        input: AnyInput<'_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let source = Source::of(input)?;
        let NeighborGraph { mut graph, table, .. } = NeighborGraph::of(&self.neighborhood, &source, run)?;
        let local_scales = self.conformal.then(|| local_scales(&graph, table.as_ref()));
        drop(table);
        if let Some(local_scales) = &local_scales {
            graph = scaled(&graph, local_scales)?;
        }
        let (graph, suspicion) = shortcuts::examined(graph, self.cut, run)?;
        let connected = self.neighborhood.connected(graph, &source, run)?;
        let mut curve = Vec::new();
        let fitted = parts::fit(connected, &source, &self.neighborhood, self.count, run, |part| {
            let (piece, embedding, report, variance) =
                self.piece(part, &source, local_scales.as_deref(), run)?;
            curve = if curve.is_empty() { variance } else { curve.clone() };
            Ok((piece, embedding, report))
        })?;
        let mut report = fitted.report;
        report.warnings.splice(0..0, suspicion);
        let attributes = vec![Attribute::new(ATTRIBUTES[0].0, ATTRIBUTES[0].1, Array1::from(curve))];
        let fitted = Fitted {
            entry,
            settings,
            features: source.features(),
            pieces: fitted.pieces,
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
    let mut out = large_zeros(columns, rows);
    fill_rows(run, out.as_slice_mut().unwrap_or_default(), rows, 64, |range, out| {
        for (place, row) in matrix.rows().into_iter().enumerate() {
            for (value, out) in row.slice(s![range.clone()]).iter().zip(out.chunks_exact_mut(rows)) {
                out[place] = *value;
            }
        }
    })?;
    Ok(out)
}

/// What the attributes mean.
const ATTRIBUTES: &[(&str, &str)] = &[(
    "residual_variance",
    "1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on.",
)];

/// The mean distance of each point to its nearest (de Silva and Tenenbaum 2003), or where these are not counted the
/// mean length of its edges.
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
        for place in offsets[i]..offsets[i + 1] {
            values[place] = conformal(values[place], local_scales[i], local_scales[columns[place] as usize]);
        }
    }
    Graph::from_csr(lengths, lowland_neighbors::graph::Symmetrize::Either)
}
