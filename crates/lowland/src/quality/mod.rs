//! Judging embeddings: the measures of `lowland-quality`, and how the front ends ask for them.

mod held_out;
mod model;

use crate::input::{AnyInput, Input};
use crate::matrix::faer_view;
use lowland_base::{Error, Result, Run, Scalar};
use lowland_neighbors::Metric;
use serde_json::{Map, Value, json};

pub use held_out::knn_error_held_out;
pub use lowland_quality::*;
pub use model::{kernel_error, kernel_error_by_refit, reconstruction_error};

/// What an embedding is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Evaluator<'a> {
    /// A class for each point.
    pub labels: Option<&'a [i64]>,
    /// The true parameters of each point, for [`procrustes`].
    pub truth: Option<AnyInput<'a>>,
    /// The size of the neighborhoods; `None` is 12, or all other points where they are fewer.
    pub k: Option<usize>,
    /// The metric of the data, where they are not distances; that of the embedding is Euclidean.
    pub metric: Metric,
    /// Whether the entropy of the embedding is measured, as that of a Gaussian: see [`gaussian_entropy`].
    pub entropy: bool,
    /// How much is looked at.
    pub sample_sizes: SampleSizes,
}

impl Default for Evaluator<'_> {
    fn default() -> Self {
        let (metric, sample_sizes) = (Metric::Euclidean, SampleSizes::default());
        Self { labels: None, truth: None, k: None, metric, entropy: false, sample_sizes }
    }
}

impl Evaluator<'_> {
    /// The size of the neighborhoods among `n` points.
    pub fn size(&self, n: usize) -> usize {
        self.k.unwrap_or_else(|| 12.min(n.saturating_sub(1)).max(1))
    }

    /// Judges an embedding of the rows of `data`.
    pub fn evaluate(&self, data: AnyInput<'_>, embedding: AnyInput<'_>, run: &Run) -> Result<Evaluation> {
        let truth = match self.truth {
            Some(truth) => Some(procrustes_of(truth, embedding, run)?),
            None => None,
        };
        let entropy = match self.entropy {
            true => Some(gaussian_entropy(wide(&embedding)?.as_ref(), run)?),
            false => None,
        };
        let (data, embedding) =
            (cloud("data", data, self.metric, run)?, cloud("embedding", embedding, Metric::Euclidean, run)?);
        let k = self.size(data.len());
        let truth = Truth { labels: self.labels, procrustes: truth };
        let mut found = evaluate(&*data, &*embedding, truth, k, self.sample_sizes, run)?;
        let measure =
            |bits| Measure { name: "entropy", estimate: Estimate::exact(bits), more_is_better: true };
        found.measures.extend(entropy.map(measure));
        Ok(found)
    }

    /// The neighborhoods alone: see [`evaluate_neighborhoods`].
    pub fn evaluate_neighborhoods(
        &self,
        data: AnyInput<'_>,
        embedding: AnyInput<'_>,
        run: &Run,
    ) -> Result<Evaluation> {
        let (data, embedding) =
            (cloud("data", data, self.metric, run)?, cloud("embedding", embedding, Metric::Euclidean, run)?);
        let k = self.size(data.len());
        evaluate_neighborhoods(&*data, &*embedding, self.labels, k, self.sample_sizes, run)
    }
}

/// Dense points, or the distances between them, as a cloud.
pub fn cloud<'a>(
    what: &'static str,
    points: AnyInput<'a>,
    metric: Metric,
    run: &Run,
) -> Result<Box<dyn Cloud + 'a>> {
    points.check_as(what, false, run)?;
    match points {
        AnyInput::F32(Input::Points(x)) => Ok(Box::new(Points::new(faer_view(x), metric, run)?)),
        AnyInput::F64(Input::Points(x)) => Ok(Box::new(Points::new(faer_view(x), metric, run)?)),
        AnyInput::F32(Input::Distances(x)) => Ok(Box::new(Distances(faer_view(x)))),
        AnyInput::F64(Input::Distances(x)) => Ok(Box::new(Distances(faer_view(x)))),
        other => Err(dense_only(&other)),
    }
}

/// Estimates the dimension of dense points.
pub fn intrinsic_dimension(
    points: AnyInput<'_>,
    estimator: dimension::Estimator,
    scales: dimension::Scales,
    run: &Run,
) -> Result<dimension::Dimension> {
    points.check(run)?;
    match points {
        AnyInput::F32(Input::Points(x)) => dimension::estimate(faer_view(x), estimator, scales, run),
        AnyInput::F64(Input::Points(x)) => dimension::estimate(faer_view(x), estimator, scales, run),
        other => Err(dense_only(&other)),
    }
}

/// Looks for outliers among dense points.
pub fn find_outliers(
    points: AnyInput<'_>,
    search: outliers::Search,
    run: &Run,
) -> Result<outliers::Outliers> {
    points.check(run)?;
    match points {
        AnyInput::F32(Input::Points(x)) => outliers::outliers(faer_view(x), search, run),
        AnyInput::F64(Input::Points(x)) => outliers::outliers(faer_view(x), search, run),
        other => Err(dense_only(&other)),
    }
}

fn procrustes_of(truth: AnyInput<'_>, embedding: AnyInput<'_>, run: &Run) -> Result<f64> {
    truth.check_as("truth", false, run)?;
    embedding.check_as("embedding", false, run)?;
    procrustes(wide(&truth)?.as_ref(), wide(&embedding)?.as_ref(), run)
}

/// A copy in double precision.
fn wide(points: &AnyInput<'_>) -> Result<faer::Mat<f64>> {
    fn of<T: Scalar>(x: &ndarray::ArrayView2<'_, T>) -> faer::Mat<f64> {
        faer::Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)].wide())
    }
    match points {
        AnyInput::F32(Input::Points(x)) => Ok(of(x)),
        AnyInput::F64(Input::Points(x)) => Ok(of(x)),
        other => Err(dense_only(other)),
    }
}

pub(crate) fn dense_only(input: &AnyInput<'_>) -> Error {
    Error::Unsupported {
        method: "the evaluation".into(),
        what: format!("take {}", input.shape().kind.words()),
        remedy: "give dense points".into(),
    }
}

/// A figure as JSON: its value, and the interval where it was sampled. What is infinite is null.
pub fn estimate_json(estimate: &Estimate) -> Value {
    let Estimate { value, low, high } = *estimate;
    if low == value && high == value {
        json!({ "value": value })
    } else {
        json!({ "value": value, "low": low, "high": high })
    }
}

/// The figures of a judgment as JSON; `whole` adds the curves and the measures of each point.
pub fn evaluation_json(evaluation: &Evaluation, whole: bool) -> Value {
    let measures: Map<String, Value> = evaluation
        .measures
        .iter()
        .map(|measure| {
            let mut json = estimate_json(&measure.estimate);
            json["better"] = json!(if measure.more_is_better { "more" } else { "less" });
            (measure.name.to_owned(), json)
        })
        .collect();
    let mut json = json!({ "n": evaluation.n, "k": evaluation.k, "measures": measures });
    if let Some(curves) = &evaluation.curves {
        json["local_size"] = json!(curves.local_size);
        if whole {
            json["curves"] = json!({
                "q_nx": curves.agreement, "b_nx": curves.behavior, "r_nx": curves.beyond_chance,
            });
        }
    }
    if whole {
        let points = &evaluation.per_point;
        json["per_point"] = json!({
            "rows": points.rows, "trustworthiness": points.trustworthiness, "continuity": points.continuity,
            "stretch": points.stretch, "compression": points.compression,
        });
    }
    json
}
