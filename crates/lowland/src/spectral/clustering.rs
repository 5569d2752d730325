//! From the embedding of a graph to clusters: how many, and by which rule.

use super::cluster::{by_kmeans, by_rotation, normalized_cut, threshold};
use super::graph;
use super::{Assigner, Assignment, SpectralModel};
use crate::model::{Datum, Model};
use lowland_base::{Error, Result, Run};
use ndarray::Array2;

/// Clusters of the rows of a model.
pub(crate) struct Clustered {
    /// The rule, with clusters numbered in the order of their first rows.
    pub assigner: Assigner,
    /// The cluster of each row.
    pub labels: Vec<u32>,
    /// The normalized cut of the graph.
    pub cut: f64,
    /// The inertia, of k-means.
    pub inertia: Option<f64>,
}

/// So many clusters of the coordinates of a model, the best of `starts` starts.
pub(crate) fn cluster(
    model: &SpectralModel,
    rule: Assignment,
    clusters: usize,
    starts: usize,
    run: &Run,
) -> Result<Clustered> {
    let [part] = model.connected_components() else { return Err(several()) };
    let Some(affinities) = part.affinities() else { return Err(several()) };
    let different = part.len();
    if clusters > different {
        let bound = format!("at most {different}, the number of different points");
        return Err(Error::parameter("n_clusters", clusters, bound, "ask for fewer clusters"));
    }
    let mut inertia = None;
    let assigner = match rule {
        Assignment::KMeans => {
            let (assigner, spread) = by_kmeans(&part.coordinates, clusters, starts, run)?;
            inertia = Some(spread);
            assigner
        }
        Assignment::Discretize => by_rotation(&part.coordinates, starts, run)?,
        Assignment::NormalizedCut => {
            let (threshold, _) = threshold(&part.coordinates.column(1).to_vec(), affinities);
            let mut matrix = Array2::zeros((part.coordinates.ncols(), 2));
            matrix[(1, 1)] = 1.0;
            Assigner { unit: false, matrix, offset: vec![0.0, -threshold] }
        }
    };
    let assigner = in_order(assigner, model.wide_embedding());
    let labels = assigner.assign(model.wide_embedding());
    let cut = normalized_cut(&assigner.assign(&part.coordinates), clusters, affinities);
    Ok(Clustered { assigner, labels, cut, inertia })
}

/// The eigenvalues of the Laplacian.
pub(crate) fn eigenvalues(model: &SpectralModel) -> Vec<f64> {
    let attributes = model.attributes();
    let found = attributes.iter().find(|attribute| attribute.name == graph::ATTRIBUTES[0].0);
    found.map_or_else(Vec::new, |attribute| match &attribute.value {
        Datum::Vector(values) => values.to_vec(),
        other => other.numbers(),
    })
}

fn several() -> Error {
    Error::bug("neighbor graph", "the neighbor graph has several connected components after all")
}

/// The same rule with the clusters numbered in the order of their first rows.
fn in_order(assigner: Assigner, embedding: &Array2<f64>) -> Assigner {
    let clusters = assigner.offset.len();
    let mut order: Vec<usize> = Vec::with_capacity(clusters);
    let mut seen = vec![false; clusters];
    for label in assigner.assign(embedding) {
        if !std::mem::replace(&mut seen[label as usize], true) {
            order.push(label as usize);
        }
    }
    order.extend((0..clusters).filter(|&c| !seen[c]));
    Assigner {
        unit: assigner.unit,
        matrix: Array2::from_shape_fn(assigner.matrix.dim(), |(i, c)| assigner.matrix[(i, order[c])]),
        offset: order.iter().map(|&c| assigner.offset[c]).collect(),
    }
}
