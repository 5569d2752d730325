//! Mixtures of local linear models, and the embeddings that are made of them.

mod aligned;
mod densities;

use lowland::{AnyMatrix, Run};
use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Standard normal numbers.
fn normal(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("mixtures");
    Array2::from_shape_fn((rows, columns), |_| rng.sample(StandardNormal))
}

fn f64s(matrix: &AnyMatrix) -> &Array2<f64> {
    matrix.as_typed::<f64>().expect("f64 in, f64 out")
}

/// The share of the variance of each column of `y` that is affine in the columns of `x`, the least of them.
fn affine_share(x: &Array2<f64>, y: &Array2<f64>) -> f64 {
    // Projections on an orthonormal basis of the centered columns (Gram and Schmidt, twice).
    let centered = |m: &Array2<f64>| m - &m.mean_axis(ndarray::Axis(0)).unwrap();
    let (x, y) = (centered(x), centered(y));
    let mut basis: Vec<Array1<f64>> = Vec::new();
    for column in x.columns() {
        let mut v = column.to_owned();
        let length = v.dot(&v).sqrt();
        for _ in 0..2 {
            for b in &basis {
                let along = b.dot(&v);
                v.scaled_add(-along, b);
            }
        }
        let rest = v.dot(&v).sqrt();
        if rest > 1e-10 * length {
            basis.push(v / rest);
        }
    }
    let share =
        |y: ndarray::ArrayView1<'_, f64>| basis.iter().map(|b| b.dot(&y).powi(2)).sum::<f64>() / y.dot(&y);
    y.columns().into_iter().map(share).fold(f64::INFINITY, f64::min)
}
