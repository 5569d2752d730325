//! What a fit leaves behind: it embeds new points, goes back where that has a meaning, says what was
//! optimized, and is saved.

mod archive;
mod attribute;
pub(crate) mod file;
mod header;
mod report;
pub(crate) mod unable;
mod warning;

pub use archive::Archive;
pub(crate) use archive::CHECKPOINT;
pub use attribute::{Attribute, Datum};
pub(crate) use attribute::{Form, Part};
pub use file::{Preparation, load, load_bytes, load_names, load_prepared, prepared_bytes, save_named};
pub(crate) use file::{hex, write as write_whole};
pub use report::{Provenance, Quantity, Report};
pub(crate) use warning::Situation;
pub use warning::Warning;

use crate::matrix::AnyMatrix;
use crate::parameters::Value;
use crate::{Admitted, AnyInput, Entry, InputKind, admitted};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2};
use std::path::Path;

/// A fitted method. Nothing in it changes by being used.
pub trait Model: Send + Sync {
    /// The method's line of the registry.
    fn entry(&self) -> &'static Entry;

    /// The parameters it was fitted with.
    fn parameters(&self) -> Vec<(&'static str, Value)>;

    /// The width of the data.
    fn features(&self) -> usize;

    /// The width of the embedding.
    fn components(&self) -> usize;

    /// What new rows may be; the first is what a plain matrix is taken for.
    fn row_kinds(&self) -> &'static [InputKind];

    /// The embedding of the training rows, in their order. A model that can transform without them (a
    /// projection) has it only where it was fitted in one piece and not loaded: transform the rows instead.
    fn embedding(&self) -> Option<&AnyMatrix>;

    /// What was optimized, and everything else worth knowing about the fit.
    fn report(&self) -> &Report;

    /// The same, to add to it.
    fn report_mut(&mut self) -> &mut Report;

    /// Everything that a file must hold.
    fn archive(&self) -> Archive;

    /// The embedding of checked rows. Call [`Model::transform`] instead.
    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix>;

    /// Checked rows of the embedding back in the space of the data. Call [`Model::inverse`] instead.
    fn inverse_admitted(&self, _embedding: Admitted<'_>, _run: &Run) -> Result<AnyMatrix> {
        Err(unable::to_invert(self.entry()))
    }

    /// The log-density of checked rows. Call [`Model::log_density`] instead.
    fn log_density_admitted(&self, _input: Admitted<'_>, _run: &Run) -> Result<Array1<f64>> {
        Err(unable::to_give_density(self.entry()))
    }

    /// The free energy of checked rows. Call [`Model::free_energy`] instead.
    fn free_energy_admitted(&self, _input: Admitted<'_>, _run: &Run) -> Result<Array1<f64>> {
        Err(unable::to_give_energy(self.entry()))
    }

    /// The cluster of each checked row. Call [`Model::assign`] instead.
    fn assign_admitted(&self, _input: Admitted<'_>, _run: &Run) -> Result<Vec<u32>> {
        Err(unable::to_assign(self.entry()))
    }

    /// The responsibilities of checked rows. Call [`Model::responsibilities`] instead.
    fn responsibilities_admitted(&self, _input: Admitted<'_>, _run: &Run) -> Result<Array2<f64>> {
        Err(unable::to_give_responsibilities(self.entry()))
    }

    /// The spectral side of the model, where it has one: its kernel, and how well the components explain it.
    fn spectral(&self) -> Option<&crate::spectral::SpectralModel> {
        None
    }

    /// Checked rows with their missing values filled in. Call [`Model::impute`] instead.
    fn impute_admitted(&self, _input: Admitted<'_>, _run: &Run) -> Result<AnyMatrix> {
        Err(unable::to_impute(self.entry()))
    }

    /// Rows drawn from the density, for which there is memory. Call [`Model::sample`] instead.
    fn sample_reserved(&self, _count: usize, _run: &Run) -> Result<Array2<f64>> {
        Err(unable::to_sample(self.entry()))
    }

    /// What the method has found, by name: the parts of the model that its users look at.
    fn attributes(&self) -> Vec<Attribute> {
        Vec::new()
    }

    /// Embeds new rows. Each row's result is its own: it does not depend on the rest of the batch.
    fn transform(&self, input: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        let rows = admitted::rows(self, input, run)?;
        run.reserve_rows("the result", input.shape().rows, self.components())?;
        finite(self.entry(), self.transform_admitted(rows, run)?)
    }

    /// The cluster of each row, where the method makes clusters. Those of the training rows are its attribute
    /// `labels`.
    fn assign(&self, input: AnyInput<'_>, run: &Run) -> Result<Vec<u32>> {
        self.assign_admitted(admitted::rows(self, input, run)?, run)
    }

    /// The probability of each part of a mixture for each row: rows x parts, and each row sums to 1.
    fn responsibilities(&self, input: AnyInput<'_>, run: &Run) -> Result<Array2<f64>> {
        self.responsibilities_admitted(admitted::rows(self, input, run)?, run)
    }

    /// From rows of the embedding back to the space of the data.
    fn inverse(&self, embedding: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        let rows = admitted::embedding(self, embedding, run)?;
        run.reserve_rows("the result", embedding.shape().rows, self.features())?;
        finite(self.entry(), self.inverse_admitted(rows, run)?)
    }

    /// The logarithm of the model's density at each row, where the method's capabilities promise one.
    fn log_density(&self, input: AnyInput<'_>, run: &Run) -> Result<Array1<f64>> {
        self.log_density_admitted(admitted::rows(self, input, run)?, run)
    }

    /// The free energy of each row, where the method's capabilities promise one: the negative logarithm of the model's
    /// density, up to a constant that is the same for all rows.
    fn free_energy(&self, input: AnyInput<'_>, run: &Run) -> Result<Array1<f64>> {
        self.free_energy_admitted(admitted::rows(self, input, run)?, run)
    }

    /// Rows drawn from the model's density, by the seed of the run, where the method's capabilities promise one, known
    /// or up to a factor.
    fn sample(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        let can = self.entry().capabilities;
        if !(can.density || can.energy) {
            return Err(unable::to_sample(self.entry()));
        }
        run.check()?;
        run.reserve_rows("the table of rows that are drawn", count, self.features())?;
        self.sample_reserved(count, run)
    }

    /// The rows, with what is missing (NaN) filled in by what the model expects there; all else stays to the bit.
    fn impute(&self, input: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        // A method that takes none says so, rather than find fault with what is missing.
        if !self.entry().capabilities.missing {
            return Err(unable::to_impute(self.entry()));
        }
        self.impute_admitted(admitted::rows(self, input, run)?, run)
    }

    /// Whether NaN in new rows is a value that is not known.
    fn takes_missing(&self) -> bool {
        self.entry().capabilities.missing
    }

    /// The bytes of a model file.
    fn to_bytes(&self) -> Result<Vec<u8>> {
        file::to_bytes(self.entry().name, &self.archive())
    }

    /// Writes a model file, whole or not at all.
    fn save(&self, path: &Path) -> Result<()> {
        file::write(path, &self.to_bytes()?)
    }
}

/// Rows of finite numbers; anything else is an error: rows far beyond those of the fit, or a model that was tampered with.
fn finite(entry: &Entry, rows: AnyMatrix) -> Result<AnyMatrix> {
    check_finite(entry, &rows).map(|()| rows)
}

/// Refuses an embedding with values that are not finite.
pub(crate) fn check_finite(entry: &Entry, rows: &AnyMatrix) -> Result<()> {
    let broken = match rows {
        AnyMatrix::F64(rows) => rows.iter().filter(|value| !value.is_finite()).count(),
        AnyMatrix::F32(rows) => rows.iter().filter(|value| !value.is_finite()).count(),
    };
    match broken {
        0 => Ok(()),
        count => Err(Error::NoEmbedding { method: entry.name.into(), count }),
    }
}
