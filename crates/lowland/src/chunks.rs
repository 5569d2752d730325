//! Fits whose data come in chunks, and the checks that every chunk goes through.

use crate::fingerprint::Fingerprint;
use crate::method::{Entry, admit_kind, admit_values};
use crate::model::{Datum, Model};
use crate::parameters::Value;
use crate::{AnyInput, InputKind};
use lowland_base::{Error, Result, Run};
use ndarray::Array2;

/// A fit under way whose data come in chunks and are never held together.
pub trait Chunks: Send {
    /// The number of rows seen.
    fn rows(&self) -> usize;

    /// Takes a chunk. One that is refused leaves everything as it was.
    fn push(&mut self, chunk: AnyInput<'_>, run: &Run) -> Result<()>;

    /// The model of all rows seen. More chunks may follow, and another model.
    fn finish(&self, run: &Run) -> Result<Box<dyn Model>>;

    /// Goes on from a model of the same method, before the first chunk: as if its rows had come first, as far as the model
    /// knows them. What lies outside of its components is taken to be spread evenly.
    fn resume(&mut self, model: &dyn Model) -> Result<()>;
}

/// What a model knows of the rows that it was fitted to.
pub(crate) struct Known {
    pub rows: usize,
    pub mean: Vec<f64>,
    /// One a row.
    pub components: Array2<f64>,
    /// The variance (divisor n - 1) along each.
    pub variances: Vec<f64>,
    /// The mean variance along all other directions.
    pub noise: f64,
}

impl Known {
    /// By the names that all methods in chunks give to their parts.
    pub fn of(model: &dyn Model) -> Result<Self> {
        let parts = model.attributes();
        let part = |name: &str| parts.iter().find(|part| part.name == name).map(|part| &part.value);
        let numbers = |name: &str| part(name).map(Datum::numbers);
        let count = numbers("n_samples").or_else(|| numbers("n_samples_seen"));
        match (part("components"), numbers("explained_variance"), numbers("mean"), count) {
            (Some(Datum::Matrix(components)), Some(variances), Some(mean), Some(count)) => Ok(Self {
                rows: count.first().map_or(0, |count| *count as usize),
                mean,
                components: components.clone(),
                variances,
                noise: numbers("noise_variance").and_then(|noise| noise.first().copied()).unwrap_or(0.0),
            }),
            _ => Err(no_resumption(model.entry().name, "it does not know its rows")),
        }
    }
}

/// The refusal to go on from a model.
pub(crate) fn no_resumption(method: &str, reason: &str) -> Error {
    Error::Unsupported {
        method: method.into(),
        what: format!("go on from this model in chunks: {reason}"),
        remedy: "begin with the chunks, all rows among them".into(),
    }
}

/// Looks at every chunk as a fit looks at all rows, before the method sees it.
pub(crate) struct Admitted {
    entry: &'static Entry,
    columns: Option<usize>,
    hash: Fingerprint,
    chunks: Box<dyn Chunks>,
}

impl Admitted {
    pub(crate) fn new(entry: &'static Entry, chunks: Box<dyn Chunks>) -> Self {
        Self { entry, columns: None, hash: Fingerprint::default(), chunks }
    }
}

impl Chunks for Admitted {
    fn rows(&self) -> usize {
        self.chunks.rows()
    }

    fn push(&mut self, chunk: AnyInput<'_>, run: &Run) -> Result<()> {
        run.check()?;
        let shape = chunk.shape();
        admit_kind(self.entry, &[InputKind::Points], &shape)?;
        if let Some(expected) = self.columns
            && shape.columns != expected
        {
            return Err(Error::Width { what: "chunk", expected, found: shape.columns });
        }
        if shape.rows == 0 && shape.columns > 0 {
            return Ok(());
        }
        let mut hash = self.hash;
        admit_values(chunk, self.entry.capabilities, &mut hash, run)?;
        self.chunks.push(chunk, run)?;
        self.hash = hash;
        self.columns = Some(shape.columns);
        Ok(())
    }

    fn finish(&self, run: &Run) -> Result<Box<dyn Model>> {
        run.check()?;
        if self.rows() == 0 {
            return Err(Error::Empty { what: "chunks", axis: "rows" });
        }
        let mut model = self.chunks.finish(run)?;
        run.check()?;
        let size = (self.rows(), self.columns.unwrap_or(0));
        let is_open = |(name, value): &(&str, Value)| *name == "n_components" && value.is_open();
        if model.parameters().iter().any(is_open) {
            let count = Value::Integer(model.components() as i64);
            model.report_mut().resolved.insert("n_components".into(), count);
        }
        model.report_mut().provenance = Some(self.entry.provenance(self.hash, size, run));
        Ok(model)
    }

    fn resume(&mut self, model: &dyn Model) -> Result<()> {
        if model.entry().name != self.entry.name {
            let reason = format!("it is one of {}", model.entry().name);
            return Err(no_resumption(self.entry.name, &reason));
        }
        self.chunks.resume(model)?;
        self.columns = Some(model.features());
        Ok(())
    }
}
