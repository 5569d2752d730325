//! What the row of a new object says about the training objects.

use super::Source;
use super::neighborhood::Rule;
use crate::InputKind;
use crate::extension::{IndexedPoints, Neighbors};
use crate::model::Archive;
use lowland_base::{Error, Result, Run};
use lowland_neighbors::Metric;
use ndarray::{ArrayView1, ArrayView2, Axis};

/// How new rows relate to the training objects of a connected component.
pub(crate) enum Relation {
    /// A row is a point; its neighbors are found among these.
    Points(IndexedPoints),
    /// A row holds one number for each training object; those of this component are in these columns.
    Columns {
        /// What the numbers are: distances, inner products or similarities ([`InputKind::Kernel`]), or the lengths of edges
        /// ([`InputKind::Graph`]). Of the last, a zero means that there is no edge, so that nothing says where a new
        /// vertex is.
        kind: InputKind,
        columns: Vec<usize>,
    },
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
            other => Self::Columns { kind: other.kind(), columns },
        }
    }

    /// The number of training objects.
    pub fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Columns { columns, .. } => columns.len(),
        }
    }

    /// The training objects, where they are points.
    pub fn points(&self) -> Option<ArrayView2<'_, f64>> {
        match self {
            Self::Points(points) => Some(points.view()),
            Self::Columns { .. } => None,
        }
    }

    /// The columns, where rows are given as similarities.
    pub fn similarities(&self) -> Option<&[usize]> {
        match self {
            Self::Columns { kind: InputKind::Kernel, columns } => Some(columns),
            _ => None,
        }
    }

    /// The neighbors of new objects, nearest first. A radius that holds none gives the nearest one.
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
            (Self::Columns { .. }, _) => Err(no_new_vertices()),
        }
    }

    /// How far each new object is from the nearest training object: decides to which of several components it belongs.
    /// By similarities, the most similar is the nearest.
    pub fn distances(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<f64>> {
        let (columns, sign) = match self {
            Self::Points(points) => return points.distances(queries, run),
            Self::Columns { kind: InputKind::Distances, columns } => (columns, 1.0),
            Self::Columns { kind: InputKind::Kernel, columns } => (columns, -1.0),
            Self::Columns { .. } => return Err(no_new_vertices()),
        };
        let least = |row: ArrayView1<'_, f64>| {
            columns.iter().fold(f64::INFINITY, |least, &column| least.min(sign * row[column]))
        };
        Ok(queries.rows().into_iter().map(least).collect())
    }

    /// Gives the columns other numbers: those of a fit to some of the objects become those of all.
    pub fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        if let Self::Columns { columns, .. } = self {
            columns.iter_mut().for_each(|column| *column = number(*column));
        }
    }

    /// What new rows may be. An entry that a sparse one leaves out is a zero of a point or a similarity, but no distance
    /// of 0.
    pub fn kinds(&self) -> &'static [InputKind] {
        match self {
            Self::Points(_) => &[InputKind::Points, InputKind::Sparse],
            Self::Columns { kind: InputKind::Distances, .. } => &[InputKind::Distances],
            Self::Columns { kind: InputKind::Kernel, .. } => &[InputKind::Kernel, InputKind::Graph],
            Self::Columns { .. } => &[InputKind::Graph],
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
        Ok(Self::Columns { kind, columns })
    }
}

fn no_new_vertices() -> Error {
    Error::Unsupported {
        method: "a model of a given graph".into(),
        what: "embed new vertices by the lengths of their edges".into(),
        remedy: "fit on points, or on the distances between all objects".into(),
    }
}
