//! Rows that a model was fitted to, and rows at the edge of what it knows.

use crate::{cloud, embedding, largest};
use lowland::methods::{ClassicalMds, KernelName, KernelPca};
use lowland::parameters::Value;
use lowland::spectral::Negative;
use lowland::{Csr, Error, Input, Method, Model, Run, Warning, registry};
use ndarray::{Array2, Axis, array};
use rand::RngExt;

fn method(name: &str, settings: &[(&str, Value)]) -> Box<dyn Method> {
    let mut method = (registry::find(name).unwrap().create)();
    settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
    method
}

/// The similarities of an unweighted graph.
fn adjacency(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> Array2<f64> {
    let mut w = Array2::zeros((n, n));
    edges.for_each(|(i, j)| (w[(i, j)], w[(j, i)]) = (1.0, 1.0));
    w
}

/// On unweighted graphs an eigenvalue of `D - W` may well be a degree, and one of the walk 0: the equation says nothing
/// there. A row that the model knows is at its place all the same, or, where it is that of several vertices (the leaves
/// of a star), amid them.
#[test]
fn rows_of_given_graphs_are_known_where_an_eigenvalue_meets_a_degree() {
    let run = Run::new();
    let graphs = [
        ("star", adjacency(6, (1..6).map(|i| (0, i)))),
        ("path", adjacency(7, (1..7).map(|i| (i - 1, i)))),
        ("cycle", adjacency(8, (0..8).map(|i| (i, (i + 1) % 8)))),
        ("bipartite", adjacency(8, (0..16).map(|i| (i / 4, 4 + i % 4)))),
    ];
    let methods = ["commute-time", "heat-kernel", "laplacian-eigenmaps"];
    for (graph, w) in &graphs {
        for name in methods {
            for laplacian in ["unnormalized", "symmetric", "random-walk"] {
                let mut settings = vec![("n_components", Value::Integer(w.nrows() as i64 - 1))];
                if name == "laplacian-eigenmaps" {
                    settings.push(("laplacian", Value::Text(laplacian.into())));
                }
                let model = method(name, &settings).fit(Input::Kernel(w.view()).into(), &run).unwrap();
                let y = embedding(&*model);
                let again = model.transform(Input::Kernel(w.view()).into(), &run).unwrap().to_f64();
                for (i, row) in w.rows().into_iter().enumerate() {
                    let same: Vec<usize> = (0..w.nrows()).filter(|&j| w.row(j) == row).collect();
                    let mean = y.select(Axis(0), &same).mean_axis(Axis(0)).unwrap();
                    let off = (&again.row(i) - &mean).iter().fold(0.0f64, |most, e| most.max(e.abs()));
                    assert!(off < 1e-10 * largest(&y), "{name} of a {graph}, vertex {i}: {off}");
                }
            }
        }
    }
}

/// A vertex that is bound to the end of a path is on its side, however weakly.
#[test]
fn weakly_bound_vertices_stay_on_their_side() {
    let run = Run::new();
    let w = adjacency(10, (1..10).map(|i| (i - 1, i)));
    let model = method("commute-time", &[("n_components", Value::Integer(1))]);
    let model = model.fit(Input::Kernel(w.view()).into(), &run).unwrap();
    let end = embedding(&*model)[(0, 0)];
    for affinity in [2.0, 0.5, 0.0989, 0.0969, 0.05, 1e-6] {
        let mut row = Array2::zeros((1, 10));
        row[(0, 0)] = affinity;
        let y = model.transform(Input::Kernel(row.view()).into(), &run).unwrap().to_f64()[(0, 0)];
        assert!(y * end > 0.0, "{affinity}: {y}, and the end is at {end}");
    }
    let mut negative = Array2::ones((3, 10));
    negative[(2, 4)] = -1.0;
    let error = model.transform(Input::Kernel(negative.view()).into(), &run).unwrap_err();
    assert!(matches!(&error, Error::Malformed { problem, .. } if problem.contains("(2, 4)")), "{error}");
}

/// Similarities are only compared with each other: their unit does not matter.
#[test]
fn tiny_similarities_are_as_good_as_others() {
    let run = Run::new();
    let x = cloud(30, 3, 5);
    let d = crate::distances(x.view());
    let kernel = d.mapv(|d| (-d * d).exp());
    // Rows of the fit, and others.
    let mut rows = kernel.clone();
    rows.rows_mut().into_iter().skip(15).for_each(|mut row| row[0] *= 0.5);
    for name in ["diffusion-maps", "laplacian-eigenmaps"] {
        for unit in [1e-200, 1e100] {
            let scaled = |k: &Array2<f64>| k.mapv(|k| unit * k);
            let embedded = |kernel: Array2<f64>, rows: Array2<f64>| {
                let mut fit = method(name, &[]);
                if name == "laplacian-eigenmaps" {
                    fit.set("laplacian", &Value::Text("symmetric".into())).unwrap();
                }
                let model = fit.fit(Input::Kernel(kernel.view()).into(), &run).unwrap();
                model.transform(Input::Kernel(rows.view()).into(), &run).unwrap().to_f64()
            };
            let (y, again) =
                (embedded(kernel.clone(), rows.clone()), embedded(scaled(&kernel), scaled(&rows)));
            assert!(largest(&(&y - &again)) < 1e-8 * largest(&y), "{name}, {unit}");
        }
    }
}

/// What lifts the spectrum lifts the kernel of a point with itself, whatever the kernel.
#[test]
fn lifted_kernels_know_their_rows() {
    let run = Run::new();
    for seed in 0..4 {
        let x = (cloud(50, 3, 40 + seed) - 5.0) * 3.0;
        let landmarks = Some(20);
        for kernel in [KernelName::Sigmoid, KernelName::Polynomial, KernelName::Local] {
            for landmarks in [None, landmarks] {
                let method =
                    KernelPca { kernel, negative: Negative::Shift, landmarks, ..KernelPca::default() };
                let model = method.fit_model(&x, &run).unwrap();
                let again = model.transform((&x).into(), &run).unwrap().to_f64();
                let off = largest(&(&again - &embedding(&model))) / largest(&again);
                assert!(off < 1e-8, "seed {seed}, {kernel:?}, {landmarks:?}: {off}");
            }
        }
        for name in ["isomap", "c-isomap", "landmark-isomap"] {
            let settings = [("negative", Value::Text("shift".into())), ("landmarks", Value::Integer(20))];
            let model = method(name, &settings).fit((&x).into(), &run).unwrap();
            let again = model.transform((&x).into(), &run).unwrap().to_f64();
            let off = largest(&(&again - &embedding(&*model))) / largest(&again);
            assert!(off < 1e-8, "seed {seed}, {name}: {off}");
        }
    }
}

/// Random dissimilarities are nearly half negative: the trace alone would not tell.
#[test]
fn negative_shares_are_told_where_the_trace_hides_them() {
    let run = Run::new();
    for n in [60, 200, 500] {
        let mut rng = Run::new().with_seed(n as u64).rng("dissimilarities");
        let mut d = Array2::zeros((n, n));
        for i in 0..n {
            for j in 0..i {
                let value = 1.0 + rng.random::<f64>();
                (d[(i, j)], d[(j, i)]) = (value, value);
            }
        }
        let model = ClassicalMds { n_components: 3, ..ClassicalMds::default() };
        let model = model.fit_model(Input::Distances(d.view()), &run).unwrap();
        let reported = model.report().warnings.iter().find_map(|w| match w {
            Warning::Indefinite { share } => Some(*share),
            _ => None,
        });
        // All eigenvalues, by the way of all components.
        let all = ClassicalMds { n_components: n, negative: Negative::Magnitude, ..ClassicalMds::default() };
        let all = all.fit_model(Input::Distances(d.view()), &run).unwrap();
        let values = &all.report().eigenvalues;
        let sum = |keep: fn(f64) -> f64| values.iter().map(|&v| keep(v)).sum::<f64>();
        let truth = sum(|v| (-v).max(0.0)) / sum(f64::abs);
        let reported = reported.unwrap_or_else(|| panic!("n = {n}: nothing was reported of {truth}"));
        assert!(reported > 0.4 * truth && reported <= truth, "n = {n}: {reported} of {truth}");
    }
}

/// Entries of 1e24 that differ in the last digits: what centering leaves of them is rounding, and is not shown.
#[test]
fn rounding_is_no_component() {
    let run = Run::new();
    let x = cloud(40, 3, 7) + 1e8;
    let kernel = KernelName::Polynomial;
    for landmarks in [None, Some(20)] {
        let method = KernelPca { kernel, gamma: Some(1.0), landmarks, ..KernelPca::default() };
        let model = method.fit_model(&x, &run).unwrap();
        let reported = model.report().warnings.iter().any(|w| matches!(w, Warning::RankDeficient { .. }));
        let again = model.transform((&x).into(), &run).unwrap().to_f64();
        let off = largest(&(&again - &embedding(&model)));
        assert!(reported || off < 1e-6 * largest(&again), "{landmarks:?}: {off} of {}", largest(&again));
    }
}

/// What is not there in a sparse row is a zero of a point or a affinity, but not a distance of 0.
#[test]
fn sparse_rows_are_taken_where_zeros_mean_nothing() {
    let run = Run::new();
    let w = adjacency(8, (0..8).map(|i| (i, (i + 1) % 8)));
    let entries: Vec<_> = w.indexed_iter().filter(|e| *e.1 > 0.0).map(|((i, j), &v)| (i, j, v)).collect();
    let sparse = Csr::from_entries(8, 8, &entries).unwrap();
    let model = method("laplacian-eigenmaps", &[]).fit(Input::Kernel(w.view()).into(), &run).unwrap();
    let again = model.transform(Input::Graph(&sparse).into(), &run).unwrap().to_f64();
    assert!(largest(&(&again - &embedding(&*model))) < 1e-10);
    let d = crate::distances(cloud(8, 2, 3).view());
    let model = method("laplacian-eigenmaps", &[("n_neighbors", Value::Integer(4))]);
    let model = model.fit(Input::Distances(d.view()).into(), &run).unwrap();
    let error = model.transform(Input::Sparse(&sparse).into(), &run).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}

/// Pieces of one point each are at places of their own.
#[test]
fn single_points_are_put_side_by_side() {
    let run = Run::new();
    let near = cloud(20, 2, 9);
    let far = array![[100.0, 0.0], [0.0, 200.0], [-300.0, 0.0]];
    let x = ndarray::concatenate(Axis(0), &[near.view(), far.view()]).unwrap();
    for name in ["isomap", "laplacian-eigenmaps"] {
        let settings = [("radius", Value::Real(3.0)), ("disconnected", Value::Text("separate".into()))];
        let model = method(name, &settings).fit((&x).into(), &run).unwrap();
        let y = embedding(&*model);
        let first: Vec<f64> = y.column(0).to_vec();
        let width = first[..20].iter().fold(0.0f64, |m, a| m.max((a - first[0]).abs()));
        for i in 20..23 {
            let nearest = (0..23).filter(|&j| j != i).map(|j| (first[i] - first[j]).abs());
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            assert!(nearest > 0.05 * width, "{name}: point {i} is {nearest} from another");
        }
    }
}
