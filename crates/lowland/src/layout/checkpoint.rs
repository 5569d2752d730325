//! The file of a checkpoint: as that of a model, with the iteration in place of a map.

use crate::matrix::{faer_view, to_array};
use crate::method::{Entry, Method};
use crate::model::{Archive, CHECKPOINT, Report, file};
use faer::Mat;
use lowland_base::{Checkpoint, Error, FitIdentity, Result};
use ndarray::Array2;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The bytes of a file.
pub fn to_bytes(method: &dyn Method, checkpoint: &Checkpoint) -> Result<Vec<u8>> {
    let losses = checkpoint.history.clone();
    let report = Report { losses, ..Report::default() };
    let mut archive = Archive::new(Vec::new(), &report);
    archive.put_fact(CHECKPOINT, checkpoint.iteration);
    archive.put_fact("memory", checkpoint.memory.len());
    archive.put_vector("loss", &[checkpoint.loss]);
    let parameters: Vec<String> =
        checkpoint.of.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    archive.put_fact("input_hash", checkpoint.of.input_hash.clone());
    archive.put_fact("parameters", parameters.join("\n"));
    archive.put_fact("seed", checkpoint.of.seed.to_string());
    archive.put("layout", to_array(checkpoint.layout.as_ref()));
    for (number, values) in checkpoint.memory.iter().enumerate() {
        archive.put(&format!("memory {number}"), to_array(values.as_ref()));
    }
    file::to_bytes(method.entry().name, &archive)
}

/// A checkpoint of this method from a file. More than the header is read only where that is one of ours.
pub fn load(method: &dyn Method, path: &Path) -> Result<Checkpoint> {
    from_bytes(method, &file::whole(path).map_err(unreadable)?)
}

/// The refusal of a file, which is not that of a model.
fn unreadable(error: Error) -> Error {
    let Error::ModelFile { problem } = error else { return error };
    Error::malformed("checkpoint", format!("the checkpoint cannot be read: {problem}"), "start without it")
}

/// A checkpoint of this method from the bytes of a file.
pub fn from_bytes(method: &dyn Method, bytes: &[u8]) -> Result<Checkpoint> {
    let (entry, archive) = file::read(bytes).map_err(unreadable)?;
    if !archive.is_checkpoint() {
        let problem = format!("the file holds a model of {}, and no checkpoint", entry.name);
        return Err(Error::malformed("checkpoint", problem, "give a checkpoint, or coordinates"));
    }
    let asked = method.entry().name;
    if entry.name != asked {
        let problem = format!("the checkpoint is of {}, not of {asked}", entry.name);
        return Err(Error::malformed("checkpoint", problem, "choose that method, or start without it"));
    }
    let matrix = |name: &str| -> Result<Mat<f64>> {
        let values: Array2<f64> = archive.any_matrix(name)?;
        Ok(faer_view(values.view()).to_owned())
    };
    let seed = archive.word("seed").ok().and_then(|seed| seed.parse().ok());
    let (Ok(input_hash), Ok(parameters), Some(seed)) =
        (archive.word("input_hash"), archive.word("parameters"), seed)
    else {
        let problem = "the checkpoint does not say which fit it is of: it was written by an older version";
        return Err(Error::malformed("checkpoint", problem, "start without it"));
    };
    let pair = |line: &str| line.split_once(" = ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    let of = FitIdentity {
        input_hash: input_hash.to_owned(),
        parameters: parameters.lines().filter_map(pair).collect(),
        seed,
    };
    let count = archive.count("memory")?.min(16);
    Ok(Checkpoint {
        iteration: archive.count(CHECKPOINT)?,
        loss: archive.vector("loss", 1)?[0],
        layout: matrix("layout")?,
        memory: (0..count).map(|number| matrix(&format!("memory {number}"))).collect::<Result<_>>()?,
        history: archive.report().losses.clone(),
        of,
    })
}

/// Keeps the checkpoints of a fit under way in a file, each in place of the last.
pub struct Keeper {
    entry: &'static Entry,
    path: PathBuf,
    between: Duration,
    warn: Box<dyn Fn(&str) + Send + Sync>,
    kept: Mutex<Instant>,
}

impl Keeper {
    /// Of a fit by this method that begins now, with so much time between two checkpoints; `warn` hears of one that could not
    /// be written.
    pub fn new(
        entry: &'static Entry,
        path: impl Into<PathBuf>,
        between: Duration,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Self { entry, path: path.into(), between, warn: Box::new(warn), kept: Mutex::new(Instant::now()) }
    }

    /// Whether it is time for the next.
    pub fn is_due(&self) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= self.between
    }

    /// Writes the file. That it cannot be written does not end the fit.
    pub fn keep(&self, checkpoint: &Checkpoint) {
        let written = to_bytes(&*(self.entry.create)(), checkpoint)
            .map_err(|e| e.to_string())
            .and_then(|bytes| lowland_base::files::write(&self.path, &bytes).map_err(|e| e.to_string()));
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        if let Err(problem) = written {
            (self.warn)(&format!("no checkpoint was written to {}: {problem}", self.path.display()));
        }
    }
}
