//! Laplacian eigenmaps, diffusion maps, spectral clustering and the kernels of Ham.

use crate::{apart, cloud, distances, embedding, largest};
use lowland::methods::{
    Bonds, ClassicalMds, CommuteTime, DiffusionMaps, HeatKernel, KernelPca, LaplacianEigenmaps,
    SpectralClustering,
};
use lowland::neighbors::Graph;
use lowland::neighbors::graph::Symmetrise;
use lowland::spectral::local::weights;
use lowland::spectral::{Affinity, Assignment, Disconnected, Laplacian, ham};
use lowland::{Csr, Error, Input, Model, Run, Warning, data, kmeans, load_bytes};
use ndarray::{Array2, s};
use std::f64::consts::PI;

/// Weights from pairs of vertices.
fn weighted(n: usize, edges: &[(usize, usize, f64)]) -> Csr<f64> {
    let both: Vec<_> = edges.iter().flat_map(|&(i, j, w)| [(i, j, w), (j, i, w)]).collect();
    Csr::from_entries(n, n, &both).unwrap()
}

/// A connected graph of random weights.
fn random_graph(n: usize, seed: u64) -> Csr<f64> {
    let x = cloud(n, 3, seed);
    let d = distances(x.view());
    let mut edges = Vec::new();
    for i in 0..n {
        for j in 0..i {
            if j + 1 == i || (i * 7 + j * 3) % 5 == 0 {
                edges.push((i, j, (-d[(i, j)]).exp() + 0.05));
            }
        }
    }
    weighted(n, &edges)
}

fn on_weights(count: usize, laplacian: Laplacian) -> LaplacianEigenmaps {
    LaplacianEigenmaps { n_components: count, weighted: true, laplacian, ..LaplacianEigenmaps::default() }
}

fn laplacian_values(model: &dyn Model) -> Vec<f64> {
    let attributes = model.attributes();
    attributes.iter().find(|a| a.name == "laplacian_eigenvalues").unwrap().value.numbers()
}

fn labels(model: &dyn Model) -> Vec<u32> {
    let attributes = model.attributes();
    let labels = &attributes.iter().find(|a| a.name == "labels").unwrap().value;
    labels.numbers().iter().map(|&label| label as u32).collect()
}

#[test]
fn paths_cycles_and_grids_have_the_eigenvalues_of_the_textbook() {
    let run = Run::new();
    // A cycle is regular: all three Laplacians agree. 400 is beyond the dense solver, 30 within.
    for n in [30, 400] {
        let cycle = weighted(n, &(0..n).map(|i| (i, (i + 1) % n, 1.0)).collect::<Vec<_>>());
        for (laplacian, scale) in
            [(Laplacian::Unnormalised, 1.0), (Laplacian::Symmetric, 0.5), (Laplacian::RandomWalk, 0.5)]
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
        let model = on_weights(5, Laplacian::Unnormalised).fit_model(Input::Graph(&path), &run).unwrap();
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
    let model = on_weights(6, Laplacian::Unnormalised)
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
        for laplacian in [Laplacian::Unnormalised, Laplacian::Symmetric, Laplacian::RandomWalk] {
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
                    Laplacian::Unnormalised => (v.dot(&v) / 60.0, v.sum()),
                };
                assert!((length - 1.0).abs() < 1e-10 && along.abs() < 1e-9);
            }
        }
    }
}

