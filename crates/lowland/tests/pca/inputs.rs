//! Densities, chunks, sparse rows, precisions and refusals.

use super::*;

#[test]
fn the_likelihood_is_that_of_the_gaussian_written_out() {
    let x = gaussian(150, 6, 0.7, 10);
    let new = gaussian(20, 6, 0.7, 11);
    for count in [1, 3, 5, 6] {
        let model = fit(&pca(count, SvdSolver::Auto), &x);
        let noise = model.noise_variance();
        let mut covariance = Array2::<f64>::eye(6) * noise;
        for j in 0..count {
            let v = model.directions().row(j).to_owned();
            let excess = model.explained_variance()[j] - noise;
            covariance += &(&v.clone().insert_axis(Axis(1)).dot(&v.insert_axis(Axis(0))) * excess);
        }
        let found = model.log_density(new.view().into(), &Run::new()).unwrap();
        for (row, found) in new.rows().into_iter().zip(&found) {
            let expected = log_density(&covariance, &(&row - &model.mean()));
            assert_close(*found, expected, 1e-9, "log-likelihood");
        }
    }
    let flat = fit(&pca(2, SvdSolver::Auto), &Array2::<f64>::zeros((5, 3)));
    assert!(matches!(
        flat.log_density((&Array2::<f64>::zeros((1, 3))).into(), &Run::new()),
        Err(Error::Unsupported { .. })
    ));
}

/// By elimination: the determinant and the quadratic form.
fn log_density(covariance: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let d = x.len();
    let (mut a, mut b, mut log_determinant, mut form) = (covariance.clone(), x.clone(), 0.0, 0.0);
    for k in 0..d {
        log_determinant += a[(k, k)].ln();
        form += b[k] * b[k] / a[(k, k)];
        for i in k + 1..d {
            let factor = a[(i, k)] / a[(k, k)];
            let row = a.row(k).to_owned();
            a.row_mut(i).scaled_add(-factor, &row);
            b[i] -= factor * b[k];
        }
    }
    -0.5 * (d as f64 * (2.0 * std::f64::consts::PI).ln() + log_determinant + form)
}

#[test]
fn chunks_give_the_model_of_the_whole() {
    let run = Run::new();
    let x = concatenate![Axis(0), gaussian(700, 15, 0.8, 12), gaussian(300, 15, 0.9, 13) * 50.0 + 1e4];
    let whole = fit(&pca(5, SvdSolver::Covariance), &x);
    for sizes in [vec![1000], vec![1, 1, 998], vec![300, 700], vec![999, 1], vec![50; 20]] {
        let mut stream = pca(5, SvdSolver::Auto).stream().unwrap();
        let mut start = 0;
        for size in sizes {
            stream.push(x.slice(s![start..start + size, ..]), &run).unwrap();
            start += size;
        }
        let model = stream.finish(&run).unwrap();
        assert_eq!(model.rows(), 1000);
        for j in 0..5 {
            assert_close(model.explained_variance()[j], whole.explained_variance()[j], 1e-10, "variance");
        }
        assert!(squares(&(&model.directions() - &whole.directions())) < 1e-16);
        let y = model.transform((&x).into(), &run).unwrap().to_f64();
        assert!(squares(&(&y - embedding(&whole))).sqrt() < 1e-9 * squares(&y).sqrt());
    }
}

#[test]
fn a_chunk_that_is_refused_changes_nothing() {
    let run = Run::new();
    let x = gaussian(50, 4, 0.8, 14);
    let mut stream = pca(2, SvdSolver::Auto).stream().unwrap();
    assert!(matches!(stream.finish(&run), Err(Error::Empty { .. })));
    stream.push(x.view(), &run).unwrap();
    let before = stream.finish(&run).unwrap();
    let mut bad = x.clone();
    bad[(3, 1)] = f64::NAN;
    assert!(matches!(stream.push(bad.view(), &run), Err(Error::NotFinite { row: 3, column: 1, .. })));
    assert!(matches!(
        stream.push(gaussian(5, 5, 1.0, 0).view(), &run),
        Err(Error::Width { expected: 4, found: 5, .. })
    ));
    stream.push(Array2::<f64>::zeros((0, 4)).view(), &run).unwrap();
    assert_eq!(stream.finish(&run).unwrap(), before);
    let mut few = pca(3, SvdSolver::Auto).stream().unwrap();
    few.push(x.slice(s![..2, ..]), &run).unwrap();
    assert!(matches!(few.finish(&run), Err(Error::Parameter { name, .. }) if name == "n_components"));
}

