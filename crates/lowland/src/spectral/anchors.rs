//! The raw kernel between new points and those that a model was fitted to: the lower path's first step. A method of a new
//! kind adds an implementation, and gets the rest of the path for nothing.

use super::Relation;
use super::kernel::{Function, Prepared};
use crate::InputKind;
use crate::extension::IndexedPoints;
use crate::model::Archive;
use lowland_base::{Csr, Error, Result, Run};
use lowland_linalg::operator::Packed;
use lowland_neighbors::Metric;
use ndarray::{Array2, ArrayView1, ArrayView2};

/// Below this sum, the entries of a row of affinities lose digits, or vanish.
const VANISHED: f64 = 1e-200;

/// Raw kernel rows of new points, one entry an anchor.
pub(crate) enum KernelRows {
    Dense(Array2<f64>),
    /// Almost all entries are zero: nothing as wide as the training data is made.
    Sparse(Vec<SparseRow>),
}

/// The row of a new point in a sparse kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SparseRow {
    /// The entries that are not zero: anchor and kernel.
    pub entries: Vec<(u32, f64)>,
    /// The anchors that have this very row: the point gets the mean of their coordinates.
    pub known: Vec<usize>,
}

impl KernelRows {
    /// The same with all entries, of so many anchors.
    pub fn dense(self, anchors: usize) -> Array2<f64> {
        match self {
            Self::Dense(rows) => rows,
            Self::Sparse(rows) => {
                let mut out = Array2::zeros((rows.len(), anchors));
                for (row, mut out) in rows.into_iter().zip(out.rows_mut()) {
                    row.entries.into_iter().for_each(|(j, value)| out[j as usize] = value);
                }
                out
            }
        }
    }

    /// The same, the entries that are not zero.
    pub fn sparse(self) -> Vec<SparseRow> {
        let nonzero = |row: ArrayView1<'_, f64>| {
            let entries = row.iter().enumerate().map(|(j, &value)| (j as u32, value));
            SparseRow { entries: entries.filter(|entry| entry.1 != 0.0).collect(), known: Vec::new() }
        };
        match self {
            Self::Dense(rows) => rows.rows().into_iter().map(nonzero).collect(),
            Self::Sparse(rows) => rows,
        }
    }
}

/// The training points of a fitted component, or its landmarks, as new points see them.
pub(crate) trait Anchors: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// What the rows of new points say.
    fn relation(&self) -> &Relation;

    /// The same, to change it.
    fn relation_mut(&mut self) -> &mut Relation;

    /// The raw kernel between some rows and all anchors. A row's bits do not depend on the others.
    fn rows(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<KernelRows>;

    /// The anchor that a new point coincides with, by its raw row, where that can be known.
    fn same(&self, _query: ArrayView1<'_, f64>, _row: &[f64]) -> Option<usize> {
        None
    }

    /// The kernel of each row with itself, where that can be known; `rows` are all that the anchors were chosen from.
    fn diagonal(&self, _rows: ArrayView2<'_, f64>) -> Option<Vec<f64>> {
        None
    }

    /// The kernel function of two points, where there is one: the inverse needs it.
    fn function(&self) -> Option<&Function> {
        None
    }

    /// The affinities between the anchors, where they are a graph.
    fn affinities(&self) -> Option<&Csr<f64>> {
        None
    }

    /// Into a model file, under names that begin with `prefix`.
    fn save(&self, prefix: &str, archive: &mut Archive);
}

/// Points and a kernel function.
pub(crate) struct FunctionAnchors {
    relation: Relation,
    prepared: Prepared,
    relative: bool,
}

impl FunctionAnchors {
    pub fn new(function: Function, points: Array2<f64>, run: &Run) -> Result<Self> {
        let points = IndexedPoints::new(points, Metric::Euclidean);
        let prepared = Prepared::new(function, &points, run)?;
        Ok(Self { relation: Relation::Points(points), prepared, relative: false })
    }

    /// The same, where only the ratios of the entries of a row count: a row that all but vanishes is scaled up.
    pub fn relative(self) -> Self {
        Self { relative: true, ..self }
    }

