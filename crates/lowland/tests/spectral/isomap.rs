//! Isomap and its relatives.

use crate::{apart, cloud, distances, embedding, largest, recovered, rotation, swiss_roll};
use lowland::methods::{CIsomap, Isomap, LandmarkIsomap};
use lowland::spectral::Disconnected;
use lowland::{Csr, Error, Input, Method, Model, Run, Warning, load_bytes};
use ndarray::{Array2, Axis, concatenate, s};

fn isomap(n_neighbors: usize) -> Isomap {
    Isomap { n_components: 2, n_neighbors, ..Isomap::default() }
}

#[test]
fn the_swiss_roll_is_unrolled() {
    let run = Run::new();
    let (x, truth) = swiss_roll(5000, 1);
    let model = isomap(12).fit_model(&x, &run).unwrap();
    let fit = recovered(&embedding(&model), &truth);
    assert!(fit.iter().all(|r| *r > 0.99), "{fit:?}");
    let left =
        model.report().objective.iter().find(|q| q.name == "geodesic residual variance").unwrap().value;
    assert!(left < 0.01, "{left}");
    let new = swiss_roll(300, 2);
    let extended = model.transform((&new.0).into(), &run).unwrap().to_f64();
    let together = concatenate![Axis(0), embedding(&model), extended];
    let truths = concatenate![Axis(0), truth, new.1];
    assert!(recovered(&together, &truths).iter().all(|r| *r > 0.99));

    let landmarks = LandmarkIsomap { n_neighbors: 12, landmarks: Some(200), ..LandmarkIsomap::default() };
    let few = landmarks.fit_model(&x, &run).unwrap();
    assert!(recovered(&embedding(&few), &truth).iter().all(|r| *r > 0.99));
    let again = few.transform((&x).into(), &run).unwrap().to_f64();
    assert!(largest(&(again - embedding(&few))) < 1e-8);
}

#[test]
fn landmarks_that_are_all_points_are_the_exact_method() {
    let run = Run::new();
    for seed in 0..4 {
        let (x, _) = swiss_roll(300, seed);
        let exact = isomap(10).fit_model(&x, &run).unwrap();
        let all = LandmarkIsomap { n_neighbors: 10, landmarks: Some(300), ..LandmarkIsomap::default() };
        let y = embedding(&all.fit_model(&x, &run).unwrap());
        assert!(apart(&embedding(&exact), &y) < 1e-9);
        let again = exact.transform((&x).into(), &run).unwrap().to_f64();
        assert!(largest(&(again - embedding(&exact))) < 1e-8);
    }
}

#[test]
fn points_distances_and_the_graph_give_the_same() {
    let run = Run::new();
    let (x, _) = swiss_roll(200, 5);
    let y = embedding(&isomap(8).fit_model(&x, &run).unwrap());
    let far = distances(x.view());
    let by_distances = isomap(8).fit_model(Input::Distances(far.view()), &run).unwrap();
    assert!(apart(&y, &embedding(&by_distances)) < 1e-9);
    let again = by_distances.transform(Input::Distances(far.view()).into(), &run).unwrap().to_f64();
    assert!(largest(&(again - embedding(&by_distances))) < 1e-8);
    // The same graph, made here.
    let mut entries = Vec::new();
    for i in 0..200 {
        let mut order: Vec<usize> = (0..200).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| far[(i, a)].total_cmp(&far[(i, b)]));
        for &j in &order[..8] {
            entries.push((i.min(j), i.max(j)));
        }
    }
    entries.sort_unstable();
    entries.dedup();
    let both: Vec<(usize, usize, f64)> =
        entries.iter().flat_map(|&(i, j)| [(i, j, far[(i, j)]), (j, i, far[(i, j)])]).collect();
    let graph = Csr::from_entries(200, 200, &both).unwrap();
    let by_graph = isomap(8).fit_model(Input::Graph(&graph), &run).unwrap();
    assert!(apart(&y, &embedding(&by_graph)) < 1e-9);
}

#[test]
fn the_embedding_follows_rows_shifts_rotations_and_scale() {
    let run = Run::new();
    for seed in 0..3 {
        let (x, _) = swiss_roll(300, 20 + seed);
        let y = embedding(&isomap(10).fit_model(&x, &run).unwrap());
        let same = |x: &Array2<f64>, factor: f64| {
            let other = embedding(&isomap(10).fit_model(x, &run).unwrap()) * factor;
            assert!(apart(&y, &other) < 1e-7, "{}", apart(&y, &other));
        };
        same(&(&x + 1e3), 1.0);
        same(&x.dot(&rotation(3, seed)), 1.0);
        same(&(&x * 16.0), 1.0 / 16.0);
        let order: Vec<usize> = (0..300).map(|i| i * 7 % 300).collect();
        let mixed = embedding(&isomap(10).fit_model(&x.select(Axis(0), &order), &run).unwrap());
        assert!(apart(&y.select(Axis(0), &order), &mixed) < 1e-7);
    }
}

