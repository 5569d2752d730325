//! Where data come from: a file, or a built-in generator.

use crate::args::{Common, Input};
use crate::files::Labels;
use crate::outcome::{Failure, Outcome};
use crate::table::{Beside, Fitted};
use lowland::data::{self, Generator};
use lowland::{AnyInput, AnyMatrix, Csr, Element, Entry, InputKind, Preparation, Run};
use lowland_io::preparation::{self, Choices, Missing, Prepared as Table, Purpose};
use ndarray::Array2;

/// An input whose name has been understood; nothing is read yet.
pub enum Source<'a> {
    File { path: &'a str, choices: Choices, purpose: Purpose, quiet: bool },
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
    /// What stands beside the matrix in its table.
    pub beside: Beside,
    /// What a model file keeps of the table.
    pub preparation: Option<Preparation>,
    /// What was noticed and done, for a report.
    pub warnings: Vec<String>,
    /// The flags that do the same, where something was done that was not asked for.
    pub flags: Vec<String>,
}

impl<'a> Source<'a> {
    /// Understands `data:NAME?n=1000&noise=0&density=1&seed=0`; everything else is a file.
    pub fn parse(input: &'a Input, common: &Common) -> Outcome<Self> {
        let Some(address) = input.input.strip_prefix("data:") else {
            let choices = input.table.choices(common.memory);
            let purpose = Purpose::default();
            return Ok(Self::File { path: &input.input, choices, purpose, quiet: common.quiet });
        };
        if !input.table.typed().is_empty() {
            let message =
                format!("{} is for tables, not for built-in data; leave it out", input.table.typed().trim());
            return Err(Failure::Usage(message));
        }
        let (name, settings) = address.split_once('?').unwrap_or((address, ""));
        let generator = data::find(name).map_err(Failure::usage)?;
        let (mut rows, mut noise, mut density, mut seed) = (1000, 0.0, 1.0, common.seed);
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

    /// The same for this purpose.
    fn meant(mut self, change: impl FnOnce(&mut Choices, &mut Purpose)) -> Self {
        if let Self::File { choices, purpose, .. } = &mut self {
            change(choices, purpose);
        }
        self
    }

    /// For a fit of this method to rows of this kind: cells may be missing where the method takes them, and scales are
    /// looked at where they matter.
    pub fn for_method(self, entry: &Entry, kind: InputKind) -> Self {
        let points = matches!(kind, InputKind::Points | InputKind::Sparse);
        let can = entry.capabilities;
        let scales = points && !can.any_units;
        let holes = can.missing || (can.missing_pairs && kind == InputKind::Distances);
        self.meant(|_, purpose| {
            (purpose.holes, purpose.scales, purpose.unlabeled) = (holes, scales, can.optional_labels);
        })
    }

    /// For rows that a model is to embed: cells may be missing where the method takes them.
    pub fn for_rows(self, entry: &Entry) -> Self {
        self.meant(|_, purpose| purpose.holes = entry.capabilities.missing)
    }

    /// Where distances between the rows decide.
    pub fn for_distances(self) -> Self {
        self.meant(|_, purpose| purpose.scales = true)
    }

    /// For a fit that nobody has chosen: the table is made ready, and what was done is said.
    pub fn exploring(self) -> Self {
        self.meant(|_, purpose| purpose.explore = true)
    }

    /// For a forecast: nothing is fitted, not even what would fill in what is missing.
    pub fn for_forecast(self) -> Self {
        self.meant(|choices, purpose| {
            purpose.scales = false;
            if choices.missing == Some(Missing::Ppca) {
                choices.missing = Some(Missing::Mean);
            }
        })
    }

    /// With the columns that are not numeric beside the others.
    pub fn carrying(self) -> Self {
        self.meant(|_, purpose| (purpose.carry, purpose.holes) = (true, true))
    }

    /// With the columns that are not numeric beside the others, where distances between the rows decide.
    pub fn carrying_whole(self) -> Self {
        self.for_distances().meant(|_, purpose| purpose.carry = true)
    }

    /// With these columns beside the matrix, where there are any of such names.
    pub fn beside(self, (id, label): (Option<String>, Option<String>)) -> Self {
        self.meant(|choices, _| (choices.id_if_there, choices.label_if_there) = (id, label))
    }

    /// Another file, read in the same way.
    pub fn at<'b>(&self, path: &'b str) -> Source<'b> {
        let (choices, purpose, quiet) = match self {
            Self::File { choices, purpose, quiet, .. } => (choices.clone(), *purpose, *quiet),
            Self::Built { .. } => (Choices::default(), Purpose::default(), false),
        };
        Source::File { path, choices, purpose, quiet }
    }

    /// A short name for titles.
    pub fn name(&self) -> String {
        match self {
            Self::Built { generator, .. } => generator.name.into(),
            Self::File { path, .. } => {
                let path = path.strip_suffix(".gz").or_else(|| path.strip_suffix(".zst")).unwrap_or(path);
                let name = std::path::Path::new(path).file_stem();
                name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
            }
        }
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&'a str> {
        if let Self::File { path, .. } = self { Some(path) } else { None }
    }

    /// Reads or makes the data.
    pub fn load(&self, run: &Run) -> Outcome<Loaded> {
        match self {
            Self::File { path, choices, purpose, quiet } => {
                Ok(Loaded::of(preparation::prepare(path, choices, *purpose, run)?, *quiet))
            }
            Self::Built { generator, rows, noise, density, seed } => {
                let sample =
                    generator.sample_uneven(*rows, *noise, *density, *seed).map_err(Failure::usage)?;
                let structure = (!generator.classes)
                    .then(|| (sample.truth.column(0).to_vec(), generator.truth[0].to_owned()));
                let labels = Labels::Numbers(sample.labels.iter().map(|label| *label as f64).collect());
                let matrix: AnyMatrix = sample.points.into();
                let beside = Beside { total: matrix.dim().0, ..Beside::default() };
                Ok(Loaded {
                    matrix,
                    columns: None,
                    labels: Some(labels),
                    structure,
                    beside,
                    ..Loaded::empty()
                })
            }
        }
    }

    /// Reads or makes rows for a fitted model: a table goes the way of the table of the fit.
    pub fn load_for(&self, fitted: &Fitted, run: &Run) -> Outcome<Loaded> {
        let (Some(recipe), Self::File { path, choices, purpose, quiet }) = (&fitted.recipe, self) else {
            return self.load(run);
        };
        let purpose = Purpose { holes: fitted.model.entry().capabilities.missing, ..*purpose };
        let table = preparation::apply(recipe, fitted.imputer.as_deref(), path, choices, purpose, run)?;
        Ok(Loaded::of(table, *quiet))
    }
}

