//! What every method is: a struct of parameters that can be checked, forecast and fitted, and an entry in the
//! registry that describes it.
//!
//! A method implements [`Fit`]. The blanket implementation of [`Method`] below makes everything else of it, so that the
//! typed fit, the fit by name and every front end refuse the same input with the same words.

mod admission;
mod bibtex;
mod entry;
mod lighter;
mod properties;

use crate::chunks::{Accumulate, Chunks, Stream};
use crate::model::{Archive, Model};
use crate::parameters::{Described, Value};
use crate::{AnyInput, Shape};
#[cfg(test)]
pub(crate) use admission::admit;
pub(crate) use admission::{Given, admit_kind, admit_values, finished, fit_given};
use admission::{Init, check_neighborhood, fit};
pub use entry::{Capabilities, Entry};
use lowland_base::{Checkpoint, Result, Run};
use ndarray::ArrayView2;
pub use properties::Properties;

/// What a fit will cost, before anything is allocated.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Bytes at the peak, beyond the input.
    pub bytes: u64,
    /// Floating-point operations, roughly.
    pub flops: f64,
    /// A lighter way, where this is too much: of [`Fit::forecast`], what helps beside the parameters, and nothing where
    /// nothing does; of [`Method::forecast`], all that helps.
    pub remedy: String,
}

/// What a fit learns from, checked: an input and, where the method needs them, one label a row. Only the admission makes
/// one, so that no fit sees what was not admitted:
///
/// ```compile_fail
/// use lowland::{Fit, Run, Training, methods::Nca};
/// # let x = ndarray::array![[f64::NAN, 0.1], [-2.0, -0.1], [1.0, 0.0]];
/// let data = Training { input: (&x).into(), labels: &[0, 1, 0], start: None, checkpoint: None };
/// Fit::fit(&Nca::default(), data, &Run::new());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Training<'i, 'l> {
    pub(crate) input: AnyInput<'i>,
    pub(crate) labels: &'l [i64],
    pub(crate) start: Option<ArrayView2<'l, f64>>,
    pub(crate) checkpoint: Option<&'l Checkpoint>,
}

impl<'i, 'l> Training<'i, 'l> {
    /// The data.
    pub fn input(&self) -> AnyInput<'i> {
        self.input
    }

    /// One label a row; empty for a method that needs none.
    pub fn labels(&self) -> &'l [i64] {
        self.labels
    }

    /// The coordinates to begin with, for a method that takes them.
    pub fn start(&self) -> Option<ArrayView2<'l, f64>> {
        self.start
    }

    /// What a descent remembers that is at these coordinates.
    pub fn checkpoint(&self) -> Option<&'l Checkpoint> {
        self.checkpoint
    }
}

/// Names of parameters.
pub type Names = &'static [&'static str];

/// What a method writes. Everything else that a user can do with it is in [`Method`], which follows from this.
pub trait Fit: Described + Send + Sync + 'static {
    /// What a fit gives.
    type Model: Model + 'static;

    /// Its line of the registry.
    const ENTRY: &'static Entry;

    /// For methods that go on from a checkpoint: the parameters that may be others than before, since they only say when a fit
    /// ends, and where one begins.
    const MAY_CHANGE: Names = &[];

    /// The bounds that this method adds to the ranges of its parameters. The input has rows and columns.
    fn check(&self, shape: &Shape) -> Result<()>;

    /// What a fit on such an input would cost.
    fn forecast(&self, shape: &Shape) -> Forecast;

    /// Whether a fit with these parameters learns from labels and cannot do without.
    fn needs_labels(&self) -> bool {
        Self::ENTRY.capabilities.labels
    }

    /// What parameters that are left open become for an input of this shape, where the shape determines it.
    fn resolved_for(&self, _shape: &Shape) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// The fit, on data that were admitted.
    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<Self::Model>;

    /// A model from its archive; `self` has the parameters of the fit.
    fn load(&self, archive: &Archive) -> Result<Self::Model>;

    /// Begins a fit in chunks, where the capabilities promise it; the ranges of the parameters were checked.
    fn chunks(&self) -> Option<Box<dyn Accumulate<Model = Self::Model>>> {
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

    /// As [`Fit::resolved_for`].
    fn resolved_for(&self, _shape: &Shape) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// As [`Fit::fit`], for the method of this entry with these parameters.
    fn fit(
        &self,
        data: Training<'_, '_>,
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

    /// As [`Fit::resolved_for`].
    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        self.recipe(shape.rows).resolved_for(shape)
    }
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

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        ByRecipe::resolved_for(self, shape)
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<Self::Model> {
        let recipe = self.recipe(data.input.shape().rows);
        recipe.fit(data, <Self as Fit>::ENTRY, self.settings(), run)
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
    fn chunks(&self) -> Result<Box<dyn Chunks>>;

    /// The same method, with what it would choose for an input of this shape, where the shape determines it.
    fn resolved_for(&self, shape: &Shape) -> Result<Box<dyn Method>>;

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
    fn resume(
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
        fit(self, input.into(), None, Init::Own, run)
    }

    /// [`Method::chunks`] that keeps the type of the model.
    fn stream(&self) -> Result<Stream<Self>>
    where
        Self: Fit + Sized,
    {
        Stream::new(self)
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
        fit(self, input.into(), Some(labels), Init::Own, run)
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
        check_neighborhood(self)?;
        Fit::check(self, shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let forecast = Fit::forecast(self, shape);
        Forecast { remedy: lighter::remedy(self, shape, &forecast), ..forecast }
    }

    fn chunks(&self) -> Result<Box<dyn Chunks>> {
        Ok(Box::new(Stream::new(self)?))
    }

    fn resolved_for(&self, shape: &Shape) -> Result<Box<dyn Method>> {
        let mut method = M::default();
        let (settings, mut resolved) = (self.settings(), Fit::resolved_for(self, shape));
        resolved.retain(|(name, _)| settings.iter().any(|(known, value)| known == name && value.is_open()));
        for (name, value) in settings.iter().chain(&resolved) {
            Described::set(&mut method, M::ENTRY.name, name, value)?;
        }
        Ok(Box::new(method))
    }

    fn fit(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(fit(self, input, None, Init::Own, run)?))
    }

    fn fit_labeled(&self, input: AnyInput<'_>, labels: &[i64], run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(fit(self, input, Some(labels), Init::Own, run)?))
    }

    fn fit_from(
        &self,
        input: AnyInput<'_>,
        labels: Option<&[i64]>,
        start: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Box<dyn Model>> {
        Ok(Box::new(fit(self, input, labels, Init::Given(start), run)?))
    }

    fn resume(
        &self,
        input: AnyInput<'_>,
        labels: Option<&[i64]>,
        checkpoint: &Checkpoint,
        run: &Run,
    ) -> Result<Box<dyn Model>> {
        Ok(Box::new(fit(self, input, labels, Init::Checkpoint(checkpoint), run)?))
    }
}
