//! What is of use beside the methods: neighbors, shortest paths, built-in data, pictures.

use crate::convert::{Data, Settings};
use crate::errors::raised;
use crate::watch::watched;
use lowland::data;
use lowland::neighbors::geodesics::all_shortest_paths;
use lowland::neighbors::graph::Symmetrize;
use lowland::neighbors::index::{self, Choice};
use lowland::neighbors::{Graph, Metric, Rows, SparseIndex, Table};
use lowland::parameters::{Value, read};
use lowland::{AnyInput, Csr, Error, Result, Run, units};
use lowland_plot::{Coloring, Format, Scatter, Size, Style, scatter};
use ndarray::{Array2, ArrayView2};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use std::sync::Arc;

/// Offsets, columns and lengths of compressed rows.
type Lists<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// The `k` nearest rows of each row, or all within a radius; of `queries` where they are given, else of the rows
/// themselves, none its own neighbor.
#[pyfunction]
#[pyo3(signature = (data, queries, k, radius, metric, settings))]
pub fn neighbors<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    queries: Option<&Bound<'py, PyAny>>,
    k: Option<usize>,
    radius: Option<f64>,
    metric: &str,
    settings: &Settings,
) -> PyResult<Lists<'py>> {
    let metric: Metric = read("metric", &Value::Text(metric.to_owned())).map_err(|e| raised(py, e))?;
    let data = Data::extract(py, data)?;
    let queries = queries.map(|queries| Data::extract(py, queries)).transpose()?;
    let data = Side::of(&data);
    let queries = queries.as_ref().map(Side::of);
    let found = watched(py, settings, |run| search(&data, queries.as_ref(), k, radius, metric, run))?;
    let (offsets, indices, lengths) = found;
    let wide = |values: Vec<u32>| values.into_iter().map(i64::from).collect::<Vec<_>>();
    let offsets: Vec<i64> = offsets.into_iter().map(|offset| offset as i64).collect();
    Ok((offsets.into_pyarray(py), wide(indices).into_pyarray(py), lengths.into_pyarray(py)))
}

/// Rows in double precision, where the search may keep them.
enum Side {
    Dense(Arc<Vec<f64>>, usize),
    Sparse(Csr<f64>),
}

impl Side {
    fn of(data: &Data<'_>) -> Self {
        match data {
            Data::Dense32(array) => {
                let view = array.as_array();
                Self::Dense(Arc::new(view.iter().map(|&value| f64::from(value)).collect()), view.ncols())
            }
            Data::Dense64(array) => {
                let view = array.as_array();
                Self::Dense(Arc::new(view.iter().copied().collect()), view.ncols())
            }
            Data::Sparse32(matrix) => Self::Sparse(matrix.widened()),
            Data::Sparse64(matrix) => Self::Sparse(matrix.clone()),
        }
    }

    fn width(&self) -> usize {
        match self {
            Self::Dense(_, width) => *width,
            Self::Sparse(matrix) => matrix.ncols(),
        }
    }

    /// Refuses the cell that is no number, as a fit does.
    fn check(&self, run: &Run) -> Result<()> {
        match self {
            Self::Dense(values, _) if values.is_empty() => Ok(()),
            Self::Dense(values, width) => {
                let rows = ArrayView2::from_shape((values.len() / width, *width), values);
                AnyInput::from(rows.map_err(|e| Error::shape("rows", &e))?).check(run).map(drop)
            }
            Self::Sparse(rows) if rows.nrows() == 0 => Ok(()),
            Self::Sparse(rows) => AnyInput::from(rows).check(run).map(drop),
        }
    }
}

type Found = (Vec<usize>, Vec<u32>, Vec<f64>);

fn search(
    data: &Side,
    queries: Option<&Side>,
    k: Option<usize>,
    radius: Option<f64>,
    metric: Metric,
    run: &Run,
) -> Result<Found> {
    if let Some(queries) = queries.filter(|queries| queries.width() != data.width()) {
        let problem = format!(
            "the rows have {}, and the queries {}",
            units::count(data.width(), "column"),
            queries.width()
        );
        return Err(Error::malformed("set of queries", problem, "give queries with the columns of the rows"));
    }
    [Some(data), queries].into_iter().flatten().try_for_each(|side| side.check(run))?;
    match (data, queries) {
        (Side::Dense(values, width), None | Some(Side::Dense(..))) => {
            let rows = Rows::shared(values.clone(), *width);
            let index = index::build_shared(&rows, metric, Choice::Auto, run)?;
            let asked = queries.and_then(|side| match side {
                Side::Dense(values, width) => Some(Rows::shared(values.clone(), *width)),
                Side::Sparse(_) => None,
            });
            let asked = asked.as_ref().map(|rows| rows.columns().transpose());
            match (k, radius, asked) {
                (Some(k), _, None) => Ok(lists(&index.k_nearest_of_all(k, run)?)),
                (Some(k), _, Some(queries)) => Ok(lists(&index.k_nearest(queries, k, run)?)),
                (None, Some(radius), None) => Ok(compressed(&index.within_of_all(radius, run)?)),
                (None, Some(radius), Some(queries)) => Ok(compressed(&index.within(queries, radius, run)?)),
                (None, None, _) => Err(neither()),
            }
        }
        (Side::Sparse(rows), None | Some(Side::Sparse(_))) => {
            let k = k.ok_or_else(|| {
                let remedy = "give n_neighbors, or dense rows";
                Error::conflict("radius", "neighbors of sparse rows cannot be found by radius", remedy)
            })?;
            let index = SparseIndex::new(rows, metric)?;
            let table = match queries {
                Some(Side::Sparse(queries)) => index.k_nearest(queries, k, run)?,
                _ => index.k_nearest_of_all(k, run)?,
            };
            Ok(lists(&table))
        }
        _ => {
            let problem = "rows and queries must both be dense or both be sparse";
            Err(Error::malformed("set of queries", problem, "convert one of them"))
        }
    }
}

