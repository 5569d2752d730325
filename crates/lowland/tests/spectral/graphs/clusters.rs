//! Spectral clustering.

use super::{labels, random_graph, weighted};
use crate::{apart, cloud, distances, embedding};
use lowland::methods::{LaplacianEigenmaps, SpectralClustering};
use lowland::spectral::{Affinity, Assignment};
use lowland::{Input, Method, Model, Run, Warning, data, load_bytes};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use std::f64::consts::PI;

#[test]
fn eigenmaps_and_clustering_share_their_subspace() {
    let run = Run::new();
    let x = data::find("swiss-roll").unwrap().sample(600, 0.0, 4).unwrap().points;
    let maps = LaplacianEigenmaps { n_components: 3, ..LaplacianEigenmaps::default() };
    let maps = embedding(&maps.fit_model(&x, &run).unwrap());
    let clusters = SpectralClustering {
        n_clusters: Some(4),
        affinity: Affinity::Gaussian,
        ..SpectralClustering::default()
    };
    let model = clusters.fit_model(&x, &run).unwrap();
    let rows = embedding(&model);
    assert_eq!(rows.ncols(), 4);
    assert!(rows.column(0).iter().all(|v| (v.abs() - 1.0).abs() < 1e-8));
    assert!(apart(&maps, &rows.slice(s![.., 1..]).to_owned()) < 1e-8);
}

