//! The Gram matrix of the columns of tall data, `Z'Z`: the one product that PCA and its relatives spend their
//! time in.

use crate::rows::Rows;
use faer::linalg::matmul::{
    matmul,
    triangular::{self, BlockStructure},
};
use faer::reborrow::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use lowland_base::parallel::fold_in_order;
use lowland_base::{Result, Run, Scalar, precompiled};
use std::ops::Range;

/// Rows packed at a time: deep enough for the product's own blocking.
const DEPTH: usize = 256;
/// Columns of an output tile, at most: what each thread holds is one tile.
const TILE: usize = 1024;
/// Blocks summed in `T` before they are added to the sum in double precision.
const FOLD: usize = 4;

/// `Z'Z` in double precision for `Z` the centered and scaled rows, both triangles filled. The work is cut by the
/// shape alone and summed in a fixed order: the same bits for every number of threads and memory layout.
pub fn gram<T: Scalar>(z: Rows<'_, T>, run: &Run) -> Result<Mat<f64>> {
    T::run_precompiled::<Gram>((z, run))
}

precompiled!(Gram, both, gram_in(z: Rows<'r, T>, run: &'r Run) -> Result<Mat<f64>>);

fn gram_in<T: Scalar>(z: Rows<'_, T>, run: &Run) -> Result<Mat<f64>> {
    let d = z.x.ncols();
    let tiles = d.div_ceil(TILE).max(1);
    let tile_width = d.div_ceil(tiles).next_multiple_of(16);
    let tile = |t: usize| (t * tile_width).min(d)..((t + 1) * tile_width).min(d);
    let mut gram = Mat::<f64>::zeros(d, d);
    for i in 0..tiles {
        for j in 0..=i {
            let target = gram.as_mut().get_mut(tile(i), tile(j));
            add_tile(z, tile(i), tile(j), target, run)?;
        }
    }
    for j in 0..d {
        for i in 0..j {
            gram[(i, j)] = gram[(j, i)];
        }
    }
    Ok(gram)
}

/// What a thread works in.
struct Scratch<T> {
    left: Vec<T>,
    right: Vec<T>,
    part: Mat<T>,
}

/// Adds one tile of the product. Of a tile on the diagonal only the lower triangle.
fn add_tile<T: Scalar>(
    z: Rows<'_, T>,
    left: Range<usize>,
    right: Range<usize>,
    mut sum: MatMut<'_, f64>,
    run: &Run,
) -> Result<()> {
    let diagonal = left == right;
    let group = FOLD * DEPTH;
    let scratch = || Scratch {
        left: vec![T::default(); DEPTH * left.len()],
        right: vec![T::default(); if diagonal { 0 } else { DEPTH * right.len() }],
        part: Mat::<T>::zeros(left.len(), right.len()),
    };
    let work = |index: usize, scratch: &mut Scratch<T>| {
        let rows = index * group..((index + 1) * group).min(z.x.nrows());
        let part = &mut scratch.part;
        for (position, start) in rows.clone().step_by(DEPTH).enumerate() {
            let here = start..(start + DEPTH).min(rows.end);
            let height = here.len();
            let accum = if position == 0 { Accum::Replace } else { Accum::Add };
            z.pack(here.clone(), left.clone(), &mut scratch.left);
            // A packed block, row after row, is its own transpose in columns.
            let a = MatRef::from_column_major_slice(&scratch.left[..left.len() * height], left.len(), height);
            if diagonal {
                lower_product(part.as_mut(), accum, a);
            } else {
                z.pack(here, right.clone(), &mut scratch.right);
                let b = &scratch.right[..right.len() * height];
                let b = MatRef::from_row_major_slice(b, height, right.len());
                matmul(part.as_mut(), accum, a, b, T::one(), Par::Seq);
            }
        }
    };
    let fold = |_, (), scratch: &mut Scratch<T>| {
        for (j, (to, from)) in sum.rb_mut().col_iter_mut().zip(scratch.part.col_iter()).enumerate() {
            let start = if diagonal { j } else { 0 };
            let (to, from) = (to.try_as_col_major_mut(), from.try_as_col_major());
            if let (Some(to), Some(from)) = (to, from) {
                let (to, from) = (&mut to.as_slice_mut()[start..], &from.as_slice()[start..]);
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from.wide());
            }
        }
    };
    fold_in_order(run, z.x.nrows().div_ceil(group), scratch, work, fold)
}

fn lower_product<T: Scalar>(out: MatMut<'_, T>, accum: Accum, a: MatRef<'_, T>) {
    triangular::matmul(
        out,
        BlockStructure::TriangularLower,
        accum,
        a,
        BlockStructure::Rectangular,
        a.transpose(),
        BlockStructure::Rectangular,
        T::one(),
        Par::Seq,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Center, centering};

    fn data<T: Scalar>(n: usize, d: usize, seed: u64) -> Mat<T> {
        use rand::RngExt;
        let mut rng = Run::new().with_seed(seed).rng("gram test");
        Mat::from_fn(n, d, |_, _| T::of(rng.random::<f64>() - 0.3))
    }

    fn check<T: Scalar>(n: usize, d: usize) {
        let run = Run::new();
        let x = data::<T>(n, d, (n * 1000 + d) as u64);
        let mean = centering(x.as_ref(), &run).unwrap().mean;
        let z = Rows { x: x.as_ref(), center: Center::Columns(&mean), scale: 0.5 };
        let fast = gram(z, &run).unwrap();
        let centered = Mat::from_fn(n, d, |i, j| (x[(i, j)].wide() - mean[j]) * 0.5);
        let plain = centered.transpose() * &centered;
        for j in 0..d {
            for i in 0..d {
                let error = (fast[(i, j)] - plain[(i, j)]).abs();
                assert!(error <= n as f64 * T::EPSILON.wide(), "{n} x {d} at ({i}, {j}): {error}");
                assert_eq!(fast[(i, j)], fast[(j, i)]);
            }
        }
        let one = gram(z, &Run::new().with_threads(1).unwrap()).unwrap();
        assert!(one == fast, "the bits depend on the number of threads");
        let row_major = Mat::from_fn(d, n, |i, j| x[(j, i)]);
        let other_layout = gram(Rows { x: row_major.transpose(), ..z }, &run).unwrap();
        assert!(other_layout == fast, "the bits depend on the layout");
    }

    #[test]
    fn equals_the_plain_product_for_every_shape_layout_and_number_of_threads() {
        for (n, d) in [(1, 1), (2, 3), (257, 9), (3000, 40), (600, 300), (1100, 530), (1500, 1100), (0, 4)] {
            check::<f64>(n, d);
            check::<f32>(n, d);
        }
    }
}
