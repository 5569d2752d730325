//! Directions, variances and how many of them.

use super::*;

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
fn no_solver_keeps_more_components_than_there_are_rows() {
    let x = Array2::from_shape_fn((10, 30), |(i, j)| ((i * 31 + j * 17) % 23) as f64 + (i * j) as f64 * 0.1);
    for svd_solver in [SvdSolver::Covariance, SvdSolver::Gram, SvdSolver::Full, SvdSolver::Auto] {
        let model = Pca { svd_solver, ..Pca::default() }.fit_model(&x, &Run::new()).unwrap();
        assert_eq!(model.components(), 10, "{svd_solver:?}");
        assert_eq!(model.directions().dim(), (10, 30));
    }
}

#[test]
fn the_entropy_of_the_projection_is_that_of_its_covariance() {
    for seed in 0..6 {
        let x = gaussian(200, 8, 0.8, 70 + seed);
        let model = fit(&pca(3, SvdSolver::Full), &x);
        let y = centered(&model.embedding().unwrap().to_f64());
        let c = y.t().dot(&y) / 199.0;
        // The determinant of 3 x 3 by Sarrus; Burges eq. 1.6 with (2 pi e)^d.
        let det = c[(0, 0)] * (c[(1, 1)] * c[(2, 2)] - c[(1, 2)] * c[(2, 1)])
            - c[(0, 1)] * (c[(1, 0)] * c[(2, 2)] - c[(1, 2)] * c[(2, 0)])
            + c[(0, 2)] * (c[(1, 0)] * c[(2, 1)] - c[(1, 1)] * c[(2, 0)]);
        let expected = 0.5 * ((2.0 * std::f64::consts::PI * std::f64::consts::E).powi(3) * det).log2();
        let found = model.report().objective.iter().find(|q| q.name.starts_with("entropy")).unwrap().value;
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} {expected}");
    }
}
