//! The inner loops: squared distances and products between a few queries and many points in single
//! precision, and the full squared distances between rows.
//!
//! Points lie in panels of [`LANES`], coordinate by coordinate, so that one vector instruction serves many
//! points; [`TILE`] queries share each load. Every sum runs over the coordinates in order, whatever the
//! instruction set and however the queries are grouped: a pair has one value.

use faer::traits::pulp::{Arch, Simd, WithSimd};
use lowland_base::Scalar;

/// How many points a panel holds.
pub const LANES: usize = 16;
/// How many queries are compared with a panel at a time.
pub const TILE: usize = 4;
/// One coordinate of the points of a panel.
pub type Lane = [f32; LANES];
/// One coordinate of the queries of a tile.
pub type Pack = [f32; TILE];
/// What comes out: a value for each query and each point of a panel.
pub type Values = [[f32; LANES]; TILE];

struct Tiles<'a, const PRODUCT: bool> {
    queries: &'a [Pack],
    panels: &'a [Lane],
    out: &'a mut [Values],
}

#[inline(always)]
fn tile<const FUSED: bool, const PRODUCT: bool>(queries: &[Pack], panel: &[Lane]) -> Values {
    let mut sums = [[0.0_f32; LANES]; TILE];
    for (query, point) in queries.iter().zip(panel) {
        for i in 0..TILE {
            for l in 0..LANES {
                let (a, b) = if PRODUCT {
                    (point[l], query[i])
                } else {
                    let difference = point[l] - query[i];
                    (difference, difference)
                };
                sums[i][l] = if FUSED { a.mul_add(b, sums[i][l]) } else { a * b + sums[i][l] };
            }
        }
    }
    sums
}

impl<const PRODUCT: bool> WithSimd for Tiles<'_, PRODUCT> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for (panel, out) in self.panels.chunks_exact(self.queries.len().max(1)).zip(self.out) {
            // Without the instruction, a fused product is a slow library call.
            *out = if S::IS_SCALAR {
                tile::<false, PRODUCT>(self.queries, panel)
            } else {
                tile::<true, PRODUCT>(self.queries, panel)
            };
        }
    }
}

/// Squared distances from a tile of queries to the points of consecutive panels, one output a panel.
pub fn squared_distances(queries: &[Pack], panels: &[Lane], out: &mut [Values]) {
    Arch::new().dispatch(Tiles::<false> { queries, panels, out });
}

/// Inner products of a tile of queries with the points of consecutive panels, one output a panel.
pub fn products(queries: &[Pack], panels: &[Lane], out: &mut [Values]) {
    Arch::new().dispatch(Tiles::<true> { queries, panels, out });
}

struct Rows<'a, T> {
    query: &'a [T],
    rows: &'a [T],
    at: &'a [u32],
    out: &'a mut Vec<T>,
}

/// Enough sums side by side to keep the units busy.
const WIDE: usize = 32;

#[inline(always)]
fn between<T: Scalar, const FUSED: bool>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::zero(); WIDE];
    let mut add = |x: &[T], y: &[T]| {
        for l in 0..WIDE {
            let d = x[l] - y[l];
            sums[l] = if FUSED { num_traits::Float::mul_add(d, d, sums[l]) } else { d * d + sums[l] };
        }
    };
    let (a_chunks, b_chunks) = (a.chunks_exact(WIDE), b.chunks_exact(WIDE));
    let (a_rest, b_rest) = (a_chunks.remainder(), b_chunks.remainder());
    for (x, y) in a_chunks.zip(b_chunks) {
        add(x, y);
    }
    if !a_rest.is_empty() {
        let (mut x, mut y) = ([T::zero(); WIDE], [T::zero(); WIDE]);
        x[..a_rest.len()].copy_from_slice(a_rest);
        y[..b_rest.len()].copy_from_slice(b_rest);
        add(&x, &y);
    }
    total(&sums)
}

/// The sum, by halves. Kept out of line: merged into the loop above, its last steps (two numbers wide) make
/// the compiler vectorize the loop two numbers wide as well.
#[inline(never)]
fn total<T: Scalar>(sums: &[T; WIDE]) -> T {
    let mut sums = *sums;
    let mut half = WIDE / 2;
    while half > 0 {
        for l in 0..half {
            sums[l] += sums[l + half];
        }
        half /= 2;
    }
    sums[0]
}

impl<T: Scalar> WithSimd for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let width = self.query.len();
        for &at in self.at {
            let row = &self.rows[at as usize * width..][..width];
            self.out.push(if S::IS_SCALAR {
                between::<T, false>(self.query, row)
            } else {
                between::<T, true>(self.query, row)
            });
        }
    }
}

/// Squared distances from a query to the rows `at` of a row-major buffer, by direct differences, into `out`.
pub fn squared_distances_to_rows<T: Scalar>(query: &[T], rows: &[T], at: &[u32], out: &mut Vec<T>) {
    out.clear();
    Arch::new().dispatch(Rows { query, rows, at, out });
}
