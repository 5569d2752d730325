//! What only PCA satisfies (Burges 1.1.1 to 1.1.4, Mohri 15.1), for every solver, on many random problems.

use lowland::methods::{Pca, PcaModel, SvdSolver};
use lowland::parameters::Components;
use lowland::{Csr, Element, Error, Method, Model, Run, Warning};
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

const SOLVERS: [SvdSolver; 6] = [
    SvdSolver::Auto,
    SvdSolver::Covariance,
    SvdSolver::Gram,
    SvdSolver::Full,
    SvdSolver::Randomized,
    SvdSolver::Krylov,
];

/// Gaussian rows whose standard deviations fall by `decay` from one random direction to the next.
fn gaussian(n: usize, d: usize, decay: f64, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("pca test");
    let mut normal = |rows: usize, columns: usize| -> Array2<f64> {
        Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut rng))
    };
    let mut latent = normal(n, d);
    for (j, mut column) in latent.columns_mut().into_iter().enumerate() {
        column *= decay.powi(j as i32);
    }
    let mut basis = normal(d, d);
    for i in 0..d {
        for j in 0..i {
            let along = basis.row(i).dot(&basis.row(j));
            let other = basis.row(j).to_owned();
            basis.row_mut(i).scaled_add(-along, &other);
        }
        let norm = basis.row(i).dot(&basis.row(i)).sqrt();
        basis.row_mut(i).mapv_inplace(|v| v / norm);
    }
    latent.dot(&basis)
}

fn pca(count: usize, solver: SvdSolver) -> Pca {
    Pca { n_components: Components::Count(count), svd_solver: solver, ..Pca::default() }
}

fn fit<T: Element>(pca: &Pca, x: &Array2<T>) -> PcaModel {
    pca.fit_model(x, &Run::new()).unwrap()
}

fn embedding(model: &PcaModel) -> &Array2<f64> {
    model.embedding().unwrap().as_typed().unwrap()
}

fn centered(x: &Array2<f64>) -> Array2<f64> {
    x - &x.mean_axis(Axis(0)).unwrap()
}

fn squares(x: &Array2<f64>) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn assert_close(a: f64, b: f64, relative: f64, what: &str) {
    assert!((a - b).abs() <= relative * a.abs().max(b.abs()), "{what}: {a} and {b}");
}

#[test]
fn the_directions_are_eigenvectors_of_the_covariance_for_every_solver_and_shape() {
    for (seed, (n, d)) in
        [(60, 5), (500, 40), (30, 80), (3, 7), (2, 2), (200, 200), (1200, 90)].into_iter().enumerate()
    {
        let x = gaussian(n, d, 0.8, seed as u64);
        let z = centered(&x);
        let covariance = z.t().dot(&z) / (n - 1) as f64;
        let count = 3.min(n - 1).min(d);
        for solver in SOLVERS {
            let model = fit(&pca(count, solver), &x);
            let largest = model.explained_variance()[0];
            for j in 0..count {
                let v = model.directions().row(j).to_owned();
                let residual = covariance.dot(&v) - &v * model.explained_variance()[j];
                let allowed = if solver == SvdSolver::Randomized { 1e-4 } else { 1e-12 };
                assert!(residual.dot(&residual).sqrt() <= allowed * largest, "{solver:?} {n} x {d}, {j}");
                assert!(model.report().residuals[j] <= allowed * largest);
                for i in 0..=j {
                    let product = v.dot(&model.directions().row(i));
                    assert!((product - f64::from(i == j)).abs() < 1e-12, "{solver:?} {n} x {d}");
                }
                let peak = v.iter().fold(0.0f64, |m, &e| if e.abs() > m.abs() { e } else { m });
                assert!(peak > 0.0, "the largest entry is positive");
            }
        }
    }
}

#[test]
fn the_solvers_agree() {
    for seed in 0..10 {
        let (n, d) = (40 + 30 * seed as usize, 25);
        let x = gaussian(n, d, 0.7, seed);
        let reference = fit(&pca(6, SvdSolver::Full), &x);
        for solver in [SvdSolver::Covariance, SvdSolver::Gram, SvdSolver::Krylov, SvdSolver::Auto] {
            let model = fit(&pca(6, solver), &x);
            for j in 0..6 {
                let (a, b) = (model.explained_variance()[j], reference.explained_variance()[j]);
                assert_close(a, b, 1e-11, "variance");
            }
            let difference = embedding(&model) - embedding(&reference);
            assert!(squares(&difference).sqrt() < 1e-9 * squares(embedding(&reference)).sqrt(), "{solver:?}");
            assert_close(model.noise_variance(), reference.noise_variance(), 1e-9, "noise");
        }
    }
}

