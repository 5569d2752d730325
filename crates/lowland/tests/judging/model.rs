//! What a model loses: the way there and back, and the kernel that its components explain.

use lowland::compare::ComparisonOptions;
use lowland::methods::{Isomap, KernelName, KernelPca, Pca};
use lowland::parameters::Components;
use lowland::quality::{Evaluator, SampleSizes, kernel_error, reconstruction_error};
use lowland::{Error, Method, Model, Run, registry};
use ndarray::{Array1, Array2, Axis, s};
use rand::RngExt;

fn cloud(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("model tests");
    Array2::from_shape_fn((n, d), |(_, j)| (1.0 + j as f64) * (rng.random::<f64>() - 0.5) + 1e3)
}

fn whole() -> SampleSizes {
    SampleSizes { rows: usize::MAX, ranked_rows: usize::MAX, pairs: 1000 }
}

#[test]
fn the_reconstruction_error_of_pca_is_what_its_variances_leave() {
    let run = Run::new();
    for seed in 0..5 {
        let x = cloud(300, 6, seed);
        for count in 1..=6 {
            let pca = Pca { n_components: Components::Count(count), ..Pca::default() };
            let model = pca.fit_model(&x, &run).unwrap();
            let y = model.embedding().unwrap();
            let found = reconstruction_error(&model, (&x).into(), y.into(), whole(), &run).unwrap().unwrap();
            let left = 1.0 - model.explained_variance_ratio().sum();
            assert!((found.value - left).abs() < 1e-12, "{count}: {} {left}", found.value);
            assert_eq!((found.low, found.high), (found.value, found.value));
            // By hand, of what the inverse gives.
            let back = model.inverse(y.into(), &run).unwrap().to_f64();
            let centered = &x - &x.mean_axis(Axis(0)).unwrap();
            let by_hand = (&x - &back).mapv(|e| e * e).sum() / centered.mapv(|e| e * e).sum();
            assert!((found.value - by_hand).abs() < 1e-9 * by_hand + 1e-16);
        }
    }
}

#[test]
fn a_sampled_error_has_an_interval_that_covers_the_whole() {
    let run = Run::new();
    let x = cloud(4000, 5, 7);
    let model = Pca { n_components: Components::Count(2), ..Pca::default() }.fit_model(&x, &run).unwrap();
    let y = model.embedding().unwrap();
    let all = reconstruction_error(&model, (&x).into(), y.into(), whole(), &run).unwrap().unwrap().value;
    let mut inside = 0;
    for seed in 0..100 {
        let run = Run::new().with_seed(seed);
        let sample_sizes = SampleSizes { rows: 200, ..whole() };
        let found = reconstruction_error(&model, (&x).into(), y.into(), sample_sizes, &run).unwrap().unwrap();
        assert!(found.low < found.value && found.value < found.high && found.high < 3.0 * all);
        inside += usize::from((found.low..=found.high).contains(&all));
    }
    // 95 of 100 are expected; fewer than 88 or all of them have a probability below 1 %.
    assert!((88..100).contains(&inside), "{inside}");
}

#[test]
fn the_kernel_error_is_that_of_the_gram_matrix_by_hand() {
    let run = Run::new();
    let (x, new) = (cloud(120, 4, 3), cloud(40, 4, 4));
    let gamma = 0.2;
    let method = KernelPca {
        n_components: 3,
        kernel: KernelName::Gaussian,
        gamma: Some(gamma),
        ..KernelPca::default()
    };
    let model = method.fit((&x).into(), &run).unwrap();
    // The centered Gram matrices, written out.
    let rbf = |a: &Array2<f64>, b: &Array2<f64>| {
        Array2::from_shape_fn((a.nrows(), b.nrows()), |(i, j)| {
            (-gamma * (&a.row(i) - &b.row(j)).mapv(|e| e * e).sum()).exp()
        })
    };
    let gram = rbf(&x, &x);
    let columns = gram.mean_axis(Axis(0)).unwrap();
    let all = columns.mean().unwrap();
    let centered = |k: Array2<f64>| {
        let rows = k.mean_axis(Axis(1)).unwrap().insert_axis(Axis(1));
        k - &rows - &columns + all
    };
    let y = model.embedding().unwrap().to_f64();
    for rows in [&x, &new] {
        let kernel = centered(rbf(rows, &x));
        let images = model.transform(rows.into(), &run).unwrap().to_f64();
        let rest = &kernel - &images.dot(&y.t());
        let by_hand = rest.mapv(|e| e * e).sum() / kernel.mapv(|e| e * e).sum();
        let found = kernel_error(&*model, rows.into(), whole(), &run).unwrap().unwrap();
        assert!((found.value - by_hand).abs() < 1e-10, "{} {by_hand}", found.value);
    }
    // On the training rows that is what the other eigenvalues hold.
    let squares = |values: &Array1<f64>| values.mapv(|v| v * v).sum();
    let spectral = model.spectral().unwrap();
    let kept = Array1::from(model.report().eigenvalues.clone());
    let gram = spectral.kernel((&x).into(), &run).unwrap();
    let left = 1.0 - squares(&kept) / gram.mapv(|e| e * e).sum();
    let found = kernel_error(&*model, (&x).into(), whole(), &run).unwrap().unwrap().value;
    assert!((found - left).abs() < 1e-10, "{found} {left}");
}

