//! Comparing methods, and their stability.

use crate::convert::{self, Data, Settings};
use crate::errors::raised;
use crate::watch::watched;
use lowland::InputKind;
use lowland::compare::ComparisonOptions;
use lowland::stability::Experiment;
use lowland_plot::Coloring;
use lowland_report::Subject;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// What a comparison is asked for: the items of a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    methods: Vec<String>,
    grid: Vec<String>,
    dimensions: Option<usize>,
    k: Option<usize>,
    rank_by: Option<String>,
    budget: Option<f64>,
    stability_of: usize,
    work: Option<PathBuf>,
    /// A number for each row's class.
    labels: Option<Vec<i64>>,
    /// The name of each row's class.
    names: Option<Vec<String>>,
    /// A value for each row, where there are no classes.
    values: Option<Vec<f64>>,
    /// The name of the data, where a report is wanted.
    report: Option<String>,
}

/// A comparison as JSON, and the report as HTML.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    options: Options,
    settings: &Settings,
) -> PyResult<(String, Option<String>)> {
    let data = Data::extract(py, data)?;
    let data = data.input(py, InputKind::Points)?;
    let grid = options.grid.iter().map(|text| text.parse()).collect::<lowland::Result<Vec<_>>>();
    let budget = options.budget.map(Duration::try_from_secs_f64).transpose();
    let budget = budget.map_err(|_| {
        let bound = "a number of seconds that is not negative";
        let given = options.budget.unwrap_or_default();
        raised(py, lowland::Error::parameter("budget", given, bound, "leave it out, or give more"))
    })?;
    let comparing = ComparisonOptions {
        methods: options.methods,
        grid: grid.map_err(|e| raised(py, e))?,
        dimensions: options.dimensions,
        labels: options.labels.as_deref(),
        k: options.k,
        rank_by: options.rank_by,
        budget,
        stability_of: options.stability_of,
        work: options.work,
        ..ComparisonOptions::default()
    };
    let found = watched(py, settings, |run| comparing.compare(data, run))?;
    let coloring = match (&options.names, &options.values) {
        (Some(names), _) => Coloring::Classes(names),
        (None, Some(values)) => Coloring::Values(values, "value"),
        (None, None) => Coloring::Plain,
    };
    let page = options.report.map(|name| {
        py.detach(|| lowland_report::html(&found, &Subject { name: &name, input: None, coloring }))
    });
    Ok((found.to_json(true).to_string(), page))
}

/// The stability of a method as JSON.
#[pyfunction]
pub fn stability(
    py: Python<'_>,
    method: (String, Bound<'_, PyDict>),
    data: &Bound<'_, PyAny>,
    labels: Option<Vec<i64>>,
    experiment: (f64, usize, usize),
    settings: &Settings,
) -> PyResult<String> {
    let method = convert::method(py, &method.0, &method.1)?;
    let data = Data::extract(py, data)?;
    let data = data.input(py, InputKind::Points)?;
    let (share, splits, held_out) = experiment;
    let experiment = Experiment { share, splits, held_out };
    let found = watched(py, settings, |run| experiment.measure(&*method, data, labels.as_deref(), run))?;
    Ok(json!(found).to_string())
}