#[test]
fn commute_times_are_those_of_the_markov_chain() {
    let run = Run::new();
    for seed in 0..4 {
        let n = 25;
        let w = random_graph(n, 20 + seed);
        let graph = Graph::from_csr(w.clone(), Symmetrise::Either).unwrap();
        let times = ham::commute_times(&graph, &run).unwrap();
        // Hitting times of a target: h(i) = 1 + sum_j p_ij h(j), solved exactly by elimination.
        let mut hitting = Array2::<f64>::zeros((n, n));
        for target in 0..n {
            let others: Vec<usize> = (0..n).filter(|&i| i != target).collect();
            let m = others.len();
            let mut a = Array2::<f64>::zeros((m, m + 1));
            for (r, &i) in others.iter().enumerate() {
                let (columns, values) = w.row(i);
                let degree: f64 = values.iter().sum();
                a[(r, r)] += 1.0;
                a[(r, m)] = 1.0;
                for (&j, &value) in columns.iter().zip(values) {
                    if let Some(c) = others.iter().position(|&o| o == j as usize) {
                        a[(r, c)] -= value / degree;
                    }
                }
            }
            for p in 0..m {
                for r in 0..m {
                    if r != p {
                        let factor = a[(r, p)] / a[(p, p)];
                        for c in p..=m {
                            a[(r, c)] -= factor * a[(p, c)];
                        }
                    }
                }
            }
            for (r, &i) in others.iter().enumerate() {
                hitting[(i, target)] = a[(r, m)] / a[(r, r)];
            }
        }
        let truth = &hitting + &hitting.t();
        assert!((&times - &truth).iter().all(|d| d.abs() < 1e-9 * largest(&truth)));
        // All coordinates of the embedding keep them, and so does classical scaling of their roots.
        let all = CommuteTime { n_components: n - 1, weighted: true, ..CommuteTime::default() };
        let model = all.fit_model(Input::Graph(&w), &run).unwrap();
        let kept = distances(embedding(&model).view()).mapv(|d| d * d);
        assert!((&kept - &truth).iter().all(|d| d.abs() < 1e-9 * largest(&truth)));
        let roots = times.mapv(f64::sqrt);
        let scaling = ClassicalMds { n_components: 3, ..ClassicalMds::default() };
        let scaled = scaling.fit_model(Input::Distances(roots.view()), &run).unwrap();
        let first = embedding(&model).slice(s![.., ..3]).to_owned();
        assert!(apart(&first, &embedding(&scaled)) < 1e-8);
        // Kernel PCA of the pseudo-inverse is the same up to the volume (Ham 4.2).
        let inverse = ham::pseudo_inverse(&ham::laplacian(&graph).unwrap(), &run).unwrap();
        let pca = KernelPca { n_components: 3, ..KernelPca::default() };
        let by_kernel = pca.fit_model(Input::Kernel(inverse.view()), &run).unwrap();
        let volume: f64 = w.values().iter().sum();
        assert!(apart(&first, &(embedding(&by_kernel) * volume.sqrt())) < 1e-8);
    }
}

#[test]
fn the_pseudo_inverse_satisfies_penrose_and_the_heat_kernel_its_equation() {
    let run = Run::new();
    let w = random_graph(40, 5);
    let graph = Graph::from_csr(w, Symmetrise::Either).unwrap();
    let sparse = ham::laplacian(&graph).unwrap();
    let l = lowland::linalg::Operator::to_dense(&sparse, &run).unwrap();
    let l = Array2::from_shape_fn((40, 40), |(i, j)| l[(i, j)]);
    let inverse = ham::pseudo_inverse(&sparse, &run).unwrap();
    let (a, b) = (l.dot(&inverse).dot(&l), inverse.dot(&l).dot(&inverse));
    assert!(largest(&(a - &l)) < 1e-12 * largest(&l) && largest(&(b - &inverse)) < 1e-12 * largest(&inverse));
    assert!(inverse.sum_axis(ndarray::Axis(0)).iter().all(|sum| sum.abs() < 1e-12));
    // Heat is kept, spreads as a semigroup, and its rate of change is -L.
    let heat = |t: f64| ham::heat_kernel(&graph, t, &run).unwrap();
    assert!(heat(0.7).sum_axis(ndarray::Axis(1)).iter().all(|sum| (sum - 1.0).abs() < 1e-12));
    assert!(largest(&(heat(0.3).dot(&heat(0.4)) - heat(0.7))) < 1e-12);
    let rate = (heat(0.5 + 1e-4) - heat(0.5 - 1e-4)) / 2e-4;
    assert!(largest(&(rate + l.dot(&heat(0.5)))) < 1e-6);
    assert!(ham::heat_kernel(&graph, -1.0, &run).is_err());
    // The method of that name is kernel PCA of it.
    let method = HeatKernel { n_components: 4, t: 0.7, weighted: true, ..HeatKernel::default() };
    let model = method.fit_model(Input::Graph(graph.distances()), &run).unwrap();
    let pca = KernelPca { n_components: 4, ..KernelPca::default() };
    let by_kernel = pca.fit_model(Input::Kernel(heat(0.7).view()), &run).unwrap();
    assert!(apart(&embedding(&model), &embedding(&by_kernel)) < 1e-8);
}

