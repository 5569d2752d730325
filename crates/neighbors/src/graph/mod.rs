//! The neighbor graph: the one graph type of Lowland.

pub mod adaptive;
mod connected_components;
mod join;
#[cfg(test)]
mod tests;

pub use connected_components::{ConnectedComponents, smallest_connecting_k};
pub use join::{CandidateEdges, ChosenComponents, ConnectedComponent, DistanceEdges, PointEdges, Policy};

use crate::Table;
use lowland_base::{Csr, Error, Result, Scalar, precompiled, units};
use std::sync::Arc;

/// Which edges of a directed graph an undirected one keeps. Where the two directions have different lengths,
/// the shorter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Symmetrize {
    /// An edge where either is a neighbor of the other.
    #[default]
    Either,
    /// An edge where each is a neighbor of the other.
    Mutual,
}

/// A weighted undirected graph: symmetric, lengths finite and not negative, no loops. An edge of length zero
/// (between duplicates) is an edge, stored as such.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph<T> {
    // Shared between clones: a graph is not changed, and is looked at by several at once.
    distances: Arc<Csr<T>>,
}

precompiled!(FromCsr, double, from_csr(directed: Csr<T>, symmetrize: Symmetrize) -> Result<Graph<T>>);

fn from_csr<T: Scalar>(directed: Csr<T>, symmetrize: Symmetrize) -> Result<Graph<T>> {
    Graph::from_csr_in(directed, symmetrize)
}

impl<T: Scalar> Graph<T> {
    /// From the nearest neighbors of every point.
    pub fn from_table(table: &Table<T>, symmetrize: Symmetrize) -> Result<Self> {
        Self::from_sized_table(table, &vec![table.k; table.len()], symmetrize)
    }

    /// From the first `sizes[i]` neighbors of each point `i`.
    pub fn from_sized_table(table: &Table<T>, sizes: &[usize], symmetrize: Symmetrize) -> Result<Self> {
        let n = table.len();
        if sizes.len() != n {
            let problem = format!(
                "{} for {}",
                units::count(sizes.len(), "neighborhood size"),
                units::count(n, "point")
            );
            return Err(Error::malformed("neighbor table", problem, "give one for each point"));
        }
        let total = sizes.iter().map(|size| size.min(&table.k)).sum();
        let (mut offsets, mut indices, mut values) =
            (vec![0], Vec::with_capacity(total), Vec::with_capacity(total));
        let mut entries: Vec<(u32, T)> = Vec::new();
        for (i, &size) in sizes.iter().enumerate() {
            let (neighbors, distances) = table.row(i);
            entries.clear();
            entries.extend(neighbors.iter().copied().zip(distances.iter().copied()).take(size));
            entries.sort_unstable_by_key(|entry| entry.0);
            indices.extend(entries.iter().map(|entry| entry.0));
            values.extend(entries.iter().map(|entry| entry.1));
            offsets.push(indices.len());
        }
        Self::from_csr(Csr::new(n, n, offsets, indices, values)?, symmetrize)
    }

    /// From sparse rows: every stored entry is an edge, also a zero. Entries on the diagonal are dropped.
    pub fn from_csr(directed: Csr<T>, symmetrize: Symmetrize) -> Result<Self> {
        T::run_precompiled::<FromCsr>((directed, symmetrize))
    }

    fn from_csr_in(directed: Csr<T>, symmetrize: Symmetrize) -> Result<Self> {
        let n = directed.nrows();
        if n != directed.ncols() {
            return Err(Error::NotSquare { what: "neighbor graph", rows: n, columns: directed.ncols() });
        }
        for row in 0..n {
            let (columns, lengths) = directed.row(row);
            for (&column, &length) in columns.iter().zip(lengths) {
                if !(length >= T::zero() && length.is_finite()) {
                    let (column, value) = (column as usize, length.wide());
                    return Err(Error::NotADistance { row, column, value, bound: "finite and 0 or more" });
                }
            }
        }
        let reverse = directed.transpose();
        let most = match symmetrize {
            Symmetrize::Either => 2 * directed.nnz(),
            Symmetrize::Mutual => directed.nnz(),
        };
        let (mut offsets, mut indices, mut values) =
            (vec![0], Vec::with_capacity(most), Vec::with_capacity(most));
        for row in 0..n {
            merge(directed.row(row), reverse.row(row), symmetrize, |column, length| {
                if column as usize != row {
                    indices.push(column);
                    values.push(length);
                }
            });
            offsets.push(indices.len());
        }
        Ok(Self { distances: Arc::new(Csr::new(n, n, offsets, indices, values)?) })
    }

    /// The symmetric matrix of edge lengths.
    pub fn distances(&self) -> &Csr<T> {
        &self.distances
    }

