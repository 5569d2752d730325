//! Independent components and projection pursuit.

use super::*;

/// Sources that are not Gaussian, with variance 1.
pub(super) fn sources(n: usize, k: usize, rng: &mut Rng) -> Array2<f64> {
    Array2::from_shape_fn((n, k), |(i, j)| match j % 4 {
        0 => (rng.random::<f64>() - 0.5) * 12f64.sqrt(),
        1 => {
            let (u, sign) = (rng.random::<f64>(), if rng.random() { 1.0 } else { -1.0 });
            -(1.0 - u).ln() * sign / 2f64.sqrt()
        }
        2 => 2f64.sqrt() * (i as f64 * (0.31 + 0.05 * j as f64)).sin(),
        _ => {
            if rng.random() {
                1.0
            } else {
                -1.0
            }
        }
    })
}

/// Amari's error of an unmixing times a mixing: 0 for a permutation with scales, at most 1.
pub(super) fn amari(p: &Array2<f64>) -> f64 {
    let k = p.nrows();
    let p = p.mapv(f64::abs);
    let over = |lines: ndarray::iter::Lanes<'_, f64, ndarray::Ix1>| -> f64 {
        lines.into_iter().map(|line| line.sum() / line.fold(0.0, |m: f64, &v| m.max(v)) - 1.0).sum()
    };
    (over(p.rows()) + over(p.columns())) / (2 * k * (k - 1)) as f64
}

#[test]
fn independent_components_separate_mixtures_by_every_way() {
    for seed in 0..6 {
        let rng = &mut rng(1200 + seed);
        let k = 3 + seed as usize % 3;
        let mixing = normal(k, k, rng);
        let x = sources(4000, k, rng).dot(&mixing.t()) + 2.0;
        for algorithm in [IcaAlgorithm::Parallel, IcaAlgorithm::Deflation] {
            for fun in [Contrast::Logcosh, Contrast::Exp, Contrast::Cube] {
                let ica = FastIca { algorithm, fun, ..FastIca::default() };
                let model = ica.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
                let error = amari(&model.matrix("components").unwrap().dot(&mixing));
                assert!(error < 0.05, "seed {seed}, {algorithm:?}, {fun:?}: {error}");
                assert!(model.report().warnings.is_empty(), "seed {seed}, {algorithm:?}, {fun:?}");
                let y = model.embedding().unwrap();
                assert!((covariance(&y.to_f64()) - Array2::<f64>::eye(k)).iter().all(|e| e.abs() < 1e-9));
                let back = model.inverse(y.into(), &Run::new()).unwrap().to_f64();
                assert!((back - &x).iter().all(|e| e.abs() < 1e-9));
            }
        }
    }
}

/// Many rows: the way is found with a sample of them, the end with all. A source that is seen in few rows, which a
/// sample may miss altogether, must not matter.
#[test]
fn independent_components_of_many_rows_start_from_a_sample() {
    for seed in 0..4 {
        let rng = &mut rng(1250 + seed);
        let k = 5 + seed as usize;
        let mixing = normal(k, k, rng);
        let mut s = sources(12_000, k, rng);
        if seed % 2 == 1 {
            s.column_mut(0).fill(0.0);
            (0..3).for_each(|i| s[(4000 * i + 17, 0)] = 63.0);
        }
        let x = s.dot(&mixing.t());
        let run = Run::new().with_seed(seed);
        for algorithm in [IcaAlgorithm::Parallel, IcaAlgorithm::Deflation] {
            let ica = FastIca { algorithm, ..FastIca::default() };
            let model = ica.fit_model(&x, &run).unwrap();
            let error = amari(&model.matrix("components").unwrap().dot(&mixing));
            assert!(error < 0.03, "seed {seed}, {algorithm:?}: {error}");
            assert!(model.report().warnings.is_empty(), "seed {seed}, {algorithm:?}");
            // With all rows only the last steps are taken, where the sample has all directions.
            let steps = model.number("n_iter").unwrap();
            assert!(
                seed % 2 == 1 || algorithm == IcaAlgorithm::Deflation || steps < 7.0,
                "seed {seed}: {steps}"
            );
            // And it is a fixed point of all rows.
            let more = FastIca { algorithm, tol: 1e-12, ..FastIca::default() }.fit_model(&x, &run).unwrap();
            let (a, b) = (model.matrix("components").unwrap(), more.matrix("components").unwrap());
            let apart = (a.to_owned() - b).iter().fold(0.0f64, |m, e| m.max(e.abs()));
            assert!(apart < 1e-3 * b.iter().fold(0.0f64, |m, e| m.max(e.abs())), "{apart}");
        }
    }
}

