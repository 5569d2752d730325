//! What a fitted model shows of itself to the front ends, which know no method by name.

use ndarray::{Array1, Array2};

/// A named part of a fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name: scikit-learn's where that library has one, without the underscore at the end.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Its value.
    pub value: Datum,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// A whole number.
    Count(usize),
    /// A number.
    Number(f64),
    /// A vector.
    Vector(Array1<f64>),
    /// A matrix.
    Matrix(Array2<f64>),
}

/// The form of something that a method has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Count,
    Number,
    Vector,
    Matrix,
}

/// Something that a method finds, beyond the map: its name, its meaning, its form.
pub(crate) type Part = (&'static str, &'static str, Form);

impl Attribute {
    /// Names a value.
    pub fn new(name: &'static str, meaning: &'static str, value: impl Into<Datum>) -> Self {
        Self { name, meaning, value: value.into() }
    }

    /// The parts of a method with what it has found.
    pub(crate) fn of_parts(parts: &[Part], found: &[Datum]) -> impl Iterator<Item = Self> {
        parts.iter().zip(found).map(|(part, datum)| Self::new(part.0, part.1, datum.clone()))
    }
}

impl Datum {
    /// All its numbers.
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Count(count) => vec![*count as f64],
            Self::Number(number) => vec![*number],
            Self::Vector(vector) => vector.to_vec(),
            Self::Matrix(matrix) => matrix.iter().copied().collect(),
        }
    }
}

impl From<usize> for Datum {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Datum {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Array1<f64>> for Datum {
    fn from(vector: Array1<f64>) -> Self {
        Self::Vector(vector)
    }
}

impl From<Array2<f64>> for Datum {
    fn from(matrix: Array2<f64>) -> Self {
        Self::Matrix(matrix)
    }
}
