//! The entropy of a projection (Burges eq. 1.6).

use lowland::methods::Pca;
use lowland::parameters::Components;
use lowland::quality::Evaluator;
use lowland::{Input, Method, Model, Run, data};
use ndarray::Array2;
use rand::RngExt;

fn entropy(x: &Array2<f64>, y: &Array2<f64>) -> f64 {
    let evaluator = Evaluator { entropy: true, ..Evaluator::default() };
    evaluator
        .evaluate(Input::Points(x.view()).into(), Input::Points(y.view()).into(), &Run::new())
        .unwrap()
        .get("entropy")
        .unwrap()
        .value
}

/// Among projections on orthonormal directions the principal ones have the most mutual information with Gaussian data,
/// whatever their rotation.
#[test]
fn no_projection_has_more_entropy_than_the_principal_components() {
    let run = Run::new();
    let x = data::find("clusters-3d").unwrap().sample(300, 0.3, 4).unwrap().points;
    let d = x.ncols();
    let mut rng = run.rng("projections");
    for k in 1..=2.min(d) {
        let model = Pca { n_components: Components::Count(k), ..Pca::default() }.fit_model(&x, &run).unwrap();
        let best = entropy(&x, &model.embedding().unwrap().to_f64());
        let variances: f64 = model.report().eigenvalues.iter().map(|v| (v * 299.0 / 300.0).log2()).sum();
        let formula =
            0.5 * (k as f64 * (2.0 * std::f64::consts::PI * std::f64::consts::E).log2() + variances);
        assert!((best - formula).abs() < 1e-9, "{best} {formula}");
        for _ in 0..20 {
            let mut w = Array2::from_shape_fn((d, k), |_| rng.random::<f64>() - 0.5);
            for j in 0..k {
                for i in 0..j {
                    let before = w.column(i).to_owned();
                    let along = before.dot(&w.column(j));
                    w.column_mut(j).scaled_add(-along, &before);
                }
                let length = w.column(j).dot(&w.column(j)).sqrt();
                w.column_mut(j).mapv_inplace(|v| v / length);
            }
            assert!(entropy(&x, &x.dot(&w)) <= best + 1e-9);
        }
        let turn = Array2::from_shape_fn(
            (k, k),
            |(i, j)| {
                if k == 1 { -1.0 } else { [[0.6, 0.8], [-0.8, 0.6]][i][j] }
            },
        );
        assert!((entropy(&x, &model.embedding().unwrap().to_f64().dot(&turn)) - best).abs() < 1e-9);
    }
    // Only where it is asked for.
    let judged =
        Evaluator::default().evaluate(Input::Points(x.view()).into(), Input::Points(x.view()).into(), &run);
    assert!(judged.unwrap().get("entropy").is_none());
}