    /// Gives the matrix away.
    pub fn into_distances(self) -> Csr<T> {
        Arc::unwrap_or_clone(self.distances)
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.distances.nrows()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The neighbors of a point, ascending, and the lengths of the edges to them.
    pub fn neighbors(&self, point: usize) -> (&[u32], &[T]) {
        self.distances.row(point)
    }

    /// The graph with only those edges that are kept, by their ends and their lengths. An edge is stored in both directions,
    /// which must be kept together.
    pub fn filtered(&self, keep: impl Fn(u32, u32, T) -> bool) -> Result<Self> {
        let (n, most) = (self.len(), self.distances.nnz());
        let (mut offsets, mut indices, mut values) = (vec![0; n + 1], vec![0; most], vec![T::zero(); most]);
        let mut count = 0;
        for from in 0..n {
            let (columns, lengths) = self.neighbors(from);
            for (&to, &length) in columns.iter().zip(lengths) {
                // Written in any case, and written over where it is not kept: no branch that can be foretold wrongly.
                (indices[count], values[count]) = (to, length);
                count += usize::from(keep(from as u32, to, length));
            }
            offsets[from + 1] = count;
        }
        indices.truncate(count);
        values.truncate(count);
        Ok(Self { distances: Arc::new(Csr::new(n, n, offsets, indices, values)?) })
    }

    /// The graph with these edges more. Of several between the same points the shortest counts.
    pub fn with_edges(&self, edges: &[(u32, u32, T)]) -> Result<Self> {
        let n = self.len();
        if edges.is_empty() {
            return Ok(self.clone());
        }
        if let Some(&(i, j, _)) = edges.iter().find(|edge| edge.0.max(edge.1) as usize >= n) {
            let problem = format!("edge ({i}, {j}) does not join two of the {}", units::count(n, "point"));
            return Err(Error::malformed("neighbor graph", problem, "give the numbers of two points"));
        }
        if let Some(&(row, column, length)) =
            edges.iter().find(|edge| !(edge.2 >= T::zero() && edge.2.is_finite()))
        {
            let (row, column, value) = (row as usize, column as usize, length.wide());
            return Err(Error::NotADistance { row, column, value, bound: "finite and 0 or more" });
        }
        let between = edges.iter().filter(|edge| edge.0 != edge.1);
        let mut new: Vec<(u32, u32, T)> = between.flat_map(|&(i, j, d)| [(i, j, d), (j, i, d)]).collect();
        let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
        new.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| order(&a.2, &b.2)));
        new.dedup_by_key(|&mut (i, j, _)| (i, j));
        let most = self.distances.nnz() + new.len();
        let (mut offsets, mut indices, mut values) =
            (vec![0], Vec::with_capacity(most), Vec::with_capacity(most));
        let mut rest = &new[..];
        for row in 0..n {
            let (here, after) = rest.split_at(rest.partition_point(|edge| edge.0 as usize <= row));
            rest = after;
            let (columns, lengths) = self.neighbors(row);
            if here.is_empty() {
                indices.extend_from_slice(columns);
                values.extend_from_slice(lengths);
            } else {
                let (to, of): (Vec<u32>, Vec<T>) = here.iter().map(|edge| (edge.1, edge.2)).unzip();
                merge((columns, lengths), (&to, &of), Symmetrize::Either, |column, length| {
                    indices.push(column);
                    values.push(length);
                });
            }
            offsets.push(indices.len());
        }
        Ok(Self { distances: Arc::new(Csr::new(n, n, offsets, indices, values)?) })
    }

    /// The graph on some of its points (ascending), renumbered in their order.
    pub fn subgraph(&self, points: &[u32]) -> Result<Self> {
        let ascending = points.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || points.last().is_some_and(|&last| last as usize >= self.len()) {
            let problem = "the points of the subgraph are not in ascending order, or not in the graph";
            let remedy = format!("give ascending numbers below {}", self.len());
            return Err(Error::malformed("neighbor graph", problem, remedy));
        }
        let mut position = vec![u32::MAX; self.len()];
        for (new, &old) in points.iter().enumerate() {
            position[old as usize] = new as u32;
        }
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for &old in points {
            let (columns, lengths) = self.neighbors(old as usize);
            for (&column, &length) in columns.iter().zip(lengths) {
                if position[column as usize] != u32::MAX {
                    indices.push(position[column as usize]);
                    values.push(length);
                }
            }
            offsets.push(indices.len());
        }
        Ok(Self { distances: Arc::new(Csr::new(points.len(), points.len(), offsets, indices, values)?) })
    }
}

/// Walks through two ascending rows at once.
fn merge<T: Scalar>(
    (a_columns, a): (&[u32], &[T]),
    (b_columns, b): (&[u32], &[T]),
    symmetrize: Symmetrize,
    mut put: impl FnMut(u32, T),
) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let left = a_columns.get(i).copied().unwrap_or(u32::MAX);
        let right = b_columns.get(j).copied().unwrap_or(u32::MAX);
        let in_both = i < a.len() && j < b.len() && left == right;
        if in_both {
            put(left, a[i].min(b[j]));
        } else if symmetrize == Symmetrize::Either {
            if j == b.len() || (i < a.len() && left < right) { put(left, a[i]) } else { put(right, b[j]) }
        }
        let step_left = i < a.len() && (j == b.len() || left <= right);
        let step_right = j < b.len() && (i == a.len() || right <= left);
        i += usize::from(step_left);
        j += usize::from(step_right);
    }
}
