//! Loops torn open (Lee and Verleysen 2005; Maaten 7.1): a cylinder or a closed curve has no isometric image in as few
//! dimensions as it has itself, unless it is cut.

use lowland_base::{Csr, Result, Run};
use lowland_neighbors::Graph;
use lowland_neighbors::graph::Symmetrize;
use std::collections::VecDeque;

/// The longest cycle, in edges, that is no loop of the manifold but a patch of its surface.
const PATCH: usize = 4;

/// The graph without the edges that close a long loop, and their number: the minimum spanning forest, and then, again and again,
/// every edge whose ends are at most `PATCH - 1` steps apart already. What a surface without loops has been cut apart by the
/// tree grows together from the tips of the cut; around a loop there is no such tip.
pub(super) fn torn(graph: &Graph<f64>, run: &Run) -> Result<(Graph<f64>, usize)> {
    let _stage = run.stage("tear", None);
    let n = graph.len();
    let mut edges: Vec<(f64, u32, u32)> = Vec::with_capacity(graph.distances().nnz() / 2);
    for i in 0..n {
        let (to, lengths) = graph.neighbors(i);
        edges.extend(
            to.iter().zip(lengths).filter(|(j, _)| (i as u32) < **j).map(|(&j, &d)| (d, i as u32, j)),
        );
    }
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut kept = Kept { near: vec![Vec::new(); n], seen: vec![0; n], search: 0 };
    let mut forest: Vec<u32> = (0..n as u32).collect();
    edges.retain(|&(_, i, j)| {
        let (a, b) = (root(&mut forest, i), root(&mut forest, j));
        if a != b {
            forest[a as usize] = b;
            kept.add(i, j);
        }
        a == b
    });
    loop {
        run.check()?;
        let before = edges.len();
        edges.retain(|&(_, i, j)| {
            let near = kept.near(i, j);
            if near {
                kept.add(i, j);
            }
            !near
        });
        if edges.len() == before {
            break;
        }
    }
    let torn: std::collections::HashSet<(u32, u32)> = edges.iter().map(|&(_, i, j)| (i, j)).collect();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let (to, lengths) = graph.neighbors(i);
        for (&j, &length) in to.iter().zip(lengths) {
            if !torn.contains(&((i as u32).min(j), (i as u32).max(j))) {
                columns.push(j);
                values.push(length);
            }
        }
        offsets.push(columns.len());
    }
    let graph = Graph::from_csr(Csr::new(n, n, offsets, columns, values)?, Symmetrize::Either)?;
    Ok((graph, edges.len()))
}

/// The edges kept so far.
struct Kept {
    near: Vec<Vec<u32>>,
    seen: Vec<usize>,
    search: usize,
}

impl Kept {
    fn add(&mut self, i: u32, j: u32) {
        self.near[i as usize].push(j);
        self.near[j as usize].push(i);
    }

    /// Whether `j` is at most `PATCH - 1` steps from `i`.
    fn near(&mut self, i: u32, j: u32) -> bool {
        self.search += 1;
        self.seen[i as usize] = self.search;
        let mut queue = VecDeque::from([(i, 0)]);
        while let Some((at, steps)) = queue.pop_front() {
            if at == j {
                return true;
            }
            if steps + 1 == PATCH {
                continue;
            }
            for &next in &self.near[at as usize] {
                if self.seen[next as usize] != self.search {
                    self.seen[next as usize] = self.search;
                    queue.push_back((next, steps + 1));
                }
            }
        }
        false
    }
}

fn root(forest: &mut [u32], mut vertex: u32) -> u32 {
    while forest[vertex as usize] != vertex {
        forest[vertex as usize] = forest[forest[vertex as usize] as usize];
        vertex = forest[vertex as usize];
    }
    vertex
}
