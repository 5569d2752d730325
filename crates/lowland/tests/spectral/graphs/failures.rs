//! What goes wrong, and is reported.

use super::{labels, weighted};
use crate::{cloud, embedding, largest};
use lowland::methods::{DiffusionMaps, LaplacianEigenmaps, SpectralClustering};
use lowland::spectral::{Affinity, Assignment, Disconnected};
use lowland::{Error, Input, Method, Model, Run, Warning, load_bytes};
use ndarray::{Array2, s};
use std::f64::consts::PI;

#[test]
fn too_many_neighbors_are_reported() {
    let run = Run::new();
    let (few, _) = crate::swiss_roll(600, 8);
    let (mut x, truth) = crate::swiss_roll(1500, 41);
    let reported = |name: &str, x: &Array2<f64>, k: i64, is_meant: fn(&Warning) -> bool| {
        let mut method = (lowland::registry::find(name).unwrap().create)();
        method.set("n_neighbors", &lowland::parameters::Value::Integer(k)).unwrap();
        if name == "diffusion-maps" {
            method.set("edges", &lowland::parameters::Value::Text("neighbors".into())).unwrap();
        }
        let model = method.fit(x.into(), &run).unwrap();
        model.report().warnings.iter().any(is_meant)
    };
    let folded =
        |w: &Warning| matches!(w, Warning::NotFlat { dimensions: 2, .. } | Warning::TooManyNeighbors { .. });
    let short = |w: &Warning| matches!(w, Warning::ShortCircuits { cut: false, .. });
    let names = ["laplacian-eigenmaps", "diffusion-maps", "commute-time", "heat-kernel"];
    for name in names {
        assert!(!reported(name, &x, 12, folded) && !reported(name, &x, 8, short), "{name}");
        assert!(reported(name, &few, 200, folded), "{name}");
        // A ball is round at every scale: it is not the number of neighbors.
        assert!(!reported(name, &cloud(600, 5, 3), 200, folded), "{name}");
    }
    // A chain of points between two windings.
    let near = |t: f64| {
        let arc = 0.5 * (t * (1.0f64 + t * t).sqrt() + t.asinh());
        let off = |i: usize| (truth[(i, 0)] - arc).abs() + (truth[(i, 1)] - 15.0).abs();
        (0..1500).min_by(|&a, &b| off(a).total_cmp(&off(b))).unwrap()
    };
    let (from, to) = (x.row(near(5.5)).to_owned(), x.row(near(5.5 + 2.0 * PI)).to_owned());
    for step in 1..12 {
        let share = f64::from(step) / 12.0;
        x.push_row((&from * (1.0 - share) + &to * share).view()).unwrap();
    }
    for name in names {
        assert!(reported(name, &x, 8, short), "{name}");
    }
}

