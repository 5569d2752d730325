//! Kernel PCA: centering, new points, pre-images, the loss.

use crate::{apart, cloud, distances, embedding, largest};
use lowland::methods::{KernelName, KernelPca, Pca};
use lowland::parameters::Components;
use lowland::spectral::landmarks::Choice;
use lowland::spectral::nystrom::Variant;
use lowland::spectral::{Negative, Preimage, feature_distances};
use lowland::{Error, Input, Method, Model, Run, Warning, load_bytes};
use ndarray::{Array2, Axis};
use rand::RngExt;
use std::sync::Arc;

const KERNELS: [KernelName; 7] = [
    KernelName::Gaussian,
    KernelName::Linear,
    KernelName::Polynomial,
    KernelName::Laplacian,
    KernelName::Sigmoid,
    KernelName::Cosine,
    KernelName::Local,
];

fn kpca(kernel: KernelName) -> KernelPca {
    KernelPca { n_components: 3, kernel, ..KernelPca::default() }
}

/// Small data, so that no kernel is saturated.
fn data(n: usize, seed: u64) -> Array2<f64> {
    (cloud(n, 4, seed) - 4.6) * 0.7
}

#[test]
fn every_kernel_with_and_without_landmarks_embeds_its_training_points_again() {
    let run = Run::new();
    for kernel in KERNELS {
        for seed in 0..3 {
            let x = data(90, 10 + seed);
            for (landmarks, nystrom) in
                [(None, Variant::Plain), (Some(40), Variant::Plain), (Some(40), Variant::Orthogonal)]
            {
                let method = KernelPca { landmarks, nystrom, ..kpca(kernel) };
                let model = method.fit_model(&x, &run).unwrap();
                let y = embedding(&model);
                let again = model.transform((&x).into(), &run).unwrap().to_f64();
                let difference = largest(&(&again - &y));
                assert!(difference < 1e-8, "{kernel:?} {landmarks:?} {nystrom:?}: {difference}");
                let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
                let new = data(20, 77);
                assert_eq!(
                    loaded.transform((&new).into(), &run).unwrap(),
                    model.transform((&new).into(), &run).unwrap()
                );
            }
        }
    }
}

#[test]
fn landmarks_that_are_all_points_are_the_exact_method() {
    let run = Run::new();
    for kernel in [KernelName::Gaussian, KernelName::Linear, KernelName::Polynomial, KernelName::Laplacian] {
        let x = data(70, 3);
        let exact = embedding(&kpca(kernel).fit_model(&x, &run).unwrap());
        for choice in [Choice::Uniform, Choice::Farthest, Choice::KMeans, Choice::Leverage] {
            for nystrom in [Variant::Plain, Variant::Orthogonal] {
                let all = KernelPca { landmarks: Some(70), landmark_choice: choice, nystrom, ..kpca(kernel) };
                let y = embedding(&all.fit_model(&x, &run).unwrap());
                assert!(apart(&exact, &y) < 1e-9, "{kernel:?} {choice:?} {nystrom:?}");
            }
        }
    }
}

/// Where the rank allows, landmarks lose nothing (Burges eq. 1.24): a linear kernel of four columns.
#[test]
fn orthogonal_landmarks_are_exact_where_they_span_the_features() {
    let run = Run::new();
    for seed in 0..5 {
        let x = data(200, 30 + seed);
        let exact = embedding(&kpca(KernelName::Linear).fit_model(&x, &run).unwrap());
        for choice in [Choice::Uniform, Choice::Farthest, Choice::KMeans, Choice::Leverage] {
            let few = KernelPca { landmarks: Some(12), landmark_choice: choice, ..kpca(KernelName::Linear) };
            let y = embedding(&few.fit_model(&x, &run).unwrap());
            assert!(apart(&exact, &y) < 1e-8, "{choice:?} seed {seed}: {}", apart(&exact, &y));
        }
    }
}

