//! The product of a dense symmetric matrix with a few vectors at once, reading one triangle only. Such a
//! product is bound by memory: each entry is loaded once and used twice for every vector.

use faer::{MatMut, MatRef};
use lowland_base::{Result, Run, Scalar, parallel};
use std::array;
use std::ops::Range;

/// Rows that are visited before the next panel: the vectors' share of them stays in the second cache.
const TILE: usize = 2048;
/// The parts that are summed on their own, then in order: fixed, so that the bits are.
const PARTS: usize = 16;
/// The bounds of the parts are multiples of this, as every panel is.
const ALIGNED: usize = 8;

/// `out = A x` from the lower triangle of `a`, whose columns must be contiguous.
pub(super) fn product<T: Scalar>(
    a: MatRef<'_, T>,
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

/// Up to `B` vectors, the missing ones zero; `L` lanes a register; panels of `P` columns. `P B` sums of `L`
/// lanes must fit into the registers.
fn block<T: Scalar, const L: usize, const P: usize, const B: usize>(
    a: MatRef<'_, T>,
    x: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
    run: &Run,
) -> Result<()> {
    let n = a.nrows();
    // `L` rows of all vectors lie together.
    let mut vectors = vec![[[T::zero(); L]; B]; n.div_ceil(L)];
    for v in 0..x.ncols() {
        for i in 0..n {
            vectors[i / L][v][i % L] = x[(i, v)];
        }
    }
    let bounds = equal_areas(n);
    let parts = parallel::map_chunks(run, PARTS, 1, |part| {
        let columns = bounds[part.start]..bounds[part.start + 1];
        let mut sums = vec![[[T::zero(); L]; B]; n.div_ceil(L) - columns.start / L];
        let strip = Strip { a, vectors: &vectors, first: columns.start / L * L };
        faer::traits::pulp::Arch::new().dispatch(
            #[inline(always)]
            || strip.add::<P>(columns, &mut sums),
        );
        sums
    })?;
    for v in 0..x.ncols() {
        for i in 0..n {
            out[(i, v)] = parts
                .iter()
                .zip(&bounds)
                .filter(|&(_, &first)| i >= first)
                .map(|(part, &first)| part[i / L - first / L][v][i % L])
                .sum();
        }
    }
    Ok(())
}

/// The bounds of column ranges of the lower triangle with about the same number of entries.
fn equal_areas(n: usize) -> [usize; PARTS + 1] {
    array::from_fn(|part| {
        let left = 1.0 - part as f64 / PARTS as f64;
        let column = (n as f64 * (1.0 - left.sqrt())) as usize;
        if part == PARTS { n } else { column.min(n) / ALIGNED * ALIGNED }
    })
}

/// Some columns of the lower triangle, which add to the rows from `first` on.
#[derive(Clone, Copy)]
struct Strip<'a, T, const L: usize, const B: usize> {
    a: MatRef<'a, T>,
    vectors: &'a [[[T; L]; B]],
    first: usize,
}

impl<T: Scalar, const L: usize, const B: usize> Strip<'_, T, L, B> {
    /// Adds what the columns and their mirror image contribute.
    #[inline(always)]
    fn add<const P: usize>(self, columns: Range<usize>, sums: &mut [[[T; L]; B]]) {
        let n = self.a.nrows();
        for tile in (self.first..n).step_by(TILE) {
            let end = (tile + TILE).min(n);
            for panel in columns.clone().step_by(P).take_while(|&panel| panel < end) {
                if panel + P <= columns.end {
                    self.add_panel::<P>(panel, tile..end, sums);
                } else {
                    for column in panel..columns.end {
                        self.add_panel::<1>(column, tile..end, sums);
                    }
                }
            }
        }
    }

    /// Adds the rows `tile`, on and below the diagonal, of `P` columns.
    #[inline(always)]
    fn add_panel<const P: usize>(self, panel: usize, tile: Range<usize>, sums: &mut [[[T; L]; B]]) {
        let columns: [&[T]; P] = array::from_fn(|p| {
            self.a.col(panel + p).try_as_col_major().map_or(&[][..], |column| column.as_slice())
        });
        let heads: [[T; B]; P] =
            array::from_fn(|p| array::from_fn(|v| self.vectors[(panel + p) / L][v][(panel + p) % L]));
        // Whole registers below the corner on the diagonal; the corner and the last rows entry by entry.
        let whole = (panel + P).next_multiple_of(L).clamp(tile.start, tile.end)..tile.end / L * L;
        let whole = if whole.is_empty() { tile.end..tile.end } else { whole };
        self.add_entries(&columns, panel, tile.start..whole.start, sums);
        self.add_entries(&columns, panel, whole.end..tile.end, sums);
        if whole.is_empty() {
            return;
        }
        let mirrored = rectangle(
            columns.map(|column| column[whole.clone()].as_chunks().0),
            &self.vectors[whole.start / L..whole.end / L],
            &mut sums[(whole.start - self.first) / L..(whole.end - self.first) / L],
            &heads,
        );
        for p in 0..P {
            let place = panel + p - self.first;
            for v in 0..B {
                sums[place / L][v][place % L] += mirrored[p][v];
            }
        }
    }

    #[inline(always)]
    fn add_entries<const P: usize>(
        self,
        columns: &[&[T]; P],
        panel: usize,
        rows: Range<usize>,
        sums: &mut [[[T; L]; B]],
    ) {
        for p in 0..P {
            let column = panel + p;
            for i in rows.start.max(column)..rows.end {
                let entry = columns[p][i];
                let (below, mirror) = (i - self.first, column - self.first);
                for v in 0..B {
                    sums[below / L][v][below % L] += entry * self.vectors[column / L][v][column % L];
                    if i != column {
                        sums[mirror / L][v][mirror % L] += entry * self.vectors[i / L][v][i % L];
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
