//! Square matrices that are made symmetric: small ones by the mean, large ones in place, tile by tile and in parallel.

use faer::{Mat, MatRef};
use lowland_base::{Result, Run};
use rayon::prelude::*;
use std::ops::Range;

/// The mean of a matrix and its transpose: what rounding has left apart comes together.
pub fn mean(matrix: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]))
}

/// The order of a tile: two of them fit into the first cache.
const TILE: usize = 32;

/// Puts the smaller of two mirrored entries of a row-major matrix of order `n` into both.
pub fn least<T: Copy + PartialOrd + Send + Sync>(matrix: &mut [T], n: usize, run: &Run) -> Result<()> {
    run.install(|| join(matrix, 0..n, n, run))
}

/// The same for the rows and the columns of a range: a quarter off the diagonal, then the two on it.
fn join<T: Copy + PartialOrd + Send + Sync>(
    rows: &mut [T],
    range: Range<usize>,
    n: usize,
    run: &Run,
) -> Result<()> {
    run.check()?;
    let (start, end) = (range.start, range.end);
    if range.len() <= TILE {
        for i in 0..range.len() {
            for j in i + 1..range.len() {
                let (upper, lower) = (i * n + start + j, j * n + start + i);
                let least = smaller(rows[upper], rows[lower]);
                (rows[upper], rows[lower]) = (least, least);
            }
        }
        return Ok(());
    }
    let middle = start + (range.len() / 2).next_multiple_of(TILE);
    let (above, below) = rows.split_at_mut((middle - start) * n);
    quarter(above, start, below, middle..end, n, &smaller);
    quarter(below, middle, above, start..middle, n, &|_, upper| upper);
    let (first, second) =
        rayon::join(|| join(above, start..middle, n, run), || join(below, middle..end, n, run));
    first.and(second)
}

fn smaller<T: PartialOrd>(upper: T, lower: T) -> T {
    if lower < upper { lower } else { upper }
}

/// Sets the entries of some rows, from the row `first` on, in the columns `others` to `f` of themselves and their mirror
/// images, which are in the rows `mirrored`.
fn quarter<T: Copy + Send + Sync>(
    rows: &mut [T],
    first: usize,
    mirrored: &[T],
    others: Range<usize>,
    n: usize,
    f: &(impl Fn(T, T) -> T + Sync),
) {
    rows.par_chunks_mut(TILE * n).enumerate().for_each(|(c, rows)| {
        let (top, height) = (first + c * TILE, rows.len() / n);
        let mut tile = [[mirrored[0]; TILE]; TILE];
        for left in others.clone().step_by(TILE) {
            let width = TILE.min(others.end - left);
            for (j, line) in mirrored[(left - others.start) * n..].chunks_exact(n).take(width).enumerate() {
                for (tile, &value) in tile.iter_mut().zip(&line[top..top + height]) {
                    tile[j] = value;
                }
            }
            for (row, tile) in rows.chunks_exact_mut(n).zip(&tile) {
                for (value, &mirrored) in row[left..left + width].iter_mut().zip(tile) {
                    *value = f(*value, mirrored);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order() {
        for n in (0..140).chain([500]) {
            let matrix: Vec<usize> = (0..n * n).map(|at| at * 7919 % 1009).collect();
            let mut smaller = matrix.clone();
            least(&mut smaller, n, &Run::new()).unwrap();
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(smaller[i * n + j], matrix[i * n + j].min(matrix[j * n + i]));
                }
            }
        }
    }
}
