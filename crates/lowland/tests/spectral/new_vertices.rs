//! New vertices of a given graph, by the lengths of their edges.

use crate::graphs::weighted;
use crate::{cloud, distances, embedding, largest, swiss_roll};
use lowland::parameters::Value;
use lowland::{Csr, Input, Model, Run, load_bytes, registry};
use ndarray::{Array2, Axis, s};

/// The methods that take a graph of lengths.
const METHODS: [&str; 11] = [
    "isomap",
    "landmark-isomap",
    "c-isomap",
    "laplacian-eigenmaps",
    "spectral-clustering",
    "diffusion-maps",
    "commute-time",
    "heat-kernel",
    "sammon",
    "mds",
    "nonmetric-mds",
];

fn fitted(name: &str, graph: &Csr<f64>, settings: &[(&str, Value)]) -> Box<dyn Model> {
    let mut method = (registry::find(name).unwrap().create)();
    settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
    method.fit(Input::Graph(graph).into(), &Run::new()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Edges to the nearest `k` of the first `old` points: the graph between these, and the rows of the others.
fn nearest(x: &Array2<f64>, old: usize, k: usize) -> (Csr<f64>, Csr<f64>) {
    let d = distances(x.view());
    let list = |i: usize| {
        let mut order: Vec<usize> = (0..old).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| d[(i, a)].total_cmp(&d[(i, b)]));
        order.truncate(k);
        order
    };
    let mut pairs: Vec<(usize, usize)> =
        (0..old).flat_map(|i| list(i).into_iter().map(move |j| (i.min(j), i.max(j)))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let edges: Vec<_> = pairs.into_iter().map(|(i, j)| (i, j, d[(i, j)])).collect();
    let rows: Vec<_> =
        (old..x.nrows()).flat_map(|i| list(i).into_iter().map(move |j| (i - old, j))).collect();
    let rows: Vec<_> = rows.into_iter().map(|(i, j)| (i, j, d[(i + old, j)])).collect();
    (weighted(old, &edges), Csr::from_entries(x.nrows() - old, old, &rows).unwrap())
}

/// New points that are known by the lengths of their edges are where those are that are known by their coordinates.
#[test]
fn a_graph_of_neighbors_embeds_new_points_as_the_points_do() {
    let run = Run::new();
    for seed in 0..4 {
        let (x, _) = swiss_roll(320, 60 + seed);
        let (old, new) = (x.slice(s![..300, ..]), x.slice(s![300.., ..]));
        let (graph, rows) = nearest(&x, 300, 9);
        let all: &[(&str, &[(&str, Value)])] = &[
            ("isomap", &[]),
            (
                "landmark-isomap",
                &[("landmarks", Value::Integer(40)), ("landmark_choice", Value::Text("uniform".into()))],
            ),
            ("mds", &[("geodesic", Value::Bool(true))]),
        ];
        for (name, settings) in all {
            let by_graph = fitted(name, &graph, settings);
            let mut method = (registry::find(name).unwrap().create)();
            settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
            method.set("n_neighbors", &Value::Integer(9)).unwrap();
            let by_points = method.fit(old.into(), &run).unwrap();
            let (a, b) = (embedding(&*by_points), embedding(&*by_graph));
            let there = by_points.transform(new.into(), &run).unwrap().to_f64();
            let here = by_graph.transform(Input::Graph(&rows).into(), &run).unwrap().to_f64();
            let (both, other) =
                (ndarray::concatenate![Axis(0), a, there], ndarray::concatenate![Axis(0), b, here]);
            let off = crate::apart(&both, &other);
            assert!(off < 1e-6, "{name}, seed {seed}: {off}");
        }
    }
}

/// A row of the graph is its vertex, for every method and after loading; of vertices that have the same edges, amid them.
#[test]
fn rows_of_the_graph_are_its_vertices() {
    let run = Run::new();
    for seed in 0..3 {
        let x = cloud(120, 3, 70 + seed);
        let (graph, rows) = nearest(&x, 110, 6);
        for name in METHODS {
            let model = fitted(name, &graph, &[]);
            let y = embedding(&*model);
            let again = model.transform(Input::Graph(&graph).into(), &run).unwrap().to_f64();
            let off = largest(&(&again - &y)) / largest(&y);
            assert!(off < 1e-8, "{name}, seed {seed}: {off}");
            let new = model.transform(Input::Graph(&rows).into(), &run).unwrap();
            assert!(new.to_f64().iter().all(|v| v.is_finite()), "{name}");
            // A dense row writes what is not there as 0.
            let mut dense = Array2::zeros((10, 110));
            (0..10).for_each(|i| {
                let (to, lengths) = rows.row(i);
                to.iter().zip(lengths).for_each(|(&j, &length)| dense[(i, j as usize)] = length);
            });
            assert_eq!(model.transform((&dense).into(), &run).unwrap(), new, "{name}");
            let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(loaded.transform(Input::Graph(&rows).into(), &run).unwrap(), new, "{name}");
        }
    }
}

/// Pivots stand for all vertices where there are many: the others are known, too.
#[test]
fn vertices_that_are_no_pivots_are_known() {
    let x = cloud(600, 2, 5);
    let (graph, _) = nearest(&x, 600, 6);
    let settings = [("solver", Value::Text("sampled".into())), ("n_pairs", Value::Integer(20))];
    let model = fitted("mds", &graph, &settings);
    let again = model.transform(Input::Graph(&graph).into(), &Run::new()).unwrap().to_f64();
    assert_eq!(again, embedding(&*model));
}

/// The leaves of a star have the same edge: a row of it says no more than that it is one of them.
#[test]
fn vertices_with_the_same_edges_are_their_mean() {
    let edges: Vec<_> = (1..5).map(|leaf| (0, leaf, 1.0)).chain([(0, 5, 2.0), (5, 6, 1.0)]).collect();
    let graph = weighted(7, &edges);
    let row = Csr::from_entries(1, 7, &[(0, 0, 1.0)]).unwrap();
    for name in ["laplacian-eigenmaps", "diffusion-maps", "isomap", "mds", "sammon"] {
        let model = fitted(name, &graph, &[]);
        let y = embedding(&*model);
        let mean = y.slice(s![1..5, ..]).mean_axis(Axis(0)).unwrap();
        let found = model.transform(Input::Graph(&row).into(), &Run::new()).unwrap().to_f64();
        let off = (&found.row(0) - &mean).iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(off < 1e-10, "{name}: {off}");
    }
}

/// A vertex without edges is known by that, and only by that.
#[test]
fn an_isolated_vertex_is_no_other() {
    let x = cloud(50, 3, 12);
    let (rest, rows) = nearest(&x, 45, 6);
    for at in [0, 45] {
        let number = |i: usize| if i < at { i } else { i + 1 };
        let moved = |graph: &Csr<f64>, both: bool| -> Csr<f64> {
            let entries = (0..graph.nrows()).flat_map(|i| {
                let (to, lengths) = graph.row(i);
                let i = if both { number(i) } else { i };
                to.iter()
                    .zip(lengths)
                    .map(move |(&j, &length)| (i, number(j as usize), length))
                    .collect::<Vec<_>>()
            });
            let count = graph.nrows() + usize::from(both);
            Csr::from_entries(count, 46, &entries.collect::<Vec<_>>()).unwrap()
        };
        let (graph, new) = (moved(&rest, true), moved(&rows, false));
        for name in METHODS.into_iter().filter(|&name| {
            let method = (registry::find(name).unwrap().create)();
            method.get("disconnected").is_some() && name != "spectral-clustering"
        }) {
            let model = fitted(name, &graph, &[("disconnected", Value::Text("separate".into()))]);
            let y = embedding(&*model);
            let again = model.transform(Input::Graph(&graph).into(), &Run::new()).unwrap().to_f64();
            assert!(largest(&(&again - &y)) < 1e-8 * largest(&y), "{name}");
            // New vertices of the others are as where there is no isolated one, but for the shift of the component.
            let alone = fitted(name, &rest, &[]);
            let here = model.transform(Input::Graph(&new).into(), &Run::new()).unwrap().to_f64();
            let there = alone.transform(Input::Graph(&rows).into(), &Run::new()).unwrap().to_f64();
            let shift = &y.row(number(0)) - &embedding(&*alone).row(0);
            let off = largest(&(&here - &there - &shift));
            assert!(off < 1e-8 * largest(&y), "{name}: {off}");
        }
    }
}

/// Edges of length 0 join copies, each of which has coordinates of its own.
#[test]
fn vertices_with_edges_of_length_0_are_known() {
    let x = cloud(60, 3, 13);
    let (graph, _) = nearest(&x, 60, 6);
    let mut entries: Vec<(usize, usize, f64)> = (0..60)
        .flat_map(|i| {
            let (to, lengths) = graph.row(i);
            to.iter().zip(lengths).map(move |(&j, &length)| (i, j as usize, length)).collect::<Vec<_>>()
        })
        .collect();
    let pairs: Vec<(usize, usize)> = (0..60).map(|i| (i, graph.row(i).0[0] as usize)).step_by(9).collect();
    for (i, j, length) in &mut entries {
        if pairs.contains(&(*i, *j)) || pairs.contains(&(*j, *i)) {
            *length = 0.0;
        }
    }
    let graph = Csr::from_entries(60, 60, &entries).unwrap();
    // A row with an edge of length 0 to one vertex is this vertex.
    let row = Csr::from_entries(1, 60, &[(0, 7, 0.0), (0, 20, 1.0)]).unwrap();
    for name in METHODS {
        let model = fitted(name, &graph, &[]);
        let y = embedding(&*model);
        let again = model.transform(Input::Graph(&graph).into(), &Run::new()).unwrap().to_f64();
        let off = largest(&(&again - &y)) / largest(&y);
        assert!(off < 1e-8, "{name}: {off}");
        let found = model.transform(Input::Graph(&row).into(), &Run::new()).unwrap().to_f64();
        let off = (&found.row(0) - &y.row(7)).iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(off < 1e-8 * largest(&y), "{name}: {off}");
    }
}

/// In single precision the two directions of an edge may be further apart.
#[test]
fn vertices_are_known_in_the_precision_of_the_fit() {
    let x = cloud(60, 3, 14);
    let (graph, _) = nearest(&x, 60, 6);
    for (rounding, single) in [(1e-4, true), (1e-9, false)] {
        let entries: Vec<(usize, usize, f64)> = (0..60)
            .flat_map(|i| {
                let (to, lengths) = graph.row(i);
                let off = move |j: usize| if i < j { 1.0 + rounding } else { 1.0 };
                to.iter()
                    .zip(lengths)
                    .map(move |(&j, &length)| (i, j as usize, length * off(j as usize)))
                    .collect::<Vec<_>>()
            })
            .collect();
        for name in METHODS {
            let off = if single {
                let entries: Vec<(usize, usize, f32)> =
                    entries.iter().map(|&(i, j, v)| (i, j, v as f32)).collect();
                let graph = Csr::from_entries(60, 60, &entries).unwrap();
                let model = (registry::find(name).unwrap().create)()
                    .fit(Input::Graph(&graph).into(), &Run::new())
                    .unwrap();
                let again = model.transform(Input::Graph(&graph).into(), &Run::new()).unwrap().to_f64();
                largest(&(&again - &embedding(&*model)))
            } else {
                let graph = Csr::from_entries(60, 60, &entries).unwrap();
                let model = fitted(name, &graph, &[]);
                let again = model.transform(Input::Graph(&graph).into(), &Run::new()).unwrap().to_f64();
                largest(&(&again - &embedding(&*model)))
            };
            assert!(off < if single { 1e-5 } else { 1e-9 }, "{name}: {off}");
        }
    }
}

/// Isolated vertices have the same row: the mean of them, wherever their connected components are put.
#[test]
fn several_isolated_vertices_are_their_mean() {
    let x = cloud(40, 3, 15);
    let (rest, _) = nearest(&x, 40, 6);
    let entries: Vec<(usize, usize, f64)> = (0..40)
        .flat_map(|i| {
            let (to, lengths) = rest.row(i);
            to.iter()
                .zip(lengths)
                .map(move |(&j, &length)| (i + 1, j as usize + 1, length))
                .collect::<Vec<_>>()
        })
        .collect();
    let graph = Csr::from_entries(43, 43, &entries).unwrap();
    let separate = [("disconnected", Value::Text("separate".into()))];
    for (name, settings) in
        [("isomap", &separate[..]), ("laplacian-eigenmaps", &separate), ("spectral-clustering", &[])]
    {
        let model = fitted(name, &graph, settings);
        let y = embedding(&*model);
        let again = model.transform(Input::Graph(&graph).into(), &Run::new()).unwrap().to_f64();
        let mean = y.select(Axis(0), &[0, 41, 42]).mean_axis(Axis(0)).unwrap();
        for i in 0..43 {
            let expected = if [0, 41, 42].contains(&i) { mean.view() } else { y.row(i) };
            let off = (&again.row(i) - &expected).iter().fold(0.0f64, |m, v| m.max(v.abs()));
            assert!(off < 1e-8 * largest(&y), "{name}, vertex {i}: {off}");
        }
    }
}

/// Lengths that are apart by rounding belong to one vertex only where no vertex has them to the bit.
#[test]
fn vertices_with_nearly_the_same_edges_are_known() {
    for lengths in [[1.0, f64::from(1.0002f32)], [1.0, 1.0 + 5e-7]] {
        let mut edges = vec![(0, 1, lengths[0]), (0, 2, lengths[1]), (0, 3, 2.0), (3, 4, 1.5), (4, 5, 1.0)];
        edges.push((0, 5, 2.5));
        let graph = weighted(6, &edges);
        for name in ["isomap", "mds", "laplacian-eigenmaps"] {
            let model = fitted(name, &graph, &[]);
            let y = embedding(&*model);
            let again = model.transform(Input::Graph(&graph).into(), &Run::new()).unwrap().to_f64();
            assert!(largest(&(&again - &y)) < 1e-8 * largest(&y), "{name}: {again} {y}");
        }
    }
}

/// An edge of a vertex to itself is none, whether it is written or not.
#[test]
fn a_diagonal_changes_nothing() {
    let x = cloud(50, 3, 16);
    let (plain, _) = nearest(&x, 50, 6);
    let mut entries: Vec<(usize, usize, f64)> = (0..50)
        .flat_map(|i| {
            let (to, lengths) = plain.row(i);
            to.iter().zip(lengths).map(move |(&j, &length)| (i, j as usize, length)).collect::<Vec<_>>()
        })
        .collect();
    entries.extend((0..50).map(|i| (i, i, 0.0)));
    let written = Csr::from_entries(50, 50, &entries).unwrap();
    for name in METHODS {
        for (fit, new) in [(&plain, &written), (&written, &plain), (&written, &written)] {
            let model = fitted(name, fit, &[]);
            let y = embedding(&*model);
            let again = model.transform(Input::Graph(new).into(), &Run::new()).unwrap().to_f64();
            assert!(largest(&(&again - &y)) < 1e-8 * largest(&y), "{name}");
        }
    }
}

/// Hops: a neighbor of a leaf and of its hub is not that leaf, and neither is one that is a little farther from the hub.
#[test]
fn vertices_with_other_edges_are_new() {
    let edges: Vec<(usize, usize, f64)> =
        (0..12).map(|i| (i, (i + 1) % 12, 3000.0)).chain([(0, 12, 3000.0)]).collect();
    let graph = weighted(13, &edges);
    let rows = Csr::from_entries(2, 13, &[(0, 0, 3000.0), (0, 12, 3000.0), (1, 0, 3001.0)]).unwrap();
    for name in ["isomap", "mds", "sammon"] {
        let model = fitted(name, &graph, &[("n_components", Value::Integer(3))]);
        let y = embedding(&*model);
        let found = model.transform(Input::Graph(&rows).into(), &Run::new()).unwrap().to_f64();
        for (k, row) in found.rows().into_iter().enumerate() {
            assert!(largest(&(&row - &y.row(12)).insert_axis(Axis(0)).to_owned()) > 1e-3, "{name}, row {k}");
        }
    }
}

#[test]
fn similarities_that_are_all_zero_are_refused() {
    let x = cloud(40, 3, 17);
    let weights = distances(x.view()).mapv(|d| if d < 1.5 { (-d * d).exp() } else { 0.0 });
    for name in ["laplacian-eigenmaps", "spectral-clustering", "diffusion-maps"] {
        let model = (registry::find(name).unwrap().create)()
            .fit(Input::Kernel(weights.view()).into(), &Run::new())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut rows = weights.slice(s![..2, ..]).to_owned();
        rows.row_mut(1).fill(0.0);
        let refused = model.transform(Input::Kernel(rows.view()).into(), &Run::new()).unwrap_err();
        assert!(refused.to_string().contains("row 1 has no similarity above 0"), "{name}: {refused}");
    }
}

#[test]
fn vertices_that_are_nowhere_are_refused() {
    let run = Run::new();
    let x = cloud(60, 3, 9);
    let (graph, _) = nearest(&x, 60, 6);
    for name in METHODS {
        let model = fitted(name, &graph, &[]);
        let refused = |entries: &[(usize, usize, f64)], words: &str| {
            let rows = Csr::from_entries(2, 60, entries).unwrap();
            let error = model.transform(Input::Graph(&rows).into(), &run).unwrap_err();
            assert!(error.to_string().contains(words), "{name}: {error}");
        };
        refused(&[(0, 3, 1.0)], "row 1 has no edge");
        refused(&[(0, 3, 1.0), (1, 4, -1.0)], "row 1, column 4 is -1");
        refused(&[(0, 3, 1.0), (1, 4, f64::NAN)], "NaN");
    }
}
