//! What every method is: a struct of parameters that can be checked, forecast and fitted, and an entry in the
//! registry that describes it.
//!
//! A method implements [`Fit`]. The blanket implementation of [`Method`] below makes everything else of it, so that the
//! typed fit, the fit by name and every front end refuse the same input with the same words.

mod admission;
mod bibtex;
mod properties;

use crate::chunks::{Admitted, Chunks};
use crate::fingerprint::Fingerprint;
use crate::model::{Archive, Model, Provenance};
use crate::parameters::{Described, Parameter, Value};
use crate::{AnyInput, InputKind, Shape};
use admission::{Origin, fit};
pub(crate) use admission::{admit, admit_kind, admit_values, finished};
use lowland_base::{Checkpoint, Result, Run};
use ndarray::ArrayView2;
pub use properties::Properties;

/// What a method can do, for the front ends and for the conformance suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Capabilities {
    /// The kinds of input it takes.
    pub inputs: &'static [InputKind],
    /// Whether a model can go back from the embedding.
    pub inverse: bool,
    /// Whether the seed can change the embedding beyond rounding in some setting, such as landmarks that are drawn or a
    /// random start. Where it is false, the seed changes no bit, but for the last digits of a solver that starts at
    /// random. The conformance suite looks for such a setting, and for such a change.
    pub random: bool,
    /// Whether the embedding is a local optimum of its objective, which depends on the start: from data that differ in
    /// the last digits it may be another one. (Clusters that are found in an embedding do not count.)
    pub local_optimum: bool,
    /// Whether the data may come in chunks that are never held together.
    pub chunks: bool,
    /// Whether a model is a probability density of the data: likelihoods of new rows, and samples.
    pub density: bool,
    /// Whether a model is a density up to a factor that is not known: free energies of new rows, and samples.
    pub energy: bool,
    /// Whether a model is a mixture: responsibilities of its parts for new rows.
    pub mixture: bool,
    /// Whether a fit needs one label a row: see [`Method::fit_labeled`].
    pub labels: bool,
    /// Whether a fit learns from labels where there are some, and does without where there are none. A label of -1 is one
    /// that is not known.
    pub optional_labels: bool,
    /// Whether a fit may begin with given coordinates: see [`Method::fit_from`].
    pub start: bool,
    /// Whether a fit under way can be kept as a checkpoint and gone on with: see [`Method::fit_on`].
    pub resume: bool,
    /// Whether the edges of a graph may go one way: its rows are lists of neighbors.
    pub directed: bool,
    /// Whether NaN means a missing value, in the fit and in new rows, and a model imputes it.
    pub missing: bool,
    /// Whether NaN in given distances is a pair whose distance is not known.
    pub missing_pairs: bool,
}

impl Capabilities {
    /// Points in, an embedding out, the same for every seed, and nothing beyond: what an entry starts from.
    pub const PLAIN: Self = Self {
        inputs: &[InputKind::Points],
        inverse: false,
        random: false,
        local_optimum: false,
        chunks: false,
        density: false,
        energy: false,
        mixture: false,
        labels: false,
        optional_labels: false,
        start: false,
        resume: false,
        directed: false,
        missing: false,
        missing_pairs: false,
    };
}

/// One line of the registry.
pub struct Entry {
    /// The canonical name: lower case, with hyphens.
    pub name: &'static str,
    /// Other names, those of peers among them.
    pub aliases: &'static [&'static str],
    /// The name in full.
    pub title: &'static str,
    /// One sentence on what it does and when to take it.
    pub summary: &'static str,
    /// The paper.
    pub citation: &'static str,
    /// What it can do.
    pub capabilities: Capabilities,
    /// Its parameters.
    pub parameters: fn() -> Vec<Parameter>,
    /// The method with its defaults.
    pub create: fn() -> Box<dyn Method>,
    /// A model from its archive.
    pub load: fn(&Archive) -> Result<Box<dyn Model>>,
}

impl Entry {
    /// What follows from the type of the method; its names and texts are still to be given.
    pub const fn of<M: Fit>() -> Self {
        Self {
            name: "",
            aliases: &[],
            title: "",
            summary: "",
            citation: "",
            capabilities: Capabilities::PLAIN,
            parameters: M::parameters,
            create: || Box::new(M::default()),
            load: |archive| {
                let method: M = archive.method(M::ENTRY.name)?;
                Ok(Box::new(method.load(archive)?))
            },
        }
    }
}

