//! Too many neighbors: edges between the sheets of a folded manifold, a single one or many in parallel.
//!
//! Shortest paths along fewer edges are the reference: those to fewer neighbors, and those between points that are each a
//! neighbor of the other. (Of a short circuit this is rarely so: the end in the other sheet has nearer neighbors.) Where
//! paths are far longer for some pairs, and flat where those of the graph are not, the graph has short circuits. Both ways
//! are compared by the residual variance of classical scaling from a few points.

use super::ranks::Ranks;
use super::short_circuits::without;
use crate::model::Warning;
use crate::spectral::Rule;
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::{Request, Which, eigen};
use lowland_neighbors::graph::Symmetrize;
use lowland_neighbors::{Graph, geodesics};
use rand::seq::index::sample;

/// Points from which paths are compared first: about as many paths for every number of points, within these bounds.
const FIRST_SOURCES: (usize, usize) = (2, 16);
const FIRST_PATHS: usize = 16_000;
/// Points from which they are compared where the first were suspicious.
const SOURCES: usize = 64;
/// Fewer points than this say too little.
const FEWEST_POINTS: usize = 60;
/// Each attempt has this share of the neighbors of the one before, rounded up, down to so many: fewer tear holes.
const STEP: f64 = 0.9;
const SHORTER: f64 = 0.85;
const FEWEST: usize = 4;
/// A graph with fewer neighbors must hold together this share of the points.
pub(super) const TOGETHER: f64 = 0.9;
/// One between neighbors of each other must do so before its components are joined, or these are clusters.
const TOGETHER_UNJOINED: f64 = 0.7;
/// Paths along fewer neighbors are longer everywhere, by a factor. It is suspicious where those of a twentieth of the pairs
/// grow by so many times more than the median.
const SUSPICIOUS: f64 = 1.5;
/// Geodesics are flat up to this residual variance, and folded from this on and from so many times the flat one on: the
/// first where paths grow much, the second where it is folded clearly, the last where neither. (Those of a circle, which a
/// few edges close, have 0.05 in a plane; curves may close more than once.)
const FLAT: f64 = 0.035;
const FOLDED: f64 = 0.025;
const FOLDED_CURVE: f64 = 0.1;
const MUCH: f64 = 1.7;
const CLEARLY: f64 = 0.06;
const TIMES: (f64, f64, f64) = (2.0, 3.0, 5.0);
/// Geodesics are looked at in the fewest of these dimensions that are not exceeded around a point by more than this.
const DIMENSIONS: [usize; 2] = [2, 3];
const THICKER: f64 = 0.6;
const CURVE: f64 = 1.5;
/// Neighbors and points by which the dimension around a point is estimated.
const NEAREST: usize = 8;
const MEASURED: usize = 500;
/// An edge is cut where the way around it, along fewer edges, is so many times as long.
const DETOUR: f64 = 4.0;
/// No more edges are cut than it takes to come so near to the residual variance along fewer edges.
const AS_FLAT: f64 = 2.0;
/// Each edge is tried back in where these and the points are at most so many, multiplied, and stays in up to so many times the
/// residual variance.
const MOST_RESTORED: usize = 250_000;
const NEARLY: f64 = 1.2;
/// Sources at a time.
const BATCH: usize = 128;

/// Short circuits, and a graph of fewer edges that has none.
pub(crate) struct Fold {
    rule: Rule,
    /// Fewer neighbors that do; `None` where only edges between neighbors of each other do.
    better: Option<Rule>,
    dimensions: usize,
    folded: f64,
    flat: f64,
    reference: Graph<f64>,
    sources: Vec<u32>,
}