#[test]
fn pursuit_finds_the_planted_direction_where_pca_does_not() {
    use ProjectionIndex::*;
    for seed in 0..6 {
        let rng = &mut rng(1300 + seed);
        let d = 6;
        let turn = orthonormal(d, d, rng);
        let mut x = normal(1500, d, rng);
        // Two clusters along the last axis, which varies least.
        x.column_mut(d - 1).mapv_inplace(|z| 0.3 * z + if z.to_bits() % 2 == 0 { 1.0 } else { -1.0 });
        let spread = Array1::from_shape_fn(d, |j| if j == d - 1 { 0.5 } else { 5.0 - j as f64 * 0.5 });
        let x = (x * &spread).dot(&turn.t());
        let run = Run::new().with_seed(seed);
        let target = turn.column(d - 1).to_owned();
        let cosine = |direction: ndarray::ArrayView1<'_, f64>| {
            (direction.dot(&target) / direction.dot(&direction).sqrt()).abs()
        };
        let pca = Pca { n_components: Components::Count(1), ..Pca::default() }.fit_model(&x, &run).unwrap();
        assert!(cosine(pca.directions().row(0)) < 0.2);
        for index in [Negentropy, Kurtosis, FriedmanTukey, Holes] {
            let method = ProjectionPursuit { n_components: Some(2), index, ..ProjectionPursuit::default() };
            let model = method.fit_model(&x, &run).unwrap();
            let found = cosine(model.map().column(0));
            assert!(found > 0.98, "seed {seed}, {index:?}: {found}");
            assert_eq!(model.number("n_significant"), Some(1.0), "seed {seed}, {index:?}");
        }
    }
}

/// Clusters of equal size have little kurtosis, and outliers have much: both differ from noise.
#[test]
fn kurtosis_sees_clusters_of_equal_size() {
    for (n, seeds) in [(400, 0..8), (1000, 8..12)] {
        for seed in seeds {
            let mut x = normal(n, 5, &mut rng(1350 + seed));
            for i in 0..n {
                x[(i, 2)] += if i % 2 == 0 { 3.0 } else { -3.0 };
            }
            let pursuit =
                ProjectionPursuit { index: ProjectionIndex::Kurtosis, ..ProjectionPursuit::default() };
            let model = pursuit.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
            assert_eq!(model.number("n_significant"), Some(1.0), "{n} rows, seed {seed}");
            let first = model.map().column(0).to_owned();
            assert!(first[2].abs() > 0.95 * first.dot(&first).sqrt(), "{n} rows, seed {seed}: {first}");
        }
    }
}

#[test]
fn kurtosis_sees_outliers() {
    for seed in 0..6 {
        let mut x = normal(400, 5, &mut rng(1370 + seed));
        for i in 0..8 {
            x[(50 * i, 3)] += if i % 2 == 0 { 9.0 } else { -9.0 };
        }
        let pursuit = ProjectionPursuit { index: ProjectionIndex::Kurtosis, ..ProjectionPursuit::default() };
        let model = pursuit.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
        assert_eq!(model.number("n_significant"), Some(1.0), "seed {seed}");
        let first = model.map().column(0).to_owned();
        assert!(first[3].abs() > 0.9 * first.dot(&first).sqrt(), "seed {seed}: {first}");
    }
}

#[test]
fn pursuit_says_nothing_of_a_gaussian() {
    use ProjectionIndex::*;
    for seed in 0..8 {
        let rng = &mut rng(1400 + seed);
        let x = normal(500, 5, rng).dot(&normal(5, 5, rng));
        for index in [Negentropy, Kurtosis, FriedmanTukey, Holes] {
            let method = ProjectionPursuit { index, ..ProjectionPursuit::default() };
            let model = method.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
            assert_eq!(model.number("n_significant"), Some(0.0), "seed {seed}, {index:?}");
            assert!(matches!(model.report().warnings[..], [Warning::OnlyNoise { asked: 2, found: 0 }]));
        }
    }
}

