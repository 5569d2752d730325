//! Mixtures as densities: their likelihood rises, one analyzer is what it is a mixture of, samples come back.

use super::*;
use lowland::methods::{
    Amount, Density, Dimension, FactorAnalysis, ManifoldParzenWindows, MixtureInit, MixtureModel,
    MixtureOfFactorAnalyzers, MixturePpca, Ppca,
};
use lowland::{Datum, Error, Method, Model, Warning};
use ndarray::{ArrayView1, Axis, s};

/// Groups of rows, each near a plane of its own: `spread` apart.
fn planes(n: usize, d: usize, groups: usize, spread: f64, seed: u64) -> Array2<f64> {
    let (centers, noise) = (normal(groups, d, seed + 1000) * spread, normal(n, d, seed + 2000));
    let (loadings, z) = (normal(groups * 2, d, seed + 3000), normal(n, 2, seed + 4000));
    Array2::from_shape_fn((n, d), |(i, c)| {
        let g = i % groups;
        let along = z[(i, 0)] * loadings[(2 * g, c)] + z[(i, 1)] * loadings[(2 * g + 1, c)];
        centers[(g, c)] + along + 0.2 * noise[(i, c)]
    })
}

fn likelihood(model: &MixtureModel) -> f64 {
    model.report().objective.iter().find(|quantity| quantity.name == "mean log-likelihood").unwrap().value
}

#[test]
fn the_likelihood_never_falls() {
    let mut rng = Run::new().rng("problems");
    let run = Run::new().with_threads(1).unwrap();
    for problem in 0..1000 {
        let (d, k) = (rng.random_range(3..6usize), rng.random_range(1..3usize));
        let m = rng.random_range(1..4usize);
        let n = rng.random_range(m * (k + 1)..60);
        let x = planes(n, d, rng.random_range(1..4), rng.random_range(0..5) as f64, problem);
        let (n_components, n_analyzers) = (Amount::Count(k), Amount::Count(m));
        let density = if problem % 2 == 0 { Density::Gaussian } else { Density::Student };
        let degrees_of_freedom = (problem % 4 == 1).then_some(3.0);
        let init = [MixtureInit::KMeans, MixtureInit::Random, MixtureInit::Graph][problem as usize % 3];
        let (n_init, max_iter, tol) = (1 + problem as usize % 2, 30, 0.0);
        let (ppca, fa) = (MixturePpca::default(), MixtureOfFactorAnalyzers::default());
        let model = if problem % 5 < 3 {
            MixturePpca {
                n_components,
                n_analyzers,
                density,
                degrees_of_freedom,
                init,
                n_init,
                max_iter,
                tol,
                ..ppca
            }
            .fit_model(&x, &run)
        } else {
            MixtureOfFactorAnalyzers {
                n_components,
                n_analyzers,
                density,
                degrees_of_freedom,
                init,
                n_init,
                max_iter,
                tol,
                ..fa
            }
            .fit_model(&x, &run)
        };
        let losses = model.unwrap_or_else(|e| panic!("{problem}: {e}")).report().losses.clone();
        for pair in losses.windows(2) {
            let rise = pair[1].1 - pair[0].1;
            assert!(
                rise <= 1e-9 * (1.0 + pair[0].1.abs()),
                "{problem} ({n} x {d}, {m} of {k}): {rise} {losses:?}"
            );
        }
    }
}

#[test]
fn one_analyzer_is_probabilistic_pca_and_factor_analysis() {
    let run = Run::new();
    for seed in 0..5 {
        let x = planes(200, 6, 1, 0.0, seed) * &Array1::from(vec![1.0, 2.0, 0.5, 3.0, 1.0, 0.1]);
        let one = Amount::Count(1);
        let ppca = Ppca { n_components: Dimension::Count(2), ..Ppca::default() }.fit_model(&x, &run).unwrap();
        let mixture = MixturePpca { n_analyzers: one, ..MixturePpca::default() }.fit_model(&x, &run).unwrap();
        let (a, b) =
            (ppca.log_density((&x).into(), &run).unwrap(), mixture.log_density((&x).into(), &run).unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6), "{a} {b}");
        let fa = FactorAnalysis { n_components: Some(2), ..FactorAnalysis::default() };
        let fa = fa.fit_model(&x, &run).unwrap();
        let mixture =
            MixtureOfFactorAnalyzers { n_analyzers: one, tol: 1e-10, max_iter: 20_000, ..Default::default() }
                .fit_model(&x, &run)
                .unwrap();
        let a = fa.log_density((&x).into(), &run).unwrap().mean().unwrap();
        assert!((likelihood(&mixture) - a).abs() < 1e-4, "{} {a}", likelihood(&mixture));
    }
}