#[test]
fn it_decorrelates_and_its_variances_are_those_of_the_coordinates() {
    for seed in 0..5 {
        let x = gaussian(300, 12, 0.9, 100 + seed);
        for solver in SOLVERS {
            let model = fit(&pca(5, solver), &x);
            let y = embedding(&model);
            let covariance = centered(y).t().dot(&centered(y)) / 299.0;
            for i in 0..5 {
                for j in 0..5 {
                    let expected = if i == j { model.explained_variance()[i] } else { 0.0 };
                    let allowed = if solver == SvdSolver::Randomized { 1e-3 } else { 1e-11 };
                    assert!((covariance[(i, j)] - expected).abs() < allowed, "{solver:?}");
                }
            }
            let mean = y.mean_axis(Axis(0)).unwrap();
            assert!(mean.iter().all(|m| m.abs() < 1e-12));
        }
    }
}

#[test]
fn the_reconstruction_error_is_what_was_left_out_and_no_basis_does_better() {
    for seed in 0..5 {
        let x = gaussian(200, 10, 0.85, 200 + seed);
        let model = fit(&pca(4, SvdSolver::Auto), &x);
        let back = model.inverse(embedding(&model).into(), &Run::new()).unwrap().to_f64();
        let error = squares(&(&x - &back)) / 200.0;
        let reported = &model.report().objective[2];
        assert_eq!(reported.name, "mean squared reconstruction error");
        assert_close(error, reported.value, 1e-9, "reconstruction");
        for other in 0..20 {
            let basis = fit(&pca(4, SvdSolver::Auto), &gaussian(50, 10, 1.0, 900 + 20 * seed + other));
            let z = centered(&x);
            let rest = &z - &z.dot(&basis.directions().t()).dot(&basis.directions());
            assert!(squares(&rest) / 200.0 >= error);
        }
    }
}

#[test]
fn with_all_components_nothing_is_lost_whitened_or_not() {
    let x = gaussian(120, 9, 0.7, 7);
    for whiten in [false, true] {
        let model = fit(&Pca { whiten, ..Pca::default() }, &x);
        assert_eq!(model.components(), 9);
        let y = embedding(&model);
        let back = model.inverse(y.into(), &Run::new()).unwrap().to_f64();
        assert!(squares(&(&x - &back)).sqrt() < 1e-12 * squares(&x).sqrt());
        if whiten {
            let covariance = centered(y).t().dot(&centered(y)) / 119.0;
            assert!(squares(&(covariance - Array2::<f64>::eye(9))) < 1e-20);
        }
        assert_eq!(model.noise_variance(), 0.0);
        assert_close(model.explained_variance_ratio().sum(), 1.0, 1e-12, "shares");
    }
}

#[test]
fn a_share_of_the_variance_is_reached_with_as_few_as_possible() {
    let x = gaussian(400, 30, 0.8, 8);
    for solver in [SvdSolver::Auto, SvdSolver::Covariance, SvdSolver::Gram, SvdSolver::Full] {
        for share in [0.1, 0.5, 0.9, 0.999] {
            let model = fit(
                &Pca { n_components: Components::Variance(share), svd_solver: solver, ..Pca::default() },
                &x,
            );
            let ratios = model.explained_variance_ratio();
            let k = model.components();
            assert!(ratios.sum() > share && ratios.slice(s![..k - 1]).sum() <= share, "{share}");
        }
    }
}

#[test]
fn minkas_rule_finds_the_planted_dimension() {
    for seed in 0..10 {
        let rank = 1 + seed as usize % 5;
        let mut rng = Run::new().with_seed(seed).rng("minka");
        let mut x = gaussian(500, 20, 1.0, 300 + seed).slice(s![.., ..rank]).to_owned();
        x *= 5.0;
        let mut basis = Array2::<f64>::zeros((rank, 20));
        basis.iter_mut().for_each(|v| *v = StandardNormal.sample(&mut rng));
        let mut x = x.dot(&basis);
        x.iter_mut().for_each(|v| {
            let e: f64 = StandardNormal.sample(&mut rng);
            *v += e;
        });
        let model = fit(&Pca { n_components: Components::Minka, ..Pca::default() }, &x);
        assert_eq!(model.components(), rank, "seed {seed}");
    }
}

#[test]
fn a_rule_keeps_nothing_beyond_the_rank() {
    let deficient = |n, d, rank, seed| {
        let x = gaussian(n, d, 0.9, seed).slice(s![.., ..rank]).to_owned();
        x.dot(&gaussian(d, d, 1.0, seed + 1).slice(s![..rank, ..]))
    };
    for (n, d, rank) in [(200, 10, 3), (50, 20, 2), (1000, 8, 1), (12, 12, 4)] {
        for solver in [SvdSolver::Full, SvdSolver::Covariance] {
            for seed in [500, 502, 504] {
                let x = deficient(n, d, rank, seed);
                for rule in [Components::Minka, Components::Variance(1.0 - f64::EPSILON / 2.0)] {
                    let model = fit(&Pca { n_components: rule, svd_solver: solver, ..Pca::default() }, &x);
                    let what = format!("{rule:?} {solver:?} {n} x {d} of rank {rank}");
                    assert_eq!(model.components(), rank, "{what}");
                    assert!(model.report().warnings.is_empty(), "{what}");
                }
            }
        }
    }
    // Of data that do not vary one component explains all there is.
    let constant = Array2::from_elem((20, 4), 3.3);
    for rule in [Components::Minka, Components::Variance(0.5)] {
        assert_eq!(fit(&Pca { n_components: rule, ..Pca::default() }, &constant).components(), 1);
    }
}

