//! What the three methods promise.

use super::{Solver, StressInit, Ties, Transformation};
use crate::methods::{Mds, NonmetricMds, Sammon};
use crate::{AnyMatrix, Error, Input, Method, Model, Run, Warning};
use ndarray::{Array2, Axis, array, s};
use rand::RngExt;

fn distances(x: &Array2<f64>) -> Array2<f64> {
    let apart = |i: usize, j: usize| {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    };
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| apart(i, j))
}

fn cloud(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("cloud");
    Array2::from_shape_fn((n, d), |(_, j)| (rng.random::<f64>() - 0.5) * if j < 2 { 3.0 } else { 1.0 })
}

fn values(matrix: &AnyMatrix) -> Array2<f64> {
    matrix.to_f64()
}

fn embedding(model: &dyn Model) -> Array2<f64> {
    values(model.embedding().unwrap())
}

fn objective(model: &dyn Model, name: &str) -> f64 {
    let found = model.report().objective.iter().find(|quantity| quantity.name == name);
    found.unwrap_or_else(|| panic!("{name} in {:?}", model.report().objective)).value
}

/// Raw stress, stress-1 and Sammon's stress, by hand.
fn by_hand(d: &Array2<f64>, y: &Array2<f64>) -> (f64, f64, f64) {
    let e = distances(y);
    let (mut raw, mut size, mut sammon, mut total) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..d.nrows() {
        for j in 0..i {
            let residual = (d[(i, j)] - e[(i, j)]).powi(2);
            raw += residual;
            size += e[(i, j)].powi(2);
            if d[(i, j)] > 0.0 {
                sammon += residual / d[(i, j)];
                total += d[(i, j)];
            }
        }
    }
    (raw, (raw / size).sqrt(), sammon / total)
}

#[test]
fn the_reported_stress_is_that_of_the_returned_coordinates() {
    let run = Run::new();
    for (n, scale) in [(4, 1.0), (25, 1e-30), (60, 1e40)] {
        let x = cloud(n, 5, n as u64).mapv(|v| v * scale);
        let d = distances(&x);
        let mds = Mds::default().fit_model(&x, &run).unwrap();
        let (raw, stress_1, _) = by_hand(&d, &embedding(&mds));
        assert!((objective(&mds, "raw stress") / raw - 1.0).abs() < 1e-9, "{n}");
        assert!((mds.stress_1() / stress_1 - 1.0).abs() < 1e-9 && mds.raw_stress() == mds.loss());
        let sammon = Sammon::default().fit_model(Input::Distances(d.view()), &run).unwrap();
        let (raw, stress_1, own) = by_hand(&d, &embedding(&sammon));
        assert!((sammon.loss() / own - 1.0).abs() < 1e-9);
        assert!((sammon.stress_1() / stress_1 - 1.0).abs() < 1e-9);
        assert!((sammon.raw_stress() / raw - 1.0).abs() < 1e-9);
        for model in [&mds as &dyn Model, &sammon] {
            let losses = &model.report().losses;
            assert_eq!(losses[losses.len() - 1].1, model.report().objective[0].value);
            assert!(losses.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1 * (1.0 - 1e-12)), "{losses:?}");
        }
    }
}

#[test]
fn a_triangle_that_is_none_and_an_order_of_four_by_hand() {
    // 1, 1 and 4 on a line: the middle stays in the middle, and the ends meet half way.
    let d = array![[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]];
    let one = Mds { n_components: 1, tol: 0.0, ..Mds::default() };
    let model = one.fit_model(Input::Distances(d.view()), &Run::new()).unwrap();
    // d12 = d23 = a, d13 = 2a: 2 (1 - a)^2 + (4 - 2a)^2 is least at a = 10 / 6, where it is 4 / 3.
    assert!((model.loss() - 4.0 / 3.0).abs() < 1e-9, "{}", model.loss());
    assert!((model.stress_1() - (4.0_f64 / 3.0 / (6.0 * 25.0 / 9.0)).sqrt()).abs() < 1e-9);
    // Three objects have any order of distances in a plane.
    let order = NonmetricMds { n_components: 1, ..NonmetricMds::default() };
    let model = order.fit_model(Input::Distances(d.view()), &Run::new()).unwrap();
    assert!(model.loss() < 1e-9, "{}", model.loss());
}

