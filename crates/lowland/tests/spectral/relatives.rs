//! The linear relatives: LPP, NPE, ONPP and linear LTSA.

use crate::{apart, cloud, distances, embedding, largest, recovered, rotation};
use lowland::methods::{Lle, Lltsa, Lpp, Ltsa, Npe, Onpp};
use lowland::parameters::Value;
use lowland::{Error, LinearModel, Method, Model, Run, Warning, load_bytes, registry};
use ndarray::{Array1, Array2, Axis, s};

const NAMES: [&str; 4] = ["lpp", "npe", "onpp", "lltsa"];

fn all(x: &Array2<f64>, d: usize, k: usize) -> Vec<(&'static str, LinearModel)> {
    let run = Run::new();
    vec![
        ("lpp", Lpp { n_components: d, n_neighbors: k, ..Lpp::default() }.fit_model(x, &run).unwrap()),
        ("npe", Npe { n_components: d, n_neighbors: k, ..Npe::default() }.fit_model(x, &run).unwrap()),
        ("onpp", Onpp { n_components: d, n_neighbors: k, ..Onpp::default() }.fit_model(x, &run).unwrap()),
        ("lltsa", Lltsa { n_components: d, n_neighbors: k, ..Lltsa::default() }.fit_model(x, &run).unwrap()),
    ]
}

/// `(I - W)'(I - W)` by its definition, from all pairs.
fn lle_matrix(x: &Array2<f64>, k: usize, reg: f64) -> Array2<f64> {
    let n = x.nrows();
    let far = distances(x.view());
    let mut rest = Array2::<f64>::eye(n);
    for i in 0..n {
        let mut order: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| far[(i, a)].total_cmp(&far[(i, b)]));
        order.truncate(k);
        let z = Array2::from_shape_fn((k, x.ncols()), |(a, c)| x[(order[a], c)] - x[(i, c)]);
        let mut gram = z.dot(&z.t());
        let ridge = reg * gram.diag().sum();
        gram.diag_mut().mapv_inplace(|v| v + ridge);
        let weights = solve(gram, Array1::ones(k));
        let sum = weights.sum();
        order.iter().zip(&weights).for_each(|(&j, w)| rest[(i, j)] -= w / sum);
    }
    rest.t().dot(&rest)
}

/// Gaussian elimination of a definite matrix.
fn solve(mut a: Array2<f64>, mut b: Array1<f64>) -> Array1<f64> {
    let n = b.len();
    for p in 0..n {
        for r in p + 1..n {
            let factor = a[(r, p)] / a[(p, p)];
            (p..n).for_each(|q| a[(r, q)] -= factor * a[(p, q)]);
            b[r] -= factor * b[p];
        }
    }
    for p in (0..n).rev() {
        let inside: f64 = (p + 1..n).map(|q| a[(p, q)] * b[q]).sum();
        b[p] = (b[p] - inside) / a[(p, p)];
    }
    b
}

/// Where the rows are affinely independent, every function of them is affine: the linear methods have nothing to give up.
#[test]
fn on_independent_rows_they_are_the_methods_that_they_are_relatives_of() {
    let run = Run::new();
    for seed in 0..4 {
        let x = cloud(50, 70, 300 + seed);
        let lle = Lle { n_neighbors: 9, ..Lle::default() }.fit_model(&x, &run).unwrap();
        let npe = Npe { n_neighbors: 9, ..Npe::default() }.fit_model(&x, &run).unwrap();
        assert!(apart(&embedding(&lle), &embedding(&npe)) < 1e-6);
        let ltsa = Ltsa { n_neighbors: 9, ..Ltsa::default() }.fit_model(&x, &run).unwrap();
        let lltsa = Lltsa { n_neighbors: 9, ..Lltsa::default() }.fit_model(&x, &run).unwrap();
        assert!(apart(&embedding(&ltsa), &embedding(&lltsa)) < 1e-6);
        // Laplacian eigenmaps: L y = l D y, and no mean by the degrees.
        let width = 4.0;
        let lpp = Lpp { n_neighbors: 9, width: Some(width), ..Lpp::default() }.fit_model(&x, &run).unwrap();
        let y = embedding(&lpp);
        let (l, degrees) = laplacian(&x, 9, width);
        for (j, value) in lpp.report().eigenvalues.iter().enumerate() {
            let y = y.column(j);
            let wrong = l.dot(&y) - &(&degrees * &y) * *value;
            assert!(wrong.dot(&wrong).sqrt() < 1e-8 * y.dot(&y).sqrt());
            assert!((&degrees * &y).sum().abs() < 1e-8 * degrees.sum());
            assert!(((&degrees * &y).dot(&y) / degrees.sum() - 1.0).abs() < 1e-9);
        }
    }
}

