//! Graphs with few edges: between neighbors, or given.

use super::given::{loops, positive, similarities};
use super::weights::Weights;
use super::{GraphRecipe, Laplacian, Output};
use crate::InputKind;
use crate::model::Warning;
use crate::parameters::Value;
use crate::spectral::affinity::only_duplicate_neighbors;
use crate::spectral::geodesic::{folding, short_circuits};
use crate::spectral::local::folded;
use crate::spectral::neighborhood::Connected;
use crate::spectral::{
    AffinityAnchors, Disconnected, FittedAffinity, NeighborGraph, Relation, Source, connected_components,
};
use lowland_base::{Csr, Error, Result, Run, parallel};
use lowland_neighbors::graph::ConnectedComponent;
use lowland_neighbors::{Graph, Metric};

impl GraphRecipe {
    /// Edges between neighbors only, or those of a given graph.
    pub(super) fn sparsely(
        &self,
        source: &Source,
        run: &Run,
    ) -> Result<(connected_components::Whole, Vec<f64>)> {
        let given =
            matches!(source, Source::Kernel(_)) || (self.given && matches!(source, Source::Graph { .. }));
        let mut diagonal = Vec::new();
        let NeighborGraph { source, table, graph, copies } = match source {
            Source::Kernel(kernel) => {
                let (graph, of_kernel) = similarities(kernel)?;
                diagonal = of_kernel;
                NeighborGraph::given(graph, source)
            }
            Source::Graph { lengths: weights, .. } if given => {
                diagonal = loops(weights);
                NeighborGraph::given(Graph::from_csr(positive(weights)?, Default::default())?, source)
            }
            Source::Graph { .. } => NeighborGraph::of(&self.neighborhood, source, run)?,
            // Clusters may come of fewer vectors than are asked for here.
            _ => NeighborGraph::of_distinct(
                &self.neighborhood,
                source,
                (if self.trivial { 0 } else { self.count }, 1),
                run,
            )?,
        };
        drop(table);
        let only_duplicate_neighbors = if given { 0 } else { only_duplicate_neighbors(&graph) };
        // Between clusters few edges with many paths are nothing to warn of.
        let examined = if given || self.trivial { None } else { Some(graph.clone()) };
        // The eigensolver leaves threads idle, and warnings do not change what it solves.
        let ((whole, values), short_circuit_warnings) = parallel::join(
            run,
            || self.fit_components(&source, graph, (given, &diagonal), run),
            |run| examined.map_or(Ok(Vec::new()), |graph| self.short_circuit_warnings(&graph, &source, run)),
        )?;
        let mut whole = copies.spread(whole);
        whole.report.warnings.extend(short_circuit_warnings);
        if only_duplicate_neighbors > 0 {
            whole.report.warnings.push(Warning::OnlyDuplicateNeighbors {
                points: only_duplicate_neighbors,
                remedy: String::new(),
            });
        }
        Ok((whole, values))
    }

    /// The connected components, each by itself.
    fn fit_components(
        &self,
        source: &Source,
        graph: Graph<f64>,
        (given, diagonal): (bool, &[f64]),
        run: &Run,
    ) -> Result<(connected_components::Whole, Vec<f64>)> {
        let connected = if self.trivial && (given || matches!(source, Source::Graph { .. })) {
            // Clusters of a given graph: its connected components are clusters already, and need no edge between them.
            let sizes = graph.connected_components().sizes_descending();
            let policy = self.neighborhood.policy;
            if sizes.len() > 1 && matches!(policy, Disconnected::Error | Disconnected::Largest) {
                return Err(Error::disconnected(sizes));
            }
            let rows = (0..graph.len() as u32).collect();
            Connected {
                connected_components: vec![ConnectedComponent { rows, graph }],
                left_out: Vec::new(),
                sizes,
            }
        } else {
            self.neighborhood.connected(graph, source, run)?
        };
        let mut values = Vec::new();
        let whole = connected_components::fit(
            connected,
            source,
            &self.neighborhood,
            self.count,
            run,
            |part: ConnectedComponent<f64>| {
                let stage = run.stage("affinities", None);
                let n = part.graph.len();
                let affinity = if given {
                    FittedAffinity::Given
                } else {
                    FittedAffinity::fit(self.affinity, self.width, &part.graph)
                };
                let loops: Vec<f64> = if !diagonal.is_empty() {
                    part.rows.iter().map(|&row| diagonal[row as usize]).collect()
                } else if self.loops && !given {
                    vec![1.0; n]
                } else {
                    Vec::new()
                };
                let width = match affinity {
                    FittedAffinity::Gaussian { width } => Some(width),
                    _ => None,
                };
                let mut weights = affinity.weights(&part.graph, &loops)?;
                if self.output == Output::Commute && !given {
                    resolvable(&mut weights);
                }
                let relation = if given {
                    // Whether given as a kernel or as a graph: new rows are similarities.
                    let columns = part.rows.iter().map(|&row| row as usize).collect();
                    Relation::Columns { kind: InputKind::Kernel, columns }
                } else {
                    Relation::to(source, &part.rows, self.neighborhood.metric)
                };
                let anchors = AffinityAnchors::new(self.neighborhood, relation, affinity, weights.clone());
                drop(stage);
                let most = if self.trivial { n } else { n - 1 };
                let count = self.count.min(most);
                let ((mut model, embedding, mut report), mut eigenvalues) =
                    self.fit_component(Box::new(anchors), Weights::Sparse(weights), count, run)?;
                if given && self.laplacian == Laplacian::Unnormalized {
                    model = model.by_equation(eigenvalues.clone());
                }
                values.append(&mut eigenvalues);
                report.resolved.extend(width.map(|width| ("width".to_owned(), Value::Real(width))));
                Ok((model, embedding, report))
            },
        )?;
        Ok((whole, values))
    }

    /// Warnings of too many neighbors: edges between the sheets of a folded manifold, whether few or many
    /// (Maaten 7.2).
    fn short_circuit_warnings(&self, graph: &Graph<f64>, source: &Source, run: &Run) -> Result<Vec<Warning>> {
        if !matches!(source, Source::Graph { .. })
            && let Some(fold) = folding::search(graph, self.neighborhood.rule, run)?
        {
            return Ok(vec![fold.warning(None)]);
        }
        let mut warnings: Vec<Warning> = short_circuits::quick_check(graph, run)?.into_iter().collect();
        if let (Source::Points(points), Metric::Euclidean) = (source, self.neighborhood.metric)
            && let Some(outside) = folded(points.view(), graph, self.count, run)?
        {
            let neighbors =
                self.neighborhood.rule.k().unwrap_or(graph.distances().nnz() / graph.len().max(1));
            warnings.push(Warning::NotFlat {
                neighbors,
                dimensions: self.count,
                outside,
                remedy: String::new(),
            });
        }
        Ok(warnings)
    }
}

/// The least affinity of an edge whose commute time is to be known, as a share of the largest.
const LEAST: f64 = 1e-6;

/// Raises affinities that are next to nothing: the edges between clusters that are far apart, for their width. The walk
/// would never cross them, and the inverse of an eigenvalue below rounding is no time.
fn resolvable(weights: &mut Csr<f64>) {
    let largest = weights.values().iter().fold(0.0f64, |largest, &weight| largest.max(weight));
    weights.values_mut().iter_mut().for_each(|weight| *weight = weight.max(LEAST * largest));
}
