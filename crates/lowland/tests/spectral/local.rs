//! LLE, modified LLE, Hessian LLE and LTSA.

use crate::{apart, cloud, embedding, largest, recovered, rotation, swiss_roll};
use lowland::linalg::operator::{Operator, ResidualGram};
use lowland::methods::{HessianLle, KernelPca, Lle, Ltsa, ModifiedLle};
use lowland::neighbors::index::{self, Choice};
use lowland::neighbors::{Metric, Table};
use lowland::parameters::Value;
use lowland::spectral::local::weights;
use lowland::spectral::{Disconnected, SpectralModel};
use lowland::{Error, Input, Method, Model, Run, Warning, load_bytes, registry};
use ndarray::{Array2, Axis, concatenate, s};

const NAMES: [&str; 4] = ["lle", "modified-lle", "hessian-lle", "ltsa"];

fn method(name: &str, settings: &[(&str, Value)]) -> Box<dyn Method> {
    let mut method = (registry::find(name).unwrap().create)();
    settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
    method
}

fn with_neighbors(name: &str, k: i64) -> Box<dyn Method> {
    method(name, &[("n_neighbors", Value::Integer(k))])
}

fn table(x: &Array2<f64>, k: usize) -> Table<f64> {
    let copy = faer::Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)]);
    let run = Run::new();
    index::build(copy.as_ref(), Metric::Euclidean, Choice::Brute, &run)
        .unwrap()
        .k_nearest_of_all(k, &run)
        .unwrap()
}

/// A plane of `d` dimensions in `columns`, far from the origin, and its coordinates.
fn plane(n: usize, d: usize, columns: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let flat = cloud(n, d, seed) - 5.0;
    let turn = rotation(columns, seed);
    (flat.dot(&turn.slice(s![..d, ..])) + 3.0, flat)
}

/// What is left of the columns of `truth` beside affine images of `y`, relative to their size.
fn misfit(y: &Array2<f64>, truth: &Array2<f64>) -> f64 {
    recovered(y, truth).iter().map(|r| (1.0 - (r * r).min(1.0)).sqrt()).fold(0.0, f64::max)
}

#[test]
fn ltsa_and_hessian_lle_recover_an_affine_plane_and_place_new_points_on_it() {
    let run = Run::new();
    for (seed, (d, columns)) in [(1, 3), (2, 3), (2, 7), (3, 5)].into_iter().enumerate() {
        let (all, truth) = plane(450, d, columns, seed as u64);
        let (x, new) = (all.slice(s![..400, ..]).to_owned(), all.slice(s![400.., ..]).to_owned());
        for name in ["hessian-lle", "ltsa"] {
            let settings = [("n_components", Value::Integer(d as i64)), ("n_neighbors", Value::Integer(14))];
            let model = method(name, &settings).fit((&x).into(), &run).unwrap();
            let y = embedding(&*model);
            let left = misfit(&y, &truth.slice(s![..400, ..]).to_owned());
            assert!(left < 1e-6, "{name} {d}: {left:e}");
            // Unit variance, no mean, no correlation.
            let gram = y.t().dot(&y) / 400.0;
            assert!(largest(&(gram - Array2::<f64>::eye(d))) < 1e-10);
            assert!(y.mean_axis(Axis(0)).unwrap().iter().all(|mean| mean.abs() < 1e-10));
            let extended = model.transform((&new).into(), &run).unwrap().to_f64();
            let left = misfit(&concatenate![Axis(0), y, extended], &truth);
            assert!(left < 1e-6, "{name} {d}, new points: {left:e}");
            assert!(model.report().eigenvalues.iter().all(|value| value.abs() < 1e-12));
        }
    }
}

