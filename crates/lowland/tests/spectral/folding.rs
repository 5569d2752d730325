//! Too many neighbors: reported where they fold a manifold, and not where they do no harm.

use lowland::methods::Isomap;
use lowland::parameters::Value;
use lowland::{Method, Model, Run, Warning, data, registry};
use ndarray::Array2;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

fn points(name: &str, n: usize, seed: u64) -> Array2<f64> {
    data::find(name).unwrap().sample(n, 0.0, seed).unwrap().points
}

/// The warning of a method with so many neighbors: the better number (0 where there is none), and what is left unexplained with it.
fn folded(name: &str, x: &Array2<f64>, k: usize) -> Option<(usize, f64, f64)> {
    let mut method = (registry::find(name).unwrap().create)();
    method.set("n_neighbors", &Value::Integer(k as i64)).unwrap();
    let model = method.fit(x.into(), &Run::new()).unwrap();
    found(&*model)
}

fn found(model: &dyn Model) -> Option<(usize, f64, f64)> {
    model.report().warnings.iter().find_map(|warning| match warning {
        Warning::TooManyNeighbors { better, unexplained, remaining, .. } => {
            Some((better.map_or(0, |k| k as usize), *unexplained, *remaining))
        }
        _ => None,
    })
}

/// What two dimensions leave unexplained of the geodesics.
fn left(model: &dyn Model) -> f64 {
    let attributes = model.attributes();
    attributes.iter().find(|a| a.name == "geodesic_residual_variance").unwrap().value.numbers()[1]
}

fn residual(k: usize, x: &Array2<f64>) -> (f64, Option<(usize, f64, f64)>) {
    let model = Isomap { n_neighbors: k, ..Isomap::default() }.fit_model(x, &Run::new()).unwrap();
    (left(&model), found(&model))
}

#[test]
fn a_folded_roll_is_reported_with_a_number_of_neighbors_that_does() {
    for seed in 0..4 {
        let x = points("swiss-roll", 1000, seed);
        for k in [8, 12, 16, 25, 40] {
            let (bad, reported) = residual(k, &x);
            if bad > 0.1 {
                let (better, unexplained, _) = reported.unwrap_or_else(|| panic!("{seed} {k}: {bad}"));
                assert!(better < k && unexplained > 0.05, "{seed} {k}");
                let (good, again) = residual(better, &x);
                assert!(good < 0.05 && again.is_none(), "{seed} {k}: {better} leaves {good}");
            } else if bad < 0.02 {
                assert!(reported.is_none(), "{seed} {k}: {bad} {reported:?}");
            }
        }
    }
}

/// A single edge between two sheets, or a stray point between them: found at the usual numbers of neighbors, with a number
/// that would do or the word that none does, and cut.
#[test]
fn a_few_short_circuits_are_reported_and_cut() {
    let (mut reported, mut cut, mut silent) = (0, 0, Vec::new());
    // With five or six neighbors the roll of seed 2 has a short circuit that is not reported with every seed: edges between
    // neighbors of each other do not hold its points together.
    for (seed, least, most) in [(10, 6, 8), (2, 7, 8), (5, 6, 9), (1, 5, 8), (13, 7, 9)] {
        let x = points("swiss-roll", 1000, seed);
        for k in least..=most {
            let (bad, found) = residual(k, &x);
            let Some((better, ..)) = found else {
                assert!(bad < 0.03, "{seed} {k}: {bad} without a word");
                silent.push((seed, k));
                continue;
            };
            assert!(bad > 0.02 && better < k, "{seed} {k}: {bad}");
            reported += 1;
            if better > 0 {
                let (good, again) = residual(better, &x);
                assert!(good < 0.035 && again.is_none(), "{seed} {k}: {better} leaves {good}");
            }
            let by_weights = folded("lle", &x, k);
            assert!(by_weights.is_some_and(|found| found.0 == better), "{seed} {k}: {by_weights:?}");
            let method = Isomap { n_neighbors: k, cut_short_circuits: true, ..Isomap::default() };
            let model = method.fit_model(&x, &Run::new()).unwrap();
            let words = model.report().warnings[0].to_string();
            if words.contains("can find") {
                continue;
            }
            assert!(words.contains("cut") && left(&model) < 0.035, "{seed} {k}: {} {words}", left(&model));
            cut += 1;
        }
    }
    assert!(silent.contains(&(10, 7)) && !silent.contains(&(10, 8)), "{silent:?}");
    assert!(reported >= 11 && cut * 10 >= reported * 9, "{cut} of {reported}");
}

/// One edge that no comparison of graphs tells: it is steep to the sheet at both ends, and the way around it is long.
#[test]
fn a_single_short_circuit_is_told_by_its_direction_and_cut() {
    let x = points("swiss-roll", 1000, 2);
    for k in [5, 6] {
        let (bad, found) = residual(k, &x);
        assert!(bad > 0.03 && found.is_none(), "{k}: {bad} {found:?}");
        let words = warnings(&Isomap { n_neighbors: k, ..Isomap::default() }, &x).join("\n");
        assert!(words.contains("1 edge looks like a short circuit") && !words.contains("shift"), "{words}");
        let method = Isomap { n_neighbors: k, cut_short_circuits: true, ..Isomap::default() };
        let model = method.fit_model(&x, &Run::new()).unwrap();
        assert!(left(&model) < 0.01, "{k}: {}", left(&model));
        assert!(model.report().warnings[0].to_string().contains("it was cut"), "{:?}", model.report());
    }
}

fn warnings(method: &Isomap, x: &Array2<f64>) -> Vec<String> {
    let model = method.fit_model(x, &Run::new()).unwrap();
    model.report().warnings.iter().map(ToString::to_string).collect()
}

