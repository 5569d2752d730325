//! Short circuits by their direction: edges that leave the manifold at both ends, and around which the way is long. Where the
//! flow of shortest paths (`short_circuits`) and flatness (`folding`) say nothing, as on a ring with a few chords, this does.
//!
//! In noisy or high-dimensional data many edges are steep, and the ways around them are of all lengths; short circuits are a
//! group of their own.

use super::folding::{TOGETHER, largest, paths};
use super::ranks::Ranks;
use super::short_circuits::without;
use crate::extension::Tangent;
use crate::model::Warning;
use crate::spectral::Rule;
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use lowland_neighbors::Graph;
use lowland_neighbors::graph::Symmetrize;
use ndarray::ArrayView2;

/// An edge is steep where its cosine with the tangent plane is below this at both ends. (On Swiss rolls of 300 to 2,000 points
/// the edges along the sheet have at least 0.84.)
const STEEP: f64 = 0.6;
/// The way around a short circuit, along the fewest neighbors that hold the graph together, is at least so many times as long
/// as the edge itself ..
const DETOUR: f64 = 4.0;
/// .. and so many times that around any other steep edge. (1.0 to 1.6 between neighbors on the list of steep edges of
/// images, tables and Gaussian clouds, 9 to 30 where there are short circuits.)
const APART: f64 = 2.5;
/// More than this share of the edges are no exceptions.
const MOST: f64 = 0.15;
/// The number of steep edges' ends times points is at most this: with more of them there is no plane to be steep to.
const PATHS: usize = 10_000_000;
const BATCH: usize = 64;

/// The graph, without short circuits where these are to be cut, and the warning about them. Looks from planes of `d`
/// dimensions.
pub(crate) fn without_short_circuits(
    graph: Graph<f64>,
    points: ArrayView2<'_, f64>,
    rule: Rule,
    d: usize,
    cut: bool,
    run: &Run,
) -> Result<(Graph<f64>, Option<Warning>)> {
    let found = find(&graph, points, rule, d, run)?;
    let Some(&(detour, ..)) = found.first() else { return Ok((graph, None)) };
    let edges: Vec<(usize, usize)> = found.iter().map(|edge| (edge.1, edge.2)).collect();
    // The way around is there: the graph stays as connected as it was.
    let graph = if cut { without(&graph, &edges)? } else { graph };
    Ok((graph, Some(Warning::SteepShortCircuits { edges, detour, cut, remedy: String::new() })))
}

/// The short circuits: how many times as long the way around is, and the two ends; the longest first.
fn find(
    graph: &Graph<f64>,
    points: ArrayView2<'_, f64>,
    rule: Rule,
    d: usize,
    run: &Run,
) -> Result<Vec<(f64, usize, usize)>> {
    let (Some(k), true) = (rule.k(), d < points.ncols()) else { return Ok(Vec::new()) };
    let _stage = run.stage("short circuits", None);
    let Some(thin) = fewest_neighbors(graph, k, run)? else { return Ok(Vec::new()) };
    let steep = steep_edges(graph, &thin, points, d, run)?;
    let mut detours = detours(&thin, &steep, run)?;
    detours.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let below = |at: usize| detours.get(at + 1).map_or(1.0, |next| next.0.max(1.0));
    let (mut apart, mut count) = (0.0, 0);
    for (at, edge) in detours.iter().enumerate().take_while(|(_, edge)| edge.0 > DETOUR) {
        if edge.0 / below(at) > apart {
            (apart, count) = (edge.0 / below(at), at + 1);
        }
    }
    let edges = graph.distances().nnz() as f64 / 2.0;
    detours.truncate(if apart >= APART && count as f64 <= MOST * edges { count } else { 0 });
    confirmed(graph, detours, run)
}

/// The graph of the fewest neighbors below `k` that holds together. More neighbors are more edges, so it is found by halving.
fn fewest_neighbors(graph: &Graph<f64>, k: usize, run: &Run) -> Result<Option<Graph<f64>>> {
    let whole = largest(graph).len() as f64;
    let ranks = Ranks::new(graph, run)?;
    let (mut from, mut to, mut found) = (2, k, None);
    while from < to {
        run.check()?;
        let middle = from + (to - from) / 2;
        let thin = ranks.thinned(Rule::Nearest(middle), Symmetrize::Either)?;
        if largest(&thin).len() as f64 >= TOGETHER * whole {
            (to, found) = (middle, Some(thin));
        } else {
            from = middle + 1;
        }
    }
    Ok(found)
}

