//! What a method is given: points, or something already computed from them. Checked once, before any work.

use crate::check;
use crate::matrix::{AnyMatrix, Element};
use lowland_base::simd::vectorized;
use lowland_base::{Csr, Result, Run, Scalar};
use ndarray::{Array2, ArrayView2};

/// What the rows of an input are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// One point a row.
    Points,
    /// One point a sparse row.
    Sparse,
    /// Distances between all pairs of objects.
    Distances,
    /// Inner products, or similarities, of all pairs of objects.
    Kernel,
    /// The edges of a graph.
    Graph,
}

impl InputKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Points, Self::Sparse, Self::Distances, Self::Kernel, Self::Graph];

    /// The word for it, in messages, on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Sparse => "sparse",
            Self::Distances => "distances",
            Self::Kernel => "kernel",
            Self::Graph => "graph",
        }
    }

    /// What it is, in a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Sparse => "sparse points",
            Self::Distances => "a distance matrix",
            Self::Kernel => "a kernel matrix",
            Self::Graph => "a graph",
        }
    }

    /// What it is, for the help.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Points => "one point a row",
            Self::Sparse => "one point a row, most of its values zero",
            Self::Distances => "the distances between all pairs of objects",
            Self::Kernel => "the inner products, or similarities, of all pairs of objects",
            Self::Graph => "the lengths of the edges of a graph; 0 where there is none",
        }
    }

    /// Whether rows hold only what is not zero.
    pub const fn is_sparse(self) -> bool {
        matches!(self, Self::Sparse | Self::Graph)
    }
}

impl std::fmt::Display for InputKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for InputKind {
    type Err = lowland_base::Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == word).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            lowland_base::Error::parameter(
                "input",
                word,
                format!("it must be one of {names}"),
                "choose one of them",
            )
        })
    }
}

