//! Repulsion by Barnes and Hut's tree (van der Maaten 2014): far cells count as one point. The points of a leaf walk the
//! tree together, by the nearest of them; what they meet is then summed in lanes for each.

use super::Repulsion;
use super::exact::Sources;
use super::tree::{Node, build};
use crate::layout::kernel::{Kernel, Tail, with_tail};
use crate::layout::order::morton;
use lowland_base::parallel::map_chunks;
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};

/// Repulsion by a tree.
#[derive(Debug, Clone, Copy)]
pub struct BarnesHut {
    kernel: Kernel,
    theta: f64,
}

/// Leaves a chunk.
const CHUNK: usize = 32;

impl BarnesHut {
    /// A cell counts as one point where its width is below `theta` times its distance.
    pub fn new(kernel: Kernel, theta: f64) -> Self {
        Self { kernel, theta }
    }
}

impl<T: Scalar, const D: usize> Repulsion<T, D> for BarnesHut {
    fn forces(&mut self, layout: &[[T; D]], forces: &mut [[T; D]], run: &Run) -> Result<f64> {
        let tree = Tree::new(layout, run)?;
        let leaves: Vec<&Node<T, D>> = tree.nodes.iter().filter(|node| node.is_leaf()).collect();
        let squared_theta = T::of(self.theta * self.theta);
        let parts = with_tail!(self.kernel, T, |tail| map_chunks(run, leaves.len(), CHUNK, |range| {
            let mut sources = Sources::new(std::iter::empty());
            let (mut pushes, mut z) = (Vec::new(), 0.0);
            for leaf in &leaves[range] {
                vectorized(
                    #[inline(always)]
                    || {
                        tree.meet(leaf.low, leaf.high, Some(leaf), squared_theta, &mut sources);
                        for i in leaf.points.clone() {
                            let (push, sum) = sources.push(tail, tree.sorted[i as usize]);
                            pushes.push(push);
                            // Its own similarity is 1, and pushes nowhere.
                            z += sum - 1.0;
                        }
                    },
                );
            }
            (pushes, z)
        }))?;
        let mut z = 0.0;
        let mut order = tree.order.iter();
        for (pushes, part) in parts {
            z += part;
            for (push, &i) in pushes.into_iter().zip(&mut order) {
                forces[i as usize] = push;
            }
        }
        Ok(z)
    }
}

/// A tree with its points.
#[derive(Debug, Clone)]
pub struct Tree<T, const D: usize> {
    nodes: Vec<Node<T, D>>,
    sorted: Vec<[T; D]>,
    order: Vec<u32>,
}

impl<T: Scalar, const D: usize> Tree<T, D> {
    /// Over the points of a layout.
    pub fn new(layout: &[[T; D]], run: &Run) -> Result<Self> {
        let codes = morton(layout, run)?;
        let order: Vec<u32> = codes.iter().map(|code| code.1).collect();
        let sorted: Vec<[T; D]> = order.iter().map(|&i| layout[i as usize]).collect();
        let nodes = run.install(|| build(&codes, &sorted));
        Ok(Self { nodes, sorted, order })
    }

    /// `sum w u (y - y_j)` and `sum w` over all points, for a position that is none of them.
    pub fn push(&self, kernel: Kernel, theta: f64, y: [T; D], sources: &mut Sources<T, D>) -> ([T; D], f64) {
        let squared_theta = T::of(theta * theta);
        with_tail!(kernel, T, |tail| vectorized(
            #[inline(always)]
            || self.push_inline(tail, squared_theta, y, sources)
        ))
    }

    #[inline(always)]
    fn push_inline<K: Tail<T>>(
        &self,
        tail: K,
        squared_theta: T,
        y: [T; D],
        sources: &mut Sources<T, D>,
    ) -> ([T; D], f64) {
        self.meet(y, y, None, squared_theta, sources);
        sources.push(tail, y)
    }

    /// What the points in a box meet: far nodes as one point, the points of near leaves.
    #[inline(always)]
    fn meet(
        &self,
        low: [T; D],
        high: [T; D],
        own: Option<&Node<T, D>>,
        squared_theta: T,
        sources: &mut Sources<T, D>,
    ) {
        sources.clear();
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            let mut squared = T::zero();
            for c in 0..D {
                let gap = (low[c] - node.center[c]).max(node.center[c] - high[c]).max(T::zero());
                squared += gap * gap;
            }
            // A node around the box itself is never far, however large the angle.
            let around = own.is_some_and(|own| {
                node.points.start <= own.points.start && own.points.start < node.points.end
            });
            let one_place = node.squared_width == T::zero();
            if one_place || (!around && node.squared_width < squared_theta * squared) {
                sources.add(node.center, node.mass());
                index += node.skip as usize;
            } else if node.is_leaf() {
                for y in &self.sorted[node.points.start as usize..node.points.end as usize] {
                    sources.add(*y, T::one());
                }
                index += 1;
            } else {
                index += 1;
            }
        }
    }
}
