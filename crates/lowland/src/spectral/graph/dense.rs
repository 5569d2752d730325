//! An edge between all pairs of points, as far as double precision goes: points that no path of edges reaches are another
//! connected component.

use super::GraphRecipe;
use super::weights::Weights;
use crate::InputKind;
use crate::parameters::Value;
use crate::spectral::affinity::median_length;
use crate::spectral::kernel::Function;
use crate::spectral::{
    Anchors, FunctionAnchors, GivenAnchors, Source, connected_components, packed, unsupported,
};
use lowland_base::{Csr, Result, Run};
use lowland_linalg::Operator;
use lowland_linalg::operator::Packed;
use lowland_neighbors::Graph;
use lowland_neighbors::graph::ConnectedComponent;
use ndarray::Axis;

/// An affinity below the rounding of that of a point with itself is no edge.
const NO_EDGE: f64 = f64::EPSILON;
/// The affinity of an edge that joins components: enough to determine how these lie to each other, and so little that the row of
/// a new point can do without.
const JOINING: f64 = 1e-12;

impl GraphRecipe {
    /// Gaussian affinities between all points of a connected component.
    pub(super) fn densely(
        &self,
        source: &Source,
        run: &Run,
    ) -> Result<(connected_components::Whole, Vec<f64>)> {
        let width = match self.width {
            Some(width) => width,
            None => median_length(&self.neighborhood.graph(source, run)?),
        };
        let function = Function::Gaussian { gamma: 0.5 / width.powi(2).max(f64::MIN_POSITIVE) };
        let stage = run.stage("kernel", None);
        let mut affinities = match source {
            Source::Points(points) => {
                FunctionAnchors::new(function.clone(), points.clone(), run)?.matrix(run)?
            }
            Source::Distances(distances) => {
                let all: Vec<usize> = (0..distances.nrows()).collect();
                packed(distances, &all, |distance| function.of_entry(distance), run)?
            }
            _ => return Err(unsupported("a dense graph", source.kind(), "points or distances")),
        };
        drop(stage);
        let connected = self.neighborhood.connected(forest(&affinities)?, source, run)?;
        let joined = connected.joined();
        let mut values = Vec::new();
        let whole =
            connected_components::fit(connected, source, &self.neighborhood, self.count, run, |part| {
                let rows: Vec<usize> = part.rows.iter().map(|&row| row as usize).collect();
                let all = rows.len() == source.len();
                let mut weights =
                    if all { std::mem::take(&mut affinities) } else { affinities.select(&rows, run)? };
                let count = self.count.min(rows.len() - 1);
                let anchors: Box<dyn Anchors> = match source {
                    Source::Points(points) => {
                        let points = points.select(Axis(0), &rows);
                        Box::new(FunctionAnchors::new(function.clone(), points, run)?.relative())
                    }
                    _ => Box::new(GivenAnchors::new(InputKind::Distances, rows, function.clone()).relative()),
                };
                if joined {
                    join_components(&mut weights, &part);
                }
                let weights = Weights::of_dense(weights)?;
                let (fitted, mut eigenvalues) = self.fit_component(anchors, weights, count, run)?;
                values.append(&mut eigenvalues);
                Ok(fitted)
            })?;
        let mut whole = whole;
        whole.report.resolved.insert("width".into(), Value::Real(width));
        Ok((whole, values))
    }
}

/// A spanning forest: as few edges as connect all points that are connected.
fn forest(affinities: &Packed<f64>) -> Result<Graph<f64>> {
    let n = affinities.order();
    let mut left: Vec<usize> = (0..n).collect();
    let mut edges = Vec::with_capacity(2 * n);
    while let Some(root) = left.pop() {
        let mut reached = vec![root];
        while let Some(from) = reached.pop() {
            left.retain(|&to| {
                let adjacent = affinities.get(from, to) > NO_EDGE;
                if adjacent {
                    edges.extend([(from, to, 1.0), (to, from, 1.0)]);
                    reached.push(to);
                }
                !adjacent
            });
        }
    }
    Graph::from_csr(Csr::from_entries(n, n, &edges)?, Default::default())
}

/// Gives the edges that the policy has added an affinity.
fn join_components(weights: &mut Packed<f64>, part: &ConnectedComponent<f64>) {
    for i in 0..part.graph.len() {
        for &j in part.graph.neighbors(i).0 {
            if weights.get(i, j as usize) <= NO_EDGE {
                weights.set(i, j as usize, JOINING);
            }
        }
    }
}