#[test]
fn kernel_pca_of_the_lle_kernel_is_lle() {
    let run = Run::new();
    let x = data::find("swiss-roll").unwrap().sample(120, 0.0, 3).unwrap().points;
    let method = LaplacianEigenmaps::default();
    let table = lowland::neighbors::index::build(
        faer::MatRef::from_row_major_slice(x.as_slice().unwrap(), 120, 3),
        lowland::neighbors::Metric::Euclidean,
        lowland::neighbors::index::Choice::Auto,
        &run,
    )
    .unwrap()
    .k_nearest_of_all(method.n_neighbors, &run)
    .unwrap();
    let w = weights::matrix(x.view(), &table, 1e-3, &run).unwrap();
    let wide = Array2::from_shape_fn((120, 120), |(i, j)| {
        let (columns, values) = w.row(i);
        let entry = columns.iter().position(|&c| c as usize == j).map_or(0.0, |place| values[place]);
        f64::from(u8::from(i == j)) - entry
    });
    let m = wide.t().dot(&wide);
    let mut entries = Vec::new();
    for ((i, j), &value) in m.indexed_iter() {
        if value != 0.0 {
            entries.push((i, j, 0.5 * (value + m[(j, i)])));
        }
    }
    let m = Csr::from_entries(120, 120, &entries).unwrap();
    let inverse = ham::pseudo_inverse(&m, &run).unwrap();
    let pca = KernelPca { n_components: 2, ..KernelPca::default() };
    let by_kernel = embedding(&pca.fit_model(Input::Kernel(inverse.view()), &run).unwrap());
    // LLE: the smallest pairs of M without the constant one.
    let request = lowland::linalg::Request::new(3, lowland::linalg::Which::Smallest);
    let pairs = lowland::linalg::eigen::solve(&m, &request, &run).unwrap();
    let lle =
        Array2::from_shape_fn((120, 2), |(i, j)| pairs.vectors[(i, j + 1)] / pairs.values[j + 1].sqrt());
    assert!(apart(&by_kernel, &lle) < 1e-6, "{}", apart(&by_kernel, &lle));
}

#[test]
fn all_diffusion_coordinates_keep_the_diffusion_distance() {
    let run = Run::new();
    let n = 40;
    for (alpha, t, bonds) in
        [(0.0, 1.0, Bonds::All), (0.5, 2.0, Bonds::All), (1.0, 3.0, Bonds::All), (1.0, 2.0, Bonds::Neighbors)]
    {
        let x = cloud(n, 3, 7);
        let width = 0.8;
        let method = DiffusionMaps {
            n_components: n - 1,
            t,
            alpha,
            bonds,
            width: Some(width),
            n_neighbors: 6,
            ..DiffusionMaps::default()
        };
        let model = method.fit_model(&x, &run).unwrap();
        // The walk, from the definition.
        let d = distances(x.view());
        let mut w = d.mapv(|d| (-d * d / (2.0 * width * width)).exp());
        if bonds == Bonds::Neighbors {
            let near = |i: usize| {
                let mut order: Vec<usize> = (0..n).filter(|&j| j != i).collect();
                order.sort_by(|&a, &b| d[(i, a)].total_cmp(&d[(i, b)]));
                order.truncate(6);
                order
            };
            let lists: Vec<Vec<usize>> = (0..n).map(near).collect();
            for i in 0..n {
                for j in 0..n {
                    if i != j && !lists[i].contains(&j) && !lists[j].contains(&i) {
                        w[(i, j)] = 0.0;
                    }
                }
            }
        }
        let q = w.sum_axis(ndarray::Axis(1));
        let w = Array2::from_shape_fn((n, n), |(i, j)| w[(i, j)] / (q[i] * q[j]).powf(alpha));
        let degrees = w.sum_axis(ndarray::Axis(1));
        let p = Array2::from_shape_fn((n, n), |(i, j)| w[(i, j)] / degrees[i]);
        let mut walked = p.clone();
        for _ in 1..t as usize {
            walked = walked.dot(&p);
        }
        let volume = degrees.sum();
        let y = embedding(&model);
        let kept = distances(y.view());
        for i in 0..n {
            for j in 0..n {
                let truth: f64 = (0..n)
                    .map(|k| (walked[(i, k)] - walked[(j, k)]).powi(2) / (degrees[k] / volume))
                    .sum::<f64>()
                    .sqrt();
                assert!((kept[(i, j)] - truth).abs() < 1e-8, "{} {truth}", kept[(i, j)]);
            }
        }
        let again = model.transform((&x).into(), &run).unwrap().to_f64();
        assert!(largest(&(again - y)) < 1e-8);
    }
}

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

/// The share of rows on which two labellings agree, under the best matching of two or three labels.
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

