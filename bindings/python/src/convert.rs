//! Values and arrays from Python, and back. Dense arrays are looked at where they lie, whatever their strides.

use crate::errors::raised;
use lowland::parameters::Value;
use lowland::{AnyInput, AnyMatrix, Csr, Datum, Element, Error, Input, InputKind, Method, registry};
use numpy::{
    IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::path::PathBuf;

/// Everything about a call that is neither data nor parameters.
#[pyclass(frozen, module = "lowland._native")]
pub struct Settings {
    pub seed: u64,
    pub threads: usize,
    pub memory: Option<u64>,
    pub progress: Option<Py<PyAny>>,
    /// Who is shown a layout under way, and after how many iterations each time.
    pub layout: Option<(Py<PyAny>, u64)>,
    /// Where a fit under way is kept, after how many seconds each time, and the method.
    pub checkpoint: Option<(PathBuf, f64, String)>,
}

#[pymethods]
impl Settings {
    /// `threads` 0 means all; `progress` is called with a stage, the steps done, and the seconds once it is over.
    #[new]
    #[pyo3(signature = (*, seed=0, threads=0, memory=None, progress=None, layout=None, checkpoint=None))]
    fn new(
        seed: u64,
        threads: usize,
        memory: Option<u64>,
        progress: Option<Py<PyAny>>,
        layout: Option<(Py<PyAny>, u64)>,
        checkpoint: Option<(PathBuf, f64, String)>,
    ) -> Self {
        Self { seed, threads, memory, progress, layout, checkpoint }
    }
}

/// A method with its parameters set.
pub fn method(py: Python<'_>, name: &str, parameters: &Bound<'_, PyDict>) -> PyResult<Box<dyn Method>> {
    let entry = registry::find(name).map_err(|e| raised(py, e))?;
    let mut method = (entry.create)();
    set_all(py, &mut *method, parameters)?;
    Ok(method)
}

/// Sets parameters of a method.
pub fn set_all(py: Python<'_>, method: &mut dyn Method, parameters: &Bound<'_, PyDict>) -> PyResult<()> {
    for (key, value) in parameters {
        let key: String = key.extract()?;
        let refused = |error| raised(py, in_pythons_words(error, &value));
        method.set(&key, &to_value(&value, &key)?).map_err(refused)?;
    }
    Ok(())
}

/// What is left open is None in Python, whatever other front ends call it.
fn in_pythons_words(error: Error, given: &Bound<'_, PyAny>) -> Error {
    match error {
        Error::Parameter { name, value, bound, remedy }
            if given.is_none() && value == Value::Auto.to_string() =>
        {
            Error::Parameter { name, value: "None".into(), bound, remedy }
        }
        other => other,
    }
}

fn to_value(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Value> {
    let one_dimensional = || value.getattr("ndim").and_then(|n| n.extract::<usize>()).is_ok_and(|n| n == 1);
    if value.is_none() {
        Ok(Value::Auto)
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() || one_dimensional() {
        let values = value.try_iter()?.map(|inner| to_value(&inner?, name));
        Ok(Value::List(values.collect::<PyResult<_>>()?))
    } else if let Ok(value) = value.extract::<bool>() {
        Ok(Value::Bool(value))
    } else if let Ok(value) = value.extract::<i64>() {
        Ok(Value::Integer(value))
    } else if let Ok(value) = value.extract::<f64>() {
        Ok(Value::Real(value))
    } else if let Ok(value) = value.extract::<String>() {
        Ok(if value == "auto" { Value::Auto } else { Value::Text(value) })
    } else {
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "{name} cannot be a {kind}: give a number, a word, a list of them, or None"
        )))
    }
}

/// A value as Python sees it: `auto` is None.
pub fn from_value(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Auto => Ok(py.None()),
        Value::Bool(value) => value.into_py_any(py),
        Value::Integer(value) => value.into_py_any(py),
        Value::Real(value) => value.into_py_any(py),
        Value::Text(value) => value.into_py_any(py),
        Value::List(values) => {
            let values = values.iter().map(|value| from_value(py, value)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, values)?.into_py_any(py)
        }
    }
}