#[test]
fn euclidean_distances_come_back() {
    let run = Run::new();
    for (n, d) in [(3, 1), (10, 2), (50, 2), (120, 3), (40, 7)] {
        let x = cloud(n, d, 7 + n as u64);
        let given = distances(&x);
        for method in [
            &Mds { n_components: d, ..Mds::default() } as &dyn Method,
            &Sammon { n_components: d, ..Sammon::default() },
            &Mds { n_components: d, transformation: Transformation::Ratio, ..Mds::default() },
            &NonmetricMds { n_components: d, ..NonmetricMds::default() },
        ] {
            let model = method.fit(Input::Distances(given.view()).into(), &run).unwrap();
            let stress = objective(&*model, "stress-1");
            // Of an order alone, classical scaling is no solution but a start.
            let bound = if method.entry().name == "nonmetric-mds" { 2e-2 } else { 1e-12 };
            assert!(stress < bound, "{} of {n} x {d}: {stress}", method.entry().name);
            let found = distances(&embedding(&*model));
            let apart = found.iter().zip(&given).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(apart < 1e-10 || method.entry().name == "nonmetric-mds", "{apart}");
        }
    }
}

#[test]
fn order_alone_gives_the_same_result() {
    let run = Run::new();
    let d = distances(&cloud(40, 4, 3));
    for ties in [Ties::Primary, Ties::Secondary] {
        // With ties, which stay ties.
        let d = d.mapv(|v| (8.0 * v).round() / 8.0);
        let d = Array2::from_shape_fn(d.dim(), |(i, j)| if i == j { 0.0 } else { d[(i, j)].max(0.125) });
        let method = NonmetricMds { ties, ..NonmetricMds::default() };
        let plain = method.fit_model(Input::Distances(d.view()), &run).unwrap();
        let functions: [fn(f64) -> f64; 3] = [|v| v.powi(3), |v| (1.0 + v).ln(), |v| 1e6 * v];
        for function in functions {
            let other = d.mapv(function);
            let same = method.fit_model(Input::Distances(other.view()), &run).unwrap();
            assert_eq!(embedding(&same), embedding(&plain));
            assert_eq!(same.loss(), plain.loss());
        }
        assert!(plain.loss() > 0.0 && plain.loss() < 0.2);
        // Nothing has collapsed: the disparities have mean square 1.
        let square: f64 = plain.shepard().column(1).iter().map(|t| t * t).sum();
        assert!((square / plain.shepard().nrows() as f64 - 1.0).abs() < 1e-9);
    }
}

#[test]
fn duplicates_have_one_place_and_weigh_as_many() {
    let run = Run::new();
    let x = cloud(30, 4, 11);
    let rows: Vec<usize> = (0..30).chain([3, 3, 8]).collect();
    let twice = x.select(Axis(0), &rows);
    for method in [&Sammon::default() as &dyn Method, &Mds::default(), &NonmetricMds::default()] {
        let model = method.fit((&twice).into(), &run).unwrap();
        let y = embedding(&*model);
        assert_eq!((y.row(30), y.row(32)), (y.row(3), y.row(8)));
        assert_eq!(values(&model.transform((&twice).into(), &run).unwrap()), y);
        let (raw, _, sammon) = by_hand(&distances(&twice), &y);
        match method.entry().name {
            "sammon" => assert!((model.report().objective[0].value / sammon - 1.0).abs() < 1e-9),
            "mds" => assert!((model.report().objective[0].value / raw - 1.0).abs() < 1e-9),
            _ => {}
        }
        let one = Array2::from_elem((5, 3), 2.5);
        let model = method.fit((&one).into(), &run).unwrap();
        assert!(embedding(&*model).iter().all(|&v| v == 0.0));
        assert!(matches!(model.report().warnings[..], [Warning::RankDeficient { rank: 0, .. }]));
        let again = crate::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.to_bytes(), model.to_bytes());
    }
    // Dissimilarities of zero between objects that the others tell apart.
    let zero = array![[0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 2.0, 1.0], [1.0, 2.0, 0.0, 3.0], [2.0, 1.0, 3.0, 0.0]];
    let model = Sammon::default().fit_model(Input::Distances(zero.view()), &run).unwrap();
    assert!(model.loss().is_finite());
    assert!(model.report().warnings.contains(&Warning::ZeroDistances { pairs: 1, floor: 1.0 }));
}

