//! The neighbor graph of a spectral method: who is a neighbor, and what is done with a graph in several
//! pieces.

use super::Source;
use super::anchors::refuse_negative;
use crate::choices;
use crate::matrix::faer_view;
use crate::model::Archive;
use crate::parameters::{Field, Kind, Value};
use lowland_base::{Csr, Error, Result, Run};
use lowland_neighbors::graph::{
    Components, DistanceLinks, Part, Parts, PointLinks, Policy, Symmetrize, adaptive,
};
use lowland_neighbors::index::{self, Choice};
use lowland_neighbors::{Graph, Metric, Table};
use ndarray::{ArrayView1, ArrayView2};

choices! {
    /// What to do with a neighbor graph in several pieces.
    pub enum Disconnected {
        /// Refuse, and name the sizes of the pieces.
        Error = "error",
        /// Connect the pieces by their shortest links.
        Join = "join",
        /// Embed the largest piece; the other points are placed as new ones.
        Largest = "largest",
        /// Embed each piece by itself, side by side.
        Separate = "separate",
    }
}

impl From<Disconnected> for Policy {
    fn from(policy: Disconnected) -> Self {
        match policy {
            Disconnected::Error => Self::Error,
            Disconnected::Join => Self::Join,
            Disconnected::Largest => Self::Largest,
            Disconnected::Separate => Self::Separate,
        }
    }
}

impl Field for Metric {
    fn kind() -> Kind {
        const MEANINGS: [(&str, &str); 9] = [
            ("euclidean", "the straight line"),
            ("sqeuclidean", "its square"),
            ("manhattan", "the sum of absolute differences"),
            ("chebyshev", "the largest absolute difference"),
            ("minkowski", "the p-norm: write minkowski(3)"),
            ("cosine", "1 - cosine of the angle"),
            ("correlation", "1 - correlation of the entries"),
            ("hamming", "the share of entries that differ"),
            ("jaccard", "1 - intersection / union of the sets of non-zero entries"),
        ];
        Kind::Choice { options: MEANINGS.to_vec() }
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Text(word) = value { word.parse().ok() } else { None }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

/// Who is a neighbor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    /// The k nearest.
    Nearest(usize),
    /// All within a radius.
    Within(f64),
    /// As many of the k nearest as the manifold of so many dimensions is flat.
    Adaptive {
        /// The most.
        k: usize,
        /// The dimension of the manifold.
        dimension: usize,
    },
}

impl Rule {
    /// How many neighbors a new point gets, where that is fixed.
    pub fn k(self) -> Option<usize> {
        match self {
            Self::Nearest(k) | Self::Adaptive { k, .. } => Some(k),
            Self::Within(_) => None,
        }
    }
}

/// The rule, the metric and the policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Neighborhood {
    pub rule: Rule,
    pub metric: Metric,
    pub policy: Disconnected,
}

/// Connected graphs, and the sizes of the pieces of the graph before the policy.
pub(crate) struct Connected {
    pub parts: Vec<Part<f64>>,
    pub left_out: Vec<u32>,
    /// The number of points of each piece, largest first.
    pub sizes: Vec<usize>,
}

impl Connected {
    /// Whether links between pieces were added to the graph.
    pub fn joined(&self) -> bool {
        self.sizes.len() > 1 && self.parts.len() == 1 && self.left_out.is_empty()
    }
}

