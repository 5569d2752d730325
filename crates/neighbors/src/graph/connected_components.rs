//! The connected components of a graph.

use super::Graph;
use crate::Table;
use lowland_base::{Result, Scalar};

/// Which connected component each point is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedComponents {
    /// The component of each point; components are numbered in the order of their first points.
    pub labels: Vec<u32>,
    /// The number of points of each component.
    pub sizes: Vec<usize>,
}

impl ConnectedComponents {
    /// The number of components.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The largest component; of several, the one with the first point.
    pub fn largest(&self) -> u32 {
        let best =
            (0..self.count()).reduce(|best, c| if self.sizes[c] > self.sizes[best] { c } else { best });
        best.unwrap_or(0) as u32
    }

    /// The points of a component, ascending.
    pub fn members(&self, label: u32) -> Vec<u32> {
        (0..self.labels.len() as u32).filter(|&i| self.labels[i as usize] == label).collect()
    }

    /// The sizes, largest first.
    pub fn sizes_descending(&self) -> Vec<usize> {
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }
}

impl<T: Scalar> Graph<T> {
    /// The connected components.
    pub fn connected_components(&self) -> ConnectedComponents {
        let n = self.len();
        let mut labels = vec![u32::MAX; n];
        let mut sizes = Vec::new();
        let mut stack = Vec::new();
        for first in 0..n {
            if labels[first] != u32::MAX {
                continue;
            }
            let label = sizes.len() as u32;
            let mut size = 0;
            labels[first] = label;
            stack.push(first as u32);
            while let Some(point) = stack.pop() {
                size += 1;
                for &next in self.neighbors(point as usize).0 {
                    if labels[next as usize] == u32::MAX {
                        labels[next as usize] = label;
                        stack.push(next);
                    }
                }
            }
            sizes.push(size);
        }
        ConnectedComponents { labels, sizes }
    }

    /// This graph with the shortest edges of another that connect its components as far as that is connected: a tree
    /// between components, which adds no second way to anywhere.
    pub fn with_edges_of(&self, other: &Self) -> Result<Self> {
        let ConnectedComponents { labels, sizes } = self.connected_components();
        let mut edges: Vec<(u32, u32, T)> = Vec::new();
        for i in 0..other.len() as u32 {
            let (to, lengths) = other.neighbors(i as usize);
            for (&j, &length) in to.iter().zip(lengths) {
                if j < i && labels[i as usize] != labels[j as usize] {
                    edges.push((i, j, length));
                }
            }
        }
        let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
        edges.sort_by(|a, b| order(&a.2, &b.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        let mut union = Union::new(sizes.len());
        edges.retain(|&(i, j, _)| union.join(labels[i as usize], labels[j as usize]));
        self.with_edges(&edges)
    }
}

/// Sets that can only grow together. The representative of a set is its smallest member.
pub(super) struct Union {
    parent: Vec<u32>,
    count: usize,
}

impl Union {
    pub(super) fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect(), count: n }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn find(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            let grandparent = self.parent[self.parent[member as usize] as usize];
            self.parent[member as usize] = grandparent;
            member = grandparent;
        }
        member
    }

    /// Whether they were apart.
    pub(super) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
        self.count -= usize::from(a != b);
        a != b
    }
}

/// The smallest number of neighbors, up to the table's, that makes the graph of `either` connected.
pub fn smallest_connecting_k<T: Scalar>(table: &Table<T>) -> Option<usize> {
    let mut union = Union::new(table.len());
    (1..=table.k).find(|k| {
        for i in 0..table.len() {
            union.join(i as u32, table.row(i).0[k - 1]);
        }
        union.count() <= 1
    })
}