    /// The kernel matrix of the anchors.
    pub fn matrix(&self, run: &Run) -> Result<Packed<f64>> {
        self.prepared.matrix(run)
    }

    /// The raw kernel between some rows and all anchors.
    pub fn block(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let Relation::Points(points) = &self.relation else { return Ok(Array2::zeros((0, 0))) };
        let mut rows = self.prepared.rows(queries, points, run)?;
        if let (Function::Gaussian { gamma }, true) = (self.prepared.function(), self.relative) {
            for (mut row, query) in rows.rows_mut().into_iter().zip(queries.rows()) {
                if row.sum() < VANISHED {
                    let squared = |point: ArrayView1<'_, f64>| -> f64 {
                        point.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum()
                    };
                    let squares: Vec<f64> = points.view().rows().into_iter().map(squared).collect();
                    row.iter_mut().zip(largest_as_one(&squares, *gamma)).for_each(|(out, x)| *out = x);
                }
            }
        }
        Ok(rows)
    }

    /// `k(x, x)` of each row.
    pub fn self_kernels(&self, queries: ArrayView2<'_, f64>) -> Vec<f64> {
        let function = self.prepared.function();
        let kernel = |x: ArrayView1<'_, f64>| -> f64 {
            let squared: f64 = x.iter().map(|x| x * x).sum();
            match function {
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
        match function {
            Function::CenteredLinear => self.prepared.moved(queries).rows().into_iter().map(kernel).collect(),
            _ => queries.rows().into_iter().map(kernel).collect(),
        }
    }

    fn load(prefix: &str, features: usize, archive: &Archive) -> Result<Self> {
        let anchors = archive.count(&format!("{prefix}anchors"))?;
        let points = archive.matrix(&format!("{prefix}points"), (anchors, features))?;
        let relative = archive.count(&format!("{prefix}relative"))? == 1;
        Ok(Self { relative, ..Self::new(load_function(prefix, archive)?, points, &Run::new())? })
    }
}

impl Anchors for FunctionAnchors {
    fn len(&self) -> usize {
        self.prepared.len()
    }

    fn relation(&self) -> &Relation {
        &self.relation
    }

    fn relation_mut(&mut self) -> &mut Relation {
        &mut self.relation
    }

    fn rows(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<KernelRows> {
        self.block(queries, run).map(KernelRows::Dense)
    }

    fn same(&self, query: ArrayView1<'_, f64>, row: &[f64]) -> Option<usize> {
        match (self.prepared.function(), &self.relation) {
            (Function::HalfSquaredDistance { .. }, _) => at_no_distance(row),
            (_, Relation::Points(points)) => {
                points.view().rows().into_iter().position(|point| point == query)
            }
            _ => None,
        }
    }

    fn diagonal(&self, rows: ArrayView2<'_, f64>) -> Option<Vec<f64>> {
        Some(self.self_kernels(rows))
    }

    fn function(&self) -> Option<&Function> {
        Some(self.prepared.function())
    }

    fn save(&self, prefix: &str, archive: &mut Archive) {
        archive.put_fact(&format!("{prefix}anchors"), self.len());
        archive.put_fact(&format!("{prefix}relative"), usize::from(self.relative));
        save_function(self.prepared.function(), prefix, archive);
        self.relation.save(prefix, archive);
    }
}

/// Objects known by a row of numbers to all training objects, and a function from such a number to the kernel.
pub(crate) struct GivenAnchors {
    relation: Relation,
    function: Function,
    relative: bool,
}

impl GivenAnchors {
    /// The anchors are these columns of rows of this kind; see [`Function::of_entry`].
    pub fn new(kind: InputKind, columns: Vec<usize>, function: Function) -> Self {
        Self { relation: Relation::Columns { kind, columns }, function, relative: false }
    }

    /// As [`FunctionAnchors::relative`].
    pub fn relative(self) -> Self {
        Self { relative: true, ..self }
    }

    fn columns(&self) -> &[usize] {
        if let Relation::Columns { columns, .. } = &self.relation { columns } else { &[] }
    }

