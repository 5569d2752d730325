//! Data at the ends of the range of numbers, and answers with fewer directions than were asked for.

use super::*;

/// `u diag(values) v'` with `columns` columns.
fn with_singular_values(n: usize, columns: usize, values: &[f64], rng: &mut Rng) -> Array2<f64> {
    let u = orthonormal(n, values.len(), rng) * &Array1::from(values.to_vec());
    u.dot(&orthonormal(columns, values.len(), rng).t())
}

#[test]
fn small_singular_values_are_found_beside_large_ones() {
    let run = Run::new();
    let values = [1.0, 1e-2, 1e-5, 1e-8, 1e-11, 3e-13];
    for (n, d, unit) in [(60, 20, 1.0), (20, 400, 1e-40), (700, 350, 1e60)] {
        let x = with_singular_values(n, d, &values, &mut rng(20)) * unit;
        let model = TruncatedSvd { n_components: Some(6) }.fit_model(&x, &run).unwrap();
        let found = model.vector("singular_values").unwrap().mapv(|s| s / unit);
        for (found, value) in found.iter().zip(values) {
            // What the rounding of the entries of the data allows: a small multiple of 1e-16 of the largest.
            assert!((found - value).abs() < 1e-14, "{n} x {d}: {found:e} for {value:e}");
        }
        assert!(model.report().warnings.is_empty());
        // The vectors belong to them: their images have these lengths and are orthogonal.
        let images = x.dot(&model.map()) / unit;
        let inner = images.t().dot(&images);
        for (i, value) in values.iter().enumerate() {
            assert!((inner[(i, i)].sqrt() - value).abs() < 1e-14);
            for (j, other) in values.iter().enumerate().filter(|(j, _)| *j != i) {
                assert!(inner[(i, j)].abs() < 1e-14 * value.max(*other), "{i} {j}: {:e}", inner[(i, j)]);
            }
        }
        let more = TruncatedSvd { n_components: Some(8) }.fit_model(&x, &run).unwrap();
        assert!(matches!(more.report().warnings[..], [Warning::RankDeficient { asked: 8, rank: 6, .. }]));
    }
    // Sparse rows: one entry a row, so that the singular values are the lengths of the columns.
    let entries: Vec<(usize, usize, f64)> =
        (0..900).map(|i| (i, i % 450, if i % 450 < 6 { values[i % 450] } else { 0.0 })).collect();
    let entries: Vec<_> = entries.into_iter().filter(|entry| entry.2 != 0.0).collect();
    let sparse = lowland::Csr::from_entries(900, 450, &entries).unwrap();
    let model = TruncatedSvd { n_components: Some(6) }.fit_model(&sparse, &run).unwrap();
    for (found, value) in model.vector("singular_values").unwrap().iter().zip(values) {
        assert!((found / (value * 2f64.sqrt()) - 1.0).abs() < 1e-12, "{found:e} for {value:e}");
    }
    // A table too large for that: what is lost in the squares is reported.
    let entries: Vec<(usize, usize, f64)> = (0..6).map(|i| (i, i, values[i])).collect();
    let large = lowland::Csr::from_entries(9000, 500, &entries).unwrap();
    let model = TruncatedSvd { n_components: Some(6) }.fit_model(&large, &run).unwrap();
    let [Warning::RankDeficient { asked: 6, rank, remedy }] = &model.report().warnings[..] else {
        panic!("no warning")
    };
    assert!((3..=4).contains(rank) && remedy.contains("1e-7"), "{rank} {remedy}");
}

/// Every projective method that fits, with what it needs of labels.
fn all_fits(x: &Array2<f64>, labels: &[i64]) -> Vec<(&'static str, lowland::Result<Box<dyn Model>>)> {
    let projective = lowland::registry::all().iter().take_while(|entry| entry.name != "kernel-pca");
    projective
        .map(|entry| {
            let method = (entry.create)();
            let run = Run::new();
            let fitted = if entry.capabilities.labels {
                method.fit_labeled(x.into(), labels, &run)
            } else {
                method.fit(x.into(), &run)
            };
            (entry.name, fitted)
        })
        .collect()
}

#[test]
fn data_whose_squares_vanish_are_refused_in_one_way() {
    let x = normal(60, 6, &mut rng(21));
    let labels: Vec<i64> = (0..60).map(|i| i / 6).collect();
    for scale in [1e-155, 1e-200, 1e-300] {
        for (name, fitted) in all_fits(&x.mapv(|v| v * scale), &labels) {
            let refused = fitted.err();
            let typed = matches!(refused, Some(Error::TooSmall { what: "data", .. }));
            assert!(typed, "{name} at {scale:e}: {refused:?}");
        }
    }
    for (name, fitted) in all_fits(&x.mapv(|v| v * 1e-140), &labels) {
        assert!(fitted.is_ok(), "{name}: {:?}", fitted.err());
    }
    // Zeros are no small numbers: methods that can say something about constant data do.
    assert!(
        TruncatedSvd { n_components: Some(1) }.fit_model(&Array2::<f64>::zeros((5, 3)), &Run::new()).is_ok()
    );
}

