//! The raw kernel between new points and those that the model was fitted to: the lower path's first step. A
//! method of a new kind adds an implementation, and gets the rest of the path for nothing.

use super::Disconnected;
use super::kernel::{Function, Prepared};
use super::local::euclidean;
use crate::model::Archive;
use lowland_base::{Csr, Error, Result, Run};
use lowland_linalg::operator::Packed;
use ndarray::{Array2, ArrayView1, ArrayView2};

/// The row of a new point in a kernel that is almost everywhere zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Sparse {
    /// It is the row of these anchors, of which nothing tells which one the point is: it has the mean of their coordinates.
    Own(Vec<usize>),
    /// The entries that are not zero: anchor and kernel.
    Row(Vec<(u32, f64)>),
}

/// The points (or landmarks) of a fitted model, as new points see them.
pub(crate) trait Anchors: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// The raw kernel between some rows and all anchors: a row a query. A row's bits do not depend on the
    /// others.
    fn rows(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>>;

    /// The same rows where the kernel is sparse: then nothing as wide as the training data is made.
    fn sparse(&self, _queries: ArrayView2<'_, f64>, _run: &Run) -> Result<Option<Vec<Sparse>>> {
        Ok(None)
    }

    /// The distance of each row to the nearest training point; `None` where that has no meaning. Decides to
    /// which of several pieces a new point belongs.
    fn nearest(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Option<Vec<f64>>>;

    /// Writes, in place of a row whose entries have all but vanished, a multiple of it whose largest entry is 1, where
    /// the kernel is one that vanishes at a distance.
    fn revive(&self, _query: ArrayView1<'_, f64>, _row: &mut [f64]) {}

    /// Gives the columns of the rows of new points that are looked at other numbers: those of a fit to some of the
    /// objects become those of all.
    fn renumber(&mut self, _column: &dyn Fn(usize) -> usize) {}

    /// The affinities between the anchors, where they are a graph.
    fn affinities(&self) -> Option<&Csr<f64>> {
        None
    }

    /// The kernel of each row with itself, where that can be told; `rows` are all that the anchors were chosen from.
    fn own(&self, _rows: ArrayView2<'_, f64>) -> Option<Vec<f64>> {
        None
    }

    /// Refuses new rows that cannot be what they are said to be; the first of them is row `start`.
    fn admit(&self, _queries: ArrayView2<'_, f64>, _start: usize) -> Result<()> {
        Ok(())
    }

    /// Whether what is not there in a sparse row is a plain zero, of a point or of a affinity.
    fn takes_sparse(&self) -> bool {
        false
    }

    /// The anchor that a new point is, by its raw row, where that can be told.
    fn same(&self, _query: ArrayView1<'_, f64>, _row: &[f64]) -> Option<usize> {
        None
    }

    /// The points themselves and the kernel between them, where there are any: the way back needs them.
    fn points(&self) -> Option<(ArrayView2<'_, f64>, &Function)> {
        None
    }

    /// Into a model file, under names that begin with `prefix`.
    fn save(&self, prefix: &str, archive: &mut Archive);
}

/// Points and a kernel function.
pub(crate) struct FunctionAnchors {
    points: Array2<f64>,
    prepared: Prepared,
}

impl FunctionAnchors {
    pub fn new(function: Function, points: Array2<f64>, run: &Run) -> Result<Self> {
        let prepared = Prepared::new(function, points.view(), run)?;
        Ok(Self { points, prepared })
    }

    /// The kernel matrix of the anchors.
    pub fn matrix(&self, run: &Run) -> Result<Packed<f64>> {
        self.prepared.matrix(run)
    }

    pub fn function(&self) -> &Function {
        self.prepared.function()
    }

    /// `k(x, x)` of each row.
    pub fn diagonal(&self, queries: ArrayView2<'_, f64>) -> Vec<f64> {
        let own = |x: ndarray::ArrayView1<'_, f64>| -> f64 {
            let squared: f64 = x.iter().map(|x| x * x).sum();
            match self.function() {
                Function::Linear | Function::CenteredLinear => squared,
                Function::Polynomial { gamma, coef0, degree } => {
                    (gamma * squared + coef0).powi(*degree as i32)
                }
                Function::Sigmoid { gamma, coef0 } => (gamma * squared + coef0).tanh(),
                Function::Cosine => f64::from(squared > 0.0),
                Function::HalfSquaredDistance { .. } => 0.0,
                Function::Gaussian { .. } | Function::LocalGaussian { .. } | Function::Laplacian { .. } => {
                    1.0
                }
                Function::Closure(function) => {
                    let x = x.to_vec();
                    function(&x, &x)
                }
            }
        };
        match self.function() {
            Function::CenteredLinear => self.prepared.moved(queries).rows().into_iter().map(own).collect(),
            _ => queries.rows().into_iter().map(own).collect(),
        }
    }

    pub fn load(prefix: &str, features: usize, archive: &Archive) -> Result<Self> {
        let anchors = archive.count(&format!("{prefix}anchors"))?;
        let points = archive.matrix(&format!("{prefix}points"), (anchors, features))?;
        let numbers = archive.vector(&format!("{prefix}kernel_numbers"), 3)?;
        let name = archive.word(&format!("{prefix}kernel"))?;
        let function = Function::from_numbers(name, [numbers[0], numbers[1], numbers[2]])?;
        Self::new(function, points, &Run::new())
    }
}

impl Anchors for FunctionAnchors {
    fn len(&self) -> usize {
        self.points.nrows()
    }

    fn rows(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        self.prepared.rows(queries, self.points.view(), run)
    }

    fn nearest(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Option<Vec<f64>>> {
        let lists = euclidean(1, Disconnected::Error).among(self.points.view(), queries, run)?;
        Ok(Some(lists.iter().map(|list| list.first().map_or(f64::INFINITY, |near| near.1)).collect()))
    }

    fn revive(&self, query: ArrayView1<'_, f64>, row: &mut [f64]) {
        if let Function::Gaussian { gamma } = self.function() {
            let squared = |point: ArrayView1<'_, f64>| -> f64 {
                point.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            row.iter_mut().zip(self.points.rows()).for_each(|(out, point)| *out = squared(point));
            nearest_as_one(row, *gamma);
        }
    }

    fn same(&self, query: ArrayView1<'_, f64>, row: &[f64]) -> Option<usize> {
        match self.function() {
            Function::HalfSquaredDistance { .. } => at_no_distance(row),
            _ => self.points.rows().into_iter().position(|point| point == query),
        }
    }

    fn own(&self, rows: ArrayView2<'_, f64>) -> Option<Vec<f64>> {
        Some(self.diagonal(rows))
    }

    fn points(&self) -> Option<(ArrayView2<'_, f64>, &Function)> {
        Some((self.points.view(), self.function()))
    }

    fn save(&self, prefix: &str, archive: &mut Archive) {
        archive.put_fact(&format!("{prefix}anchors"), self.points.nrows());
        archive.put_fact(&format!("{prefix}kernel"), self.function().name());
        archive.put_vector(&format!("{prefix}kernel_numbers"), &self.function().numbers());
        archive.put(&format!("{prefix}points"), self.points.clone());
    }
}

/// What a row of a precomputed matrix means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Given {
    /// Inner products with the training objects.
    Kernel,
    /// Distances to the training objects; the kernel is `-(d + constant)^2 / 2`, and 0 where `d` is.
    Distances {
        /// The additive constant.
        constant: f64,
    },
    /// Distances to the training objects; the kernel is `exp(-gamma d^2)`.
    Gaussian {
        /// `1 / (2 s^2)` for the width `s`.
        gamma: f64,
    },
}

impl Given {
    /// The kernel of an entry.
    pub fn value(self, entry: f64) -> f64 {
        match self {
            Self::Kernel => entry,
            Self::Distances { constant } if entry > 0.0 => -0.5 * (entry + constant).powi(2),
            Self::Distances { .. } => 0.0,
            Self::Gaussian { gamma } => (-gamma * entry * entry).exp(),
        }
    }
}

/// From squared distances to the gaussian of them, over that of the least.
fn nearest_as_one(squared: &mut [f64], gamma: f64) {
    let least = squared.iter().copied().fold(f64::INFINITY, f64::min);
    squared.iter_mut().for_each(|value| *value = (-gamma * (*value - least)).exp());
}

/// The anchor at distance 0, in a row of a kernel of distances.
pub(super) fn at_no_distance(row: &[f64]) -> Option<usize> {
    row.iter().position(|&kernel| kernel == 0.0)
}

/// Distances of new objects cannot be negative.
pub(crate) fn refuse_negative(queries: ArrayView2<'_, f64>, columns: &[usize]) -> Result<()> {
    for (row, values) in queries.rows().into_iter().enumerate() {
        if let Some(&column) = columns.iter().find(|&&column| values[column] < 0.0) {
            return Err(Error::NotADistance { row, column, value: values[column], bound: "at least 0" });
        }
    }
    Ok(())
}

/// Objects that are known by a row of numbers to all training objects, of which some columns are anchors.
pub(crate) struct GivenAnchors {
    pub meaning: Given,
    /// The columns that count.
    pub columns: Vec<usize>,
}

impl GivenAnchors {
    pub fn load(prefix: &str, features: usize, archive: &Archive) -> Result<Self> {
        let meaning = match archive.word(&format!("{prefix}given"))? {
            "kernel" => Given::Kernel,
            "distances" => Given::Distances { constant: archive.number(&format!("{prefix}constant"))? },
            "gaussian" => Given::Gaussian { gamma: archive.number(&format!("{prefix}constant"))? },
            other => {
                return Err(Error::ModelFile { problem: format!("it is fitted to unknown '{other}'") });
            }
        };
        let columns = archive.indices(&format!("{prefix}columns"), features)?;
        Ok(Self { meaning, columns })
    }
}

impl Anchors for GivenAnchors {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn own(&self, rows: ArrayView2<'_, f64>) -> Option<Vec<f64>> {
        (self.meaning == Given::Kernel && rows.is_square()).then(|| rows.diag().to_vec())
    }

    fn rows(&self, queries: ArrayView2<'_, f64>, _run: &Run) -> Result<Array2<f64>> {
        if self.meaning != Given::Kernel {
            refuse_negative(queries, &self.columns)?;
        }
        let entry = |(i, j): (usize, usize)| self.meaning.value(queries[(i, self.columns[j])]);
        Ok(Array2::from_shape_fn((queries.nrows(), self.columns.len()), entry))
    }

    fn nearest(&self, queries: ArrayView2<'_, f64>, _run: &Run) -> Result<Option<Vec<f64>>> {
        let least = |row: ArrayView1<'_, f64>| {
            self.columns.iter().fold(f64::INFINITY, |least, &column| least.min(row[column]))
        };
        let distances = self.meaning != Given::Kernel;
        Ok(distances.then(|| queries.rows().into_iter().map(least).collect()))
    }

    fn revive(&self, query: ArrayView1<'_, f64>, row: &mut [f64]) {
        if let Given::Gaussian { gamma } = self.meaning {
            row.iter_mut().zip(&self.columns).for_each(|(out, &column)| *out = query[column].powi(2));
            nearest_as_one(row, gamma);
        }
    }

    fn renumber(&mut self, column: &dyn Fn(usize) -> usize) {
        self.columns.iter_mut().for_each(|own| *own = column(*own));
    }

    fn same(&self, _query: ArrayView1<'_, f64>, row: &[f64]) -> Option<usize> {
        if let Given::Distances { .. } = self.meaning { at_no_distance(row) } else { None }
    }

    fn save(&self, prefix: &str, archive: &mut Archive) {
        let (meaning, constant) = match self.meaning {
            Given::Kernel => ("kernel", 0.0),
            Given::Distances { constant } => ("distances", constant),
            Given::Gaussian { gamma } => ("gaussian", gamma),
        };
        archive.put_fact(&format!("{prefix}given"), meaning);
        archive.put_fact(&format!("{prefix}constant"), constant);
        archive.put_indices(&format!("{prefix}columns"), &self.columns);
    }
}