impl Entry {
    /// What a fit of this method is of.
    pub(crate) fn provenance(
        &self,
        hash: Fingerprint,
        (rows, columns): (usize, usize),
        run: &Run,
    ) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").into(),
            seed: run.seed(),
            input_hash: hash.hex(),
            rows,
            columns,
            citation: self.citation.into(),
            bibtex: self.bibtex(),
        }
    }

    /// The papers of the method in the form of BibTeX, one entry each.
    pub fn bibtex(&self) -> String {
        self.citation.split(';').map(|work| bibtex::entry(work.trim())).collect::<Vec<_>>().join("\n")
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a fit will cost, before anything is allocated.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Bytes at the peak, beyond the input.
    pub bytes: u64,
    /// Floating-point operations, roughly.
    pub flops: f64,
    /// A lighter way, where this is too much.
    pub remedy: String,
}

/// What a fit learns from, checked: an input and, where the method needs them, one label a row.
#[derive(Debug, Clone, Copy)]
pub struct Training<'i, 'l> {
    /// The data.
    pub input: AnyInput<'i>,
    /// One label a row; empty for a method that needs none.
    pub labels: &'l [i64],
    /// The coordinates to begin with, for a method that takes them.
    pub start: Option<ArrayView2<'l, f64>>,
    /// What a descent remembers that is at these coordinates.
    pub checkpoint: Option<&'l Checkpoint>,
}

/// What a method writes. Everything else that a user can do with it is in [`Method`], which follows from this.
pub trait Fit: Described + Send + Sync + 'static {
    /// What a fit gives.
    type Model: Model + 'static;

    /// Its line of the registry.
    const ENTRY: &'static Entry;

    /// The bounds that this method adds to the ranges of its parameters. The input has rows and columns.
    fn check(&self, shape: &Shape) -> Result<()>;

    /// What a fit on such an input would cost.
    fn forecast(&self, shape: &Shape) -> Forecast;

    /// Values for so many rows of parameters that are left open and depend on the number of rows.
    fn settled(&self, _rows: usize) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// The fit, on data that were admitted.
    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<Self::Model>;

    /// A model from its archive; `self` has the parameters of the fit.
    fn load(&self, archive: &Archive) -> Result<Self::Model>;

    /// Begins a fit in chunks, where the capabilities promise it.
    fn chunks(&self) -> Option<Box<dyn Chunks>> {
        None
    }
}

/// A pipeline that several methods share, with its settings.
pub trait Recipe {
    /// What a fit gives.
    type Model: Model + 'static;

    /// As [`Fit::check`].
    fn check(&self, shape: &Shape) -> Result<()>;

    /// As [`Fit::forecast`].
    fn forecast(&self, shape: &Shape) -> Forecast;

    /// As [`Fit::fit`], for the method of this entry with these parameters.
    fn fit(
        &self,
        input: AnyInput<'_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<Self::Model>;

    /// As [`Fit::load`].
    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<Self::Model>;
}

/// A method that is one setting of a [`Recipe`], and adds nothing of its own.
pub trait ByRecipe: Described + Send + Sync + 'static {
    /// What a fit gives.
    type Model: Model + 'static;

    /// Its line of the registry.
    const ENTRY: &'static Entry;

    /// The pipeline with its settings for so many rows; 0 where a model is loaded.
    fn recipe(&self, rows: usize) -> Box<dyn Recipe<Model = Self::Model>>;
}

impl<M: ByRecipe> Fit for M {
    type Model = M::Model;

    const ENTRY: &'static Entry = <M as ByRecipe>::ENTRY;

    fn check(&self, shape: &Shape) -> Result<()> {
        self.recipe(shape.rows).check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.recipe(shape.rows).forecast(shape)
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<Self::Model> {
        let recipe = self.recipe(data.input.shape().rows);
        recipe.fit(data.input, <Self as Fit>::ENTRY, self.settings(), run)
    }

    fn load(&self, archive: &Archive) -> Result<Self::Model> {
        self.recipe(0).load(<Self as Fit>::ENTRY, self.settings(), archive)
    }
}

/// A dimensionality-reduction method with its parameters.
pub trait Method: Send + Sync {
    /// Its line of the registry.
    fn entry(&self) -> &'static Entry;