#[test]
fn hostile_distances_give_a_layout_or_a_named_error() {
    let run = Run::new();
    let fit = |method: &dyn Method, d: &Array2<f64>| method.fit(Input::Distances(d.view()).into(), &run);
    for method in [&Sammon::default() as &dyn Method, &Mds::default(), &NonmetricMds::default()] {
        let asymmetric = array![[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [2.0, 1.0, 0.0]];
        assert!(matches!(fit(method, &asymmetric), Err(Error::NotSymmetric { .. })));
        let negative = array![[0.0, -1.0, 2.0], [-1.0, 0.0, 1.0], [2.0, 1.0, 0.0]];
        assert!(matches!(fit(method, &negative), Err(Error::NotADistance { row: 0, column: 1, .. })));
        // All equal: six points in a plane cannot be, but nothing fails.
        let equal = Array2::from_shape_fn((6, 6), |(i, j)| f64::from(u8::from(i != j)));
        let model = fit(method, &equal).unwrap();
        let y = distances(&embedding(&*model));
        assert!(y.iter().all(|v| v.is_finite()));
        let name = method.entry().name;
        assert!(name == "nonmetric-mds" || objective(&*model, "stress-1") < 0.4, "{name}");
        // Two objects: their distance, in one component.
        let two = array![[0.0, 5.0], [5.0, 0.0]];
        let mut one = (method.entry().create)();
        one.set("n_components", &crate::parameters::Value::Integer(1)).unwrap();
        let model = fit(&*one, &two).unwrap();
        let apart = distances(&embedding(&*model))[(0, 1)];
        assert!((apart - if name == "nonmetric-mds" { 1.0 } else { 5.0 }).abs() < 1e-12, "{name}: {apart}");
        assert!(matches!(fit(method, &two), Err(Error::Parameter { .. })));
        let alone = Array2::zeros((1, 1));
        assert!(matches!(fit(method, &alone), Err(Error::TooFewRows { .. })));
        let mut infinite = equal.clone();
        infinite[(1, 2)] = f64::INFINITY;
        assert!(matches!(fit(method, &infinite), Err(Error::NotFinite { .. })));
    }
}

#[test]
fn missing_pairs_and_weights_of_zero_are_left_out() {
    let run = Run::new();
    let x = cloud(40, 2, 21);
    let d = distances(&x);
    let mut holes = d.clone();
    let mut weights = Array2::from_elem((40, 40), 1.0);
    for i in 0..40 {
        for j in 0..i {
            if (i * 7 + j * 3) % 5 == 0 {
                (holes[(i, j)], holes[(j, i)]) = (f64::NAN, f64::NAN);
                (weights[(i, j)], weights[(j, i)]) = (0.0, 0.0);
            }
        }
    }
    for method in [&Sammon::default() as &dyn Method, &Mds::default()] {
        let mut method = (method.entry().create)();
        method.set("tol", &crate::parameters::Value::Real(0.0)).unwrap();
        let model = method.fit(Input::Distances(holes.view()).into(), &run).unwrap();
        // What is missing is found, for the rest is exact.
        let found = distances(&embedding(&*model));
        let apart = found.iter().zip(&d).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(apart < 1e-4, "{}: {apart}", method.entry().name);
        let rows = holes.slice(s![..5, ..]).to_owned();
        let placed = values(&model.transform(Input::Distances(rows.view()).into(), &run).unwrap());
        assert_eq!(placed, embedding(&*model).slice(s![..5, ..]));
    }
    // Wrong distances that weigh nothing change nothing.
    let wrong = Array2::from_shape_fn((40, 40), |cell| if weights[cell] > 0.0 { d[cell] } else { 0.0 });
    let wrong =
        Array2::from_shape_fn(
            (40, 40),
            |(i, j)| if i != j && weights[(i, j)] == 0.0 { 9.0 } else { wrong[(i, j)] },
        );
    let weighted = Mds::default().fit_weighted(Input::Distances(wrong.view()), weights.view(), &run).unwrap();
    assert!(weighted.stress_1() < 1e-3, "{}", weighted.stress_1());
    let bad = Mds::default().fit_weighted(&x, Array2::from_elem((40, 40), -1.0).view(), &run);
    assert!(matches!(bad, Err(Error::Parameter { .. })));
    // Two groups without a pair between them.
    let apart = Array2::from_shape_fn((6, 6), |(i, j)| match (i / 3 == j / 3, i == j) {
        (_, true) => 0.0,
        (true, _) => 1.0,
        _ => f64::NAN,
    });
    let refused = Mds::default().fit_model(Input::Distances(apart.view()), &run).unwrap_err().to_string();
    assert!(refused.contains("2 groups") && refused.contains("objects 0 and 3"), "{refused}");
    let mut half = d.clone();
    half[(3, 2)] = f64::NAN;
    let refused = Mds::default().fit_model(Input::Distances(half.view()), &run);
    assert!(matches!(refused, Err(Error::NotSymmetric { .. })));
}

#[test]
fn several_starts_keep_the_best_and_report_all() {
    let run = Run::new();
    let x = cloud(40, 6, 31);
    // On a line there are many local optima.
    let method = Mds { n_components: 1, init: StressInit::Random, n_init: 6, ..Mds::default() };
    let model = method.fit_model(&x, &run).unwrap();
    assert_eq!(model.starts().len(), 6);
    let least = model.starts().iter().copied().fold(f64::INFINITY, f64::min);
    assert!((model.loss() / least - 1.0).abs() < 1e-9);
    assert!(model.starts().iter().any(|&value| value > 1.001 * least), "{:?}", model.starts());
    // From given coordinates on, and never up.
    let classical = Mds::default().fit_model(&x, &run).unwrap();
    let short = Mds { max_iter: 3, ..Mds::default() };
    let on = short.fit_from((&x).into(), None, embedding(&classical).view(), &run).unwrap();
    assert!(on.report().objective[0].value <= classical.loss() * (1.0 + 1e-12));
    let warned =
        |model: &dyn Model| model.report().warnings.iter().any(|w| matches!(w, Warning::NotConverged { .. }));
    let hasty = Mds { max_iter: 2, init: StressInit::Random, ..Mds::default() };
    assert!(warned(&hasty.fit_model(&x, &run).unwrap()) && !warned(&classical));
}

#[test]
fn scikit_learn_is_met_from_the_same_start() {
    // Final raw stress (metric) and stress-1 (non-metric) of scikit-learn 1.9.1's smacof, eps = 1e-10.
    let known = [
        (30, 3, 22.0321648, 0.0343186748),
        (60, 5, 337.875297, 0.0566020415),
        (100, 8, 2446.2417, 0.0761811563),
    ];
    let run = Run::new();
    for (n, d, metric, order) in known {
        let x = Array2::from_shape_fn((n, d), |(i, j)| {
            ((i * (2 * j + 3)) as f64 * 0.754_877 + j as f64).sin() * if j < 2 { 3.0 } else { 1.0 }
        });
        let start = Array2::from_shape_fn((n, 2), |(i, c)| x[(i, c)] + 0.3 * x[(i, 2)]);
        let found = |method: &dyn Method| {
            let model = method.fit_from((&x).into(), None, start.view(), &run).unwrap();
            model.report().objective[0].value
        };
        let ours = found(&Mds { tol: 1e-9, max_iter: 5000, ..Mds::default() });
        assert!(ours < metric * 1.0001, "{n}: {ours} {metric}");
        let ours = found(&NonmetricMds { tol: 1e-9, max_iter: 5000, ..NonmetricMds::default() });
        assert!(ours < order * 1.001, "{n}: {ours} {order}");
    }
}

#[test]
fn geodesics_unroll_what_straight_distances_do_not() {
    let run = Run::new();
    // Three quarters of a circle: a line of length 3 pi / 2.
    let arc = Array2::from_shape_fn((120, 2), |(i, c)| {
        let angle = 1.5 * std::f64::consts::PI * i as f64 / 119.0;
        if c == 0 { angle.cos() } else { angle.sin() }
    });
    for method in [
        &Sammon { n_components: 1, geodesic: true, n_neighbors: 4, ..Sammon::default() } as &dyn Method,
        &Mds { n_components: 1, geodesic: true, n_neighbors: 4, ..Mds::default() },
        &NonmetricMds { n_components: 1, geodesic: true, n_neighbors: 4, ..NonmetricMds::default() },
    ] {
        let name = method.entry().name;
        let model = method.fit((&arc).into(), &run).unwrap();
        let y = embedding(&*model);
        let up = y[(119, 0)] > y[(0, 0)];
        assert!((1..120).all(|i| (y[(i, 0)] > y[(i - 1, 0)]) == up), "{name}");
        assert!(objective(&*model, "stress-1") < 0.01, "{name}");
        assert_eq!(values(&model.transform((&arc).into(), &run).unwrap()), y, "{name}");
        // A point between two others, and the same from a file.
        let between = (&arc.slice(s![10..11, ..]) + &arc.slice(s![11..12, ..])) * 0.5;
        let placed = values(&model.transform((&between).into(), &run).unwrap());
        let (low, high) = (y[(9, 0)].min(y[(12, 0)]), y[(9, 0)].max(y[(12, 0)]));
        assert!(placed[(0, 0)] > low && placed[(0, 0)] < high, "{name}");
        let loaded = crate::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(values(&loaded.transform((&between).into(), &run).unwrap()), placed);
    }
}

#[test]
fn sampled_pairs_come_near_all_pairs_for_every_scale_with_the_same_bits_everywhere() {
    let x = cloud(900, 5, 41);
    let run = Run::new();
    let pairs = Some(60);
    let d = distances(&x);
    for (all, some) in [
        (
            &Mds { solver: Solver::Majorization, ..Mds::default() } as &dyn Method,
            &Mds { solver: Solver::Sampled, n_pairs: pairs, ..Mds::default() } as &dyn Method,
        ),
        (
            &Sammon { solver: Solver::Majorization, ..Sammon::default() },
            &Sammon { solver: Solver::Sampled, n_pairs: pairs, ..Sammon::default() },
        ),
        (
            &NonmetricMds { solver: Solver::Majorization, ..NonmetricMds::default() },
            &NonmetricMds { solver: Solver::Sampled, n_pairs: pairs, ..NonmetricMds::default() },
        ),
    ] {
        let name = all.entry().name;
        let exact = all.fit((&x).into(), &run).unwrap();
        let reference = some.fit((&x).into(), &run.clone().with_threads(1).unwrap()).unwrap();
        for threads in [2, 3, 8] {
            let again = some.fit((&x).into(), &Run::new().with_threads(threads).unwrap()).unwrap();
            assert!(again.to_bytes() == reference.to_bytes(), "{name} with {threads} threads");
        }
        let (best, ours) =
            (objective(&*exact, "stress-1"), objective(&*reference, "stress-1 of other pairs"));
        assert!(ours < 1.05 * best, "{name}: {ours} {best}");
        if name == "mds" {
            let (raw, ..) = by_hand(&d, &embedding(&*reference));
            assert!((objective(&*reference, "raw stress") / raw - 1.0).abs() < 0.1, "{name}");
            assert!(raw < 1.06 * exact.report().objective[0].value);
        }
        assert_eq!(
            values(&reference.transform((&x).into(), &run).unwrap()),
            embedding(&*reference),
            "{name}"
        );
    }
    // Along the graph, to pivots.
    let geodesic = Mds { geodesic: true, solver: Solver::Sampled, n_pairs: Some(40), ..Mds::default() };
    let model = geodesic.fit_model(&x, &run).unwrap();
    assert!(model.stress_1() < 0.3);
    assert_eq!(values(&model.transform((&x).into(), &run).unwrap()), embedding(&model));
    let again = crate::model::load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(values(&again.transform((&x).into(), &run).unwrap()), embedding(&model));
}

#[test]
fn many_rows_need_no_square() {
    let shape = |rows: usize| {
        let x = Array2::<f32>::zeros((rows, 10));
        crate::AnyInput::from(x.view()).shape()
    };
    for method in [&Sammon::default() as &dyn Method, &Mds::default(), &NonmetricMds::default()] {
        let (ten, hundred) = (method.forecast(&shape(10_000)).bytes, method.forecast(&shape(100_000)).bytes);
        assert!(hundred < 11 * ten && hundred < 2_500_000_000, "{}: {ten} {hundred}", method.entry().name);
    }
    let run = Run::new();
    let x = cloud(6000, 3, 51);
    let mds = Mds { max_iter: 60, ..Mds::default() };
    let bytes = mds.forecast(&crate::AnyInput::from(x.view()).shape()).bytes;
    let model = mds.fit_model(&x, &run.clone().with_memory(bytes)).unwrap();
    assert!(model.stress_1() < 0.2 && model.shepard().nrows() <= 10_000);
    // A training row is where it was, though not all rows are looked at for new ones.
    let some = x.slice(s![100..140, ..]).to_owned();
    let placed = values(&model.transform((&some).into(), &run).unwrap());
    assert_eq!(placed, embedding(&model).slice(s![100..140, ..]));
}
