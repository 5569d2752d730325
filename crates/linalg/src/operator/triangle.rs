//! The product of a dense symmetric matrix with a few vectors at once, reading one triangle only. Such a
//! product is bound by memory: each entry is loaded once and used twice for every vector.

use faer::{MatMut, MatRef};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar, parallel};
use std::array;
use std::ops::Range;

/// Columns that are visited in all rows before the next: the vectors' share of them stays in the second cache.
const TILE: usize = 2048;
/// The parts that are summed on their own, then in order: fixed, so that the bits are.
const PARTS: usize = 16;
/// The bounds of the parts are multiples of this, as every panel is.
const ALIGNED: usize = 8;

/// The rows of a symmetric matrix, each at least up to the diagonal.
pub(super) trait Lines<T>: Copy + Sync {
    /// The row `i`, or more of it than `0..=i`.
    fn line(&self, i: usize) -> &[T];
}

/// `out = A x` from the lower triangle.
pub(super) fn product<T: Scalar>(
    a: impl Lines<T>,
    x: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
    run: &Run,
) -> Result<()> {
    let mut done = 0;
    while done < x.ncols() {
        let width = (x.ncols() - done).min(4);
        let (x, out) = (x.subcols(done, width), out.as_mut().subcols_mut(done, width));
        // One register holds 32 bytes: 4 or 8 lanes.
        match (width, size_of::<T>()) {
            (1, 8) => block::<T, 4, 4, 1>(a, x, out, run)?,
            (1, _) => block::<T, 8, 4, 1>(a, x, out, run)?,
            (2, 8) => block::<T, 4, 4, 2>(a, x, out, run)?,
            (2, _) => block::<T, 8, 4, 2>(a, x, out, run)?,
            (_, 8) => block::<T, 4, 4, 4>(a, x, out, run)?,
            _ => block::<T, 8, 4, 4>(a, x, out, run)?,
        }
        done += width;
    }
    Ok(())
}

/// Up to `B` vectors, the missing ones zero; `L` lanes a register; panels of `P` rows. `P B` sums of `L`
/// lanes must fit into the registers.
fn block<T: Scalar, const L: usize, const P: usize, const B: usize>(
    a: impl Lines<T>,
    x: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
    run: &Run,
) -> Result<()> {
    let n = x.nrows();
    // `L` entries of all vectors lie together.
    let mut vectors = vec![[[T::zero(); L]; B]; n.div_ceil(L)];
    for v in 0..x.ncols() {
        for i in 0..n {
            vectors[i / L][v][i % L] = x[(i, v)];
        }
    }
    let bounds = equal_areas(n);
    // The longest rows first, so that no thread is left with them at the end.
    let parts = parallel::map_chunks(run, PARTS, 1, |part| {
        let part = PARTS - 1 - part.start;
        let rows = bounds[part]..bounds[part + 1];
        let mut sums = vec![[[T::zero(); L]; B]; rows.end.div_ceil(L)];
        let strip = Strip { a, vectors: &vectors };
        vectorized(
            #[inline(always)]
            || strip.add::<P>(rows, &mut sums),
        );
        sums
    })?;
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_default();
    for part in parts {
        for (total, part) in
            total.as_flattened_mut().as_flattened_mut().iter_mut().zip(part.as_flattened().as_flattened())
        {
            *total += *part;
        }
    }
    for v in 0..x.ncols() {
        for i in 0..n {
            out[(i, v)] = total[i / L][v][i % L];
        }
    }
    Ok(())
}

/// The bounds of row ranges of the lower triangle with about the same number of entries.
fn equal_areas(n: usize) -> [usize; PARTS + 1] {
    array::from_fn(|part| {
        let row = (n as f64 * (part as f64 / PARTS as f64).sqrt()) as usize;
        if part == PARTS { n } else { row.min(n) / ALIGNED * ALIGNED }
    })
}

/// The matrix and the vectors it is multiplied with.
#[derive(Clone, Copy)]
struct Strip<'a, A, T, const L: usize, const B: usize> {
    a: A,
    vectors: &'a [[[T; L]; B]],
}

impl<A: Lines<T>, T: Scalar, const L: usize, const B: usize> Strip<'_, A, T, L, B> {
    /// Adds what the rows, up to the diagonal, and their mirror image contribute.
    #[inline(always)]
    fn add<const P: usize>(self, rows: Range<usize>, sums: &mut [[[T; L]; B]]) {
        for tile in (0..rows.end).step_by(TILE) {
            let end = (tile + TILE).min(rows.end);
            for panel in rows.clone().step_by(P).filter(|&panel| panel + P > tile) {
                if panel + P <= rows.end {
                    self.add_panel::<P>(panel, tile..end, sums);
                } else {
                    for row in panel..rows.end {
                        self.add_panel::<1>(row, tile..end, sums);
                    }
                }
            }
        }
    }

    /// Adds the columns `tile`, up to the diagonal, of `P` rows.
    #[inline(always)]
    fn add_panel<const P: usize>(self, panel: usize, tile: Range<usize>, sums: &mut [[[T; L]; B]]) {
        let a = self.a;
        // Whole registers left of the corner on the diagonal; the corner entry by entry.
        let whole = tile.start..(panel / L * L).clamp(tile.start, tile.end);
        if !whole.is_empty() {
            let heads: [[T; B]; P] =
                array::from_fn(|p| array::from_fn(|v| self.vectors[(panel + p) / L][v][(panel + p) % L]));
            let mirrored = rectangle(
                array::from_fn(|p| a.line(panel + p)[whole.clone()].as_chunks().0),
                &self.vectors[whole.start / L..whole.end / L],
                &mut sums[whole.start / L..whole.end / L],
                &heads,
            );
            for p in 0..P {
                let position = panel + p;
                for v in 0..B {
                    sums[position / L][v][position % L] += mirrored[p][v];
                }
            }
        }
        for row in panel..panel + P {
            let line = a.line(row);
            for column in whole.end..tile.end.min(row + 1) {
                for v in 0..B {
                    sums[row / L][v][row % L] += line[column] * self.vectors[column / L][v][column % L];
                    if row != column {
                        sums[column / L][v][column % L] += line[column] * self.vectors[row / L][v][row % L];
                    }
                }
            }
        }
    }
}

/// `y += a h` and the returned `a' x`, in one pass over `a`.
#[inline(always)]
fn rectangle<T: Scalar, const L: usize, const P: usize, const B: usize>(
    a: [&[[T; L]]; P],
    x: &[[[T; L]; B]],
    y: &mut [[[T; L]; B]],
    heads: &[[T; B]; P],
) -> [[T; B]; P] {
    let steps = y.len();
    let a = a.map(|column| &column[..steps]);
    let mut sums = [[[T::zero(); L]; B]; P];
    for (step, (y, x)) in y.iter_mut().zip(x).enumerate() {
        let entries: [[T; L]; P] = array::from_fn(|p| a[p][step]);
        for v in 0..B {
            let (vector, mut sum) = (x[v], y[v]);
            for p in 0..P {
                for l in 0..L {
                    sum[l] = entries[p][l].mul_add(heads[p][v], sum[l]);
                    sums[p][v][l] = entries[p][l].mul_add(vector[l], sums[p][v][l]);
                }
            }
            y[v] = sum;
        }
    }
    sums.map(|row| row.map(|lanes| lanes.into_iter().sum()))
}