    /// A parameter's value.
    fn get(&self, name: &str) -> Option<Value>;

    /// Sets a parameter by name.
    fn set(&mut self, name: &str, value: &Value) -> Result<()>;

    /// Whether the parameters fit each other and the input.
    fn check(&self, shape: &Shape) -> Result<()>;

    /// What a fit on such an input would cost.
    fn forecast(&self, shape: &Shape) -> Forecast;

    /// Begins a fit in chunks, where the method's capabilities promise it.
    fn chunks(&self) -> Option<Box<dyn Chunks>>;

    /// The same method, with what it would choose for so many rows.
    fn settled(&self, rows: usize) -> Result<Box<dyn Method>>;

    /// Fits the method.
    fn fit(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>>;

    /// Fits the method with one label a row. Rows of equal labels belong together: to a class, or to one signal
    /// and its distorted versions. A method that needs no labels does not see them.
    fn fit_labeled(&self, input: AnyInput<'_>, labels: &[i64], run: &Run) -> Result<Box<dyn Model>>;

    /// Fits the method from given coordinates on, one row a row of the input, where its capabilities say `start`; with
    /// labels where there are some.
    fn fit_from(
        &self,
        input: AnyInput<'_>,
        labels: Option<&[i64]>,
        start: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Box<dyn Model>>;

    /// Goes on with a fit that was interrupted: the same method with the same parameters, on the same input.
    fn fit_on(
        &self,
        input: AnyInput<'_>,
        labels: Option<&[i64]>,
        checkpoint: &Checkpoint,
        run: &Run,
    ) -> Result<Box<dyn Model>>;

    /// [`Method::fit`] that keeps the type of the model.
    fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<Self::Model>
    where
        Self: Fit + Sized,
    {
        fit(self, input.into(), None, Origin::Own, run)
    }

    /// [`Method::fit_labeled`] that keeps the type of the model.
    fn fit_model_labeled<'a>(
        &self,
        input: impl Into<AnyInput<'a>>,
        labels: &[i64],
        run: &Run,
    ) -> Result<Self::Model>
    where
        Self: Fit + Sized,
    {
        fit(self, input.into(), Some(labels), Origin::Own, run)
    }
}

impl<M: Fit> Method for M {
    fn entry(&self) -> &'static Entry {
        M::ENTRY
    }

    fn get(&self, name: &str) -> Option<Value> {
        Described::get(self, name)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        Described::set(self, M::ENTRY.name, name, value)
    }

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        Fit::check(self, shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        Fit::forecast(self, shape)
    }

    fn chunks(&self) -> Option<Box<dyn Chunks>> {
        let chunks = Fit::chunks(self)?;
        Some(Box::new(Admitted::new(M::ENTRY, chunks)))
    }

    fn settled(&self, rows: usize) -> Result<Box<dyn Method>> {
        let mut method = M::default();
        for (name, value) in self.settings().iter().chain(&Fit::settled(self, rows)) {
            Described::set(&mut method, M::ENTRY.name, name, value)?;
        }
        Ok(Box::new(method))
    }

    fn fit(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(fit(self, input, None, Origin::Own, run)?))
    }

    fn fit_labeled(&self, input: AnyInput<'_>, labels: &[i64], run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(fit(self, input, Some(labels), Origin::Own, run)?))
    }

    fn fit_from(
        &self,
        input: AnyInput<'_>,
        labels: Option<&[i64]>,
        start: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Box<dyn Model>> {
        Ok(Box::new(fit(self, input, labels, Origin::Given(start), run)?))
    }

    fn fit_on(
        &self,
        input: AnyInput<'_>,
        labels: Option<&[i64]>,
        checkpoint: &Checkpoint,
        run: &Run,
    ) -> Result<Box<dyn Model>> {
        Ok(Box::new(fit(self, input, labels, Origin::Checkpoint(checkpoint), run)?))
    }
}