    fn is_kernel(&self) -> bool {
        self.relation.similarities().is_some()
    }

    fn load(prefix: &str, features: usize, archive: &Archive) -> Result<Self> {
        let n = archive.count(&format!("{prefix}anchors"))?;
        let relation = Relation::load(prefix, n, features, Metric::Euclidean, archive)?;
        if !matches!(relation, Relation::Columns { .. }) {
            return Err(Error::ModelFile { problem: "its rows are no distances and no kernel".into() });
        }
        Ok(Self {
            relation,
            function: load_function(prefix, archive)?,
            relative: archive.count(&format!("{prefix}relative"))? == 1,
        })
    }
}

impl Anchors for GivenAnchors {
    fn len(&self) -> usize {
        self.relation.len()
    }

    fn relation(&self) -> &Relation {
        &self.relation
    }

    fn relation_mut(&mut self) -> &mut Relation {
        &mut self.relation
    }

    fn rows(&self, queries: ArrayView2<'_, f64>, _run: &Run) -> Result<KernelRows> {
        let columns = self.columns();
        let entry = |(i, j): (usize, usize)| self.function.of_entry(queries[(i, columns[j])]);
        let mut rows = Array2::from_shape_fn((queries.nrows(), columns.len()), entry);
        if let (Function::Gaussian { gamma }, true) = (&self.function, self.relative) {
            for (mut row, query) in rows.rows_mut().into_iter().zip(queries.rows()) {
                if row.sum() < VANISHED {
                    let squares: Vec<f64> = columns.iter().map(|&column| query[column].powi(2)).collect();
                    row.iter_mut().zip(largest_as_one(&squares, *gamma)).for_each(|(out, x)| *out = x);
                }
            }
        }
        Ok(KernelRows::Dense(rows))
    }

    fn same(&self, _query: ArrayView1<'_, f64>, row: &[f64]) -> Option<usize> {
        matches!(self.function, Function::HalfSquaredDistance { .. }).then(|| at_no_distance(row)).flatten()
    }

    fn diagonal(&self, rows: ArrayView2<'_, f64>) -> Option<Vec<f64>> {
        (self.is_kernel() && rows.is_square()).then(|| rows.diag().to_vec())
    }

    fn save(&self, prefix: &str, archive: &mut Archive) {
        archive.put_fact(&format!("{prefix}anchors"), self.len());
        archive.put_fact(&format!("{prefix}relative"), usize::from(self.relative));
        save_function(&self.function, prefix, archive);
        self.relation.save(prefix, archive);
    }
}

/// Anchors that are points with a kernel function, or columns of given rows.
pub(crate) fn load_anchors(prefix: &str, features: usize, archive: &Archive) -> Result<Box<dyn Anchors>> {
    if archive.has_array(&format!("{prefix}points")) {
        Ok(Box::new(FunctionAnchors::load(prefix, features, archive)?))
    } else {
        Ok(Box::new(GivenAnchors::load(prefix, features, archive)?))
    }
}

fn save_function(function: &Function, prefix: &str, archive: &mut Archive) {
    archive.put_fact(&format!("{prefix}kernel"), function.name());
    archive.put_vector(&format!("{prefix}kernel_numbers"), &function.numbers());
}

fn load_function(prefix: &str, archive: &Archive) -> Result<Function> {
    let numbers = archive.vector(&format!("{prefix}kernel_numbers"), 3)?;
    let name = archive.word(&format!("{prefix}kernel"))?;
    Function::from_numbers(name, [numbers[0], numbers[1], numbers[2]])
}

/// The Gaussians of squared distances, scaled so that the largest is 1.
fn largest_as_one(squared: &[f64], gamma: f64) -> impl Iterator<Item = f64> {
    let least = squared.iter().copied().fold(f64::INFINITY, f64::min);
    squared.iter().map(move |square| (-gamma * (square - least)).exp())
}

/// The anchor at distance 0, in a row of a kernel of distances.
pub(super) fn at_no_distance(row: &[f64]) -> Option<usize> {
    row.iter().position(|&kernel| kernel == 0.0)
}
