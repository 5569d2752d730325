//! From a table as people have it to a matrix: which columns, what words become, what is done about missing values, and
//! the scale. What was chosen is a [`TableRecipe`], which a model file keeps so that new rows go the same way.

mod apply;
mod decide;
mod encode;
mod fill;
mod notice;
mod prepare;
mod rows;
#[cfg(test)]
mod tests;
mod unusable;

pub use apply::apply;
pub use fill::{empty_rows, patched};
pub use prepare::prepare;

pub(crate) use encode::boolean;

use crate::{AnyMatrix, Labels, Texts};
use encode::How;
use lowland::Model;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What is done about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// Rows with a missing value are left out.
    DropRows,
    /// Filled in by probabilistic PCA of the standardized columns.
    Ppca,
    /// Filled in by the mean of the column.
    Mean,
    /// Refused.
    Error,
}

impl Missing {
    /// All choices by name.
    pub const ALL: [(&'static str, Self); 4] =
        [("drop-rows", Self::DropRows), ("ppca", Self::Ppca), ("mean", Self::Mean), ("error", Self::Error)];
}

impl FromStr for Missing {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == word);
        found.map(|(_, missing)| *missing).ok_or_else(|| "it must be drop-rows, ppca, mean or error".into())
    }
}

/// What the user asks for.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// Lists of the columns that are taken; none means all.
    pub columns: Vec<String>,
    /// Lists of the columns that are left out.
    pub drop: Vec<String>,
    /// The column that names the rows.
    pub id: Option<String>,
    /// The column that holds labels.
    pub label: Option<String>,
    /// The id column, where the table has one of this name.
    pub id_if_there: Option<String>,
    /// The label column, where the table has one of this name.
    pub label_if_there: Option<String>,
    /// What words become: `one-hot`, or `COLUMN=one-hot`.
    pub encode: Vec<String>,
    /// What is done about missing values.
    pub missing: Option<Missing>,
    /// Whether every column gets mean 0 and standard deviation 1.
    pub standardize: bool,
    /// Whether a text file begins with a line of names.
    pub header: Option<bool>,
    /// The bytes that a compressed file may unfold to.
    pub memory: Option<u64>,
}

/// What the table is for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Purpose {
    /// The method takes missing values as they are.
    pub holes: bool,
    /// What cannot be used is left out, what is missing is filled in, and scales are evened out; all of it is said.
    pub explore: bool,
    /// The columns that are not numbers are kept beside the matrix.
    pub carry: bool,
    /// Scales that differ by orders of magnitude are worth a warning.
    pub scales: bool,
    /// Labels may be missing: see [`crate::ReadOptions::missing_labels`].
    pub unlabeled: bool,
}

/// A table that has become a matrix.
pub struct Prepared {
    /// The numbers.
    pub matrix: AnyMatrix,
    /// The same before it was standardized or, for a fit, filled in, where others are carried beside it.
    pub unscaled: Option<AnyMatrix>,
    /// The names of the matrix's columns, where the file gives names.
    pub columns: Option<Vec<String>>,
    /// The label column and its name.
    pub labels: Option<(String, Labels)>,
    /// The id column and its name.
    pub ids: Option<(String, Labels)>,
    /// The columns of the file that are not in the matrix, by their index: those that a purpose carries.
    pub carried: Vec<(usize, String, Labels)>,
    /// The column of the file that each column of the matrix comes from.
    pub origins: Vec<usize>,
    /// The cells of the matrix's columns as they are in the file, for a purpose that carries columns.
    pub texts: Texts,
    /// The rows of the file that were kept, where some were left out.
    pub rows: Option<Vec<usize>>,
    /// How many rows the file has.
    pub total: usize,
    /// The line of the first of them, where the file is text.
    pub first_line: Option<usize>,
    /// What was chosen, where it matters for new rows.
    pub recipe: Option<TableRecipe>,
    /// The model that filled in what was missing.
    pub imputer: Option<Box<dyn Model>>,
    /// What was noticed and may be wrong.
    pub warnings: Vec<String>,
    /// What was done, as it was asked for.
    pub notes: Vec<String>,
    /// The flags that do the same, where they were not given.
    pub flags: Vec<String>,
}

