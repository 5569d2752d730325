//! What every fit on a neighbor graph begins with: the neighbors and the graph, each of several equal rows once.

use super::connected_components::Whole;
use super::{Edge, Neighborhood, Source};
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
    /// The points of the graph are the different ones.
    Some {
        /// The first row of each different point.
        first: Vec<usize>,
        /// The point that each row is.
        point: Vec<usize>,
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

    /// The graph of the different rows. Copies would be neighbors of each other rather than of the points around them,
    /// and their order would decide which of them is a neighbor of which: so each point is in the graph once, however many
    /// rows are equal to it, and all of these get its coordinates. It takes more than so many points to have so many components,
    /// and so many neighbors at least.
    pub fn of_distinct(
        neighborhood: &Neighborhood,
        source: &'s Source,
        (components, neighbors): (usize, usize),
        run: &Run,
    ) -> Result<Self> {
        // Copies are neighbors of each other, whichever edges are kept.
        let either = Neighborhood { edge: Edge::Either, ..*neighborhood };
        let all = Self::of(&either, source, run)?;
        let copies = Copies::of(&all.graph, source);
        let Copies::Some { first, .. } = &copies else {
            let all = if either == *neighborhood { all } else { Self::of(neighborhood, source, run)? };
            return Ok(Self { copies, ..all });
        };
        let count = first.len();
        if count == 1 {
            // As every fit refuses, but for landmarks and metrics by which different rows coincide.
            return Err(Error::Constant { what: "points" });
        }
        let bound = format!("below {count}, the number of different points");
        if let Some(k) = neighborhood.rule.k().filter(|&k| k >= count) {
            let remedy = match neighbors < count {
                true => "ask for fewer neighbors".to_owned(),
                false => format!("give at least {} different points", neighbors + 1),
            };
            return Err(Error::parameter("n_neighbors", k, bound, remedy));
        }
        if components >= count {
            return Err(Error::too_many_components(components, count - 1, bound, "different points"));
        }
        drop(all);
        let source = source.select(first)?;
        let (table, graph) = neighborhood.lists(&source, run)?;
        Ok(Self { source: Cow::Owned(source), table, graph, copies })
    }
}

impl Copies {
    /// By the edges of length zero: the first of several equal rows is a neighbor of all others. Where neighbors are found
    /// approximately it may not be, but equal rows with such an edge are recognized all the same.
    fn of(graph: &Graph<f64>, source: &Source) -> Self {
        let n = graph.len();
        let (mut first, mut point) = (Vec::new(), Vec::with_capacity(n));
        let mut seen: HashMap<Vec<u64>, usize> = HashMap::new();
        for i in 0..n {
            let (to, lengths) = graph.neighbors(i);
            let same = lengths.iter().position(|&length| length == 0.0).map(|at| to[at] as usize);
            let key = same.and_then(|_| bits(source, i));
            let known = match same {
                Some(j) if j < i => Some(point[j]),
                _ => key.as_ref().and_then(|key| seen.get(key).copied()),
            };
            let here = known.unwrap_or_else(|| {
                first.push(i);
                first.len() - 1
            });
            point.push(here);
            key.map(|key| seen.entry(key).or_insert(here));
        }
        match first.len() {
            count if count == n => Self::None,
            _ => Self::Some { first, point },
        }
    }

    /// No copies, but points in another order: `order` are their rows.
    pub fn reordered(order: Vec<usize>) -> Self {
        let mut point = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &row)| point[row] = at);
        Self::Some { first: order, point }
    }

    /// The first of the rows that are a point of the graph.
    fn row(&self, point: usize) -> usize {
        if let Self::Some { first, .. } = self { first[point] } else { point }
    }

    /// From the points of the graph to all rows.
    pub fn spread(&self, mut whole: Whole) -> Whole {
        let Self::Some { point, .. } = self else { return whole };
        let points: &Array2<f64> = &whole.embedding;
        let all = Array2::from_shape_fn((point.len(), points.ncols()), |(row, c)| points[(point[row], c)]);
        whole.embedding = all;
        for part in &mut whole.connected_components {
            part.members.iter_mut().for_each(|member| *member = self.row(*member));
            part.renumber(|column| self.row(column));
        }
        whole.report.landmarks.iter_mut().for_each(|landmark| *landmark = self.row(*landmark));
        for warning in &mut whole.report.warnings {
            if let Warning::ShortCircuits { edges, .. } | Warning::SteepShortCircuits { edges, .. } = warning
            {
                edges.iter_mut().for_each(|edge| *edge = (self.row(edge.0), self.row(edge.1)));
            }
        }
        whole
    }
}

/// The values of a point, to compare: equal points have equal bits.
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
            Copies::Some { first, point } => {
                assert_eq!((first, point), (vec![0, 1, 5], vec![0, 1, 1, 1, 1, 2]));
            }
            _ => panic!("no copies"),
        }
    }
}
