//! Errors as Python's exceptions: the message of the Rust error, its fields as attributes.

use lowland::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an error. The classes are written in Python, in `lowland._errors`.
pub fn raised(py: Python<'_>, error: Error) -> PyErr {
    build(py, &error).unwrap_or_else(|e| e)
}

/// A class, and the fields by name.
macro_rules! parts {
    ($fields:ident, $class:literal $(, $name:ident)*) => {{
        $($fields.set_item(stringify!($name), $name)?;)*
        $class
    }};
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let fields = PyDict::new(py);
    let class = match error {
        Error::Parameter { name, value, bound, remedy } => {
            parts!(fields, "ParameterError", name, value, bound, remedy)
        }
        Error::Conflict { name, problem, remedy } => {
            parts!(fields, "ParameterError", name, problem, remedy)
        }
        Error::UnknownMethod { name, remedy } => parts!(fields, "ParameterError", name, remedy),
        Error::UnknownParameter { method, name, remedy } => {
            parts!(fields, "ParameterError", method, name, remedy)
        }
        Error::Empty { what, axis } => parts!(fields, "InputError", what, axis),
        Error::TooFewRows { rows, needed, what } => parts!(fields, "InputError", rows, needed, what),
        Error::NotFinite { what, row, column, value, count } => {
            parts!(fields, "InputError", what, row, column, value, count)
        }
        Error::TooLarge { what, row, column, value, bound, count } => {
            parts!(fields, "InputError", what, row, column, value, bound, count)
        }
        Error::AllMissing { what, axis, index, count } => {
            parts!(fields, "InputError", what, axis, index, count)
        }
        Error::NoLabels { method } => parts!(fields, "InputError", method),
        Error::LabelCount { labels, rows } => parts!(fields, "InputError", labels, rows),
        Error::TooSmall { what, spread, bound } => parts!(fields, "InputError", what, spread, bound),
        Error::Constant { what } => parts!(fields, "InputError", what),
        Error::Width { what, expected, found } => parts!(fields, "InputError", what, expected, found),
        Error::NotSquare { what, rows, columns } => parts!(fields, "InputError", what, rows, columns),
        Error::NotSymmetric { what, row, column, value, mirror } => {
            parts!(fields, "InputError", what, row, column, value, mirror)
        }
        Error::NotADistance { row, column, value, bound } => {
            parts!(fields, "InputError", row, column, value, bound)
        }
        Error::Indefinite { what, smallest, largest, remedy } => {
            parts!(fields, "InputError", what, smallest, largest, remedy)
        }
        Error::Malformed { what, problem, remedy } => {
            parts!(fields, "InputError", what, problem, remedy)
        }
        Error::Disconnected { sizes, remedy } => parts!(fields, "InputError", sizes, remedy),
        Error::Memory { what, needed, budget, remedy, .. } => {
            parts!(fields, "MemoryBudgetError", what, needed, budget, remedy)
        }
        Error::NotConverged { what, residual, tolerance, steps, remedy, found } => {
            if let Some(found) = found {
                fields.set_item("values", &found.values)?;
                fields.set_item("residuals", &found.residuals)?;
            }
            parts!(fields, "NotConvergedError", what, residual, tolerance, steps, remedy)
        }
        Error::Unsupported { method, what, remedy } => {
            parts!(fields, "UnsupportedError", method, what, remedy)
        }
        Error::NoEmbedding { method, count } => parts!(fields, "InputError", method, count),
        Error::ModelFile { problem } => parts!(fields, "ModelFileError", problem),
        Error::Io { path, problem } => parts!(fields, "FileError", path, problem),
        _ => "LowlandError",
    };
    let class = py.import("lowland._errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((error.to_string(),), Some(&fields))?))
}
