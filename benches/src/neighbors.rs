//! Nearest neighbors, each row's own point left out.

use crate::npy::{self, Array, Element};
use crate::protocol::{Arguments, Figure, Outcome, serve};
use faer::MatRef;
use lowland_base::{Result, Run, Scalar};
use lowland_neighbors::index::{Approximate, Brute, Tree};
use lowland_neighbors::{Index, Metric, Table};

/// By the tree for few dimensions.
pub fn tree(arguments: &Arguments) -> Outcome {
    search::<f64>(arguments, |x, k, run| Tree::new(x, Metric::Euclidean, run)?.k_nearest_of_all(k, run))
}

/// By blocked products.
pub fn brute(arguments: &Arguments) -> Outcome {
    match &*npy::descr(&arguments.file("")?)? {
        "<f4" => search::<f32>(arguments, |x, k, run| {
            Brute::new(x, Metric::Euclidean, run)?.k_nearest_of_all(k, run)
        }),
        _ => search::<f64>(arguments, |x, k, run| {
            Brute::new(x, Metric::Euclidean, run)?.k_nearest_of_all(k, run)
        }),
    }
}

/// By the approximate index.
pub fn approximate(arguments: &Arguments) -> Outcome {
    search::<f32>(arguments, |x, k, run| {
        Approximate::new(x, Metric::Euclidean, 0.98, run)?.k_nearest_of_all(k, run)
    })
}

fn search<T: Scalar + Element>(
    arguments: &Arguments,
    find: impl Fn(MatRef<'_, T>, usize, &Run) -> Result<Table<T>>,
) -> Outcome {
    let data: Array<T> = arguments.load("")?;
    let (n, dimensions) = data.rows_columns()?;
    let x = MatRef::from_row_major_slice(&data.values, n, dimensions);
    let (k, run) = (arguments.number("k")?, arguments.run()?);
    serve(|| Ok(find(x, k, &run)?), |table| recall(arguments, x, &table))
}

/// The fraction of the true neighbors that were found, over the rows of the reference. Found is what is no
/// farther than the farthest true one: of equally far points any will do.
pub fn recall<T: Scalar>(arguments: &Arguments, x: MatRef<'_, T>, table: &Table<T>) -> Outcome<Vec<Figure>> {
    let k = table.k;
    let rows: Array<i64> = arguments.load(&format!(".neighbors-{k}.rows"))?;
    let truth: Array<f64> = arguments.load(&format!(".neighbors-{k}"))?;
    let mut hits = 0;
    for (row, distances) in rows.values.iter().zip(truth.values.chunks_exact(k)) {
        let row = usize::try_from(*row)?;
        let mut near: Vec<usize> =
            table.row(row).0.iter().map(|&j| j as usize).filter(|&j| j != row).collect();
        near.sort_unstable();
        near.dedup();
        let apart =
            |j: usize| x.row(row).iter().zip(x.row(j).iter()).map(|(a, b)| (a.wide() - b.wide()).powi(2));
        let bound = distances[k - 1] * (1.0 + 1e-6);
        hits += near.into_iter().filter(|&j| apart(j).sum::<f64>().sqrt() <= bound).count();
    }
    Ok(vec![("recall", hits as f64 / truth.values.len() as f64)])
}
