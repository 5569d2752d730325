//! The variance (divisor n) of each column, about its mean: an offset costs no digits.

use super::spectrum::column_means;
use crate::Input;
use lowland_base::{Csr, Result, Run, Scalar, parallel};
use ndarray::{ArrayView2, s};

/// Rows at a time.
const ROWS: usize = 1024;

/// The variances of the columns of points.
pub(crate) fn of_columns<T: Scalar>(input: Input<'_, T>, run: &Run) -> Result<Vec<f64>> {
    match input {
        Input::Sparse(x) | Input::Graph(x) => Ok(of_sparse(x)),
        Input::Points(x) | Input::Distances(x) | Input::Kernel(x) => of_dense(x, run),
    }
}

fn of_dense<T: Scalar>(x: ArrayView2<'_, T>, run: &Run) -> Result<Vec<f64>> {
    let (n, d) = x.dim();
    // Means of the differences to the first row.
    let first: Vec<f64> = x.rows().into_iter().take(1).flatten().map(|value| value.wide()).collect();
    let mean_of = |of: &(dyn Fn(usize, f64) -> f64 + Sync)| -> Result<Vec<f64>> {
        let parts = parallel::map_chunks(run, n, ROWS, |rows| {
            let mut sums = vec![0.0; d];
            for row in x.slice(s![rows, ..]).rows() {
                for (j, (sum, value)) in sums.iter_mut().zip(row).enumerate() {
                    *sum += of(j, value.wide());
                }
            }
            sums
        })?;
        let mut sums = vec![0.0; d];
        parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part));
        sums.iter_mut().for_each(|sum| *sum /= n.max(1) as f64);
        Ok(sums)
    };
    let mean = mean_of(&|j, value| value - first[j])?;
    mean_of(&|j, value| ((value - first[j]) - mean[j]).powi(2))
}

fn of_sparse<T: Scalar>(x: &Csr<T>) -> Vec<f64> {
    let (mean, _) = column_means(x);
    let n = x.nrows();
    let (mut sums, mut absent) = (vec![0.0; x.ncols()], vec![n; x.ncols()]);
    for (&column, value) in x.indices().iter().zip(x.values()) {
        let column = column as usize;
        sums[column] += (value.wide() - mean[column]).powi(2);
        absent[column] -= 1;
    }
    let of = |j: usize| (sums[j] + absent[j] as f64 * mean[j] * mean[j]) / n.max(1) as f64;
    (0..x.ncols()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Axis};
    use rand::RngExt;

    #[test]
    fn an_offset_costs_no_digits_and_sparse_rows_have_the_same_variances() {
        let run = Run::new();
        for seed in 0..10 {
            let mut rng = Run::new().with_seed(seed).rng("variances");
            let n = 1 + rng.random_range(0..3000usize);
            let x = Array2::from_shape_fn((n, 5), |_| (rng.random::<f64>() - 0.6).max(0.0));
            let entries: Vec<_> =
                x.indexed_iter().filter(|entry| *entry.1 > 0.0).map(|((i, j), &v)| (i, j, v)).collect();
            let sparse = Csr::from_entries(n, 5, &entries).unwrap();
            let known = x.var_axis(Axis(0), 0.0);
            let near = |found: &[f64], tolerance: f64| {
                found.iter().zip(&known).all(|(a, b)| (a - b).abs() <= tolerance * b.max(1e-300))
            };
            assert!(near(&of_columns(Input::Points(x.view()), &run).unwrap(), 1e-12), "{seed}");
            assert!(near(&of_columns(Input::Sparse(&sparse), &run).unwrap(), 1e-12), "{seed}");
            let shifted = &x + 1e6;
            assert!(near(&of_columns(Input::Points(shifted.view()), &run).unwrap(), 1e-8), "{seed}");
        }
    }
}
