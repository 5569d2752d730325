//! What every fit on a neighbor graph begins with: the neighbors, the graph, each place once.

use super::parts::Whole;
use super::{Neighborhood, Source};
use crate::model::Warning;
use lowland_base::{Error, Result, Run};
use lowland_neighbors::{Graph, Table};
use ndarray::Array2;
use std::borrow::Cow;
use std::collections::HashMap;

/// Points, their neighbors and their graph.
pub(crate) struct NeighborGraph<'s> {
    /// What the graph is made of.
    pub source: Cow<'s, Source>,
    /// The nearest of every point, where the rule is how many.
    pub table: Option<Table<f64>>,
    pub graph: Graph<f64>,
    pub copies: Copies,
}

/// Rows that are there more than once.
pub(crate) enum Copies {
    /// None: the points of the graph are the rows.
    None,
    /// All rows are at one place, and all in the graph.
    All,
    /// The points of the graph are the different ones.
    Some {
        /// The first row at each place, ascending.
        first: Vec<usize>,
        /// The place of each row.
        place: Vec<usize>,
    },
}

impl<'s> NeighborGraph<'s> {
    /// The graph of all rows.
    pub fn of(neighborhood: &Neighborhood, source: &'s Source, run: &Run) -> Result<Self> {
        let (table, graph) = neighborhood.lists(source, run)?;
        Ok(Self { source: Cow::Borrowed(source), table, graph, copies: Copies::None })
    }

    /// A graph that was given.
    pub fn given(graph: Graph<f64>, source: &'s Source) -> Self {
        Self { source: Cow::Borrowed(source), table: None, graph, copies: Copies::None }
    }

    /// The graph of the different rows. Copies would be neighbors of each other rather than of what is around them,
    /// and their numbers would decide which of them is whose neighbor: so each place is in the graph once, however
    /// many rows are there, and all of these get its coordinates. Where all are the same, nothing can be told apart, and
    /// the graph is that of all rows.
    pub fn of_distinct(
        neighborhood: &Neighborhood,
        source: &'s Source,
        components: usize,
        run: &Run,
    ) -> Result<Self> {
        let head = Self::of(neighborhood, source, run)?;
        let copies = Copies::of(&head.graph, source);
        let Copies::Some { first, .. } = &copies else { return Ok(Self { copies, ..head }) };
        let count = first.len();
        let refuse = |name: &str, value: usize, remedy: &str| {
            let bound = format!("below {count}, the number of different points");
            Err(Error::parameter(name, value, bound, remedy))
        };
        if let Some(k) = neighborhood.rule.k().filter(|&k| k >= count) {
            return refuse("n_neighbors", k, "ask for fewer neighbors");
        }
        if components >= count {
            return refuse("n_components", components, "ask for fewer components");
        }
        drop(head);
        let source = source.select(first)?;
        let (table, graph) = neighborhood.lists(&source, run)?;
        Ok(Self { source: Cow::Owned(source), table, graph, copies })
    }
}

impl Copies {
    /// By the edges of length zero: the first of many at one place is a neighbor of all others there. Where neighbors
    /// are found approximately it may not be, but equal rows with such an edge are recognized all the same.
    fn of(graph: &Graph<f64>, source: &Source) -> Self {
        let n = graph.len();
        let (mut first, mut place) = (Vec::new(), Vec::with_capacity(n));
        let mut seen: HashMap<Vec<u64>, usize> = HashMap::new();
        for i in 0..n {
            let (to, lengths) = graph.neighbors(i);
            let same = lengths.iter().position(|&length| length == 0.0).map(|at| to[at] as usize);
            let key = same.and_then(|_| bits(source, i));
            let known = match same {
                Some(j) if j < i => Some(place[j]),
                _ => key.as_ref().and_then(|key| seen.get(key).copied()),
            };
            let here = known.unwrap_or_else(|| {
                first.push(i);
                first.len() - 1
            });
            place.push(here);
            key.map(|key| seen.entry(key).or_insert(here));
        }
        match first.len() {
            count if count == n => Self::None,
            1 => Self::All,
            _ => Self::Some { first, place },
        }
    }

    /// The first of the rows that a point of the graph stands for.
    fn row(&self, point: usize) -> usize {
        if let Self::Some { first, .. } = self { first[point] } else { point }
    }

    /// From the points of the graph to all rows.
    pub fn spread(&self, mut whole: Whole) -> Whole {
        let Self::Some { place, .. } = self else { return whole };
        let points: &Array2<f64> = &whole.embedding;
        let all = Array2::from_shape_fn((place.len(), points.ncols()), |(row, c)| points[(place[row], c)]);
        whole.embedding = all;
        for piece in &mut whole.pieces {
            piece.members.iter_mut().for_each(|member| *member = self.row(*member));
            piece.anchors.renumber(&|column| self.row(column));
        }
        for warning in &mut whole.report.warnings {
            if let Warning::Shortcuts { edges, .. } = warning {
                edges.iter_mut().for_each(|edge| *edge = (self.row(edge.0), self.row(edge.1)));
            }
        }
        whole
    }
}

/// What tells a point from all that are not equal to it.
fn bits(source: &Source, point: usize) -> Option<Vec<u64>> {
    let Source::Points(points) = source else { return None };
    // Added to zero, both zeros are the same.
    Some(points.row(point).iter().map(|x| (x + 0.0).to_bits()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lowland_base::Csr;

    #[test]
    fn copies_that_are_no_neighbors_of_each_other_are_found() {
        let points = ndarray::array![[1.0], [0.0], [0.0], [-0.0], [0.0], [2.0]];
        let edges =
            [(1, 2, 0.0), (2, 1, 0.0), (3, 4, 0.0), (4, 3, 0.0), (0, 1, 1.0), (1, 0, 1.0), (4, 5, 2.0)];
        let graph = Graph::from_csr(Csr::from_entries(6, 6, &edges).unwrap(), Default::default()).unwrap();
        match Copies::of(&graph, &Source::Points(points)) {
            Copies::Some { first, place } => {
                assert_eq!((first, place), (vec![0, 1, 5], vec![0, 1, 1, 1, 1, 2]));
            }
            _ => panic!("no copies"),
        }
    }
}
