//! The Gram matrix of data, never formed.

use super::Operator;
use crate::matrix::Matrix;
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Result, Run, Scalar};

/// Which of the two Gram matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// `X X'`: inner products of rows.
    Rows,
    /// `X' X`: inner products of columns; of centered data the scatter matrix.
    Columns,
}

/// `X X'` or `X' X`, by two products with `X`, which may itself be sparse or centered.
pub struct GramOperator<'a, T> {
    matrix: &'a dyn Matrix<T>,
    side: Side,
}

impl<'a, T: Scalar> GramOperator<'a, T> {
    /// The Gram matrix of the rows or of the columns of `matrix`.
    pub fn new(matrix: &'a dyn Matrix<T>, side: Side) -> Self {
        Self { matrix, side }
    }
}

impl<T: Scalar> Operator<T> for GramOperator<'_, T> {
    fn order(&self) -> usize {
        match self.side {
            Side::Rows => self.matrix.nrows(),
            Side::Columns => self.matrix.ncols(),
        }
    }

    fn apply(&self, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        match self.side {
            Side::Rows => {
                let mut inside = Mat::zeros(self.matrix.ncols(), x.ncols());
                self.matrix.apply_transpose(x, inside.as_mut(), run)?;
                self.matrix.apply(inside.as_ref(), out, run)
            }
            Side::Columns => {
                let mut inside = Mat::zeros(self.matrix.nrows(), x.ncols());
                self.matrix.apply(x, inside.as_mut(), run)?;
                self.matrix.apply_transpose(inside.as_ref(), out, run)
            }
        }
    }
}
