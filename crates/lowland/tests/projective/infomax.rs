//! Infomax: independent components by the likelihood of given densities.

use super::pursuit::{amari, sources};
use super::*;

/// Sources with tails heavier than a Gaussian's: Laplace.
fn heavy(n: usize, k: usize, rng: &mut Rng) -> Array2<f64> {
    Array2::from_shape_fn((n, k), |_| {
        let sign = if rng.random() { 1.0 } else { -1.0 };
        -(1.0 - rng.random::<f64>()).ln() * sign / 2f64.sqrt()
    })
}

fn fit(algorithm: IcaAlgorithm, x: &Array2<f64>, seed: u64) -> LinearModel {
    FastIca { algorithm, ..FastIca::default() }.fit_model(x, &Run::new().with_seed(seed)).unwrap()
}

/// Heavy tails by both, light and heavy tails together by the extended form, as well as FastICA does.
#[test]
fn infomax_recovers_independent_sources() {
    for seed in 0..5 {
        let rng = &mut rng(1300 + seed);
        let k = 2 + seed as usize;
        let mixing = normal(k, k, rng);
        let error = |algorithm, x: &Array2<f64>| {
            let model = fit(algorithm, x, seed);
            assert!(
                model.report().warnings.is_empty(),
                "{seed} {algorithm:?}: {:?}",
                model.report().warnings
            );
            let y = model.embedding().unwrap().to_f64();
            // Of variance 1, and they lead back.
            assert!(covariance(&y).diag().iter().all(|v| (v - 1.0).abs() < 1e-9));
            let back = model.inverse((&y).into(), &Run::new()).unwrap().to_f64();
            assert!((back - x).iter().all(|e| e.abs() < 1e-8), "{seed} {algorithm:?}");
            amari(&model.matrix("components").unwrap().dot(&mixing))
        };
        let x = heavy(3000, k, rng).dot(&mixing.t()) - 3.0;
        let fast = error(IcaAlgorithm::Parallel, &x);
        for algorithm in [IcaAlgorithm::Infomax, IcaAlgorithm::ExtendedInfomax] {
            let own = error(algorithm, &x);
            assert!(own < 0.05 && own < 1.5 * fast + 0.005, "{seed} {algorithm:?}: {own} {fast}");
        }
        let x = sources(3000, k, rng).dot(&mixing.t()) + 2.0;
        let fast = error(IcaAlgorithm::Parallel, &x);
        let own = error(IcaAlgorithm::ExtendedInfomax, &x);
        assert!(own < 0.05 && own < 1.5 * fast + 0.005, "{seed}: {own} {fast}");
    }
}

/// The maximum of the likelihood: with each source scaled so that `E[f(y) y] = 1`, `E[f(y_i) y_j]` is zero between two.
#[test]
fn infomax_ends_where_the_natural_gradient_is_zero() {
    for seed in 0..3 {
        let rng = &mut rng(1350 + seed);
        let k = 3;
        let x = heavy(2000, k, rng).dot(&normal(k, k, rng));
        let scores: [(IcaAlgorithm, fn(f64) -> f64); 2] = [
            (IcaAlgorithm::Infomax, |y| (0.5 * y).tanh()),
            (IcaAlgorithm::ExtendedInfomax, |y| y + y.tanh()),
        ];
        for (algorithm, score) in scores {
            let mut y = fit(algorithm, &x, seed).embedding().unwrap().to_f64();
            for mut column in y.columns_mut() {
                let moment = |s: f64| column.iter().map(|y| score(s * y) * s * y).sum::<f64>() / 2000.0;
                let (mut low, mut high) = (1e-3, 1e3);
                for _ in 0..100 {
                    let middle = 0.5 * (low + high);
                    if moment(middle) < 1.0 { low = middle } else { high = middle }
                }
                column.mapv_inplace(|y| low * y);
            }
            let gradient = y.mapv(score).t().dot(&y) / 2000.0 - Array2::<f64>::eye(k);
            let most = gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
            assert!(most < 1e-3, "{seed} {algorithm:?}: {most:e}");
        }
    }
}

/// The densities of the plain form have heavy tails: of two uniform sources it finds the worst mixture, the extended form
/// the sources.
#[test]
fn light_tails_need_the_extended_form() {
    let rng = &mut rng(1370);
    let x = Array2::from_shape_fn((4000, 2), |_| rng.random::<f64>() - 0.5);
    let error = |algorithm| amari(&fit(algorithm, &x, 1).matrix("components").unwrap().to_owned());
    let (plain, extended) = (error(IcaAlgorithm::Infomax), error(IcaAlgorithm::ExtendedInfomax));
    assert!(plain > 0.8 && extended < 0.05, "{plain} {extended}");
}
