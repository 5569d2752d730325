//! Everything that can be said about an embedding, in one call.

use crate::cloud::Cloud;
use crate::curves::{Curves, curves};
use crate::estimate::Estimate;
use crate::labels::{self, check_labels};
use crate::neighborhoods::Neighborhoods;
use crate::pairs;
use lowland_base::{Result, Run};

/// How much is looked at; what there is more of is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleSizes {
    /// Points whose neighborhoods are compared; also those whose measures a picture can show.
    pub rows: usize,
    /// Points around which all others are ranked, for the curves and the silhouette.
    pub ranked_rows: usize,
    /// Pairs of points whose distances are compared.
    pub pairs: usize,
}

impl Default for SampleSizes {
    fn default() -> Self {
        Self { rows: 20_000, ranked_rows: 2_000, pairs: 1 << 21 }
    }
}

/// What is known about the points beside their coordinates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Truth<'a> {
    /// A class for each point.
    pub labels: Option<&'a [i64]>,
    /// [`crate::procrustes`] of the true parameters and the embedding.
    pub procrustes: Option<f64>,
}

/// One figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// Its name in every front end.
    pub name: &'static str,
    /// The value.
    pub estimate: Estimate,
    /// Whether more is better.
    pub more_is_better: bool,
}

/// The names of the measures that need nothing but three points.
pub const MEASURES: [&str; 14] = [
    "trustworthiness",
    "continuity",
    "rank_error_data",
    "rank_error_embedding",
    "r_nx_area",
    "q_local",
    "q_global",
    "pearson",
    "spearman",
    "residual_variance",
    "raw_stress",
    "normalized_stress",
    "scale_free_stress",
    "nonmetric_stress",
];

/// The names of those that need labels; the silhouette needs two classes besides.
pub const CLASS_MEASURES: [&str; 6] =
    ["one_nn_error", "one_nn_error_data", "knn_error", "knn_error_data", "neighborhood_hit", "silhouette"];

/// Measures of each point's own neighborhood.
#[derive(Debug, Clone, PartialEq)]
pub struct PerPoint {
    /// The points: all, or a sample.
    pub rows: Vec<u32>,
    /// See [`Neighborhoods::trust_of_points`].
    pub trustworthiness: Vec<f64>,
    /// See [`Neighborhoods::continuity_of_points`].
    pub continuity: Vec<f64>,
    /// See [`Neighborhoods::distortion`].
    pub stretch: Vec<f64>,
    /// See [`Neighborhoods::distortion`].
    pub compression: Vec<f64>,
}

/// A judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The number of points.
    pub n: usize,
    /// The size of the neighborhoods.
    pub k: usize,
    /// All figures.
    pub measures: Vec<Measure>,
    /// The agreement of neighborhoods of every size; none for fewer than three points.
    pub curves: Option<Curves>,
    /// The same for each point: where the picture can be trusted.
    pub per_point: PerPoint,
}

impl Evaluation {
    /// A figure by its name.
    pub fn get(&self, name: &str) -> Option<Estimate> {
        self.measures.iter().find(|measure| measure.name == name).map(|measure| measure.estimate)
    }

    /// Adds an error, of which less is better, where there is one.
    pub fn add_error(&mut self, name: &'static str, error: Option<Estimate>) {
        self.measures.extend(error.map(|estimate| Measure { name, estimate, more_is_better: false }));
    }
}

/// The points whose neighborhoods a judgment compares: all, or those that the seed draws.
pub fn sampled_rows(n: usize, sample_sizes: SampleSizes, run: &Run) -> Vec<u32> {
    crate::neighborhoods::sampled_rows(n, sample_sizes.rows, run)
}