/// Those around which the way is long along all other edges too: with the fewest neighbors some regions have next to none.
fn confirmed(
    graph: &Graph<f64>,
    found: Vec<(f64, usize, usize)>,
    run: &Run,
) -> Result<Vec<(f64, usize, usize)>> {
    if found.is_empty() {
        return Ok(found);
    }
    let mut edges: Vec<(usize, usize, f64)> = Vec::with_capacity(found.len());
    for &(_, from, to) in &found {
        let (ends, lengths) = graph.neighbors(from);
        if let Ok(at) = ends.binary_search(&(to as u32)) {
            edges.push((from, to, lengths[at]));
        }
    }
    edges.sort_by_key(|edge| (edge.0, edge.1));
    let cut: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.0, edge.1)).collect();
    let around = detours(&without(graph, &cut)?, &edges, run)?;
    let is_long =
        |from: usize, to: usize| around.iter().any(|&(ratio, a, b)| (a, b) == (from, to) && ratio > DETOUR);
    Ok(found.into_iter().filter(|&(_, from, to)| is_long(from, to)).collect())
}

/// The edges that are steep at both ends, smaller end first, with their lengths.
fn steep_edges(
    graph: &Graph<f64>,
    thin: &Graph<f64>,
    points: ArrayView2<'_, f64>,
    d: usize,
    run: &Run,
) -> Result<Vec<(usize, usize, f64)>> {
    // For each point the edges that are steep at it, by the number of their other end.
    let steep_at = map_chunks(run, graph.len(), 64, |range| {
        let mut plane = Plane::default();
        range.map(|point| plane.steep_at(graph, thin, points, (point, d))).collect::<Vec<_>>()
    })?
    .concat();
    let mut steep = Vec::new();
    for (i, ends) in steep_at.iter().enumerate() {
        let (to, lengths) = graph.neighbors(i);
        for (&j, &length) in to.iter().zip(lengths) {
            let j = j as usize;
            let is_steep = i < j && length > 0.0 && ends.contains(&(j as u32));
            if is_steep && steep_at[j].contains(&(i as u32)) {
                steep.push((i, j, length));
            }
        }
    }
    Ok(steep)
}

/// The tangent plane of a point, with room for the next.
#[derive(Default)]
struct Plane {
    tangent: Tangent,
    /// Its directions, of length 1, one after the other.
    directions: Vec<f64>,
}

impl Plane {
    /// The neighbors of a point in the graph that lie steeply above its tangent plane.
    fn steep_at(
        &mut self,
        graph: &Graph<f64>,
        thin: &Graph<f64>,
        points: ArrayView2<'_, f64>,
        (point, d): (usize, usize),
    ) -> Vec<u32> {
        let origin = points.row(point);
        let mut list = thin.neighbors(point).0.to_vec();
        list.push(point as u32);
        if list.len() <= d {
            // Too few to span a plane.
            return Vec::new();
        }
        self.tangent.of(&points, &list, origin, d);
        let width = points.ncols();
        self.directions.clear();
        self.directions.resize(self.tangent.dimensions * width, 0.0);
        for (c, direction) in self.directions.chunks_exact_mut(width).enumerate() {
            let value = self.tangent.vectors.values[c];
            for (&i, v) in list.iter().zip(self.tangent.vectors.vector(c)) {
                let row = points.row(i as usize);
                let edge = row.iter().zip(origin);
                direction.iter_mut().zip(edge).for_each(|(sum, (x, o))| *sum += v / value * (x - o));
            }
        }
        let is_steep = |&&to: &&u32| {
            let row = points.row(to as usize);
            let edge = || row.iter().zip(origin).map(|(x, o)| x - o);
            let along = |direction: &[f64]| direction.iter().zip(edge()).map(|(v, e)| v * e).sum::<f64>();
            let inside: f64 = self.directions.chunks_exact(width).map(|v| along(v).powi(2)).sum();
            inside < STEEP * STEEP * edge().map(|e| e * e).sum::<f64>()
        };
        graph.neighbors(point).0.iter().filter(is_steep).copied().collect()
    }
}

/// How many times as long as each edge the way around it is; those without one are left out.
fn detours(thin: &Graph<f64>, edges: &[(usize, usize, f64)], run: &Run) -> Result<Vec<(f64, usize, usize)>> {
    let n = thin.len();
    let mut sources: Vec<u32> = edges.iter().map(|edge| edge.0 as u32).collect();
    sources.dedup();
    if sources.len().saturating_mul(n) > PATHS {
        return Ok(Vec::new());
    }
    let (mut found, mut edges) = (Vec::with_capacity(edges.len()), edges.iter().peekable());
    for batch in sources.chunks(BATCH) {
        let rows = paths(thin, batch, run)?;
        for (&source, row) in batch.iter().zip(rows.chunks_exact(n)) {
            while let Some(&(from, to, length)) = edges.next_if(|edge| edge.0 == source as usize) {
                let ratio = row[to] / length;
                if ratio.is_finite() {
                    found.push((ratio, from, to));
                }
            }
        }
    }
    Ok(found)
}