#[test]
fn missing_directions_are_zero_with_a_warning_and_not_noise() {
    fn check<T: Element>(solver: SvdSolver, n: usize, d: usize, rank: usize, offset: f64) {
        let x = if rank == 0 {
            Array2::zeros((n, d))
        } else {
            gaussian(n, d, 0.9, 400)
                .slice(s![.., ..rank])
                .dot(&gaussian(d, d, 1.0, 401).slice(s![..rank, ..]))
        };
        let x: Array2<T> = x.mapv(|v| T::of(v + offset));
        let model = fit(&pca(6, solver), &x);
        let what = format!("{solver:?} {} {n} x {d} rank {rank}", T::NAME);
        assert!(
            model.explained_variance().iter().skip(rank).all(|&v| v == 0.0),
            "{what}: {}",
            model.explained_variance()
        );
        assert!(model.explained_variance().iter().take(rank).all(|&v| v > 0.0), "{what}");
        assert!(model.directions().slice(s![rank.., ..]).iter().all(|&v| v == 0.0), "{what}");
        let y = model.embedding().unwrap().to_f64();
        assert!(y.slice(s![.., rank..]).iter().all(|&v| v == 0.0), "{what}");
        let warned = matches!(model.report().warnings[..], [Warning::RankDeficient { asked: 6, rank: r, .. }] if r == rank);
        assert!(warned, "{what}: {:?}", model.report().warnings);
        let whitened = fit(&Pca { whiten: true, ..pca(6, solver) }, &x);
        assert!(whitened.embedding().unwrap().to_f64().iter().all(|v| v.is_finite()), "{what}");
    }
    for solver in SOLVERS {
        for (n, d) in [(100, 8), (900, 300), (20, 60), (8, 8)] {
            for rank in [0, 1, 3] {
                check::<f64>(solver, n, d, rank, 0.0);
                check::<f32>(solver, n, d, rank, 0.0);
            }
            check::<f64>(solver, n, d, 0, 1e8);
            check::<f32>(solver, n, d, 0, 77.7);
        }
    }
}

#[test]
fn an_offset_costs_no_digits_and_a_scale_none_at_all() {
    let x = gaussian(600, 20, 0.8, 9);
    for solver in SOLVERS {
        let reference = fit(&pca(4, solver), &x);
        let shifted = fit(&pca(4, solver), &x.mapv(|v| v + 1e8));
        let moved = x.mapv(|v| v + 1e8).mapv(|v| v - 1e8);
        let rounding = squares(&(&moved - &x)).sqrt() / squares(&x).sqrt();
        for j in 0..4 {
            let (a, b) = (shifted.explained_variance()[j], reference.explained_variance()[j]);
            assert_close(a, b, 4.0 * rounding, "variance under an offset");
        }
        for exponent in [-500, -200, 300, 480] {
            let scale = 2f64.powi(exponent);
            let scaled = fit(&pca(4, solver), &x.mapv(|v| v * scale));
            assert_eq!(scaled.directions(), reference.directions(), "{solver:?} 2^{exponent}");
            let y = embedding(&scaled).mapv(|v| v / scale);
            assert!(squares(&(&y - embedding(&reference))).sqrt() < 1e-13 * squares(&y).sqrt());
        }
        let tiny = x.mapv(|v| (v * 1e-25) as f32);
        let (tiny, usual) = (fit(&pca(4, solver), &tiny), fit(&pca(4, solver), &x.mapv(|v| v as f32)));
        assert!(squares(&(&tiny.directions() - &usual.directions())) < 1e-8, "{solver:?}");
    }
}

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
        let found = model.log_likelihood(new.view(), &Run::new()).unwrap();
        for (row, found) in new.rows().into_iter().zip(&found) {
            let expected = log_density(&covariance, &(&row - &model.mean()));
            assert_close(*found, expected, 1e-9, "log-likelihood");
        }
    }
    let flat = fit(&pca(2, SvdSolver::Auto), &Array2::<f64>::zeros((5, 3)));
    assert!(matches!(
        flat.log_likelihood(Array2::<f64>::zeros((1, 3)).view(), &Run::new()),
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
        let mut stream = pca(5, SvdSolver::Auto).stream();
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
    let mut stream = pca(2, SvdSolver::Auto).stream();
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
    let mut few = pca(3, SvdSolver::Auto).stream();
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
    let mut stream = pca(4, SvdSolver::Auto).stream();
    for start in (0..900).step_by(90) {
        stream.push(x.slice(s![start..start + 90, ..]), &run).unwrap();
    }
    let model = stream.finish(&run).unwrap();
    for j in 0..4 {
        assert_close(model.explained_variance()[j], whole.explained_variance()[j], 1e-12, "variance");
    }
}
