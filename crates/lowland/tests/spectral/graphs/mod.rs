//! Laplacian eigenmaps, diffusion maps, spectral clustering and the kernels of Ham.

mod clusters;
mod diffusion;
mod failures;
mod given;
mod kernels;
mod laplacians;

use crate::{cloud, distances};
use lowland::methods::LaplacianEigenmaps;
use lowland::spectral::Laplacian;
use lowland::{Csr, Model};

/// Weights from pairs of vertices.
pub fn weighted(n: usize, edges: &[(usize, usize, f64)]) -> Csr<f64> {
    let both: Vec<_> = edges.iter().flat_map(|&(i, j, w)| [(i, j, w), (j, i, w)]).collect();
    Csr::from_entries(n, n, &both).unwrap()
}

/// A connected graph of random weights.
pub fn random_graph(n: usize, seed: u64) -> Csr<f64> {
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
