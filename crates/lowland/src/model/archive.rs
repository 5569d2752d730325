//! The arrays and numbers of a model, by name.

use super::{Datum, Form, Part, Report};
use crate::matrix::{AnyMatrix, Element};
use crate::parameters::{Described, Value as Setting};
use lowland_base::{Csr, Error, Result};
use ndarray::{Array1, Array2, Axis};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The fact that makes an archive one of a descent under way: its iteration.
pub(crate) const CHECKPOINT: &str = "checkpoint";

/// What a model needs to live on: named arrays in double or single precision, and named small facts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Archive {
    pub(super) parameters: BTreeMap<String, Setting>,
    pub(super) report: Report,
    pub(super) arrays: BTreeMap<String, AnyMatrix>,
    pub(super) facts: Map<String, Value>,
}

impl Archive {
    /// Begins with the parameters and the report, which every model has.
    pub fn new(parameters: Vec<(&'static str, Setting)>, report: &Report) -> Self {
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { parameters, report: report.clone(), ..Self::default() }
    }

    /// The method's struct with the parameters of the fit.
    pub fn method<M: Described>(&self, name: &str) -> Result<M> {
        let mut method = M::default();
        for (parameter, value) in &self.parameters {
            method.set(name, parameter, value).map_err(|e| broken(e.to_string()))?;
        }
        Ok(method)
    }

    /// The report of the fit.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Keeps a matrix.
    pub fn put(&mut self, name: &str, matrix: Array2<f64>) {
        self.arrays.insert(name.into(), AnyMatrix::F64(matrix));
    }

    /// Keeps a matrix in single precision: half the bytes, for what is computed in it (the weights of a network).
    pub fn put_single(&mut self, name: &str, matrix: Array2<f32>) {
        self.arrays.insert(name.into(), AnyMatrix::F32(matrix));
    }

    /// Keeps a vector.
    pub fn put_vector(&mut self, name: &str, vector: &[f64]) {
        self.put(name, Array2::from_shape_fn((1, vector.len()), |(_, j)| vector[j]));
    }

    /// Keeps row numbers.
    pub fn put_indices(&mut self, name: &str, indices: &[usize]) {
        self.put(name, Array2::from_shape_fn((1, indices.len()), |(_, j)| indices[j] as f64));
    }

    /// Keeps a sparse matrix.
    pub fn put_sparse(&mut self, name: &str, matrix: &Csr<f64>) {
        self.put_indices(&format!("{name}_offsets"), matrix.offsets());
        let columns: Vec<usize> = matrix.indices().iter().map(|&column| column as usize).collect();
        self.put_indices(&format!("{name}_columns"), &columns);
        self.put_vector(&format!("{name}_values"), matrix.values());
        self.put_fact(&format!("{name}_width"), matrix.ncols());
    }

    /// Whether there is a sparse matrix of this name.
    pub fn has_sparse(&self, name: &str) -> bool {
        self.has_array(&format!("{name}_offsets"))
    }

    /// A sparse matrix, which must be there and whole.
    pub fn sparse(&self, name: &str) -> Result<Csr<f64>> {
        let width = self.count(&format!("{name}_width"))?;
        let columns = self.indices(&format!("{name}_columns"), width)?;
        let offsets = self.indices(&format!("{name}_offsets"), columns.len() + 1)?;
        let values = self.vector(&format!("{name}_values"), columns.len())?.to_vec();
        let columns = columns.into_iter().map(|column| column as u32).collect();
        let rows = offsets.len().saturating_sub(1);
        Csr::new(rows, width, offsets, columns, values).map_err(|e| broken(e.to_string()))
    }

    /// Keeps a small fact.
    pub fn put_fact(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.into(), value.into());
    }

    /// Keeps what a method has found, a value for each of its parts.
    pub(crate) fn put_parts(&mut self, parts: &[Part], found: &[Datum]) {
        for (&(name, ..), datum) in parts.iter().zip(found) {
            match datum {
                Datum::Count(count) => self.put_fact(name, *count),
                Datum::Number(number) => self.put_fact(name, *number),
                Datum::Vector(vector) => self.put(name, vector.clone().insert_axis(Axis(0))),
                Datum::Matrix(matrix) => self.put(name, matrix.clone()),
            }
        }
    }

