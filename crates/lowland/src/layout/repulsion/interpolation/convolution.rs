//! A real grid convolved with an even kernel by fast Fourier transforms. The grid is padded to twice its size, so that
//! nothing comes around from the other side; zero halves are never transformed.

use super::fft::{Fft, LANES, Lane};
use lowland_base::parallel::fill_rows;
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};

/// Real columns at a time: one in the real parts and one in the imaginary parts of each lane.
pub const PAIR: usize = 2 * LANES;

/// A grid of `rows x columns` (columns a multiple of [`PAIR`]) inside a periodic one.
#[derive(Debug, Clone)]
pub struct Convolution<T> {
    rows: usize,
    columns: usize,
    along_rows: Fft<T>,
    along_columns: Fft<T>,
    /// The transform of the kernel, real because the kernel is even: for each block of row frequencies, each column
    /// frequency.
    spectrum: Vec<[T; LANES]>,
    /// The grid transformed along its columns: for each block of columns, each row frequency.
    half: Vec<T>,
    /// The result before its last transform: for each block of row frequencies, each column.
    mid: Vec<Lane<T>>,
    /// The result: for each block of columns, each row.
    out: Vec<T>,
}

impl<T: Scalar> Convolution<T> {
    /// `kernel(i, j)` is the kernel at `i` rows and `j` columns of distance; `response(k, l)` divides its transform at the
    /// angles `k` and `l`.
    pub fn new(
        (rows, columns): (usize, usize),
        (padded_rows, padded_columns): (usize, usize),
        kernel: impl Fn(usize, usize) -> f64 + Sync + Send,
        response: impl Fn(f64, f64) -> f64 + Sync + Send,
        run: &Run,
    ) -> Result<Self> {
        let blocks = (padded_rows / 2 + 1).div_ceil(LANES);
        let spectrum = spectrum(padded_rows, padded_columns, kernel, response, run)?;
        Ok(Self {
            rows,
            columns,
            along_rows: Fft::new(padded_rows),
            along_columns: Fft::new(padded_columns),
            spectrum,
            half: vec![T::zero(); columns / PAIR * blocks * LANES * 2 * PAIR],
            mid: vec![Lane::zero(); blocks * columns],
            out: vec![T::zero(); rows * columns],
        })
    }

    /// Replaces the row-major grid by its convolution.
    pub fn apply(&mut self, grid: &mut [T], run: &Run) -> Result<()> {
        let Self { rows, columns, along_rows, along_columns, spectrum, half, mid, out } = self;
        let (rows, columns) = (*rows, *columns);
        let blocks = (along_rows.len() / 2 + 1).div_ceil(LANES);
        let part = blocks * LANES * 2 * PAIR;
        fill_rows(run, half, part, 1, |block, half| {
            let (mut x, mut scratch) = work(along_rows);
            vectorized(
                #[inline(always)]
                || {
                    for (row, x) in grid.chunks_exact(columns).zip(&mut x) {
                        let row = &row[block.start * PAIR..][..PAIR];
                        x.re.copy_from_slice(&row[..LANES]);
                        x.im.copy_from_slice(&row[LANES..]);
                    }
                    along_rows.forward(&mut x, &mut scratch);
                    separate(&x, half);
                },
            );
        })?;
        let half = &*half;
        fill_rows(run, mid, columns, 1, |block, mid| {
            let (mut x, mut scratch) = work(along_columns);
            let spectrum = &spectrum[block.start * along_columns.len()..][..along_columns.len()];
            vectorized(
                #[inline(always)]
                || {
                    for (x, half) in x.chunks_exact_mut(PAIR).zip(half.chunks_exact(part)) {
                        let half = &half[block.start * LANES * 2 * PAIR..][..LANES * 2 * PAIR];
                        for (c, x) in x.iter_mut().enumerate() {
                            for lane in 0..LANES {
                                x.re[lane] = half[lane * 2 * PAIR + c];
                                x.im[lane] = half[lane * 2 * PAIR + PAIR + c];
                            }
                        }
                    }
                    // Only the first `columns` of the padded row hold something.
                    x[columns..].fill(Lane::zero());
                    along_columns.forward(&mut x, &mut scratch);
                    for (x, spectrum) in x.iter_mut().zip(spectrum) {
                        // Exchanged, for the inverse.
                        let Lane { re, im } = *x;
                        for lane in 0..LANES {
                            x.re[lane] = im[lane] * spectrum[lane];
                            x.im[lane] = re[lane] * spectrum[lane];
                        }
                    }
                    along_columns.forward(&mut x, &mut scratch);
                    for (mid, x) in mid.iter_mut().zip(&x) {
                        *mid = Lane { re: x.im, im: x.re };
                    }
                },
            );
        })?;
        let mid = &*mid;
        fill_rows(run, out, rows * PAIR, 1, |block, out| {
            let (mut x, mut scratch) = work(along_rows);
            vectorized(
                #[inline(always)]
                || {
                    unite(mid, columns, block.start * PAIR, &mut x);
                    along_rows.forward(&mut x, &mut scratch);
                    for (out, x) in out.chunks_exact_mut(PAIR).zip(&x) {
                        out[..LANES].copy_from_slice(&x.im);
                        out[LANES..].copy_from_slice(&x.re);
                    }
                },
            );
        })?;
        let out = &*out;
        fill_rows(run, grid, columns, 16, |range, grid| {
            for (row, grid) in range.zip(grid.chunks_exact_mut(columns)) {
                for (block, grid) in grid.chunks_exact_mut(PAIR).enumerate() {
                    grid.copy_from_slice(&out[(block * rows + row) * PAIR..][..PAIR]);
                }
            }
        })
    }
}