/// One kind of input in one precision.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a, T> {
    /// One point a row.
    Points(ArrayView2<'a, T>),
    /// One point a sparse row.
    Sparse(&'a Csr<T>),
    /// Square, symmetric, not negative, zero on the diagonal.
    Distances(ArrayView2<'a, T>),
    /// Square and symmetric: inner products.
    Kernel(ArrayView2<'a, T>),
    /// Square and symmetric: an entry is the length of an edge.
    Graph(&'a Csr<T>),
}

/// An input of either precision.
#[derive(Debug, Clone, Copy)]
pub enum AnyInput<'a> {
    /// Single precision.
    F32(Input<'a, f32>),
    /// Double precision.
    F64(Input<'a, f64>),
}

/// Everything about an input that a forecast or a bound can depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The number of points.
    pub rows: usize,
    /// The number of features; for distances, kernels and graphs the number of points.
    pub columns: usize,
    /// The number of stored values; of points, those that are not missing, where that was counted
    /// ([`AnyInput::counted`]).
    pub stored: usize,
    /// Bytes of a value.
    pub scalar_bytes: usize,
    /// What the rows are.
    pub kind: InputKind,
    /// The bytes of a sparse factor, where its ordering is known: how it fills in is a matter of the data, and without
    /// them a forecast takes it as that of a sheet.
    pub factor: Option<u64>,
}

impl Shape {
    /// The same with what is known of the factor from the data; 0 where nothing is.
    pub fn with_factor(self, bytes: u64) -> Self {
        Self { factor: (bytes > 0).then_some(bytes), ..self }
    }

    /// Whether values of points are missing, as far as that was counted.
    pub fn has_missing(&self) -> bool {
        self.kind == InputKind::Points && self.stored < self.rows.saturating_mul(self.columns)
    }
}

impl<'a, T: Scalar> Input<'a, T> {
    /// The first row that is zero, or of equal entries, and how many there are.
    fn rows_without_direction(&self, constant: bool) -> Option<(usize, usize)> {
        let alike = |mut row: &mut dyn Iterator<Item = T>| {
            let first = if constant { row.next().unwrap_or(T::zero()) } else { T::zero() };
            Iterator::all(&mut row, |value| value == first)
        };
        let rows: Vec<usize> = match self {
            Self::Points(x) => (0..x.nrows()).filter(|&i| alike(&mut x.row(i).iter().copied())).collect(),
            Self::Sparse(x) => {
                let is = |i: &usize| {
                    let stored = x.row(*i).1;
                    // What is not stored is zero.
                    let zeros = (stored.len() < x.ncols()).then_some(T::zero());
                    alike(&mut zeros.into_iter().chain(stored.iter().copied()))
                };
                (0..x.nrows()).filter(is).collect()
            }
            _ => Vec::new(),
        };
        rows.first().map(|&row| (row, rows.len()))
    }

    /// Whether there are several rows, all the same.
    fn all_alike(&self) -> bool {
        let zero = |value: &T| *value == T::zero();
        self.shape().rows > 1
            && match self {
                Self::Points(x) => x.rows().into_iter().all(|row| row == x.row(0)),
                Self::Sparse(x) => (1..x.nrows()).all(|i| x.row(i) == x.row(0)),
                Self::Distances(x) => x.iter().all(zero),
                Self::Kernel(_) | Self::Graph(_) => false,
            }
    }

    /// The values of points that are there.
    fn present(&self) -> Option<usize> {
        let Self::Points(x) = self else { return None };
        Some(match x.as_slice_memory_order() {
            Some(values) => vectorized(
                #[inline(always)]
                || values.iter().map(|value| usize::from(!value.is_nan())).sum(),
            ),
            None => x.iter().filter(|value| !value.is_nan()).count(),
        })
    }

    /// Its shape, without looking at a value.
    pub fn shape(&self) -> Shape {
        let (kind, (rows, columns), stored) = match self {
            Self::Points(x) => (InputKind::Points, x.dim(), x.len()),
            Self::Distances(x) => (InputKind::Distances, x.dim(), x.len()),
            Self::Kernel(x) => (InputKind::Kernel, x.dim(), x.len()),
            Self::Sparse(x) => (InputKind::Sparse, (x.nrows(), x.ncols()), x.nnz()),
            Self::Graph(x) => (InputKind::Graph, (x.nrows(), x.ncols()), x.nnz()),
        };
        Shape { rows, columns, stored, scalar_bytes: size_of::<T>(), kind, factor: None }
    }

    /// Looks at every value once: rows and columns there, all finite and safe to square, and whatever the
    /// kind promises.
    pub fn check(&self, run: &Run) -> Result<Shape> {
        self.check_as("data", false, run)
    }

    /// As [`Input::check`], where the rows are not the data, or where NaN stands for a missing value of points.
    fn check_as(&self, what: &'static str, missing: bool, run: &Run) -> Result<Shape> {
        let shape = self.shape();
        match self {
            Self::Points(x) if missing => check::dense_or_missing(what, *x, run)?,
            Self::Points(x) => check::dense(what, *x, run)?,
            Self::Sparse(x) => check::sparse(what, x)?,
            Self::Distances(x) => check::distances(*x, run)?,
            Self::Kernel(x) => check::kernel(*x, run)?,
            Self::Graph(x) => check::graph(x)?,
        }
        Ok(shape)
    }

    /// Beyond [`Input::check`]: whether distances belong to points of a Euclidean space, and whether a kernel is
    /// positive semidefinite. Costs the extreme eigenvalues of the matrix.
    pub fn check_definite(&self, run: &Run) -> Result<()> {
        match self {
            Self::Distances(x) => check::euclidean(*x, run),
            Self::Kernel(x) => check::positive(*x, run),
            _ => Ok(()),
        }
    }
}

impl<'a> AnyInput<'a> {
    /// New rows: of a matrix of distances or of a kernel, some rows are no square matrix, but rows like any other.
    pub(crate) fn as_rows(self) -> AnyInput<'a> {
        fn plain<T>(input: Input<'_, T>) -> Input<'_, T> {
            match input {
                Input::Distances(x) | Input::Kernel(x) => Input::Points(x),
                Input::Graph(x) => Input::Sparse(x),
                other => other,
            }
        }
        match self {
            Self::F32(input) => AnyInput::F32(plain(input)),
            Self::F64(input) => AnyInput::F64(plain(input)),
        }
    }

    /// The first row of points that has no angle to others, and how many there are.
    pub(crate) fn rows_without_direction(&self, constant: bool) -> Option<(usize, usize)> {
        match self {
            Self::F32(input) => input.rows_without_direction(constant),
            Self::F64(input) => input.rows_without_direction(constant),
        }
    }

    /// Whether there are several rows, all the same.
    pub(crate) fn all_alike(&self) -> bool {
        match self {
            Self::F32(input) => input.all_alike(),
            Self::F64(input) => input.all_alike(),
        }
    }

    /// The shape of points of which some values may be missing (NaN): those are not among the stored ones.
    pub fn counted(&self) -> Shape {
        let shape = self.shape();
        let present = match self {
            Self::F32(input) => input.present(),
            Self::F64(input) => input.present(),
        };
        Shape { stored: present.unwrap_or(shape.stored), ..shape }
    }

    /// See [`Input::shape`].
    pub fn shape(&self) -> Shape {
        match self {
            Self::F32(input) => input.shape(),
            Self::F64(input) => input.shape(),
        }
    }

    /// See [`Input::check`].
    pub fn check(&self, run: &Run) -> Result<Shape> {
        self.check_as("data", false, run)
    }

    pub(crate) fn check_as(&self, what: &'static str, missing: bool, run: &Run) -> Result<Shape> {
        match self {
            Self::F32(input) => input.check_as(what, missing, run),
            Self::F64(input) => input.check_as(what, missing, run),
        }
    }
}

impl AnyInput<'_> {
    /// Refuses points whose squares would all vanish. Not for new rows: any of them may be near zero.
    pub(crate) fn check_size(&self) -> Result<()> {
        match self {
            // Single precision ends far above the bound.
            Self::F64(Input::Points(x)) => check::large_enough(x.iter().copied()),
            Self::F64(Input::Sparse(x)) => check::large_enough(x.values().iter().copied()),
            _ => Ok(()),
        }
    }

    /// Refuses points with a column of missing values only: nothing could be learned about it.
    pub(crate) fn check_columns(&self) -> Result<()> {
        match self {
            Self::F32(Input::Points(x)) => check::all_missing("data", "column", x.t()),
            Self::F64(Input::Points(x)) => check::all_missing("data", "column", x.t()),
            _ => Ok(()),
        }
    }
}

impl<'a, T: Element> From<Input<'a, T>> for AnyInput<'a> {
    fn from(input: Input<'a, T>) -> Self {
        T::erase_input(input)
    }
}

impl<'a, T: Element> From<ArrayView2<'a, T>> for AnyInput<'a> {
    fn from(points: ArrayView2<'a, T>) -> Self {
        T::erase_input(Input::Points(points))
    }
}

impl<'a, T: Element> From<&'a Array2<T>> for AnyInput<'a> {
    fn from(points: &'a Array2<T>) -> Self {
        points.view().into()
    }
}

impl<'a, T: Element> From<&'a Csr<T>> for AnyInput<'a> {
    fn from(points: &'a Csr<T>) -> Self {
        T::erase_input(Input::Sparse(points))
    }
}

impl<'a> From<&'a AnyMatrix> for AnyInput<'a> {
    fn from(points: &'a AnyMatrix) -> Self {
        match points {
            AnyMatrix::F32(points) => points.into(),
            AnyMatrix::F64(points) => points.into(),
        }
    }
}

/// The error of a kind of rows that the admission lets nobody give to whoever says this.
pub(crate) fn not_admitted(kind: InputKind) -> lowland_base::Error {
    lowland_base::Error::Unsupported {
        method: "this method".into(),
        what: format!("take {}", kind.words()),
        remedy: "give it points".into(),
    }
}

/// Runs a generic expression on the points of an input, in their precision.
macro_rules! on_points {
    ($input:expr, $x:ident => $body:expr) => {
        match $input {
            $crate::AnyInput::F32($crate::Input::Points($x)) => $body,
            $crate::AnyInput::F64($crate::Input::Points($x)) => $body,
            other => Err($crate::input::not_admitted(other.shape().kind)),
        }
    };
}
pub(crate) use on_points;
