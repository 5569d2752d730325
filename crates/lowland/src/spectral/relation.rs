//! What the row of a new object says about the training objects.

use super::neighborhood::Rule;
use super::source::{edge_lengths, query};
use super::stored::{load_graph, save_graph};
use super::{KnownRows, Source};
use crate::extension::{IndexedPoints, Neighbors};
use crate::model::Archive;
use crate::{AnyInput, InputKind};
use lowland_base::{Error, Result, Run};
use lowland_neighbors::Metric;
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis};
use std::ops::Range;

/// How new rows relate to the training objects of a connected component.
pub(crate) enum Relation {
    /// A row is a point; its neighbors are found among these.
    Points(IndexedPoints),
    /// A row holds one number for each training object; those of this component are in these columns.
    Columns {
        /// What the numbers are: distances, or inner products or similarities ([`InputKind::Kernel`]).
        kind: InputKind,
        columns: Vec<usize>,
    },
    /// A row holds the lengths of the edges of a new vertex to those of a graph; those of this component are in these
    /// columns. A row that equals that of a vertex is this vertex; one that several have is the mean of them.
    Edges { columns: Vec<usize>, given: KnownRows },
}

impl Relation {
    /// To some of the training objects.
    pub fn to(source: &Source, rows: &[u32], metric: Metric) -> Self {
        let columns: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        match source {
            Source::Points(points) if columns.len() == points.nrows() => {
                Self::Points(IndexedPoints::new(points.clone(), metric))
            }
            Source::Points(points) => {
                Self::Points(IndexedPoints::new(points.select(Axis(0), &columns), metric))
            }
            Source::Graph { lengths, rounding } => {
                // Those between the vertices of this component: the matrix is symmetric.
                let between = lengths.select(&columns).transpose().select(&columns);
                Self::Edges { columns, given: KnownRows::of_lengths(between, *rounding) }
            }
            other => Self::Columns { kind: other.kind(), columns },
        }
    }

