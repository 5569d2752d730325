//! What bounds the rest: the matrix products of a PCA, and the bandwidth of memory.

use crate::npy::{self, Array, Element};
use crate::protocol::{Arguments, Outcome, serve};
use faer::linalg::matmul::{matmul, triangular, triangular::BlockStructure};
use faer::{Accum, Mat, MatRef};
use lowland_base::{Scalar, parallel};
use rayon::prelude::*;
use std::cell::RefCell;

/// X'X, of which one half is computed, and X V for the axes V of the reference.
pub fn products(arguments: &Arguments) -> Outcome {
    match &*npy::descr(&arguments.file("")?)? {
        "<f4" => products_of::<f32>(arguments),
        _ => products_of::<f64>(arguments),
    }
}

fn products_of<T: Scalar + Element>(arguments: &Arguments) -> Outcome {
    let data: Array<T> = arguments.load("")?;
    let (n, dimensions) = data.rows_columns()?;
    let k = arguments.number("components")?;
    let axes: Array<f64> = arguments.load(&format!(".components-{k}"))?;
    let axes = Mat::from_fn(dimensions, k, |i, j| T::of(axes.values[j * dimensions + i]));
    let run = arguments.run()?;
    let x = MatRef::from_row_major_slice(&data.values, n, dimensions);
    let timed = || {
        let mut gram = Mat::<T>::zeros(dimensions, dimensions);
        let mut projected = Mat::<T>::zeros(n, k);
        run.install(|| {
            let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
            let (one, par) = (T::one(), parallel::FAER);
            triangular::matmul(&mut gram, lower, Accum::Replace, x.transpose(), whole, x, whole, one, par);
            matmul(&mut projected, Accum::Replace, x, &axes, one, par);
        });
        Ok((gram, projected))
    };
    serve(timed, |(gram, projected)| {
        // ||X V||_F^2 is the trace of V' (X'X) V.
        let entry = |i: usize, j: usize| gram[(i.max(j), i.min(j))].wide();
        let mut trace = 0.0;
        for (i, j) in (0..dimensions).flat_map(|i| (0..dimensions).map(move |j| (i, j))) {
            trace += entry(i, j) * (0..k).map(|c| axes[(i, c)].wide() * axes[(j, c)].wide()).sum::<f64>();
        }
        let squares = (0..k).flat_map(|c| projected.col(c).iter().map(|v| v.wide().powi(2)));
        Ok(vec![("mismatch", (squares.sum::<f64>() - trace).abs() / trace)])
    })
}

/// A copy of the data, each thread its part.
pub fn copy(arguments: &Arguments) -> Outcome {
    let data: Array<f64> = arguments.load("")?;
    let (run, threads) = (arguments.run()?, arguments.number("threads")?);
    // Ones, not zeros: the pages are there before the first copy.
    let target = RefCell::new(vec![1.0; data.values.len()]);
    let part = data.values.len().div_ceil(threads).max(1);
    let timed = || {
        let target: &mut [f64] = &mut target.borrow_mut();
        run.install(|| {
            let parts = target.par_chunks_mut(part).zip(data.values.par_chunks(part));
            parts.for_each(|(target, source)| target.copy_from_slice(source));
        });
        Ok(())
    };
    serve(timed, |()| {
        let target = target.borrow();
        let wrong = target.iter().zip(&data.values).filter(|(copied, value)| copied != value).count();
        Ok(vec![("wrong", wrong as f64)])
    })
}