#[test]
fn sparse_rows_give_the_model_of_the_dense_ones() {
    for (seed, (n, d)) in [(200, 30), (60, 100), (300, 3100)].into_iter().enumerate() {
        let mut rng = Run::new().with_seed(seed as u64).rng("sparse");
        let dense = Array2::from_shape_fn((n, d), |(i, j)| {
            let strong = if j % 7 == i % 3 { 5.0 } else { 1.0 };
            if rng.random::<f64>() < 0.05 + 0.1 * f64::from(j < 4) {
                strong * rng.random::<f64>()
            } else {
                0.0
            }
        });
        let entries: Vec<_> =
            dense.indexed_iter().filter(|e| *e.1 != 0.0).map(|((i, j), &v)| (i, j, v)).collect();
        let sparse = Csr::from_entries(n, d, &entries).unwrap();
        let a = fit(&pca(3, SvdSolver::Full), &dense);
        let b = pca(3, SvdSolver::Auto).fit_model(&sparse, &Run::new()).unwrap();
        for j in 0..3 {
            assert_close(a.explained_variance()[j], b.explained_variance()[j], 1e-10, "variance");
        }
        assert!(
            squares(&(embedding(&a) - embedding(&b))).sqrt() < 1e-8 * squares(embedding(&a)).sqrt(),
            "{n} x {d}"
        );
        assert_close(a.noise_variance(), b.noise_variance(), 1e-9, "noise");
        let again = b.transform((&dense).into(), &Run::new()).unwrap().to_f64();
        assert!(squares(&(&again - embedding(&b))).sqrt() < 1e-10 * squares(&again).sqrt());
    }
}

#[test]
fn an_offset_of_a_sparse_column_costs_no_digits() {
    for offset in [1e4, 1e8] {
        let mut x = gaussian(300, 6, 1.0, 600).mapv(|v| if v > 0.0 { v } else { 0.0 });
        let mut exact = x.clone();
        // A constant column, one at an offset; the rest are half empty.
        exact.column_mut(0).fill(0.0);
        x.column_mut(0).fill(offset + 0.1);
        // The offset rounds the values: compare with what is left of them.
        x.column_mut(1).mapv_inplace(|v| v + offset);
        exact.column_mut(1).mapv_inplace(|v| (v + offset) - offset);
        let (n, d) = x.dim();
        let cells = (0..n).flat_map(|i| (0..d).map(move |j| (i, j)));
        let entries: Vec<_> = cells.filter(|&c| x[c] != 0.0).map(|c| (c.0, c.1, x[c])).collect();
        let sparse = Csr::from_entries(n, d, &entries).unwrap();
        let all = pca(6, SvdSolver::Auto);
        let (a, b) = (fit(&all, &exact), all.fit_model(&sparse, &Run::new()).unwrap());
        for j in 0..6 {
            let (a, b) = (a.explained_variance()[j], b.explained_variance()[j]);
            assert!((a - b).abs() <= 1e-12, "offset {offset:e}, component {j}: {a} {b}");
        }
        assert_eq!(b.explained_variance()[5], 0.0, "the constant column varies");
    }
}

#[test]
fn single_precision_loses_only_single_precision() {
    let x = gaussian(2000, 50, 0.9, 15);
    let reference = fit(&pca(5, SvdSolver::Full), &x);
    for solver in SOLVERS {
        let model = fit(&pca(5, solver), &x.mapv(|v| v as f32));
        for j in 0..5 {
            // Twice sqrt(n) roundoffs: a variance is the square of a singular value.
            let rounding = 2.0 * 2000f64.sqrt() * f64::from(f32::EPSILON);
            let allowed = if solver == SvdSolver::Randomized { 1e-4 } else { rounding };
            assert_close(
                model.explained_variance()[j],
                reference.explained_variance()[j],
                allowed,
                "variance",
            );
        }
    }
}