#[test]
fn the_swiss_roll_is_unrolled_and_its_new_points_land_where_they_should() {
    let run = Run::new();
    for seed in 1..3 {
        let (x, truth) = swiss_roll(3000, seed);
        let (new, new_truth) = swiss_roll(500, 10 + seed);
        for name in ["modified-lle", "hessian-lle", "ltsa"] {
            let model = with_neighbors(name, 12).fit((&x).into(), &run).unwrap();
            let fit = recovered(&embedding(&*model), &truth);
            assert!(fit.iter().all(|r| *r > 0.99), "{name}: {fit:?}");
            let report = model.report();
            assert!(report.warnings.is_empty(), "{name}: {:?}", report.warnings);
            assert!(report.residuals.iter().all(|residual| residual / report.norm < 1e-13));
            let extended = model.transform((&new).into(), &run).unwrap().to_f64();
            let together = concatenate![Axis(0), embedding(&*model), extended];
            let fit = recovered(&together, &concatenate![Axis(0), truth.view(), new_truth.view()]);
            assert!(fit.iter().all(|r| *r > 0.99), "{name}, new points: {fit:?}");
        }
    }
}

/// LLE keeps no distances, but order along the roll; and a new point lands where it would have been put as a training
/// point.
#[test]
fn new_points_of_lle_land_where_they_would_have_been_fitted() {
    let run = Run::new();
    let (all, truth) = swiss_roll(3000, 3);
    let whole = embedding(&*with_neighbors("lle", 12).fit((&all).into(), &run).unwrap());
    let part = all.slice(s![..2700, ..]).to_owned();
    let model = with_neighbors("lle", 12).fit((&part).into(), &run).unwrap();
    let extended = model.transform((&all.slice(s![2700.., ..]).to_owned()).into(), &run).unwrap().to_f64();
    // Smooth functions of the roll: products of its coordinates explain them alike, known and new.
    let powers = [(1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)];
    let design = Array2::from_shape_fn((3000, 9), |(i, j)| {
        (truth[(i, 0)] / 50.0 - 1.0).powi(powers[j].0) * (truth[(i, 1)] / 15.0 - 1.0).powi(powers[j].1)
    });
    let fit = recovered(&design, &concatenate![Axis(0), embedding(&*model), extended.view()]);
    assert!(fit.iter().all(|r| *r > 0.99), "{fit:?}");
    let known = recovered(&embedding(&*model), &whole.slice(s![..2700, ..]).to_owned());
    let new = recovered(&concatenate![Axis(0), embedding(&*model), extended], &whole);
    assert!(known.iter().zip(&new).all(|(known, new)| *new > known - 0.01), "{known:?} {new:?}");
}

#[test]
fn transforming_the_training_rows_gives_the_embedding() {
    let run = Run::new();
    for name in NAMES {
        for seed in 0..3 {
            let (x, _) = swiss_roll(400, 30 + seed);
            for landmarks in [Value::Auto, Value::Integer(150)] {
                let settings = [("landmarks", landmarks), ("n_neighbors", Value::Integer(10))];
                let model = method(name, &settings).fit((&x).into(), &run).unwrap();
                let again = model.transform((&x).into(), &run).unwrap().to_f64();
                assert!(largest(&(again - embedding(&*model))) < 1e-8, "{name}");
                let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
                assert_eq!(loaded.transform((&x).into(), &run), model.transform((&x).into(), &run));
            }
        }
    }
}