#[test]
fn constant_data_are_called_constant() {
    let x = Array2::from_elem((30, 4), 2.5);
    for fitted in [
        FastIca::default().fit_model(&x, &Run::new()),
        ProjectionPursuit::default().fit_model(&x, &Run::new()),
        Lda::default().fit_model_labeled(&x, &(0..30).map(|i| i % 3).collect::<Vec<_>>(), &Run::new()),
    ] {
        let words = fitted.unwrap_err().to_string();
        assert!(words.contains("do not vary"), "{words}");
    }
}

/// So many columns of the embedding are zero, and a warning says so.
fn assert_reported(model: &LinearModel, zero: usize) {
    let y = model.embedding().unwrap().to_f64();
    let size = y.iter().fold(0.0f64, |most, y| most.max(y.abs()));
    let empty = y.columns().into_iter().filter(|c| c.iter().all(|y| y.abs() < 1e-9 * size)).count();
    assert_eq!(empty, zero, "{:?}", model.report().warnings);
    let words: Vec<String> = model.report().warnings.iter().map(ToString::to_string).collect();
    assert!(words.iter().any(|words| words.contains("zero")), "{words:?}");
}

#[test]
fn independent_components_that_the_data_do_not_have_are_zero() {
    let run = Run::new();
    let x = sources_in_a_plane(&mut rng(22));
    let ica = FastIca { n_components: Some(4), ..FastIca::default() }.fit_model(&x, &run).unwrap();
    assert_eq!(ica.components(), 4);
    assert_eq!(ica.matrix("components").unwrap().dim(), (4, 5));
    assert_eq!(ica.vector("negentropy").unwrap().len(), 4);
    assert_reported(&ica, 2);
    let back = ica.inverse(ica.embedding().unwrap().into(), &run).unwrap().to_f64();
    assert!((back - &x).iter().all(|e| e.abs() < 1e-9));
    assert_eq!(FastIca::default().fit_model(&x, &run).unwrap().components(), 2, "all that the data have");
}

#[test]
fn factors_that_explain_nothing_are_reported() {
    // All combinations of signs are uncorrelated; the first of them in every column is the one thing in common.
    let signs = Array2::from_shape_fn((64, 6), |(i, j)| if i >> j & 1 == 0 { 1.0 } else { -1.0 });
    let x = &signs.slice(s![.., 1..]) + &signs.slice(s![.., ..1]);
    for algorithm in [FactorAlgorithm::Newton, FactorAlgorithm::Svd] {
        for rotation in [Rotation::None, Rotation::Varimax] {
            let n_components = Some(2);
            let factors = FactorAnalysis { n_components, algorithm, rotation, ..FactorAnalysis::default() };
            assert_reported(&factors.fit_model(&x, &Run::new()).unwrap(), 1);
        }
    }
}

#[test]
fn neighborhood_components_that_the_data_do_not_have_are_reported() {
    let flat = sources_in_a_plane(&mut rng(26)).slice(s![..90, ..]).to_owned();
    let labels: Vec<i64> = (0..90).map(|i| i % 3).collect();
    for init in [NcaInit::Auto, NcaInit::Identity] {
        let nca = Nca { n_components: Some(4), init, ..Nca::default() };
        assert_reported(&nca.fit_model_labeled(&flat, &labels, &Run::new()).unwrap(), 2);
    }
}

/// Five columns that vary in two directions.
fn sources_in_a_plane(rng: &mut Rng) -> Array2<f64> {
    let two = Array2::from_shape_fn((800, 2), |_| rng.random::<f64>() - 0.5);
    two.dot(&normal(2, 5, rng))
}

#[test]
fn empty_columns_of_a_sparse_projection_are_reported() {
    let x = normal(40, 50, &mut rng(23));
    let thin = |density| RandomProjection {
        n_components: Some(10),
        kind: Projection::Sparse,
        density: Some(density),
        ..RandomProjection::default()
    };
    let model = thin(1e-3).fit_model(&x, &Run::new()).unwrap();
    let empty = model.map().columns().into_iter().filter(|c| c.iter().all(|v| *v == 0.0)).count();
    assert!(empty > 0);
    let words: Vec<String> = model.report().warnings.iter().map(ToString::to_string).collect();
    let right = words
        .iter()
        .any(|w| w.contains(&format!("{empty} of 10 components are zero")) && w.contains("density"));
    assert!(right, "{words:?}");
    assert!(thin(0.5).fit_model(&x, &Run::new()).unwrap().report().warnings.is_empty());
}

#[test]
fn one_class_is_refused_by_every_method_that_needs_several() {
    let x = normal(20, 3, &mut rng(24));
    let run = Run::new();
    for (name, refused) in [
        ("lda", Lda::default().fit_model_labeled(&x, &[4; 20], &run)),
        ("nca", Nca::default().fit_model_labeled(&x, &[4; 20], &run)),
    ] {
        let words = refused.err().map(|error| error.to_string());
        assert_eq!(words.as_deref(), Some("1 class in the labels; give at least two"), "{name}");
    }
}

#[test]
fn classes_of_one_row_each_are_refused() {
    let x = normal(6, 3, &mut rng(91));
    for error in [
        Nca::default().fit_model_labeled(&x, &[0, 1, 2, 3, 4, 5], &Run::new()).unwrap_err(),
        Lda::default().fit_model_labeled(&x, &[0, 1, 2, 3, 4, 5], &Run::new()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("class"), "{error}");
    }
}