/// A sheet stretched locally by a conformal map and sampled evenly before: C-Isomap shrinks it back, Isomap
/// does not (de Silva and Tenenbaum 2003, the conformal fishbowl).
#[test]
fn conformal_isomap_undoes_a_conformal_stretch() {
    let run = Run::new();
    let flat = {
        // A disc, evenly filled.
        let (n, golden) = (1500, 2.399963229728653);
        Array2::from_shape_fn((n, 2), |(i, j)| {
            let (r, t) = (((i as f64 + 0.5) / n as f64).sqrt(), i as f64 * golden);
            0.9 * r * if j == 0 { t.cos() } else { t.sin() }
        })
    };
    // The inverse stereographic projection onto most of a sphere.
    let bowl = Array2::from_shape_fn((1500, 3), |(i, j)| {
        let (u, v) = (3.0 * flat[(i, 0)], 3.0 * flat[(i, 1)]);
        let d = 1.0 + u * u + v * v;
        [2.0 * u / d, 2.0 * v / d, (d - 2.0) / d][j]
    });
    let conformal = CIsomap { n_neighbors: 15, ..CIsomap::default() };
    let mut method: Box<dyn lowland::Method> = Box::new(conformal);
    method.set("n_components", &lowland::parameters::Value::Integer(2)).unwrap();
    let c = method.fit((&bowl).into(), &run).unwrap();
    let plain = isomap(15).fit_model(&bowl, &run).unwrap();
    let worst = |y: &Array2<f64>| recovered(y, &flat).into_iter().fold(1.0, f64::min);
    let (c, plain) = (worst(&embedding(c.as_ref())), worst(&embedding(&plain)));
    assert!(c > 0.99 && c > plain, "{c} {plain}");
}

/// Two sheets far apart, under each policy.
#[test]
fn a_graph_of_two_components_under_each_policy() {
    let run = Run::new();
    let (a, _) = swiss_roll(200, 31);
    let (b, _) = swiss_roll(120, 32);
    let x = concatenate![Axis(0), a.clone(), &b + 500.0];
    let fit = |disconnected| Isomap { disconnected, ..isomap(8) }.fit_model(&x, &run);
    match fit(Disconnected::Error) {
        Err(Error::Disconnected { sizes, .. }) => assert_eq!(sizes, [200, 120]),
        other => panic!("{other:?}"),
    }
    let alone = embedding(&isomap(8).fit_model(&a, &run).unwrap());
    for policy in [Disconnected::Join, Disconnected::Largest, Disconnected::Separate] {
        let model = fit(policy).unwrap();
        let y = embedding(&model);
        assert!(y.iter().all(|v| v.is_finite()));
        assert_eq!(model.report().connected_component_sizes, [200, 120]);
        assert!(
            matches!(&model.report().warnings[0], Warning::Disconnected { sizes, .. } if sizes == &[200, 120])
        );
        let again = model.transform((&x).into(), &run).unwrap().to_f64();
        assert!(largest(&(again - &y)) < 1e-8, "{policy:?}");
        let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.transform((&x).into(), &run).unwrap(), model.transform((&x).into(), &run).unwrap());
        if policy != Disconnected::Join {
            let own = y.slice(s![..200, ..]).to_owned();
            let centered = &own - &own.mean_axis(Axis(0)).unwrap();
            assert!(apart(&alone, &centered) < 1e-8, "{policy:?}: each component as if it were alone");
        }
    }
}

