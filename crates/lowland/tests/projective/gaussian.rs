//! Probabilistic PCA and factor analysis.

use super::*;

#[test]
fn the_closed_form_is_the_limit_of_expectation_maximization_and_equals_pca() {
    for seed in 0..12 {
        let rng = &mut rng(seed);
        let (d, k) = (6 + seed as usize % 5, 1 + seed as usize % 3);
        let (x, _) = planted(150, d, k, 0.7, rng);
        let run = Run::new();
        let ppca = Ppca { n_components: Dimension::Count(k), ..Ppca::default() };
        let closed = ppca.fit_model(&x, &run).unwrap();
        let em = Ppca { algorithm: PpcaAlgorithm::Em, tol: 1e-15, ..ppca }.fit_model(&x, &run).unwrap();
        never_falls(em.vector("log_likelihoods").unwrap());
        let (a, b) = (closed.number("noise_variance").unwrap(), em.number("noise_variance").unwrap());
        assert!((a - b).abs() < 1e-6 * a, "{a} {b}");
        let size = loadings(&closed).mapv(f64::abs).fold(0.0, |m: f64, &v| m.max(v));
        assert!((loadings(&closed) - loadings(&em)).iter().all(|e| e.abs() < 1e-5 * size));
        let likelihood = |model: &LinearModel| *model.vector("log_likelihoods").unwrap().last().unwrap();
        assert!((likelihood(&closed) - likelihood(&em)).abs() < 1e-9 * likelihood(&closed).abs());
        let mean = closed.log_density((&x).into(), &run).unwrap().mean().unwrap();
        assert!((mean - likelihood(&closed)).abs() < 1e-9 * mean.abs());
        let pca = Pca { n_components: Components::Count(k), ..Pca::default() }.fit_model(&x, &run).unwrap();
        assert!(angle(closed.matrix("components").unwrap().t(), pca.directions().t()) < 1e-9);
        // There and back is PCA's projection.
        let back = |model: &dyn Model| {
            let y = model.transform((&x).into(), &run).unwrap();
            model.inverse((&y).into(), &run).unwrap().to_f64()
        };
        let (ours, theirs) = (back(&closed), back(&pca));
        assert!((ours - theirs).iter().all(|e| e.abs() < 1e-8));
    }
}

#[test]
fn missing_values_cost_less_than_imputing_means_on_every_problem() {
    for seed in 0..20 {
        let rng = &mut rng(100 + seed);
        let (n, d, k) = (200, 12, 3);
        let (x, basis) = planted(n, d, k, 0.5, rng);
        let mut incomplete = x.clone();
        incomplete.iter_mut().filter(|_| rng.random::<f64>() < 0.2).for_each(|x| *x = f64::NAN);
        let run = Run::new();
        let ppca = Ppca { n_components: Dimension::Count(k), ..Ppca::default() };
        let model = ppca.fit_model(&incomplete, &run).unwrap();
        never_falls(model.vector("log_likelihoods").unwrap());
        let mut filled = incomplete.clone();
        for mut column in filled.columns_mut() {
            let seen: Vec<f64> = column.iter().copied().filter(|x| !x.is_nan()).collect();
            let mean = seen.iter().sum::<f64>() / seen.len() as f64;
            column.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = mean);
        }
        let plain = ppca.fit_model(&filled, &run).unwrap();
        let ours = angle(model.matrix("components").unwrap().t(), basis.view());
        let theirs = angle(plain.matrix("components").unwrap().t(), basis.view());
        assert!(ours < theirs, "seed {seed}: {ours} {theirs}");
        // What is filled in is nearer the truth, and so is what comes back.
        let error = |filled: &Array2<f64>| (filled - &x).mapv(|e| e * e).sum();
        let imputed = model.impute((&incomplete).into(), &run).unwrap().to_f64();
        assert!(error(&imputed) < 0.5 * error(&filled), "seed {seed}");
        let y = model.transform((&incomplete).into(), &run).unwrap();
        let back = model.inverse((&y).into(), &run).unwrap().to_f64();
        let worst = |a: &Array2<f64>| {
            let missing = a.iter().zip(&x).zip(&incomplete).filter(|(_, value)| value.is_nan());
            missing.map(|((a, x), _)| (a - x).powi(2)).sum::<f64>()
        };
        assert!(worst(&back) < worst(&filled), "seed {seed}");
    }
}

