//! The kernels of Ham: commute times, heat, and that of LLE.

use super::random_graph;
use crate::{apart, cloud, distances, embedding, largest};
use lowland::methods::{ClassicalMds, CommuteTime, HeatKernel, KernelPca, LaplacianEigenmaps};
use lowland::neighbors::Graph;
use lowland::neighbors::graph::Symmetrize;
use lowland::spectral::ham;
use lowland::spectral::local::weights;
use lowland::{Csr, Error, Input, Method, Model, Run, data};
use ndarray::{Array2, s};

#[test]
fn commute_times_are_those_of_the_markov_chain() {
    let run = Run::new();
    for seed in 0..4 {
        let n = 25;
        let w = random_graph(n, 20 + seed);
        let graph = Graph::from_csr(w.clone(), Symmetrize::Either).unwrap();
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
    let graph = Graph::from_csr(w, Symmetrize::Either).unwrap();
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
        let entry = columns.iter().position(|&c| c as usize == j).map_or(0.0, |entry| values[entry]);
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

/// Commute times between parts that almost fall apart cannot be computed from eigenvalues: an error, not a guess.
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
        assert!(matches!(fit(gap), Err(Error::Malformed { .. } | Error::Disconnected { .. })), "{gap}");
    }
}

/// Clusters that are far apart for the width of the Gaussian are joined by edges that a walk can cross.
#[test]
fn commute_times_between_clusters_of_points_are_known() {
    for seed in 0..6 {
        let blobs = data::find("blobs").unwrap().sample(400, 0.0, seed).unwrap();
        let model = CommuteTime::default().fit_model(&blobs.points, &Run::new()).unwrap();
        let y = model.embedding().unwrap().to_f64();
        assert!(y.iter().all(|value| value.is_finite()));
        // Those of one cluster are nearer to each other than to any other cluster's, in the mean.
        let mean = |same: bool| {
            let pairs = (0..400).flat_map(|i| (0..i).map(move |j| (i, j)));
            let of: Vec<f64> = pairs
                .filter(|&(i, j)| (blobs.labels[i] == blobs.labels[j]) == same)
                .map(|(i, j)| (&y.row(i) - &y.row(j)).mapv(|v| v * v).sum().sqrt())
                .collect();
            of.iter().sum::<f64>() / of.len() as f64
        };
        assert!(mean(true) < 0.5 * mean(false), "{seed}: {} {}", mean(true), mean(false));
    }
}
