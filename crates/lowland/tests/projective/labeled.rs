//! Oriented PCA, distortion discriminant analysis, LDA and NCA.

use super::*;

/// Signals, each followed by versions in pairs that differ from it by plus and minus the same noise.
fn with_versions(m: usize, pairs: usize, d: usize, rng: &mut Rng) -> (Array2<f64>, Vec<i64>) {
    let signals = normal(m, d, rng).dot(&normal(d, d, rng));
    let shape = normal(d, d, rng) * 0.3;
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for (label, signal) in signals.rows().into_iter().enumerate() {
        rows.push(signal.to_owned());
        for _ in 0..pairs {
            let noise = normal(1, d, rng).dot(&shape).row(0).to_owned();
            rows.push(&signal + &noise);
            rows.push(&signal - &noise);
        }
        labels.extend(vec![label as i64; 2 * pairs + 1]);
    }
    let views: Vec<_> = rows.iter().map(|row| row.view()).collect();
    (ndarray::stack(Axis(0), &views).unwrap(), labels)
}

#[test]
fn oriented_directions_are_conjugate_scale_free_and_those_of_lda() {
    for seed in 0..15 {
        let rng = &mut rng(700 + seed);
        let d = 3 + seed as usize % 4;
        let (x, labels) = with_versions(30, 3, d, rng);
        let opca = OrientedPca::default();
        let model = opca.fit_model_labeled(&x, &labels, &Run::new()).unwrap();
        let n = model.map().to_owned();
        let signals = x.slice(s![..;7, ..]).to_owned();
        // Rounding counts as much as the noise is far from round.
        let quotients = model.vector("signal_to_noise").unwrap();
        let rounding = 1e-13 * (quotients[0] / quotients[d - 1]).max(1e4);
        let mut r = Array2::<f64>::zeros((d, d));
        for (i, row) in x.rows().into_iter().enumerate() {
            let z = &row - &signals.row(i / 7);
            for (a, b) in (0..d).flat_map(|a| (0..d).map(move |b| (a, b))) {
                r[(a, b)] += z[a] * z[b] / (30.0 * 6.0);
            }
        }
        for matrix in [covariance(&signals), r.clone()] {
            let inner = n.t().dot(&matrix).dot(&n);
            for ((a, b), value) in inner.indexed_iter() {
                let size = (inner[(a, a)] * inner[(b, b)]).sqrt();
                assert!(a == b || value.abs() < rounding * size, "seed {seed}: {value} {size}");
            }
        }
        for j in 0..d {
            let v = n.column(j);
            let q = v.dot(&covariance(&signals).dot(&v)) / v.dot(&r.dot(&v));
            assert!((q - quotients[j]).abs() < rounding * q);
        }
        // Louder signals, stronger noise: the same directions.
        for (signal, noise) in [(100.0, 1.0), (1.0, 1e-3), (1e5, 1e4)] {
            let mut scaled = x.clone();
            for (i, mut row) in scaled.rows_mut().into_iter().enumerate() {
                let own = signals.row(i / 7).to_owned();
                let z = &x.row(i) - &own;
                row.assign(&(own * signal + z * noise));
            }
            let again = opca.fit_model_labeled(&scaled, &labels, &Run::new()).unwrap();
            assert!((again.map().to_owned() - &n).iter().all(|e| e.abs() < 1e-6), "seed {seed}");
        }
        // With each signal a class of its own, these are the discriminants.
        let lda = Lda::default().fit_model_labeled(&x, &labels, &Run::new()).unwrap();
        for j in 0..d {
            let (a, b) = (n.column(j), lda.map().column(j).to_owned());
            let cosine = a.dot(&b) / b.dot(&b).sqrt();
            assert!((cosine.abs() - 1.0).abs() < 1e-9, "seed {seed}, direction {j}: {cosine}");
        }
    }
}

#[test]
fn the_mean_of_the_noise_counts() {
    // Noise with a mean and hardly a variance along the first axis: a covariance would not see it.
    let rng = &mut rng(1);
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for label in 0..60 {
        let signal = normal(1, 3, rng) * &Array1::from(vec![3.0, 2.0, 1.0]);
        rows.push(signal.clone());
        for _ in 0..3 {
            let noise =
                normal(1, 3, rng) * &Array1::from(vec![0.01, 0.5, 0.5]) + &Array1::from(vec![4.0, 0.0, 0.0]);
            rows.push(&signal + &noise);
        }
        labels.extend([label; 4]);
    }
    let views: Vec<_> = rows.iter().map(|row| row.view()).collect();
    let x = ndarray::concatenate(Axis(0), &views).unwrap();
    let opca = OrientedPca { n_components: Some(1), ..OrientedPca::default() };
    let model = opca.fit_model_labeled(&x, &labels, &Run::new()).unwrap();
    assert!(model.map()[(0, 0)].abs() < 0.2 && model.map()[(1, 0)].abs() > 0.9, "{:?}", model.map());
}