/// The logarithm of a Gaussian density by the covariance in full.
fn naive(x: ArrayView1<'_, f64>, mean: ArrayView1<'_, f64>, covariance: &Array2<f64>) -> f64 {
    let d = x.len();
    let mut factor = covariance.clone();
    let (mut log_det, mut solved) = (0.0, &x - &mean);
    for j in 0..d {
        let pivot = (factor[(j, j)] - (0..j).map(|t| factor[(j, t)].powi(2)).sum::<f64>()).sqrt();
        factor[(j, j)] = pivot;
        log_det += 2.0 * pivot.ln();
        for i in j + 1..d {
            let sum: f64 = (0..j).map(|t| factor[(i, t)] * factor[(j, t)]).sum();
            factor[(i, j)] = (factor[(i, j)] - sum) / pivot;
        }
        let sum: f64 = (0..j).map(|t| factor[(j, t)] * solved[t]).sum();
        solved[j] = (solved[j] - sum) / pivot;
    }
    -0.5 * (solved.dot(&solved) + log_det + d as f64 * (2.0 * std::f64::consts::PI).ln())
}

#[test]
fn the_density_is_that_of_the_covariances_in_full() {
    let run = Run::new();
    for seed in 0..4 {
        let x = planes(150, 5, 3, 3.0, seed) + 1e3;
        let method = MixtureOfFactorAnalyzers { n_analyzers: Amount::Count(3), ..Default::default() };
        let model = method.fit_model(&x, &run).unwrap();
        let matrix = |name: &str| {
            let found = model.attributes().into_iter().find(|attribute| attribute.name == name).unwrap();
            if let Datum::Matrix(matrix) = found.value { matrix } else { panic!("{name}") }
        };
        let (loadings, noise, means) = (matrix("loadings"), matrix("noise_variance"), model.means());
        let densities = model.log_density((&x).into(), &run).unwrap();
        let shares = model.responsibilities((&x).into(), &run).unwrap();
        for i in 0..150 {
            let logs: Vec<f64> = (0..model.weights().len())
                .map(|j| {
                    let w = loadings.slice(s![j * 5..(j + 1) * 5, ..]);
                    let covariance = w.dot(&w.t()) + Array2::from_diag(&noise.row(j));
                    model.weights()[j].ln() + naive(x.row(i), means.row(j), &covariance)
                })
                .collect();
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total = most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln();
            assert!((total - densities[i]).abs() < 1e-6, "{total} {}", densities[i]);
            for (j, log) in logs.iter().enumerate() {
                assert!(((log - total).exp() - shares[(i, j)]).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn densities_integrate_to_one_and_responsibilities_sum_to_one() {
    let run = Run::new();
    let x = planes(120, 3, 2, 2.0, 7).slice(s![.., ..2]).to_owned();
    let one = Amount::Count(1);
    let gaussian = MixturePpca { n_components: one, n_analyzers: Amount::Count(2), ..Default::default() };
    let student =
        MixturePpca { density: Density::Student, degrees_of_freedom: Some(5.0), ..gaussian.clone() };
    let parzen = ManifoldParzenWindows { n_components: Some(1), ..Default::default() };
    for model in [
        gaussian.fit((&x).into(), &run).unwrap(),
        student.fit((&x).into(), &run).unwrap(),
        parzen.fit((&x).into(), &run).unwrap(),
    ] {
        let (side, step) = (600, 0.1);
        let grid = Array2::from_shape_fn((side * side, 2), |(i, c)| {
            let at = if c == 0 { i / side } else { i % side };
            (at as f64 - 0.5 * side as f64) * step
        });
        let total: f64 =
            model.log_density((&grid).into(), &run).unwrap().iter().map(|log| log.exp() * step * step).sum();
        assert!((total - 1.0).abs() < 0.01, "{}: {total}", model.entry().name);
        let mut far = grid.slice(s![..200, ..]).to_owned();
        far.row_mut(3).fill(1e9);
        let shares = model.responsibilities((&far).into(), &run).unwrap();
        for row in shares.rows() {
            assert!((row.sum() - 1.0).abs() < 1e-12 && row.iter().all(|share| *share >= 0.0));
        }
    }
}

#[test]
fn a_sampled_mixture_is_recovered() {
    let run = Run::new();
    let x = planes(1500, 5, 3, 6.0, 11);
    for density in [Density::Gaussian, Density::Student] {
        let method = MixturePpca { n_analyzers: Amount::Count(3), density, ..Default::default() };
        let first = method.fit_model(&x, &run).unwrap();
        let drawn = first.sample(6000, &run).unwrap();
        let again = method.fit_model(&drawn, &run).unwrap();
        for (j, mean) in first.means().rows().into_iter().enumerate() {
            let apart = |other: ArrayView1<'_, f64>| (&other - &mean).mapv(|v| v * v).sum().sqrt();
            let means = again.means();
            let near = (0..3).min_by(|&a, &b| apart(means.row(a)).total_cmp(&apart(means.row(b)))).unwrap();
            assert!(apart(means.row(near)) < 0.2, "{}", apart(means.row(near)));
            assert!((again.weights()[near] - first.weights()[j]).abs() < 0.03);
        }
        let (a, b) = (first.log_density((&drawn).into(), &run), again.log_density((&drawn).into(), &run));
        let gain = (b.unwrap() - a.unwrap()).mean().unwrap();
        assert!((0.0..0.02).contains(&gain), "{gain}");
    }
}

#[test]
fn outliers_do_not_move_students_t() {
    let run = Run::new();
    let mut x = planes(300, 4, 1, 0.0, 5);
    let clean = x.slice(s![15.., ..]).mean_axis(Axis(0)).unwrap();
    x.slice_mut(s![..15, ..]).fill(60.0);
    let shift = |density: Density| {
        let method = MixturePpca { n_analyzers: Amount::Count(1), density, ..Default::default() };
        let means = method.fit_model(&x, &run).unwrap().means();
        (&means.row(0) - &clean).mapv(|v| v * v).sum().sqrt()
    };
    let (gaussian, student) = (shift(Density::Gaussian), shift(Density::Student));
    assert!(gaussian > 3.0 && student < 0.2, "{gaussian} {student}");
}

#[test]
fn the_criterion_finds_the_number_of_planes_and_their_dimension() {
    let run = Run::new();
    let x = planes(900, 6, 3, 8.0, 3);
    let method = MixturePpca { n_analyzers: Amount::Bic, n_components: Amount::Bic, ..Default::default() };
    let model = method.fit_model(&x, &run).unwrap();
    assert_eq!((model.weights().len(), model.components()), (3, 2));
    let names: Vec<&str> = model.report().objective.iter().map(|quantity| &quantity.name[..]).collect();
    for (m, k) in [(1, 1), (2, 2), (3, 2), (4, 2)] {
        assert!(names.contains(&&*format!("bic of {m} analyzers, {k} components")), "{names:?}");
    }
}

#[test]
fn bad_input_is_refused_and_odd_input_is_not() {
    let run = Run::new();
    let x = planes(40, 4, 2, 3.0, 9);
    let refused = |n_components, n_analyzers| {
        let method = MixturePpca { n_components, n_analyzers, ..Default::default() };
        match method.fit_model(&x, &run).unwrap_err() {
            Error::Parameter { name, .. } => name,
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(Amount::Count(2), Amount::Count(41)), "n_analyzers");
    assert_eq!(refused(Amount::Count(4), Amount::Auto), "n_components");
    let three = Amount::Count(3);
    for init in [MixtureInit::KMeans, MixtureInit::Random, MixtureInit::Graph] {
        let method = MixturePpca { n_analyzers: three, init, ..Default::default() };
        let same = method.fit_model(&Array2::from_elem((40, 4), 2.5), &run).err();
        assert!(matches!(same, Some(Error::Constant { .. })), "{same:?}");
        let mut far = x.clone();
        far[(0, 0)] = 1e9;
        let model = method.fit_model(&far, &run).unwrap();
        let density = model.log_density((&far).into(), &run).unwrap();
        assert!(density.iter().all(|value| value.is_finite()));
    }
    // A group of two rows is no plane: its analyzer is taken out.
    let mut pair = x.clone();
    pair.slice_mut(s![..2, ..]).fill(500.0);
    let method = MixturePpca { n_analyzers: three, n_init: 10, ..Default::default() };
    let model = method.fit_model(&pair, &run).unwrap();
    let removed = |warning: &Warning| matches!(warning, Warning::AnalyzersRemoved { .. });
    assert!(
        model.report().warnings.iter().any(removed) && model.weights().len() < 3,
        "{:?}",
        model.weights()
    );
}
