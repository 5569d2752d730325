//! Points in Morton order: near in memory where they are near in space.

use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run, Scalar};
use rayon::prelude::*;

/// The bits of a code that are used, shared among the coordinates.
pub const BITS: usize = 60;

/// A code and the point it belongs to.
pub type Coded = (u64, u32);

/// Points a chunk.
const CHUNK: usize = 4096;

/// The codes of all points in ascending order, ties by number. Coordinates beyond the third do not count.
pub fn morton<T: Scalar, const D: usize>(layout: &[[T; D]], run: &Run) -> Result<Vec<Coded>> {
    let used = D.min(3);
    let (low, high) = bounds(layout, run)?;
    let width = (0..used).fold(0.0_f64, |width, c| width.max(high[c].wide() - low[c].wide()));
    let bits = BITS / used.max(1);
    let cells = (1_u64 << bits) as f64;
    let scale = if width > 0.0 { cells / width } else { 0.0 };
    let parts = map_chunks(run, layout.len(), CHUNK, |range| -> Vec<Coded> {
        let code = |i: usize| {
            let mut cells_of = [0_u64; 3];
            for c in 0..used {
                let cell = (layout[i][c].wide() - low[c].wide()) * scale;
                cells_of[c] = (cell as u64).min((1 << bits) - 1);
            }
            (interleave(&cells_of[..used]), i as u32)
        };
        range.map(code).collect()
    })?;
    let mut codes = parts.concat();
    run.install(|| codes.par_sort_unstable());
    Ok(codes)
}

fn interleave(cells: &[u64]) -> u64 {
    match cells {
        [x] => *x,
        [x, y] => spread_two(*x) << 1 | spread_two(*y),
        [x, y, z] => spread_three(*x) << 2 | spread_three(*y) << 1 | spread_three(*z),
        _ => 0,
    }
}

/// A zero after each bit.
fn spread_two(mut x: u64) -> u64 {
    x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x << 2) & 0x3333_3333_3333_3333;
    (x | x << 1) & 0x5555_5555_5555_5555
}

/// Two zeros after each bit.
fn spread_three(mut x: u64) -> u64 {
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// The corners of the box around all points.
pub fn bounds<T: Scalar, const D: usize>(layout: &[[T; D]], run: &Run) -> Result<([T; D], [T; D])> {
    let parts = map_chunks(run, layout.len(), CHUNK, |range| {
        let (mut low, mut high) = (layout[range.start], layout[range.start]);
        for y in &layout[range] {
            for c in 0..D {
                low[c] = if y[c] < low[c] { y[c] } else { low[c] };
                high[c] = if y[c] > high[c] { y[c] } else { high[c] };
            }
        }
        (low, high)
    })?;
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or(([T::zero(); D], [T::zero(); D]));
    Ok(parts.fold(first, |(mut low, mut high), (l, h)| {
        for c in 0..D {
            low[c] = low[c].min(l[c]);
            high[c] = high[c].max(h[c]);
        }
        (low, high)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_interleave_the_bits_of_the_coordinates() {
        for (x, y, z) in [(0, 0, 0), (1, 2, 3), (0xfffff, 0x12345, 0xabcde)] {
            let bit = |v: u64, b: usize| v >> b & 1;
            let two = (0..30).fold(0, |code, b| code | bit(x, b) << (2 * b + 1) | bit(y, b) << (2 * b));
            assert_eq!(interleave(&[x, y]), two);
            let three = (0..20).fold(0, |code, b| {
                code | bit(x, b) << (3 * b + 2) | bit(y, b) << (3 * b + 1) | bit(z, b) << (3 * b)
            });
            assert_eq!(interleave(&[x, y, z]), three);
        }
    }
}
