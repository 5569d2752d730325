//! Tearing (Maaten 3.1.2, after Lee and Verleysen 2005): a manifold with loops that do not shrink to a point, such as a
//! cylinder or a torus, is cut open, so that it can be laid flat.
//!
//! The minimum spanning tree of the neighbor graph has no loop at all. The other edges come back, the shortest first and as
//! often as it takes, where they close a cycle of few edges: such cycles are the meshes of the graph. Around a loop the
//! meshes cannot be closed across the tear. Where the manifold has no loops most of them come back, and a hole of the sample
//! with more edges around it than that stays torn.

use lowland_base::{Csr, Result, Run};
use lowland_neighbors::Graph;
use lowland_neighbors::graph::Symmetrize;

/// Searches between two looks at the switch.
const SEARCHES: usize = 4096;

/// The connected graph without the edges that close only cycles of more than `longest` edges.
pub(crate) fn cut_loops(graph: &Graph<f64>, longest: usize, run: &Run) -> Result<Graph<f64>> {
    let _stage = run.stage("tearing", None);
    let n = graph.len();
    let mut edges: Vec<(f64, usize, usize)> = Vec::new();
    for i in 0..n {
        let (to, lengths) = graph.neighbors(i);
        let further = to.iter().zip(lengths).filter(|(j, _)| i < **j as usize);
        edges.extend(further.map(|(&j, &length)| (length, i, j as usize)));
    }
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut kept = Kept { near: vec![Vec::new(); n], reached: vec![0; n], search: 0 };
    let mut forest: Vec<usize> = (0..n).collect();
    let mut others = Vec::new();
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    for (length, i, j) in edges {
        let (a, b) = (root(&mut forest, i), root(&mut forest, j));
        if a == b {
            others.push((length, i, j));
        } else {
            forest[a] = b;
            kept.add(i, j);
            entries.extend([(i, j, length), (j, i, length)]);
        }
    }
    loop {
        let before = others.len();
        for (at, edge) in std::mem::take(&mut others).into_iter().enumerate() {
            if at % SEARCHES == 0 {
                run.check()?;
            }
            let (length, i, j) = edge;
            if kept.within(i, j, longest.saturating_sub(1)) {
                kept.add(i, j);
                entries.extend([(i, j, length), (j, i, length)]);
            } else {
                others.push(edge);
            }
        }
        if others.len() == before {
            break;
        }
    }
    Graph::from_csr(Csr::from_entries(n, n, &entries)?, Symmetrize::Either)
}

/// The edges so far, and the work space of a search along them.
struct Kept {
    near: Vec<Vec<u32>>,
    /// The number of the search that reached a vertex last.
    reached: Vec<u32>,
    search: u32,
}

impl Kept {
    fn add(&mut self, i: usize, j: usize) {
        self.near[i].push(j as u32);
        self.near[j].push(i as u32);
    }

    /// Whether a path of at most so many edges leads from `i` to `j`.
    fn within(&mut self, i: usize, j: usize, steps: usize) -> bool {
        self.search += 1;
        self.reached[i] = self.search;
        let mut front = vec![i as u32];
        for _ in 0..steps {
            let mut next = Vec::new();
            for &vertex in &front {
                for &to in &self.near[vertex as usize] {
                    if to as usize == j {
                        return true;
                    }
                    if self.reached[to as usize] != self.search {
                        self.reached[to as usize] = self.search;
                        next.push(to);
                    }
                }
            }
            front = next;
        }
        false
    }
}

/// The representative of a tree, the way there shortened.
fn root(forest: &mut [usize], mut vertex: usize) -> usize {
    while forest[vertex] != vertex {
        forest[vertex] = forest[forest[vertex]];
        vertex = forest[vertex];
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A band of triangles: `around` vertices in a row, `high` rows, closed to a ring or not.
    fn band(around: usize, high: usize, closed: bool) -> Graph<f64> {
        let mut entries = Vec::new();
        let mut add = |a: usize, b: usize, length: f64| entries.extend([(a, b, length), (b, a, length)]);
        for h in 0..high {
            for i in 0..around {
                let here = h * around + i;
                let next = (i + 1 < around).then_some(here + 1).or(closed.then_some(h * around));
                // Lengths that differ, so that the tree is one.
                let jitter = 1.0 + 1e-3 * ((17 * here) % 101) as f64;
                next.iter().for_each(|&next| add(here, next, jitter));
                if h + 1 < high {
                    add(here, here + around, jitter + 0.01);
                    next.iter().for_each(|&next| add(here, next + around, jitter + 0.5));
                }
            }
        }
        let n = around * high;
        Graph::from_csr(Csr::from_entries(n, n, &entries).unwrap(), Symmetrize::Either).unwrap()
    }

    fn count(graph: &Graph<f64>) -> usize {
        graph.distances().values().len() / 2
    }

    #[test]
    fn a_disk_stays_whole_and_a_ring_is_cut_through() {
        let run = Run::new();
        let disk = band(30, 6, false);
        assert_eq!(cut_loops(&disk, 4, &run).unwrap().distances(), disk.distances());
        let ring = band(30, 6, true);
        let cut = cut_loops(&ring, 4, &run).unwrap();
        assert!(
            count(&cut) < count(&ring) && count(&cut) > count(&ring) - 60,
            "{} {}",
            count(&cut),
            count(&ring)
        );
        // Connected, and around the ring there is no way any more: by the edges, numbered by how they go around.
        let mut turns = vec![None; 180];
        turns[0] = Some(0i64);
        let mut stack = vec![0usize];
        while let Some(vertex) = stack.pop() {
            let (to, _) = cut.neighbors(vertex);
            for &next in to {
                let next = next as usize;
                let step = (next % 30) as i64 - (vertex % 30) as i64;
                let step = if step > 15 {
                    step - 30
                } else if step < -15 {
                    step + 30
                } else {
                    step
                };
                let there = turns[vertex].unwrap() + step;
                match turns[next] {
                    None => {
                        turns[next] = Some(there);
                        stack.push(next);
                    }
                    Some(known) => assert_eq!(known, there, "a way around is left"),
                }
            }
        }
        assert!(turns.iter().all(Option::is_some));
        // A limit as long as the ring tears nothing.
        assert_eq!(count(&cut_loops(&ring, 180, &run).unwrap()), count(&ring));
    }
}
