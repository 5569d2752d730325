//! The edges of a layout: who attracts whom, and how strongly. A symmetric matrix in compressed rows, in the precision
//! and in the order of the layout.

use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Result, Run, Scalar};

/// The affinities of each point: neighbors and weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Edges<T> {
    offsets: Vec<usize>,
    neighbors: Vec<u32>,
    weights: Vec<T>,
}

/// Points a chunk.
const CHUNK: usize = 512;

impl<T: Scalar> Edges<T> {
    /// The entries of a symmetric matrix of affinities.
    pub fn new(affinities: &Csr<f64>) -> Self {
        Self {
            offsets: affinities.offsets().to_vec(),
            neighbors: affinities.indices().to_vec(),
            weights: affinities.values().iter().map(|&w| T::of(w)).collect(),
        }
    }

    /// The entries that `weight` gives a new weight, by their two points and their own weight.
    pub fn select(affinities: &Csr<f64>, weight: impl Fn(u32, u32, f64) -> Option<T>) -> Self {
        let mut out = Self { offsets: vec![0], neighbors: Vec::new(), weights: Vec::new() };
        for i in 0..affinities.nrows() {
            let (neighbors, weights) = affinities.row(i);
            for (&neighbor, &given) in neighbors.iter().zip(weights) {
                if let Some(weight) = weight(i as u32, neighbor, given) {
                    out.neighbors.push(neighbor);
                    out.weights.push(weight);
                }
            }
            out.offsets.push(out.neighbors.len());
        }
        out
    }

    /// The neighbors of a point and the weights of its edges.
    #[inline(always)]
    pub fn of(&self, point: usize) -> (&[u32], &[T]) {
        let range = self.offsets[point]..self.offsets[point + 1];
        (&self.neighbors[range.clone()], &self.weights[range])
    }

    /// How many edges some points have together.
    pub fn count(&self, points: std::ops::Range<usize>) -> usize {
        self.offsets[points.end] - self.offsets[points.start]
    }

    /// The same edges with the points in another order: the new point `i` is the old `order[i]`. Points that are near
    /// each other in the layout come near each other in memory.
    pub fn renumber(&self, order: &[u32], run: &Run) -> Result<Self> {
        let mut position = vec![0_u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old as usize] = new as u32;
        }
        let parts = map_chunks(run, order.len(), CHUNK, |range| {
            let mut entries: Vec<(u32, T)> = Vec::new();
            let mut lengths = Vec::with_capacity(range.len());
            for &old in &order[range] {
                let (neighbors, weights) = self.of(old as usize);
                let begin = entries.len();
                entries.extend(neighbors.iter().zip(weights).map(|(&n, &w)| (position[n as usize], w)));
                entries[begin..].sort_unstable_by_key(|entry| entry.0);
                lengths.push(neighbors.len());
            }
            (entries, lengths)
        })?;
        let mut out = Self {
            offsets: Vec::with_capacity(order.len() + 1),
            neighbors: Vec::with_capacity(self.neighbors.len()),
            weights: Vec::with_capacity(self.weights.len()),
        };
        out.offsets.push(0);
        let mut end = 0;
        for (entries, lengths) in parts {
            for length in lengths {
                end += length;
                out.offsets.push(end);
            }
            out.neighbors.extend(entries.iter().map(|entry| entry.0));
            out.weights.extend(entries.iter().map(|entry| entry.1));
        }
        Ok(out)
    }
}