#[test]
fn bad_versions_are_named_and_singular_noise_is_regularized_with_a_warning() {
    let rng = &mut rng(2);
    let (x, labels) = with_versions(20, 1, 4, rng);
    let run = Run::new();
    let opca = OrientedPca::default();
    let distinct: Vec<i64> = (0..x.nrows() as i64).collect();
    for (labels, word) in [(distinct, "distorted versions"), (vec![7; x.nrows()], "1 signal")] {
        let refused = opca.fit_model_labeled(&x, &labels, &run).unwrap_err();
        assert!(matches!(&refused, Error::Malformed { problem, .. } if problem.contains(word)), "{refused}");
    }
    let mut same = x.clone();
    for i in 0..x.nrows() {
        same.row_mut(i).assign(&x.row(i - i % 3));
    }
    assert!(
        opca.fit_model_labeled(&same, &labels, &run).unwrap_err().to_string().contains("the noise is zero")
    );
    // Noise in a plane only.
    let mut flat = x.clone();
    for i in 0..x.nrows() {
        let signal = x.slice(s![i - i % 3, 2..]).to_owned();
        flat.slice_mut(s![i, 2..]).assign(&signal);
    }
    let model = opca.fit_model_labeled(&flat, &labels, &run).unwrap();
    assert!(matches!(&model.report().warnings[..], [Warning::Regularized { .. }]));
    assert!(model.map().iter().all(|v| v.is_finite()));
    // The noise-free directions come first.
    assert!(angle(model.map().slice(s![.., ..2]), Array2::eye(4).slice(s![.., 2..])) < 1e-3);
    let too_many = FactorAnalysis { n_components: Some(5), ..FactorAnalysis::default() }.fit_model(&x, &run);
    assert!(matches!(too_many, Err(Error::Parameter { name, .. }) if name == "n_components"));
    let one_class = Lda::default().fit_model_labeled(&x, &vec![1; x.nrows()], &run);
    assert!(matches!(one_class, Err(Error::Malformed { .. })));
}

/// A tune: a few tones with random pitch, strength and phase.
fn tune(length: usize, shift: f64, tones: &[(f64, f64, f64)]) -> Array1<f64> {
    Array1::from_shape_fn(length, |t| {
        tones
            .iter()
            .map(|&(pitch, strength, phase)| strength * (pitch * (t as f64 + shift) + phase).sin())
            .sum()
    })
}

/// Tunes, each with shifted and slightly noisy versions.
fn tunes(count: usize, shifts: &[f64], rng: &mut Rng) -> (Array2<f64>, Vec<i64>) {
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for label in 0..count {
        let tones: Vec<(f64, f64, f64)> = (0..6)
            .map(|i| {
                // Low notes hardly notice a shift; high and loud ones do.
                let pitch =
                    if i < 3 { 0.05 + 0.15 * rng.random::<f64>() } else { 1.0 + 1.5 * rng.random::<f64>() };
                let strength = if i < 3 { 0.4 } else { 1.2 } * (0.5 + rng.random::<f64>());
                (pitch, strength, std::f64::consts::TAU * rng.random::<f64>())
            })
            .collect();
        for &shift in std::iter::once(&0.0).chain(shifts) {
            rows.push(tune(64, shift, &tones) + normal(1, 64, rng).row(0).to_owned() * 0.02);
            labels.push(label as i64);
        }
    }
    let views: Vec<_> = rows.iter().map(|row| row.view()).collect();
    (ndarray::stack(Axis(0), &views).unwrap(), labels)
}

/// The share of shifted tunes whose nearest tune is their own.
fn recognized(model: &dyn Model, rng: &mut Rng) -> f64 {
    let (x, _) = tunes(80, &[0.9], rng);
    let y = model.transform((&x).into(), &Run::new()).unwrap().to_f64();
    let (clean, shifted) = (y.slice(s![..;2, ..]), y.slice(s![1..;2, ..]));
    let right = (0..80).filter(|&i| {
        let distance = |j: usize| (&clean.row(j) - &shifted.row(i)).mapv(|e| e * e).sum();
        (0..80).min_by(|&a, &b| distance(a).total_cmp(&distance(b))) == Some(i)
    });
    right.count() as f64 / 80.0
}