fn work<T: Scalar>(fft: &Fft<T>) -> (Vec<Lane<T>>, Vec<Lane<T>>) {
    (vec![Lane::zero(); fft.len()], vec![Lane::zero(); fft.len()])
}

/// The transforms `A` and `B` of two real columns from that of `a + i b`, for the first half of the frequencies.
#[inline(always)]
fn separate<T: Scalar>(x: &[Lane<T>], half: &mut [T]) {
    let n = x.len();
    let two = T::of(0.5);
    for (k, half) in half.chunks_exact_mut(2 * PAIR).take(n / 2 + 1).enumerate() {
        let (z, mirror) = (x[k], x[(n - k) % n]);
        for lane in 0..LANES {
            half[lane] = (z.re[lane] + mirror.re[lane]) * two;
            half[LANES + lane] = (z.im[lane] + mirror.im[lane]) * two;
            half[PAIR + lane] = (z.im[lane] - mirror.im[lane]) * two;
            half[PAIR + LANES + lane] = (mirror.re[lane] - z.re[lane]) * two;
        }
    }
}

/// The way back: `A + i B` at all frequencies, real and imaginary parts exchanged for the inverse.
#[inline(always)]
fn unite<T: Scalar>(mid: &[Lane<T>], columns: usize, first: usize, x: &mut [Lane<T>]) {
    let n = x.len();
    for (block, mid) in mid.chunks_exact(columns).enumerate() {
        let mid = &mid[first..][..PAIR];
        for within in 0..LANES {
            let k = block * LANES + within;
            if k > n / 2 {
                break;
            }
            let mut z = Lane::zero();
            let mut mirror = Lane::zero();
            for lane in 0..LANES {
                let (a, b) = (&mid[lane], &mid[LANES + lane]);
                let (a_re, a_im, b_re, b_im) = (a.re[within], a.im[within], b.re[within], b.im[within]);
                (z.im[lane], z.re[lane]) = (a_re - b_im, a_im + b_re);
                (mirror.im[lane], mirror.re[lane]) = (a_re + b_im, b_re - a_im);
            }
            x[k] = z;
            if k > 0 && 2 * k < n {
                x[n - k] = mirror;
            }
        }
    }
}