/// Looks for short circuits in the graph of a rule: at the cost of a few shortest paths where there are none.
pub(crate) fn search(graph: &Graph<f64>, rule: Rule, run: &Run) -> Result<Option<Fold>> {
    let n = graph.len();
    if n < FEWEST_POINTS {
        return Ok(None);
    }
    let _stage = run.stage("short circuits", None);
    let ranks = Ranks::new(graph, run)?;
    let attempts = attempts(graph, rule);
    let whole = graph.connected_components();
    let whole_size = whole.sizes[whole.largest() as usize] as f64;
    let share = |graph: &Graph<f64>| {
        let components = graph.connected_components();
        components.sizes[components.largest() as usize] as f64 / whole_size
    };
    let (mut least, mut members) = (None, None);
    for &attempt in attempts.iter().rev() {
        run.check()?;
        let fewer = ranks.thinned(attempt, Symmetrize::Either)?;
        let found = largest(&fewer);
        if found.len() as f64 >= TOGETHER * whole_size {
            (least, members) = (Some(fewer), Some(found));
            break;
        }
    }
    let members = members.unwrap_or_else(|| whole.members(whole.largest()));
    let count = SOURCES.min(members.len());
    let mut sources: Vec<u32> = sample(&mut run.rng("short circuits"), members.len(), count)
        .into_iter()
        .map(|at| members[at])
        .collect();
    let few = &sources[..(FIRST_PATHS / n).clamp(FIRST_SOURCES.0, FIRST_SOURCES.1).min(count)];
    let here = paths(graph, few, run)?;
    let grown = |fewer: &Graph<f64>| Ok::<_, Error>(growth(&paths(fewer, few, run)?, &here));
    let mutual = ranks.thinned(Rule::Nearest(usual(graph, rule)), Symmetrize::Mutual)?;
    let mutual = if share(&mutual) >= TOGETHER_UNJOINED { Some(mutual.with_edges_of(graph)?) } else { None };
    let mut growth: f64 = 1.0;
    for fewer in [&least, &mutual].into_iter().flatten() {
        growth = growth.max(grown(fewer)?);
    }
    if growth < SUSPICIOUS {
        return Ok(None);
    }
    drop(least);
    sources.sort_unstable();
    let around = dimension_around(graph, rule);
    let Some(dimensions) = DIMENSIONS.into_iter().find(|&d| around <= d as f64 + THICKER) else {
        return Ok(None);
    };
    let left = |graph: &Graph<f64>| unexplained(&between(graph, &sources, run)?, dimensions, run);
    let folded = left(graph)?;
    if folded < if around < CURVE { FOLDED_CURVE } else { FOLDED } {
        return Ok(None);
    }
    let times = match () {
        () if growth >= MUCH => TIMES.0,
        () if folded >= CLEARLY => TIMES.1,
        () => TIMES.2,
    };
    let does = |flat: f64| flat <= FLAT && folded >= times * flat;
    let mut found = None;
    if let Some(mutual) = mutual {
        let flat = left(&mutual)?;
        found = does(flat).then_some((None, flat, mutual));
    }
    for &attempt in &attempts {
        run.check()?;
        let fewer = ranks.thinned(attempt, Symmetrize::Either)?;
        if share(&fewer) < TOGETHER {
            break;
        }
        let flat = left(&fewer)?;
        if does(flat) {
            // Edges between neighbors of each other are the better reference, since they are as many as before.
            let reference = found.map_or(fewer, |(.., mutual)| mutual);
            found = Some((Some(attempt), flat, reference));
            break;
        }
    }
    Ok(found.map(|(better, flat, reference)| Fold {
        rule,
        better,
        dimensions,
        folded,
        flat,
        reference,
        sources,
    }))
}

/// The graph, without the edges that fold it where these are to be cut, and the warning about them.
pub(crate) fn without_short_circuits(
    graph: Graph<f64>,
    rule: Rule,
    cut: bool,
    run: &Run,
) -> Result<(Graph<f64>, Option<Warning>)> {
    let Some(fold) = search(&graph, rule, run)? else { return Ok((graph, None)) };
    let cleaned = if cut { fold.cut(&graph, run)? } else { None };
    let count = cleaned.as_ref().map_or(0, |cleaned| cleaned.1);
    Ok((cleaned.map_or(graph, |cleaned| cleaned.0), Some(fold.warning(cut.then_some(count)))))
}

impl Fold {
    /// The warning; `cut` is the number of edges that were cut, 0 where that did not help, `None` where it was not
    /// asked for.
    pub fn warning(&self, cut: Option<usize>) -> Warning {
        let value = |rule: Rule| match rule {
            Rule::Nearest(k) | Rule::Adaptive { k, .. } => ("n_neighbors", k as f64),
            Rule::Within(radius) => ("radius", radius),
        };
        Warning::TooManyNeighbors {
            parameter: value(self.rule).0.into(),
            value: value(self.rule).1,
            better: self.better.map(|rule| value(rule).1),
            dimensions: self.dimensions,
            unexplained: self.folded,
            remaining: self.flat,
            cut,
            remedy: String::new(),
        }
    }