/// Sources that are zero but for a few rows: with deflation, undamped steps may oscillate between two points for ever.
#[test]
fn rare_events_settle_one_by_one() {
    for seed in 0..12 {
        let rng = &mut rng(1280 + seed);
        let (n, k) = (20_000, 8);
        let mut s = normal(n, k, rng) * 1e-7;
        for j in 0..4 {
            for _ in 0..20 {
                s[(rng.random_range(0..n), j)] = rng.sample::<f64, _>(StandardNormal) * 5.0;
            }
            s.column_mut(4 + j).mapv_inplace(|_| rng.random::<f64>() - 0.5);
        }
        let x = s.dot(&normal(k, k, rng).t());
        for fun in [Contrast::Logcosh, Contrast::Cube] {
            let ica = FastIca { algorithm: IcaAlgorithm::Deflation, fun, ..FastIca::default() };
            let model = ica.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
            assert!(
                model.report().warnings.is_empty(),
                "seed {seed}, {fun:?}: {:?}",
                model.report().warnings
            );
        }
    }
}

/// A ring in a plane of small variance among Gaussian directions: no single direction shows it as well as the plane does.
#[test]
fn planes_are_found_by_the_indexes_of_planes() {
    for seed in 0..4 {
        let rng = &mut rng(1600 + seed);
        let basis = orthonormal(6, 6, rng);
        let mut latent = normal(800, 6, rng) * 3.0;
        for mut row in latent.rows_mut() {
            let (angle, radius) =
                (std::f64::consts::TAU * rng.random::<f64>(), 1.0 + 0.1 * rng.random::<f64>());
            (row[2], row[3]) = (radius * angle.cos(), radius * angle.sin());
        }
        let x = latent.dot(&basis.t()) + 4.0;
        for index in [ProjectionIndex::Mardia, ProjectionIndex::PlaneHoles] {
            for deflation in [Deflation::Orthogonal, Deflation::StructureRemoval] {
                let method = ProjectionPursuit {
                    n_components: Some(4),
                    index,
                    deflation,
                    ..ProjectionPursuit::default()
                };
                let model = method.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
                let components = model.matrix("components").unwrap();
                let plane = components.slice(s![..2, ..]);
                let off = angle(plane.t(), basis.slice(s![.., 2..4]));
                assert!(off < 0.15, "seed {seed}, {index:?}, {deflation:?}: {off}");
                // The ring, and nothing else.
                assert_eq!(
                    model.number("n_significant").unwrap(),
                    2.0,
                    "seed {seed}, {index:?}, {deflation:?}"
                );
                let y = model.embedding().unwrap().to_f64();
                assert!((covariance(&y).diag().to_owned() - 1.0).iter().all(|e| e.abs() < 1e-9));
            }
        }
    }
}

/// Both ways find both sources and nothing else, and go back by least squares.
#[test]
fn structure_is_removed_and_something_else_is_found() {
    let rng = &mut rng(1650);
    let s = sources(3000, 2, rng);
    let x = ndarray::concatenate![Axis(1), s, normal(3000, 3, rng)].dot(&normal(5, 5, rng));
    for deflation in [Deflation::Orthogonal, Deflation::StructureRemoval] {
        let method = ProjectionPursuit { n_components: Some(5), deflation, ..ProjectionPursuit::default() };
        let model = method.fit_model(&x, &Run::new()).unwrap();
        assert_eq!(model.number("n_significant").unwrap(), 2.0, "{deflation:?}");
        let y = model.embedding().unwrap();
        let table = y.to_f64();
        for source in s.columns() {
            let best = table.columns().into_iter().map(|y| {
                let (y, z) = (&y - y.mean().unwrap(), &source - source.mean().unwrap());
                y.dot(&z).abs() / (y.dot(&y) * z.dot(&z)).sqrt()
            });
            assert!(best.fold(0.0, f64::max) > 0.98, "{deflation:?}");
        }
        // Gaussian directions may be found twice; what the five span comes back.
        let back = model.inverse(y.into(), &Run::new()).unwrap();
        let again = model.transform(back.to_f64().view().into(), &Run::new()).unwrap().to_f64();
        assert!((again - y.to_f64()).iter().all(|e| e.abs() < 1e-6), "{deflation:?}");
    }
    // Both are found without Gaussian directions, too.
    let single = ProjectionPursuit {
        n_components: Some(2),
        deflation: Deflation::StructureRemoval,
        ..ProjectionPursuit::default()
    };
    let model = single.fit_model(&s.select(Axis(1), &[0, 1]), &Run::new()).unwrap();
    assert!(model.report().warnings.is_empty(), "{:?}", model.report().warnings);
}