/// Ham 5: LLE is kernel PCA, not centered, on `c I - M` without its first component, which is the constant. Bengio 2.6
/// and 3.1: its out-of-sample formula tends to the weights of Saul and Roweis.
#[test]
fn lle_is_kernel_pca_on_its_kernel_without_the_first_vector() {
    let run = Run::new();
    for seed in 0..4 {
        let (x, _) = swiss_roll(250, 50 + seed);
        let lists = table(&x, 9);
        let w = weights::matrix(x.view(), &lists, 1e-3, &run).unwrap();
        let m = ResidualGram::new(&w).unwrap().to_dense(&run).unwrap();
        let c = 10.0;
        let kernel =
            Array2::from_shape_fn((250, 250), |(i, j)| if i == j { c - m[(i, j)] } else { -m[(i, j)] });
        let kpca = KernelPca { n_components: 4, center: false, ..KernelPca::default() };
        let pairs = embedding(&kpca.fit_model(Input::Kernel(kernel.view()), &run).unwrap());
        let constant = pairs.column(0);
        assert!(constant.iter().all(|v| (v - constant[0]).abs() < 1e-6 * constant[0].abs()));
        let unit = |y: Array2<f64>| {
            let lengths = (&y * &y).sum_axis(Axis(0)).mapv(f64::sqrt);
            y / &lengths
        };
        let lle = Lle { n_components: 3, n_neighbors: 9, ..Lle::default() }.fit_model(&x, &run).unwrap();
        let y = embedding(&lle);
        let difference = apart(&unit(y.clone()), &unit(pairs.slice(s![.., 1..]).to_owned()));
        assert!(difference < 1e-6, "{difference:e}");
        // The eigenvalues are those that Ham names: c - l.
        let values = &lle.report().eigenvalues;
        let quadratic = |j: usize| {
            let v = unit(y.clone());
            let v = v.column(j);
            v.dot(&kernel.dot(&v))
        };
        (0..3).for_each(|j| assert!((quadratic(j) - (c - values[j])).abs() < 1e-9));
    }
}

#[test]
fn the_embedding_follows_rows_shifts_rotations_and_scale() {
    let run = Run::new();
    for (seed, name) in NAMES.into_iter().enumerate() {
        let (x, _) = swiss_roll(300, 70 + seed as u64);
        let y = embedding(&*with_neighbors(name, 10).fit((&x).into(), &run).unwrap());
        let same = |x: &Array2<f64>, y: &Array2<f64>| {
            let other = embedding(&*with_neighbors(name, 10).fit(x.into(), &run).unwrap());
            assert!(apart(y, &other) < 1e-6, "{name}: {:e}", apart(y, &other));
        };
        same(&(&x + 1e3), &y);
        same(&x.dot(&rotation(3, seed as u64)), &y);
        same(&(&x * 1024.0), &y);
        same(&(&x * 1e-100), &y);
        let order: Vec<usize> = (0..300).map(|i| i * 7 % 300).collect();
        same(&x.select(Axis(0), &order), &y.select(Axis(0), &order));
    }
}

#[test]
fn too_few_neighbors_are_refused_with_the_formula_and_too_many_components_too() {
    let run = Run::new();
    let x = cloud(40, 6, 1);
    let refused = |name: &str, d: i64, k: i64| {
        let settings = [("n_components", Value::Integer(d)), ("n_neighbors", Value::Integer(k))];
        match method(name, &settings).fit((&x).into(), &run) {
            Err(Error::Parameter { name, bound, .. }) => Some((name, bound)),
            Err(e) => panic!("{e}"),
            Ok(_) => None,
        }
    };
    for (name, d, least, formula) in [
        ("modified-lle", 3, 4, "n_components + 1 = 4"),
        ("ltsa", 3, 5, "n_components + 2 = 5"),
        ("hessian-lle", 3, 10, "1 + n_components + n_components * (n_components + 1) / 2 = 10"),
    ] {
        let (parameter, bound) = refused(name, d, least - 1).unwrap();
        assert!(parameter == "n_neighbors" && bound.contains(formula), "{name}: {bound}");
        assert_eq!(refused(name, d, least), None, "{name}");
        assert_eq!(refused(name, 7, 39).unwrap().0, "n_components", "{name}: more than columns");
    }
    for name in NAMES {
        assert_eq!(refused(name, 40, 12).unwrap().0, "n_components", "{name}: as many as points");
        assert_eq!(refused(name, 2, 40).unwrap().0, "n_neighbors", "{name}: as many as points");
    }
    assert_eq!(refused("lle", 39, 12), None, "LLE has a vector more for every point but one");
    for (name, value) in [("reg", Value::Real(-1.0)), ("reg", Value::Real(f64::NAN))] {
        assert!(matches!(method("lle", &[]).set(name, &value), Err(Error::Parameter { .. })));
    }
}