fn neither() -> Error {
    Error::conflict("n_neighbors", "neither n_neighbors nor radius is given", "give one of the two")
}

fn lists(table: &Table<f64>) -> Found {
    let (mut offsets, mut indices, mut lengths) = (vec![0], Vec::new(), Vec::new());
    for row in 0..table.len() {
        let (columns, distances) = table.row(row);
        indices.extend_from_slice(columns);
        lengths.extend_from_slice(distances);
        offsets.push(indices.len());
    }
    (offsets, indices, lengths)
}

fn compressed(rows: &Csr<f64>) -> Found {
    (rows.offsets().to_vec(), rows.indices().to_vec(), rows.values().to_vec())
}

/// The lengths of the shortest paths between all points of a graph, edges counting in both directions; infinity where
/// there is none.
#[pyfunction]
pub fn geodesics<'py>(
    py: Python<'py>,
    graph: &Bound<'py, PyAny>,
    settings: &Settings,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let side = Side::of(&Data::extract(py, graph)?);
    let Side::Sparse(lengths) = side else {
        let remedy = "give a sparse matrix of lengths";
        return Err(raised(py, Error::conflict("graph", "the graph is a dense matrix", remedy)));
    };
    let distances = watched(py, settings, |run| {
        let graph = Graph::from_csr(lengths, Symmetrize::Either)?;
        let n = graph.len();
        run.reserve("the matrix of shortest paths", 8 * (n as u64).saturating_pow(2), "give fewer points")?;
        let mut out = vec![0.0; n * n];
        all_shortest_paths(&graph, &mut out, run)?;
        Array2::from_shape_vec((n, n), out).map_err(|e| Error::shape("matrix of shortest paths", &e))
    })?;
    Ok(distances.into_pyarray(py))
}

/// The built-in data: names with what they are, as JSON.
#[pyfunction]
pub fn generators() -> String {
    let all: Vec<serde_json::Value> = data::all()
        .iter()
        .map(|g| {
            json!({
                "name": g.name, "summary": g.summary, "features": g.features, "truth": g.truth,
                "classes": g.classes, "density": g.density,
            })
        })
        .collect();
    json!(all).to_string()
}

/// A sample: points, labels and the true parameters.
type Sampled<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>);

/// A sample of built-in data.
#[pyfunction]
pub fn generate<'py>(
    py: Python<'py>,
    name: &str,
    n: usize,
    noise: f64,
    density: f64,
    seed: u64,
) -> PyResult<Sampled<'py>> {
    let sample = data::find(name).and_then(|generator| generator.sample_uneven(n, noise, density, seed));
    let sample = sample.map_err(|e| raised(py, e))?;
    Ok((sample.points.into_pyarray(py), sample.labels.into_pyarray(py), sample.truth.into_pyarray(py)))
}

/// A picture of an embedding as SVG or PNG. `names` are classes, `values` numbers for each point.
#[pyfunction]
#[pyo3(signature = (coordinates, names, values, meaning, title, subtitle, size, dark, png))]
pub fn picture<'py>(
    py: Python<'py>,
    coordinates: PyReadonlyArray2<'py, f64>,
    names: Option<Vec<String>>,
    values: Option<Vec<f64>>,
    meaning: &str,
    title: &str,
    subtitle: &str,
    size: &str,
    dark: bool,
    png: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let size: Size = size.parse().map_err(|e| raised(py, e))?;
    let coloring = match (&names, &values) {
        (Some(names), _) => Coloring::Classes(names),
        (None, Some(values)) => Coloring::Values(values, meaning),
        (None, None) => Coloring::Plain,
    };
    let style = Style { title, subtitle, size, dark };
    let coordinates = coordinates.as_array();
    let plot = Scatter { coordinates, coloring, edges: &[], images: None, axes: None, style };
    let format = if png { Format::Png } else { Format::Svg };
    let bytes = py.detach(|| scatter(&plot).encode(format)).map_err(|e| raised(py, e))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Whether labels that are numbers are classes, as pictures show them.
#[pyfunction]
pub fn are_classes(labels: PyReadonlyArray1<'_, f64>) -> bool {
    lowland_plot::are_classes(&labels.as_array().to_vec())
}

/// A kernel with its unknown entries (NaN) filled in, and the rows that were complete.
#[pyfunction]
pub fn complete_kernel<'py>(
    py: Python<'py>,
    kernel: PyReadonlyArray2<'py, f64>,
    settings: &Settings,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<usize>)> {
    let kernel = kernel.as_array().to_owned();
    let found = watched(py, settings, |run| lowland::spectral::completion::complete(kernel.view(), run))?;
    Ok((found.kernel.into_pyarray(py), found.known))
}
