//! What a spectral method is fitted to, in double precision, rows one after the other: so that memory layouts
//! give the same bits, and the model can keep it.

use crate::input::not_admitted;
use crate::matrix::square;
use crate::{AnyInput, Input, InputKind};
use lowland_base::{Csr, Error, Result, Scalar, units};
use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

/// The training data of a spectral method: an [`Input`] of double precision that owns its numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    /// One point a row.
    Points(Array2<f64>),
    /// All distances.
    Distances(Array2<f64>),
    /// All inner products.
    Kernel(Array2<f64>),
    /// The lengths of some edges, and by how much the two directions of an edge were apart at most, relative to the longer.
    Graph { lengths: Csr<f64>, rounding: f64 },
}

impl Source {
    /// Copies an input.
    pub fn of(input: AnyInput<'_>) -> Result<Self> {
        match input {
            AnyInput::F32(input) => of_typed(input),
            AnyInput::F64(input) => of_typed(input),
        }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        match self {
            Self::Points(x) | Self::Distances(x) | Self::Kernel(x) => x.nrows(),
            Self::Graph { lengths, .. } => lengths.nrows(),
        }
    }

    /// What its rows are.
    pub fn kind(&self) -> InputKind {
        self.view().shape().kind
    }

    /// The same, borrowed.
    pub fn view(&self) -> Input<'_, f64> {
        match self {
            Self::Points(x) => Input::Points(x.view()),
            Self::Distances(x) => Input::Distances(x.view()),
            Self::Kernel(x) => Input::Kernel(x.view()),
            Self::Graph { lengths, .. } => Input::Graph(lengths),
        }
    }

    /// The width of the rows of new objects.
    pub fn features(&self) -> usize {
        match self {
            Self::Points(x) | Self::Distances(x) | Self::Kernel(x) => x.ncols(),
            Self::Graph { lengths, .. } => lengths.ncols(),
        }
    }
}

impl Source {
    /// Some of the objects (ascending), and all there is between them. The edges between some vertices of a graph leave out
    /// the paths through the others: it has no landmarks.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        Ok(match self {
            Self::Points(x) => Self::Points(x.select(ndarray::Axis(0), rows)),
            Self::Distances(x) => Self::Distances(square(x.view(), rows)),
            Self::Kernel(x) => Self::Kernel(square(x.view(), rows)),
            Self::Graph { .. } => {
                let remedy = "give points or distances, or leave landmarks at auto";
                let problem = format!(
                    "{} cannot stand for the vertices of a graph",
                    units::count(rows.len(), "landmark")
                );
                return Err(Error::conflict("landmarks", problem, remedy));
            }
        })
    }
}

fn of_typed<T: Scalar>(input: Input<'_, T>) -> Result<Source> {
    Ok(match input {
        Input::Points(x) => Source::Points(wide(x)),
        Input::Distances(x) => Source::Distances(symmetric(x)),
        Input::Kernel(x) => Source::Kernel(symmetric(x)),
        Input::Graph(x) => symmetric_sparse(x)?,
        Input::Sparse(_) => return Err(not_admitted(InputKind::Sparse)),
    })
}

/// The rows of new objects: points, or their distances, inner products or affinities to the training objects.
pub(crate) fn query(input: AnyInput<'_>, rows: Range<usize>) -> Array2<f64> {
    match input {
        AnyInput::F32(input) => dense(input, rows, 0.0),
        AnyInput::F64(input) => dense(input, rows, 0.0),
    }
}

/// The lengths of the edges of new vertices. Of those that are not there, which a dense row writes as 0, they are infinite.
pub(crate) fn edge_lengths(input: AnyInput<'_>, rows: Range<usize>) -> Array2<f64> {
    let mut lengths = match input {
        AnyInput::F32(input) => dense(input, rows, f64::INFINITY),
        AnyInput::F64(input) => dense(input, rows, f64::INFINITY),
    };
    if !input.shape().kind.is_sparse() {
        lengths.mapv_inplace(|length| if length == 0.0 { f64::INFINITY } else { length });
    }
    lengths
}

/// Some rows; what a sparse one does not hold is `absent`.
fn dense<T: Scalar>(input: Input<'_, T>, rows: Range<usize>, absent: f64) -> Array2<f64> {
    match input {
        Input::Points(x) | Input::Distances(x) | Input::Kernel(x) => wide(x.slice(s![rows, ..])),
        Input::Sparse(x) | Input::Graph(x) => {
            let mut dense = Array2::from_elem((rows.len(), x.ncols()), absent);
            for (row, mut dense) in rows.zip(dense.rows_mut()) {
                let (columns, values) = x.row(row);
                columns.iter().zip(values).for_each(|(&j, value)| dense[j as usize] = value.wide());
            }
            dense
        }
    }
}

fn wide<T: Scalar>(x: ArrayView2<'_, T>) -> Array2<f64> {
    Array2::from_shape_fn(x.dim(), |cell| x[cell].wide())
}

/// Rounding may have left the two triangles apart: their mean, on both sides.
fn symmetric<T: Scalar>(x: ArrayView2<'_, T>) -> Array2<f64> {
    Array2::from_shape_fn(x.dim(), |(i, j)| 0.5 * (x[(i, j)].wide() + x[(j, i)].wide()))
}

/// The same of a sparse matrix whose entries are all on both sides.
fn symmetric_sparse<T: Scalar>(x: &Csr<T>) -> Result<Source> {
    let mirror = x.transpose();
    let both = || x.values().iter().zip(mirror.values()).map(|(a, b)| (a.wide(), b.wide()));
    let apart = |(a, b): (f64, f64)| if a == b { 0.0 } else { (a - b).abs() / a.max(b) };
    let rounding = both().map(apart).fold(0.0, f64::max);
    let values = both().map(|(a, b)| 0.5 * a + 0.5 * b).collect();
    let lengths = Csr::new(x.nrows(), x.ncols(), x.offsets().to_vec(), x.indices().to_vec(), values)?;
    Ok(Source::Graph { lengths, rounding })
}
