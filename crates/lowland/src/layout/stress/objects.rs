//! The objects of a stress: how far any two of them are apart.

use crate::matrix::large_zeros;
use crate::model::Warning;
use crate::spectral::geodesic::{GeodesicAnchors, GeodesicSource};
use crate::spectral::{Disconnected, Edge, Neighborhood, Relation, Rule, Source, landmarks};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run, pages};
use lowland_neighbors::{Metric, Rows, geodesics};
use ndarray::Array2;
use std::sync::Arc;

use super::pairs::{each_pair, pair_count, row_start};

/// How far objects are apart.
pub(crate) enum Objects {
    /// By the metric, of rows made ready for it.
    Points { rows: Rows<'static, f64>, metric: Metric },
    /// As given, or along a graph: all of them, row by row.
    All { values: Vec<f64>, n: usize, given: bool },
    /// Along a graph, from every object to some.
    Pivots { pivots: Vec<usize>, table: Array2<f64> },
}

/// Which distances count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Geometry {
    pub metric: Metric,
    /// The neighbors of each point in the graph along which distances are measured; none: they are straight.
    pub neighbors: Option<usize>,
}

impl Geometry {
    pub fn neighborhood(self) -> Neighborhood {
        let rule = Rule::Nearest(self.neighbors.unwrap_or(1));
        Neighborhood { rule, metric: self.metric, policy: Disconnected::Join, edge: Edge::Either }
    }
}

/// Objects, and what new ones along the graph are compared with.
pub(crate) struct Opened {
    pub objects: Objects,
    pub graph: Option<GeodesicAnchors>,
    pub warnings: Vec<Warning>,
    /// The sizes of the graph's connected components, before they were joined.
    pub connected_component_sizes: Vec<usize>,
}

/// The objects of an input, in its order; along a graph, from `pivots` of them where they are that many.
pub(crate) fn open(source: Source, geometry: Geometry, pivots: Option<usize>, run: &Run) -> Result<Opened> {
    let plain = |objects| Opened {
        objects,
        graph: None,
        warnings: Vec::new(),
        connected_component_sizes: Vec::new(),
    };
    if geometry.neighbors.is_some() || matches!(source, Source::Graph { .. }) {
        return along_graph(&source, geometry, pivots, run);
    }
    let n = source.len();
    Ok(match source {
        Source::Points(points) => {
            let width = points.ncols();
            let values = Arc::new(points.iter().copied().collect());
            let rows = geometry.metric.prepare_rows(Rows::shared(values, width), run)?;
            plain(Objects::Points { rows, metric: geometry.metric })
        }
        Source::Distances(x) | Source::Kernel(x) => {
            plain(Objects::All { values: x.iter().copied().collect(), n, given: true })
        }
        Source::Graph { .. } => plain(Objects::All { values: Vec::new(), n: 0, given: true }),
    })
}

fn along_graph(source: &Source, geometry: Geometry, pivots: Option<usize>, run: &Run) -> Result<Opened> {
    let neighborhood = geometry.neighborhood();
    let graph = neighborhood.graph(source, run)?;
    if matches!(source, Source::Graph { .. }) && graph.connected_components().count() > 1 {
        return Err(Error::disconnected(graph.connected_components().sizes_descending()));
    }
    let connected = neighborhood.connected(graph, source, run)?;
    let mut warnings = Vec::new();
    if connected.sizes.len() > 1 {
        warnings.push(Warning::joined(&connected.sizes));
    }
    let connected_component_sizes = connected.sizes;
    // Joined: one part with all the rows.
    let Some(part) = connected.connected_components.into_iter().next() else {
        return Err(Error::disconnected(connected_component_sizes));
    };
    let _stage = run.stage("geodesics", None);
    let n = part.graph.len();
    let relation = Relation::to(source, &part.rows, geometry.metric);
    let (objects, geodesics) = match pivots.filter(|&count| count < n) {
        Some(count) => {
            let pivots = landmarks::uniform(n, count, run)?;
            let sources: Vec<u32> = pivots.iter().map(|&pivot| pivot as u32).collect();
            let mut from = large_zeros(count, n)?;
            if let Some(flat) = from.as_slice_mut() {
                geodesics::shortest_paths(&part.graph, &sources, flat, run)?;
            }
            let table = from.t().as_standard_layout().into_owned();
            (Objects::Pivots { pivots, table: table.clone() }, GeodesicSource::Table(table))
        }
        None => {
            let mut values = pages::zeros(n * n)?;
            let sources: Vec<u32> = (0..n as u32).collect();
            geodesics::shortest_paths(&part.graph, &sources, &mut values, run)?;
            (Objects::All { values, n, given: false }, GeodesicSource::Graph(part.graph))
        }
    };
    let graph = Some(GeodesicAnchors { neighborhood, relation, geodesics, local_scales: None });
    Ok(Opened { objects, graph, warnings, connected_component_sizes })
}

