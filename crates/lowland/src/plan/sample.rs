//! Some of the rows of an input, as an input of its own.

use crate::matrix::square;
use crate::{AnyInput, Input};
use lowland_base::{Csr, Run, Scalar};
use ndarray::{Array2, Axis};
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
    pub fn draw(input: AnyInput<'_>, count: usize, run: &Run) -> Self {
        let n = input.shape().rows;
        let mut rows = index::sample(&mut run.rng("rows of a plan"), n, count.min(n)).into_vec();
        rows.sort_unstable();
        let data = match input {
            AnyInput::F32(input) => Data::F32(owned(input, &rows)),
            AnyInput::F64(input) => Data::F64(owned(input, &rows)),
        };
        Self { rows, data }
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

fn owned<T: Scalar>(input: Input<'_, T>, rows: &[usize]) -> Owned<T> {
    match input {
        Input::Points(x) => Owned::Points(x.select(Axis(0), rows)),
        Input::Distances(x) => Owned::Distances(square(x, rows)),
        Input::Kernel(x) => Owned::Kernel(square(x, rows)),
        Input::Sparse(x) | Input::Graph(x) => Owned::Sparse(x.select(rows)),
    }
}
