//! What every method is: a struct of parameters that can be checked, forecast and fitted, and an entry in the
//! registry that describes it.

use crate::AnyMatrix;
use crate::model::{Archive, Model};
use crate::parameters::{Parameter, Value};
use crate::{AnyInput, Shape};
use lowland_base::{Error, Result, Run};

/// What a method can do, for the front ends and for the conformance suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Capabilities {
    /// The kinds of input it takes: `points`, `sparse`, `distances`, `kernel`, `graph`.
    pub inputs: &'static [&'static str],
    /// Whether a model can go back from the embedding.
    pub inverse: bool,
    /// Whether the result depends on the seed.
    pub random: bool,
    /// Whether the data may come in chunks that are never held together.
    pub chunks: bool,
    /// Whether a model is a probability density of the data: likelihoods of new rows, and samples.
    pub density: bool,
    /// Whether a fit needs one label a row: see [`Method::fit_labeled`].
    pub labels: bool,
    /// Whether NaN means a missing value, in the fit and in new rows, and a model imputes it.
    pub missing: bool,
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

/// A fit under way whose data come in chunks and are never held together.
pub trait Chunks: Send {
    /// The number of rows seen.
    fn rows(&self) -> usize;

    /// Takes a chunk. One that is refused leaves everything as it was.
    fn push(&mut self, chunk: AnyInput<'_>, run: &Run) -> Result<()>;

    /// The model of all rows seen. More chunks may follow, and another model.
    fn finish(&self, run: &Run) -> Result<Box<dyn Model>>;
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

    /// The fit itself, on an input that has been admitted. Call [`Method::fit`] instead. A method that needs
    /// labels writes [`Method::fit_labeled_admitted`] in its place.
    fn fit_admitted(&self, _input: AnyInput<'_>, _run: &Run) -> Result<Box<dyn Model>> {
        Err(Error::NoLabels { method: self.entry().name.into() })
    }

    /// The fit of a method that needs labels, one a row. Call [`Method::fit_labeled`] instead.
    fn fit_labeled_admitted(
        &self,
        input: AnyInput<'_>,
        _labels: &[i64],
        run: &Run,
    ) -> Result<Box<dyn Model>> {
        self.fit_admitted(input, run)
    }

    /// Begins a fit in chunks, where the method's capabilities promise it.
    fn chunks(&self) -> Option<Box<dyn Chunks>> {
        None
    }

    /// Everything that must hold before work starts: the kind of input, its values, the parameters, the
    /// memory.
    fn admit(&self, input: AnyInput<'_>, run: &Run) -> Result<Shape> {
        let shape = input.shape();
        let entry = self.entry();
        if !entry.capabilities.inputs.contains(&shape.kind) {
            return Err(Error::Unsupported {
                method: entry.name.into(),
                what: format!("take {}", shape.kind),
                remedy: format!("give it {}", entry.capabilities.inputs.join(" or ")),
            });
        }
        if shape.rows > 0 && shape.columns > 0 {
            self.check(&shape)?;
            let forecast = self.forecast(&shape);
            run.reserve(&format!("fitting {}", entry.name), forecast.bytes, &forecast.remedy)?;
        }
        let stage = run.stage("check", None);
        input.check_as("data", entry.capabilities.missing, run)?;
        input.check_size()?;
        if entry.capabilities.missing {
            input.check_columns()?;
        }
        drop(stage);
        Ok(shape)
    }

    /// Fits the method.
    fn fit(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        if self.entry().capabilities.labels {
            return Err(Error::NoLabels { method: self.entry().name.into() });
        }
        self.admit(input, run)?;
        let model = self.fit_admitted(input, run)?;
        run.check()?;
        finite(model)
    }

    /// Fits the method with one label a row. Rows of equal labels belong together: to a class, or to one signal
    /// and its distorted versions. A method that needs no labels does not see them.
    fn fit_labeled(&self, input: AnyInput<'_>, labels: &[i64], run: &Run) -> Result<Box<dyn Model>> {
        let rows = input.shape().rows;
        if labels.len() != rows {
            return Err(Error::LabelCount { labels: labels.len(), rows });
        }
        self.admit(input, run)?;
        let model = if self.entry().capabilities.labels {
            self.fit_labeled_admitted(input, labels, run)?
        } else {
            self.fit_admitted(input, run)?
        };
        run.check()?;
        finite(model)
    }
}

/// The model, unless its embedding holds what is no number: then its map does, too.
fn finite(model: Box<dyn Model>) -> Result<Box<dyn Model>> {
    let broken = match model.embedding() {
        Some(AnyMatrix::F64(embedding)) => embedding.iter().filter(|value| !value.is_finite()).count(),
        Some(AnyMatrix::F32(embedding)) => embedding.iter().filter(|value| !value.is_finite()).count(),
        None => 0,
    };
    match broken {
        0 => Ok(model),
        count => Err(Error::NoEmbedding { method: model.entry().name.into(), count }),
    }
}