    /// The graph without as few of the edges around which the way is long as do, the longest ways first, and their number;
    /// `None` where its geodesics are still folded without all of them.
    pub fn cut(&self, graph: &Graph<f64>, run: &Run) -> Result<Option<(Graph<f64>, usize)>> {
        let n = graph.len();
        let mut detours: Vec<(f64, (usize, usize))> = Vec::new();
        let all: Vec<u32> = (0..n as u32).collect();
        for batch in all.chunks(BATCH) {
            let rows = paths(&self.reference, batch, run)?;
            for (&from, row) in batch.iter().zip(rows.chunks_exact(n)) {
                let (to, lengths) = graph.neighbors(from as usize);
                for (&to, &length) in to.iter().zip(lengths).filter(|(to, _)| **to > from) {
                    let around = row[to as usize];
                    if around.is_finite() && around > DETOUR * length {
                        detours.push((around / length, (from as usize, to as usize)));
                    }
                }
            }
        }
        detours.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let edges: Vec<(usize, usize)> = detours.into_iter().map(|detour| detour.1).collect();
        let enough = FLAT.min(AS_FLAT * self.flat);
        let mut count = 1.min(edges.len());
        while count < edges.len() && self.without(graph, &edges[..count], enough, run)?.is_none() {
            count = (2 * count).min(edges.len());
        }
        let mut gone = edges[..count].to_vec();
        let flat = if count < edges.len() { enough } else { FLAT };
        let Some((mut cleaned, left)) = self.without(graph, &gone, flat, run)? else { return Ok(None) };
        if count * n <= MOST_RESTORED {
            // Edges that are not needed for it come back, those with the shortest way around first.
            let as_flat = FLAT.min(NEARLY * left);
            for &edge in edges[..count].iter().rev() {
                let fewer: Vec<(usize, usize)> =
                    gone.iter().copied().filter(|other| *other != edge).collect();
                if let Some((graph, _)) = self.without(graph, &fewer, as_flat, run)? {
                    (gone, cleaned) = (fewer, graph);
                }
            }
        }
        Ok(Some((cleaned, gone.len())))
    }

    /// The graph without some edges and its residual variance, where that is at most this and it holds together.
    fn without(
        &self,
        graph: &Graph<f64>,
        edges: &[(usize, usize)],
        flat: f64,
        run: &Run,
    ) -> Result<Option<(Graph<f64>, f64)>> {
        let cleaned = without(graph, edges)?;
        let left = unexplained(&between(&cleaned, &self.sources, run)?, self.dimensions, run)?;
        let whole = largest(&cleaned).len() as f64 >= TOGETHER * largest(graph).len() as f64;
        Ok((left <= flat && whole).then_some((cleaned, left)))
    }
}

/// Fewer and fewer neighbors.
fn attempts(graph: &Graph<f64>, rule: Rule) -> Vec<Rule> {
    let mut attempts = Vec::new();
    match rule {
        Rule::Nearest(k) | Rule::Adaptive { k, .. } => {
            let mut fewer = k;
            while fewer > FEWEST {
                fewer = ((STEP * fewer as f64).ceil() as usize).clamp(FEWEST, fewer - 1);
                attempts.push(Rule::Nearest(fewer));
            }
        }
        Rule::Within(radius) => {
            let edges = graph.distances().nnz();
            let mut shorter = SHORTER * radius;
            while attempts.len() < 12 && edges > 0 {
                attempts.push(Rule::Within(shorter));
                shorter *= SHORTER;
            }
        }
    }
    attempts
}

/// The number of neighbors of the rule; within a radius, the median.
fn usual(graph: &Graph<f64>, rule: Rule) -> usize {
    rule.k().unwrap_or_else(|| {
        let mut counts: Vec<usize> = (0..graph.len()).map(|i| graph.neighbors(i).0.len()).collect();
        let middle = counts.len() / 2;
        *counts.select_nth_unstable(middle).1
    })
}

/// The points of the largest connected component.
pub(super) fn largest(graph: &Graph<f64>) -> Vec<u32> {
    let components = graph.connected_components();
    components.members(components.largest())
}

/// Shortest paths, a row each.
pub(super) fn paths(graph: &Graph<f64>, sources: &[u32], run: &Run) -> Result<Vec<f64>> {
    let mut rows = vec![0.0; sources.len() * graph.len()];
    geodesics::shortest_paths(graph, sources, &mut rows, run)?;
    Ok(rows)
}