#[test]
fn duplicates_and_outliers_leave_a_sound_embedding() {
    let run = Run::new();
    let (sheet, truth) = swiss_roll(3000, 5);
    let twice: Vec<usize> = (0..3000).chain(0..100).collect();
    let mut x = sheet.select(Axis(0), &twice);
    let truth = truth.select(Axis(0), &twice);
    for name in NAMES {
        let model = with_neighbors(name, 12).fit((&x).into(), &run).unwrap();
        let y = embedding(&*model);
        assert!(y.iter().all(|v| v.is_finite()));
        let report = model.report();
        assert!(report.residuals.iter().all(|residual| residual / report.norm < 1e-13), "{name}");
        if name != "lle" {
            let fit = recovered(&y, &truth);
            assert!(fit.iter().all(|r| *r > 0.98), "{name}: {fit:?}");
        }
    }
    x.row_mut(7).fill(1e4);
    for name in NAMES {
        let model = with_neighbors(name, 12).fit((&x).into(), &run).unwrap();
        assert!(embedding(&*model).iter().all(|v| v.is_finite()), "{name}");
    }
}

/// Maaten 7.2: what is drawn out like strings is reported, with the share of the points that coincide.
#[test]
fn a_collapsed_embedding_is_reported() {
    let run = Run::new();
    // A small component far away determines the first coordinate alone.
    let fine = cloud(400, 3, 3);
    let x = concatenate![Axis(0), fine, cloud(30, 3, 4) + 100.0];
    let reported = |w: &Warning| if let Warning::Collapsed { share, .. } = w { Some(*share) } else { None };
    for name in NAMES {
        let settings = [("n_components", Value::Integer(1)), ("n_neighbors", Value::Integer(6))];
        let share = |x: &Array2<f64>| {
            let model = method(name, &settings).fit(x.into(), &run).unwrap();
            model.report().warnings.iter().find_map(reported)
        };
        let found = share(&x);
        // Of the neighborhoods at the added edge, which are stretched, a few points more are drawn out.
        let most = if name == "lle" { 0.92..0.94 } else { 0.6..0.94 };
        assert!(found.is_some_and(|share| most.contains(&share)), "{name}: {found:?}");
        assert_eq!(share(&fine), None, "{name}");
    }
}

/// The local geometry is that of points, the weights of LLE apart, which follow from distances: all else is refused
/// with a remedy.
#[test]
fn only_points_have_a_local_geometry() {
    let run = Run::new();
    let square = crate::distances(cloud(30, 3, 1).view());
    let graph = lowland::Csr::from_entries(3, 3, &[(0, 1, 1.0), (1, 0, 1.0)]).unwrap();
    for name in NAMES {
        let method = method(name, &[]);
        let inputs = [Input::Kernel(square.view()), Input::Graph(&graph), Input::Distances(square.view())];
        for input in inputs.into_iter().take(if name == "lle" { 2 } else { 3 }) {
            match method.fit(input.into(), &run) {
                Err(Error::Unsupported { method, remedy, .. }) => {
                    assert!(method == name && remedy.contains("points"), "{name}: {remedy}");
                }
                other => panic!("{name}: {:?}", other.err()),
            }
        }
    }
}

#[test]
fn neighborhoods_that_reach_across_the_folds_are_reported() {
    let run = Run::new();
    let (x, _) = swiss_roll(600, 8);
    let reported = |name: &str, k: i64| {
        let model = with_neighbors(name, k).fit((&x).into(), &run).unwrap();
        let reported = |w: &Warning| {
            matches!(w, Warning::NotFlat { dimensions: 2, .. } | Warning::TooManyNeighbors { .. })
        };
        model.report().warnings.iter().any(reported)
    };
    for name in NAMES {
        // Eight neighbors of these few points already reach across.
        assert!(!reported(name, 6), "{name}");
        assert!(reported(name, 200), "{name}");
    }
}