    /// What a method has found: all of its parts must be there.
    pub(crate) fn parts(&self, parts: &[Part]) -> Result<Vec<Datum>> {
        let found = |&(name, _, form): &Part| -> Result<Datum> {
            Ok(match form {
                Form::Count => self.count(name)?.into(),
                Form::Number => self.number(name)?.into(),
                Form::Vector => self.vector(name, self.width(name))?.into(),
                Form::Matrix => self.any_matrix(name)?.into(),
            })
        };
        parts.iter().map(found).collect()
    }

    /// Whether it holds a descent under way instead of a model.
    pub fn is_checkpoint(&self) -> bool {
        self.facts.contains_key(CHECKPOINT)
    }

    /// A matrix, which must be there, be of this shape and precision, and hold finite numbers only.
    fn typed<T: Element>(&self, name: &str, shape: (usize, usize)) -> Result<Array2<T>> {
        let matrix = self.arrays.get(name).ok_or_else(|| broken(format!("it has no array '{name}'")))?;
        let matrix: &Array2<T> = matrix
            .as_typed()
            .ok_or_else(|| broken(format!("array '{name}' is not in {} precision", T::PRECISION)))?;
        if matrix.dim() != shape {
            let (rows, columns) = matrix.dim();
            return Err(broken(format!(
                "array '{name}' is {rows} x {columns}, not {} x {}",
                shape.0, shape.1
            )));
        }
        if matrix.iter().any(|value| !value.is_finite()) {
            return Err(broken(format!("array '{name}' holds a value that is not finite")));
        }
        Ok(matrix.clone())
    }

    /// A matrix in double precision, of this shape and of finite numbers.
    pub fn matrix(&self, name: &str, shape: (usize, usize)) -> Result<Array2<f64>> {
        self.typed(name, shape)
    }

    /// A matrix in single precision, of this shape and of finite numbers.
    pub fn single(&self, name: &str, shape: (usize, usize)) -> Result<Array2<f32>> {
        self.typed(name, shape)
    }

    /// A matrix of any shape, which must be there and hold finite numbers only.
    pub fn any_matrix(&self, name: &str) -> Result<Array2<f64>> {
        let shape = self.arrays.get(name).map_or((0, 0), AnyMatrix::dim);
        self.matrix(name, shape)
    }

    /// A vector of this length.
    pub fn vector(&self, name: &str, length: usize) -> Result<Array1<f64>> {
        Ok(self.matrix(name, (1, length))?.row(0).to_owned())
    }

    /// Whether there is an array of this name.
    pub fn has_array(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// The number of columns of an array, 0 where it is missing.
    pub fn width(&self, name: &str) -> usize {
        self.arrays.get(name).map_or(0, |matrix| matrix.dim().1)
    }

    /// Row numbers below `bound`, however many.
    pub fn indices(&self, name: &str, bound: usize) -> Result<Vec<usize>> {
        let length = self.width(name);
        let index = |&value: &f64| {
            let sound = value >= 0.0 && value < bound as f64 && value.fract() == 0.0;
            if sound { Ok(value as usize) } else { Err(broken(format!("'{name}' holds {value}"))) }
        };
        self.vector(name, length)?.iter().map(index).collect()
    }

    /// A count.
    pub fn count(&self, name: &str) -> Result<usize> {
        let count =
            self.facts.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
        count.ok_or_else(|| broken(format!("it has no count '{name}'")))
    }

    /// A finite number.
    pub fn number(&self, name: &str) -> Result<f64> {
        self.facts
            .get(name)
            .and_then(Value::as_f64)
            .ok_or_else(|| broken(format!("it has no number '{name}'")))
    }

    /// A word.
    pub fn word(&self, name: &str) -> Result<&str> {
        self.facts.get(name).and_then(Value::as_str).ok_or_else(|| broken(format!("it has no word '{name}'")))
    }
}

pub(super) fn broken(problem: impl Into<String>) -> Error {
    Error::ModelFile { problem: problem.into() }
}
