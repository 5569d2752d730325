//! Graphs as inputs.

use super::{not_vanishing, sparse};
use lowland_base::{Csr, Error, Result, Scalar};

/// What the length of an edge must be.
pub(crate) const LENGTH: &str = "at least 0, being an edge of the graph";

/// Lists of neighbors: square, finite, no distance negative, and not all so small that their squares vanish.
pub(crate) fn directed<T: Scalar>(x: &Csr<T>) -> Result<()> {
    if x.nrows() != x.ncols() {
        return Err(Error::NotSquare { what: "graph", rows: x.nrows(), columns: x.ncols() });
    }
    sparse("graph", x)?;
    for row in 0..x.nrows() {
        let (columns, values) = x.row(row);
        if let Some((&column, &value)) = columns.iter().zip(values).find(|entry| *entry.1 < T::zero()) {
            let (column, value) = (column as usize, value.wide());
            return Err(Error::NotADistance { row, column, value, bound: LENGTH });
        }
    }
    not_vanishing("graph", x.values().iter().copied())
}

/// How far the two directions of an edge may be apart, relative to the longer: the rounding of whoever computed them.
fn rounding<T: Scalar>() -> f64 {
    T::EPSILON.wide().sqrt()
}

/// A square symmetric sparse matrix of edge lengths, not all so small that their squares vanish.
pub(crate) fn graph<T: Scalar>(x: &Csr<T>) -> Result<()> {
    if x.nrows() != x.ncols() {
        return Err(Error::NotSquare { what: "graph", rows: x.nrows(), columns: x.ncols() });
    }
    sparse("graph", x)?;
    let mirror = x.transpose();
    for row in 0..x.nrows() {
        let (columns, values) = x.row(row);
        let (mirror_columns, mirror_values) = mirror.row(row);
        if columns != mirror_columns {
            let problem = format!("the edges of vertex {row} of the graph do not all go both ways");
            return Err(Error::malformed("graph", problem, "symmetrize it first"));
        }
        for ((&column, &value), &mirror) in columns.iter().zip(values).zip(mirror_values) {
            let (column, value, mirror) = (column as usize, value.wide(), mirror.wide());
            // What is made of the graph takes the mean of both.
            if (value - mirror).abs() > rounding::<T>() * value.abs().max(mirror.abs()) {
                return Err(Error::NotSymmetric { what: "graph", row, column, value, mirror });
            }
            if value < 0.0 {
                return Err(Error::NotADistance { row, column, value, bound: LENGTH });
            }
        }
    }
    not_vanishing("graph", x.values().iter().copied())
}
