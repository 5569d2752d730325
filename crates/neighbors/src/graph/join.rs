//! What to do with a disconnected graph: one policy for all methods.

use super::Graph;
use super::connected_components::{ConnectedComponents, Union};
use crate::Metric;
use crate::index::{Choice, build};
use faer::{Mat, MatRef};
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run, Scalar, precompiled};

/// What to do with a disconnected graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Refuse, and name the sizes.
    #[default]
    Error,
    /// Join the connected components by their shortest edges: their minimum spanning tree.
    Join,
    /// Go on with the largest connected component; the others are left out, by number.
    Largest,
    /// Go on with each connected component by itself.
    Separate,
}

/// A connected graph and the points it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectedComponent<T> {
    /// The points' numbers in the whole, ascending.
    pub rows: Vec<u32>,
    /// The graph on them.
    pub graph: Graph<T>,
}

/// Connected graphs, and the points that they leave out.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenComponents<T> {
    /// One, but for the policy `separate`.
    pub components: Vec<ConnectedComponent<T>>,
    /// The points in none of them: only by the policy `largest`.
    pub left_out: Vec<u32>,
}

/// Edges that a graph does not have yet, and their lengths.
pub trait CandidateEdges<T: Scalar> {
    /// For each of `from`, the nearest of `to` (ascending, not empty) and its distance, ties by number.
    fn nearest(&self, from: &[u32], to: &[u32], run: &Run) -> Result<Vec<(T, u32)>>;
}

/// Edges between the rows of a matrix.
pub struct PointEdges<'a, T> {
    /// The points.
    pub points: MatRef<'a, T>,
    /// Their metric.
    pub metric: Metric,
}

impl<T: Scalar> CandidateEdges<T> for PointEdges<'_, T> {
    fn nearest(&self, from: &[u32], to: &[u32], run: &Run) -> Result<Vec<(T, u32)>> {
        let pick = |rows: &[u32]| {
            // Written as columns: the transpose then lies row by row.
            Mat::from_fn(self.points.ncols(), rows.len(), |d, i| self.points[(rows[i] as usize, d)])
        };
        let (queries, others) = (pick(from), pick(to));
        let index = build(others.transpose(), self.metric, Choice::Auto, run)?;
        let table = index.k_nearest(queries.transpose(), 1, run)?;
        Ok(table.distances.iter().zip(&table.indices).map(|(&d, &i)| (d, to[i as usize])).collect())
    }
}

/// Edges by a distance function between two objects, or the entries of a distance matrix.
pub struct DistanceEdges<F>(pub F);

impl<T: Scalar, F: Fn(usize, usize) -> T + Send + Sync> CandidateEdges<T> for DistanceEdges<F> {
    fn nearest(&self, from: &[u32], to: &[u32], run: &Run) -> Result<Vec<(T, u32)>> {
        let pieces = map_chunks(run, from.len(), 16, |range| -> Vec<_> {
            let nearest = |&i: &u32| {
                let edges = to.iter().map(|&j| ((self.0)(i as usize, j as usize), j));
                edges.fold((T::infinity(), to[0]), |best, edge| if edge.0 < best.0 { edge } else { best })
            };
            from[range].iter().map(nearest).collect()
        })?;
        Ok(pieces.concat())
    }
}

impl<T: Scalar> Graph<T> {
    /// Applies the policy. `edges` are needed for `join` only.
    pub fn connected(
        self,
        policy: Policy,
        edges: Option<&dyn CandidateEdges<T>>,
        run: &Run,
    ) -> Result<ChosenComponents<T>> {
        T::run_precompiled::<Connected>((self, policy, edges, run))
    }

