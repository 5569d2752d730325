//! What stands beside the numbers of a table: ids, labels, and the columns that are passed on; and the models that know
//! the table of their fit.

use crate::files::{Labels, Output};
use crate::outcome::Outcome;
use lowland::units::count;
use lowland::{AnyMatrix, Error, Model};
use lowland_io::preparation::TableRecipe;
use lowland_io::{Part, Sheet, Texts, is_missing};
use ndarray::Array2;
use std::path::Path;

/// What stands beside the matrix in its table.
#[derive(Default)]
pub struct Beside {
    pub ids: Option<(String, Labels)>,
    pub labels: Option<(String, Labels)>,
    /// Columns that are passed on as they are, by their place in the file.
    pub carried: Vec<(usize, String, Labels)>,
    /// The place in the file of each column of the matrix.
    pub origins: Vec<usize>,
    /// The cells of the matrix's columns as the file has them.
    pub texts: Texts,
    /// The matrix before it was standardized or filled in, where columns are carried.
    pub unscaled: Option<AnyMatrix>,
    /// The rows of the file that were kept, where some were left out.
    pub rows: Option<Vec<usize>>,
    /// The rows of the file.
    pub total: usize,
    /// The line of the first of them, where the file is text.
    pub first_line: Option<usize>,
}

impl Beside {
    /// Refuses a file whose rows have other ids than these: it is read row by row.
    pub fn same_ids(&self, path: &str, there: Option<&(String, Labels)>) -> Outcome {
        let (Some((name, here)), Some((_, there))) = (&self.ids, there) else { return Ok(()) };
        let word = |labels: &Labels, row: usize| match labels {
            Labels::Numbers(numbers) => numbers[row].to_string(),
            Labels::Words(words) => words[row].clone(),
        };
        let rows = here.len();
        if rows != there.len() {
            return Ok(());
        }
        let other: Vec<usize> = (0..rows).filter(|&row| word(here, row) != word(there, row)).collect();
        let Some(&first) = other.first() else { return Ok(()) };
        let problem = format!(
            "{} of {} another '{name}' in {path} than in the data: the first has '{}' there and '{}' here",
            other.len(),
            count(rows, "row") + if other.len() == 1 { " has" } else { " have" },
            word(there, first),
            word(here, first)
        );
        Err(Error::malformed("ids", problem, "bring the rows into the same order, or leave out the ids")
            .into())
    }

    /// Where a row of the matrix stands: lines of a text, rows of an array, as other messages name them.
    pub fn position(&self, row: usize) -> String {
        let row = self.rows.as_ref().map_or(row, |rows| rows[row]);
        self.first_line.map_or_else(|| format!("row {row}"), |first| format!("line {}", first + row))
    }

    /// Labels of all rows of the file, for the rows that were kept.
    pub fn kept(&self, labels: Labels) -> Labels {
        match (&self.rows, labels) {
            (None, labels) => labels,
            (Some(rows), Labels::Numbers(numbers)) => {
                Labels::Numbers(rows.iter().map(|&i| numbers[i]).collect())
            }
            (Some(rows), Labels::Words(words)) => {
                Labels::Words(rows.iter().map(|&i| words[i].clone()).collect())
            }
        }
    }

    /// The same of some of its rows.
    pub fn only(self, kept: &[usize]) -> Self {
        let some = |labels: Labels| match labels {
            Labels::Numbers(numbers) => Labels::Numbers(kept.iter().map(|&i| numbers[i]).collect()),
            Labels::Words(words) => Labels::Words(kept.iter().map(|&i| words[i].clone()).collect()),
        };
        let named = |column: Option<(String, Labels)>| column.map(|(name, labels)| (name, some(labels)));
        let texts = |cells: Vec<String>| kept.iter().map(|&i| cells[i].clone()).collect();
        Self {
            ids: named(self.ids),
            labels: named(self.labels),
            carried: self.carried.into_iter().map(|(at, name, labels)| (at, name, some(labels))).collect(),
            texts: self.texts.into_iter().map(|column| column.map(texts)).collect(),
            unscaled: self.unscaled.map(|matrix| matrix.select(kept)),
            rows: Some(kept.iter().map(|&i| self.rows.as_ref().map_or(i, |rows| rows[i])).collect()),
            ..self
        }
    }

    fn first(&self) -> Vec<(String, Part<'_>)> {
        let columns = self.ids.iter().chain(&self.labels);
        columns.map(|(name, values)| (name.clone(), Part::Other(values))).collect()
    }

    /// Writes rows of so many components after the ids and the labels.
    pub fn write_components(&self, rows: &AnyMatrix, output: Output) -> Outcome {
        let names: Vec<String> = (1..=rows.dim().1).map(|j| format!("c{j}")).collect();
        self.write_rows(rows, &names, output)
    }