/// Whatever makes paths bend that no look finds, a shift of the kernel is not the remedy: the neighbors are named.
#[test]
fn bent_paths_are_a_matter_of_the_neighbors() {
    // A sphere has no flat geodesics, and no short circuits.
    let mut rng = Run::new().with_seed(4).rng("sphere");
    let mut x = Array2::from_shape_fn((500, 3), |_| StandardNormal.sample(&mut rng));
    x.rows_mut().into_iter().for_each(|mut row: ndarray::ArrayViewMut1<'_, f64>| row /= row.dot(&row).sqrt());
    let words = warnings(&Isomap { n_neighbors: 8, ..Isomap::default() }, &x).join("\n");
    assert!(
        words.contains("eigenvalues of the geodesic distances") && words.contains("lower n_neighbors"),
        "{words}"
    );
    assert!(!words.contains("choose negative"), "{words}");
    // Nothing is said of sheets that are flat.
    for seed in 0..3 {
        let flat = points("s-curve", 800, seed);
        let words = warnings(&Isomap { n_neighbors: 8, ..Isomap::default() }, &flat);
        assert!(words.is_empty(), "{seed}: {words:?}");
    }
}

#[test]
fn every_method_on_the_graph_reports_it_and_the_shift_is_not_the_remedy() {
    let x = points("swiss-roll", 1000, 1);
    for name in [
        "isomap",
        "landmark-isomap",
        "c-isomap",
        "lle",
        "modified-lle",
        "hessian-lle",
        "ltsa",
        "laplacian-eigenmaps",
    ] {
        let (better, ..) = folded(name, &x, 25).unwrap_or_else(|| panic!("{name}"));
        assert!((4..15).contains(&better), "{name}: {better}");
    }
    let model = Isomap { n_neighbors: 25, ..Isomap::default() }.fit_model(&x, &Run::new()).unwrap();
    let words: Vec<String> = model.report().warnings.iter().map(ToString::to_string).collect();
    assert!(words[0].contains("n_neighbors = 25") && words[0].contains("set n_neighbors = "), "{words:?}");
    assert!(!words.iter().any(|words| words.contains("shift")), "{words:?}");
}

#[test]
fn cutting_unrolls_the_roll_or_says_that_it_cannot() {
    let mut unrolled = 0;
    for (seed, k) in [(1, 12), (1, 20), (2, 20), (3, 16)] {
        let x = points("swiss-roll", 1000, seed);
        if residual(k, &x).0 < 0.1 {
            continue;
        }
        let cut = Isomap { n_neighbors: k, cut_short_circuits: true, ..Isomap::default() };
        let model = cut.fit_model(&x, &Run::new()).unwrap();
        let left = left(&model);
        let edges = model.report().warnings.iter().find_map(|warning| match warning {
            Warning::TooManyNeighbors { cut, .. } => *cut,
            _ => None,
        });
        match edges {
            Some(0) => {}
            Some(_) => {
                assert!(left < 0.05, "{seed} {k}: {left}");
                unrolled += 1;
            }
            None => panic!("{seed} {k}: not a word"),
        }
    }
    assert!(unrolled > 1, "{unrolled}");
}

#[test]
fn what_is_not_folded_is_not_reported() {
    let normal = |n: usize, d: usize, seed: u64, middles: f64| {
        let mut rng = Run::new().with_seed(seed).rng("normal");
        Array2::from_shape_fn((n, d), |(i, j)| {
            let sample: f64 = StandardNormal.sample(&mut rng);
            sample + if i % 4 == j { middles } else { 0.0 }
        })
    };
    let plane = |n: usize, seed: u64| {
        let mut rng = Run::new().with_seed(seed).rng("plane");
        let flat = Array2::from_shape_fn((n, 2), |(_, j)| (3 - j) as f64 * rng.random::<f64>());
        let turn = Array2::from_shape_fn((2, 8), |_| rng.random::<f64>() - 0.5);
        flat.dot(&turn) + Array2::from_shape_fn((n, 8), |_| 0.01 * rng.random::<f64>())
    };
    let sphere = |n: usize, seed: u64| {
        let mut x = normal(n, 3, seed, 0.0);
        x.rows_mut().into_iter().for_each(|mut row| row /= row.dot(&row).sqrt());
        x
    };
    let (mut alarms, mut all) = (Vec::new(), 0);
    for (n, seeds) in [(300, 4), (1000, 3), (3000, 1)] {
        for seed in 0..seeds {
            let sets = [
                ("plane", plane(n, seed)),
                ("ball", normal(n, 5, seed, 0.0)),
                ("clusters that touch", normal(n, 4, seed, 3.0)),
                ("clusters", normal(n, 4, seed, 6.0)),
                ("sphere", sphere(n, seed)),
                ("s-curve", points("s-curve", n, seed)),
                ("hd", points("hd", n, seed)),
                ("twin-peaks", points("twin-peaks", n, seed)),
                ("rings", points("rings", n, seed)),
                ("moons", points("moons", n, seed)),
                ("severed-sphere", points("severed-sphere", n, seed)),
                ("toroidal-helix", points("toroidal-helix", n, seed)),
                // Of 300 points some windings are nearer to each other than the next point on their own.
                ("helix", points("helix", n.max(1000), seed)),
                ("blobs", points("blobs", n, seed)),
                ("clusters-3d", points("clusters-3d", n, seed)),
                ("two-clusters", points("two-clusters", n, seed)),
            ];
            for (name, x) in &sets {
                for k in [6, 8, 12] {
                    all += 1;
                    if let Some(found) = folded("laplacian-eigenmaps", x, k) {
                        alarms.push((*name, n, seed, k, found));
                    }
                }
            }
        }
    }
    assert!(alarms.len() * 100 < all, "{} of {all}: {alarms:?}", alarms.len());
}
