//! Finished work on disk: one file a cell, written whole under a name that is made from everything it depends on, so
//! that a run that was killed goes on where it was.

use super::cell::{Cell, Figures, Outcome};
use crate::input::{AnyInput, Input};
use crate::model::{hex, write_whole};
use crate::quality::Effort;
use crate::stability::{Experiment, Stability};
use lowland_base::{Error, Result, Scalar};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What every cell depends on.
pub(super) struct Common<'a, 'd> {
    pub data: AnyInput<'d>,
    pub labels: Option<&'a [i64]>,
    pub seed: u64,
    pub k: Option<usize>,
    pub dimensions: usize,
    pub effort: Effort,
    pub most_shown: usize,
    pub figures: Figures,
}

/// A folder of finished cells; without a folder nothing is kept.
pub(super) struct Store {
    folder: Option<PathBuf>,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct Record<T> {
    fingerprint: String,
    cell: Cell,
    result: T,
}

impl Store {
    pub fn open(folder: Option<&Path>, common: &Common<'_, '_>) -> Result<Self> {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)
                .map_err(|e| Error::Io { path: folder.display().to_string(), problem: e.to_string() })?;
        }
        Ok(Self { folder: folder.map(Path::to_owned), fingerprint: fingerprint(common) })
    }

    pub fn cell(&self, cell: &Cell) -> Option<Outcome> {
        self.read("cell", cell)
    }

    pub fn keep_cell(&self, cell: &Cell, outcome: &Outcome) -> Result<()> {
        self.write("cell", cell, outcome)
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
        let record: Record<T> = serde_json::from_slice(&bytes).ok()?;
        (record.fingerprint == self.fingerprint && record.cell == *cell).then_some(record.result)
    }

    fn write<T: Serialize>(&self, what: &str, cell: &Cell, result: T) -> Result<()> {
        let Some(path) = self.path(what, cell) else { return Ok(()) };
        let record = Record { fingerprint: self.fingerprint.clone(), cell: cell.clone(), result };
        let bytes = serde_json::to_vec(&record)
            .map_err(|e| Error::Io { path: path.display().to_string(), problem: e.to_string() })?;
        write_whole(&path, &bytes)
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
    let Common { data, labels, seed, k, dimensions, effort, most_shown, figures } = common;
    let shape = data.shape();
    let version = env!("CARGO_PKG_VERSION");
    hash.update(format!("{version} {shape:?} {seed} {k:?} {dimensions} {effort:?} {most_shown} {figures:?}"));
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