#[test]
fn failures_are_reported() {
    let run = Run::new();
    let two = LaplacianEigenmaps::default();
    // More components than vertices, of every method of graphs.
    let x = cloud(12, 3, 1);
    for name in
        ["laplacian-eigenmaps", "spectral-clustering", "diffusion-maps", "commute-time", "heat-kernel"]
    {
        let mut method = (lowland::registry::find(name).unwrap().create)();
        method.set("n_components", &lowland::parameters::Value::Integer(13)).unwrap();
        match method.fit((&x).into(), &run) {
            Err(Error::Parameter { name, bound, .. }) => {
                assert!(name == "n_components" && bound.contains("1"), "{name}: {bound}");
            }
            other => panic!("{name}: {:?}", other.err()),
        }
    }
    let refused = LaplacianEigenmaps { n_components: 12, ..two.clone() }.fit_model(&x, &run).unwrap_err();
    assert!(
        refused.to_string().contains("at most 11, the number of vertices less the constant"),
        "{refused}"
    );
    // Many duplicates: no NaN.
    for affinity in [Affinity::Gaussian, Affinity::Local, Affinity::Binary] {
        let mut x = Array2::<f64>::ones((40, 2));
        let method = LaplacianEigenmaps { affinity, ..two.clone() };
        for i in 20..40 {
            x[(i, 0)] = i as f64;
        }
        let model = method.fit_model(&x, &run).unwrap();
        assert!(embedding(&model).iter().all(|v| v.is_finite()), "{affinity:?}");
    }
    // Points far away on a fixed width stay bound: finite, and no world of their own.
    let mut x = cloud(200, 2, 5);
    for i in 0..3 {
        x[(i, 0)] = 1e3 * (i + 1) as f64;
    }
    let model = LaplacianEigenmaps { width: Some(0.1), ..two.clone() }.fit_model(&x, &run).unwrap();
    assert!(largest(&embedding(&model)) < 1e6);
    // A clique with a string of points drawn out of it (Maaten 7.2).
    let mut edges: Vec<_> = (0..100).flat_map(|i| (0..i).map(move |j| (i, j, 1.0))).collect();
    edges.extend((99..109).map(|i| (i, i + 1, 1.0)));
    let string = weighted(110, &edges);
    let model =
        LaplacianEigenmaps { weighted: true, ..two.clone() }.fit_model(Input::Graph(&string), &run).unwrap();
    let reported =
        model.report().warnings.iter().any(|w| matches!(w, Warning::Collapsed { share, .. } if *share > 0.8));
    assert!(reported, "{:?}", model.report().warnings);
    // Connected components: reported, and every policy works; a graph with an isolated vertex is refused or embedded apart.
    let mut x = cloud(60, 2, 6);
    x.slice_mut(s![30.., ..]).mapv_inplace(|v| v + 100.0);
    for policy in [Disconnected::Join, Disconnected::Largest, Disconnected::Separate] {
        let model = LaplacianEigenmaps { disconnected: policy, ..two.clone() }.fit_model(&x, &run).unwrap();
        assert!(
            matches!(&model.report().warnings[0], Warning::Disconnected { sizes, .. } if sizes == &[30, 30])
        );
        let again = model.transform((&x).into(), &run).unwrap().to_f64();
        assert!(largest(&(again - embedding(&model))) < 1e-8);
    }
    let refuse = LaplacianEigenmaps { disconnected: Disconnected::Error, ..two.clone() };
    assert!(matches!(refuse.fit_model(&x, &run), Err(Error::Disconnected { .. })));
    let mut edges: Vec<_> = (0..20).map(|i| (i, i + 1, 1.0)).collect();
    edges.push((0, 5, 1.0));
    let lonely = weighted(22, &edges);
    let given = LaplacianEigenmaps { weighted: true, ..two.clone() };
    assert!(given.fit_model(Input::Graph(&lonely), &run).is_err());
    let apart = LaplacianEigenmaps { disconnected: Disconnected::Separate, ..given };
    let model = apart.fit_model(Input::Graph(&lonely), &run).unwrap();
    assert_eq!(model.report().connected_component_sizes, [21, 1]);
    assert!(embedding(&model).iter().all(|v| v.is_finite()));
    // Clusters of a graph need no edge between them; isolated vertices are somewhere.
    let clusters =
        SpectralClustering { n_clusters: Some(2), weighted: true, ..SpectralClustering::default() };
    let found = labels(&clusters.fit_model(Input::Graph(&lonely), &run).unwrap());
    assert_eq!(found.len(), 22);
    // Similarities must not be negative.
    let kernel = Array2::from_shape_fn((5, 5), |(i, j)| if i == j { 1.0 } else { -0.1 });
    assert!(matches!(two.fit_model(Input::Kernel(kernel.view()), &run), Err(Error::Malformed { .. })));
    let three = SpectralClustering {
        n_clusters: Some(3),
        assign_labels: Assignment::NormalizedCut,
        ..SpectralClustering::default()
    };
    assert!(matches!(three.fit_model(&x, &run), Err(Error::Conflict { name, .. }) if name == "n_clusters"));
}