    /// The number of training objects.
    pub fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Columns { columns, .. } | Self::Edges { columns, .. } => columns.len(),
        }
    }

    /// New rows as dense ones. The length of an edge that is not there is infinite.
    pub fn queries(&self, input: AnyInput<'_>, rows: Range<usize>) -> Array2<f64> {
        match self {
            Self::Edges { .. } => edge_lengths(input, rows),
            Self::Points(_) | Self::Columns { .. } => query(input, rows),
        }
    }

    /// The training objects that a new row is known to be by its edges: the vertices with just these edges, or, where there
    /// are none, those that it has an edge of length 0 to.
    pub fn known(&self, row: ArrayView1<'_, f64>) -> Vec<usize> {
        let Self::Edges { columns, given } = self else { return Vec::new() };
        let edges = edges(columns, row);
        let all = row.iter().filter(|length| length.is_finite()).count();
        // A vertex with edges to other connected components is none of this one.
        let same = if edges.len() == all { given.find(&edges) } else { Vec::new() };
        if !same.is_empty() {
            return same;
        }
        edges.into_iter().filter(|edge| edge.1 == 0.0).map(|edge| edge.0 as usize).collect()
    }

    /// Gives the new rows that are [`Self::known`] the mean of the coordinates that these vertices have.
    pub fn settle_known<'c>(
        &self,
        queries: ArrayView2<'_, f64>,
        coordinates: impl Fn(usize) -> ArrayView1<'c, f64>,
        mut out: ArrayViewMut2<'_, f64>,
    ) {
        if !matches!(self, Self::Edges { .. }) {
            return;
        }
        for (query, mut out) in queries.rows().into_iter().zip(out.rows_mut()) {
            let known = self.known(query);
            if known.is_empty() {
                continue;
            }
            out.fill(0.0);
            known.iter().for_each(|&vertex| out += &coordinates(vertex));
            out /= known.len() as f64;
        }
    }

    /// The training objects, where they are points.
    pub fn points(&self) -> Option<ArrayView2<'_, f64>> {
        match self {
            Self::Points(points) => Some(points.view()),
            Self::Columns { .. } | Self::Edges { .. } => None,
        }
    }

    /// The columns, where rows are given as similarities.
    pub fn similarities(&self) -> Option<&[usize]> {
        match self {
            Self::Columns { kind: InputKind::Kernel, columns } => Some(columns),
            _ => None,
        }
    }

    /// The neighbors of new objects, nearest first. A radius that holds none gives the nearest one; of a vertex of a
    /// graph, its edges say which they are.
    pub fn neighbors(&self, rule: Rule, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<Neighbors>> {
        match (self, rule) {
            (Self::Points(points), Rule::Within(radius)) => points.within(queries, radius, run),
            (Self::Points(points), rule) => points.nearest(queries, rule.k().unwrap_or(1), run),
            (Self::Columns { kind: InputKind::Distances, columns }, rule) => {
                let nearest = |row: ArrayView1<'_, f64>| {
                    let mut list: Neighbors =
                        columns.iter().enumerate().map(|(i, &c)| (i as u32, row[c])).collect();
                    list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                    let keep = match rule {
                        Rule::Within(radius) => list.iter().take_while(|entry| entry.1 <= radius).count(),
                        rule => rule.k().unwrap_or(1),
                    };
                    list.truncate(keep.clamp(1, columns.len().max(1)));
                    list
                };
                Ok(queries.rows().into_iter().map(nearest).collect())
            }
            (Self::Columns { kind, .. }, _) => {
                Err(Error::bug("rows", format!("rows of {kind} have no neighbors")))
            }
            (Self::Edges { columns, .. }, _) => {
                let neighbors = |row: ArrayView1<'_, f64>| {
                    if let Some(&vertex) = self.known(row).first() {
                        return vec![(vertex as u32, 0.0)];
                    }
                    let mut list = edges(columns, row);
                    list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                    list
                };
                Ok(queries.rows().into_iter().map(neighbors).collect())
            }
        }
    }

    /// The vertices of a graph that have no edges.
    pub fn isolated(&self) -> Vec<usize> {
        if let Self::Edges { given, .. } = self { given.find(&[]) } else { Vec::new() }
    }

    /// How far each new object is from the nearest training object: decides to which of several components it belongs.
    /// By similarities, the most similar is the nearest. A vertex without an edge to this component is infinitely far;
    /// those without any edge, which `no_edges` names, belong to isolated vertices.
    pub fn distances(&self, queries: ArrayView2<'_, f64>, no_edges: &[usize], run: &Run) -> Result<Vec<f64>> {
        let (columns, sign) = match self {
            Self::Points(points) => return points.distances(queries, run),
            Self::Columns { kind: InputKind::Distances, columns } => (columns, 1.0),
            Self::Columns { kind: InputKind::Kernel, columns } => (columns, -1.0),
            Self::Columns { kind, .. } => return Err(Error::bug("rows", format!("{kind} are no distances"))),
            Self::Edges { columns, .. } => {
                let nearest = |row: ArrayView1<'_, f64>| {
                    columns.iter().fold(f64::INFINITY, |least, &column| least.min(row[column]))
                };
                let mut distances: Vec<f64> = queries.rows().into_iter().map(nearest).collect();
                if !self.isolated().is_empty() {
                    no_edges.iter().for_each(|&row| distances[row] = 0.0);
                }
                return Ok(distances);
            }
        };
        let least = |row: ArrayView1<'_, f64>| {
            columns.iter().fold(f64::INFINITY, |least, &column| least.min(sign * row[column]))
        };
        Ok(queries.rows().into_iter().map(least).collect())
    }

    /// Gives the columns other numbers: those of a fit to some of the objects become those of all.
    pub fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        if let Self::Columns { columns, .. } | Self::Edges { columns, .. } = self {
            columns.iter_mut().for_each(|column| *column = number(*column));
        }
    }

    /// What new rows may be. An entry that a sparse one leaves out is a zero of a point or a similarity, but no distance
    /// of 0.
    pub fn kinds(&self) -> &'static [InputKind] {
        match self {
            Self::Points(_) => &[InputKind::Points, InputKind::Sparse],
            Self::Columns { kind: InputKind::Distances, .. } => &[InputKind::Distances],
            Self::Columns { .. } => &[InputKind::Kernel, InputKind::Graph],
            Self::Edges { .. } => &[InputKind::Graph],
        }
    }

    /// Into a model file, under names that begin with `prefix`.
    pub fn save(&self, prefix: &str, archive: &mut Archive) {
        match self {
            Self::Points(points) => points.save(&format!("{prefix}points"), archive),
            Self::Columns { kind, columns } => {
                archive.put_fact(&format!("{prefix}rows_are"), kind.name());
                archive.put_indices(&format!("{prefix}columns"), columns);
            }
            Self::Edges { columns, given } => {
                archive.put_fact(&format!("{prefix}rows_are"), InputKind::Graph.name());
                archive.put_indices(&format!("{prefix}columns"), columns);
                save_graph(&format!("{prefix}given_"), given.rows(), archive);
                archive.put_fact(&format!("{prefix}rounding"), given.tolerance());
            }
        }
    }

    /// From a model file, to `n` objects.
    pub fn load(prefix: &str, n: usize, features: usize, metric: Metric, archive: &Archive) -> Result<Self> {
        let points = format!("{prefix}points");
        if archive.has_array(&points) {
            return Ok(Self::Points(IndexedPoints::load(&points, (n, features), metric, archive)?));
        }
        let broken = |problem: String| Error::ModelFile { problem };
        let kind: InputKind = archive
            .word(&format!("{prefix}rows_are"))?
            .parse()
            .map_err(|error: Error| broken(error.to_string()))?;
        if matches!(kind, InputKind::Points | InputKind::Sparse) {
            return Err(broken(format!("its rows are {kind}, but it has no points")));
        }
        let columns = archive.indices(&format!("{prefix}columns"), features)?;
        if columns.len() != n {
            return Err(broken(format!(
                "{} of {}",
                lowland_base::units::count(columns.len(), "column"),
                lowland_base::units::count(n, "object")
            )));
        }
        if kind == InputKind::Graph {
            let lengths = load_graph(&format!("{prefix}given_"), n, archive)?;
            let rounding = archive.number(&format!("{prefix}rounding"))?;
            return Ok(Self::Edges { columns, given: KnownRows::of_lengths(lengths, rounding) });
        }
        Ok(Self::Columns { kind, columns })
    }
}