#[test]
fn sampling_and_fitting_again_recovers_the_model() {
    for seed in 0..8 {
        let rng = &mut rng(200 + seed);
        let (x, _) = planted(300, 8, 2, 0.6, rng);
        let run = Run::new().with_seed(seed);
        let ppca = Ppca { n_components: Dimension::Count(2), ..Ppca::default() };
        let fa = FactorAnalysis { n_components: Some(2), ..FactorAnalysis::default() };
        let first = ppca.fit_model(&x, &run).unwrap();
        let drawn = first.sample(40_000, &run).unwrap();
        let again = ppca.fit_model(&drawn, &run).unwrap();
        let (a, b) = (first.number("noise_variance").unwrap(), again.number("noise_variance").unwrap());
        assert!((a - b).abs() < 0.03 * a, "{a} {b}");
        let size = loadings(&first).mapv(|w| w * w).sum().sqrt();
        let product = |m: &LinearModel| loadings(m).dot(&loadings(m).t());
        assert!((product(&first) - product(&again)).mapv(|e| e * e).sum().sqrt() < 0.03 * size * size);
        let first = fa.fit_model(&x, &run).unwrap();
        let again = fa.fit_model(&first.sample(40_000, &run).unwrap(), &run).unwrap();
        let noise = |m: &LinearModel| m.vector("noise_variance").unwrap().to_owned();
        assert!((noise(&first) - noise(&again)).iter().all(|e| e.abs() < 0.08), "seed {seed}");
    }
}

#[test]
fn the_evidence_finds_the_planted_dimension() {
    for seed in 0..12 {
        let rng = &mut rng(300 + seed);
        let k = 1 + seed as usize % 4;
        let (x, _) = planted(1500, 12, k, 0.4, rng);
        for n_components in [Dimension::Minka, Dimension::Relevance] {
            let model = Ppca { n_components, ..Ppca::default() }.fit_model(&x, &Run::new()).unwrap();
            assert_eq!(model.components(), k, "seed {seed}: {n_components:?}");
        }
    }
}

#[test]
fn the_evidence_finds_the_planted_dimension_where_values_are_missing() {
    for seed in 0..4 {
        let rng = &mut rng(340 + seed);
        let k = 1 + seed as usize;
        let (x, _) = planted(400, 10, k, 0.4, rng);
        let mut incomplete = x.clone();
        incomplete.iter_mut().filter(|_| rng.random::<f64>() < 0.2).for_each(|x| *x = f64::NAN);
        for (x, n_components, algorithm) in [
            (&incomplete, Dimension::Auto, PpcaAlgorithm::Auto),
            (&incomplete, Dimension::Minka, PpcaAlgorithm::Auto),
            // By EM on complete rows too.
            (&x, Dimension::Relevance, PpcaAlgorithm::Em),
        ] {
            let method = Ppca { n_components, algorithm, ..Ppca::default() };
            let model = method.fit_model(x, &Run::new()).unwrap();
            assert_eq!(model.components(), k, "seed {seed}: {n_components:?}");
        }
    }
}

#[test]
fn all_ways_of_factor_analysis_reach_the_same_likelihood_and_never_fall() {
    for seed in 0..10 {
        let rng = &mut rng(400 + seed);
        let (d, k) = (8 + seed as usize % 4, 1 + seed as usize % 3);
        let (mut x, _) = planted(250, d, k, 0.5, rng);
        // Noise and units of its own in every column.
        for mut column in x.columns_mut() {
            let unit = 10f64.powf(4.0 * rng.random::<f64>() - 2.0);
            let noise = rng.random::<f64>();
            column.mapv_inplace(|x| (x + noise * rng.sample::<f64, _>(StandardNormal)) * unit);
        }
        let fa = FactorAnalysis {
            n_components: Some(k),
            tol: 1e-13,
            max_iter: 50_000,
            ..FactorAnalysis::default()
        };
        let value = |algorithm| {
            let model = FactorAnalysis { algorithm, ..fa.clone() }.fit_model(&x, &Run::new()).unwrap();
            let history = model.vector("loglike").unwrap().to_owned();
            never_falls(history.view());
            let mean = model.log_density((&x).into(), &Run::new()).unwrap().mean().unwrap();
            let last = *history.last().unwrap();
            assert!((mean - last).abs() < 1e-8 * mean.abs().max(1.0), "{mean} {last}");
            last
        };
        let newton = value(FactorAlgorithm::Newton);
        for algorithm in [FactorAlgorithm::Svd, FactorAlgorithm::Em] {
            let other = value(algorithm);
            assert!((newton - other).abs() < 1e-6 * newton.abs().max(1.0), "seed {seed}: {newton} {other}");
        }
    }
}

