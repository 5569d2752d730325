//! Which points are neighbors and which of them have an edge: mutual neighbors, the minimum spanning tree, radii for the
//! methods of local geometry.

use crate::{apart, cloud, distances, embedding, largest};
use lowland::methods::{ClassicalMds, HessianLle, Isomap, LaplacianEigenmaps, Lle, Ltsa};
use lowland::spectral::{Edge, Gram, GramKernel};
use lowland::{Error, Input, Method, Model, Run};
use ndarray::Array2;

/// The nearest `k` of each point, by sorting.
fn nearest(d: &Array2<f64>, k: usize) -> Vec<Vec<usize>> {
    let n = d.nrows();
    (0..n)
        .map(|i| {
            let mut order: Vec<usize> = (0..n).filter(|&j| j != i).collect();
            order.sort_by(|&a, &b| d[(i, a)].total_cmp(&d[(i, b)]));
            order.truncate(k);
            order
        })
        .collect()
}

/// All shortest paths along the edges, by Floyd's algorithm.
fn paths(d: &Array2<f64>, edge: impl Fn(usize, usize) -> bool) -> Array2<f64> {
    let n = d.nrows();
    let mut way = Array2::from_shape_fn((n, n), |(i, j)| {
        if i == j {
            0.0
        } else if edge(i, j) {
            d[(i, j)]
        } else {
            f64::INFINITY
        }
    });
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                way[(i, j)] = way[(i, j)].min(way[(i, k)] + way[(k, j)]);
            }
        }
    }
    way
}

fn scaled(ways: &Array2<f64>) -> Array2<f64> {
    embedding(&ClassicalMds::default().fit_model(Input::Distances(ways.view()), &Run::new()).unwrap())
}

#[test]
fn mutual_neighbors_are_those_of_both_sides() {
    let mut connected = 0;
    for seed in 0..12 {
        let x = cloud(60, 2, 700 + seed);
        let d = distances(x.view());
        let near = nearest(&d, 9);
        let ways = paths(&d, |i, j| near[i].contains(&j) && near[j].contains(&i));
        let method = Isomap { n_neighbors: 9, graph: Edge::Mutual, ..Isomap::default() };
        let model = method.fit_model(&x, &Run::new()).unwrap();
        if ways.iter().any(|way| way.is_infinite()) {
            assert!(model.report().connected_component_sizes.len() > 1);
            continue;
        }
        connected += 1;
        assert!(apart(&embedding(&model), &scaled(&ways)) < 1e-8, "seed {seed}");
        let again = model.transform((&x).into(), &Run::new()).unwrap().to_f64();
        assert!(largest(&(again - embedding(&model))) < 1e-8);
    }
    assert!(connected >= 3, "{connected}");
}

#[test]
fn the_spanning_tree_is_that_of_prim() {
    for seed in 0..5 {
        let (n, x) = (50, cloud(50, 3, 800 + seed));
        let d = distances(x.view());
        let (mut reached, mut tree) = (vec![0], Vec::new());
        while reached.len() < n {
            let mut best = (f64::INFINITY, 0, 0);
            for &i in &reached {
                for j in (0..n).filter(|j| !reached.contains(j)) {
                    if d[(i, j)] < best.0 {
                        best = (d[(i, j)], i, j);
                    }
                }
            }
            tree.push((best.1, best.2));
            reached.push(best.2);
        }
        let ways = paths(&d, |i, j| tree.contains(&(i, j)) || tree.contains(&(j, i)));
        let method = Isomap { graph: Edge::SpanningTree, ..Isomap::default() };
        let model = method.fit_model(&x, &Run::new()).unwrap();
        assert_eq!(model.report().connected_component_sizes, [n]);
        assert!(apart(&embedding(&model), &scaled(&ways)) < 1e-8, "seed {seed}");
        let eigenmaps = LaplacianEigenmaps { graph: Edge::SpanningTree, ..LaplacianEigenmaps::default() };
        let volume =
            |model: &dyn Model| model.report().objective.iter().find(|q| q.name == "volume").unwrap().value;
        let binary = LaplacianEigenmaps { affinity: lowland::spectral::Affinity::Binary, ..eigenmaps };
        assert_eq!(volume(&binary.fit_model(&x, &Run::new()).unwrap()), 2.0 * (n - 1) as f64);
    }
}

#[test]
fn lle_in_a_radius_rebuilds_each_point_by_all_within_it() {
    let run = Run::new();
    for seed in 0..4 {
        let x = cloud(50, 2, 900 + seed);
        let d = distances(x.view());
        let n = x.nrows();
        // So wide that every point has three others within it.
        let radius = (0..n)
            .map(|i| {
                let mut row: Vec<f64> = d.row(i).to_vec();
                row.sort_by(f64::total_cmp);
                row[3]
            })
            .fold(0.0, f64::max)
            * (1.0 + 1e-9);
        let lle = Lle { radius: Some(radius), ..Lle::default() };
        let model = lle.fit_model(&x, &run).unwrap();
        let gram = Gram { kernel: GramKernel::Shifted, time: None, shift: Some(0.0) };
        let penalty = model.gram(gram, &run).unwrap() * -1.0;
        // (I - W) has no entry beyond the radius, so (I - W)'(I - W) none between points two radii apart; constants cost
        // nothing, and a point that only few are near has no more in its row than these.
        assert!(penalty.sum_axis(ndarray::Axis(0)).iter().all(|s| s.abs() < 1e-9));
        for ((i, j), &entry) in penalty.indexed_iter() {
            let shared = (0..n).any(|p| d[(p, i)] <= radius && d[(p, j)] <= radius);
            assert!(shared || entry == 0.0, "{i} {j}: {entry}");
        }
        let y = embedding(&model);
        for (c, &m) in model.report().eigenvalues.iter().enumerate() {
            let y = y.column(c).to_owned();
            assert!((penalty.dot(&y) - &y * m).iter().all(|e| e.abs() < 1e-8));
        }
        assert_eq!(embedding(&*lowland::load_bytes(&model.to_bytes().unwrap()).unwrap()), y);
    }
    // A radius that holds just the k nearest of a lattice is k neighbors.
    let ring = Array2::from_shape_fn((40, 2), |(i, j)| {
        let angle = i as f64 * std::f64::consts::TAU / 40.0;
        if j == 0 { angle.cos() } else { angle.sin() }
    });
    let by_radius = Lle { radius: Some(0.33), ..Lle::default() }.fit_model(&ring, &run).unwrap();
    let by_count = Lle { n_neighbors: 4, ..Lle::default() }.fit_model(&ring, &run).unwrap();
    let values = |model: &dyn Model| model.report().eigenvalues.clone();
    assert!(values(&by_radius).iter().zip(values(&by_count)).all(|(a, b)| (a - b).abs() < 1e-10));
    let narrow = HessianLle { radius: Some(1e-3), ..HessianLle::default() }.fit_model(&cloud(60, 3, 1), &run);
    assert!(matches!(narrow, Err(Error::Parameter { ref name, .. }) if name == "radius"), "{narrow:?}");
    let adaptive = Ltsa { n_neighbors: 10, adaptive: true, ..Ltsa::default() };
    let sheet = lowland::data::find("swiss-roll").unwrap().sample(1500, 0.0, 3).unwrap();
    let model = adaptive.fit_model(&sheet.points, &run).unwrap();
    let fit = crate::recovered(&embedding(&model), &sheet.truth);
    assert!(fit.iter().all(|r| *r > 0.97), "{fit:?}");
}