#[test]
fn no_solver_asks_for_more_than_was_forecast() {
    for solver in SOLVERS {
        for (n, d, count) in [(2000, 60, 5), (2000, 60, 20), (90, 400, 12), (200, 200, 3)] {
            let x = gaussian(n, d, 0.9, 700);
            let method = pca(count, solver);
            let forecast = method.forecast(&lowland::AnyInput::from(&x).shape());
            let fitted = method.fit_model(&x, &Run::new().with_memory(forecast.bytes));
            assert!(fitted.is_ok(), "{solver:?} {n} x {d} to {count}: {:?}", fitted.err());
        }
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let x = gaussian(10, 4, 0.9, 16);
    let refused = |pca: Pca, x: ArrayView2<'_, f64>| match pca.fit_model(x, &Run::new()) {
        Err(Error::Parameter { name, value, bound, remedy }) => {
            assert!(!value.is_empty() && !bound.is_empty() && !remedy.is_empty());
            name
        }
        Err(Error::Conflict { name, problem, remedy }) => {
            assert!(!problem.is_empty() && !remedy.is_empty());
            name
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(pca(5, SvdSolver::Auto), x.view()), "n_components");
    assert_eq!(refused(pca(0, SvdSolver::Auto), x.view()), "n_components");
    for share in [0.0, 1.0, -0.1, f64::NAN] {
        let pca = Pca { n_components: Components::Variance(share), ..Pca::default() };
        assert_eq!(refused(pca, x.view()), "n_components");
    }
    for solver in [SvdSolver::Randomized, SvdSolver::Krylov] {
        let pca = Pca { svd_solver: solver, ..Pca::default() };
        assert_eq!(refused(pca, x.view()), "n_components");
    }
    let wide = Pca { n_components: Components::Minka, ..Pca::default() };
    assert_eq!(refused(wide, x.t()), "n_components");
    let one = pca(1, SvdSolver::Auto).fit_model(x.slice(s![..1, ..]), &Run::new());
    assert!(matches!(one, Err(Error::TooFewRows { rows: 1, needed: 2, .. })));
}

#[test]
fn wide_sparse_data_with_a_full_column_at_an_offset_are_no_harder() {
    let mut rng = Run::new().rng("wide sparse");
    let mut entries = Vec::new();
    for i in 0..50 {
        for j in 0..3200 {
            if j == 7 {
                entries.push((i, j, 1e6 + rng.random::<f64>()));
            } else if rng.random::<f64>() < 0.05 {
                entries.push((i, j, rng.random::<f64>()));
            }
        }
    }
    let sparse = Csr::from_entries(50, 3200, &entries).unwrap();
    let mut dense = Array2::<f64>::zeros((50, 3200));
    entries.iter().for_each(|&(i, j, v)| dense[(i, j)] = v);
    let a = fit(&pca(3, SvdSolver::Full), &dense);
    let b = pca(3, SvdSolver::Auto).fit_model(&sparse, &Run::new()).unwrap();
    for j in 0..3 {
        assert_close(a.explained_variance()[j], b.explained_variance()[j], 1e-8, "variance");
    }
}

#[test]
fn whitening_what_varies_very_little_stays_finite_and_what_varies_less_is_refused() {
    let x = gaussian(40, 4, 0.7, 18);
    for solver in SOLVERS {
        let whitened = Pca { whiten: true, ..pca(2, solver) };
        let tiny = fit(&whitened, &x.mapv(|v| (v * 1e-40) as f32));
        let y = tiny.embedding().unwrap().to_f64();
        for column in y.columns() {
            let variance = column.dot(&column) / 39.0;
            assert!((variance - 1.0).abs() < 1e-3, "{solver:?}: {variance}");
        }
        for scale in [1e-160, 1e-200, 1e-300] {
            let refused = whitened.fit_model(&x.mapv(|v| v * scale), &Run::new());
            assert!(matches!(refused, Err(Error::TooSmall { .. })), "{solver:?} {scale}");
        }
    }
}

#[test]
fn chunks_at_an_offset_lose_nothing() {
    let run = Run::new();
    let x = gaussian(900, 6, 0.8, 19).mapv(|v| v + 1e8);
    let whole = fit(&pca(4, SvdSolver::Covariance), &x);
    let mut stream = pca(4, SvdSolver::Auto).stream().unwrap();
    for start in (0..900).step_by(90) {
        stream.push(x.slice(s![start..start + 90, ..]), &run).unwrap();
    }
    let model = stream.finish(&run).unwrap();
    for j in 0..4 {
        assert_close(model.explained_variance()[j], whole.explained_variance()[j], 1e-12, "variance");
    }
}
