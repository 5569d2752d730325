//! Short circuits: edges that jump from one sheet of a folded manifold to another, and through which far too many
//! shortest paths run (Maaten 3.1.2, after Choi and Choi 2007: total flow).

use crate::model::Warning;
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use lowland_neighbors::{Graph, geodesics};
use rand::seq::index::sample;
use std::collections::HashSet;

/// Sources whose shortest paths are counted: at most, and at least.
const SOURCES: (usize, usize) = (64, 16);
/// The number of sources times points is at most this, where geodesics are needed anyway, and where they are not.
const POINTS: usize = 2_000_000;
const FEW_POINTS: usize = 200_000;
/// An edge is suspicious when it carries more than this share of all the paths counted .. (Shortest paths run together
/// on highways: 0.06 was seen on a clean Swiss roll of 100,000 points.)
const SHARE: f64 = 0.1;
/// .. and more than so many times what the busiest hundredth of the edges carries.
const EXCESS: f64 = 5.0;
/// A point is suspicious, a stray point between two sheets, when more than this share of the paths runs through it, and more
/// than so many times the flow through the busiest hundredth of the points. So are those of its edges that carry this part
/// of its flow.
const POINT_SHARE: f64 = 0.2;
const POINT_EXCESS: f64 = 3.0;
const PART: f64 = 0.05;
/// Edges are cut and counted again at most so often: behind one short circuit there may be another.
const ROUNDS: usize = 20;

/// A suspicious edge.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ShortCircuit {
    from: usize,
    to: usize,
    /// The share of all shortest paths that it carries.
    flow: f64,
}

/// The suspicious edges, the busiest first.
fn find(graph: &Graph<f64>, run: &Run) -> Result<Vec<ShortCircuit>> {
    busiest(graph, POINTS, run)
}

/// The same for a method that needs no geodesics: at a small cost, and not at all in graphs where so few paths would say
/// too little.
pub(crate) fn quick_check(graph: &Graph<f64>, run: &Run) -> Result<Option<Warning>> {
    let found =
        if graph.len() * SOURCES.1 > FEW_POINTS { Vec::new() } else { busiest(graph, FEW_POINTS, run)? };
    Ok(warning(&found, false))
}

/// The warning about suspicious edges.
fn warning(found: &[ShortCircuit], cut: bool) -> Option<Warning> {
    let edges = found.iter().map(|edge| (edge.from, edge.to)).collect();
    found.first().map(|worst| Warning::ShortCircuits { edges, flow: worst.flow, cut, remedy: String::new() })
}

fn busiest(graph: &Graph<f64>, points: usize, run: &Run) -> Result<Vec<ShortCircuit>> {
    let n = graph.len();
    if n < 20 {
        return Ok(Vec::new());
    }
    let _stage = run.stage("short circuits", None);
    let flows = flows(graph, points, run)?;
    let lengths = graph.distances();
    let sorted: Vec<f64> = flows.iter().copied().filter(|&flow| flow > 0.0).collect();
    if sorted.is_empty() {
        return Ok(Vec::new());
    }
    let busy = of_the_busiest(sorted);
    // A path through a point takes two of its edges.
    let edges = |point: usize| lengths.offsets()[point]..lengths.offsets()[point + 1];
    let through: Vec<f64> = (0..n).map(|point| 0.5 * flows[edges(point)].iter().sum::<f64>()).collect();
    let crowded = POINT_SHARE.max(POINT_EXCESS * of_the_busiest(through.clone()));
    let stray = |point: usize, flow: f64| through[point] > crowded && flow > PART * through[point];
    let mut found = Vec::new();
    for from in 0..n {
        for entry in edges(from) {
            let to = lengths.indices()[entry] as usize;
            let flow = flows[entry];
            let is_suspicious = flow > SHARE.max(EXCESS * busy) || stray(from, flow) || stray(to, flow);
            if from < to && is_suspicious {
                found.push(ShortCircuit { from, to, flow: flows[entry] });
            }
        }
    }
    found.sort_by(|a, b| b.flow.total_cmp(&a.flow).then((a.from, a.to).cmp(&(b.from, b.to))));
    Ok(found)
}

/// The 99th percentile.
fn of_the_busiest(mut flows: Vec<f64>) -> f64 {
    flows.sort_by(f64::total_cmp);
    flows.get(flows.len().saturating_sub(1) * 99 / 100).copied().unwrap_or(0.0)
}

