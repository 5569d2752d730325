//! The neighbor graph of a spectral method: which points are neighbors, and what is done with a graph in several connected
//! components.

use super::Source;
use crate::choices;
use crate::matrix::faer_view;
use crate::parameters::{Field, Kind, Value};
use lowland_base::{Csr, Error, Result, Run};
use lowland_neighbors::graph::{
    ChosenComponents, ConnectedComponent, ConnectedComponents, DistanceEdges, PointEdges, Policy, Symmetrize,
    adaptive,
};
use lowland_neighbors::index::{self, Choice};
use lowland_neighbors::{Graph, Metric, Table};

choices! {
    /// What to do with a neighbor graph in several connected components.
    pub enum Disconnected {
        /// Refuse, and name the sizes of the connected components.
        Error = "error",
        /// Join the connected components by their shortest edges.
        Join = "join",
        /// Embed the largest connected component; the other points are embedded as new ones.
        Largest = "largest",
        /// Embed each connected component by itself, side by side.
        Separate = "separate",
    }
}

choices! {
    /// Which neighbors have an edge between them.
    pub enum Edge {
        /// Where either is a neighbor of the other.
        Either = "either" | "union",
        /// Where each is a neighbor of the other: points that are neighbors of many keep fewer edges.
        Mutual = "mutual" | "both",
        /// Those of the minimum spanning tree of all points: the fewest and shortest that connect them, whoever the neighbors
        /// are.
        SpanningTree = "spanning-tree" | "mst",
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
        const MEANINGS: [(&str, &str); 8] = [
            ("euclidean", "the straight line"),
            ("sqeuclidean", "its square"),
            ("manhattan", "the sum of absolute differences"),
            ("chebyshev", "the largest absolute difference"),
            ("cosine", "1 - cosine of the angle"),
            ("correlation", "1 - correlation of the entries"),
            ("hamming", "the share of entries that differ"),
            ("jaccard", "1 - intersection / union of the sets of non-zero entries"),
        ];
        let order = Kind::Call {
            word: "minkowski",
            argument: "order",
            of: Box::new(Kind::Real { min: 1.0, max: 1e300, open: false }),
            example: "minkowski(3)",
            meaning: "the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev",
        };
        Kind::AnyOf { kinds: vec![Kind::Choice { options: MEANINGS.to_vec() }, order] }
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Text(word) = value { word.parse().ok() } else { None }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

/// Which points are neighbors.
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
    pub edge: Edge,
}

/// Connected graphs, and the sizes of the connected components before the policy.
pub(crate) struct Connected {
    pub connected_components: Vec<ConnectedComponent<f64>>,
    pub left_out: Vec<u32>,
    /// The number of points of each component, largest first.
    pub sizes: Vec<usize>,
}

impl Connected {
    /// Whether edges between components were added to the graph.
    pub fn joined(&self) -> bool {
        self.sizes.len() > 1 && self.connected_components.len() == 1 && self.left_out.is_empty()
    }
}

impl Neighborhood {
    /// A neighborhood of `k` among `n` points needs `k < n`.
    pub fn check(&self, n: usize) -> Result<()> {
        match self.rule.k() {
            Some(_) if n < 2 => Err(Error::TooFewRows { rows: n, needed: 2, what: "a neighborhood".into() }),
            Some(k) if k >= n => {
                let bound =
                    format!("below {n}, the number of points (or of landmarks, where there are some)");
                Err(Error::parameter("n_neighbors", k, bound, "ask for fewer neighbors, or give more points"))
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
            Source::Kernel(_) | Source::Graph { .. } => Err(Error::Unsupported {
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
        if let Source::Graph { lengths, .. } = source {
            return Ok((None, Graph::from_csr(lengths.clone(), Symmetrize::Either)?));
        }
        if self.edge == Edge::SpanningTree {
            return Ok((None, self.spanning_tree(source, run)?));
        }
        let symmetrize = if self.edge == Edge::Mutual { Symmetrize::Mutual } else { Symmetrize::Either };
        match self.rule {
            Rule::Nearest(_) => {
                let table = self.table(source, run)?;
                let graph = Graph::from_table(&table, symmetrize)?;
                Ok((Some(table), graph))
            }
            Rule::Adaptive { dimension, .. } => {
                let table = self.table(source, run)?;
                let Source::Points(points) = source else {
                    let remedy = "give points, or set adaptive = false";
                    return Err(Error::conflict("adaptive", "adaptive = true needs points", remedy));
                };
                let rule = adaptive::Contraction {
                    n_components: dimension,
                    k_min: (dimension + 1).max(table.k / 2).min(table.k),
                    tolerance: 0.2,
                };
                let sizes = adaptive::sizes(faer_view(points.view()), &table, rule, run)?;
                Ok((None, Graph::from_sized_table(&table, &sizes, symmetrize)?))
            }
            Rule::Within(radius) => {
                let _stage = run.stage("neighbors", None);
                Ok((None, Graph::from_csr(self.within(source, radius, run)?, Symmetrize::Either)?))
            }
        }
    }

    /// A graph without edges whose components, the points, are joined by their shortest edges.
    fn spanning_tree(&self, source: &Source, run: &Run) -> Result<Graph<f64>> {
        let _stage = run.stage("spanning tree", None);
        let n = source.len();
        let none =
            Graph::from_csr(Csr::new(n, n, vec![0; n + 1], Vec::new(), Vec::new())?, Symmetrize::Either)?;
        let joined = Self { policy: Disconnected::Join, ..*self }.connected(none.clone(), source, run)?;
        Ok(joined.connected_components.into_iter().next().map_or(none, |part| part.graph))
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
            Source::Kernel(_) | Source::Graph { .. } => {
                Err(Error::bug("input", "a kernel and a graph have no neighbors within a distance"))
            }
        }
    }

    /// Applies the policy to a graph in several connected components.
    pub fn connected(&self, graph: Graph<f64>, source: &Source, run: &Run) -> Result<Connected> {
        let sizes = ConnectedComponents::sizes_descending(&graph.connected_components());
        let policy = self.policy.into();
        let ChosenComponents { components: connected_components, left_out } = match source {
            Source::Points(x) => {
                let edges = PointEdges { points: faer_view(x.view()), metric: self.metric };
                graph.connected(policy, Some(&edges), run)?
            }
            Source::Distances(x) => {
                graph.connected(policy, Some(&DistanceEdges(|i: usize, j: usize| x[(i, j)])), run)?
            }
            Source::Kernel(_) | Source::Graph { .. } => graph.connected(policy, None, run)?,
        };
        Ok(Connected { connected_components, left_out, sizes })
    }
}