fn laplacian(x: &Array2<f64>, k: usize, width: f64) -> (Array2<f64>, Array1<f64>) {
    let n = x.nrows();
    let far = distances(x.view());
    let mut w = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        let mut order: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| far[(i, a)].total_cmp(&far[(i, b)]));
        for &j in &order[..k] {
            let weight = (-far[(i, j)].powi(2) / (2.0 * width * width)).exp();
            w[(i, j)] = weight;
            w[(j, i)] = weight;
        }
    }
    let degrees = w.sum_axis(Axis(1));
    (Array2::from_diag(&degrees) - w, degrees)
}

#[test]
fn the_directions_solve_their_eigenproblems_and_obey_their_constraints() {
    for seed in 0..4 {
        let x = cloud(150, 6, 320 + seed);
        let n = 150.0;
        let centered = &x - &x.mean_axis(Axis(0)).unwrap();
        let m = centered.t().dot(&lle_matrix(&x, 10, 1e-3)).dot(&centered);
        let scatter = centered.t().dot(&centered);
        for (name, model) in all(&x, 3, 10) {
            let (a, values) = (model.map(), &model.report().eigenvalues);
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{name}");
            let y = embedding(&model);
            let wrong = match name {
                "npe" => m.dot(&a) - scatter.dot(&a) * &Array1::from(values.clone()),
                "onpp" => m.dot(&a) - &a * &Array1::from(values.clone()),
                _ => Array2::zeros((1, 1)),
            };
            assert!(largest(&wrong) < 1e-8 * largest(&m), "{name}: {:e}", largest(&wrong));
            let held = match name {
                "npe" | "lltsa" => y.t().dot(&y) / n,
                "onpp" => a.t().dot(&a),
                _ => Array2::eye(3),
            };
            assert!(largest(&(held - Array2::<f64>::eye(3))) < 1e-9, "{name}");
            if name == "onpp" {
                // No other orthonormal directions pay less.
                let trace = |a: Array2<f64>| a.t().dot(&m).dot(&a).diag().sum();
                let ours = trace(a.to_owned());
                for other in 0..20 {
                    assert!(ours <= trace(rotation(6, other).slice(s![.., ..3]).to_owned()) * (1.0 + 1e-12));
                }
            }
        }
    }
}

#[test]
fn the_inverse_is_that_of_least_squares() {
    let run = Run::new();
    for seed in 0..3 {
        let x = cloud(120, 7, 340 + seed);
        for (name, model) in all(&x, 3, 9) {
            let y = embedding(&model);
            let back = model.inverse((&y).into(), &run).unwrap().to_f64();
            // What is left has nothing to do with the embedding.
            let size = largest(&y.t().dot(&(&x - 5.0)));
            assert!(largest(&y.t().dot(&(&x - &back))) < 1e-9 * size, "{name}");
            let again = model.transform((&back).into(), &run).unwrap().to_f64();
            assert!(largest(&(again - &y)) < 1e-9 * largest(&y), "{name}");
            let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(loaded.inverse((&y).into(), &run), model.inverse((&y).into(), &run), "{name}");
        }
    }
}

/// A plane in more dimensions: every column beyond the rank is a combination of others.
#[test]
fn dependent_columns_and_constant_ones_change_nothing() {
    let run = Run::new();
    for seed in 0..3 {
        let flat = cloud(100, 2, 360 + seed);
        let mut x = flat.dot(&rotation(6, seed).slice(s![..2, ..])) * 3.0;
        x.column_mut(4).fill(1e3);
        for (name, model) in all(&x, 2, 8) {
            let y = embedding(&model);
            let fit = recovered(&y, &flat);
            assert!(fit.iter().all(|r| 1.0 - r < 1e-10), "{name}: {fit:?}");
            let back = model.inverse((&y).into(), &run).unwrap().to_f64();
            assert!(largest(&(back - &x)) < 1e-9 * largest(&x), "{name}");
        }
        let Ok(model) = (Npe { n_components: 3, ..Npe::default() }).fit_model(&x, &run) else { panic!() };
        assert!(matches!(model.report().warnings[..], [Warning::RankDeficient { asked: 3, rank: 2, .. }]));
        assert_eq!(embedding(&model).column(2).iter().filter(|v| **v != 0.0).count(), 0);
    }
}

