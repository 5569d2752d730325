//! Fits whose data come in chunks, and the one door that every chunk goes through.

use crate::method::{Entry, admit_kind, admit_values};
use crate::model::Model;
use crate::{AnyInput, InputKind};
use lowland_base::{Error, Result, Run};

/// A fit under way whose data come in chunks and are never held together.
pub trait Chunks: Send {
    /// The number of rows seen.
    fn rows(&self) -> usize;

    /// Takes a chunk. One that is refused leaves everything as it was.
    fn push(&mut self, chunk: AnyInput<'_>, run: &Run) -> Result<()>;

    /// The model of all rows seen. More chunks may follow, and another model.
    fn finish(&self, run: &Run) -> Result<Box<dyn Model>>;
}

/// Looks at every chunk as a fit looks at all rows, before the method sees it.
pub(crate) struct Admitted {
    entry: &'static Entry,
    columns: Option<usize>,
    chunks: Box<dyn Chunks>,
}

impl Admitted {
    pub(crate) fn new(entry: &'static Entry, chunks: Box<dyn Chunks>) -> Self {
        Self { entry, columns: None, chunks }
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
        admit_values(chunk, self.entry.capabilities, run)?;
        self.chunks.push(chunk, run)?;
        self.columns = Some(shape.columns);
        Ok(())
    }

    fn finish(&self, run: &Run) -> Result<Box<dyn Model>> {
        run.check()?;
        if self.rows() == 0 {
            return Err(Error::Empty { what: "chunks", axis: "rows" });
        }
        let model = self.chunks.finish(run)?;
        run.check()?;
        Ok(model)
    }
}