impl Neighborhood {
    /// A neighborhood of `k` among `n` points needs `k < n`.
    pub fn check(&self, n: usize) -> Result<()> {
        match self.rule.k() {
            Some(k) if k >= n => {
                let bound = format!("below {n}, the number of points, or of landmarks");
                Err(Error::parameter(
                    "n_neighbors",
                    k,
                    bound,
                    "ask for fewer neighbors, or for more landmarks",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The nearest neighbors of every point.
    fn table(&self, source: &Source, run: &Run) -> Result<Table<f64>> {
        let _stage = run.stage("neighbors", None);
        let k = self.rule.k().unwrap_or(1);
        match source {
            Source::Points(x) => {
                index::build(faer_view(x.view()), self.metric, Choice::Auto, run)?.k_nearest_of_all(k, run)
            }
            Source::Distances(x) => {
                use lowland_neighbors::Index;
                index::precomputed(faer_view(x.view()))?.k_nearest_of_all(k, run)
            }
            Source::Kernel(_) | Source::Graph(_) => Err(Error::Unsupported {
                method: "a neighbor search".into(),
                what: format!("look for neighbors in a {}", source.kind()),
                remedy: "give points or distances".into(),
            }),
        }
    }

    /// The undirected graph.
    pub fn graph(&self, source: &Source, run: &Run) -> Result<Graph<f64>> {
        Ok(self.lists(source, run)?.1)
    }

    /// The undirected graph, and the nearest neighbors that it is made of, where the rule is how many.
    pub fn lists(&self, source: &Source, run: &Run) -> Result<(Option<Table<f64>>, Graph<f64>)> {
        if let Source::Graph(lengths) = source {
            return Ok((None, Graph::from_csr(lengths.clone(), Symmetrize::Either)?));
        }
        match self.rule {
            Rule::Nearest(_) => {
                let table = self.table(source, run)?;
                let graph = Graph::from_table(&table, Symmetrize::Either)?;
                Ok((Some(table), graph))
            }
            Rule::Adaptive { dimension, .. } => {
                let table = self.table(source, run)?;
                let Source::Points(points) = source else {
                    let remedy = "give points, or leave the neighborhood at nearest";
                    return Err(Error::parameter("neighborhood", "adaptive", "it needs points", remedy));
                };
                let rule = adaptive::Contraction {
                    n_components: dimension,
                    k_min: (dimension + 1).max(table.k / 2).min(table.k),
                    tolerance: 0.2,
                };
                let sizes = adaptive::sizes(faer_view(points.view()), &table, rule, run)?;
                Ok((None, Graph::from_sized_table(&table, &sizes, Symmetrize::Either)?))
            }
            Rule::Within(radius) => {
                let _stage = run.stage("neighbors", None);
                Ok((None, Graph::from_csr(self.within(source, radius, run)?, Symmetrize::Either)?))
            }
        }
    }

    fn within(&self, source: &Source, radius: f64, run: &Run) -> Result<Csr<f64>> {
        match source {
            Source::Points(x) => {
                index::build(faer_view(x.view()), self.metric, Choice::Auto, run)?.within_of_all(radius, run)
            }
            Source::Distances(x) => {
                use lowland_neighbors::Index;
                index::precomputed(faer_view(x.view()))?.within_of_all(radius, run)
            }
            Source::Kernel(_) | Source::Graph(_) => {
                Err(Error::Malformed { what: "input", problem: "no neighbors can be found in it".into() })
            }
        }
    }

    /// Applies the policy to a graph in several pieces.
    pub fn connected(&self, graph: Graph<f64>, source: &Source, run: &Run) -> Result<Connected> {
        let sizes = Components::sizes_descending(&graph.components());
        let policy = self.policy.into();
        let Parts { parts, left_out } = match source {
            Source::Points(x) => {
                let links = PointLinks { points: faer_view(x.view()), metric: self.metric };
                graph.connected(policy, Some(&links), run)?
            }
            Source::Distances(x) => {
                graph.connected(policy, Some(&DistanceLinks(|i: usize, j: usize| x[(i, j)])), run)?
            }
            Source::Kernel(_) | Source::Graph(_) => graph.connected(policy, None, run)?,
        };
        Ok(Connected { parts, left_out, sizes })
    }

    /// The neighbors of new points: `(training point, distance)` lists, nearest first. A radius that holds
    /// nobody gives the nearest one. `columns` are the numbers of the points in the rows of distances.
    pub fn of_new(
        &self,
        near: &Near,
        queries: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<Vec<(u32, f64)>>> {
        match near {
            Near::Points(points) => self.among(points.view(), queries, run),
            Near::Edges(_) => Err(Error::Unsupported {
                method: "a model of a given graph".into(),
                what: "embed new vertices by the lengths of their edges".into(),
                remedy: "fit on points, or on the distances between all objects".into(),
            }),
            Near::Columns(columns) => {
                refuse_negative(queries, columns)?;
                let nearest = |row: ArrayView1<'_, f64>| {
                    let mut list: Vec<(u32, f64)> =
                        columns.iter().enumerate().map(|(i, &c)| (i as u32, row[c])).collect();
                    list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                    let keep = match self.rule {
                        Rule::Within(radius) => list.iter().take_while(|entry| entry.1 <= radius).count(),
                        rule => rule.k().unwrap_or(1),
                    };
                    list.truncate(keep.clamp(1, columns.len().max(1)));
                    list
                };
                Ok(queries.rows().into_iter().map(nearest).collect())
            }
        }
    }

    /// The same among points.
    pub fn among(
        &self,
        points: ArrayView2<'_, f64>,
        queries: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<Vec<(u32, f64)>>> {
        let index = index::build(faer_view(points), self.metric, Choice::Auto, run)?;
        let view = faer_view(queries);
        let nearest = |k: usize| -> Result<Vec<Vec<(u32, f64)>>> {
            let table = index.k_nearest(view, k.min(points.nrows()), run)?;
            let row = |q| {
                let (indices, distances): (&[u32], &[f64]) = table.row(q);
                indices.iter().copied().zip(distances.iter().copied()).collect()
            };
            Ok((0..queries.nrows()).map(row).collect())
        };
        match self.rule {
            Rule::Within(radius) => {
                let inside = index.within(view, radius, run)?;
                let mut lists = nearest(1)?;
                for (query, list) in lists.iter_mut().enumerate() {
                    let (indices, distances) = inside.row(query);
                    if !indices.is_empty() {
                        *list = indices.iter().copied().zip(distances.iter().copied()).collect();
                        list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                    }
                }
                Ok(lists)
            }
            rule => nearest(rule.k().unwrap_or(1)),
        }
    }
}

/// Where new points find their neighbors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Near {
    /// Among these points.
    Points(ndarray::Array2<f64>),
    /// In these columns of their rows of distances.
    Columns(Vec<usize>),
    /// The points are vertices of a given graph, with the edges of these columns: where a row says 0 there is no edge,
    /// and so it does not say where a new vertex is.
    Edges(Vec<usize>),
}

impl Near {
    /// Into a model file, under names that begin with `prefix`.
    pub fn save(&self, prefix: &str, archive: &mut Archive) {
        match self {
            Self::Points(points) => archive.put(&format!("{prefix}points"), points.clone()),
            Self::Columns(columns) => archive.put_indices(&format!("{prefix}near"), columns),
            Self::Edges(columns) => archive.put_indices(&format!("{prefix}edges"), columns),
        }
    }

    /// From a model file, of `n` points.
    pub fn load(prefix: &str, n: usize, features: usize, archive: &Archive) -> Result<Self> {
        let points = format!("{prefix}points");
        if archive.has_array(&points) {
            return Ok(Self::Points(archive.matrix(&points, (n, features))?));
        }
        let edges = archive.has_array(&format!("{prefix}edges"));
        let columns =
            archive.indices(&format!("{prefix}{}", if edges { "edges" } else { "near" }), features)?;
        if columns.len() != n {
            return Err(Error::ModelFile { problem: format!("{} columns of {n} vertices", columns.len()) });
        }
        Ok(if edges { Self::Edges(columns) } else { Self::Columns(columns) })
    }
}
