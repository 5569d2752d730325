//! What a neighbor embedding is fitted to, and how rows find their neighbors among it.

use super::start;
use crate::extension::{IndexedPoints, IndexedRows};
use crate::input::not_admitted;
use crate::matrix::{faer_view, sorted_rows, to_array};
use crate::model::Archive;
use crate::spectral::{KnownRows, query};
use crate::{AnyInput, Input, InputKind};
use faer::Mat;
use lowland_base::{Csr, Error, Result, Run, Scalar, pages, parallel};
use lowland_neighbors::index::Choice;
use lowland_neighbors::{Index, Metric, Table, index};
use ndarray::{Array2, ArrayView2, s};
use std::cmp::Ordering;

/// The kinds of input that neighbor embeddings take. The rows of a graph are lists of neighbors with their distances.
pub(crate) const INPUTS: &[InputKind] =
    &[InputKind::Points, InputKind::Sparse, InputKind::Distances, InputKind::Graph];

/// Rows squared times columns from which on the neighbors of a layout are approximate, unless there are few columns: most of
/// the nearest do as well as all of them. (70,000 rows of 100 columns: 5 s exactly.)
pub(crate) const LARGE: f64 = 1e11;
const WIDE: f64 = 16.0;
const RECALL: f64 = 0.98;

/// The training rows, in double precision.
pub(crate) enum TrainingRows {
    Points(IndexedPoints),
    Sparse(Box<IndexedRows>),
    Distances(Array2<f64>),
    /// Of a loaded model, whose new rows bring their distances to so many.
    Columns(usize),
    /// Lists of neighbors. A new row that equals one of them is that row.
    Neighbors(KnownRows),
}

/// What is known of new rows.
pub(crate) struct NewRows {
    pub neighbors: Lists,
    /// Rows, and the training rows that they are known to be: they get the mean of their coordinates.
    pub known: Vec<(usize, Vec<usize>)>,
}

/// The neighbors of new rows, nearest first, as many of each as there are.
pub(crate) struct Lists {
    /// Where the list of each row begins, and where the last one ends.
    offsets: Vec<usize>,
    indices: Vec<u32>,
    distances: Vec<f64>,
}

impl Lists {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The neighbors of a row and their distances.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let list = self.offsets[row]..self.offsets[row + 1];
        (&self.indices[list.clone()], &self.distances[list])
    }
}

impl From<Table<f64>> for Lists {
    fn from(table: Table<f64>) -> Self {
        let offsets = (0..=table.len()).map(|row| row * table.k).collect();
        Self { offsets, indices: table.indices, distances: table.distances }
    }
}

impl TrainingRows {
    /// Copies an input.
    pub fn of(input: AnyInput<'_>, metric: Metric, run: &Run) -> Result<Self> {
        Ok(Self::copied(input, metric, false, run)?.0)
    }

    /// The rows in an order of their own, and that order: points sorted by their coordinates, so that the result does not
    /// depend on the order in which they were given. A descent that many layouts compete for amplifies the last digits of
    /// its sums.
    pub fn canonical(input: AnyInput<'_>, metric: Metric, run: &Run) -> Result<(Self, Vec<usize>)> {
        Self::copied(input, metric, true, run)
    }