impl Objects {
    pub fn len(&self) -> usize {
        match self {
            Self::Points { rows, .. } => rows.len(),
            Self::All { n, .. } => *n,
            Self::Pivots { table, .. } => table.nrows(),
        }
    }

    /// The distance of two; along a graph with pivots, the second is one of these, by its number.
    pub fn between(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Points { rows, metric } => metric.between(rows.row(i), rows.row(j)),
            // The two directions of a path may round differently: one is taken.
            Self::All { values, n, .. } => values[i.min(j) * n + i.max(j)],
            Self::Pivots { table, .. } => table[(i, j)],
        }
    }

    /// The distances of all pairs of some, row by row.
    pub fn all_pairs(&self, some: &[usize], run: &Run) -> Result<Vec<f64>> {
        let n = some.len();
        let mut distances = pages::zeros(pair_count(n))?;
        fill_rows(run, &mut distances, 1, 2048, |indices, out| {
            let first = indices.start;
            each_pair(n, indices, |index, i, j| out[index - first] = self.between(some[i], some[j]));
        })?;
        Ok(distances)
    }
}

/// Objects that are there more than once: each counts as one with the mass of all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Copies {
    /// The first of each different object, ascending.
    pub first: Vec<usize>,
    /// The different object that each is.
    pub object: Vec<usize>,
}

impl Copies {
    pub fn none(n: usize) -> Self {
        Self { first: (0..n).collect(), object: (0..n).collect() }
    }

    fn from(n: usize, same: impl Fn(usize) -> Option<usize>) -> Self {
        let (mut first, mut object) = (Vec::new(), Vec::with_capacity(n));
        for i in 0..n {
            match same(i) {
                Some(before) => object.push(object[before]),
                None => {
                    object.push(first.len());
                    first.push(i);
                }
            }
        }
        Self { first, object }
    }

    /// Rows that are equal and lie side by side, as sorted ones do.
    pub fn adjacent(points: &Array2<f64>) -> Self {
        Self::from(points.nrows(), |i| (i > 0 && points.row(i) == points.row(i - 1)).then(|| i - 1))
    }

    /// Objects at distance zero. Of given dissimilarities only those that are also alike to all others: two objects that
    /// nothing tells apart but the others are not the same.
    pub fn at_no_distance(n: usize, distances: &[f64], given: bool) -> Self {
        let at = |i: usize, j: usize| {
            if i == j { 0.0 } else { distances[row_start(n, i.min(j)) + i.max(j) - i.min(j) - 1] }
        };
        let alike = |i: usize, j: usize| {
            (0..n).all(|k| at(i, k) == at(j, k) || (at(i, k).is_nan() && at(j, k).is_nan()))
        };
        let mut same = vec![None; n];
        for i in 0..n {
            if same[i].is_some() {
                continue;
            }
            for j in i + 1..n {
                if at(i, j) == 0.0 && same[j].is_none() && (!given || alike(i, j)) {
                    same[j] = Some(i);
                }
            }
        }
        Self::from(n, |j| same[j])
    }

    pub fn any(&self) -> bool {
        self.first.len() < self.object.len()
    }

    /// How many objects each different one stands for.
    pub fn mass(&self) -> Option<Vec<f64>> {
        if !self.any() {
            return None;
        }
        let mut mass = vec![0.0; self.first.len()];
        self.object.iter().for_each(|&k| mass[k] += 1.0);
        Some(mass)
    }

    /// The distances of the different ones, from those of all.
    pub fn reduced(&self, distances: Vec<f64>) -> Vec<f64> {
        if !self.any() {
            return distances;
        }
        let n = self.object.len();
        let mut kept = Vec::with_capacity(pair_count(self.first.len()));
        for (k, &i) in self.first.iter().enumerate() {
            kept.extend(self.first[k + 1..].iter().map(|&j| distances[row_start(n, i) + j - i - 1]));
        }
        kept
    }
}
