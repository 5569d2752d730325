//! Finished work on disk: one file a cell, written whole under a name that is made from everything it depends on, so
//! that a run that was killed goes on where it was.

use super::cell::{Cell, Figures, Outcome};
use crate::input::{AnyInput, Input};
use crate::model::{hex, write_whole};
use crate::quality::SampleSizes;
use crate::stability::{Experiment, Stability};
use lowland_base::{Error, Result, Scalar};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What every cell depends on.
pub(super) struct Common<'a, 'd> {
    pub data: AnyInput<'d>,
    pub labels: Option<&'a [i64]>,
    pub seed: u64,
    pub k: Option<usize>,
    pub dimensions: usize,
    pub sample_sizes: SampleSizes,
    pub most_shown: usize,
    pub figures: Figures,
}

/// A folder of finished cells; without a folder nothing is kept.
pub(super) struct Store {
    folder: Option<PathBuf>,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct Record {
    fingerprint: String,
    cell: Cell,
    /// The SHA-256 of the result's text: a changed digit would be as good a number as the true one.
    checksum: String,
    /// The result as JSON.
    result: String,
}

impl Store {
    pub fn open(folder: Option<&Path>, common: &Common<'_, '_>) -> Result<Self> {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder).map_err(|e| Error::io(folder.display(), &e))?;
        }
        Ok(Self { folder: folder.map(Path::to_owned), fingerprint: fingerprint(common) })
    }

    pub fn cell(&self, cell: &Cell) -> Option<Outcome> {
        self.read("cell", cell)
    }

    pub fn keep_cell(&self, cell: &Cell, outcome: &Outcome) -> Result<()> {
        self.write("cell", cell, outcome)
    }

    /// A cell that was stopped after so long.
    pub fn stopped(&self, cell: &Cell, after: Duration) -> Option<Outcome> {
        self.read(&format!("stopped after {after:?}"), cell)
    }

    pub fn keep_stopped(&self, cell: &Cell, after: Duration, outcome: &Outcome) -> Result<()> {
        self.write(&format!("stopped after {after:?}"), cell, outcome)
    }

    pub fn stability(&self, cell: &Cell, experiment: Experiment) -> Option<Stability> {
        self.read(&format!("{experiment:?}"), cell)
    }

    pub fn keep_stability(&self, cell: &Cell, experiment: Experiment, found: &Stability) -> Result<()> {
        self.write(&format!("{experiment:?}"), cell, found)
    }

    /// What cannot be read, or belongs to something else, is not there.
    fn read<T: DeserializeOwned>(&self, what: &str, cell: &Cell) -> Option<T> {
        let bytes = std::fs::read(self.path(what, cell)?).ok()?;
        let record: Record = serde_json::from_slice(&bytes).ok()?;
        let ours = record.fingerprint == self.fingerprint && record.cell == *cell;
        let whole = record.checksum == hex(&Sha256::digest(&record.result));
        if ours && whole { serde_json::from_str(&record.result).ok() } else { None }
    }

    fn write<T: Serialize>(&self, what: &str, cell: &Cell, result: T) -> Result<()> {
        let Some(path) = self.path(what, cell) else { return Ok(()) };
        let refused =
            |e: serde_json::Error| Error::Io { path: path.display().to_string(), problem: e.to_string() };
        let result = serde_json::to_string(&result).map_err(refused)?;
        let (fingerprint, checksum) = (self.fingerprint.clone(), hex(&Sha256::digest(&result)));
        let record = Record { fingerprint, cell: cell.clone(), checksum, result };
        write_whole(&path, &serde_json::to_vec(&record).map_err(refused)?)
    }

    fn path(&self, what: &str, cell: &Cell) -> Option<PathBuf> {
        let mut hash = Sha256::new();
        for part in [self.fingerprint.as_str(), what, &cell.to_string()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let name = format!("{}-{}.json", cell.method, &hex(&hash.finalize())[..16]);
        Some(self.folder.as_ref()?.join(name))
    }
}

/// Everything that a cell's result depends on, but for the cell.
fn fingerprint(common: &Common<'_, '_>) -> String {
    fn values<T: Scalar>(hash: &mut Sha256, x: ArrayView2<'_, T>) {
        let mut line = Vec::with_capacity(x.ncols() * 8);
        for row in x.rows() {
            line.clear();
            row.iter().for_each(|value| line.extend(value.wide().to_le_bytes()));
            hash.update(&line);
        }
    }
    let mut hash = Sha256::new();
    let Common { data, labels, seed, k, dimensions, sample_sizes, most_shown, figures } = common;
    let shape = data.shape();
    let version = env!("CARGO_PKG_VERSION");
    hash.update(format!(
        "{version} {shape:?} {seed} {k:?} {dimensions} {sample_sizes:?} {most_shown} {figures:?}"
    ));
    match data {
        AnyInput::F32(Input::Points(x)) => values(&mut hash, *x),
        AnyInput::F64(Input::Points(x)) => values(&mut hash, *x),
        _ => {}
    }
    for label in labels.unwrap_or_default() {
        hash.update(label.to_le_bytes());
    }
    hex(&hash.finalize())
}
