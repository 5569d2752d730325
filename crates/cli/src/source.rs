//! Where data come from: a file, or a built-in generator.

use crate::args::Input;
use crate::files::{self, Labels, ReadOptions};
use crate::outcome::{Failure, Outcome};
use lowland::data::{self, Generator};
use lowland::{AnyInput, AnyMatrix, Csr, Element, Entry, InputKind};
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

    /// The same, with cells that may be missing where the method takes them in rows of this kind.
    pub fn for_method(mut self, entry: &Entry, kind: InputKind) -> Self {
        let can = entry.capabilities;
        if let Self::File { options, .. } = &mut self {
            options.missing = can.missing || (can.missing_pairs && kind == InputKind::Distances);
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

/// A matrix as the input of a method: what its rows are said to be.
pub struct Prepared<'m> {
    matrix: &'m AnyMatrix,
    kind: InputKind,
    sparse: Option<Sparse>,
}

/// What is not zero in a matrix, in its precision.
enum Sparse {
    F32(Csr<f32>),
    F64(Csr<f64>),
}

impl<'m> Prepared<'m> {
    /// Takes a matrix for what it is said to be. Of sparse points and of a graph, only what is not zero is kept.
    pub fn new(matrix: &'m AnyMatrix, kind: InputKind) -> Outcome<Self> {
        let sparse = match matrix {
            _ if !kind.is_sparse() => None,
            AnyMatrix::F32(x) => Some(Sparse::F32(nonzero(x)?)),
            AnyMatrix::F64(x) => Some(Sparse::F64(nonzero(x)?)),
        };
        Ok(Self { matrix, kind, sparse })
    }

    /// The input.
    pub fn input(&self) -> AnyInput<'_> {
        match (&self.sparse, self.matrix) {
            (Some(Sparse::F32(x)), _) => sparse(x, self.kind),
            (Some(Sparse::F64(x)), _) => sparse(x, self.kind),
            (None, AnyMatrix::F32(x)) => dense(x, self.kind),
            (None, AnyMatrix::F64(x)) => dense(x, self.kind),
        }
    }
}

fn nonzero<T: Element>(x: &Array2<T>) -> lowland::Result<Csr<T>> {
    let stored = x.indexed_iter().filter(|(_, value)| **value != T::zero());
    let entries: Vec<(usize, usize, T)> = stored.map(|((i, j), &value)| (i, j, value)).collect();
    Csr::from_entries(x.nrows(), x.ncols(), &entries)
}

fn sparse<T: Element>(x: &Csr<T>, kind: InputKind) -> AnyInput<'_> {
    match kind {
        InputKind::Graph => lowland::Input::Graph(x).into(),
        _ => lowland::Input::Sparse(x).into(),
    }
}

fn dense<T: Element>(x: &Array2<T>, kind: InputKind) -> AnyInput<'_> {
    match kind {
        InputKind::Distances => lowland::Input::Distances(x.view()).into(),
        InputKind::Kernel => lowland::Input::Kernel(x.view()).into(),
        _ => x.into(),
    }
}

/// The rows as points: how new ones come, whatever a model was fitted to.
pub fn points(matrix: &AnyMatrix) -> AnyInput<'_> {
    matrix.into()
}