    fn connected_in(
        self,
        policy: Policy,
        edges: Option<&dyn CandidateEdges<T>>,
        run: &Run,
    ) -> Result<ChosenComponents<T>> {
        let components = self.connected_components();
        if components.count() <= 1 {
            return Ok(ChosenComponents { components: vec![whole(self)], left_out: Vec::new() });
        }
        let part = |label: u32| -> Result<ConnectedComponent<T>> {
            let rows = components.members(label);
            Ok(ConnectedComponent { graph: self.subgraph(&rows)?, rows })
        };
        match policy {
            Policy::Error => Err(Error::disconnected(components.sizes_descending())),
            Policy::Largest => {
                let largest = components.largest();
                let others = 0..self.len() as u32;
                let left_out = others.filter(|&i| components.labels[i as usize] != largest).collect();
                Ok(ChosenComponents { components: vec![part(largest)?], left_out })
            }
            Policy::Separate => {
                let parts = (0..components.count() as u32).map(part).collect::<Result<_>>()?;
                Ok(ChosenComponents { components: parts, left_out: Vec::new() })
            }
            Policy::Join => {
                // Without points or distances nothing is known but the edges that are there.
                let Some(edges) = edges else {
                    return Err(Error::disconnected(components.sizes_descending()));
                };
                let new = shortest_edges(&components, edges, run)?;
                Ok(ChosenComponents { components: vec![whole(self.with_edges(&new)?)], left_out: Vec::new() })
            }
        }
    }
}

precompiled!(
    Connected,
    double,
    connected(graph: Graph<T>, policy: Policy, edges: Option<&'r dyn CandidateEdges<T>>, run: &'r Run) -> Result<ChosenComponents<T>>
);

fn connected<T: Scalar>(
    graph: Graph<T>,
    policy: Policy,
    edges: Option<&dyn CandidateEdges<T>>,
    run: &Run,
) -> Result<ChosenComponents<T>> {
    graph.connected_in(policy, edges, run)
}

fn whole<T: Scalar>(graph: Graph<T>) -> ConnectedComponent<T> {
    ConnectedComponent { rows: (0..graph.len() as u32).collect(), graph }
}

/// The minimum spanning tree of the components, by Boruvka's algorithm: each component but the largest takes its
/// shortest edge to another. Edges are ordered by length, then by their points, so that the tree is unique.
///
/// The nearest point of another component is found with plain indexes: two different labels differ in some
/// bit, so the nearest over the bits, of those whose bit is the other, is the nearest of all others.
fn shortest_edges<T: Scalar>(
    components: &ConnectedComponents,
    edges: &dyn CandidateEdges<T>,
    run: &Run,
) -> Result<Vec<(u32, u32, T)>> {
    let mut union = Union::new(components.count());
    let mut tree = Vec::new();
    while union.count() > 1 {
        let labels: Vec<u32> = components.labels.iter().map(|&label| union.find(label)).collect();
        let mut sizes = vec![0_usize; components.count()];
        labels.iter().for_each(|&label| sizes[label as usize] += 1);
        let largest =
            (0..sizes.len()).fold(0, |best, c| if sizes[c] > sizes[best] { c } else { best }) as u32;
        let mut shortest: Vec<Option<(T, u32, u32)>> = vec![None; components.count()];
        for bit in 0..u32::BITS - (components.count() as u32 - 1).leading_zeros() {
            let set = |value: u32, all: bool| -> Vec<u32> {
                let wanted = |&i: &u32| {
                    let label = labels[i as usize];
                    label >> bit & 1 == value && (all || label != largest)
                };
                (0..labels.len() as u32).filter(wanted).collect()
            };
            for value in [0, 1] {
                let (from, to) = (set(value, false), set(1 - value, true));
                if from.is_empty() || to.is_empty() {
                    continue;
                }
                for (&i, (distance, j)) in from.iter().zip(edges.nearest(&from, &to, run)?) {
                    let edge = (distance, i.min(j), i.max(j));
                    let best = &mut shortest[labels[i as usize] as usize];
                    if distance.is_finite() && best.is_none_or(|best| edge < best) {
                        *best = Some(edge);
                    }
                }
            }
        }
        let before = union.count();
        for (distance, i, j) in shortest.into_iter().flatten() {
            if union.join(components.labels[i as usize], components.labels[j as usize]) {
                tree.push((i, j, distance));
            }
        }
        if union.count() == before {
            // Only infinite edges are left: not related.
            return Err(Error::disconnected(components.sizes_descending()));
        }
    }
    Ok(tree)
}
