//! A dense symmetric matrix of which one triangle is stored, in half the memory.

use super::{Operator, triangle};
use faer::{Mat, MatMut, MatRef};
use lowland_base::{Error, Result, Run, Scalar, pages, precompiled};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a block.
const BLOCK: usize = 64;

/// A dense symmetric matrix. It is stored in blocks of 64 rows, each up to its last column on the diagonal: a block is
/// a row-major matrix, so that it can be filled by a product. What a block has above the diagonal is not looked at.
#[derive(Debug, Clone, Default)]
pub struct Packed<T> {
    order: usize,
    values: Vec<T>,
}

/// The rows of a block. It has as many columns as its last row and those before it.
fn block(order: usize, index: usize) -> Range<usize> {
    (index * BLOCK).min(order)..((index + 1) * BLOCK).min(order)
}

/// Where a block begins.
fn start(index: usize) -> usize {
    BLOCK * BLOCK * (index * (index + 1) / 2)
}

impl<T: Scalar> Packed<T> {
    /// A matrix whose blocks are filled in parallel: `fill` gets a range of rows, the number of columns from the first
    /// on, and that part of the matrix, row by row.
    pub fn filled(
        order: usize,
        run: &Run,
        fill: impl Fn(Range<usize>, usize, &mut [T]) + Send + Sync,
    ) -> Result<Self> {
        let last = block(order, order / BLOCK);
        let mut matrix = Self { order, values: pages::zeros(start(order / BLOCK) + last.len() * last.end)? };
        matrix.blocks(run, |rows, part| fill(rows.clone(), rows.end, part))?;
        Ok(matrix)
    }

    /// From the entries of a whole matrix, row by row, of which those on and below the diagonal count.
    pub fn from_lower(order: usize, mut values: Vec<T>) -> Result<Self> {
        if values.len() != order * order {
            let (rows, columns) = (order, values.len().checked_div(order).unwrap_or(0));
            return Err(Error::NotSquare { what: "symmetric", rows, columns });
        }
        let mut to = 0;
        for row in 0..order {
            values.copy_within(row * order..row * order + row + 1, to);
            to += block(order, row / BLOCK).end;
        }
        values.truncate(to);
        values.shrink_to_fit();
        Ok(Self { order, values })
    }

    /// The entry in some row and column.
    pub fn get(&self, row: usize, column: usize) -> T {
        let (row, column) = (row.max(column), row.min(column));
        self.line(row)[column]
    }

    /// Puts a value into some row and column, and in its mirror image.
    pub fn set(&mut self, row: usize, column: usize, value: T) {
        let (row, column) = (row.max(column), row.min(column));
        let rows = block(self.order, row / BLOCK);
        self.values[start(row / BLOCK) + (row - rows.start) * rows.end + column] = value;
    }

    /// Some rows and the same columns.
    pub fn select(&self, chosen: &[usize], run: &Run) -> Result<Self> {
        Self::filled(chosen.len(), run, |rows, columns, out| {
            for (i, out) in rows.zip(out.chunks_exact_mut(columns)) {
                out.iter_mut().zip(chosen).for_each(|(out, &j)| *out = self.get(chosen[i], j));
            }
        })
    }

    /// The row `i`, up to the diagonal at least.
    fn line(&self, i: usize) -> &[T] {
        let index = i / BLOCK;
        let rows = block(self.order, index);
        &self.values[start(index) + (i - rows.start) * rows.end..][..rows.end]
    }

    /// A whole row.
    pub fn row(&self, i: usize) -> Vec<T> {
        let mut row = Vec::with_capacity(self.order);
        row.extend_from_slice(&self.line(i)[..=i]);
        row.extend((i + 1..self.order).map(|j| self.line(j)[i]));
        row
    }

    /// The entries on the diagonal.
    pub fn diagonal(&self) -> Vec<T> {
        (0..self.order).map(|i| self.get(i, i)).collect()
    }

    /// Changes the entries, in parallel: `f` gets a row and its entries from the first to the diagonal.
    pub fn update(&mut self, run: &Run, f: impl Fn(usize, &mut [T]) + Send + Sync) -> Result<()> {
        self.blocks(run, |rows, part| {
            let width = rows.end;
            rows.zip(part.chunks_exact_mut(width)).for_each(|(row, part)| f(row, &mut part[..=row]));
        })
    }

    /// The products with a few vectors, one a column.
    pub fn times(&self, x: MatRef<'_, T>, run: &Run) -> Result<Mat<T>> {
        let mut out = Mat::zeros(self.order, x.ncols());
        self.apply(x, out.as_mut(), run)?;
        Ok(out)
    }

    /// The sum of the squares of all entries.
    pub fn squared_norm(&self, run: &Run) -> Result<f64> {
        let parts = lowland_base::parallel::map_chunks(run, self.order, BLOCK, |rows| {
            rows.map(|i| 2.0 * squares(&self.line(i)[..i]) + self.get(i, i).wide().powi(2)).sum::<f64>()
        })?;
        Ok(parts.into_iter().sum())
    }

