//! Shortest paths on the neighbor graph.
//!
//! Sources are taken sixteen at a time. One of them is solved by Dijkstra's algorithm, and the order in which
//! it reaches the points is nearly right for the others, which are its neighbors: so all are relaxed
//! together, window by window of that order, until nothing changes. The result is the least over all paths of their lengths
//! added up from the source, whatever the order of the work: Dijkstra's bits.

use crate::Graph;
use crate::queue::Queue;
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run, Scalar, precompiled, units};
use lowland_linalg::symmetric;
use rayon::prelude::*;

/// Sources at a time.
const LANES: usize = 16;

/// Points that are relaxed until they are final before those beyond them are looked at: the sources of a
/// batch and their surroundings fit in, so that later windows see distances that are nearly final.
const WINDOW: usize = 512;

/// Fewer sources near each other than this are faster one by one.
const FEW: usize = 4;

/// For fewer sources than this the graph is not renumbered, which takes as long as the paths of two or three.
const RENUMBERED: usize = 12;

/// Sources are in at least so many batches where there are several threads, so that all have some.
const BATCHES: usize = 8;

/// The distances from some points to all, one row a source, written to `out` row by row. Infinity where there
/// is no path.
pub fn shortest_paths<T: Scalar>(graph: &Graph<T>, sources: &[u32], out: &mut [T], run: &Run) -> Result<()> {
    let sources: Vec<[(u32, T); 1]> = sources.iter().map(|&source| [(source, T::zero())]).collect();
    shortest_paths_from(graph, &sources, out, run)
}

/// The distances from sources outside the graph, each given by its own edges to some points: `(point, length)`.
/// One row a source, written to `out` row by row. Infinity where there is no path.
pub fn shortest_paths_from<T: Scalar, E: AsRef<[(u32, T)]> + Sync>(
    graph: &Graph<T>,
    sources: &[E],
    out: &mut [T],
    run: &Run,
) -> Result<()> {
    let sources: Vec<&[(u32, T)]> = sources.iter().map(AsRef::as_ref).collect();
    T::run_precompiled::<Paths>((graph, &sources, out, run))
}