    fn copied(input: AnyInput<'_>, metric: Metric, sorted: bool, run: &Run) -> Result<(Self, Vec<usize>)> {
        fn typed<T: Scalar>(
            input: Input<'_, T>,
            (metric, sorted): (Metric, bool),
            order: &mut Vec<usize>,
            run: &Run,
        ) -> Result<TrainingRows> {
            Ok(match input {
                Input::Points(x) => {
                    if sorted {
                        *order = sorted_rows(x);
                    }
                    TrainingRows::Points(IndexedPoints::new(in_order(x, order, run)?, metric))
                }
                Input::Sparse(x) => {
                    let mut rows = x.widened();
                    if sorted {
                        order.sort_by(|&a, &b| compare_sparse(rows.row(a), rows.row(b)).then(a.cmp(&b)));
                        rows = rows.select(order);
                    }
                    TrainingRows::Sparse(Box::new(IndexedRows::new(rows, metric)))
                }
                Input::Distances(x) => TrainingRows::Distances(in_order(x, order, run)?),
                Input::Graph(x) => TrainingRows::Neighbors(KnownRows::of_lengths(x.widened(), 0.0)),
                Input::Kernel(_) => return Err(not_admitted(InputKind::Kernel)),
            })
        }
        let mut order: Vec<usize> = (0..input.shape().rows).collect();
        let rows = match input {
            AnyInput::F32(input) => typed(input, (metric, sorted), &mut order, run),
            AnyInput::F64(input) => typed(input, (metric, sorted), &mut order, run),
        }?;
        Ok((rows, order))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Points(x) => x.len(),
            Self::Distances(x) => x.nrows(),
            Self::Sparse(x) => x.rows.nrows(),
            Self::Columns(n) => *n,
            Self::Neighbors(x) => x.rows().nrows(),
        }
    }

    /// The width of new rows.
    pub fn features(&self) -> usize {
        match self {
            Self::Points(x) => x.view().ncols(),
            Self::Distances(x) => x.ncols(),
            Self::Sparse(x) => x.rows.ncols(),
            Self::Columns(n) => *n,
            Self::Neighbors(x) => x.rows().ncols(),
        }
    }

    /// What new rows may be. Where distances were given, new rows bring all of theirs, or lists of the nearest.
    pub fn kinds(&self) -> &'static [InputKind] {
        match self {
            Self::Points(_) | Self::Sparse(_) => &[InputKind::Points, InputKind::Sparse],
            Self::Distances(_) | Self::Columns(_) => &[InputKind::Distances, InputKind::Graph],
            Self::Neighbors(_) => &[InputKind::Graph, InputKind::Distances],
        }
    }

    /// The points, where they are dense.
    pub fn points(&self) -> Option<ArrayView2<'_, f64>> {
        if let Self::Points(x) = self { Some(x.view()) } else { None }
    }

    /// The first principal components of points, in units of the range of their values; `None` of anything else, and where
    /// nothing varies. The rows must be sorted.
    pub fn reduced(&self, width: usize, metric: Metric, run: &Run) -> Result<Option<Self>> {
        let Self::Points(points) = self else { return Ok(None) };
        let x = points.view();
        let _stage = run.stage("principal components", None);
        let Some(scores) = start::ranged_scores(faer_view(x), width.min(x.nrows()), run)? else {
            return Ok(None);
        };
        let mut scores: Array2<f64> = to_array(scores.as_ref());
        // Products may round equal rows differently. They are beside each other.
        for i in (1..x.nrows()).filter(|&i| x.row(i) == x.row(i - 1)) {
            let (before, mut here) = scores.multi_slice_mut((s![i - 1, ..], s![i, ..]));
            here.assign(&before);
        }
        Ok(Some(Self::Points(IndexedPoints::new(scores, metric))))
    }

    /// The nearest `k` of every row, approximately from `large` rows squared times columns on where there are more than a few
    /// columns; of given lists as many as every row has, at most `k`.
    pub fn neighbors_of_all(&self, metric: Metric, k: usize, large: f64, run: &Run) -> Result<Table<f64>> {
        let _stage = run.stage("neighbors", None);
        match self {
            Self::Points(x) => {
                let points = faer_view(x.view());
                let (n, width) = (points.nrows() as f64, points.ncols() as f64);
                let choice = if n * n * width >= large && width > WIDE {
                    Choice::Approximate { recall: RECALL }
                } else {
                    Choice::Auto
                };
                let index = match index::build(points, metric, choice, run) {
                    // What the approximate index cannot take, the exact one can.
                    Err(Error::Unsupported { .. }) => index::build(points, metric, Choice::Auto, run),
                    built => built,
                };
                index?.k_nearest_of_all(k, run)
            }
            Self::Sparse(x) => x.fresh()?.k_nearest_of_all(k, run),
            Self::Distances(x) => index::precomputed(faer_view(x.view()))?.k_nearest_of_all(k, run),
            Self::Columns(_) => Err(Error::bug("rows", "a loaded model has no distances")),
            Self::Neighbors(x) => {
                let all: Vec<_> = (0..x.rows().nrows()).map(|i| nearest_first(x.row(i), Some(i))).collect();
                let k = k.min(all.iter().map(Vec::len).min().unwrap_or(0));
                refuse_without_neighbors(&all)?;
                Ok(first_of(&all, k))
            }
        }
    }

    /// The nearest `k` of new rows, or all where there are fewer.
    pub fn neighbors(&self, input: AnyInput<'_>, k: usize, run: &Run) -> Result<NewRows> {
        let (k, shape) = (k.min(self.len()), input.shape());
        let dense = || query(input, 0..shape.rows);
        let table = match self {
            Self::Points(x) => x.table(dense().view(), k, run)?,
            Self::Sparse(x) => x.table(&sparse(input)?, k, run)?,
            Self::Distances(_) | Self::Columns(_) if !shape.kind.is_sparse() => all_listed(&dense(), k, run)?,
            // The distances of rows of all of them, and the lists of others.
            Self::Neighbors(_) if shape.kind == InputKind::Distances => all_listed(&dense(), k, run)?,
            Self::Neighbors(known) => return listed(&sparse(input)?, Some(known), k),
            Self::Distances(_) | Self::Columns(_) => return listed(&sparse(input)?, None, k),
        };
        Ok(NewRows { neighbors: table.into(), known: Vec::new() })
    }

    /// The first principal components of points, small; `None` where there are no points.
    pub fn principal(&self, components: usize, run: &Run) -> Result<Option<Mat<f64>>> {
        match self {
            Self::Points(x) => start::principal(faer_view(x.view()), components, run).map(Some),
            Self::Sparse(x) => start::principal_sparse(&x.rows, components, run).map(Some),
            Self::Distances(_) | Self::Columns(_) | Self::Neighbors(_) => Ok(None),
        }
    }

    pub fn save(&self, archive: &mut Archive) {
        match self {
            Self::Points(x) => archive.put("layout.points", x.view().to_owned()),
            Self::Sparse(x) => archive.put_sparse("layout.sparse", &x.rows),
            // New rows bring their distances with them.
            Self::Distances(_) | Self::Columns(_) => archive.put_fact("layout.given", self.len()),
            Self::Neighbors(x) => archive.put_sparse("layout.lists", x.rows()),
        }
    }

    pub fn load(archive: &Archive, rows: usize, metric: Metric) -> Result<Self> {
        let broken = |problem: String| Error::ModelFile { problem };
        let found = if archive.has_array("layout.points") {
            Self::Points(IndexedPoints::new(archive.any_matrix("layout.points")?, metric))
        } else if archive.has_sparse("layout.sparse") {
            Self::Sparse(Box::new(IndexedRows::new(archive.sparse("layout.sparse")?, metric)))
        } else if archive.has_sparse("layout.lists") {
            Self::Neighbors(KnownRows::of_lengths(archive.sparse("layout.lists")?, 0.0))
        } else {
            Self::Columns(archive.count("layout.given")?)
        };
        let given = matches!(found, Self::Columns(_) | Self::Neighbors(_));
        if found.len() != rows || found.features() == 0 || given && found.features() != rows {
            return Err(broken(format!(
                "{} for a layout of {}",
                lowland_base::units::count(found.len(), "training row"),
                lowland_base::units::count(rows, "point")
            )));
        }
        Ok(found)
    }
}