#[test]
fn a_closure_and_a_given_kernel_are_the_kernel_itself() {
    let run = Run::new();
    for seed in 0..5 {
        let x = data(60, 60 + seed);
        let gamma = 0.8;
        let gaussian = KernelPca { gamma: Some(gamma), ..kpca(KernelName::Gaussian) };
        let y = embedding(&gaussian.fit_model(&x, &run).unwrap());
        let closure = Arc::new(move |a: &[f64], b: &[f64]| {
            (-gamma * a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp()
        });
        let by_closure = gaussian.fit_closure(x.view(), closure, &run).unwrap();
        assert!(apart(&y, &embedding(&by_closure)) < 1e-9);
        let gram = distances(x.view()).mapv(|d| (-gamma * d * d).exp());
        let given = gaussian.fit_model(Input::Kernel(gram.view()), &run).unwrap();
        assert!(apart(&y, &embedding(&given)) < 1e-9);
        // Centered coordinates have mean zero, and their inner products are the centered kernel's best.
        assert!(y.mean_axis(Axis(0)).unwrap().iter().all(|m| m.abs() < 1e-12));
        let plain = KernelPca { center: false, ..gaussian };
        assert!(apart(&y, &embedding(&plain.fit_model(&x, &run).unwrap())) > 1e-3);
    }
}

/// All components: the coordinates reproduce the kernel, and the loss is zero; fewer: it is the sum of the squares of
/// the eigenvalues left out, over the number of pairs (Bengio, section 4).
#[test]
fn the_training_loss_is_made_of_the_eigenvalues_left_out() {
    let run = Run::new();
    for seed in 0..5 {
        let n = 50;
        let x = data(n, 80 + seed);
        let all = KernelPca { n_components: n - 1, ..kpca(KernelName::Gaussian) };
        let whole = all.fit_model(&x, &run).unwrap();
        let spectral = whole.spectral().unwrap();
        assert!(spectral.kernel_error((&x).into(), &run).unwrap().relative < 1e-20);
        let gram = spectral.kernel((&x).into(), &run).unwrap();
        let y = embedding(&whole);
        assert!(largest(&(&gram - &y.dot(&y.t()))) < 1e-10);
        assert!(largest(&(feature_distances(gram.view()) - distances(y.view()))) < 1e-6);
        let part = kpca(KernelName::Gaussian).fit_model(&x, &run).unwrap();
        let error = part.kernel_error((&x).into(), &run).unwrap().mean_squared;
        let values = &whole.report().eigenvalues;
        let expected = values[3..].iter().map(|v| v * v).sum::<f64>() / (n * n) as f64;
        assert!((error - expected).abs() < 1e-10 * expected, "{error} {expected}");
        // New points of the same kind are explained, less well.
        let new = data(200, 180 + seed);
        let held_out = part.kernel_error((&new).into(), &run).unwrap();
        assert!(held_out.relative > 0.0 && held_out.relative < 1.0);
    }
}

/// Noise around a circle in ten dimensions is taken away: the denoised points are nearer to it (Mika et al. 1999).
#[test]
fn denoising_a_circle() {
    let run = Run::new();
    for seed in 0..3 {
        let mut rng = Run::new().with_seed(seed).rng("noise");
        let x = Array2::from_shape_fn((300, 10), |(i, j)| {
            let t = i as f64 * 0.7;
            [t.cos(), t.sin()].get(j).copied().unwrap_or(0.0) + 0.4 * (rng.random::<f64>() - 0.5)
        });
        let from_circle = |r: ndarray::ArrayView1<'_, f64>| {
            let rest: f64 = r.iter().skip(2).map(|v| v * v).sum();
            ((r[0].hypot(r[1]) - 1.0).powi(2) + rest).sqrt()
        };
        let off = |x: &Array2<f64>| x.rows().into_iter().map(from_circle).sum::<f64>() / 300.0;
        for (preimage, landmarks) in
            [(Preimage::Auto, None), (Preimage::Regression, None), (Preimage::FixedPoint, Some(100))]
        {
            let method =
                KernelPca { n_components: 4, gamma: Some(1.0), preimage, landmarks, ..KernelPca::default() };
            let model = method.fit_model(&x, &run).unwrap();
            let clean = model.denoise((&x).into(), &run).unwrap().to_f64();
            assert!(off(&clean) < 0.6 * off(&x), "{preimage:?}: {} of {}", off(&clean), off(&x));
            let part = x.slice(ndarray::s![7..9, ..]);
            let alone = model.denoise(part.into(), &run).unwrap().to_f64();
            assert_eq!(alone, clean.slice(ndarray::s![7..9, ..]), "a row's pre-image is its own");
        }
    }
}

