//! Fits whose data come in chunks, and the checks that every chunk goes through.

use crate::fingerprint::Fingerprint;
use crate::method::{Fit, finished};
use crate::methods::at_most;
use crate::model::{Datum, Model, Situation};
use crate::parameters::{Described, Value};
use crate::{Admitted, AnyInput, InputKind, Shape, admitted};
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

    /// Takes a chunk of points that was admitted: as wide as those before, with numbers in it. A run that is canceled leaves
    /// everything as it was.
    fn push(&mut self, chunk: Admitted<'_>, run: &Run) -> Result<()>;

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
    /// Of all rows; `None` where it goes on from a model that does not know it.
    hash: Option<Fingerprint>,
    /// The number of components, where one was asked for.
    count: Option<usize>,
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
        let count = match Described::get(method, "n_components") {
            Some(Value::Integer(count)) => usize::try_from(count).ok(),
            _ => None,
        };
        Ok(Self { columns: None, hash: Some(Fingerprint::default()), count, sums })
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
        let mut hash = self.hash.unwrap_or_default();
        let fits = shape.kind == InputKind::Points && self.columns.is_none_or(|known| known == shape.columns);
        if fits && shape.rows == 0 && shape.columns > 0 {
            return Ok(());
        }
        let admitted = admitted::chunk(M::ENTRY, self.columns, chunk, &mut hash, run)?;
        at_most(self.count, shape.columns, "the number of columns")?;
        run.reserve_rows("the chunk", shape.rows, shape.columns)?;
        self.sums.push(admitted, run)?;
        self.hash = self.hash.map(|_| hash);
        self.columns = Some(shape.columns);
        Ok(())
    }

    /// The model of all rows seen. More chunks may follow, and another model.
    pub fn finish(&self, run: &Run) -> Result<M::Model> {
        run.check()?;
        if self.rows() == 0 {
            return Err(Error::Empty { what: "chunks", axis: "rows" });
        }
        let model = self.sums.finish(run)?;
        let size @ (rows, columns) = (self.rows(), self.columns.unwrap_or(0));
        let (stored, kind) = (rows * columns, InputKind::Points);
        let shape = Shape { rows, columns, stored, scalar_bytes: 8, kind, factor: None };
        let situation = Situation::of::<M>(model.parameters(), shape);
        let mut model = finished(model, &situation, run)?;
        let is_open = |(name, value): &(&str, Value)| *name == "n_components" && value.is_open();
        if model.parameters().iter().any(is_open) {
            let count = Value::Integer(model.components() as i64);
            model.report_mut().resolved.insert("n_components".into(), count);
        }
        model.report_mut().provenance = self.hash.map(|hash| M::ENTRY.provenance(hash, size, run));
        Ok(model)
    }

    /// Goes on from a model of the same method, before the first chunk.
    pub fn resume(&mut self, model: &dyn Model) -> Result<()> {
        if model.entry().name != M::ENTRY.name {
            let reason = format!("it is one of {}", model.entry().name);
            return Err(no_resumption(M::ENTRY.name, &reason));
        }
        if self.rows() > 0 {
            let reason = format!("{} rows came before it", self.rows());
            return Err(no_resumption(M::ENTRY.name, &reason));
        }
        self.sums.resume(model)?;
        self.columns = Some(model.features());
        self.hash = model.report().provenance.as_ref().and_then(|of| {
            let known = of.rows == self.rows() && of.columns == model.features();
            Fingerprint::from_hex(&of.input_hash, (of.rows, of.columns)).filter(|_| known)
        });
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
