//! Laplacian eigenmaps: what their equations say, and every way to the same graph.

use super::{laplacian_values, on_weights, random_graph, weighted};
use crate::{apart, cloud, distances, embedding, largest};
use lowland::methods::LaplacianEigenmaps;
use lowland::spectral::{Affinity, Laplacian};
use lowland::{Csr, Input, Method, Model, Run, data};
use ndarray::Array2;
use std::f64::consts::PI;

#[test]
fn paths_cycles_and_grids_have_the_eigenvalues_of_the_textbook() {
    let run = Run::new();
    // A cycle is regular: all three Laplacians agree. 400 is beyond the dense solver, 30 within.
    for n in [30, 400] {
        let cycle = weighted(n, &(0..n).map(|i| (i, (i + 1) % n, 1.0)).collect::<Vec<_>>());
        for (laplacian, scale) in
            [(Laplacian::Unnormalized, 1.0), (Laplacian::Symmetric, 0.5), (Laplacian::RandomWalk, 0.5)]
        {
            let model = on_weights(4, laplacian).fit_model(Input::Graph(&cycle), &run).unwrap();
            for (r, found) in laplacian_values(&model).iter().enumerate() {
                let truth = scale * (2.0 - 2.0 * (2.0 * PI * (r / 2 + 1) as f64 / n as f64).cos());
                assert!((found - truth).abs() < 1e-13, "{n}: {found} {truth}");
            }
            let y = embedding(&model);
            for r in 0..4 {
                assert!(y.column(r).sum().abs() < 1e-8);
                assert!((y.column(r).dot(&y.column(r)) / n as f64 - 1.0).abs() < 1e-10);
            }
            // A pair of sines: the first two coordinates lie on a circle.
            let radius = |i: usize| y[(i, 0)].powi(2) + y[(i, 1)].powi(2);
            assert!((0..n).all(|i| (radius(i) - 2.0).abs() < 1e-8));
        }
        let path = weighted(n, &(0..n - 1).map(|i| (i, i + 1, 1.0)).collect::<Vec<_>>());
        let model = on_weights(5, Laplacian::Unnormalized).fit_model(Input::Graph(&path), &run).unwrap();
        for (r, found) in laplacian_values(&model).iter().enumerate() {
            let truth = 2.0 - 2.0 * (PI * (r + 1) as f64 / n as f64).cos();
            assert!((found - truth).abs() < 1e-13);
        }
        // The walk on a path: 1 - cos(pi k / (n - 1)).
        let model = on_weights(3, Laplacian::RandomWalk).fit_model(Input::Graph(&path), &run).unwrap();
        for (r, found) in laplacian_values(&model).iter().enumerate() {
            assert!((found - 1.0 + (PI * (r + 1) as f64 / (n - 1) as f64).cos()).abs() < 1e-13);
        }
    }
    let (a, b) = (31, 17);
    let mut edges = Vec::new();
    for i in 0..a {
        for j in 0..b {
            if i + 1 < a {
                edges.push((i * b + j, (i + 1) * b + j, 1.0));
            }
            if j + 1 < b {
                edges.push((i * b + j, i * b + j + 1, 1.0));
            }
        }
    }
    let model = on_weights(6, Laplacian::Unnormalized)
        .fit_model(Input::Graph(&weighted(a * b, &edges)), &run)
        .unwrap();
    let side = |k: usize, n: usize| 2.0 - 2.0 * (PI * k as f64 / n as f64).cos();
    let mut truth: Vec<f64> = (0..a * b).map(|v| side(v / b, a) + side(v % b, b)).collect();
    truth.sort_by(f64::total_cmp);
    for (found, truth) in laplacian_values(&model).iter().zip(&truth[1..]) {
        assert!((found - truth).abs() < 1e-13);
    }
}

#[test]
fn the_three_laplacians_satisfy_their_equations() {
    let run = Run::new();
    for seed in 0..5 {
        let w = random_graph(60, seed);
        let dense = Array2::from_shape_fn((60, 60), |(i, j)| {
            let (columns, values) = w.row(i);
            columns.binary_search(&(j as u32)).map_or(0.0, |place| values[place])
        });
        let degrees = dense.sum_axis(ndarray::Axis(1));
        let volume = degrees.sum();
        for laplacian in [Laplacian::Unnormalized, Laplacian::Symmetric, Laplacian::RandomWalk] {
            let model = on_weights(3, laplacian).fit_model(Input::Graph(&w), &run).unwrap();
            let y = embedding(&model);
            let roots = degrees.mapv(f64::sqrt);
            for (r, m) in laplacian_values(&model).into_iter().enumerate() {
                let v = y.column(r);
                let left = match laplacian {
                    Laplacian::Symmetric => &v - &(dense.dot(&(&v / &roots)) / &roots),
                    _ => &v * &degrees - dense.dot(&v),
                };
                let right = match laplacian {
                    Laplacian::RandomWalk => m * &(&v * &degrees),
                    _ => m * &v,
                };
                assert!((left - right).iter().all(|d| d.abs() < 1e-10), "{laplacian:?}");
                // Unit variance, of the walk under its stationary distribution; nothing along the trivial vector.
                let (length, along) = match laplacian {
                    Laplacian::RandomWalk => {
                        ((&v * &v * &degrees).sum() / volume, (&v * &degrees).sum() / volume)
                    }
                    Laplacian::Symmetric => (v.dot(&v) / 60.0, v.dot(&roots)),
                    Laplacian::Unnormalized => (v.dot(&v) / 60.0, v.sum()),
                };
                assert!((length - 1.0).abs() < 1e-10 && along.abs() < 1e-9);
            }
        }
    }
}