precompiled!(
    Paths,
    double,
    paths(graph: &'r Graph<T>, sources: &'r [&'r [(u32, T)]], out: &'r mut [T], run: &'r Run) -> Result<()>
);

fn paths<T: Scalar>(graph: &Graph<T>, sources: &[&[(u32, T)]], out: &mut [T], run: &Run) -> Result<()> {
    let n = graph.len();
    let edges = || sources.iter().copied().flatten();
    if let Some((source, _)) = edges().find(|edge| edge.0 as usize >= n) {
        return Err(Error::parameter("sources", source, format!("below {n}"), "give points of the graph"));
    }
    if let Some(&(point, length)) = edges().find(|edge| !(edge.1 >= T::zero() && edge.1.is_finite())) {
        let (column, value) = (point as usize, length.wide());
        return Err(Error::NotADistance { row: 0, column, value, bound: "finite and 0 or more" });
    }
    if out.len() != sources.len() * n {
        let problem = format!(
            "{} in the output for {} times {}",
            units::count(out.len(), "value"),
            units::count(sources.len(), "source"),
            units::count(n, "point")
        );
        let remedy = "give one value for each pair of them";
        return Err(Error::malformed("output of the shortest paths", problem, remedy));
    }
    if n == 0 {
        return Ok(());
    }
    let renumbered = (sources.len() >= RENUMBERED).then(|| Renumbered::new(graph));
    let adjacency = Adjacency::new(graph, renumbered.as_ref());
    // Neighbors in the order of the adjacency are neighbors in the graph: they share a batch.
    let moved = |edges: &&[(u32, T)]| -> Vec<(u32, T)> {
        edges.iter().map(|&(point, length)| (adjacency.position(point as usize), length)).collect()
    };
    let mut jobs: Vec<Job<'_, T>> = sources.iter().map(moved).zip(out.chunks_exact_mut(n)).collect();
    jobs.sort_by_key(first_point);
    let batches = if run.threads() == 1 { 1 } else { BATCHES };
    let batch = jobs.len().div_ceil(batches).clamp(1, LANES);
    run.install(|| {
        jobs.par_chunks_mut(batch).try_for_each_init(
            || Workspace::new(&adjacency),
            |space, batch| solve(&adjacency, batch, space, run),
        )
    })
}

/// The distances between all points, row by row: n x n values, symmetric to the bit (of the two directions,
/// which may round differently, the smaller).
pub fn all_shortest_paths<T: Scalar>(graph: &Graph<T>, out: &mut [T], run: &Run) -> Result<()> {
    let n = graph.len();
    let sources: Vec<u32> = (0..n as u32).collect();
    shortest_paths(graph, &sources, out, run)?;
    symmetric::least(out, n, run)
}

/// The graph renumbered, so that what is near in it is near in memory, and a batch of sources is a cluster of points.
struct Renumbered<T> {
    /// The new number of each point.
    position: Vec<u32>,
    offsets: Vec<usize>,
    ends: Vec<u32>,
    lengths: Vec<T>,
}

impl<T: Scalar> Renumbered<T> {
    fn new(graph: &Graph<T>) -> Self {
        let waves = clusters(graph, 0..graph.len() as u32, usize::MAX);
        let order = clusters(graph, waves.into_iter(), LANES);
        let mut position = vec![0; order.len()];
        (0..).zip(&order).for_each(|(new, &old)| position[old as usize] = new);
        let (edges, mut offsets) = (graph.distances().nnz(), vec![0]);
        let (mut ends, mut lengths) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        for &old in &order {
            let (columns, of_row) = graph.neighbors(old as usize);
            ends.extend(columns.iter().map(|&column| position[column as usize]));
            lengths.extend_from_slice(of_row);
            offsets.push(ends.len());
        }
        Self { position, offsets, ends, lengths }
    }
}

/// The edges of each point: of the graph as it is, or renumbered.
struct Adjacency<'a, T> {
    position: Option<&'a [u32]>,
    offsets: &'a [usize],
    ends: &'a [u32],
    lengths: &'a [T],
    mean_length: f64,
}

impl<'a, T: Scalar> Adjacency<'a, T> {
    fn new(graph: &'a Graph<T>, renumbered: Option<&'a Renumbered<T>>) -> Self {
        let (position, offsets, ends, lengths) = match renumbered {
            Some(Renumbered { position, offsets, ends, lengths }) => {
                (Some(&position[..]), &offsets[..], &ends[..], &lengths[..])
            }
            None => {
                let all = graph.distances();
                (None, all.offsets(), all.indices(), all.values())
            }
        };
        let mean_length =
            lengths.iter().map(|length| length.wide()).sum::<f64>() / lengths.len().max(1) as f64;
        Self { position, offsets, ends, lengths, mean_length }
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of a point of the graph here.
    fn position(&self, point: usize) -> u32 {
        self.position.map_or(point as u32, |position| position[point])
    }

    fn range(&self, point: u32) -> std::ops::Range<usize> {
        self.offsets[point as usize]..self.offsets[point as usize + 1]
    }

    #[inline(always)]
    fn from(&self, point: u32) -> impl Iterator<Item = (u32, T)> {
        let range = self.range(point);
        self.ends[range.clone()].iter().copied().zip(self.lengths[range].iter().copied())
    }
}

/// All points, in clusters of at most so many, each grown breadth first from the first point that is in none yet.
fn clusters<T: Scalar>(graph: &Graph<T>, firsts: impl Iterator<Item = u32>, most: usize) -> Vec<u32> {
    let mut order: Vec<u32> = Vec::with_capacity(graph.len());
    let mut placed = vec![false; graph.len()];
    for first in firsts {
        if std::mem::replace(&mut placed[first as usize], true) {
            continue;
        }
        let (mut head, full) = (order.len(), order.len().saturating_add(most));
        order.push(first);
        while head < order.len() {
            for &next in graph.neighbors(order[head] as usize).0 {
                if order.len() < full && !std::mem::replace(&mut placed[next as usize], true) {
                    order.push(next);
                }
            }
            head += 1;
        }
    }
    order
}

/// What a thread needs.
struct Workspace<T> {
    distances: Vec<T>,
    queue: Queue,
    reached: Vec<bool>,
    /// The points in the order in which the first source reaches them, then the others.
    order: Vec<u32>,
    lanes: Vec<[T; LANES]>,
    changed: Vec<bool>,
}

impl<T: Scalar> Workspace<T> {
    fn new(adjacency: &Adjacency<'_, T>) -> Self {
        let n = adjacency.len();
        Self {
            distances: vec![T::infinity(); n],
            queue: Queue::new(adjacency.mean_length),
            reached: vec![false; n],
            order: Vec::with_capacity(n),
            lanes: Vec::new(),
            changed: vec![false; n],
        }
    }
}

/// The first point that a source leads to.
fn first_point<T>(job: &Job<'_, T>) -> u32 {
    job.0.first().map_or(0, |edge| edge.0)
}

/// A source by its edges (new numbers), and the row it is solved into.
type Job<'a, T> = (Vec<(u32, T)>, &'a mut [T]);

/// Solves sources into their rows: together those that are near the first of them, the others one by one.
fn solve<T: Scalar>(
    adjacency: &Adjacency<'_, T>,
    jobs: &mut [Job<'_, T>],
    space: &mut Workspace<T>,
    run: &Run,
) -> Result<()> {
    run.check()?;
    jobs.swap(0, jobs.len() / 2);
    dijkstra(adjacency, &jobs[0].0, space);
    let near = &space.order[..WINDOW.min(space.order.len())];
    jobs[1..].sort_by_key(|job| !near.contains(&first_point(job)));
    let mut together = 1 + jobs[1..].iter().take_while(|job| near.contains(&first_point(job))).count();
    if together < FEW {
        together = 1;
        for (point, out) in jobs[0].1.iter_mut().enumerate() {
            *out = space.distances[adjacency.position(point) as usize];
        }
    } else {
        solve_together(adjacency, &mut jobs[..together], space, run)?;
    }
    jobs[together..].iter_mut().try_for_each(|job| solve(adjacency, std::slice::from_mut(job), space, run))
}

/// Solves sources, of which the first was solved by itself and the others are near it.
fn solve_together<T: Scalar>(
    adjacency: &Adjacency<'_, T>,
    batch: &mut [Job<'_, T>],
    space: &mut Workspace<T>,
    run: &Run,
) -> Result<()> {
    space.lanes.clear();
    space.lanes.resize(space.distances.len(), [T::infinity(); LANES]);
    for (lane, (edges, _)) in batch.iter().enumerate() {
        for &(point, length) in edges {
            let position = &mut space.lanes[point as usize][lane];
            *position = if length < *position { length } else { *position };
            space.changed[point as usize] = true;
        }
    }
    while space.changed.contains(&true) {
        run.check()?;
        vectorized(
            #[inline(always)]
            || {
                space
                    .order
                    .chunks(WINDOW)
                    .for_each(|window| relax_window(adjacency, window, &mut space.lanes, &mut space.changed))
            },
        );
    }
    for old in 0..adjacency.len() {
        let lanes = &space.lanes[adjacency.position(old) as usize];
        for ((_, row), &distance) in batch.iter_mut().zip(lanes) {
            row[old] = distance;
        }
    }
    Ok(())
}

/// Relaxes the adjacency from the points of a window that have changed, in order, until none there has.
#[inline(always)]
fn relax_window<T: Scalar>(
    adjacency: &Adjacency<'_, T>,
    window: &[u32],
    lanes: &mut [[T; LANES]],
    changed: &mut [bool],
) {
    while window.iter().any(|&point| changed[point as usize]) {
        for &point in window {
            if !changed[point as usize] {
                continue;
            }
            changed[point as usize] = false;
            let from = lanes[point as usize];
            for (to, length) in adjacency.from(point) {
                let target = &mut lanes[to as usize];
                let mut shorter = false;
                for l in 0..LANES {
                    shorter |= from[l] + length < target[l];
                }
                if shorter {
                    for l in 0..LANES {
                        let through = from[l] + length;
                        target[l] = if through < target[l] { through } else { target[l] };
                    }
                    changed[to as usize] = true;
                }
            }
        }
    }
}

/// Dijkstra's algorithm: the distances, and the order in which the points are reached.
fn dijkstra<T: Scalar>(adjacency: &Adjacency<'_, T>, source: &[(u32, T)], space: &mut Workspace<T>) {
    let Workspace { distances, queue, reached, order, .. } = space;
    distances.fill(T::infinity());
    reached.fill(false);
    order.clear();
    for &(point, length) in source {
        if length < distances[point as usize] {
            distances[point as usize] = length;
            queue.push(point, length.wide());
        }
    }
    // Whatever is next in line is looked at together: its edges are then at hand, one by one they would be waited for.
    let next_in_line = |point: u32, distances: &[T]| {
        let edges = adjacency.range(point);
        let ends = adjacency.ends[edges.clone()].iter().step_by(16).fold(0, |seen, end| seen ^ end);
        let lengths =
            adjacency.lengths[edges].iter().step_by(8).fold(T::zero(), |seen, &length| seen + length);
        std::hint::black_box((ends, lengths));
        distances[point as usize].wide()
    };
    while let Some(point) = queue.pop(|point| next_in_line(point, distances)) {
        if std::mem::replace(&mut reached[point as usize], true) {
            continue;
        }
        order.push(point);
        let here = distances[point as usize];
        for (to, length) in adjacency.from(point) {
            let through = here + length;
            if through < distances[to as usize] {
                distances[to as usize] = through;
                queue.push(to, through.wide());
            }
        }
    }
    order.extend((0..distances.len() as u32).filter(|&point| !reached[point as usize]));
}

#[cfg(test)]
mod tests;
