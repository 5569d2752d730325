//! Diffusion maps.

use crate::{apart, cloud, distances, embedding, largest};
use lowland::methods::{DiffusionMaps, Edges};
use lowland::spectral::Disconnected;
use lowland::{AnyInput, Error, Input, Method, Model, Run, Warning, load_bytes};
use ndarray::{Array2, Axis, s};

#[test]
fn all_diffusion_coordinates_keep_the_diffusion_distance() {
    let run = Run::new();
    let n = 40;
    for (alpha, t, edges) in
        [(0.0, 1.0, Edges::All), (0.5, 2.0, Edges::All), (1.0, 3.0, Edges::All), (1.0, 2.0, Edges::Neighbors)]
    {
        let x = cloud(n, 3, 7);
        let width = 0.8;
        let method = DiffusionMaps {
            n_components: n - 1,
            t,
            alpha,
            edges,
            width: Some(width),
            n_neighbors: 6,
            ..DiffusionMaps::default()
        };
        let model = method.fit_model(&x, &run).unwrap();
        // The walk, from the definition.
        let d = distances(x.view());
        let mut w = d.mapv(|d| (-d * d / (2.0 * width * width)).exp());
        if edges == Edges::Neighbors {
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

/// Where no affinity between two parts is left in double precision, they are connected components, and the policy says what becomes of
/// them.
#[test]
fn connected_components_obey_the_policy() {
    let run = Run::new();
    let mut x = cloud(90, 2, 4);
    x.slice_mut(s![60.., ..]).mapv_inplace(|v| v + 500.0);
    let d = distances(x.view());
    let maps = DiffusionMaps { width: Some(0.5), ..DiffusionMaps::default() };
    for policy in [Disconnected::Join, Disconnected::Largest, Disconnected::Separate, Disconnected::Error] {
        let maps = DiffusionMaps { disconnected: policy, ..maps.clone() };
        let fit = |input: AnyInput<'_>| maps.fit_model(input, &run);
        for input in [AnyInput::from(&x), Input::Distances(d.view()).into()] {
            if policy == Disconnected::Error {
                let refused = fit(input).unwrap_err();
                assert!(matches!(refused, Error::Disconnected { sizes, .. } if sizes == [60, 30]));
                continue;
            }
            let model = fit(input).unwrap();
            let first = &model.report().warnings[0];
            assert!(matches!(first, Warning::Disconnected { sizes, .. } if *sizes == [60, 30]), "{first:?}");
            let y = embedding(&model);
            let again = model.transform(input, &run).unwrap().to_f64();
            assert!(largest(&(&again - &y)) < 1e-8, "{policy:?} {:e}", largest(&(&again - &y)));
            let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(loaded.transform(input, &run).unwrap().to_f64(), again);
            if policy == Disconnected::Join {
                continue;
            }
            // Each component is embedded as if the other were not there.
            let alone = x.slice(s![..60, ..]).to_owned();
            let alone = embedding(&maps.fit_model(&alone, &run).unwrap());
            let centered = |y: Array2<f64>| &y - &y.mean_axis(Axis(0)).unwrap();
            let own = centered(y.slice(s![..60, ..]).to_owned());
            assert!(apart(&centered(alone), &own) < 1e-7, "{policy:?}");
        }
    }
    let whole = maps.fit_model(&x.slice(s![..60, ..]).to_owned(), &run).unwrap();
    assert!(whole.report().warnings.is_empty(), "{:?}", whole.report().warnings);
}

/// The walk from a far point goes to the nearest points: what underflows are its affinities, not their ratios.
#[test]
fn far_new_points_land_where_their_nearest_points_are() {
    let run = Run::new();
    let x = cloud(80, 2, 6);
    let d = distances(x.view());
    for alpha in [0.0, 0.5, 1.0] {
        let maps = DiffusionMaps { alpha, width: Some(0.3), ..DiffusionMaps::default() };
        let model = maps.fit_model(&x, &run).unwrap();
        let values = &model.report().eigenvalues;
        let y = embedding(&model);
        for (angle, far) in [(0.3f64, 1e3), (2.0, 1e4), (4.0, 3e3)] {
            let new = ndarray::array![[5.0 + far * angle.cos(), 5.0 + far * angle.sin()]];
            let to = |i: usize| (&x.row(i) - &new.row(0)).mapv(|v| v * v).sum();
            let least = (0..80).map(to).fold(f64::INFINITY, f64::min);
            // The row with its largest affinity scaled to 1, thinned by the densities of the training points.
            let densities = d.mapv(|d| (-0.5 * (d / 0.3).powi(2)).exp()).sum_axis(Axis(1));
            let weight = |i: usize| (-0.5 * (to(i) - least) / 0.09).exp() / densities[i].powf(alpha);
            let total: f64 = (0..80).map(weight).sum();
            let extended = model.transform((&new).into(), &run).unwrap().to_f64();
            let by_distances = maps.fit_model(Input::Distances(d.view()), &run).unwrap().transform(
                Input::Distances(Array2::from_shape_fn((1, 80), |(_, i)| to(i).sqrt()).view()).into(),
                &run,
            );
            let by_distances = by_distances.unwrap().to_f64();
            for c in 0..2 {
                let truth = (0..80).map(|i| weight(i) * y[(i, c)]).sum::<f64>() / total / values[c];
                let tolerance = 1e-5 * largest(&y);
                assert!(
                    (extended[(0, c)] - truth).abs() < tolerance,
                    "{alpha} {far}: {} {truth}",
                    extended[(0, c)]
                );
                assert!(truth.abs() > tolerance && (by_distances[(0, c)] - truth).abs() < tolerance);
            }
        }
    }
}