#[test]
fn bad_input_is_refused_with_its_bound() {
    let run = Run::new();
    let x = cloud(30, 5, 1);
    let refused = |name: &str, d: i64, k: i64| {
        let mut method: Box<dyn Method> = (registry::find(name).unwrap().create)();
        method.set("n_components", &Value::Integer(d)).unwrap();
        method.set("n_neighbors", &Value::Integer(k)).unwrap();
        match method.fit((&x).into(), &run) {
            Err(Error::Parameter { name, bound, .. }) => Some((name, bound)),
            Err(e) => panic!("{e}"),
            Ok(_) => None,
        }
    };
    for name in NAMES {
        assert_eq!(refused(name, 6, 10).unwrap().0, "n_components", "{name}");
        assert_eq!(refused(name, 2, 30).unwrap().0, "n_neighbors", "{name}");
    }
    assert!(refused("lltsa", 3, 4).unwrap().1.contains("n_components + 2 = 5"));
}

/// A disconnected graph: refused, joined by its shortest edges, or the map of the largest component; no map separates them.
#[test]
fn a_disconnected_graph_obeys_the_policy() {
    let run = Run::new();
    let mut x = cloud(120, 4, 7);
    x.slice_mut(s![80.., 0]).mapv_inplace(|v| v + 50.0);
    let large = x.slice(s![..80, ..]).to_owned();
    for name in NAMES {
        let fit = |x: &Array2<f64>, policy: &str| {
            let mut method = (registry::find(name).unwrap().create)();
            method.set("disconnected", &Value::Text(policy.into())).unwrap();
            method.fit(x.into(), &run)
        };
        let refused = fit(&x, "error").err();
        assert!(matches!(refused, Some(Error::Disconnected { sizes, .. }) if sizes == [80, 40]), "{name}");
        match fit(&x, "separate") {
            Err(Error::Conflict { name: parameter, remedy, .. }) => {
                assert!(parameter == "disconnected" && remedy.contains("join"), "{name}: {remedy}");
            }
            other => panic!("{name}: {:?}", other.err()),
        }
        let alone = fit(&large, "error").unwrap();
        assert!(!alone.report().warnings.iter().any(|w| matches!(w, Warning::Disconnected { .. })));
        assert_eq!(alone.report().connected_component_sizes, [80]);
        for policy in ["join", "largest"] {
            let model = fit(&x, policy).unwrap();
            let first = &model.report().warnings[0];
            assert!(matches!(first, Warning::Disconnected { sizes, .. } if *sizes == [80, 40]), "{name}");
            assert_eq!(model.report().connected_component_sizes, [80, 40]);
            let again = model.transform((&x).into(), &run).unwrap().to_f64();
            assert!(largest(&(again - embedding(&*model))) < 1e-8, "{name} {policy}");
            if policy == "largest" {
                // The map of the largest component, to which the others are new points.
                let extended = alone.transform((&x).into(), &run).unwrap().to_f64();
                assert_eq!(extended, embedding(&*model), "{name}");
            }
        }
    }
}

/// What joins two components takes part in the penalty: the added edge of LPP is one of its Laplacian.
#[test]
fn an_added_edge_between_components_is_penalized() {
    let run = Run::new();
    let mut x = cloud(60, 3, 2);
    x.slice_mut(s![30.., 0]).mapv_inplace(|v| v + 12.0);
    let width = 6.0;
    let lpp = Lpp { n_components: 3, n_neighbors: 5, width: Some(width), ..Lpp::default() };
    let model = lpp.fit_model(&x, &run).unwrap();
    assert_eq!(model.report().connected_component_sizes, [30, 30]);
    // From the definition: neighbors of either, and the shortest edge.
    let d = distances(x.view());
    let mut w = Array2::<f64>::zeros((60, 60));
    let heat = |d: f64| (-0.5 * (d / width).powi(2)).exp();
    for i in 0..60 {
        let mut order: Vec<usize> = (0..60).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| d[(i, a)].total_cmp(&d[(i, b)]));
        for &j in &order[..5] {
            w[(i, j)] = heat(d[(i, j)]);
            w[(j, i)] = w[(i, j)];
        }
    }
    let pairs = (0..30).flat_map(|i| (30..60).map(move |j| (i, j)));
    let (i, j) = pairs.min_by(|&a, &b| d[a].total_cmp(&d[b])).unwrap();
    (w[(i, j)], w[(j, i)]) = (heat(d[(i, j)]), heat(d[(i, j)]));
    let degrees = w.sum_axis(Axis(1));
    let y = embedding(&model);
    for (c, value) in model.report().eigenvalues.iter().enumerate() {
        let column = y.column(c);
        let paid: f64 = w.indexed_iter().map(|((i, j), w)| 0.5 * w * (column[i] - column[j]).powi(2)).sum();
        let norm: f64 = degrees.iter().zip(column).map(|(d, y)| d * y * y).sum();
        assert!((paid / norm - value).abs() < 1e-10, "{c}: {} {value}", paid / norm);
    }
}