/// The transform of an even kernel on the periodic grid, divided by the number of its nodes and by `response`. In double
/// precision, whatever follows.
fn spectrum<T: Scalar>(
    rows: usize,
    columns: usize,
    kernel: impl Fn(usize, usize) -> f64 + Sync + Send,
    response: impl Fn(f64, f64) -> f64 + Sync + Send,
    run: &Run,
) -> Result<Vec<[T; LANES]>> {
    let (along_rows, along_columns) = (Fft::<f64>::new(rows), Fft::<f64>::new(columns));
    let frequencies = rows / 2 + 1;
    let distinct = columns / 2 + 1;
    // Even columns in pairs: the real part of the transform belongs to one, the imaginary part to the other.
    let mut first = vec![0.0; distinct.div_ceil(PAIR) * frequencies * PAIR];
    fill_rows(run, &mut first, frequencies * PAIR, 1, |block, first| {
        let (mut x, mut scratch) = work(&along_rows);
        for k in 0..frequencies {
            for lane in 0..LANES {
                let column = block.start * PAIR + lane;
                x[k].re[lane] = kernel(k, column.min(distinct - 1));
                x[k].im[lane] = kernel(k, (column + LANES).min(distinct - 1));
            }
            x[(rows - k) % rows] = x[k];
        }
        vectorized(
            #[inline(always)]
            || along_rows.forward(&mut x, &mut scratch),
        );
        for (first, x) in first.chunks_exact_mut(PAIR).zip(&x) {
            first[..LANES].copy_from_slice(&x.re);
            first[LANES..].copy_from_slice(&x.im);
        }
    })?;
    let blocks = frequencies.div_ceil(LANES);
    let mut out = vec![[T::zero(); LANES]; blocks * columns];
    let scale = 1.0 / (rows as f64 * columns as f64);
    let turn = 2.0 * std::f64::consts::PI;
    fill_rows(run, &mut out, columns, 2, |pair, out| {
        let (mut x, mut scratch) = work(&along_columns);
        for c in 0..distinct {
            let at = |k: usize| first[(c / PAIR * frequencies + k.min(frequencies - 1)) * PAIR + c % PAIR];
            for lane in 0..LANES {
                x[c].re[lane] = at(pair.start * LANES + lane);
                x[c].im[lane] = at(pair.start * LANES + LANES + lane);
            }
            x[(columns - c) % columns] = x[c];
        }
        vectorized(
            #[inline(always)]
            || along_columns.forward(&mut x, &mut scratch),
        );
        for (block, out) in out.chunks_exact_mut(columns).enumerate() {
            for (l, (out, x)) in out.iter_mut().zip(&x).enumerate() {
                for lane in 0..LANES {
                    let k = (pair.start + block) * LANES + lane;
                    let value = if block == 0 { x.re[lane] } else { x.im[lane] };
                    let angles = (turn * k as f64 / rows as f64, turn * l as f64 / columns as f64);
                    out[lane] = T::of(value * scale / response(angles.0, angles.1));
                }
            }
        }
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::repulsion::interpolation::fft::smooth;

    #[test]
    fn the_convolution_is_the_sum_it_stands_for() {
        let run = Run::new();
        for (rows, columns) in [(5, 16), (20, 32), (3, 48)] {
            let kernel = |i: usize, j: usize| 1.0 / (1.0 + (i * i) as f64 + 2.0 * (j * j) as f64);
            let padded = (smooth(2 * rows), smooth(2 * columns));
            let mut convolution =
                Convolution::<f64>::new((rows, columns), padded, kernel, |_, _| 1.0, &run).unwrap();
            let grid: Vec<f64> = (0..rows * columns).map(|k| ((k * 37) % 19) as f64 - 7.0).collect();
            let mut out = grid.clone();
            convolution.apply(&mut out, &run).unwrap();
            for (index, found) in out.iter().enumerate() {
                let (r, c) = (index / columns, index % columns);
                let sum: f64 = (0..grid.len())
                    .map(|k| grid[k] * kernel(r.abs_diff(k / columns), c.abs_diff(k % columns)))
                    .sum();
                assert!((sum - found).abs() < 1e-10, "{rows} x {columns}: {sum} {found}");
            }
        }
    }
}
