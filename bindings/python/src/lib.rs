//! The native side of the Python package: the registry, fits, models. Everything that a data scientist sees (the
//! estimator classes, their checks, tables in and out) is written in Python over this.

mod allocator;
mod comparing;
mod convert;
mod errors;
mod functions;
mod model;
mod quality;
mod watch;

use comparing::{compare, stability};
use convert::{Data, Settings};
use errors::raised;
use functions::{are_classes, complete_kernel, generate, generators, geodesics, neighbors, picture};
use lowland::{InputKind, Shape, registry};
use model::{Model, Stream};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quality::{evaluate, intrinsic_dimension, outlier_factors, preservation};
use serde_json::json;
use watch::watched;

/// The native module.
#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use super::{
        Model, Settings, Stream, are_classes, compare, complete_kernel, evaluate, find, fit, fit_covariances,
        generate, generators, geodesics, intrinsic_dimension, load, methods, most_threads, neighbors,
        outlier_factors, parse_bytes, parse_duration, picture, preservation, stability, stream, takes_sparse,
        write,
    };
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::watch::remember_process();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The registry as JSON.
#[pyfunction]
fn methods() -> String {
    let methods: Vec<serde_json::Value> = registry::all().iter().map(|entry| entry.to_json()).collect();
    json!(methods).to_string()
}

/// The name of the method of this name or alias.
#[pyfunction]
fn find(py: Python<'_>, name: &str) -> PyResult<&'static str> {
    registry::find(name).map(|entry| entry.name).map_err(|e| raised(py, e))
}

/// Fits a method; `kind` says what the rows of `data` are, `labels` has a number for each, `checkpoint` is a file to go on
/// from.
#[pyfunction]
#[pyo3(signature = (method, parameters, data, kind, settings, labels=None, start=None, checkpoint=None))]
fn fit(
    py: Python<'_>,
    method: &str,
    parameters: &Bound<'_, PyDict>,
    data: &Bound<'_, PyAny>,
    kind: &str,
    settings: &Settings,
    labels: Option<Vec<i64>>,
    start: Option<numpy::PyReadonlyArray2<'_, f64>>,
    checkpoint: Option<std::path::PathBuf>,
) -> PyResult<Model> {
    let method = convert::method(py, method, parameters)?;
    let data = Data::extract(py, data)?;
    let input = data.input(py, convert::kind(py, kind)?)?;
    let start = start.as_ref().map(|start| start.as_array());
    let checkpoint = checkpoint.map(|path| lowland::layout::checkpoint::load(&*method, &path));
    let checkpoint = checkpoint.transpose().map_err(|e| raised(py, e))?;
    let fit = |run: &lowland::Run| match (&labels, start, &checkpoint) {
        (labels, _, Some(checkpoint)) => method.resume(input, labels.as_deref(), checkpoint, run),
        (labels, Some(start), None) => method.fit_from(input, labels.as_deref(), start, run),
        (Some(labels), None, None) => method.fit_labeled(input, labels, run),
        (None, None, None) => method.fit(input, run),
    };
    watched(py, settings, fit).map(Model)
}

/// Oriented PCA of a covariance of signals and a correlation of noise that are known.
#[pyfunction]
fn fit_covariances(
    py: Python<'_>,
    parameters: &Bound<'_, PyDict>,
    signal: numpy::PyReadonlyArray2<'_, f64>,
    noise: numpy::PyReadonlyArray2<'_, f64>,
    mean: Vec<f64>,
    settings: &Settings,
) -> PyResult<Model> {
    let mut method = lowland::methods::OrientedPca::default();
    convert::set_all(py, &mut method, parameters)?;
    let (signal, noise) = (signal.as_array(), noise.as_array());
    let found = watched(py, settings, |run| method.fit_covariances(signal, noise, &mean, run))?;
    Ok(Model(Box::new(found)))
}

/// Whether the method with these parameters takes sparse rows. Parameters that are wrong anyway say nothing.
#[pyfunction]
fn takes_sparse(py: Python<'_>, method: &str, parameters: &Bound<'_, PyDict>) -> bool {
    let Ok(method) = convert::method(py, method, parameters) else { return true };
    let shape = |kind| Shape {
        rows: 1 << 20,
        columns: 1 << 20,
        stored: 1 << 20,
        scalar_bytes: 8,
        kind,
        factor: None,
    };
    method.check(&shape(InputKind::Points)).is_err() || method.check(&shape(InputKind::Sparse)).is_ok()
}

/// The most threads that a call may ask for.
#[pyfunction]
fn most_threads() -> usize {
    lowland::Run::most_threads()
}

/// Begins a fit whose data come in chunks, or goes on from a model.
#[pyfunction]
#[pyo3(signature = (method, parameters, model=None))]
fn stream(
    py: Python<'_>,
    method: &str,
    parameters: &Bound<'_, PyDict>,
    model: Option<PyRef<'_, Model>>,
) -> PyResult<Stream> {
    let method = convert::method(py, method, parameters)?;
    let mut chunks = method.chunks().map_err(|e| raised(py, e))?;
    if let Some(model) = model {
        chunks.resume(&*model.0).map_err(|e| raised(py, e))?;
    }
    Ok(Stream::new(chunks))
}

/// A size in bytes, such as `8GiB`; `name` is the parameter that an error names.
#[pyfunction]
fn parse_bytes(py: Python<'_>, name: &str, text: &str) -> PyResult<u64> {
    lowland::units::parse_bytes(name, text).map_err(|e| raised(py, e))
}

/// A duration in seconds, such as `10min`.
#[pyfunction]
fn parse_duration(py: Python<'_>, name: &str, text: &str) -> PyResult<f64> {
    lowland::units::parse_duration(name, text).map(|time| time.as_secs_f64()).map_err(|e| raised(py, e))
}

/// Writes a file, whole or not at all.
#[pyfunction]
fn write(py: Python<'_>, path: std::path::PathBuf, bytes: &[u8]) -> PyResult<()> {
    let io = |e: std::io::Error| lowland::Error::io(path.display(), &e);
    py.detach(|| lowland::files::write(&path, bytes).map_err(io)).map_err(|e| raised(py, e))
}

/// A model from a file, and the names of the columns that it was saved with.
#[pyfunction]
fn load(py: Python<'_>, path: std::path::PathBuf) -> PyResult<(Model, Option<Vec<String>>)> {
    let loaded = py.detach(|| Ok((lowland::load_prepared(&path)?, lowland::load_names(&path)?)));
    let ((model, preparation), names) = loaded.map_err(|e| raised(py, e))?;
    let recipe = preparation.map(|preparation| preparation.recipe).unwrap_or_default();
    let plain = |taken: &serde_json::Value| taken["how"] == "number";
    let encoded = recipe["taken"].as_array().is_some_and(|taken| !taken.iter().all(plain));
    if encoded || recipe["standardize"] == true {
        let words =
            c"the rows of this model were standardized or encoded before its fit, by the program at the \
                      terminal; do the same to new rows, or use 'lowland transform'";
        PyErr::warn(py, &py.get_type::<pyo3::exceptions::PyUserWarning>(), words, 2)?;
    }
    Ok((Model(model), names))
}