/// Bridges between the layers of a roll: reported, and cut when asked.
#[test]
fn short_circuits_are_reported_and_cut() {
    let run = Run::new();
    let (mut x, truth) = swiss_roll(1500, 41);
    let clean = isomap(8).fit_model(&x, &run).unwrap();
    assert!(!clean.report().warnings.iter().any(|w| matches!(w, Warning::ShortCircuits { .. })));
    // A chain of points from the inner end to a point one turn further out, where the layers are two pi apart.
    let near = |t: f64| {
        let arc = 0.5 * (t * (1.0f64 + t * t).sqrt() + t.asinh());
        (0..1500)
            .min_by(|&a, &b| {
                let off = |i: usize| (truth[(i, 0)] - arc).abs() + (truth[(i, 1)] - 15.0).abs();
                off(a).total_cmp(&off(b))
            })
            .unwrap()
    };
    let (from, to) = (x.row(near(5.5)).to_owned(), x.row(near(5.5 + 2.0 * std::f64::consts::PI)).to_owned());
    for step in 1..12 {
        let share = f64::from(step) / 12.0;
        let point = &from * (1.0 - share) + &to * share;
        x.push_row(point.view()).unwrap();
    }
    let broken = isomap(8).fit_model(&x, &run).unwrap();
    let reported = broken.report().warnings.iter().find_map(|w| match w {
        Warning::ShortCircuits { edges, cut, .. } => Some((edges.len(), *cut)),
        _ => None,
    });
    assert!(reported.is_some_and(|(edges, cut)| edges > 0 && !cut), "{:?}", broken.report().warnings);
    let mended = Isomap { cut_short_circuits: true, ..isomap(8) }.fit_model(&x, &run).unwrap();
    let fit = |model: &dyn Model| {
        recovered(&embedding(model).slice(s![..1500, ..]).to_owned(), &truth).into_iter().fold(1.0, f64::min)
    };
    assert!(fit(&mended) > 0.99 && fit(&mended) > fit(&broken), "{} {}", fit(&mended), fit(&broken));
}

#[test]
fn neighborhoods_by_radius_and_adaptive() {
    let run = Run::new();
    let (x, truth) = swiss_roll(1200, 51);
    let radius = Isomap { radius: Some(4.0), ..isomap(8) }.fit_model(&x, &run).unwrap();
    let adaptive = Isomap { adaptive: true, ..isomap(14) }.fit_model(&x, &run).unwrap();
    for model in [&radius, &adaptive] {
        assert!(recovered(&embedding(model), &truth).iter().all(|r| *r > 0.98));
        let again = model.transform((&x).into(), &run).unwrap().to_f64();
        assert!(largest(&(again - embedding(model))) < 1e-8);
    }
    let far_away = Array2::from_elem((1, 3), 1e3);
    assert!(radius.transform((&far_away).into(), &run).unwrap().to_f64().iter().all(|v| v.is_finite()));
}

#[test]
fn wrong_neighborhoods_are_typed_errors() {
    let run = Run::new();
    let x = cloud(20, 3, 61);
    for k in [20, 25] {
        let refused = isomap(k).fit_model(&x, &run);
        assert!(matches!(refused, Err(Error::Parameter { name, .. }) if name == "n_neighbors"));
    }
    let over = LandmarkIsomap { landmarks: Some(21), ..LandmarkIsomap::default() };
    assert!(matches!(over.fit_model(&x, &run), Err(Error::Parameter { name, .. }) if name == "landmarks"));
}

fn of_registry(name: &str, settings: &[(&str, lowland::parameters::Value)]) -> Box<dyn lowland::Method> {
    let mut method = (lowland::registry::find(name).unwrap().create)();
    settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
    method
}

/// Landmarks of a given graph: geodesics from them alone. Of all three methods, chosen in every way that the input
/// knows, and refused in the others.
#[test]
fn graphs_and_distances_have_landmarks() {
    use lowland::parameters::Value;
    let run = Run::new();
    let (x, truth) = swiss_roll(1500, 4);
    let d = distances(x.view());
    // The ten nearest of every point, as a graph of lengths.
    let mut entries = Vec::new();
    for i in 0..1500 {
        let mut order: Vec<usize> = (0..1500).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| d[(i, a)].total_cmp(&d[(i, b)]));
        entries.extend(order[..10].iter().flat_map(|&j| [(i, j, d[(i, j)]), (j, i, d[(i, j)])]));
    }
    entries.sort_by_key(|entry| (entry.0, entry.1));
    entries.dedup_by_key(|entry| (entry.0, entry.1));
    let graph = Csr::from_entries(1500, 1500, &entries).unwrap();
    for name in ["isomap", "landmark-isomap", "c-isomap"] {
        let with = |choice: &str, landmarks: i64| {
            let settings = [
                ("landmark_choice", Value::Text(choice.into())),
                ("landmarks", Value::Integer(landmarks)),
                ("n_neighbors", Value::Integer(10)),
            ];
            of_registry(name, &settings)
        };
        let whole = embedding(&*with("uniform", 1500).fit(Input::Graph(&graph).into(), &run).unwrap());
        let few = with("uniform", 120).fit(Input::Graph(&graph).into(), &run).unwrap();
        let fit = recovered(&embedding(&*few), &whole);
        assert!(fit.iter().all(|r| *r > 0.98), "{name}: {fit:?}");
        if name != "c-isomap" {
            let fit = recovered(&embedding(&*few), &truth);
            assert!(fit.iter().all(|r| *r > 0.98), "{name}: {fit:?}");
        }
        for choice in ["farthest", "k-means", "leverage"] {
            match with(choice, 120).fit(Input::Graph(&graph).into(), &run) {
                Err(Error::Conflict { name: parameter, remedy, .. }) => {
                    assert!(parameter == "landmark_choice" && remedy.contains("uniform"), "{remedy}");
                }
                other => panic!("{name} {choice}: {:?}", other.err()),
            }
        }
        // The farthest by the distances given are the farthest of the points.
        let by_points = embedding(&*with("farthest", 60).fit((&x).into(), &run).unwrap());
        let by_distances = with("farthest", 60).fit(Input::Distances(d.view()).into(), &run).unwrap();
        assert!(apart(&by_points, &embedding(&*by_distances)) < 1e-8, "{name}");
        assert!(matches!(
            with("k-means", 60).fit(Input::Distances(d.view()).into(), &run),
            Err(Error::Conflict { name, .. }) if name == "landmark_choice"
        ));
    }
    // A part of a sparse graph says nothing about the rest: a method of affinities refuses landmarks, with a remedy.
    for name in
        ["laplacian-eigenmaps", "diffusion-maps", "commute-time", "heat-kernel", "spectral-clustering"]
    {
        match of_registry(name, &[("landmarks", Value::Integer(100))]).fit(Input::Graph(&graph).into(), &run)
        {
            Err(Error::Conflict { name: parameter, remedy, .. }) => {
                assert!(parameter == "landmarks" && remedy.contains("auto"), "{name}: {remedy}");
            }
            other => panic!("{name}: {:?}", other.err()),
        }
    }
}

