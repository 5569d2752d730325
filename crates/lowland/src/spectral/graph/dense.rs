//! An edge between all pairs of points, as far as double precision goes: what no chain of affinities reaches is another piece.

use super::weights::Weights;
use super::{GraphRecipe, parts};
use crate::spectral::affinity::median_length;
use crate::spectral::kernel::Function;
use crate::spectral::{Anchors, FunctionAnchors, Given, GivenAnchors, Source, packed, unsupported};
use lowland_base::{Csr, Result, Run};
use lowland_linalg::Operator;
use lowland_linalg::operator::Packed;
use lowland_neighbors::Graph;
use lowland_neighbors::graph::Part;
use ndarray::Axis;

/// Where two points are bound by less than the rounding of the affinity of each with itself, they are not bound.
const NOTHING: f64 = f64::EPSILON;
/// The affinity of a link between pieces: enough to say how these lie to each other, and too little to be missed in the row of
/// a new point.
const LINK: f64 = 1e-12;

impl GraphRecipe {
    /// Gaussian affinities between all points of a piece.
    pub(super) fn densely(&self, source: &Source, run: &Run) -> Result<(parts::Whole, Vec<f64>)> {
        let width = match self.width {
            Some(width) => width,
            None => median_length(&self.neighborhood.graph(source, run)?),
        };
        let gamma = 0.5 / width.powi(2).max(f64::MIN_POSITIVE);
        let stage = run.stage("kernel", None);
        let mut affinities = match source {
            Source::Points(points) => {
                FunctionAnchors::new(Function::Gaussian { gamma }, points.clone(), run)?.matrix(run)?
            }
            Source::Distances(distances) => {
                let all: Vec<usize> = (0..distances.nrows()).collect();
                packed(distances, &all, |distance| Given::Gaussian { gamma }.value(distance), run)?
            }
            _ => return Err(unsupported("a dense graph", source.kind(), "points or distances")),
        };
        drop(stage);
        let connected = self.neighborhood.connected(forest(&affinities)?, source, run)?;
        let joined = connected.joined();
        let mut values = Vec::new();
        let whole = parts::fit(connected, source, &self.neighborhood, self.count, run, |part| {
            let rows: Vec<usize> = part.rows.iter().map(|&row| row as usize).collect();
            let all = rows.len() == source.len();
            let mut weights =
                if all { std::mem::take(&mut affinities) } else { affinities.select(&rows, run)? };
            let count = self.count.min(rows.len() - 1);
            let anchors: Box<dyn Anchors> = match source {
                Source::Points(points) => {
                    let own = points.select(Axis(0), &rows);
                    Box::new(FunctionAnchors::new(Function::Gaussian { gamma }, own, run)?)
                }
                _ => Box::new(GivenAnchors { meaning: Given::Gaussian { gamma }, columns: rows }),
            };
            if joined {
                link(&mut weights, &part);
            }
            let mut own_values = Vec::new();
            let fitted = self.piece(anchors, Weights::Dense(weights), count, &mut own_values, run)?;
            values.append(&mut own_values);
            Ok(fitted)
        })?;
        Ok((whole, values))
    }
}

/// As few affinities as reach whomever any chain of them reaches.
fn forest(affinities: &Packed<f64>) -> Result<Graph<f64>> {
    let n = affinities.order();
    let mut left: Vec<usize> = (0..n).collect();
    let mut edges = Vec::with_capacity(2 * n);
    while let Some(root) = left.pop() {
        let mut reached = vec![root];
        while let Some(from) = reached.pop() {
            left.retain(|&to| {
                let bound = affinities.get(from, to) > NOTHING;
                if bound {
                    edges.extend([(from, to, 1.0), (to, from, 1.0)]);
                    reached.push(to);
                }
                !bound
            });
        }
    }
    Graph::from_csr(Csr::from_entries(n, n, &edges)?, Default::default())
}

/// The edges that the policy has added become affinities.
fn link(weights: &mut Packed<f64>, part: &Part<f64>) {
    for i in 0..part.graph.len() {
        for &j in part.graph.neighbors(i).0 {
            if weights.get(i, j as usize) <= NOTHING {
                weights.set(i, j as usize, LINK);
            }
        }
    }
}
