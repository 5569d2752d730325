//! Random projection, and truncated singular values of sparse rows.

use super::*;

#[test]
fn the_share_of_pairs_kept_is_what_the_lemma_promises() {
    let rng = &mut rng(3);
    let (n, d, k, eps) = (40, 300, 120, 0.3);
    let x = normal(n, d, rng) * &Array1::from_shape_fn(d, |j| 1.0 / (1.0 + j as f64));
    // Mohri, lemma 15.3.
    let promised = 1.0 - 2.0 * (-(eps * eps - eps * eps * eps) * k as f64 / 4.0).exp();
    for kind in [Projection::Gaussian, Projection::Sparse, Projection::Hadamard] {
        let (mut within, mut all, mut sum) = (0, 0, 0.0);
        for seed in 0..100 {
            // Li's density suits data whose weight is spread; Achlioptas' suits all.
            let density = Some(1.0 / 3.0);
            let method =
                RandomProjection { n_components: Some(k), kind, density, ..RandomProjection::default() };
            let model = method.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
            let y = model.embedding().unwrap().to_f64();
            for i in 0..n {
                for j in 0..i {
                    let square = |m: &Array2<f64>| (&m.row(i) - &m.row(j)).mapv(|e| e * e).sum();
                    let ratio = square(&y) / square(&x);
                    sum += ratio;
                    all += 1;
                    within += usize::from((ratio - 1.0).abs() <= eps);
                }
            }
        }
        let share = within as f64 / all as f64;
        assert!(share >= promised, "{kind:?}: {share} {promised}");
        assert!((sum / all as f64 - 1.0).abs() < 0.02, "{kind:?}: {sum}");
    }
}

#[test]
fn the_dimension_of_the_lemma_and_the_distortion_on_the_data_are_reported() {
    assert_eq!(johnson_lindenstrauss(1000, 0.3).unwrap(), (20.0 * 1000f64.ln() / 0.09).ceil() as usize);
    for eps in [0.0, 0.5, -1.0, f64::NAN] {
        assert!(johnson_lindenstrauss(10, eps).is_err());
    }
    let x = normal(50, 2000, &mut rng(4));
    let method = RandomProjection { eps: 0.45, ..RandomProjection::default() };
    let model = method.fit_model(&x, &Run::new()).unwrap();
    assert_eq!(model.components(), johnson_lindenstrauss(50, 0.45).unwrap());
    let ratios = model.vector("distortion").unwrap();
    assert!(ratios.len() == 500 && ratios.iter().all(|r| (r - 1.0).abs() <= 0.45));
    assert_eq!(model.report().objective[0].value, 1.0);
    // Of few rows each pair is looked at, once.
    let few = method.fit_model(x.slice(s![..4, ..]), &Run::new()).unwrap();
    assert_eq!(few.vector("distortion").unwrap().len(), 6);
    let narrow = RandomProjection::default().fit_model(x.slice(s![.., ..20]), &Run::new()).unwrap();
    assert!(matches!(narrow.report().warnings[..], [Warning::NoReduction { columns: 20, .. }]));
}

#[test]
fn the_lemma_covers_the_sparse_matrix_that_is_drawn_for_it() {
    // All the weight in few columns: the worst for a sparse matrix.
    let (n, d, eps) = (20, 3000, 0.45);
    let mut x = Array2::zeros((n, d));
    x.slice_mut(s![.., ..2]).assign(&normal(n, 2, &mut rng(8)));
    for seed in 0..20 {
        let method = RandomProjection { eps, kind: Projection::Sparse, ..RandomProjection::default() };
        let model = method.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
        assert_eq!(model.components(), johnson_lindenstrauss(n, eps).unwrap());
        let matrix = model.matrix("components").unwrap();
        let share = matrix.iter().filter(|v| **v != 0.0).count() as f64 / matrix.len() as f64;
        assert!((share - 1.0 / 3.0).abs() < 0.01, "{share}");
        let y = model.embedding().unwrap().to_f64();
        for i in 0..n {
            for j in 0..i {
                let square = |m: &Array2<f64>| (&m.row(i) - &m.row(j)).mapv(|e| e * e).sum();
                let ratio = square(&y) / square(&x);
                assert!((ratio - 1.0).abs() <= eps, "seed {seed}: {ratio}");
            }
        }
        let li = RandomProjection { n_components: Some(300), ..method };
        let matrix =
            li.fit_model(&x, &Run::new().with_seed(seed)).unwrap().matrix("components").unwrap().to_owned();
        let share = matrix.iter().filter(|v| **v != 0.0).count() as f64 / matrix.len() as f64;
        assert!((share * (d as f64).sqrt() - 1.0).abs() < 0.05, "{share}");
    }
    let sparser =
        RandomProjection { kind: Projection::Sparse, density: Some(0.01), ..RandomProjection::default() };
    let refused = sparser.fit_model(&x, &Run::new()).unwrap_err().to_string();
    assert!(refused.contains("density = 0.01") && refused.contains("n_components"), "{refused}");
    assert!(RandomProjection { n_components: Some(10), ..sparser }.fit_model(&x, &Run::new()).is_ok());
}

