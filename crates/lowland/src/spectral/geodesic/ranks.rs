//! The ranks of edges among those of their ends: with them, graphs of fewer neighbors at the cost of one look at each edge.

use crate::spectral::Rule;
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use lowland_neighbors::Graph;
use lowland_neighbors::graph::Symmetrize;

/// Points at a time.
const CHUNK: usize = 512;

/// A graph and, for each stored edge, its ranks by length at its two ends: the smaller and the larger.
pub(super) struct Ranks<'a> {
    graph: &'a Graph<f64>,
    smaller: Vec<u32>,
    larger: Vec<u32>,
}

impl<'a> Ranks<'a> {
    pub fn new(graph: &'a Graph<f64>, run: &Run) -> Result<Self> {
        let distances = graph.distances();
        let own = map_chunks(run, graph.len(), CHUNK, |points| {
            let mut ranks = vec![0; distances.offsets()[points.end] - distances.offsets()[points.start]];
            let (mut rest, mut order) = (&mut ranks[..], Vec::new());
            for point in points {
                let (to, lengths) = graph.neighbors(point);
                let (row, others) = rest.split_at_mut(to.len());
                rest = others;
                order.clear();
                order.extend(0..to.len());
                // Of edges of one length the one to the first point comes first: they are stored in that order.
                order.sort_by(|&a, &b| lengths[a].total_cmp(&lengths[b]));
                (0..).zip(&order).for_each(|(rank, &at)| row[at] = rank);
            }
            ranks
        })?
        .concat();
        let both = map_chunks(run, graph.len(), CHUNK, |points| {
            let mut pairs = Vec::new();
            for point in points {
                for entry in distances.offsets()[point]..distances.offsets()[point + 1] {
                    let to = distances.indices()[entry] as usize;
                    let back = distances.row(to).0.binary_search(&(point as u32));
                    let other = back.map_or(u32::MAX, |at| own[distances.offsets()[to] + at]);
                    pairs.push((own[entry].min(other), own[entry].max(other)));
                }
            }
            pairs
        })?;
        let (smaller, larger) = both.into_iter().flatten().unzip();
        Ok(Self { graph, smaller, larger })
    }

    /// The graph of fewer neighbors: the nearest of each point are among its neighbors here.
    pub fn thinned(&self, rule: Rule, symmetrize: Symmetrize) -> Result<Graph<f64>> {
        let ranks = match symmetrize {
            Symmetrize::Either => &self.smaller,
            Symmetrize::Both => &self.larger,
        };
        match rule {
            Rule::Nearest(k) | Rule::Adaptive { k, .. } => {
                self.graph.filtered(|entry, _| (ranks[entry] as usize) < k)
            }
            Rule::Within(radius) => self.graph.filtered(|_, length| length <= radius),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::faer_view;
    use lowland_neighbors::{Metric, index};
    use ndarray::Array2;

    /// Graphs of fewer neighbors are those that a search for so many gives.
    #[test]
    fn thinned_graphs_are_those_of_fewer_neighbors() {
        let run = Run::new();
        let wave = |i: usize, j: usize| ((i * (2 * j + 3)) as f64 * 0.754_877 + j as f64).sin();
        // The last rows lie on a grid: there are many edges of one length.
        let x = Array2::from_shape_fn((1500, 3), |(i, j)| match (i, j) {
            (1400.., 0) => 5.0 + (i % 10) as f64,
            (1400.., 1) => (i / 10 % 10) as f64,
            (1400.., _) => 0.0,
            _ => wave(i, j),
        });
        let points = faer_view(x.view());
        let index = index::build(points, Metric::Euclidean, index::Choice::Brute, &run).unwrap();
        let graph = |k: usize, symmetrize: Symmetrize| {
            Graph::from_table(&index.k_nearest_of_all(k, &run).unwrap(), symmetrize).unwrap()
        };
        let all = graph(14, Symmetrize::Either);
        let ranks = Ranks::new(&all, &run).unwrap();
        for k in [1, 4, 9, 14] {
            for symmetrize in [Symmetrize::Either, Symmetrize::Both] {
                let thinned = ranks.thinned(Rule::Nearest(k), symmetrize).unwrap();
                assert_eq!(thinned.distances(), graph(k, symmetrize).distances(), "{k} {symmetrize:?}");
            }
        }
        let within = ranks.thinned(Rule::Within(0.1), Symmetrize::Either).unwrap();
        assert!(within.distances().nnz() > 0 && within.distances().values().iter().all(|&d| d <= 0.1));
    }
}
