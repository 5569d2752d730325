//! Simple PCA in chunks.

use super::{SIMPLE_PCA, SimplePca};
use crate::chunks::{Accumulate, Known, no_resumption};
use crate::input::on_points;
use crate::method::Fit;
use crate::model::Model;
use crate::projective::LinearModel;
use crate::projective::stream::{IncrementalPca, SimplePcaAlgorithm, wide};
use crate::{Admitted, InputKind, Shape};
use lowland_base::{Error, Result, Run};
use ndarray::{Array2, Axis, concatenate};

/// A fit under way.
pub(super) struct SimplePcaStream {
    method: SimplePca,
    incremental: IncrementalPca,
    /// All rows so far, for the rule that needs them.
    held: Option<Array2<f64>>,
    /// How often all rows were looked at.
    passes: usize,
}

impl SimplePcaStream {
    pub fn new(method: &SimplePca) -> Self {
        let keep = method.n_components.unwrap_or(2) + method.n_oversamples;
        let incremental = IncrementalPca::new(method.algorithm, keep);
        Self { method: method.clone(), incremental, held: None, passes: 1 }
    }

    /// Takes a block, in this pass over the rows.
    pub fn take(&mut self, block: Array2<f64>, pass: usize, run: &Run) -> Result<()> {
        self.passes = pass + 1;
        self.incremental.take(block, pass == 0, run)
    }

    pub fn finished(&self, run: &Run) -> Result<LinearModel> {
        let columns = self.held.as_ref().map_or(self.incremental.columns(), Array2::ncols);
        let rows = self.rows();
        let (stored, kind) = (rows * columns, InputKind::Points);
        self.method.check(&Shape { rows, columns, stored, scalar_bytes: 8, kind, factor: None })?;
        match &self.held {
            Some(held) => self.method.by_sums(held.view(), run),
            None => {
                let found = self.incremental.directions(self.method.count(rows, columns), run)?;
                Ok(self.method.finished(found, rows, self.passes))
            }
        }
    }
}

impl Accumulate for SimplePcaStream {
    type Model = LinearModel;

    fn rows(&self) -> usize {
        self.held.as_ref().map_or(self.incremental.rows, Array2::nrows)
    }

    fn push(&mut self, chunk: Admitted<'_>, run: &Run) -> Result<()> {
        let chunk = chunk.input();
        let size = self.method.batch_size;
        if self.method.algorithm == SimplePcaAlgorithm::Simple {
            let chunk = on_points!(chunk, x => Ok::<_, Error>(wide(x)))?;
            let all = match &self.held {
                None => chunk,
                Some(held) => {
                    let bytes = 16 * ((held.nrows() + chunk.nrows()) * held.ncols()) as u64;
                    run.reserve("the rows of all chunks", bytes, "choose algorithm = merge")?;
                    concatenate(Axis(0), &[held.view(), chunk.view()])
                        .map_err(|e| Error::shape("chunk", &e))?
                }
            };
            self.held = Some(all);
            return Ok(());
        }
        let blocks: Vec<Array2<f64>> =
            on_points!(chunk, x => Ok::<_, Error>(x.axis_chunks_iter(Axis(0), size).map(wide).collect()))?;
        // A copy, so that a run that is canceled between two blocks changes nothing.
        let mut next = self.incremental.clone();
        blocks.into_iter().try_for_each(|block| next.take(block, true, run))?;
        self.incremental = next;
        Ok(())
    }

    fn finish(&self, run: &Run) -> Result<LinearModel> {
        self.finished(run)
    }

    fn resume(&mut self, model: &dyn Model) -> Result<()> {
        if self.method.algorithm == SimplePcaAlgorithm::Simple {
            return Err(no_resumption(SIMPLE_PCA.name, "algorithm = simple needs all rows again"));
        }
        self.incremental.resume(Known::of(model)?, self.method.batch_size);
        Ok(())
    }
}