/// What a call works on: arrays borrowed from Python, or compressed rows of our own.
pub enum Data<'py> {
    Dense32(PyReadonlyArray2<'py, f32>),
    Dense64(PyReadonlyArray2<'py, f64>),
    Sparse32(Csr<f32>),
    Sparse64(Csr<f64>),
}

impl<'py> Data<'py> {
    /// A matrix in single or double precision, or `(rows, columns, offsets, indices, values)`.
    pub fn extract(py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = data.cast::<PyArrayDyn<f64>>() {
            return Ok(Self::Dense64(borrowed(array.as_any())?));
        }
        if let Ok(array) = data.cast::<PyArrayDyn<f32>>() {
            return Ok(Self::Dense32(borrowed(array.as_any())?));
        }
        let (rows, columns, offsets, indices, values): (
            usize,
            usize,
            PyReadonlyArray1<'py, i64>,
            PyReadonlyArray1<'py, i64>,
            Bound<'py, PyAny>,
        ) = data.extract()?;
        let offsets = offsets.as_array().iter().map(|&o| o as usize).collect();
        let indices = indices.as_array().iter().map(|&i| u32::try_from(i).unwrap_or(u32::MAX)).collect();
        let made = if let Ok(values) = values.extract::<PyReadonlyArray1<'py, f32>>() {
            Csr::new(rows, columns, offsets, indices, values.as_array().to_vec()).map(Self::Sparse32)
        } else {
            let values: PyReadonlyArray1<'py, f64> = values.extract()?;
            Csr::new(rows, columns, offsets, indices, values.as_array().to_vec()).map(Self::Sparse64)
        };
        made.map_err(|e| raised(py, e))
    }

    /// The same as an input of some kind. Compressed rows of points are sparse points.
    pub fn input(&self, py: Python<'_>, kind: InputKind) -> PyResult<AnyInput<'_>> {
        match self {
            Self::Dense32(array) => dense(py, array, kind),
            Self::Dense64(array) => dense(py, array, kind),
            Self::Sparse32(matrix) => sparse(py, matrix, kind),
            Self::Sparse64(matrix) => sparse(py, matrix, kind),
        }
    }
}

fn borrowed<'py, T: numpy::Element>(array: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray2<'py, T>> {
    let array = array.cast::<numpy::PyArray2<T>>()?;
    // The view counts in elements: fields of a record and the like do not lie on them.
    if !array.is_aligned() || array.strides().iter().any(|stride| stride % size_of::<T>() as isize != 0) {
        return Err(PyTypeError::new_err("the array is not aligned: copy it first"));
    }
    Ok(array.readonly())
}

/// What rows are, by its word.
pub fn kind(py: Python<'_>, word: &str) -> PyResult<InputKind> {
    word.parse().map_err(|e| raised(py, e))
}

fn dense<'a, T: Element + numpy::Element>(
    py: Python<'_>,
    array: &'a PyReadonlyArray2<'_, T>,
    kind: InputKind,
) -> PyResult<AnyInput<'a>> {
    let view = array.as_array();
    match kind {
        InputKind::Points => Ok(Input::Points(view).into()),
        InputKind::Distances => Ok(Input::Distances(view).into()),
        InputKind::Kernel => Ok(Input::Kernel(view).into()),
        InputKind::Sparse | InputKind::Graph => Err(raised(py, misfit("dense", kind))),
    }
}

fn sparse<'a, T: Element>(py: Python<'_>, matrix: &'a Csr<T>, kind: InputKind) -> PyResult<AnyInput<'a>> {
    match kind {
        InputKind::Points | InputKind::Sparse => Ok(Input::Sparse(matrix).into()),
        InputKind::Graph => Ok(Input::Graph(matrix).into()),
        InputKind::Distances | InputKind::Kernel => Err(raised(py, misfit("sparse", kind))),
    }
}

fn misfit(layout: &str, kind: InputKind) -> Error {
    let problem = format!("input = {kind} does not go with a {layout} matrix");
    let remedy = if kind.is_sparse() { "give a sparse matrix" } else { "give a dense matrix" };
    Error::conflict("input", problem, remedy)
}

/// A matrix as a numpy array, without a copy.
pub fn to_array(py: Python<'_>, matrix: AnyMatrix) -> Py<PyAny> {
    match matrix {
        AnyMatrix::F32(matrix) => matrix.into_pyarray(py).into_any().unbind(),
        AnyMatrix::F64(matrix) => matrix.into_pyarray(py).into_any().unbind(),
    }
}

/// An attribute's value.
pub fn from_datum(py: Python<'_>, datum: Datum) -> PyResult<Py<PyAny>> {
    Ok(match datum {
        Datum::Count(count) => count.into_py_any(py)?,
        Datum::Number(number) => number.into_py_any(py)?,
        Datum::Vector(vector) => vector.into_pyarray(py).into_any().unbind(),
        Datum::Matrix(matrix) => matrix.into_pyarray(py).into_any().unbind(),
    })
}
