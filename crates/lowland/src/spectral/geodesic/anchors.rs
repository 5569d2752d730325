//! Geodesics as a kernel, for the training points and for new ones (Bengio 2.5).

use crate::model::Archive;
use crate::spectral::anchors::{KernelRows, at_no_distance};
use crate::spectral::stored::{load_graph, save_graph};
use crate::spectral::{Anchors, Neighborhood, Relation};
use lowland_base::{Result, Run};
use lowland_neighbors::graph::Symmetrize;
use lowland_neighbors::{Graph, geodesics};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// The training points on their graph. A new point has edges to its neighbors; its distance to an anchor is that
/// of the shortest path.
pub(crate) struct GeodesicAnchors {
    pub neighborhood: Neighborhood,
    pub relation: Relation,
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
        let relation = Relation::load(prefix, n, features, neighborhood.metric, archive)?;
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
        Ok(Self { neighborhood, relation, geodesics, local_scales })
    }
}

impl Anchors for GeodesicAnchors {
    fn len(&self) -> usize {
        match &self.geodesics {
            GeodesicSource::Graph(graph) => graph.len(),
            GeodesicSource::Table(table) => table.ncols(),
        }
    }

    fn relation(&self) -> &Relation {
        &self.relation
    }

    fn relation_mut(&mut self) -> &mut Relation {
        &mut self.relation
    }

    fn rows(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<KernelRows> {
        let mut edges = self.relation.neighbors(self.neighborhood.rule, queries, run)?;
        for edges in &mut edges {
            // A new point that coincides with training points has their edges, whatever was cut or left out of them.
            let same = edges.iter().take_while(|edge| edge.1 == 0.0).count();
            if same > 0 {
                edges.truncate(same);
            }
        }
        if let Some(local_scales) = &self.local_scales {
            for edges in &mut edges {
                let scale = edges.iter().map(|edge| edge.1).sum::<f64>() / edges.len().max(1) as f64;
                for (point, length) in edges {
                    *length = conformal(*length, scale, local_scales[*point as usize]);
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
        Ok(KernelRows::Dense(out))
    }

    fn same(&self, _query: ArrayView1<'_, f64>, row: &[f64]) -> Option<usize> {
        at_no_distance(row)
    }

    fn save(&self, prefix: &str, archive: &mut Archive) {
        let name = |what: &str| format!("{prefix}{what}");
        archive.put_fact(&name("vertices"), self.points());
        self.relation.save(prefix, archive);
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

/// An edge of C-Isomap: `d / sqrt(M(i) M(j))`, where dense regions are stretched and sparse ones shrunk. Points that
/// coincide stay together; a neighborhood without extent does not stretch.
pub(super) fn conformal(length: f64, one: f64, other: f64) -> f64 {
    let scale = (one * other).sqrt();
    if length == 0.0 || scale == 0.0 { length } else { length / scale }
}
