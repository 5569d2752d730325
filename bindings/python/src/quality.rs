//! Judging embeddings, the dimension of data, and its outliers.

use crate::convert::{Data, Settings};
use crate::errors::raised;
use crate::model::Model;
use crate::watch::watched;
use lowland::InputKind;
use lowland::dimension::Scales;
use lowland::neighbors::Metric;
use lowland::quality::outliers::Search;
use lowland::quality::{self, Evaluator, cloud, evaluation_json};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

/// Trustworthiness, or with `of_data` continuity.
#[pyfunction]
pub fn preservation(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    embedding: &Bound<'_, PyAny>,
    k: usize,
    metric: &str,
    of_data: bool,
    settings: &Settings,
) -> PyResult<f64> {
    let (kind, metric) = side(py, metric)?;
    let (data, embedding) = (Data::extract(py, data)?, Data::extract(py, embedding)?);
    let (data, embedding) = (data.input(py, kind)?, embedding.input(py, InputKind::Points)?);
    watched(py, settings, |run| {
        let (data, embedding) =
            (cloud("data", data, metric, run)?, cloud("embedding", embedding, Metric::Euclidean, run)?);
        let measure = if of_data { quality::continuity } else { quality::trustworthiness };
        measure(&*data, &*embedding, k, run)
    })
}

/// What the rows of the data are, and their metric.
fn side(py: Python<'_>, metric: &str) -> PyResult<(InputKind, Metric)> {
    match metric {
        "precomputed" => Ok((InputKind::Distances, Metric::Euclidean)),
        metric => {
            let metric =
                lowland::parameters::read("metric", &lowland::parameters::Value::Text(metric.to_owned()));
            Ok((InputKind::Points, metric.map_err(|e| raised(py, e))?))
        }
    }
}

/// Every measure, as JSON; with a model, and perhaps rows that were not in its fit, its errors too.
#[pyfunction]
pub fn evaluate(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    embedding: &Bound<'_, PyAny>,
    labels: Option<Vec<i64>>,
    truth: Option<&Bound<'_, PyAny>>,
    model: Option<(PyRef<'_, Model>, Option<Bound<'_, PyAny>>)>,
    k: Option<usize>,
    metric: &str,
    entropy: bool,
    settings: &Settings,
) -> PyResult<String> {
    let (kind, metric) = side(py, metric)?;
    let (data, embedding) = (Data::extract(py, data)?, Data::extract(py, embedding)?);
    let truth = truth.map(|truth| Data::extract(py, truth)).transpose()?;
    let truth = truth.as_ref().map(|truth| truth.input(py, InputKind::Points)).transpose()?;
    let (data, embedding) = (data.input(py, kind)?, embedding.input(py, InputKind::Points)?);
    let held_out = model.as_ref().and_then(|(_, rows)| rows.as_ref());
    let held_out = held_out.map(|rows| Data::extract(py, rows)).transpose()?;
    let held_out = held_out.as_ref().map(|rows| rows.input(py, InputKind::Points)).transpose()?;
    let model: Option<&dyn lowland::Model> = model.as_ref().map(|(model, _)| &*model.0);
    let evaluator =
        Evaluator { labels: labels.as_deref(), truth, k, metric, entropy, ..Evaluator::default() };
    let found = watched(py, settings, |run| match model {
        Some(model) => evaluator.evaluate_model(model, (data, embedding), held_out, run),
        None => evaluator.evaluate(data, embedding, run),
    })?;
    Ok(evaluation_json(&found, true).to_string())
}

/// The estimate, its interval, and perhaps the estimates around every row.
#[pyfunction]
pub fn intrinsic_dimension<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    method: &str,
    k1: usize,
    k2: usize,
    settings: &Settings,
) -> PyResult<(f64, f64, f64, Option<Bound<'py, PyArray1<f64>>>)> {
    let estimator = method.parse().map_err(|e| raised(py, e))?;
    let data = Data::extract(py, data)?;
    let data = data.input(py, InputKind::Points)?;
    let found =
        watched(py, settings, |run| quality::intrinsic_dimension(data, estimator, Scales { k1, k2 }, run))?;
    let local = found.local.map(|local| local.into_pyarray(py));
    Ok((found.global.value, found.global.low, found.global.high, local))
}

/// The local outlier factor of every row.
#[pyfunction]
pub fn outlier_factors<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    k: Option<usize>,
    threshold: f64,
    settings: &Settings,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let data = Data::extract(py, data)?;
    let data = data.input(py, InputKind::Points)?;
    let found = watched(py, settings, |run| quality::find_outliers(data, Search { k, threshold }, run))?;
    Ok(found.factors.into_pyarray(py))
}