#[test]
fn distortion_discriminants_recognize_shifted_tunes_where_pca_fails() {
    for seed in 0..5 {
        let rng = &mut rng(800 + seed);
        let (x, labels) = tunes(300, &[-1.0, -0.5, 0.5, 1.0], rng);
        let run = Run::new();
        let dda = DistortionDiscriminantAnalysis {
            n_components: Some(6),
            window: Some(32),
            stride: Some(8),
            n_hidden: Some(8),
            ..DistortionDiscriminantAnalysis::default()
        };
        let ours = dda.fit_model_labeled(&x, &labels, &run).unwrap();
        let pca = Pca { n_components: Components::Count(6), ..Pca::default() }.fit_model(&x, &run).unwrap();
        let (ours, theirs) = (recognized(&ours, rng), recognized(&pca, rng));
        assert!(ours > 0.9 && theirs < 0.6, "seed {seed}: {ours} {theirs}");
        // Other distortions for other layers, and more layers: still features of unit noise.
        let split = DistortionDiscriminantAnalysis { first_versions: Some(2), n_layers: 3, ..dda };
        let split = split.fit_model_labeled(&x, &labels, &run).unwrap();
        assert!(recognized(&split, rng) > 0.8, "seed {seed}");
    }
}

#[test]
fn one_layer_over_the_whole_row_is_oriented_pca() {
    for seed in 0..5 {
        let (x, labels) = with_versions(25, 3, 5, &mut rng(900 + seed));
        let dda = DistortionDiscriminantAnalysis { n_layers: 1, n_components: Some(3), ..Default::default() };
        let ours = dda.fit_model_labeled(&x, &labels, &Run::new()).unwrap();
        let opca = OrientedPca { n_components: Some(3), ..OrientedPca::default() };
        let theirs = opca.fit_model_labeled(&x, &labels, &Run::new()).unwrap();
        for j in 0..3 {
            let (a, b) = (ours.map().column(j).to_owned(), theirs.map().column(j).to_owned());
            assert!((a.dot(&b).abs() / a.dot(&a).sqrt() - 1.0).abs() < 1e-9);
        }
    }
}

/// Labeled clouds that differ along two directions only, among louder ones that say nothing.
fn clouds(classes: usize, each: usize, d: usize, rng: &mut Rng) -> (Array2<f64>, Vec<i64>, Array2<f64>) {
    let turn = orthonormal(d, d, rng);
    let means = normal(classes, 2, rng) * 4.0;
    let labels: Vec<i64> = (0..classes * each).map(|i| (i % classes) as i64).collect();
    let x = Array2::from_shape_fn((classes * each, d), |(i, j)| {
        let noise: f64 = rng.sample(StandardNormal);
        if j < 2 { 0.5 * noise + means[(i % classes, j)] } else { 15.0 * noise }
    });
    (x.dot(&turn.t()), labels, turn)
}

#[test]
fn lda_and_nca_find_what_tells_classes_apart() {
    for seed in 0..8 {
        let rng = &mut rng(1000 + seed);
        let (x, labels, turn) = clouds(5, 40, 6, rng);
        let run = Run::new();
        let lda =
            Lda { n_components: Some(2), ..Lda::default() }.fit_model_labeled(&x, &labels, &run).unwrap();
        // The spread within classes is a sphere of size 1.
        let y = lda.embedding().unwrap().to_f64();
        let mut within = Array2::<f64>::zeros((2, 2));
        for class in 0..5 {
            let rows: Vec<usize> = (0..200).filter(|i| i % 5 == class).collect();
            within = within + covariance(&y.select(Axis(0), &rows)) * 40.0;
        }
        within /= 200.0;
        assert!((within - Array2::<f64>::eye(2)).iter().all(|e| e.abs() < 1e-9));
        assert!(angle(lda.map(), turn.slice(s![.., ..2])) < 0.05, "seed {seed}");
        // From principal components, which see only the loud directions.
        let nca = Nca { n_components: Some(2), init: NcaInit::Pca, max_iter: 200, ..Nca::default() };
        let found = nca.fit_model_labeled(&x, &labels, &run).unwrap();
        let first = Nca { max_iter: 1, ..nca.clone() }.fit_model_labeled(&x, &labels, &run).unwrap();
        let accuracy = |model: &LinearModel| model.number("expected_accuracy").unwrap();
        let default =
            Nca { n_components: Some(2), ..Nca::default() }.fit_model_labeled(&x, &labels, &run).unwrap();
        assert!(default.number("expected_accuracy").unwrap() > 0.8, "seed {seed}");
        assert!(accuracy(&found) > accuracy(&first), "seed {seed}");
    }
}