#[test]
fn rotations_keep_the_likelihood_and_raise_their_criteria() {
    for seed in 0..10 {
        let rng = &mut rng(500 + seed);
        let (x, _) = planted(200, 9, 3, 0.5, rng);
        let fit = |rotation| {
            let fa = FactorAnalysis { n_components: Some(3), rotation, ..FactorAnalysis::default() };
            fa.fit_model(&x, &Run::new()).unwrap()
        };
        let (none, varimax, quartimax) =
            (fit(Rotation::None), fit(Rotation::Varimax), fit(Rotation::Quartimax));
        let w = |model: &LinearModel| model.matrix("components").unwrap().t().to_owned();
        for model in [&varimax, &quartimax] {
            assert!(
                (w(model).dot(&w(model).t()) - w(&none).dot(&w(&none).t())).iter().all(|e| e.abs() < 1e-9)
            );
        }
        let fourth = |w: &Array2<f64>| w.mapv(|w| w.powi(4)).sum();
        let simple = |w: &Array2<f64>| {
            let squares = w.mapv(|w| w * w);
            fourth(w) - squares.sum_axis(Axis(0)).mapv(|s| s * s).sum() / w.nrows() as f64
        };
        // No small turn in any plane raises the criterion further.
        for (criterion, best) in
            [(&simple as &dyn Fn(&Array2<f64>) -> f64, w(&varimax)), (&fourth, w(&quartimax))]
        {
            assert!(criterion(&best) >= criterion(&w(&none)) * (1.0 - 1e-12));
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                for turn in [-0.01f64, 0.01] {
                    let mut turned = best.clone();
                    for mut row in turned.rows_mut() {
                        let (x, y) = (row[a], row[b]);
                        (row[a], row[b]) = (turn.cos() * x - turn.sin() * y, turn.sin() * x + turn.cos() * y);
                    }
                    assert!(criterion(&turned) <= criterion(&best) * (1.0 + 1e-9), "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn factor_analysis_fills_in_missing_values_better_than_means() {
    for seed in 0..10 {
        let rng = &mut rng(600 + seed);
        let (x, _) = planted(200, 10, 2, 0.5, rng);
        let mut incomplete = x.clone();
        incomplete.iter_mut().filter(|_| rng.random::<f64>() < 0.25).for_each(|x| *x = f64::NAN);
        let fa = FactorAnalysis { n_components: Some(2), ..FactorAnalysis::default() };
        let model = fa.fit_model(&incomplete, &Run::new()).unwrap();
        never_falls(model.vector("loglike").unwrap());
        let imputed = model.impute((&incomplete).into(), &Run::new()).unwrap().to_f64();
        let mean = model.vector("mean").unwrap();
        let (mut ours, mut means) = (0.0, 0.0);
        for ((i, j), value) in incomplete.indexed_iter().filter(|(_, value)| value.is_nan()) {
            assert!(value.is_nan());
            ours += (imputed[(i, j)] - x[(i, j)]).powi(2);
            means += (mean[j] - x[(i, j)]).powi(2);
        }
        assert!(ours < 0.5 * means, "seed {seed}: {ours} {means}");
    }
}

/// Where there is little noise, plain EM converges slowly: here a hundred iterations must reach the maximum.
#[test]
fn little_noise_does_not_make_missing_values_slow() {
    for (seed, noise) in [0.03, 0.1, 0.3, 1.0].into_iter().enumerate() {
        let rng = &mut rng(400 + seed as u64);
        let (x, _) = planted(300, 20, 4, noise, rng);
        let mut incomplete = x.clone();
        incomplete.iter_mut().filter(|_| rng.random::<f64>() < 0.2).for_each(|x| *x = f64::NAN);
        let run = Run::new();
        let reported = |model: &LinearModel, name: &str, most: usize| {
            assert!(model.report().warnings.is_empty(), "noise {noise}: {:?}", model.report().warnings);
            let history = model.vector(name).unwrap();
            never_falls(history);
            assert!(history.len() < most, "noise {noise}: {} iterations", history.len());
            history[history.len() - 1]
        };
        let ppca = Ppca { n_components: Dimension::Count(4), ..Ppca::default() };
        let value = reported(&ppca.fit_model(&incomplete, &run).unwrap(), "log_likelihoods", 100);
        let longer = Ppca { tol: 1e-13, max_iter: 20_000, ..ppca }.fit_model(&incomplete, &run).unwrap();
        let longer = reported(&longer, "log_likelihoods", 1000);
        assert!(longer - value < 1e-6, "noise {noise}: {longer} {value}");
        let fa = FactorAnalysis { n_components: Some(4), ..FactorAnalysis::default() };
        reported(&fa.fit_model(&incomplete, &run).unwrap(), "loglike", 300);
    }
}

/// Few rows and much noise in some columns, little in others: the search by Newton's way must not be caught where a
/// column has next to none.
#[test]
fn the_default_of_factor_analysis_is_never_below_the_slow_ways() {
    for seed in 0..60 {
        let rng = &mut rng(9000 + seed);
        let d = 3 + rng.random_range(0..9usize);
        let k = 1 + rng.random_range(0..(d / 2).max(1));
        let n = d + 3 + rng.random_range(0..40usize);
        let own = Array1::from_shape_fn(d, |_| 0.1 + 1.4 * rng.random::<f64>());
        let x = normal(n, k, rng).dot(&normal(k, d, rng)) + normal(n, d, rng) * &own;
        let run = Run::new();
        let value = |algorithm: FactorAlgorithm| {
            let fa = FactorAnalysis {
                n_components: Some(k),
                algorithm,
                tol: 1e-10,
                max_iter: 5000,
                ..FactorAnalysis::default()
            };
            fa.fit_model(&x, &run).unwrap().report().objective[0].value
        };
        let (ours, slow) = (value(FactorAlgorithm::Auto), value(FactorAlgorithm::Svd));
        assert!(ours > slow - 1e-6, "seed {seed}, {n} x {d} to {k}: {ours} {slow}");
    }
}

/// Two columns that a long step leaves with next to no noise, where the best fit has some in one of them.
#[rustfmt::skip]
const CAUGHT: [f64; 288] = [
    -1.41, -1.49, 1.20, -1.43, -0.74, 0.78, 1.41, 3.21, -0.05,
    -0.24, 0.93, -0.38, 1.57, 0.21, 1.51, 0.09, -0.06, 0.77,
    0.21, 1.50, 0.57, 5.99, 2.79, 3.28, 0.58, -2.17, -0.34,
    1.22, 2.09, -0.53, -3.69, -1.34, -1.58, -0.77, 2.58, -0.69,
    -1.85, 0.61, 1.60, -1.38, -0.49, 0.79, 0.70, 0.50, -0.31,
    1.96, -0.43, -1.11, 1.86, 0.45, 1.00, -0.56, -0.63, -0.91,
    0.18, -2.93, -0.89, 1.96, -0.14, -0.18, 0.35, -1.60, 0.62,
    1.78, -1.02, -0.66, -6.01, -0.38, -1.28, -1.62, 3.93, -0.40,
    0.56, -0.99, -1.01, 2.07, 1.44, 1.78, -0.16, -1.20, 0.25,
    -1.71, 0.66, 2.96, 0.91, -0.69, -0.35, 0.69, 1.18, -0.65,
    -0.39, 1.80, -0.31, 3.62, 0.30, -0.33, -0.07, -2.25, 0.01,
    -2.13, -3.75, 1.32, -3.61, -1.10, -0.46, 1.12, -1.43, -1.26,
    -0.88, -1.36, 1.47, 0.64, -1.23, -1.49, 1.08, -1.25, -0.75,
    2.71, -0.29, 0.08, 2.78, -0.19, 2.63, -0.70, -1.20, 0.20,
    -0.56, 0.55, 1.25, 12.25, 4.81, 1.75, 0.49, -3.06, 0.98,
    -1.84, -1.02, 2.53, 2.16, 1.82, 0.66, 1.08, 0.18, -0.32,
    -1.99, 2.57, 1.85, 4.14, 1.02, 1.00, 0.28, 2.24, -0.02,
    -0.71, -0.81, -0.69, -2.39, -0.08, -1.13, -0.21, -0.53, 0.47,
    -1.96, -1.44, 1.11, -5.19, -2.13, -1.81, 0.66, 1.05, 0.21,
    -0.33, -2.05, -0.09, -2.08, -2.30, -0.11, -0.14, 0.85, -0.03,
    2.70, 0.80, -2.24, -2.89, -1.29, 1.53, -2.61, 1.64, -0.32,
    0.02, 0.37, -1.80, 6.36, 2.41, 2.91, -0.62, -4.00, -0.47,
    0.19, 1.39, 1.56, 3.78, 1.55, 0.52, 0.12, -3.48, 0.26,
    2.34, 1.19, -0.46, 0.21, 1.10, 0.87, -1.94, -1.25, -0.57,
    1.25, 2.53, 1.03, 3.98, 0.87, 1.50, -1.19, -0.76, -0.14,
    -3.22, -1.39, -1.02, -1.53, 0.78, 0.35, 1.59, 1.57, 0.98,
    -0.40, -4.46, -0.26, -9.29, -3.27, -5.03, 0.07, 5.29, -0.71,
    -0.29, 1.89, 0.60, 3.68, 1.23, 1.25, -0.45, -3.95, 0.79,
    -1.50, -0.20, 1.88, 4.83, 1.27, 1.92, 0.94, -0.23, 0.71,
    0.59, 0.06, -0.08, -6.22, -1.88, -0.01, -0.66, 0.67, -0.62,
    2.01, -0.40, -0.06, 0.27, -0.23, 2.02, -0.35, -0.50, -0.57,
    -1.81, 0.78, 1.07, 0.23, 0.54, -1.31, 1.14, -0.34, -0.74,
];

#[test]
fn a_search_that_was_caught_is_freed() {
    let x = Array2::from_shape_vec((32, 9), CAUGHT.to_vec()).unwrap();
    let value = |algorithm: FactorAlgorithm| {
        let fa = FactorAnalysis { n_components: Some(2), algorithm, ..FactorAnalysis::default() };
        let model = fa.fit_model(&x, &Run::new()).unwrap();
        never_falls(model.vector("loglike").unwrap());
        model.report().objective[0].value
    };
    let (ours, slow) = (value(FactorAlgorithm::Auto), value(FactorAlgorithm::Svd));
    assert!(ours > slow - 1e-9, "{ours} {slow}");
}

/// Factors that a strong one overshadows: their eigenvalues of the correlation are below one half.
#[test]
fn expectation_maximization_finds_weak_factors_too() {
    for seed in 0..6 {
        let rng = &mut rng(900 + seed);
        let (n, d, k) = (400, 12, 3);
        let mut loadings = normal(k, d, rng) * 0.15;
        loadings.row_mut(0).fill(1.0);
        let units = Array1::from_shape_fn(d, |j| 10f64.powi(j as i32 % 5 - 2));
        let x = (normal(n, k, rng).dot(&loadings) + normal(n, d, rng) * 0.03) * &units;
        let run = Run::new();
        let fit = |x: &Array2<f64>, algorithm| {
            let method = FactorAnalysis { n_components: Some(k), algorithm, ..FactorAnalysis::default() };
            method.fit_model(x, &run).unwrap()
        };
        let best = fit(&x, FactorAlgorithm::Newton);
        let em = fit(&x, FactorAlgorithm::Em);
        let score = |model: &LinearModel| *model.vector("loglike").unwrap().last().unwrap();
        assert!(em.report().warnings.is_empty(), "{:?}", em.report().warnings);
        assert!((score(&best) - score(&em)).abs() < 1e-3, "{} {}", score(&best), score(&em));
        // As soon as one cell is missing it is the default.
        let mut holes = x.clone();
        holes[(5, 2)] = f64::NAN;
        let model = fit(&holes, FactorAlgorithm::Auto);
        assert!(model.report().warnings.is_empty(), "{:?}", model.report().warnings);
        let complete = x.slice(s![6.., ..]).to_owned();
        let mean = |model: &LinearModel| model.log_density((&complete).into(), &run).unwrap().mean().unwrap();
        assert!((mean(&model) - mean(&best)).abs() < 0.01, "{} {}", mean(&model), mean(&best));
    }
}