/// These rows, in double precision.
fn in_order<T: Scalar>(x: ArrayView2<'_, T>, order: &[usize], run: &Run) -> Result<Array2<f64>> {
    /// Rows at a time.
    const CHUNK: usize = 256;
    let width = x.ncols();
    let mut values = pages::zeros(order.len() * width)?;
    parallel::fill_rows(run, &mut values, width, CHUNK, |rows, out| {
        for (&from, to) in order[rows].iter().zip(out.chunks_exact_mut(width.max(1))) {
            to.iter_mut().zip(x.row(from)).for_each(|(to, from)| *to = from.wide());
        }
    })?;
    Array2::from_shape_vec((order.len(), width), values).map_err(|e| Error::shape("rows", &e))
}

/// New rows as sparse ones.
fn sparse(input: AnyInput<'_>) -> Result<Csr<f64>> {
    match input {
        AnyInput::F32(Input::Sparse(x) | Input::Graph(x)) => Ok(x.widened()),
        AnyInput::F64(Input::Sparse(x) | Input::Graph(x)) => Ok(x.widened()),
        other => {
            let dense = query(other, 0..other.shape().rows);
            let entries: Vec<(usize, usize, f64)> =
                dense.indexed_iter().filter(|(_, v)| **v != 0.0).map(|((i, j), v)| (i, j, *v)).collect();
            Csr::from_entries(dense.nrows(), dense.ncols(), &entries)
        }
    }
}