    /// Writes rows with these names after the ids and the labels.
    pub fn write_rows(&self, rows: &AnyMatrix, names: &[String], output: Output) -> Outcome {
        let mut columns = self.first();
        let free = |name: &String| !columns.iter().any(|(taken, _)| taken == name);
        let names: Vec<String> =
            names.iter().map(|name| if free(name) { name.clone() } else { format!("{name}_") }).collect();
        columns.extend(names.into_iter().enumerate().map(|(j, name)| (name, Part::Number(j))));
        Ok(output.write_sheet(&Sheet { matrix: rows, header: true, columns })?)
    }

    /// Writes the clusters: alone, or after the ids and the labels.
    pub fn write_clusters(&self, clusters: Vec<f64>, output: Output) -> Outcome {
        let mut columns = self.first();
        let labels = Labels::Numbers(clusters);
        if columns.is_empty() {
            return Ok(output.write_labels(&labels)?);
        }
        columns.push(("cluster".into(), Part::Other(&labels)));
        let Labels::Numbers(numbers) = &labels else { return Ok(()) };
        let matrix = AnyMatrix::F64(Array2::from_shape_fn((numbers.len(), 1), |(i, _)| numbers[i]));
        Ok(output.write_sheet(&Sheet { matrix: &matrix, header: true, columns })?)
    }

    /// Writes the table again, with these rows in the place of its numbers. A cell that was there keeps its text.
    pub fn write_table(&self, rows: &AnyMatrix, names: Option<&[String]>, output: Output) -> Outcome {
        let kept: Vec<Option<Labels>> =
            (0..rows.dim().1).map(|j| self.with_texts(rows, j).filter(|_| output.is_text())).collect();
        if self.carried.is_empty() && kept.iter().all(Option::is_none) {
            return Ok(output.write(rows, names)?);
        }
        let part = |j: usize| kept[j].as_ref().map_or(Part::Number(j), Part::Other);
        let name = |j: usize| {
            names.map_or_else(|| format!("column {}", self.origins[j] + 1), |names| names[j].clone())
        };
        let mut columns: Vec<(usize, String, Part<'_>)> =
            (0..rows.dim().1).map(|j| (self.origins[j], name(j), part(j))).collect();
        columns.extend(self.carried.iter().map(|(at, name, words)| (*at, name.clone(), Part::Other(words))));
        columns.sort_by_key(|(at, ..)| *at);
        let columns = columns.into_iter().map(|(_, name, part)| (name, part)).collect();
        Ok(output.write_sheet(&Sheet { matrix: rows, header: names.is_some(), columns })?)
    }

    /// A column of the matrix with the text of the cells that were there; one that is still missing keeps it, too.
    fn with_texts(&self, rows: &AnyMatrix, j: usize) -> Option<Labels> {
        let texts = self.texts.get(j)?.as_ref()?;
        let number = |i: usize| match rows {
            AnyMatrix::F32(rows) => (!rows[(i, j)].is_nan()).then(|| rows[(i, j)].to_string()),
            AnyMatrix::F64(rows) => (!rows[(i, j)].is_nan()).then(|| rows[(i, j)].to_string()),
        };
        let cell = |(i, text): (usize, &String)| {
            let filled = if is_missing(text) { number(i) } else { None };
            filled.unwrap_or_else(|| text.clone())
        };
        Some(Labels::Words(texts.iter().enumerate().map(cell).collect()))
    }
}

/// A model from a file, with what the table of its fit went through.
pub struct Fitted {
    pub model: Box<dyn Model>,
    pub recipe: Option<TableRecipe>,
    pub imputer: Option<Box<dyn Model>>,
}

impl Fitted {
    pub fn open(path: &str) -> Outcome<Self> {
        let (model, preparation) = lowland::load_prepared(Path::new(path))?;
        let (recipe, imputer) = match preparation {
            Some(preparation) => (TableRecipe::from_json(preparation.recipe)?, preparation.imputer),
            // Saved by Python: the names of the columns are all that is known of the table.
            None => match lowland::load_names(Path::new(path))? {
                Some(names) => (TableRecipe::of_names(names), None),
                None => return Ok(Self { model, recipe: None, imputer: None }),
            },
        };
        if recipe.columns().len() != model.features() {
            let problem = "its table has other columns than its model".into();
            return Err(lowland::Error::ModelFile { problem }.into());
        }
        Ok(Self { model, recipe: Some(recipe), imputer })
    }

    /// Rows of the data's space in the units of the table, and their names.
    pub fn restored(&self, rows: AnyMatrix) -> (AnyMatrix, Option<Vec<String>>) {
        match &self.recipe {
            Some(recipe) => (recipe.restored(rows), Some(recipe.columns())),
            None => (rows, None),
        }
    }

    /// The names of the id and the label column of the fit.
    pub fn id_and_label(&self) -> (Option<String>, Option<String>) {
        self.recipe.as_ref().map(TableRecipe::id_and_label).unwrap_or_default()
    }
}