/// The edges of a row of lengths to the vertices in these columns.
fn edges(columns: &[usize], row: ArrayView1<'_, f64>) -> Neighbors {
    let lengths = columns.iter().enumerate().map(|(vertex, &column)| (vertex as u32, row[column]));
    lengths.filter(|edge| edge.1.is_finite()).collect()
}

/// The rows of lengths without any edge.
pub(crate) fn without_edges(queries: ArrayView2<'_, f64>) -> Vec<usize> {
    let none = |row: &usize| queries.row(*row).iter().all(|length| length.is_infinite());
    (0..queries.nrows()).filter(none).collect()
}

/// Refuses vertices that are nowhere: without an edge, where no vertex of the graph is isolated. The first row is row `start`.
pub(crate) fn refuse_without_edges<'r>(
    relations: impl IntoIterator<Item = &'r Relation> + Clone,
    queries: ArrayView2<'_, f64>,
    start: usize,
) -> Result<()> {
    let of_edges = |relation: &Relation| matches!(relation, Relation::Edges { .. });
    let has_isolated = |relation: &Relation| !relation.isolated().is_empty();
    if !relations.clone().into_iter().any(of_edges) || relations.into_iter().any(has_isolated) {
        return Ok(());
    }
    match without_edges(queries).first() {
        None => Ok(()),
        Some(row) => Err(Error::malformed(
            "row of a graph",
            format!("row {} has no edge, which leaves open where the new vertex is", start + row),
            "give it edges",
        )),
    }
}
