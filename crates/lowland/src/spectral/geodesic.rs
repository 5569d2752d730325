//! Geodesics as a kernel: how Isomap sees new points (Bengio 2.5).

use super::anchors::at_no_distance;
use super::{Anchors, Near, Neighborhood};
use crate::model::Archive;
use lowland_base::{Csr, Error, Result, Run};
use lowland_neighbors::graph::Symmetrize;
use lowland_neighbors::{Graph, geodesics};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// The training points on their graph. A new point is joined to its neighbors; its distance to an anchor is the
/// shortest way there.
pub(crate) struct GeodesicAnchors {
    pub neighborhood: Neighborhood,
    pub near: Near,
    pub geodesics: GeodesicSource,
    /// The mean distance of each point to its neighbors, where edges are scaled by density (C-Isomap).
    pub local_scales: Option<Vec<f64>>,
}

/// What is kept of the graph.
pub(crate) enum GeodesicSource {
    /// The graph itself: every new point starts a search.
    Graph(Graph<f64>),
    /// The geodesics from every point to each landmark, a row a point.
    Table(Array2<f64>),
}

impl GeodesicAnchors {
    fn points(&self) -> usize {
        match &self.geodesics {
            GeodesicSource::Graph(graph) => graph.len(),
            GeodesicSource::Table(table) => table.nrows(),
        }
    }

    pub fn load(
        neighborhood: Neighborhood,
        prefix: &str,
        features: usize,
        archive: &Archive,
    ) -> Result<Self> {
        let name = |what: &str| format!("{prefix}{what}");
        let n = archive.count(&name("vertices"))?;
        let near = Near::load(prefix, n, features, archive)?;
        let geodesics = if archive.has_array(&name("table")) {
            GeodesicSource::Table(archive.matrix(&name("table"), (n, archive.count(&name("landmarks"))?))?)
        } else {
            GeodesicSource::Graph(Graph::from_csr(load_graph(prefix, n, archive)?, Symmetrize::Either)?)
        };
        let local_scales = if archive.has_array(&name("local_scales")) {
            Some(archive.vector(&name("local_scales"), n)?.to_vec())
        } else {
            None
        };
        Ok(Self { neighborhood, near, geodesics, local_scales })
    }
}

impl Anchors for GeodesicAnchors {
    fn len(&self) -> usize {
        match &self.geodesics {
            GeodesicSource::Graph(graph) => graph.len(),
            GeodesicSource::Table(table) => table.ncols(),
        }
    }

    fn rows(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let mut edges = self.neighborhood.of_new(&self.near, queries, run)?;
        for edges in &mut edges {
            // Whoever is where a training point is has its edges, whatever was cut or left out of them.
            let same = edges.iter().take_while(|edge| edge.1 == 0.0).count();
            if same > 0 {
                edges.truncate(same);
            }
        }
        if let Some(local_scales) = &self.local_scales {
            for edges in &mut edges {
                let own = edges.iter().map(|edge| edge.1).sum::<f64>() / edges.len().max(1) as f64;
                for (point, length) in edges {
                    *length = conformal(*length, own, local_scales[*point as usize]);
                }
            }
        }
        let mut out = Array2::zeros((queries.nrows(), self.len()));
        match &self.geodesics {
            GeodesicSource::Graph(graph) => {
                if let Some(flat) = out.as_slice_mut() {
                    geodesics::shortest_paths_from(graph, &edges, flat, run)?;
                }
            }
            GeodesicSource::Table(table) => {
                for (edges, mut row) in edges.iter().zip(out.rows_mut()) {
                    row.fill(f64::INFINITY);
                    for &(point, length) in edges {
                        for (out, way) in row.iter_mut().zip(table.row(point as usize)) {
                            *out = out.min(length + way);
                        }
                    }
                }
            }
        }
        out.mapv_inplace(half_squared);
        Ok(out)
    }

    fn nearest(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Option<Vec<f64>>> {
        let edges = self.neighborhood.of_new(&self.near, queries, run)?;
        Ok(Some(edges.iter().map(|edges| edges.first().map_or(f64::INFINITY, |edge| edge.1)).collect()))
    }

    fn same(&self, _query: ArrayView1<'_, f64>, row: &[f64]) -> Option<usize> {
        at_no_distance(row)
    }

    fn save(&self, prefix: &str, archive: &mut Archive) {
        let name = |what: &str| format!("{prefix}{what}");
        archive.put_fact(&name("vertices"), self.points());
        self.near.save(prefix, archive);
        match &self.geodesics {
            GeodesicSource::Graph(graph) => save_graph(prefix, graph.distances(), archive),
            GeodesicSource::Table(table) => {
                archive.put_fact(&name("landmarks"), table.ncols());
                archive.put(&name("table"), table.clone());
            }
        }
        if let Some(local_scales) = &self.local_scales {
            archive.put_vector(&name("local_scales"), local_scales);
        }
    }
}

/// The kernel of a distance.
pub(crate) fn half_squared(distance: f64) -> f64 {
    -0.5 * distance * distance
}

/// An edge of C-Isomap: `d / sqrt(M(i) M(j))`, where dense regions are stretched and sparse ones shrunk. Points at
/// the same place stay there; a neighborhood without extent does not stretch.
pub(crate) fn conformal(length: f64, own: f64, other: f64) -> f64 {
    let scale = (own * other).sqrt();
    if length == 0.0 || scale == 0.0 { length } else { length / scale }
}

pub(crate) fn save_graph(prefix: &str, graph: &Csr<f64>, archive: &mut Archive) {
    archive.put_indices(&format!("{prefix}graph_offsets"), graph.offsets());
    let columns: Vec<usize> = graph.indices().iter().map(|&column| column as usize).collect();
    archive.put_indices(&format!("{prefix}graph_columns"), &columns);
    archive.put_vector(&format!("{prefix}graph_lengths"), graph.values());
}

/// The matrix of a graph of `n` vertices, symmetric and without negative entries.
pub(crate) fn load_graph(prefix: &str, n: usize, archive: &Archive) -> Result<Csr<f64>> {
    let columns = archive.indices(&format!("{prefix}graph_columns"), n)?;
    let offsets = archive.indices(&format!("{prefix}graph_offsets"), columns.len() + 1)?;
    let lengths = archive.vector(&format!("{prefix}graph_lengths"), columns.len())?.to_vec();
    let columns = columns.into_iter().map(|column| column as u32).collect();
    let broken = |problem: String| Error::ModelFile { problem };
    let matrix = Csr::new(n, n, offsets, columns, lengths).map_err(|e| broken(e.to_string()))?;
    if !matrix.is_symmetric() || matrix.values().iter().any(|&value| value < 0.0) {
        return Err(broken("its graph is not symmetric, or has negative entries".into()));
    }
    Ok(matrix)
}