/// One stray point between two sheets carries many paths, over several edges.
#[test]
fn a_stray_point_between_sheets_is_a_short_circuit() {
    let run = Run::new();
    let mut harmful = 0;
    // Rolls without a short circuit of their own, which other seeds have.
    for seed in [0, 3] {
        let (roll, truth) = swiss_roll(900, seed);
        // Between two points that are near each other, and far along the roll.
        let d = distances(roll.view());
        let pairs = (0..900).flat_map(|i| (0..i).map(move |j| (i, j)));
        let apart = |&(i, j): &(usize, usize)| (truth[(i, 0)] - truth[(j, 0)]).abs() > 30.0;
        let (i, j) = pairs.filter(apart).min_by(|&a, &b| d[a].total_cmp(&d[b])).unwrap();
        let stray = (&roll.row(i) + &roll.row(j)) * 0.5;
        let x = concatenate![Axis(0), roll, stray.insert_axis(Axis(0))];
        let clean = isomap(8).fit_model(&roll, &run).unwrap();
        assert!(
            !clean.report().warnings.iter().any(|w| matches!(w, Warning::ShortCircuits { .. })),
            "{seed}"
        );
        let model = isomap(8).fit_model(&x, &run).unwrap();
        let fit = recovered(&embedding(&model).slice(s![..900, ..]).to_owned(), &truth);
        let spoilt = fit[0] < 0.95;
        let short =
            |w: &Warning| matches!(w, Warning::ShortCircuits { .. } | Warning::TooManyNeighbors { .. });
        let reported = model.report().warnings.iter().any(short);
        assert!(reported || !spoilt, "{seed}");
        harmful += usize::from(spoilt);
        let mended = Isomap { cut_short_circuits: true, ..isomap(8) }.fit_model(&x, &run).unwrap();
        let fit = recovered(&embedding(&mended).slice(s![..900, ..]).to_owned(), &truth);
        assert!(fit[0] > 0.99 || !reported, "{seed}: {fit:?}");
    }
    assert!(harmful > 0, "a stray point that does no harm shows nothing");
}

#[test]
fn new_distances_are_not_negative() {
    let run = Run::new();
    let x = cloud(40, 3, 5);
    let d = distances(x.view());
    let mut row = d.slice(s![..1, ..]).to_owned();
    row[(0, 7)] = -5.0;
    let landmarks = LandmarkIsomap { landmarks: Some(20), ..LandmarkIsomap::default() };
    let models = [
        isomap(6).fit_model(Input::Distances(d.view()), &run).unwrap(),
        CIsomap::default().fit_model(Input::Distances(d.view()), &run).unwrap(),
        landmarks.fit_model(Input::Distances(d.view()), &run).unwrap(),
        lowland::methods::ClassicalMds::default().fit_model(Input::Distances(d.view()), &run).unwrap(),
    ];
    for model in models {
        let refused = model.transform((&row).into(), &run);
        assert!(matches!(refused, Err(Error::NotADistance { .. })), "{:?}", refused.err());
    }
}