#[test]
fn clusters_of_any_shape_are_found_where_k_means_fails() {
    let run = Run::new();
    for (name, noise) in [("rings", 0.03), ("moons", 0.05)] {
        let sample = data::find(name).unwrap().sample(500, noise, 1).unwrap();
        let plain = kmeans::kmeans(sample.points.view(), 2, kmeans::Effort::default(), &run).unwrap();
        assert!(agreement(&plain.labels, &sample.labels) < 0.95, "{name}");
        for assign_labels in [Assignment::KMeans, Assignment::Discretize, Assignment::NormalizedCut] {
            let method =
                SpectralClustering { n_clusters: Some(2), assign_labels, ..SpectralClustering::default() };
            let model = method.fit_model(&sample.points, &run).unwrap();
            let found = agreement(&labels(&model), &sample.labels);
            assert_eq!(found, 1.0, "{name} by {assign_labels:?}");
            // New points of the same shape.
            let new = data::find(name).unwrap().sample(200, noise, 2).unwrap();
            let placed = model.assign((&new.points).into(), &run).unwrap();
            assert!(agreement(&placed, &new.labels) > 0.99, "{name}");
            assert_eq!(model.assign((&sample.points).into(), &run).unwrap(), labels(&model));
            let bytes = model.to_bytes().unwrap();
            assert_eq!(load_bytes(&bytes).unwrap().assign((&new.points).into(), &run).unwrap(), placed);
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
    // The polar angle of the embedding tells them apart.
    let run = Run::new();
    let (points, truth) = bengios_first_figure(9);
    let plain = kmeans::kmeans(points.view(), 2, kmeans::Effort::default(), &run).unwrap();
    assert!(agreement(&plain.labels, &truth) < 0.95);
    // His kernel: a gaussian between all points, the diagonal left out.
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
    model.report().warnings.iter().any(|w| matches!(w, Warning::UnclearClusters { .. }))
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
            // The farthest points of two neighbours can touch.
            let first = |i: usize| (0..found.len()).find(|&k| of(k) == of(i)).unwrap();
            let astray = (0..found.len()).filter(|&i| found[i] != found[first(i)]).count();
            assert!(astray * 100 <= found.len(), "{count} {seed}: {astray}");
        }
    }
    // The pieces of a graph are clusters; a cloud has none, and that is told.
    let mut edges = Vec::new();
    for piece in 0..3 {
        edges.extend((0..10).flat_map(|i| (0..i).map(move |j| (10 * piece + i, 10 * piece + j, 1.0))));
    }
    let given = SpectralClustering { weighted: true, ..automatic.clone() };
    let model = given.fit_model(Input::Graph(&weighted(30, &edges)), &run).unwrap();
    assert_eq!(labels(&model), (0..30).map(|i| i / 10).collect::<Vec<u32>>());
    let model = automatic.fit_model(&cloud(300, 2, 4), &run).unwrap();
    assert!(unclear(&model), "{:?}", model.report());
}

#[test]
fn too_many_neighbours_are_told() {
    let run = Run::new();
    let (few, _) = crate::swiss_roll(600, 8);
    let (mut x, truth) = crate::swiss_roll(1500, 41);
    let told = |name: &str, x: &Array2<f64>, k: i64, tell: fn(&Warning) -> bool| {
        let mut method = (lowland::registry::find(name).unwrap().create)();
        method.set("n_neighbors", &lowland::parameters::Value::Integer(k)).unwrap();
        if name == "diffusion-maps" {
            method.set("bonds", &lowland::parameters::Value::Text("neighbors".into())).unwrap();
        }
        let model = method.fit(x.into(), &run).unwrap();
        model.report().warnings.iter().any(tell)
    };
    let folded = |w: &Warning| matches!(w, Warning::NotFlat { dimensions: 2, .. });
    let short = |w: &Warning| matches!(w, Warning::Shortcuts { cut: false, .. });
    let names = ["laplacian-eigenmaps", "diffusion-maps", "commute-time", "heat-kernel"];
    for name in names {
        assert!(!told(name, &x, 12, folded) && !told(name, &x, 8, short), "{name}");
        assert!(told(name, &few, 200, folded), "{name}");
        // A ball is round at every scale: it is not the number of neighbours.
        assert!(!told(name, &cloud(600, 5, 3), 200, folded), "{name}");
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
        assert!(told(name, &x, 8, short), "{name}");
    }
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
        let cut = model.report().objective.iter().find(|q| q.name == "normalised cut").unwrap().value;
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
    let reported = model.report().objective.iter().find(|q| q.name == "normalised cut").unwrap().value;
    assert!((reported - best).abs() < 1e-12, "{reported} {best}");
}

