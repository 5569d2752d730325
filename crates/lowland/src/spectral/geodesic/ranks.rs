//! Graphs of fewer neighbors, at the cost of one look at each edge.

use crate::spectral::Rule;
use lowland_base::{Result, Run};
use lowland_neighbors::Graph;
use lowland_neighbors::graph::Symmetrize;

/// Points between two looks at whether the run was canceled.
const CHUNK: usize = 512;

/// An edge as one of its ends sees it, as a number: shorter ones come first, and of one length the one to the first point.
/// The bits of lengths, which are not negative (and -0 + 0 is 0), have the order of the lengths.
fn seen(length: f64, to: u32) -> u128 {
    u128::from((length + 0.0).to_bits()) << 32 | u128::from(to)
}

/// A graph and the edges of each point, the shortest first.
pub(super) struct Ranks<'a> {
    graph: &'a Graph<f64>,
    sorted: Vec<u128>,
}

impl<'a> Ranks<'a> {
    pub fn new(graph: &'a Graph<f64>, run: &Run) -> Result<Self> {
        let all = graph.distances();
        let mut sorted: Vec<u128> =
            all.values().iter().zip(all.indices()).map(|(&length, &to)| seen(length, to)).collect();
        for (point, ends) in all.offsets().windows(2).enumerate() {
            if point % CHUNK == 0 {
                run.check()?;
            }
            sorted[ends[0]..ends[1]].sort_unstable();
        }
        Ok(Self { graph, sorted })
    }

    /// The graph of fewer neighbors: the nearest of each point are among its neighbors here.
    pub fn thinned(&self, rule: Rule, symmetrize: Symmetrize) -> Result<Graph<f64>> {
        match rule {
            Rule::Nearest(k) | Rule::Adaptive { k, .. } => {
                let next = self.next_after_nearest(k);
                // Whether `to` is among the nearest of `from`.
                let among = |from: u32, to: u32, length: f64| seen(length, to) < next[from as usize];
                match symmetrize {
                    Symmetrize::Either => {
                        self.graph.filtered(|i, j, length| among(i, j, length) | among(j, i, length))
                    }
                    Symmetrize::Mutual => {
                        self.graph.filtered(|i, j, length| among(i, j, length) & among(j, i, length))
                    }
                }
            }
            Rule::Within(radius) => self.graph.filtered(|_, _, length| length <= radius),
        }
    }

    /// The first edge of each point that is not among its `k` nearest, or one beyond all where there is none.
    fn next_after_nearest(&self, k: usize) -> Vec<u128> {
        let offsets = self.graph.distances().offsets();
        let next = |ends: &[usize]| self.sorted[ends[0]..ends[1]].get(k).copied().unwrap_or(u128::MAX);
        offsets.windows(2).map(next).collect()
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
            for symmetrize in [Symmetrize::Either, Symmetrize::Mutual] {
                let thinned = ranks.thinned(Rule::Nearest(k), symmetrize).unwrap();
                assert_eq!(thinned.distances(), graph(k, symmetrize).distances(), "{k} {symmetrize:?}");
            }
        }
        let within = ranks.thinned(Rule::Within(0.1), Symmetrize::Either).unwrap();
        assert!(within.distances().nnz() > 0 && within.distances().values().iter().all(|&d| d <= 0.1));
    }
}