impl Loaded {
    fn empty() -> Self {
        Self {
            matrix: AnyMatrix::F64(Array2::zeros((0, 0))),
            columns: None,
            labels: None,
            structure: None,
            beside: Beside::default(),
            preparation: None,
            warnings: Vec::new(),
            flags: Vec::new(),
        }
    }

    fn of(table: Table, quiet: bool) -> Self {
        if !quiet {
            table.warnings.iter().for_each(|words| crate::outcome::print_message("warning", words));
            table.notes.iter().for_each(|words| crate::outcome::print_message("note", words));
        }
        let recipe =
            table.recipe.map(|recipe| Preparation { recipe: recipe.to_json(), imputer: table.imputer });
        let (label_name, labels) = table.labels.unzip();
        Self {
            matrix: table.matrix,
            columns: table.columns,
            labels: labels.clone(),
            beside: Beside {
                ids: table.ids,
                labels: label_name.zip(labels),
                carried: table.carried,
                origins: table.origins,
                unscaled: table.unscaled,
                texts: table.texts,
                rows: table.rows,
                total: table.total,
                first_line: table.first_line,
            },
            preparation: recipe,
            warnings: table.warnings.into_iter().chain(table.notes).collect(),
            flags: table.flags,
            ..Self::empty()
        }
    }

    /// The bytes of the model file of a fit to these data.
    pub fn model_bytes(&self, model: &dyn lowland::Model) -> lowland::Result<Vec<u8>> {
        let names = self.columns.clone().filter(|names| names.len() == model.features());
        lowland::prepared_bytes(model, names, self.preparation.as_ref())
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