#[test]
fn a_disconnected_graph_obeys_the_policy() {
    let run = Run::new();
    let (a, _) = swiss_roll(500, 1);
    let (b, _) = swiss_roll(300, 2);
    let x = concatenate![Axis(0), a, b + 200.0];
    for name in NAMES {
        let fit = |policy: &str| {
            let settings =
                [("disconnected", Value::Text(policy.into())), ("n_neighbors", Value::Integer(10))];
            method(name, &settings).fit((&x).into(), &run)
        };
        let refused = fit("error").err();
        assert!(matches!(refused, Some(Error::Disconnected { sizes, .. }) if sizes == [500, 300]), "{name}");
        let alone = embedding(&*with_neighbors(name, 10).fit((&a).into(), &run).unwrap());
        for policy in ["largest", "separate", "join"] {
            let model = fit(policy).unwrap();
            let y = embedding(&*model);
            assert!(y.iter().all(|v| v.is_finite()));
            let parts =
                |w: &Warning| matches!(w, Warning::Disconnected { sizes, .. } if *sizes == [500, 300]);
            assert!(model.report().warnings.iter().any(parts), "{name}");
            let again = model.transform((&x).into(), &run).unwrap().to_f64();
            assert!(largest(&(&again - &y)) < 1e-8, "{name} {policy}");
            let own = y.slice(s![..500, ..]).to_owned();
            if policy != "join" {
                let centered = |y: &Array2<f64>| y - &y.mean_axis(Axis(0)).unwrap();
                assert!(apart(&centered(&alone), &centered(&own)) < 1e-6, "{name} {policy}");
            }
        }
    }
}

#[test]
fn landmarks_stand_for_all() {
    let run = Run::new();
    let (x, truth) = swiss_roll(6000, 4);
    for name in ["modified-lle", "hessian-lle", "ltsa"] {
        for choice in ["uniform", "farthest"] {
            let settings = [
                ("landmarks", Value::Integer(3000)),
                ("landmark_choice", Value::Text(choice.into())),
                ("n_neighbors", Value::Integer(12)),
            ];
            let model = method(name, &settings).fit((&x).into(), &run).unwrap();
            let fit = recovered(&embedding(&*model), &truth);
            assert!(fit.iter().all(|r| *r > 0.99), "{name} {choice}: {fit:?}");
        }
    }
    let all = |landmarks| -> SpectralModel {
        Ltsa { landmarks, n_neighbors: 10, ..Ltsa::default() }.fit_model(&x, &run).unwrap()
    };
    assert_eq!(embedding(&all(Some(6000))), embedding(&all(None)));
}

/// The Gram matrix of the training points is another function: `SpectralModel::gram`.
#[test]
fn there_is_no_kernel_between_points_and_other_rows() {
    let run = Run::new();
    let (x, _) = swiss_roll(200, 9);
    let (new, _) = swiss_roll(20, 10);
    let models: [(&str, SpectralModel); 4] = [
        ("lle", Lle { n_neighbors: 9, ..Lle::default() }.fit_model(&x, &run).unwrap()),
        (
            "modified-lle",
            ModifiedLle { n_neighbors: 9, ..ModifiedLle::default() }.fit_model(&x, &run).unwrap(),
        ),
        ("hessian-lle", HessianLle { n_neighbors: 9, ..HessianLle::default() }.fit_model(&x, &run).unwrap()),
        (
            "ltsa",
            Ltsa { n_neighbors: 9, disconnected: Disconnected::Error, ..Ltsa::default() }
                .fit_model(&x, &run)
                .unwrap(),
        ),
    ];
    // Their kernel is a function of a matrix of all training points, which other rows have no place in.
    for (name, model) in models {
        for rows in [&x, &new] {
            let refused = model.kernel(rows.into(), &run);
            assert!(matches!(refused, Err(Error::Unsupported { .. })), "{name}");
        }
    }
}