/// A vertex without affinities, an outlier, a width of nothing: coordinates are numbers, or there is an error.
#[test]
fn what_is_bound_to_nothing_has_finite_coordinates() {
    let run = Run::new();
    let mut edges: Vec<(usize, usize, f64)> = (0..19).map(|i| (i, i + 1, 1.0)).collect();
    edges.remove(10);
    let graph = weighted(21, &edges);
    let clusters = SpectralClustering { n_clusters: Some(3), ..SpectralClustering::default() };
    let model = clusters.fit_model(Input::Graph(&graph), &run).unwrap();
    assert!(embedding(&model).iter().all(|value| value.is_finite()));
    assert!(load_bytes(&model.to_bytes().unwrap()).is_ok());
    let mut x = cloud(60, 3, 4);
    x.row_mut(9).fill(1e9);
    for (alpha, width) in [(0.0, None), (1.0, None), (1.0, Some(1e-200))] {
        let maps = DiffusionMaps { alpha, width, ..DiffusionMaps::default() };
        let model = maps.fit_model(&x, &run).unwrap();
        assert!(embedding(&model).iter().all(|value| value.is_finite()), "{alpha} {width:?}");
    }
}

/// Clusters are what a picture may well show: they are no collapse, and neither are two points.
#[test]
fn clusters_are_not_taken_for_a_collapse() {
    let run = Run::new();
    let collapsed = |model: &dyn Model| {
        model.report().warnings.iter().any(|warning| matches!(warning, Warning::Collapsed { .. }))
    };
    let blobs = |sizes: &[usize]| {
        let n = sizes.iter().sum();
        let mut x = cloud(n, 4, 8);
        let mut start = 0;
        for (number, size) in sizes.iter().enumerate() {
            x.slice_mut(s![start..start + size, 0]).mapv_inplace(|v| v + 30.0 * number as f64);
            x.slice_mut(s![start..start + size, 1]).mapv_inplace(|v| v + 30.0 * (number % 2) as f64);
            start += size;
        }
        x
    };
    for sizes in [&[100, 100][..], &[150, 100], &[160, 40], &[150, 60, 60], &[120, 50, 50, 50]] {
        let x = blobs(sizes);
        for name in ["laplacian-eigenmaps", "heat-kernel", "diffusion-maps", "lle", "ltsa"] {
            for components in [1, 2, sizes.len() as i64] {
                let mut method = (lowland::registry::find(name).unwrap().create)();
                method.set("n_components", &lowland::parameters::Value::Integer(components)).unwrap();
                let model = method.fit((&x).into(), &run).unwrap();
                assert!(!collapsed(&*model), "{name} {sizes:?} {components}");
            }
        }
    }
    let two = ndarray::array![[0.0, 1.0], [2.0, 3.0]];
    for n in [2, 3, 5] {
        let x = if n == 2 { two.clone() } else { cloud(n, 2, 3) };
        let maps = LaplacianEigenmaps { n_components: 1, n_neighbors: 1, ..LaplacianEigenmaps::default() };
        assert!(!collapsed(&maps.fit_model(&x, &run).unwrap()), "{n}");
    }
}

/// Clusters of a given graph need no edge between its connected components, but the policy is kept all the same.
#[test]
fn clusters_of_a_given_graph_obey_the_policy() {
    let ring = |first: usize, n: usize| (0..n).map(move |i| (first + i, first + (i + 1) % n, 1.0));
    let graph = weighted(42, &ring(0, 30).chain(ring(30, 12)).collect::<Vec<_>>());
    let fit = |disconnected| {
        let method =
            SpectralClustering { n_clusters: Some(2), disconnected, ..SpectralClustering::default() };
        method.fit_model(Input::Graph(&graph), &Run::new())
    };
    let labels = fit(Disconnected::Join).unwrap();
    assert!(labels.report().warnings.iter().any(|w| matches!(w, Warning::Disconnected { .. })));
    for policy in [Disconnected::Error, Disconnected::Largest] {
        let refused = fit(policy).unwrap_err();
        assert!(matches!(&refused, Error::Disconnected { sizes, .. } if sizes == &[30, 12]), "{refused}");
        assert!(refused.to_string().ends_with("set disconnected = join"), "{refused}");
    }
}