#[test]
fn the_gradient_of_nca_is_that_of_its_value() {
    // A step against the gradient from the identity must gain what it says: the first step of the search does.
    for seed in 0..5 {
        let (x, labels, _) = clouds(3, 20, 4, &mut rng(1100 + seed));
        let fit = |max_iter| {
            let nca = Nca { init: NcaInit::Identity, max_iter, tol: 1e-12, ..Nca::default() };
            nca.fit_model_labeled(&x, &labels, &Run::new()).unwrap().number("expected_accuracy").unwrap()
        };
        let values: Vec<f64> = [1, 2, 5, 20, 100].map(fit).to_vec();
        assert!(values.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12), "{values:?}");
        assert!(values[4] > values[0] + 0.01, "{values:?}");
    }
}

/// A constant offset as the only distortion: all other directions are without noise.
#[test]
fn features_without_noise_keep_a_scale() {
    for seed in 0..4 {
        let rng = &mut rng(1900 + seed);
        let mut signal = Array2::zeros((1, 32));
        let (mut rows, mut labels) = (Vec::new(), Vec::new());
        for i in 0..30 {
            let steps = normal(1, 32, rng);
            let mut level = 0.0;
            for (to, step) in signal.iter_mut().zip(&steps) {
                level += step;
                *to = level;
            }
            for version in 0..4 {
                let shift = if version > 0 { rng.sample::<f64, _>(StandardNormal) } else { 0.0 };
                rows.push(&signal + shift);
                labels.push(i);
            }
        }
        let views: Vec<_> = rows.iter().map(|row| row.view()).collect();
        let x = ndarray::concatenate(Axis(0), &views).unwrap();
        let dda = DistortionDiscriminantAnalysis {
            n_components: Some(4),
            n_layers: 2 + seed as usize % 3,
            ..DistortionDiscriminantAnalysis::default()
        };
        let fit = |x: &Array2<f64>| {
            let model = dda.fit_model_labeled(x, &labels, &Run::new()).unwrap();
            assert!(model.report().warnings.iter().any(|w| matches!(w, Warning::Regularized { .. })));
            model.embedding().unwrap().to_f64()
        };
        let y = fit(&x);
        let largest = y.iter().fold(0.0f64, |most, y| most.max(y.abs()));
        assert!(largest < 1e6, "seed {seed}: {largest}");
        let again = fit(&(&x * 3.0));
        let apart =
            (&y.mapv(f64::abs) - &again.mapv(f64::abs)).iter().fold(0.0f64, |most, e| most.max(e.abs()));
        assert!(apart < 1e-4 * largest, "seed {seed}: {apart} of {largest}");
    }
}

/// Columns that almost depend on each other: whitening divides by small numbers.
#[test]
fn lda_in_single_precision_loses_no_digits_beyond_the_rounding_of_its_rows() {
    for seed in 0..8 {
        let rng = &mut rng(1700 + seed);
        let (n, d) = (300, 6);
        let mut x = normal(n, d, rng);
        let mixed = x.slice(s![.., 0..3]).sum_axis(Axis(1)) + 1e-2 * &normal(n, 1, rng).column(0);
        x.column_mut(5).assign(&mixed);
        let labels: Vec<i64> = (0..n as i64).map(|i| i % 3).collect();
        for (i, mut row) in x.rows_mut().into_iter().enumerate() {
            row[i % 3] += 1.5;
        }
        let single = x.mapv(|x| x as f32);
        let lda = |input: lowland::AnyInput<'_>| {
            Lda { n_components: Some(2), ..Lda::default() }
                .fit_model_labeled(input, &labels, &Run::new())
                .unwrap()
        };
        let (ours, exact) = (lda((&single).into()), lda((&single.mapv(f64::from)).into()));
        let size = exact.map().iter().fold(0.0f64, |most, w| most.max(w.abs()));
        let apart = (&ours.map() - &exact.map()).iter().fold(0.0f64, |most, e| most.max(e.abs()));
        assert!(apart < 1e-9 * size, "{seed}: {apart:e} of {size:e}");
    }
}
