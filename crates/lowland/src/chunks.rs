//! Fits whose data come in chunks, and the checks that every chunk goes through.

use crate::fingerprint::Fingerprint;
use crate::method::{Fit, admit_kind, admit_values, finished};
use crate::model::{Datum, Model};
use crate::parameters::Value;
use crate::{AnyInput, InputKind};
use lowland_base::{Error, Result, Run};
use ndarray::Array2;

/// A fit under way whose data come in chunks and are never held together; [`Stream`] by name.
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

/// What a method writes of a fit in chunks, as [`Chunks`]; the rest is [`Stream`].
pub trait Accumulate: Send {
    /// What a fit gives.
    type Model;

    /// The number of rows seen.
    fn rows(&self) -> usize;

    /// Takes a chunk of points that was admitted: as wide as those before, with numbers in it.
    fn push(&mut self, chunk: AnyInput<'_>, run: &Run) -> Result<()>;

    /// The model of all rows seen, of which there are some.
    fn finish(&self, run: &Run) -> Result<Self::Model>;

    /// As [`Chunks::resume`], from a model of the same method.
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

/// A fit in chunks under way, which keeps the type of its model. Every chunk is looked at as a fit looks at all rows, before the
/// method sees it.
pub struct Stream<M: Fit> {
    columns: Option<usize>,
    hash: Fingerprint,
    sums: Box<dyn Accumulate<Model = M::Model>>,
}

impl<M: Fit> Stream<M> {
    /// Begins a fit, where the method has one in chunks.
    pub(crate) fn new(method: &M) -> Result<Self> {
        method.check_ranges()?;
        let sums = method.chunks().ok_or_else(|| Error::Unsupported {
            method: M::ENTRY.name.into(),
            what: "take its data in chunks".into(),
            remedy: format!("give all rows at once, or choose {}", crate::registry::able(|can| can.chunks)),
        })?;
        Ok(Self { columns: None, hash: Fingerprint::default(), sums })
    }

    /// The number of rows seen.
    pub fn rows(&self) -> usize {
        self.sums.rows()
    }

    /// Takes a chunk. One that is refused leaves everything as it was.
    pub fn push<'a>(&mut self, chunk: impl Into<AnyInput<'a>>, run: &Run) -> Result<()> {
        run.check()?;
        let chunk = chunk.into();
        let shape = chunk.shape();
        admit_kind(M::ENTRY, &[InputKind::Points], &shape)?;
        if let Some(expected) = self.columns
            && shape.columns != expected
        {
            return Err(Error::Width { what: "chunk", expected, found: shape.columns });
        }
        if shape.rows == 0 && shape.columns > 0 {
            return Ok(());
        }
        let mut hash = self.hash;
        admit_values(chunk, M::ENTRY.capabilities, &mut hash, run)?;
        self.sums.push(chunk, run)?;
        self.hash = hash;
        self.columns = Some(shape.columns);
        Ok(())
    }

    /// The model of all rows seen. More chunks may follow, and another model.
    pub fn finish(&self, run: &Run) -> Result<M::Model> {
        run.check()?;
        if self.rows() == 0 {
            return Err(Error::Empty { what: "chunks", axis: "rows" });
        }
        let mut model = finished(self.sums.finish(run)?, run)?;
        let size = (self.rows(), self.columns.unwrap_or(0));
        let is_open = |(name, value): &(&str, Value)| *name == "n_components" && value.is_open();
        if model.parameters().iter().any(is_open) {
            let count = Value::Integer(model.components() as i64);
            model.report_mut().resolved.insert("n_components".into(), count);
        }
        model.report_mut().provenance = Some(M::ENTRY.provenance(self.hash, size, run));
        Ok(model)
    }

    /// Goes on from a model of the same method, before the first chunk.
    pub fn resume(&mut self, model: &dyn Model) -> Result<()> {
        if model.entry().name != M::ENTRY.name {
            let reason = format!("it is one of {}", model.entry().name);
            return Err(no_resumption(M::ENTRY.name, &reason));
        }
        self.sums.resume(model)?;
        self.columns = Some(model.features());
        Ok(())
    }
}

impl<M: Fit> Chunks for Stream<M> {
    fn rows(&self) -> usize {
        Stream::rows(self)
    }

    fn push(&mut self, chunk: AnyInput<'_>, run: &Run) -> Result<()> {
        Stream::push(self, chunk, run)
    }

    fn finish(&self, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(Stream::finish(self, run)?))
    }

    fn resume(&mut self, model: &dyn Model) -> Result<()> {
        Stream::resume(self, model)
    }
}