#[test]
fn new_points_and_landmarks_agree_with_the_whole() {
    let run = Run::new();
    let x = data::find("s-curve").unwrap().sample(1200, 0.0, 1).unwrap().points;
    let new = data::find("s-curve").unwrap().sample(200, 0.0, 2).unwrap().points;
    for laplacian in [Laplacian::RandomWalk, Laplacian::Symmetric, Laplacian::Unnormalised] {
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
    let normalised = spectral.kernel((&x).into(), &run).unwrap();
    assert!(largest(&(&normalised - &normalised.t())) < 1e-10 * largest(&normalised));
    let mut entries = Vec::new();
    for i in 0..80 {
        for j in 0..80 {
            if normalised[(i, j)] > 0.0 {
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
fn failures_are_told() {
    let run = Run::new();
    let two = LaplacianEigenmaps::default();
    // More components than vertices, and all points identical, of every method of graphs.
    let (x, same) = (cloud(12, 3, 1), Array2::<f64>::ones((12, 3)));
    for name in
        ["laplacian-eigenmaps", "spectral-clustering", "diffusion-maps", "commute-time", "heat-kernel"]
    {
        let mut method = (lowland::registry::find(name).unwrap().create)();
        let model = method.fit((&same).into(), &run).unwrap();
        assert!(embedding(&*model).iter().all(|v| v.is_finite()), "{name}");
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
    // All points identical, and many duplicates: no NaN, and a warning.
    for affinity in [Affinity::Gaussian, Affinity::Local, Affinity::Binary] {
        let mut x = Array2::<f64>::ones((40, 2));
        let method = LaplacianEigenmaps { affinity, ..two.clone() };
        let model = method.fit_model(&x, &run).unwrap();
        assert!(embedding(&model).iter().all(|v| v.is_finite()));
        assert!(model.report().warnings.iter().any(|w| matches!(w, Warning::Buried { points: 40 })));
        for i in 20..40 {
            x[(i, 0)] = i as f64;
        }
        let model = method.fit_model(&x, &run).unwrap();
        assert!(embedding(&model).iter().all(|v| v.is_finite()), "{affinity:?}");
    }
    let same = Array2::<f64>::ones((20, 2));
    let model = DiffusionMaps::default().fit_model(&same, &run).unwrap();
    assert!(largest(&embedding(&model)) < 1e-6);
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
    let told =
        model.report().warnings.iter().any(|w| matches!(w, Warning::Collapsed { share } if *share > 0.8));
    assert!(told, "{:?}", model.report().warnings);
    // Pieces: told, and every policy works; a graph with an isolated vertex is refused or embedded apart.
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
    assert_eq!(model.report().component_sizes, [21, 1]);
    assert!(embedding(&model).iter().all(|v| v.is_finite()));
    // Clusters of a graph need no link; isolated vertices are somewhere.
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
    assert!(matches!(three.fit_model(&x, &run), Err(Error::Parameter { name, .. }) if name == "n_clusters"));
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

/// A vertex without bonds, an outlier, a width of nothing: coordinates are numbers, or there is an error.
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

/// Commute times between parts that are all but apart are beyond what eigenvalues can tell: said, not made up.
#[test]
fn commute_times_that_cannot_be_known_are_refused() {
    let run = Run::new();
    let fit = |gap: f64| {
        let mut x = cloud(60, 2, 3);
        x.slice_mut(s![30.., 0]).mapv_inplace(|v| v + gap);
        let kernel = distances(x.view()).mapv(|d| (-0.5 * d * d).exp());
        CommuteTime { n_components: 2, ..CommuteTime::default() }
            .fit_model(Input::Kernel(kernel.view()), &run)
    };
    assert!(fit(2.0).is_ok());
    for gap in [14.0, 20.0, 30.0] {
        assert!(matches!(fit(gap), Err(Error::NotConverged { .. } | Error::Disconnected { .. })), "{gap}");
    }
}

/// A row of a graph of lengths does not say where a new vertex is: 0 is no edge.
#[test]
fn new_vertices_of_a_graph_of_lengths_are_refused() {
    let run = Run::new();
    let graph = random_graph(30, 2);
    let mut rows = Array2::zeros((30, 30));
    for i in 0..30 {
        let (columns, lengths) = graph.row(i);
        columns.iter().zip(lengths).for_each(|(&j, &length)| rows[(i, j as usize)] = length);
    }
    let model = LaplacianEigenmaps::default().fit_model(Input::Graph(&graph), &run).unwrap();
    assert!(matches!(model.transform((&rows).into(), &run), Err(Error::Unsupported { .. })));
}