#[test]
fn an_indefinite_kernel_keeps_what_each_policy_promises() {
    let run = Run::new();
    let x = data(40, 5);
    let mut kernel = x.dot(&x.t());
    // A strongly negative direction.
    for i in 0..40 {
        for j in 0..40 {
            let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            kernel[(i, j)] -= 3.0 * sign(i) * sign(j);
        }
    }
    let fit = |negative: Negative, n_components: usize| {
        let method = KernelPca { n_components, negative, ..kpca(KernelName::Linear) };
        method.fit_model(Input::Kernel(kernel.view()), &run).unwrap()
    };
    let dropped = fit(Negative::Drop, 20);
    assert!(dropped.report().eigenvalues.iter().all(|&v| v >= 0.0));
    assert!(!dropped.report().warnings.is_empty());
    assert!(fit(Negative::Clip, 20).report().warnings.is_empty());
    let magnitude = fit(Negative::Magnitude, 1);
    assert!(magnitude.report().eigenvalues[0] < 0.0, "the largest in magnitude is negative");
    let again = magnitude.transform(Input::Kernel(kernel.view()).into(), &run).unwrap().to_f64();
    assert!(largest(&(again - embedding(&magnitude))) < 1e-8);
    let shifted = fit(Negative::Shift, 39);
    assert!(shifted.report().eigenvalues.iter().all(|&v| v >= 0.0));
}

/// One row far away drags the mean, and inner products of the others cancel: the kernel must not notice.
#[test]
fn an_outlier_spoils_nothing() {
    let run = Run::new();
    for far in [1e4, 1e6, 1e8] {
        let mut x = data(80, 5);
        x.row_mut(7).fill(far);
        let gamma = 0.2;
        let exact = distances(x.view()).mapv(|d| (-gamma * d * d).exp());
        let method = KernelPca { gamma: Some(gamma), ..kpca(KernelName::Gaussian) };
        let points = method.fit_model(&x, &run).unwrap();
        let given = method.fit_model(Input::Kernel(exact.view()), &run).unwrap();
        assert!(apart(&embedding(&given), &embedding(&points)) < 1e-8, "{far}");
        let again = points.transform((&x).into(), &run).unwrap().to_f64();
        assert!(largest(&(&again - &embedding(&points))) < 1e-8, "{far}");
    }
}

/// The linear kernel, centered, is PCA wherever the data lie; and as many landmarks as there are columns span them.
#[test]
fn an_offset_costs_the_linear_kernel_nothing() {
    let run = Run::new();
    for (offset, landmarks) in [(0.0, None), (1e6, None), (1e8, None), (0.0, Some(4))] {
        let x = data(60, 3);
        let moved = x.mapv(|value| value + offset);
        let kernel = KernelPca { landmarks, ..kpca(KernelName::Linear) };
        let model = kernel.fit_model(&moved, &run).unwrap();
        let count = embedding(&model).ncols();
        let plain =
            Pca { n_components: Components::Count(count), ..Pca::default() }.fit_model(&moved, &run).unwrap();
        let off = apart(&embedding(&plain), &embedding(&model));
        // The mean of PCA is rounded as the offset is.
        assert!(off < 1e-10 + f64::EPSILON * offset, "offset {offset}, {landmarks:?}: {off}");
        let again = model.transform((&moved).into(), &run).unwrap().to_f64();
        assert!(largest(&(&again - &embedding(&model))) < 1e-9, "offset {offset}, {landmarks:?}");
        let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.transform((&moved).into(), &run).unwrap().to_f64(), again);
    }
}

/// What is left out of an indefinite kernel is reported, and shares are of what there is.
#[test]
fn negative_eigenvalues_are_reported() {
    let run = Run::new();
    let n = 40;
    let a = data(n, 8);
    let b = data(n, 9);
    let kernel = a.dot(&a.t()) - b.dot(&b.t()) * 3.0;
    let fit = |negative| {
        let method = KernelPca { negative, ..kpca(KernelName::Linear) };
        method.fit_model(Input::Kernel(kernel.view()), &run).unwrap()
    };
    let share = |model: &dyn Model, name: &str| {
        model.report().objective.iter().find(|q| q.name == name).map(|q| q.value)
    };
    let dropped = fit(Negative::Drop);
    let reported =
        dropped.report().warnings.iter().any(|w| matches!(w, Warning::Indefinite { share } if *share > 0.0));
    assert!(reported, "{:?}", dropped.report().warnings);
    assert_eq!(share(&dropped, "unexplained share"), None, "positive ones exceed the trace");
    let shifted = fit(Negative::Shift);
    let rest = share(&shifted, "unexplained share").unwrap();
    assert!(rest > 0.1 && rest < 1.0, "{rest}");
}

/// With landmarks, too, the policy is kept: a negative definite kernel has nothing else.
#[test]
fn landmarks_keep_the_policy_for_negative_eigenvalues() {
    let run = Run::new();
    let x = data(60, 12);
    let negative: lowland::spectral::kernel::Closure =
        Arc::new(|x: &[f64], y: &[f64]| -x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>());
    let method = KernelPca { landmarks: Some(20), negative: Negative::Magnitude, ..KernelPca::default() };
    let model = method.fit_closure(x.view(), negative, &run).unwrap();
    assert!(model.report().eigenvalues.iter().all(|&value| value < 0.0));
    assert!(embedding(&model).columns().into_iter().all(|column| column.iter().any(|y| y.abs() > 1e-3)));
}

