//! Where data come from: a file, or a built-in generator.

use crate::args::{Input, Rows};
use crate::files::{self, Labels, ReadOptions};
use crate::outcome::{Failure, Outcome};
use lowland::data::{self, Generator};
use lowland::{AnyInput, AnyMatrix, Csr, Entry};
use ndarray::Array2;

/// An input whose name has been understood; nothing is read yet.
pub enum Source<'a> {
    File { path: &'a str, options: ReadOptions },
    Built { generator: &'static Generator, rows: usize, noise: f64, density: f64, seed: u64 },
}

/// Data that have been read.
pub struct Loaded {
    pub matrix: AnyMatrix,
    /// The names of the columns, where the file gives them.
    pub columns: Option<Vec<String>>,
    pub labels: Option<Labels>,
    /// The value that shows the structure, and its name, where it is known.
    pub structure: Option<(Vec<f64>, String)>,
}

impl<'a> Source<'a> {
    /// Understands `data:NAME?n=1000&noise=0&density=1&seed=0`; everything else is a file.
    pub fn parse(input: &'a Input, seed: u64, memory: Option<u64>) -> Outcome<Self> {
        let Some(address) = input.input.strip_prefix("data:") else {
            let (label_column, header) = (input.label_column.clone(), input.header);
            let options = ReadOptions { label_column, header, memory, ..ReadOptions::default() };
            return Ok(Self::File { path: &input.input, options });
        };
        let (name, settings) = address.split_once('?').unwrap_or((address, ""));
        let generator = data::find(name).map_err(Failure::usage)?;
        let (mut rows, mut noise, mut density, mut seed) = (1000, 0.0, 1.0, seed);
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            let read = match key {
                "n" => value.parse().map(|n| rows = n).is_ok(),
                "noise" => value.parse().map(|s| noise = s).is_ok(),
                "density" => value.parse().map(|g| density = g).is_ok(),
                "seed" => value.parse().map(|s| seed = s).is_ok(),
                _ => false,
            };
            if !read {
                let message = format!(
                    "'{setting}' is not a setting of built-in data: take n, noise, density or seed, as in data:{name}?n=1000&noise=0.05&density=2&seed=1"
                );
                return Err(Failure::Usage(message));
            }
        }
        Ok(Self::Built { generator, rows, noise, density, seed })
    }

    /// The same, with cells that may be missing where the method takes them.
    pub fn for_method(mut self, entry: &Entry) -> Self {
        if let Self::File { options, .. } = &mut self {
            options.missing = entry.capabilities.missing;
        }
        self
    }

    /// A short name for titles.
    pub fn name(&self) -> String {
        match self {
            Self::Built { generator, .. } => generator.name.into(),
            Self::File { path, .. } => {
                let name = std::path::Path::new(path).file_stem();
                name.map_or_else(|| (*path).to_owned(), |name| name.to_string_lossy().into_owned())
            }
        }
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&'a str> {
        if let Self::File { path, .. } = self { Some(path) } else { None }
    }

    /// Reads or makes the data.
    pub fn load(&self) -> Outcome<Loaded> {
        match self {
            Self::File { path, options } => {
                let data = files::read(path, options)?;
                Ok(Loaded {
                    matrix: data.matrix,
                    columns: data.columns,
                    labels: data.labels,
                    structure: None,
                })
            }
            Self::Built { generator, rows, noise, density, seed } => {
                let sample =
                    generator.sample_uneven(*rows, *noise, *density, *seed).map_err(Failure::usage)?;
                let structure = (!generator.classes)
                    .then(|| (sample.truth.column(0).to_vec(), generator.truth[0].to_owned()));
                let labels = Labels::Numbers(sample.labels.iter().map(|label| *label as f64).collect());
                Ok(Loaded { matrix: sample.points.into(), columns: None, labels: Some(labels), structure })
            }
        }
    }
}

/// A matrix as the input of a method: what the rows are said to be. A graph needs its edges, which [`edges`] finds.
pub fn given<'m>(matrix: &'m AnyMatrix, edges: Option<&'m Csr<f64>>, rows: Rows) -> AnyInput<'m> {
    fn of<T: lowland::Element>(x: &Array2<T>, rows: Rows) -> AnyInput<'_> {
        match rows {
            Rows::Distances => lowland::Input::Distances(x.view()).into(),
            Rows::Kernel => lowland::Input::Kernel(x.view()).into(),
            Rows::Points | Rows::Graph => x.into(),
        }
    }
    match (edges, matrix) {
        (Some(edges), _) => lowland::Input::Graph(edges).into(),
        (None, AnyMatrix::F32(x)) => of(x, rows),
        (None, AnyMatrix::F64(x)) => of(x, rows),
    }
}

/// The entries of a matrix that are not zero, where the rows are said to be a graph's.
pub fn edges(matrix: &AnyMatrix, rows: Rows) -> Outcome<Option<Csr<f64>>> {
    if rows != Rows::Graph {
        return Ok(None);
    }
    let matrix = matrix.to_f64();
    let entries: Vec<(usize, usize, f64)> =
        matrix.indexed_iter().filter(|(_, value)| **value != 0.0).map(|((i, j), &v)| (i, j, v)).collect();
    Ok(Some(Csr::from_entries(matrix.nrows(), matrix.ncols(), &entries)?))
}

/// The rows as points: how new ones come, whatever a model was fitted to.
pub fn points(matrix: &AnyMatrix) -> AnyInput<'_> {
    match matrix {
        AnyMatrix::F32(matrix) => matrix.into(),
        AnyMatrix::F64(matrix) => matrix.into(),
    }
}