/// By how much more the paths of a twentieth of the pairs grow than the median.
fn growth(fewer: &[f64], more: &[f64]) -> f64 {
    let pairs = fewer.iter().zip(more).filter(|(a, b)| a.is_finite() && **b > 0.0 && b.is_finite());
    let mut ratios: Vec<f64> = pairs.map(|(a, b)| a / b).collect();
    if ratios.is_empty() {
        return 1.0;
    }
    let (middle, high) = (ratios.len() / 2, ratios.len() * 19 / 20);
    let median = *ratios.select_nth_unstable_by(middle, f64::total_cmp).1;
    let high = *ratios.select_nth_unstable_by(high, f64::total_cmp).1;
    high / median
}

/// The shortest paths between the sources; the longest there is where there is none.
fn between(graph: &Graph<f64>, sources: &[u32], run: &Run) -> Result<Mat<f64>> {
    let n = graph.len();
    let rows = paths(graph, sources, run)?;
    let at = |i: usize, j: usize| rows[i.min(j) * n + sources[i.max(j)] as usize];
    let m = sources.len();
    let pairs = (0..m).flat_map(|i| (0..i).map(move |j| (i, j)));
    let longest = pairs.map(|(i, j)| at(i, j)).filter(|x| x.is_finite()).fold(0.0, f64::max);
    Ok(Mat::from_fn(m, m, |i, j| if i == j { 0.0 } else { at(i, j).min(longest) }))
}

/// `1 - R^2` of the distances and those of classical scaling in `d` dimensions.
fn unexplained(distances: &Mat<f64>, d: usize, run: &Run) -> Result<f64> {
    let m = distances.nrows();
    let pairs = || (0..m).flat_map(|i| (0..i).map(move |j| (i, j)));
    let scale = pairs().map(|at| distances[at]).fold(0.0, f64::max);
    if m <= d + 1 || scale == 0.0 {
        return Ok(0.0);
    }
    let half = Mat::from_fn(m, m, |i, j| -0.5 * (distances[(i, j)] / scale).powi(2));
    let means: Vec<f64> = (0..m).map(|i| half.row(i).iter().sum::<f64>() / m as f64).collect();
    let mean = means.iter().sum::<f64>() / m as f64;
    let kernel = Mat::from_fn(m, m, |i, j| half[(i, j)] - means[i] - means[j] + mean);
    let found = eigen::solve(&Dense::new(kernel.as_ref())?, &Request::new(d, Which::Largest), run)?;
    // Sums of the given distance, the embedded one, their squares and their product.
    let mut sums = [0.0; 5];
    for (i, j) in pairs() {
        let square =
            |c: usize| found.values[c].max(0.0) * (found.vectors[(i, c)] - found.vectors[(j, c)]).powi(2);
        let (g, y) = (distances[(i, j)] / scale, (0..d).map(square).sum::<f64>().sqrt());
        sums.iter_mut().zip([g, y, g * g, y * y, g * y]).for_each(|(sum, term)| *sum += term);
    }
    let count = (m * (m - 1) / 2) as f64;
    let [g, y, gg, yy, gy] = sums.map(|sum| sum / count);
    let (spread, variance, joint) = (gg - g * g, yy - y * y, gy - g * y);
    if spread > 0.0 && variance > 0.0 {
        Ok((1.0 - joint * joint / (spread * variance)).clamp(0.0, 1.0))
    } else {
        Ok(1.0)
    }
}

/// The dimension around a point by maximum likelihood (Levina and Bickel 2005, pooled as by MacKay and Ghahramani 2005).
fn dimension_around(graph: &Graph<f64>, rule: Rule) -> f64 {
    let n = graph.len();
    let most = rule.k().unwrap_or(NEAREST).min(NEAREST);
    let (mut sum, mut count) = (0.0, 0.0);
    for i in (0..n).step_by(n.div_ceil(MEASURED).max(1)) {
        let mut lengths: Vec<f64> = graph.neighbors(i).1.iter().copied().filter(|&x| x > 0.0).collect();
        lengths.sort_by(f64::total_cmp);
        lengths.truncate(most);
        let Some((&last, nearer)) = lengths.split_last().filter(|(_, nearer)| nearer.len() > 1) else {
            continue;
        };
        let m = nearer.len() as f64;
        sum += nearer.iter().map(|length| (last / length).ln()).sum::<f64>() / (m - 1.0);
        count += 1.0;
    }
    if sum > 0.0 { count / sum } else { f64::INFINITY }
}