#[test]
fn a_judgment_with_the_model_has_its_errors_and_one_of_another_model_is_refused() {
    let run = Run::new();
    let (x, new) = (cloud(150, 3, 5), cloud(20, 3, 6));
    let evaluator = Evaluator { k: Some(5), ..Evaluator::default() };
    let pca = Pca { n_components: Components::Count(2), ..Pca::default() }.fit_model(&x, &run).unwrap();
    let y = pca.embedding().unwrap();
    let found = evaluator.evaluate_model(&pca, ((&x).into(), y.into()), None, &run).unwrap();
    assert!(found.get("reconstruction_error").is_some() && found.get("kernel_error").is_none());
    // It has no kernel that could be measured on new rows.
    let refused = evaluator.evaluate_model(&pca, ((&x).into(), y.into()), Some((&new).into()), &run);
    assert!(matches!(refused, Err(Error::Unsupported { method, .. }) if method == "pca"));
    let isomap = Isomap { n_components: 2, ..Isomap::default() }.fit((&x).into(), &run).unwrap();
    let y = isomap.embedding().unwrap();
    let found =
        evaluator.evaluate_model(&*isomap, ((&x).into(), y.into()), Some((&new).into()), &run).unwrap();
    assert!(found.get("reconstruction_error").is_none(), "it has no way back");
    let (old, held_out) = (found.get("kernel_error").unwrap(), found.get("kernel_error_held_out").unwrap());
    assert!(old.value > 0.0 && held_out.value > 0.0 && old.value < 0.2, "{old:?} {held_out:?}");
    let narrow = x.slice(s![.., ..2]).to_owned();
    let refused = evaluator.evaluate_model(&pca, ((&narrow).into(), (&narrow).into()), None, &run);
    assert!(matches!(refused, Err(Error::Width { expected: 3, found: 2, .. })));
    let wrong = evaluator.evaluate_model(&*isomap, ((&x).into(), y.into()), Some((&narrow).into()), &run);
    assert!(matches!(wrong, Err(Error::Width { .. })));
}

#[test]
fn every_cell_of_a_comparison_has_the_errors_that_its_model_has() {
    let x = cloud(150, 4, 8);
    let comparing =
        ComparisonOptions { dimensions: Some(2), stability_of: 0, ..ComparisonOptions::default() };
    let found = comparing.compare((&x).into(), &Run::new()).unwrap();
    let mut spectral = 0;
    for tried in &found.cells {
        let Some(judged) = tried.outcome.judged() else { continue };
        let entry = registry::find(&tried.cell.method).unwrap();
        let own = |name: &str| judged.value(name);
        let reported: Vec<_> = judged.warnings.iter().filter(|words| words.starts_with("no ")).collect();
        if entry.capabilities.inverse {
            assert!(own("reconstruction_error").is_some(), "{}: {reported:?}", tried.cell);
        }
        for name in ["reconstruction_error", "kernel_error", "kernel_error_held_out"] {
            assert!(own(name).is_none_or(|value| value >= 0.0), "{}: {name}", tried.cell);
        }
        if own("kernel_error").is_some() {
            spectral += 1;
            assert!(own("kernel_error_held_out").is_some(), "{}: {reported:?}", tried.cell);
        }
        if tried.cell.method == "pca" {
            let error = own("reconstruction_error").unwrap();
            assert!((0.0..1.0).contains(&error) && own("kernel_error").is_none());
        }
    }
    assert!(spectral >= 8, "{spectral}");
}