#[test]
fn sparse_rows_are_embedded_as_dense_ones() {
    let rng = &mut rng(5);
    let dense = normal(60, 40, rng).mapv(|x| if x.abs() > 1.2 { x } else { 0.0 });
    let entries: Vec<(usize, usize, f64)> =
        dense.indexed_iter().filter(|(_, v)| **v != 0.0).map(|((i, j), &v)| (i, j, v)).collect();
    let sparse = lowland::Csr::from_entries(60, 40, &entries).unwrap();
    let run = Run::new();
    let hadamard = Projection::Hadamard;
    let methods: [Box<dyn Method>; 3] = [
        Box::new(RandomProjection { n_components: Some(7), ..RandomProjection::default() }),
        Box::new(RandomProjection { n_components: Some(7), kind: hadamard, ..RandomProjection::default() }),
        Box::new(TruncatedSvd { n_components: Some(7) }),
    ];
    for method in methods {
        let a = method.fit((&dense).into(), &run).unwrap().embedding().unwrap().to_f64();
        let b = method.fit((&sparse).into(), &run).unwrap().embedding().unwrap().to_f64();
        assert!((a - b).iter().all(|e| e.abs() < 1e-9));
    }
    // Truncated SVD is the best approximation: the squared error is the sum of the other squares.
    let model = TruncatedSvd { n_components: Some(7) }.fit_model(&sparse, &run).unwrap();
    let y = model.embedding().unwrap();
    let back = model.inverse(y.into(), &run).unwrap().to_f64();
    let error = (&back - &dense).mapv(|e| e * e).sum();
    let all = TruncatedSvd { n_components: Some(40) }.fit_model(&dense, &run).unwrap();
    let rest: f64 = all.vector("singular_values").unwrap().iter().skip(7).map(|s| s * s).sum();
    assert!((error - rest).abs() < 1e-9 * rest, "{error} {rest}");
}

#[test]
fn the_fast_transform_is_the_linear_map_and_survives_the_file() {
    let run = Run::new();
    for d in [1, 5, 64, 300] {
        let x = normal(30, d, &mut rng(6));
        let method = RandomProjection {
            n_components: Some(d.min(40)),
            kind: Projection::Hadamard,
            ..RandomProjection::default()
        };
        let model = method.fit_model(&x, &run).unwrap();
        let y = model.embedding().unwrap().to_f64();
        assert!((&y - &x.dot(&model.map())).iter().all(|e| e.abs() < 1e-12));
        assert_eq!(model.matrix("components").unwrap(), model.map().t());
        let loaded = lowland::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.transform((&x).into(), &run), model.transform((&x).into(), &run));
        let single = x.mapv(|v| v as f32);
        let single = model.transform((&single).into(), &run).unwrap();
        assert!(single.as_typed::<f32>().is_some());
        assert!((single.to_f64() - &y).iter().all(|e| e.abs() < 1e-4));
    }
}

/// Rows with one large entry, and a matrix in which few are drawn: the lemma's dimension does not keep its promise.
#[test]
fn a_broken_promise_is_reported() {
    let x: Array2<f64> = Array2::from_shape_fn((60, 1000), |(i, j)| if i == j { 2.0 } else { 0.0 });
    let reported = |kind| {
        // As many components as the lemma asks for, given: then the sparse matrix is one that it does not cover.
        let n_components = Some(johnson_lindenstrauss(60, 0.4).unwrap());
        let method = RandomProjection { n_components, kind, eps: 0.4, ..RandomProjection::default() };
        let model = method.fit_model(&x, &Run::new()).unwrap();
        model.report().warnings.iter().any(|w| matches!(w, Warning::Distorted { share, .. } if *share < 1.0))
    };
    assert!(reported(Projection::Sparse));
    assert!(!reported(Projection::Gaussian) && !reported(Projection::Hadamard));
}

/// The way back has the same image, and no row with this image is shorter: it lies in the span of the directions.
#[test]
fn the_way_back_is_that_of_least_squares() {
    let (x, run) = (normal(30, 12, &mut rng(8)), Run::new());
    for kind in [Projection::Gaussian, Projection::Sparse, Projection::Hadamard] {
        for k in [1, 5, 12] {
            let method = RandomProjection { n_components: Some(k), kind, ..RandomProjection::default() };
            let model = method.fit_model(&x, &run).unwrap();
            let y = model.embedding().unwrap().to_f64();
            let back = model.inverse((&y).into(), &run).unwrap().to_f64();
            let again = model.transform((&back).into(), &run).unwrap().to_f64();
            let off = |a: &Array2<f64>, b: &Array2<f64>| (a - b).iter().fold(0.0f64, |m, e| m.max(e.abs()));
            assert!(off(&again, &y) < 1e-10, "{kind:?}, {k}: {}", off(&again, &y));
            assert!(
                (0..30).all(|i| back.row(i).dot(&back.row(i)) <= x.row(i).dot(&x.row(i)) * (1.0 + 1e-10))
            );
            // What is left of a row is orthogonal to what came back.
            let left = &x - &back;
            assert!((0..30).all(|i| left.row(i).dot(&back.row(i)).abs() < 1e-9), "{kind:?}, {k}");
            let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(loaded.inverse((&y).into(), &run).unwrap().to_f64(), back, "{kind:?}, {k}");
        }
    }
}
