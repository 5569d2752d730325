//! Objects that are no vectors: known by a distance function, or by the matrix of their distances.

use super::brute::direct::{self, Distances};
use super::{Index, check_k, check_radius};
use crate::Table;
use faer::MatRef;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use std::ops::Range;

/// `n` objects and the distance between any two, by number. The function must be symmetric: each pair is
/// asked for once, the smaller number first. A query is a row of its distances to the `n` objects.
pub struct Objects<F> {
    n: usize,
    distance: F,
}

impl<F> Objects<F> {
    /// Nothing is computed yet.
    pub fn new(n: usize, distance: F) -> Self {
        Self { n, distance }
    }
}

/// The objects of a square matrix of distances. It is checked to be symmetric, not negative, zero on its
/// diagonal and free of NaN. Infinity means 'not related'.
pub fn precomputed<'a, T: Scalar>(
    distances: MatRef<'a, T>,
) -> Result<Objects<impl Fn(usize, usize) -> T + Send + Sync + 'a>> {
    let n = distances.nrows();
    if n != distances.ncols() {
        return Err(Error::NotSquare { what: "distance", rows: n, columns: distances.ncols() });
    }
    for j in 0..n {
        for i in 0..n {
            let value = sound(distances[(i, j)], i, j)?;
            if i == j && value != T::zero() {
                return Err(Error::NotADistance { row: i, column: j, value: value.wide(), bound: "0" });
            }
            if i < j && value != distances[(j, i)] {
                let (value, mirror) = (value.wide(), distances[(j, i)].wide());
                return Err(Error::NotSymmetric { what: "distance", row: i, column: j, value, mirror });
            }
        }
    }
    Ok(Objects::new(n, move |i, j| distances[(i, j)]))
}

/// A distance is 0 or more.
fn sound<T: Scalar>(value: T, row: usize, column: usize) -> Result<T> {
    if value >= T::zero() {
        return Ok(value);
    }
    Err(Error::NotADistance { row, column, value: value.wide(), bound: "0 or more" })
}

/// Blocks of a function.
struct Calls<F>(F);

impl<T: Scalar, F: Fn(usize, usize) -> T + Sync> Distances<T> for Calls<F> {
    fn fill(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [T]) -> Result<()> {
        for (i, out) in rows.zip(out.chunks_exact_mut(columns.len())) {
            for (j, out) in columns.clone().zip(out) {
                *out = sound((self.0)(i, j), i, j)?;
            }
        }
        Ok(())
    }
}

fn check_rows<T: Scalar>(queries: MatRef<'_, T>, n: usize) -> Result<()> {
    if queries.ncols() == n {
        return Ok(());
    }
    Err(Error::Width { what: "distances to the objects", expected: n, found: queries.ncols() })
}

impl<F> Objects<F> {
    fn blocks<T: Scalar>(&self) -> Calls<impl Fn(usize, usize) -> T + Sync>
    where
        F: Fn(usize, usize) -> T + Sync,
    {
        Calls(|i: usize, j: usize| if i == j { T::zero() } else { (self.distance)(i.min(j), i.max(j)) })
    }
}

impl<T: Scalar, F: Fn(usize, usize) -> T + Send + Sync> Index<T> for Objects<F> {
    fn len(&self) -> usize {
        self.n
    }

    fn k_nearest_of_all(&self, k: usize, run: &Run) -> Result<Table<T>> {
        check_k(k, self.n.saturating_sub(1))?;
        direct::nearest_of_all(&self.blocks(), self.n, k, run)
    }

    fn k_nearest(&self, queries: MatRef<'_, T>, k: usize, run: &Run) -> Result<Table<T>> {
        check_k(k, self.n)?;
        check_rows(queries, self.n)?;
        direct::nearest(&Calls(|i, j| queries[(i, j)]), (queries.nrows(), self.n), k, run)
    }

    fn within_of_all(&self, radius: T, run: &Run) -> Result<Csr<T>> {
        check_radius(radius)?;
        direct::within_of_all(&self.blocks(), self.n, radius, run)
    }

    fn within(&self, queries: MatRef<'_, T>, radius: T, run: &Run) -> Result<Csr<T>> {
        check_radius(radius)?;
        check_rows(queries, self.n)?;
        direct::within(&Calls(|i, j| queries[(i, j)]), (queries.nrows(), self.n), radius, run)
    }
}
