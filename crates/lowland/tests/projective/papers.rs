//! Symmetric sphering, and oriented PCA by its other criterion and from covariances.

use super::*;

#[test]
fn symmetric_sphering_is_the_root_of_the_inverse_covariance() {
    for seed in 0..6 {
        let rng = &mut rng(300 + seed);
        let (x, _) = planted(120, 5, 2, 0.7, rng);
        let method = Pca { whiten: true, symmetric: true, ..Pca::default() };
        let model = method.fit_model(&x, &Run::new()).unwrap();
        let y = model.embedding().unwrap().to_f64();
        assert_eq!(y.dim(), x.dim());
        // The map: its image of the axes about the mean.
        let mean = x.mean_axis(Axis(0)).unwrap();
        let axes = Array2::<f64>::eye(5) + &mean;
        let w = model.transform((&axes).into(), &Run::new()).unwrap().to_f64();
        let c = covariance(&x) * (120.0 / 119.0);
        let unit = w.dot(&c).dot(&w);
        for ((i, j), value) in unit.indexed_iter() {
            assert!((value - f64::from(i == j)).abs() < 1e-9, "W C W = I: {i} {j} {value}");
            assert!((w[(i, j)] - w[(j, i)]).abs() < 1e-10 * w[(i, i)].abs().max(1.0), "symmetric");
        }
        for _ in 0..20 {
            let v = normal(1, 5, rng).row(0).to_owned();
            assert!(v.dot(&w.dot(&v)) > 0.0, "definite: there is only one such root");
        }
        let back = model.inverse((&y).into(), &Run::new()).unwrap().to_f64();
        assert!((&back - &x).iter().all(|e| e.abs() < 1e-9 * 20.0));
        let loaded = lowland::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.transform((&x).into(), &Run::new()).unwrap().to_f64(), y);
        // With fewer components the coordinates are uncorrelated within the kept directions.
        let two = Pca { n_components: Components::Count(2), ..method.clone() };
        let two = two.fit_model(&x, &Run::new()).unwrap();
        let c = covariance(&two.embedding().unwrap().to_f64()) * (120.0 / 119.0);
        assert!((&c.dot(&c) - &c).iter().all(|e| e.abs() < 1e-9), "a projector");
        assert!((c.diag().sum() - 2.0).abs() < 1e-9);
        assert!(lowland::load_bytes(&two.to_bytes().unwrap()).is_ok());
    }
    let alone = Pca { symmetric: true, ..Pca::default() }.fit_model(&normal(20, 3, &mut rng(1)), &Run::new());
    assert!(matches!(alone, Err(Error::Conflict { .. })));
}

/// Signals with versions: the labels, and the two matrices by hand.
fn signals(seed: u64) -> (Array2<f64>, Vec<i64>, Array2<f64>, Array2<f64>) {
    let rng = &mut rng(400 + seed);
    let (d, m) = (4, 60);
    let signal = normal(m, d, rng).dot(&normal(d, d, rng));
    let noise = normal(3 * m, d, rng).dot(&(normal(d, d, rng) * 0.4));
    let mut x = Array2::zeros((4 * m, d));
    let mut labels = Vec::new();
    for i in 0..m {
        for v in 0..4 {
            let row =
                if v == 0 { signal.row(i).to_owned() } else { &signal.row(i) + &noise.row(3 * i + v - 1) };
            x.row_mut(4 * i + v).assign(&row);
            labels.push(i as i64);
        }
    }
    let correlation = noise.t().dot(&noise) / (3 * m) as f64;
    (x, labels, covariance(&signal), correlation)
}