    /// `f` on every block.
    fn blocks(&mut self, run: &Run, f: impl Fn(Range<usize>, &mut [T]) + Send + Sync) -> Result<()> {
        let mut parts = Vec::with_capacity(self.order.div_ceil(BLOCK));
        let mut rest = &mut self.values[..];
        for index in 0..self.order.div_ceil(BLOCK) {
            let rows = block(self.order, index);
            let (part, after) = rest.split_at_mut(rows.len() * rows.end);
            parts.push((rows, part));
            rest = after;
        }
        run.install(|| {
            parts.into_par_iter().with_max_len(1).try_for_each(|(rows, part)| {
                run.check()?;
                f(rows, part);
                Ok(())
            })
        })
    }
}

precompiled!(
    Product,
    both,
    product(a: &'r Packed<T>, x: MatRef<'r, T>, out: MatMut<'r, T>, run: &'r Run) -> Result<()>
);

fn product<T: Scalar>(a: &Packed<T>, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
    triangle::product(a, x, out, run)
}

/// The sum of squares, in eight sums that vector instructions can take together.
fn squares<T: Scalar>(values: &[T]) -> f64 {
    let (whole, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for part in whole {
        sums.iter_mut().zip(part).for_each(|(sum, value)| *sum += value.wide() * value.wide());
    }
    sums.iter().sum::<f64>() + rest.iter().map(|value| value.wide().powi(2)).sum::<f64>()
}

impl<T: Scalar> triangle::Lines<T> for &Packed<T> {
    #[inline(always)]
    fn line(&self, i: usize) -> &[T] {
        Packed::line(self, i)
    }
}

impl<T: Scalar> Operator<T> for Packed<T> {
    fn order(&self) -> usize {
        self.order
    }

    fn apply(&self, x: MatRef<'_, T>, out: MatMut<'_, T>, run: &Run) -> Result<()> {
        T::run_precompiled::<Product>((self, x, out, run))
    }

    fn diagonal(&self) -> Option<Vec<T>> {
        Some(Packed::diagonal(self))
    }

    fn to_dense(&self, _run: &Run) -> Result<Mat<T>> {
        Ok(Mat::from_fn(self.order, self.order, |i, j| self.get(i, j)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(i: usize, j: usize) -> f64 {
        let (i, j) = (i.max(j), i.min(j));
        ((i * 7919 + j * 104_729) % 1009) as f64 / 100.0 - 5.0
    }

    #[test]
    fn every_order() {
        let run = Run::new();
        for n in (0..140).chain([500, 2200]) {
            let whole = (0..n * n).map(|at| if at % n <= at / n { entry(at / n, at % n) } else { f64::NAN });
            let packed = Packed::from_lower(n, whole.collect()).unwrap();
            let mut filled = Packed::filled(n, &run, |rows, width, part| {
                for (i, row) in rows.zip(part.chunks_exact_mut(width)) {
                    row.iter_mut().enumerate().for_each(|(j, value)| *value = entry(i, j) - 1.0);
                }
            })
            .unwrap();
            filled.update(&run, |_, row| row.iter_mut().for_each(|value| *value += 1.0)).unwrap();
            let dense = Mat::from_fn(n, n, entry);
            for (i, j) in (0..n).flat_map(|i| [(i, 0), (i, n / 2), (i, i), (0, i), (n / 3, i)]) {
                assert_eq!(packed.get(i, j), entry(i, j));
                assert!((filled.get(i, j) - entry(i, j)).abs() < 1e-14);
            }
            for i in [0, n / 2, n.saturating_sub(1)].into_iter().filter(|&i| i < n) {
                assert_eq!(packed.row(i), (0..n).map(|j| entry(i, j)).collect::<Vec<_>>());
            }
            let square: f64 =
                dense.col_iter().flat_map(|c| c.iter().map(|x| x * x).collect::<Vec<_>>()).sum();
            assert!((packed.squared_norm(&run).unwrap() - square).abs() <= 1e-12 * square);
            let chosen: Vec<usize> = (0..n).rev().step_by(3).collect();
            let mut part = packed.select(&chosen, &run).unwrap();
            for (i, &row) in chosen.iter().enumerate() {
                assert_eq!(part.row(i), chosen.iter().map(|&j| entry(row, j)).collect::<Vec<_>>());
            }
            if chosen.len() > 1 {
                part.set(0, chosen.len() - 1, 77.0);
                assert_eq!((part.get(chosen.len() - 1, 0), part.get(0, chosen.len() - 1)), (77.0, 77.0));
            }
            for columns in [1, 2, 3, 5] {
                let x = Mat::from_fn(n, columns, |i, j| entry(i, i * j + 3));
                let (out, expected) = (packed.times(x.as_ref(), &run).unwrap(), &dense * &x);
                assert!((out - &expected).norm_max() <= 1e-13 * n as f64 * 25.0);
            }
        }
    }

    #[test]
    fn what_is_not_square_is_refused() {
        assert!(matches!(Packed::from_lower(3, vec![0.0; 6]), Err(Error::NotSquare { .. })));
    }
}
