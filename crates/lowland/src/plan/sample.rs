//! Some of the rows of an input, as an input of its own.

use crate::{AnyInput, Input};
use lowland_base::{Csr, Result, Run, Scalar};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::index;

/// Some rows.
pub(super) struct Sample {
    rows: Vec<usize>,
    data: Data,
}

enum Data {
    F32(Owned<f32>),
    F64(Owned<f64>),
}

enum Owned<T> {
    Points(Array2<T>),
    Distances(Array2<T>),
    Kernel(Array2<T>),
    Sparse(Csr<T>),
}

impl Sample {
    /// Rows drawn by the seed of the run, in their order. Of a square matrix, the columns too.
    pub fn draw(input: AnyInput<'_>, count: usize, run: &Run) -> Result<Self> {
        let n = input.shape().rows;
        let mut rows = index::sample(&mut run.rng("rows of a plan"), n, count.min(n)).into_vec();
        rows.sort_unstable();
        let data = match input {
            AnyInput::F32(input) => Data::F32(owned(input, &rows)?),
            AnyInput::F64(input) => Data::F64(owned(input, &rows)?),
        };
        Ok(Self { rows, data })
    }

    /// The labels of these rows.
    pub fn of(&self, labels: &[i64]) -> Vec<i64> {
        self.rows.iter().map(|&row| labels[row]).collect()
    }

    pub fn input(&self) -> AnyInput<'_> {
        match &self.data {
            Data::F32(owned) => AnyInput::F32(owned.input()),
            Data::F64(owned) => AnyInput::F64(owned.input()),
        }
    }
}

impl<T> Owned<T> {
    fn input(&self) -> Input<'_, T> {
        match self {
            Self::Points(x) => Input::Points(x.view()),
            Self::Distances(x) => Input::Distances(x.view()),
            Self::Kernel(x) => Input::Kernel(x.view()),
            Self::Sparse(x) => Input::Sparse(x),
        }
    }
}

fn owned<T: Scalar>(input: Input<'_, T>, rows: &[usize]) -> Result<Owned<T>> {
    Ok(match input {
        Input::Points(x) => Owned::Points(x.select(Axis(0), rows)),
        Input::Distances(x) => Owned::Distances(square(x, rows)),
        Input::Kernel(x) => Owned::Kernel(square(x, rows)),
        Input::Sparse(x) | Input::Graph(x) => {
            let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for &row in rows {
                let (columns, entries) = x.row(row);
                indices.extend_from_slice(columns);
                values.extend_from_slice(entries);
                offsets.push(indices.len());
            }
            Owned::Sparse(Csr::new(rows.len(), x.ncols(), offsets, indices, values)?)
        }
    })
}

fn square<T: Copy>(x: ArrayView2<'_, T>, rows: &[usize]) -> Array2<T> {
    Array2::from_shape_fn((rows.len(), rows.len()), |(i, j)| x[(rows[i], rows[j])])
}