#[test]
fn the_difference_of_signal_and_noise_is_largest_along_orthogonal_directions() {
    for seed in 0..6 {
        let (x, labels, c, r) = signals(seed);
        let method = OrientedPca { criterion: Criterion::Difference, ..OrientedPca::default() };
        let model = method.fit_model_labeled(&x, &labels, &Run::new()).unwrap();
        let difference = &c - &r;
        let directions = model.matrix("components").unwrap().to_owned();
        let size = c.diag().sum();
        for (j, &value) in model.report().eigenvalues.iter().enumerate() {
            let n = directions.row(j).to_owned();
            assert!((difference.dot(&n) - &n * value).iter().all(|e| e.abs() < 1e-9 * size), "{seed} {j}");
            assert!(
                (n.dot(&c.dot(&n)) / n.dot(&r.dot(&n)) / model.vector("signal_to_noise").unwrap()[j] - 1.0)
                    .abs()
                    < 1e-9
            );
            for i in 0..=j {
                assert!((n.dot(&directions.row(i)) - f64::from(i == j)).abs() < 1e-10);
            }
        }
        let values = &model.report().eigenvalues;
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        // No other direction has more.
        let rng = &mut rng(seed);
        for _ in 0..50 {
            let n = normal(1, 4, rng).row(0).to_owned();
            let n = &n / n.dot(&n).sqrt();
            assert!(n.dot(&difference.dot(&n)) <= values[0] + 1e-9 * size);
        }
    }
}

#[test]
fn given_covariances_are_as_good_as_the_rows_they_are_of() {
    for seed in 0..4 {
        let (x, labels, c, r) = signals(50 + seed);
        let first: Vec<usize> = (0..60).map(|i| 4 * i).collect();
        let mean = x.select(Axis(0), &first).mean_axis(Axis(0)).unwrap().to_vec();
        for criterion in [Criterion::Quotient, Criterion::Difference] {
            let method = OrientedPca { criterion, ..OrientedPca::default() };
            let by_rows = method.fit_model_labeled(&x, &labels, &Run::new()).unwrap();
            let given = method.fit_covariances(c.view(), r.view(), &mean, &Run::new()).unwrap();
            let (a, b) =
                (by_rows.embedding().unwrap().to_f64(), given.transform((&x).into(), &Run::new()).unwrap());
            let b = b.to_f64();
            for j in 0..4 {
                let sign = a.column(j).dot(&b.column(j)).signum();
                let worst =
                    a.column(j).iter().zip(b.column(j)).fold(0.0f64, |m, (a, b)| m.max((a - sign * b).abs()));
                assert!(worst < 1e-7, "{criterion:?} {j}: {worst}");
            }
        }
        let method = OrientedPca::default();
        let mut uneven = c.clone();
        uneven[(0, 1)] += 1.0;
        let refused = method.fit_covariances(uneven.view(), r.view(), &mean, &Run::new());
        assert!(matches!(refused, Err(Error::NotSymmetric { .. })));
        let mut below = r.clone();
        below[(1, 1)] *= -1.0;
        let refused = method.fit_covariances(c.view(), below.view(), &mean, &Run::new()).err().unwrap();
        assert!(refused.to_string().starts_with("entry (1, 1) of the noise correlation is -"), "{refused}");
        let refused = method.fit_covariances(c.slice(s![..3, ..3]), r.view(), &mean, &Run::new());
        assert!(matches!(refused, Err(Error::Malformed { .. })));
        // What is wrong is the mean, and not both matrices.
        let refused = method.fit_covariances(c.view(), r.view(), &mean[..3], &Run::new()).err().unwrap();
        let expected =
            "3 values in the mean, and 4 columns in the signal covariance; give a mean of 4 values";
        assert_eq!(refused.to_string(), expected);
    }
}

#[test]
fn noise_that_is_zero_in_a_column_is_named_with_a_ridge_that_is_enough() {
    let (_, _, c, mut r) = signals(60);
    r.row_mut(1).fill(0.0);
    r.column_mut(1).fill(0.0);
    for little in [0.0, 1e-15, 1e-12] {
        let method = OrientedPca { regularization: Some(little), ..OrientedPca::default() };
        let refused = method.fit_covariances(c.view(), r.view(), &[0.0; 4], &Run::new());
        // With some digits left there may be a solution.
        let Some(refused) = refused.err().map(|error| error.to_string()) else {
            assert!(little > 0.0);
            continue;
        };
        assert!(
            refused.starts_with("the noise is zero in 1 of 4 columns, and regularization = "),
            "{refused}"
        );
        let (_, enough) = refused.rsplit_once("; raise regularization, such as to ").unwrap();
        let enough: f64 = enough.parse().unwrap();
        let method = OrientedPca { regularization: Some(enough), ..OrientedPca::default() };
        let model = method.fit_covariances(c.view(), r.view(), &[0.0; 4], &Run::new());
        assert!(enough > little && model.is_ok(), "{refused}");
    }
}