#[test]
fn new_points_and_landmarks_agree_with_the_whole() {
    let run = Run::new();
    let x = data::find("s-curve").unwrap().sample(1200, 0.0, 1).unwrap().points;
    let new = data::find("s-curve").unwrap().sample(200, 0.0, 2).unwrap().points;
    for laplacian in [Laplacian::RandomWalk, Laplacian::Symmetric, Laplacian::Unnormalized] {
        for affinity in [Affinity::Gaussian, Affinity::Local, Affinity::Binary] {
            let method = LaplacianEigenmaps { affinity, laplacian, ..LaplacianEigenmaps::default() };
            let model = method.fit_model(&x, &run).unwrap();
            let y = embedding(&model);
            assert!(largest(&(model.transform((&x).into(), &run).unwrap().to_f64() - &y)) < 1e-8);
            let placed = model.transform((&new).into(), &run).unwrap().to_f64();
            // Near the nearest training point's place.
            let near = |i: usize| {
                let far = |j: usize| (0..3).map(|c| (new[(i, c)] - x[(j, c)]).powi(2)).sum::<f64>();
                (0..1200).min_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap()
            };
            let off: f64 = (0..200)
                .map(|i| (0..2).map(|c| (placed[(i, c)] - y[(near(i), c)]).abs()).fold(0.0, f64::max))
                .sum::<f64>()
                / 200.0;
            assert!(off < 0.15, "{laplacian:?} {affinity:?}: {off}");
            let few = LaplacianEigenmaps { landmarks: Some(400), ..method };
            let few = few.fit_model(&x, &run).unwrap();
            let again = few.transform((&x).into(), &run).unwrap().to_f64();
            assert!(largest(&(again - embedding(&few))) < 1e-8);
            let fit = crate::recovered(&embedding(&few), &y);
            assert!(fit.iter().all(|r| *r > 0.97), "{laplacian:?} {affinity:?}: {fit:?}");
        }
    }
}

#[test]
fn points_distances_kernels_and_graphs_give_the_same() {
    let run = Run::new();
    let x = cloud(80, 3, 2);
    let d = distances(x.view());
    let method = LaplacianEigenmaps { n_neighbors: 6, width: Some(0.7), ..LaplacianEigenmaps::default() };
    let model = method.fit_model(&x, &run).unwrap();
    let y = embedding(&model);
    let by_distances = method.fit_model(Input::Distances(d.view()), &run).unwrap();
    assert!(apart(&y, &embedding(&by_distances)) < 1e-8);
    // The affinities themselves, as a kernel and as a weighted graph.
    let spectral = model.spectral().unwrap();
    let normalized = spectral.kernel((&x).into(), &run).unwrap();
    assert!(largest(&(&normalized - &normalized.t())) < 1e-10 * largest(&normalized));
    let mut entries = Vec::new();
    for i in 0..80 {
        for j in 0..80 {
            if normalized[(i, j)] > 0.0 {
                entries.push((i, j, (-d[(i, j)].powi(2) / (2.0 * 0.49)).exp()));
            }
        }
    }
    let sparse = Csr::from_entries(80, 80, &entries).unwrap();
    let sparse = Csr::new(
        80,
        80,
        sparse.offsets().to_vec(),
        sparse.indices().to_vec(),
        sparse.transpose().values().iter().zip(sparse.values()).map(|(a, b)| 0.5 * (a + b)).collect(),
    )
    .unwrap();
    let given = LaplacianEigenmaps { weighted: true, ..method.clone() };
    let by_graph = given.fit_model(Input::Graph(&sparse), &run).unwrap();
    assert!(apart(&y, &embedding(&by_graph)) < 1e-8);
    let kernel = Array2::from_shape_fn((80, 80), |(i, j)| {
        let (columns, values) = sparse.row(i);
        columns.binary_search(&(j as u32)).map_or(0.0, |place| values[place])
    });
    let by_kernel = method.fit_model(Input::Kernel(kernel.view()), &run).unwrap();
    assert!(apart(&y, &embedding(&by_kernel)) < 1e-8);
    let again = by_kernel.transform(Input::Kernel(kernel.view()).into(), &run).unwrap().to_f64();
    assert!(largest(&(again - embedding(&by_kernel))) < 1e-8);
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    let run = Run::new();
    let x = data::find("s-curve").unwrap().sample(150, 0.01, 3).unwrap().points;
    let order: Vec<usize> = (0..150).rev().collect();
    let turned = x.select(ndarray::Axis(0), &order);
    for name in
        ["laplacian-eigenmaps", "spectral-clustering", "diffusion-maps", "commute-time", "heat-kernel"]
    {
        let method = (lowland::registry::find(name).unwrap().create)();
        let a = embedding(&*method.fit((&x).into(), &run).unwrap()).select(ndarray::Axis(0), &order);
        let b = embedding(&*method.fit((&turned).into(), &run).unwrap());
        assert!(apart(&a, &b) < 1e-7, "{name}");
    }
}
