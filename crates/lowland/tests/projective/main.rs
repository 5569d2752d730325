//! What the papers promise of the linear methods, each on many random problems.

mod chunks;
mod edges;
mod gaussian;
mod infomax;
mod labeled;
mod oblique;
mod papers;
mod pca;
mod pursuit;
mod random;

use lowland::methods::*;
use lowland::parameters::Components;
use lowland::{Error, LinearModel, Method, Model, Run, Warning, load_bytes};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rand::RngExt;
use rand_distr::StandardNormal;

type Rng = rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> Rng {
    Run::new().with_seed(seed).rng("projective tests")
}

fn normal(n: usize, d: usize, rng: &mut Rng) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |_| rng.sample::<f64, _>(StandardNormal))
}

/// Orthonormal columns.
fn orthonormal(d: usize, k: usize, rng: &mut Rng) -> Array2<f64> {
    let mut q = normal(d, k, rng);
    for j in 0..k {
        for _ in 0..2 {
            for i in 0..j {
                let along = q.column(i).dot(&q.column(j));
                let before = q.column(i).to_owned();
                q.column_mut(j).scaled_add(-along, &before);
            }
        }
        let length = q.column(j).dot(&q.column(j)).sqrt();
        q.column_mut(j).mapv_inplace(|x| x / length);
    }
    q
}

/// Rows of a model with `k` strong factors, an offset and noise.
fn planted(n: usize, d: usize, k: usize, noise: f64, rng: &mut Rng) -> (Array2<f64>, Array2<f64>) {
    let basis = orthonormal(d, k, rng);
    let spread = Array1::from_shape_fn(k, |j| 3.0 / (1.0 + 0.4 * j as f64));
    let z = normal(n, k, rng) * &spread;
    let offset = Array1::from_shape_fn(d, |_| 5.0 * rng.sample::<f64, _>(StandardNormal));
    (z.dot(&basis.t()) + normal(n, d, rng) * noise + offset, basis)
}

/// The sine of the largest angle between the spans of two sets of columns, both made orthonormal.
fn angle(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> f64 {
    let (a, b) = (basis_of(a), basis_of(b));
    let rest = &b - &a.dot(&a.t().dot(&b));
    // Between the largest column and the Frobenius norm: an upper bound that vanishes with the angle.
    rest.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn basis_of(a: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut q = a.to_owned();
    for j in 0..q.ncols() {
        for _ in 0..2 {
            for i in 0..j {
                let along = q.column(i).dot(&q.column(j));
                let before = q.column(i).to_owned();
                q.column_mut(j).scaled_add(-along, &before);
            }
            let length = q.column(j).dot(&q.column(j)).sqrt();
            q.column_mut(j).mapv_inplace(|x| x / length);
        }
    }
    q
}

fn covariance(x: &Array2<f64>) -> Array2<f64> {
    let centered = x - &x.mean_axis(Axis(0)).unwrap();
    centered.t().dot(&centered) / x.nrows() as f64
}

fn loadings(model: &LinearModel) -> Array2<f64> {
    model.matrix("loadings").unwrap().to_owned()
}

fn never_falls(history: ndarray::ArrayView1<'_, f64>) {
    for pair in history.windows(2) {
        assert!(pair[1] >= pair[0] - 1e-11 * pair[0].abs().max(1.0), "{} after {}", pair[1], pair[0]);
    }
}