/// The graph, without its suspicious edges where these are to be cut, and the warning about them.
pub(crate) fn examined(graph: Graph<f64>, cut: bool, run: &Run) -> Result<(Graph<f64>, Option<Warning>)> {
    let (graph, found) = if cut {
        without_all(graph, run)?
    } else {
        let found = find(&graph, run)?;
        (graph, found)
    };
    Ok((graph, warning(&found, cut)))
}

/// The graph without its suspicious edges, and those.
fn without_all(mut graph: Graph<f64>, run: &Run) -> Result<(Graph<f64>, Vec<ShortCircuit>)> {
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let found = find(&graph, run)?;
        if found.is_empty() {
            break;
        }
        let edges: Vec<(usize, usize)> = found.iter().map(|edge| (edge.from, edge.to)).collect();
        graph = without(&graph, &edges)?;
        all.extend(found);
    }
    Ok((graph, all))
}

/// The graph without these edges, each given by its smaller point first.
pub(super) fn without(graph: &Graph<f64>, edges: &[(usize, usize)]) -> Result<Graph<f64>> {
    let gone: HashSet<(u32, u32)> = edges.iter().map(|&(i, j)| (i as u32, j as u32)).collect();
    graph.filtered(|i, j, _| !gone.contains(&(i.min(j), i.max(j))))
}

/// The share of the shortest paths from some sources that run through each edge, in either direction, by its position
/// in the matrix of the graph.
fn flows(graph: &Graph<f64>, points: usize, run: &Run) -> Result<Vec<f64>> {
    let n = graph.len();
    let lengths = graph.distances();
    let (most, least) = SOURCES;
    let count = (points / n).clamp(least, most).min(n);
    let drawn = sample(&mut run.rng("short circuits"), n, count);
    let mut sources: Vec<u32> = drawn.into_iter().map(|source| source as u32).collect();
    sources.sort_unstable();
    let mut flows = vec![0.0; lengths.nnz()];
    let mut paths = 0.0;
    let mut rows = vec![0.0; sources.len() * n];
    geodesics::shortest_paths(graph, &sources, &mut rows, run)?;
    for (edges, reached) in
        map_chunks(run, sources.len(), 1, |source| flow_from(graph, &rows[source.start * n..source.end * n]))?
    {
        paths += reached;
        edges.into_iter().for_each(|(entry, flow)| flows[entry as usize] += f64::from(flow));
    }
    // Both directions together.
    let mut both = flows.clone();
    for i in 0..n {
        for entry in lengths.offsets()[i]..lengths.offsets()[i + 1] {
            let j = lengths.indices()[entry] as usize;
            if let Ok(at) = lengths.row(j).0.binary_search(&(i as u32)) {
                both[entry] += flows[lengths.offsets()[j] + at];
            }
        }
    }
    Ok(both.into_iter().map(|flow| flow / f64::max(paths, 1.0)).collect())
}

/// How many shortest paths of one source run through each edge of its tree, and how many points it reaches. The farthest
/// points come first: all paths to a point and to those beyond it end with or pass through its last edge.
fn flow_from(graph: &Graph<f64>, distances: &[f64]) -> (Vec<(u32, u32)>, f64) {
    let lengths = graph.distances();
    let n = distances.len();
    // The bits of numbers that are not negative have the order of the numbers.
    let reached = distances.iter().zip(0_u32..).filter(|(far, _)| far.is_finite());
    let mut order: Vec<(u64, u32)> = reached.map(|(far, i)| (far.to_bits(), i)).collect();
    order.sort_unstable();
    let mut below = vec![1; n];
    let mut edges = Vec::with_capacity(order.len());
    for &(far, i) in order.iter().rev() {
        let (i, far) = (i as usize, f64::from_bits(far));
        let through = |&entry: &usize| {
            let j = lengths.indices()[entry] as usize;
            distances[j] < far && distances[j] + lengths.values()[entry] <= far * (1.0 + 1e-12)
        };
        if let Some(entry) = (lengths.offsets()[i]..lengths.offsets()[i + 1]).find(through) {
            edges.push((entry as u32, below[i]));
            below[lengths.indices()[entry] as usize] += below[i];
        }
    }
    (edges, order.len() as f64)
}