fn compare_sparse(a: (&[u32], &[f64]), b: (&[u32], &[f64])) -> Ordering {
    let values = || a.1.iter().zip(b.1).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    a.0.cmp(b.0).then_with(|| values().unwrap_or(Ordering::Equal))
}

/// The entries of a list, nearest first, without those of its own row.
fn nearest_first(entries: impl Iterator<Item = (u32, f64)>, own: Option<usize>) -> Vec<(f64, u32)> {
    let other = |&(column, _): &(u32, f64)| own != Some(column as usize);
    let mut list: Vec<(f64, u32)> = entries.filter(other).map(|(column, length)| (length, column)).collect();
    list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    list
}

fn refuse_without_neighbors(all: &[Vec<(f64, u32)>]) -> Result<()> {
    let Some(row) = all.iter().position(Vec::is_empty) else { return Ok(()) };
    let problem = format!("row {row} of the neighbor graph has no neighbors, and every row needs one");
    Err(Error::malformed("neighbor graph", problem, "give it at least one, or leave out the row"))
}

/// The first `k` of each list as a table.
fn first_of(all: &[Vec<(f64, u32)>], k: usize) -> Table<f64> {
    let entries = || all.iter().flat_map(|list| &list[..k]);
    Table {
        k,
        indices: entries().map(|entry| entry.1).collect(),
        distances: entries().map(|entry| entry.0).collect(),
    }
}

/// The first `k` of the lists of new rows, and the training rows that they equal.
fn listed(lists: &Csr<f64>, training: Option<&KnownRows>, k: usize) -> Result<NewRows> {
    let mut known = Vec::new();
    let list = |i: usize| {
        let (columns, lengths) = lists.row(i);
        let entries: Vec<(u32, f64)> = columns.iter().copied().zip(lengths.iter().copied()).collect();
        let same = training.map(|training| training.find(&entries)).unwrap_or_default();
        if !same.is_empty() {
            known.push((i, same));
        }
        nearest_first(entries.into_iter(), None)
    };
    let all: Vec<Vec<(f64, u32)>> = (0..lists.nrows()).map(list).collect();
    refuse_without_neighbors(&all)?;
    let mut neighbors = Lists { offsets: vec![0], indices: Vec::new(), distances: Vec::new() };
    for list in all {
        let first = &list[..list.len().min(k)];
        neighbors.indices.extend(first.iter().map(|entry| entry.1));
        neighbors.distances.extend(first.iter().map(|entry| entry.0));
        neighbors.offsets.push(neighbors.indices.len());
    }
    Ok(NewRows { neighbors, known })
}

/// The same for rows of all distances.
fn all_listed(rows: &Array2<f64>, k: usize, run: &Run) -> Result<Table<f64>> {
    let mut table = Table { k, indices: Vec::new(), distances: Vec::new() };
    for row in rows.rows() {
        run.check()?;
        let mut list: Vec<(f64, u32)> = row.iter().enumerate().map(|(j, &d)| (d, j as u32)).collect();
        list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        table.indices.extend(list[..k].iter().map(|entry| entry.1));
        table.distances.extend(list[..k].iter().map(|entry| entry.0));
    }
    Ok(table)
}

/// The bytes that the search for neighbors, the start and the grid of the repulsion take of so many rows at the most.
pub(crate) fn workspace(rows: f64) -> f64 {
    16e6 + 800.0 * rows.min(60_000.0)
}
