//! Correlated factors: another description of the same density.

use super::*;
use lowland::load_bytes;

/// Rows with correlated factors that each load on columns of their own.
fn simple(n: usize, rng: &mut Rng) -> Array2<f64> {
    let factors = normal(n, 2, rng).dot(&ndarray::array![[1.0, 0.6], [0.0, 0.8]]);
    let loadings =
        Array2::from_shape_fn((2, 8), |(a, j)| if j / 4 == a { 1.0 + 0.2 * j as f64 } else { 0.0 });
    factors.dot(&loadings) + normal(n, 8, rng) * 0.5 + 4.0
}

fn fit(rotation: Rotation, x: &Array2<f64>) -> LinearModel {
    FactorAnalysis { n_components: Some(2), rotation, ..FactorAnalysis::default() }
        .fit_model(x, &Run::new())
        .unwrap()
}

#[test]
fn oblique_factors_are_another_description_of_the_same_density() {
    let run = Run::new();
    for seed in 0..3 {
        let mut x = simple(1500, &mut rng(1400 + seed));
        let missing = seed == 2;
        if missing {
            (0..200).for_each(|i| x[(7 * i, i % 8)] = f64::NAN);
        }
        let plain = fit(Rotation::None, &x);
        let loadings = plain.matrix("components").unwrap().t().to_owned();
        assert_eq!(plain.matrix("factor_correlation").unwrap(), Array2::<f64>::eye(2));
        assert_eq!(plain.matrix("structure"), plain.matrix("components"));
        for rotation in [Rotation::Promax, Rotation::Oblimin] {
            let model = fit(rotation, &x);
            let (pattern, phi) = (
                model.matrix("components").unwrap().t().to_owned(),
                model.matrix("factor_correlation").unwrap(),
            );
            // The covariance of the model, and so its likelihood, to the last bit: the density is that of the plain fit.
            let product = pattern.dot(&phi).dot(&pattern.t());
            assert!(
                (&product - &loadings.dot(&loadings.t())).iter().all(|e| e.abs() < 1e-10),
                "{rotation:?}"
            );
            assert_eq!(
                model.log_density((&x).into(), &run).unwrap(),
                plain.log_density((&x).into(), &run).unwrap()
            );
            assert!(
                (model.matrix("structure").unwrap().t().to_owned() - pattern.dot(&phi))
                    .iter()
                    .all(|e| e.abs() < 1e-12)
            );
            // The planted pattern and correlation, which uncorrelated factors cannot have.
            assert!((phi[(0, 1)].abs() - 0.6).abs() < 0.08, "{rotation:?} {seed}: {}", phi[(0, 1)]);
            for j in 0..8 {
                let (a, b) = (pattern[(j, 0)].abs(), pattern[(j, 1)].abs());
                assert!(a.min(b) < 0.12 * a.max(b), "{rotation:?} {seed} column {j}: {a} {b}");
            }
            // Posterior means times T, of incomplete rows, too; T from the structure, A T.
            let structure = model.matrix("structure").unwrap().t().to_owned();
            let gram = loadings.t().dot(&loadings);
            let det = gram[(0, 0)] * gram[(1, 1)] - gram[(0, 1)] * gram[(1, 0)];
            let inverse = ndarray::array![[gram[(1, 1)], -gram[(0, 1)]], [-gram[(1, 0)], gram[(0, 0)]]] / det;
            let turn = inverse.dot(&loadings.t().dot(&structure));
            assert!((turn.t().dot(&turn) - phi).iter().all(|e| e.abs() < 1e-9));
            let (y, z) = (model.embedding().unwrap().to_f64(), plain.embedding().unwrap().to_f64());
            assert!((&y - &z.dot(&turn)).iter().all(|e| e.abs() < 1e-9), "{rotation:?} {seed}");
            // The way back is the same, and a file changes nothing.
            let back = |model: &LinearModel, y: &Array2<f64>| model.inverse(y.into(), &run).unwrap().to_f64();
            assert!((back(&model, &y) - back(&plain, &z)).iter().all(|e| e.abs() < 1e-9));
            let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(loaded.transform((&x).into(), &run).unwrap().to_f64(), y);
            // A column in other units: the same factors.
            let mut other = x.clone();
            other.column_mut(3).mapv_inplace(|v| 1000.0 * v);
            let same = fit(rotation, &other).embedding().unwrap().to_f64();
            let far = (&same - &y).iter().fold(0.0f64, |m, e| m.max(e.abs()));
            assert!(missing || far < 1e-3, "{rotation:?} {seed}: {far}");
        }
    }
}

#[test]
fn one_factor_has_nothing_to_rotate() {
    let x = simple(200, &mut rng(1450));
    let fit = |rotation| {
        let method = FactorAnalysis { n_components: Some(1), rotation, ..FactorAnalysis::default() };
        method.fit_model(&x, &Run::new()).unwrap().embedding().unwrap().to_f64()
    };
    assert_eq!(fit(Rotation::Promax), fit(Rotation::None));
    assert_eq!(fit(Rotation::Oblimin), fit(Rotation::None));
}