/// Everything that turns new rows of the same table into rows of the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableRecipe {
    /// Whether the file gave names.
    named: bool,
    /// How many columns it had.
    width: usize,
    /// The columns that are taken, in the order of the matrix.
    taken: Vec<Taken>,
    /// The id column.
    id: Option<ColumnRef>,
    /// The label column.
    label: Option<ColumnRef>,
    /// What is done about missing values.
    missing: Option<Missing>,
    /// The mean and the standard deviation of every column of the matrix.
    scaling: Option<Scaling>,
    /// Whether the columns are standardized by them.
    standardize: bool,
}

impl TableRecipe {
    /// Columns of these names, taken as they are: what a model knows that was saved with their names alone.
    pub fn of_names(names: Vec<String>) -> Self {
        let width = names.len();
        let number = |(index, name)| Taken { column: ColumnRef { name, index }, how: How::Number };
        let taken = names.into_iter().enumerate().map(number).collect();
        Self {
            named: true,
            width,
            taken,
            id: None,
            label: None,
            missing: None,
            scaling: None,
            standardize: false,
        }
    }

    /// The columns of the matrix by name.
    pub fn columns(&self) -> Vec<String> {
        self.taken.iter().flat_map(|taken| taken.how.columns(&taken.column.name)).collect()
    }

    /// Rows of the matrix in the units of the table again.
    pub fn restored(&self, rows: AnyMatrix) -> AnyMatrix {
        match &self.scaling {
            Some(scaling) if self.standardize && scaling.mean.len() == rows.dim().1 => scaling.back(&rows),
            _ => rows,
        }
    }

    /// The names of the id and the label column.
    pub fn id_and_label(&self) -> (Option<String>, Option<String>) {
        let [id, label] =
            [&self.id, &self.label].map(|column| column.as_ref().map(|column| column.name.clone()));
        (id, label)
    }

    /// What happens to the columns besides being chosen, in words; empty where nothing does.
    pub fn changes(&self) -> Vec<&'static str> {
        let encoded = self.taken.iter().any(|taken| taken.how != How::Number);
        let rescaled = self.scaling.as_ref().is_some_and(|scaling| scaling.power().is_some());
        let scaled = if rescaled { "rescaled" } else { "standardized" };
        let words = [(encoded, "encoded"), (self.standardize, scaled)];
        words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect()
    }

    /// As JSON, for a model file.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// From the JSON of a model file.
    pub fn from_json(value: serde_json::Value) -> lowland::Result<Self> {
        let broken = |problem: String| lowland::Error::ModelFile { problem };
        let recipe: Self = serde_json::from_value(value)
            .map_err(|error| broken(format!("its preparation of the table is not understood ({error})")))?;
        let columns = recipe.columns().len();
        let lengths = recipe.scaling.as_ref().map(|scaling| (scaling.mean.len(), scaling.scale.len()));
        if lengths.is_some_and(|lengths| lengths != (columns, columns)) {
            return Err(broken("its scaling does not fit its columns".into()));
        }
        let within = |column: &ColumnRef| column.index < recipe.width;
        let columns = recipe.taken.iter().map(|taken| &taken.column).chain(&recipe.id).chain(&recipe.label);
        if !columns.into_iter().all(within) {
            return Err(broken("a column of its table lies beyond the last".into()));
        }
        Ok(recipe)
    }
}

/// A column of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ColumnRef {
    name: String,
    index: usize,
}

/// A column of the file that is taken, and what it becomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Taken {
    #[serde(flatten)]
    column: ColumnRef,
    how: How,
}

/// Means and standard deviations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Scaling {
    mean: Vec<f64>,
    scale: Vec<f64>,
}