/// Where landmarks stand for all, the share is of the kernel of all points, and no fit beats the best.
#[test]
fn the_unexplained_share_of_landmarks_is_that_of_all_points() {
    let run = Run::new();
    let x = data(120, 4);
    let share = |model: &dyn Model, name: &str| {
        model.report().objective.iter().find(|q| q.name == name).map(|q| q.value).unwrap()
    };
    let method =
        |landmarks| KernelPca { n_components: 3, gamma: Some(0.05), landmarks, ..KernelPca::default() };
    let best = share(&method(None).fit_model(&x, &run).unwrap(), "unexplained share");
    let mut before = 1.0;
    for landmarks in [5, 10, 40, 119] {
        let model = method(Some(landmarks)).fit_model(&x, &run).unwrap();
        let left = share(&model, "unexplained share");
        assert!(left >= best - 1e-9, "{landmarks}: {left} below {best}");
        let outside = share(&model, "outside the span of the landmarks");
        assert!((0.0..=before).contains(&outside), "{landmarks}: {outside} after {before}");
        before = outside;
    }
}

/// The share of negative eigenvalues that is reported is never more than there is.
#[test]
fn the_negative_share_is_a_lower_bound() {
    let run = Run::new();
    let mut times = 0;
    for seed in 0..12 {
        let a = cloud(24, 24, seed) - 5.0;
        let kernel = &a + &a.t() - Array2::<f64>::eye(24) * (0.2 * seed as f64);
        let method =
            KernelPca { center: false, n_components: 1 + seed as usize % 6, ..kpca(KernelName::Linear) };
        let model = method.fit_model(Input::Kernel(kernel.view()), &run).unwrap();
        let reported = model.report().objective.iter().find(|q| q.name.starts_with("negative share"));
        // All eigenvalues, by the method that keeps them whatever their sign.
        let all = KernelPca { n_components: 24, negative: Negative::Magnitude, ..method };
        let values = all.fit_model(Input::Kernel(kernel.view()), &run).unwrap().report().eigenvalues.clone();
        let size: f64 = values.iter().map(|value| value.abs()).sum();
        let share = values.iter().filter(|value| **value < 0.0).map(|value| -value).sum::<f64>() / size;
        assert!(
            reported.is_none_or(|reported| reported.value <= share + 1e-9),
            "{seed}: {reported:?} of {share}"
        );
        times += usize::from(reported.is_some());
    }
    assert!(times > 0, "a share that is never reported shows nothing");
}

/// The way back by regression serves points that were not in the fit.
#[test]
fn the_way_back_does_not_follow_the_noise() {
    let run = Run::new();
    let (train, new) = (cloud(150, 5, 1), cloud(100, 5, 2));
    let spread = |x: &Array2<f64>| {
        let mean = x.mean_axis(ndarray::Axis(0)).unwrap();
        (x - &mean).iter().map(|v| v * v).sum::<f64>()
    };
    for kernel in [KernelName::Linear, KernelName::Polynomial, KernelName::Laplacian, KernelName::Cosine] {
        let method = KernelPca {
            kernel,
            degree: 2,
            n_components: 4,
            preimage: Preimage::Regression,
            ..KernelPca::default()
        };
        let model = method.fit_model(&train, &run).unwrap();
        let extended = model.transform((&new).into(), &run).unwrap();
        let back = model.inverse((&extended.to_f64()).into(), &run).unwrap().to_f64();
        let left = (&back - &new).iter().map(|v| v * v).sum::<f64>() / spread(&new);
        assert!(left < 0.5, "{kernel:?}: {left}");
    }
}

#[test]
fn kernels_and_their_errors_refuse_rows_that_are_no_numbers() {
    let run = Run::new();
    let x = data(40, 3);
    let model = kpca(KernelName::Gaussian).fit_model(&x, &run).unwrap();
    for value in [f64::NAN, f64::INFINITY] {
        let mut rows = x.slice(ndarray::s![..5, ..]).to_owned();
        rows[(3, 1)] = value;
        let refused = [
            model.kernel((&rows).into(), &run).err(),
            model.kernel_error((&rows).into(), &run).err(),
            model.kernel_errors((&rows).into(), &run).err(),
        ];
        for refused in refused {
            assert!(matches!(refused, Some(Error::NotFinite { row: 3, column: 1, .. })), "{refused:?}");
        }
    }
}