/// Judges an embedding by the neighborhoods of `k` points, the curves over all sizes, the distances, and what is known
/// of the truth.
pub fn evaluate(
    data: &dyn Cloud,
    embedding: &dyn Cloud,
    truth: Truth<'_>,
    k: usize,
    sample_sizes: SampleSizes,
    run: &Run,
) -> Result<Evaluation> {
    if let Some(labels) = truth.labels {
        check_labels(labels, data.len())?;
    }
    let near = Neighborhoods::new(data, embedding, k, sample_sizes.rows, run)?;
    let n = near.n;
    let mut measures = Vec::new();
    let mut add = |name, estimate, more_is_better| measures.push(Measure { name, estimate, more_is_better });
    add("trustworthiness", near.trustworthiness(k)?, true);
    add("continuity", near.continuity(k)?, true);
    let [data_errors, embedding_errors] = near.rank_errors(k)?;
    add("rank_error_data", data_errors, false);
    add("rank_error_embedding", embedding_errors, false);
    let curves = if n < 3 { None } else { Some(curves(data, embedding, sample_sizes.ranked_rows, run)?) };
    if let Some(curves) = &curves {
        add("r_nx_area", curves.area, true);
        add("q_local", curves.local, true);
        add("q_global", curves.global, true);
    }
    let distances = pairs::distances(data, embedding, sample_sizes.pairs, sample_sizes.pairs, run)?;
    add("pearson", distances.pearson, true);
    add("spearman", distances.spearman, true);
    add("residual_variance", distances.residual_variance, false);
    add("raw_stress", distances.raw_stress, false);
    add("normalized_stress", distances.normalized_stress, false);
    add("scale_free_stress", distances.scale_free_stress, false);
    add("nonmetric_stress", distances.nonmetric_stress, false);
    if let Some(classes) = truth.labels {
        let (here, there) = (&near.in_embedding.neighbors, &near.in_data.neighbors);
        let error = |neighbors: &[u32], voters| labels::vote_error(&near.rows, neighbors, k, voters, classes);
        add("one_nn_error", error(here, 1)?, false);
        add("one_nn_error_data", error(there, 1)?, false);
        add("knn_error", error(here, k)?, false);
        add("knn_error_data", error(there, k)?, false);
        add("neighborhood_hit", labels::neighborhood_hit(&near.rows, here, k, k, classes)?, true);
        if let Some(silhouette) = labels::silhouette(embedding, classes, sample_sizes.ranked_rows, run)? {
            add("silhouette", silhouette, true);
        }
    }
    if let Some(disparity) = truth.procrustes {
        add("procrustes", Estimate::exact(disparity), false);
    }
    let per_point = per_point(near, k)?;
    Ok(Evaluation { n, k, measures, curves, per_point })
}

/// The part of [`evaluate`] that looks at neighborhoods alone: trustworthiness, continuity and, where classes are known,
/// the errors of the nearest neighbor. Many times cheaper.
pub fn evaluate_neighborhoods(
    data: &dyn Cloud,
    embedding: &dyn Cloud,
    classes: Option<&[i64]>,
    k: usize,
    sample_sizes: SampleSizes,
    run: &Run,
) -> Result<Evaluation> {
    if let Some(classes) = classes {
        check_labels(classes, data.len())?;
    }
    let near = Neighborhoods::new(data, embedding, k, sample_sizes.rows, run)?;
    let measure = |name, estimate, more_is_better| Measure { name, estimate, more_is_better };
    let mut measures = vec![
        measure("trustworthiness", near.trustworthiness(k)?, true),
        measure("continuity", near.continuity(k)?, true),
    ];
    if let Some(classes) = classes {
        let error = |neighbors: &[u32]| labels::vote_error(&near.rows, neighbors, k, 1, classes);
        measures.push(measure("one_nn_error", error(&near.in_embedding.neighbors)?, false));
        measures.push(measure("one_nn_error_data", error(&near.in_data.neighbors)?, false));
    }
    Ok(Evaluation { n: near.n, k, measures, curves: None, per_point: per_point(near, k)? })
}

fn per_point(near: Neighborhoods, k: usize) -> Result<PerPoint> {
    let (stretch, compression) = near.distortion();
    Ok(PerPoint {
        trustworthiness: near.trust_of_points(k)?,
        continuity: near.continuity_of_points(k)?,
        stretch,
        compression,
        rows: near.rows,
    })
}