/// The share of rows on which two labelings agree, under the best matching of two or three labels.
fn agreement(a: &[u32], b: &[i64]) -> f64 {
    let names: Vec<i64> = {
        let mut names = b.to_vec();
        names.sort_unstable();
        names.dedup();
        names
    };
    let b: Vec<u32> = b.iter().map(|l| names.iter().position(|n| n == l).unwrap() as u32).collect();
    let orders: &[[u32; 3]] = &[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let same = |order: &[u32; 3]| {
        a.iter().zip(&b).filter(|(a, b)| order.get(**a as usize) == Some(b)).count() as f64 / a.len() as f64
    };
    orders.iter().map(same).fold(0.0, f64::max)
}

/// Plain k-means of two clusters: the best of several starts from two of the rows.
fn two_means(points: ArrayView2<'_, f64>) -> Vec<u32> {
    let n = points.nrows();
    let apart = |row: usize, center: &Array1<f64>| (&points.row(row) - center).mapv(|d| d * d).sum();
    let start = |k: usize| {
        let mut centers = [points.row(k * n / 20).to_owned(), points.row(n - 1 - k * n / 30).to_owned()];
        let mut labels = vec![0; n];
        for _ in 0..100 {
            labels = (0..n).map(|i| u32::from(apart(i, &centers[1]) < apart(i, &centers[0]))).collect();
            for (c, center) in centers.iter_mut().enumerate() {
                let members: Vec<usize> = (0..n).filter(|&i| labels[i] as usize == c).collect();
                *center = points.select(Axis(0), &members).mean_axis(Axis(0)).unwrap();
            }
        }
        let inertia: f64 = (0..n).map(|i| apart(i, &centers[labels[i] as usize])).sum();
        (inertia, labels)
    };
    (0..10).map(start).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1
}

#[test]
fn clusters_of_any_shape_are_found_where_k_means_fails() {
    let run = Run::new();
    for (name, noise) in [("rings", 0.03), ("moons", 0.05)] {
        let sample = data::find(name).unwrap().sample(500, noise, 1).unwrap();
        assert!(agreement(&two_means(sample.points.view()), &sample.labels) < 0.95, "{name}");
        for assign_labels in [Assignment::KMeans, Assignment::Discretize, Assignment::NormalizedCut] {
            let method =
                SpectralClustering { n_clusters: Some(2), assign_labels, ..SpectralClustering::default() };
            let model = method.fit_model(&sample.points, &run).unwrap();
            let found = agreement(&labels(&model), &sample.labels);
            assert_eq!(found, 1.0, "{name} by {assign_labels:?}");
            // New points of the same shape.
            let new = data::find(name).unwrap().sample(200, noise, 2).unwrap();
            let extended = model.assign((&new.points).into(), &run).unwrap();
            assert!(agreement(&extended, &new.labels) > 0.99, "{name}");
            assert_eq!(model.assign((&sample.points).into(), &run).unwrap(), labels(&model));
            let bytes = model.to_bytes().unwrap();
            assert_eq!(load_bytes(&bytes).unwrap().assign((&new.points).into(), &run).unwrap(), extended);
        }
    }
}

/// Two clusters of which one is a part of a ring around the other (Bengio figure 1).
fn bengios_first_figure(seed: u64) -> (Array2<f64>, Vec<i64>) {
    let noise = cloud(400, 2, seed) - 5.0;
    let points = Array2::from_shape_fn((400, 2), |(i, j)| {
        let angle = 1.6 * PI * i as f64 / 300.0;
        let ring = 4.0 * if j == 0 { angle.cos() } else { angle.sin() };
        if i < 300 { ring + 0.2 * noise[(i, j)] } else { 0.8 * noise[(i - 300, j)] }
    });
    (points, (0..400).map(|i| i64::from(i >= 300)).collect())
}

#[test]
fn bengios_first_figure_is_solved() {
    // The polar angle of the embedding separates them.
    let run = Run::new();
    let (points, truth) = bengios_first_figure(9);
    assert!(agreement(&two_means(points.view()), &truth) < 0.95);
    // His kernel: a Gaussian between all points, the diagonal left out.
    let mut kernel = distances(points.view()).mapv(|d| (-d * d / (2.0 * 0.4f64.powi(2))).exp());
    kernel.diag_mut().fill(0.0);
    let method = SpectralClustering { n_clusters: Some(2), ..SpectralClustering::default() };
    let model = method.fit_model(Input::Kernel(kernel.view()), &run).unwrap();
    assert_eq!(agreement(&labels(&model), &truth), 1.0);
    // Without their number too.
    let found = SpectralClustering::default().fit_model(Input::Kernel(kernel.view()), &run).unwrap();
    assert_eq!(labels(&found), labels(&model));
}

fn unclear(model: &dyn Model) -> bool {
    model.report().warnings.iter().any(|w| matches!(w, Warning::NoEigengap { .. }))
}

#[test]
fn the_number_of_clusters_is_found_whatever_their_shape() {
    let run = Run::new();
    let automatic = SpectralClustering::default();
    for seed in 0..5 {
        for (name, noise) in [("rings", 0.03), ("moons", 0.05), ("moons", 0.08)] {
            let sample = data::find(name).unwrap().sample(400, noise, seed).unwrap();
            let model = automatic.fit_model(&sample.points, &run).unwrap();
            let found = agreement(&labels(&model), &sample.labels);
            // With more noise the ends of the moons touch.
            assert!(found > if noise > 0.05 { 0.97 } else { 0.99 }, "{name} {noise} {seed}: {found}");
        }
        let (points, truth) = bengios_first_figure(seed);
        let model = automatic.fit_model(&points, &run).unwrap();
        assert_eq!(agreement(&labels(&model), &truth), 1.0, "{seed}");
        assert!(!unclear(&model));
        for count in 2..=6 {
            // Of different sizes, at the corners of a polygon whose sides are 8 times their width.
            let size = 50 + 15 * seed as usize;
            let of = |i: usize| (i * i / size) % count;
            let noise = cloud(size * count, 2, 100 * seed + count as u64) - 5.0;
            let radius = 2.8 / (PI / count as f64).sin();
            let points = Array2::from_shape_fn((size * count, 2), |(i, j)| {
                let angle = 2.0 * PI * of(i) as f64 / count as f64;
                let spread = if j == 0 { 1.0 } else { 2.0 };
                radius * if j == 0 { angle.cos() } else { angle.sin() } + spread * noise[(i, j)]
            });
            let model = automatic.fit_model(&points, &run).unwrap();
            let found = labels(&model);
            assert_eq!(found.iter().max(), Some(&(count as u32 - 1)), "{count} {seed}");
            // The farthest points of two neighbors can touch.
            let first = |i: usize| (0..found.len()).find(|&k| of(k) == of(i)).unwrap();
            let astray = (0..found.len()).filter(|&i| found[i] != found[first(i)]).count();
            assert!(astray * 100 <= found.len(), "{count} {seed}: {astray}");
        }
    }
    // The connected components of a graph are clusters; a cloud has none, and that is reported.
    let mut edges = Vec::new();
    for component in 0..3 {
        edges
            .extend((0..10).flat_map(|i| (0..i).map(move |j| (10 * component + i, 10 * component + j, 1.0))));
    }
    let given = SpectralClustering { weighted: true, ..automatic.clone() };
    let model = given.fit_model(Input::Graph(&weighted(30, &edges)), &run).unwrap();
    assert_eq!(labels(&model), (0..30).map(|i| i / 10).collect::<Vec<u32>>());
    let model = automatic.fit_model(&cloud(300, 2, 4), &run).unwrap();
    assert!(unclear(&model), "{:?}", model.report());
}

#[test]
fn the_cut_is_reported() {
    let run = Run::new();
    for count in [2, 3, 5] {
        let noise = cloud(60 * count, 2, 3 + count as u64) - 5.0;
        let points = Array2::from_shape_fn((60 * count, 2), |(i, j)| {
            let angle = 2.0 * PI * (i % count) as f64 / count as f64;
            12.0 * if j == 0 { angle.cos() } else { angle.sin() } + noise[(i, j)]
        });
        let model = SpectralClustering::default().fit_model(&points, &run).unwrap();
        let found = labels(&model);
        assert!((0..60 * count).all(|i| found[i] == (i % count) as u32), "{count}");
        let cut = model.report().objective.iter().find(|q| q.name == "normalized cut").unwrap().value;
        assert!((0.0..0.1).contains(&cut));
    }
    // The threshold is the best of all splits: by trying them.
    let w = random_graph(30, 8);
    let method = SpectralClustering {
        assign_labels: Assignment::NormalizedCut,
        weighted: true,
        ..SpectralClustering::default()
    };
    let model = method.fit_model(Input::Graph(&w), &run).unwrap();
    let second = embedding(&model).column(1).to_vec();
    let ncut = |inside: &dyn Fn(usize) -> bool| {
        let (mut cut, mut below, mut above) = (0.0, 0.0, 0.0);
        for i in 0..30 {
            let (columns, values) = w.row(i);
            for (&j, &value) in columns.iter().zip(values) {
                if inside(i) {
                    below += value
                } else {
                    above += value
                }
                if inside(i) && !inside(j as usize) {
                    cut += value;
                }
            }
        }
        cut / below + cut / above
    };
    let best = second
        .iter()
        .filter(|&&t| second.iter().any(|&v| v > t))
        .map(|&t| ncut(&|i| second[i] <= t))
        .fold(f64::INFINITY, f64::min);
    let reported = model.report().objective.iter().find(|q| q.name == "normalized cut").unwrap().value;
    assert!((reported - best).abs() < 1e-12, "{reported} {best}");
}
