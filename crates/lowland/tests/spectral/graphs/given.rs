//! Similarities given as they are: new rows see the model through them alone.

use super::{on_weights, random_graph};
use crate::{cloud, distances, embedding, largest};
use lowland::methods::{CommuteTime, DiffusionMaps, HeatKernel, LaplacianEigenmaps};
use lowland::spectral::Laplacian;
use lowland::{AnyInput, Csr, Input, Method, Model, Run, load_bytes};
use ndarray::Array2;

fn knows_its_rows(name: &str, model: &dyn Model, rows: AnyInput<'_>) {
    let run = Run::new();
    let again = model.transform(rows, &run).unwrap().to_f64();
    let y = embedding(model);
    let difference = largest(&(&again - &y)) / largest(&y);
    assert!(difference < 1e-8, "{name}: {difference:e}");
    let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.transform(rows, &run).unwrap().to_f64(), again, "{name}");
}

/// `(d_i - m) v_i = sum_j w_ij v_j`, whatever the degrees and the diagonal are.
#[test]
fn a_model_of_similarities_knows_its_training_rows() {
    let run = Run::new();
    for (seed, width, diagonal) in [(0, 0.5, 1.0), (1, 1.0, 1.0), (2, 0.3, 0.0), (3, 2.0, 5.0)] {
        let mut kernel = distances(cloud(70, 3, seed).view()).mapv(|d| (-0.5 * (d / width).powi(2)).exp());
        kernel.diag_mut().fill(diagonal);
        let rows = || Input::Kernel(kernel.view());
        let commute = CommuteTime { n_components: 3, ..CommuteTime::default() };
        knows_its_rows("commute-time", &commute.fit_model(rows(), &run).unwrap(), rows().into());
        for t in [0.1, 1.0] {
            let heat = HeatKernel { n_components: 3, t, ..HeatKernel::default() };
            knows_its_rows("heat-kernel", &heat.fit_model(rows(), &run).unwrap(), rows().into());
        }
        for laplacian in [Laplacian::Unnormalized, Laplacian::Symmetric, Laplacian::RandomWalk] {
            let maps = LaplacianEigenmaps { laplacian, n_components: 3, ..LaplacianEigenmaps::default() };
            knows_its_rows("eigenmaps", &maps.fit_model(rows(), &run).unwrap(), rows().into());
            let few = LaplacianEigenmaps { landmarks: Some(40), ..maps };
            knows_its_rows("landmarks", &few.fit_model(rows(), &run).unwrap(), rows().into());
        }
        let maps = DiffusionMaps { n_components: 3, ..DiffusionMaps::default() };
        knows_its_rows("diffusion", &maps.fit_model(rows(), &run).unwrap(), rows().into());
    }
}

#[test]
fn a_model_of_a_weighted_graph_knows_its_training_rows() {
    let run = Run::new();
    for seed in 0..4 {
        let mut graph = random_graph(50, seed);
        if seed == 3 {
            // Loops are affinities as others are.
            let mut entries: Vec<(usize, usize, f64)> = (0..50).map(|i| (i, i, 0.1 * i as f64)).collect();
            for i in 0..50 {
                let (columns, weights) = graph.row(i);
                entries.extend(columns.iter().zip(weights).map(|(&j, &weight)| (i, j as usize, weight)));
            }
            graph = Csr::from_entries(50, 50, &entries).unwrap();
        }
        let mut rows = Array2::zeros((50, 50));
        for i in 0..50 {
            let (columns, weights) = graph.row(i);
            columns.iter().zip(weights).for_each(|(&j, &weight)| rows[(i, j as usize)] = weight);
        }
        for laplacian in [Laplacian::Unnormalized, Laplacian::Symmetric, Laplacian::RandomWalk] {
            let model = on_weights(3, laplacian).fit_model(Input::Graph(&graph), &run).unwrap();
            knows_its_rows("graph", &model, (&rows).into());
        }
    }
}

/// The formula has a pole where the degree of a new row is the eigenvalue: no row lands beyond the training rows.
#[test]
fn new_rows_stay_within_the_training_rows() {
    let run = Run::new();
    let kernel = distances(cloud(60, 2, 9).view()).mapv(|d| (-2.0 * d * d).exp());
    let maps = CommuteTime { n_components: 2, ..CommuteTime::default() };
    let model = maps.fit_model(Input::Kernel(kernel.view()), &run).unwrap();
    let most = largest(&embedding(&model));
    let rows = Array2::from_shape_fn((2000, 60), |(i, j)| kernel[(i % 60, j)] * 1.01f64.powi(500 - i as i32));
    let extended = model.transform(Input::Kernel(rows.view()).into(), &run).unwrap().to_f64();
    assert!(largest(&extended) <= most * (1.0 + 1e-12), "{} {most}", largest(&extended));
}

/// Whoever computed both directions of an edge may have rounded them apart.
#[test]
fn a_graph_whose_directions_differ_by_one_digit_is_taken() {
    let run = Run::new();
    let graph = random_graph(60, 9);
    let mut uneven = graph.clone();
    for value in uneven.values_mut().iter_mut().step_by(3) {
        *value = f64::from_bits(value.to_bits() + 1);
    }
    let maps = LaplacianEigenmaps { n_components: 2, ..LaplacianEigenmaps::default() };
    let fit = |graph: &Csr<f64>| embedding(&maps.fit_model(Input::Graph(graph), &run).unwrap());
    let (even, uneven) = (fit(&graph), fit(&uneven));
    assert!(largest(&(&even - &uneven)) < 1e-9 * largest(&even));
}
