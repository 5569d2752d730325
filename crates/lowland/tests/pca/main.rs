//! What only PCA satisfies (Burges 1.1.1 to 1.1.4, Mohri 15.1), for every solver, on many random problems.

mod inputs;
mod spectrum;

use lowland::methods::{Pca, PcaModel, SvdSolver};
use lowland::parameters::Components;
use lowland::{Csr, Element, Error, Method, Model, Run, Warning};
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

const SOLVERS: [SvdSolver; 6] = [
    SvdSolver::Auto,
    SvdSolver::Covariance,
    SvdSolver::Gram,
    SvdSolver::Full,
    SvdSolver::Randomized,
    SvdSolver::Krylov,
];

/// Gaussian rows whose standard deviations fall by `decay` from one random direction to the next.
fn gaussian(n: usize, d: usize, decay: f64, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("pca test");
    let mut normal = |rows: usize, columns: usize| -> Array2<f64> {
        Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut rng))
    };
    let mut latent = normal(n, d);
    for (j, mut column) in latent.columns_mut().into_iter().enumerate() {
        column *= decay.powi(j as i32);
    }
    let mut basis = normal(d, d);
    for i in 0..d {
        for j in 0..i {
            let along = basis.row(i).dot(&basis.row(j));
            let other = basis.row(j).to_owned();
            basis.row_mut(i).scaled_add(-along, &other);
        }
        let norm = basis.row(i).dot(&basis.row(i)).sqrt();
        basis.row_mut(i).mapv_inplace(|v| v / norm);
    }
    latent.dot(&basis)
}

fn pca(count: usize, solver: SvdSolver) -> Pca {
    Pca { n_components: Components::Count(count), svd_solver: solver, ..Pca::default() }
}

fn fit<T: Element>(pca: &Pca, x: &Array2<T>) -> PcaModel {
    pca.fit_model(x, &Run::new()).unwrap()
}

fn embedding(model: &PcaModel) -> &Array2<f64> {
    model.embedding().unwrap().as_typed().unwrap()
}

fn centered(x: &Array2<f64>) -> Array2<f64> {
    x - &x.mean_axis(Axis(0)).unwrap()
}

fn squares(x: &Array2<f64>) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn assert_close(a: f64, b: f64, relative: f64, what: &str) {
    assert!((a - b).abs() <= relative * a.abs().max(b.abs()), "{what}: {a} and {b}");
}
