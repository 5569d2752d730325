//! Shortest paths on the neighbour graph.
//!
//! Sources are taken sixteen at a time. One of them is solved by Dijkstra's algorithm, and the order in which
//! it reaches the points is nearly right for the others, which are its neighbours: so all are relaxed
//! together, window by window of that order, until nothing changes. The result is the least over all paths of their lengths
//! added up from the source, whatever the order of the work: Dijkstra's bits.

use crate::Graph;
use crate::queue::Queue;
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run, Scalar, work};
use lowland_linalg::symmetric;
use rayon::prelude::*;

/// Sources at a time.
const LANES: usize = 16;

/// Points that are relaxed until they are settled before those beyond them are looked at: the sources of a
/// batch and their surroundings fit in, so that later windows see distances that are nearly final.
const WINDOW: usize = 512;

/// Fewer sources near each other than this are faster one by one.
const FEW: usize = 4;

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
    T::perform::<Paths>((graph, &sources, out, run))
}

work!(
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
        let problem = format!("{} places for {} sources times {n} points", out.len(), sources.len());
        return Err(Error::Malformed { what: "output of the shortest paths", problem });
    }
    if n == 0 {
        return Ok(());
    }
    let roads = Roads::new(graph);
    // Neighbours in the order of the roads are neighbours in the graph: they share a batch.
    let renumbered = |edges: &&[(u32, T)]| -> Vec<(u32, T)> {
        edges.iter().map(|&(point, length)| (roads.place[point as usize], length)).collect()
    };
    let mut jobs: Vec<Job<'_, T>> = sources.iter().map(renumbered).zip(out.chunks_exact_mut(n)).collect();
    jobs.sort_by_key(first_point);
    run.install(|| {
        jobs.par_chunks_mut(LANES)
            .try_for_each_init(|| Workspace::new(&roads), |space, batch| solve(&roads, batch, space, run))
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

/// The graph renumbered, so that what is near in it is near in memory, and a batch of sources is a clump of points.
struct Roads<T> {
    /// The new number of each point.
    place: Vec<u32>,
    offsets: Vec<usize>,
    edges: Vec<(u32, T)>,
}

impl<T: Scalar> Roads<T> {
    fn new(graph: &Graph<T>) -> Self {
        let waves = clumps(graph, 0..graph.len() as u32, usize::MAX);
        let order = clumps(graph, waves.into_iter(), LANES);
        let mut place = vec![0; order.len()];
        (0..).zip(&order).for_each(|(new, &old)| place[old as usize] = new);
        let (mut offsets, mut edges) = (vec![0], Vec::with_capacity(graph.distances().nnz()));
        for &old in &order {
            let (columns, lengths) = graph.neighbours(old as usize);
            edges.extend(columns.iter().map(|&column| place[column as usize]).zip(lengths.iter().copied()));
            offsets.push(edges.len());
        }
        Self { place, offsets, edges }
    }

    fn mean_length(&self) -> f64 {
        self.edges.iter().map(|edge| edge.1.wide()).sum::<f64>() / self.edges.len().max(1) as f64
    }

    #[inline(always)]
    fn from(&self, point: u32) -> &[(u32, T)] {
        &self.edges[self.offsets[point as usize]..self.offsets[point as usize + 1]]
    }
}

/// All points, in clumps of at most so many, each grown breadth first from the first point that is in none yet.
fn clumps<T: Scalar>(graph: &Graph<T>, firsts: impl Iterator<Item = u32>, most: usize) -> Vec<u32> {
    let mut order: Vec<u32> = Vec::with_capacity(graph.len());
    let mut placed = vec![false; graph.len()];
    for first in firsts {
        if std::mem::replace(&mut placed[first as usize], true) {
            continue;
        }
        let (mut head, full) = (order.len(), order.len().saturating_add(most));
        order.push(first);
        while head < order.len() {
            for &next in graph.neighbours(order[head] as usize).0 {
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
    fn new(roads: &Roads<T>) -> Self {
        let n = roads.place.len();
        Self {
            distances: vec![T::infinity(); n],
            queue: Queue::new(roads.mean_length()),
            reached: vec![false; n],
            order: Vec::with_capacity(n),
            lanes: vec![[T::infinity(); LANES]; n],
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
    roads: &Roads<T>,
    jobs: &mut [Job<'_, T>],
    space: &mut Workspace<T>,
    run: &Run,
) -> Result<()> {
    run.check()?;
    jobs.swap(0, jobs.len() / 2);
    dijkstra(roads, &jobs[0].0, space);
    let near = &space.order[..WINDOW.min(space.order.len())];
    jobs[1..].sort_by_key(|job| !near.contains(&first_point(job)));
    let mut together = 1 + jobs[1..].iter().take_while(|job| near.contains(&first_point(job))).count();
    if together < FEW {
        together = 1;
        for (out, &place) in jobs[0].1.iter_mut().zip(&roads.place) {
            *out = space.distances[place as usize];
        }
    } else {
        solve_together(roads, &mut jobs[..together], space, run)?;
    }
    jobs[together..].iter_mut().try_for_each(|job| solve(roads, std::slice::from_mut(job), space, run))
}

/// Solves sources, of which the first was solved by itself and the others are near it.
fn solve_together<T: Scalar>(
    roads: &Roads<T>,
    batch: &mut [Job<'_, T>],
    space: &mut Workspace<T>,
    run: &Run,
) -> Result<()> {
    space.lanes.fill([T::infinity(); LANES]);
    for (lane, (edges, _)) in batch.iter().enumerate() {
        for &(point, length) in edges {
            let place = &mut space.lanes[point as usize][lane];
            *place = if length < *place { length } else { *place };
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
                    .for_each(|window| settle(roads, window, &mut space.lanes, &mut space.changed))
            },
        );
    }
    for (old, &place) in roads.place.iter().enumerate() {
        for ((_, row), &distance) in batch.iter_mut().zip(&space.lanes[place as usize]) {
            row[old] = distance;
        }
    }
    Ok(())
}

/// Relaxes the roads from the points of a window that have changed, in order, until none there has.
#[inline(always)]
fn settle<T: Scalar>(roads: &Roads<T>, window: &[u32], lanes: &mut [[T; LANES]], changed: &mut [bool]) {
    while window.iter().any(|&point| changed[point as usize]) {
        for &point in window {
            if !changed[point as usize] {
                continue;
            }
            changed[point as usize] = false;
            let from = lanes[point as usize];
            for &(to, length) in roads.from(point) {
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
fn dijkstra<T: Scalar>(roads: &Roads<T>, source: &[(u32, T)], space: &mut Workspace<T>) {
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
    // Whatever is next in line is looked at together: its roads are then at hand, one by one they would be waited for.
    let next_in_line = |point: u32, distances: &[T]| {
        std::hint::black_box(roads.from(point).iter().step_by(4).fold(0, |seen, edge| seen ^ edge.0));
        distances[point as usize].wide()
    };
    while let Some(point) = queue.pop(|point| next_in_line(point, distances)) {
        if std::mem::replace(&mut reached[point as usize], true) {
            continue;
        }
        order.push(point);
        let here = distances[point as usize];
        for &(to, length) in roads.from(point) {
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
mod tests {
    use super::*;
    use crate::graph::Symmetrise;
    use lowland_base::Csr;
    use rand::RngExt;

    fn random_graph<T: Scalar>(n: usize, edges: usize, seed: u64) -> Graph<T> {
        let mut rng = Run::new().with_seed(seed).rng("test graph");
        let mut seen = std::collections::HashMap::new();
        for _ in 0..edges {
            let (i, j) = (rng.random_range(0..n), rng.random_range(0..n));
            // A third of the edges have no length; halves make ties.
            let length = [0.0, 0.5, rng.random_range(0.0..2.0)][rng.random_range(0..3)];
            seen.insert((i, j), T::of(length));
        }
        let entries: Vec<_> = seen.into_iter().map(|((i, j), length)| (i, j, length)).collect();
        Graph::from_csr(Csr::from_entries(n, n, &entries).unwrap(), Symmetrise::Either).unwrap()
    }

    fn floyd_warshall(graph: &Graph<f64>) -> Vec<f64> {
        let n = graph.len();
        let mut d = vec![f64::INFINITY; n * n];
        for i in 0..n {
            d[i * n + i] = 0.0;
            let (columns, lengths) = graph.neighbours(i);
            columns.iter().zip(lengths).for_each(|(&j, &length)| d[i * n + j as usize] = length);
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    d[i * n + j] = d[i * n + j].min(d[i * n + k] + d[k * n + j]);
                }
            }
        }
        d
    }

    #[test]
    fn equal_to_floyd_warshall() {
        for seed in 0..120 {
            let n = 1 + seed as usize % 40;
            let graph: Graph<f64> = random_graph(n, n * (seed as usize % 4), seed);
            let expected = floyd_warshall(&graph);
            let mut found = vec![0.0; n * n];
            all_shortest_paths(&graph, &mut found, &Run::new()).unwrap();
            for (f, e) in found.iter().zip(&expected) {
                assert!(f == e || (f - e).abs() <= 1e-14 * e, "{f} {e} seed {seed}");
            }
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(found[i * n + j].to_bits(), found[j * n + i].to_bits());
                }
            }
        }
    }

    /// A batch gives each source what it gets alone, for any number of threads.
    #[test]
    fn a_batch_has_the_bits_of_its_sources() {
        fn check<T: Scalar>(seed: u64) {
            let n = 300;
            let graph: Graph<T> = random_graph(n, 2 * n, seed);
            let sources: Vec<u32> = (0..77).map(|s| s * 37 % n as u32).chain([5, 5, 5]).collect();
            let mut alone = vec![T::zero(); sources.len() * n];
            for (source, row) in sources.iter().zip(alone.chunks_exact_mut(n)) {
                shortest_paths(&graph, &[*source], row, &Run::new()).unwrap();
            }
            for threads in [1, 2, 3] {
                let run = Run::new().with_threads(threads).unwrap();
                let mut together = vec![T::zero(); sources.len() * n];
                shortest_paths(&graph, &sources, &mut together, &run).unwrap();
                assert!(together == alone);
            }
        }
        (0..8).for_each(check::<f64>);
        (0..8).for_each(check::<f32>);
    }

    /// A source outside the graph is a point more with its edges.
    #[test]
    fn a_source_by_its_edges_is_a_vertex_more() {
        for seed in 0..20 {
            let n = 50;
            let graph: Graph<f64> = random_graph(n, 3 * n, seed);
            let mut rng = Run::new().with_seed(seed).rng("sources");
            let edges: Vec<Vec<(u32, f64)>> = (0..20)
                .map(|i| (0..i % 4).map(|_| (rng.random_range(0..n as u32), rng.random::<f64>())).collect())
                .collect();
            let mut found = vec![0.0; edges.len() * n];
            shortest_paths_from(&graph, &edges, &mut found, &Run::new()).unwrap();
            for (edges, row) in edges.iter().zip(found.chunks_exact(n)) {
                let mut entries: Vec<(usize, usize, f64)> = Vec::new();
                for i in 0..n {
                    let (columns, lengths) = graph.neighbours(i);
                    entries.extend(columns.iter().zip(lengths).map(|(&j, &l)| (i, j as usize, l)));
                }
                let mut own: Vec<(u32, f64)> = edges.clone();
                own.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
                own.dedup_by_key(|edge| edge.0);
                entries.extend(own.iter().map(|&(j, l)| (n, j as usize, l)));
                let larger = Csr::from_entries(n + 1, n + 1, &entries).unwrap();
                let larger = Graph::from_csr(larger, Symmetrise::Either).unwrap();
                let expected = floyd_warshall(&larger);
                for j in 0..n {
                    let (f, e) = (row[j], expected[n * (n + 1) + j]);
                    assert!(f == e || (f - e).abs() <= 1e-14 * e, "{f} {e} seed {seed}");
                }
            }
        }
    }

    #[test]
    fn wrong_questions_are_typed_errors() {
        let graph: Graph<f64> = random_graph(5, 5, 1);
        assert!(shortest_paths(&graph, &[5], &mut [0.0; 5], &Run::new()).is_err());
        assert!(shortest_paths(&graph, &[4], &mut [0.0; 4], &Run::new()).is_err());
        assert_eq!(shortest_paths(&graph, &[], &mut [], &Run::new()), Ok(()));
        let stopped = Run::new();
        stopped.cancel_switch().cancel();
        assert_eq!(shortest_paths(&graph, &[4], &mut [0.0; 5], &stopped), Err(Error::Cancelled));
    }
}
