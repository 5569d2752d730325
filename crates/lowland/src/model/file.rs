//! The model file: a safetensors file whose metadata hold one JSON text (format version, method, parameters,
//! report, facts) and a SHA-256 over the whole file. Nothing in it is executed; sizes are checked before they
//! are believed; every truncation and every changed byte is refused.

use super::archive::{Archive, broken};
use super::{Model, Report};
use crate::parameters::Value;
use crate::registry;
use lowland_base::{Error, Result};
use ndarray::Array2;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::path::Path;

/// The version of the format. A file of a later one is refused.
const FORMAT: u32 = 1;
/// The key of the JSON text in the metadata: the only key.
const KEY: &str = "lowland";
/// No honest model describes itself in more.
const LARGEST_HEADER: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    format: u32,
    checksum: String,
    method: String,
    parameters: BTreeMap<String, Value>,
    facts: serde_json::Map<String, serde_json::Value>,
    report: Report,
}

pub(super) fn to_bytes(method: &str, archive: &Archive) -> Result<Vec<u8>> {
    let blank = "0".repeat(64);
    let description = Description {
        format: FORMAT,
        checksum: blank.clone(),
        method: method.into(),
        parameters: archive.parameters.clone(),
        facts: archive.facts.clone(),
        report: archive.report.clone(),
    };
    let text = serde_json::to_string(&description).map_err(|e| broken(e.to_string()))?;
    let bytes: Vec<(&String, Vec<usize>, Vec<u8>)> = archive
        .arrays
        .iter()
        .map(|(name, a)| (name, a.shape().to_vec(), a.iter().flat_map(|value| value.to_le_bytes()).collect()))
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, data)| Ok((name.as_str(), TensorView::new(Dtype::F64, shape.clone(), data)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|e| broken(e.to_string()))?;
    let metadata = HashMap::from([(KEY.to_owned(), text)]);
    let mut file = safetensors::serialize(views, Some(metadata)).map_err(|e| broken(e.to_string()))?;
    let place = find(&file, blank.as_bytes()).ok_or_else(|| broken("no place for the checksum"))?;
    let checksum = hex(&Sha256::digest(&file));
    file[place..place + 64].copy_from_slice(checksum.as_bytes());
    Ok(file)
}

/// A model from the bytes of a file.
pub fn load_bytes(bytes: &[u8]) -> Result<Box<dyn Model>> {
    let header = bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length));
    match header {
        Some(length) if length <= LARGEST_HEADER => {}
        _ => return Err(broken("it is not a model file: its header is missing or too long")),
    }
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| broken(e.to_string()))?;
    let text = metadata.metadata().as_ref().and_then(|m| m.get(KEY));
    let text = text.ok_or_else(|| broken("it is a safetensors file, but not of a Lowland model"))?;
    let described: serde_json::Value = serde_json::from_str(text).map_err(|e| broken(e.to_string()))?;
    let format = described.get("format").and_then(serde_json::Value::as_u64);
    if format != Some(u64::from(FORMAT)) {
        return Err(broken(format!("its format is {format:?}, and this version reads format {FORMAT}")));
    }
    let description: Description = serde_json::from_value(described).map_err(|e| broken(e.to_string()))?;
    verify(bytes, &description.checksum)?;

    let entry = registry::find(&description.method)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| broken(e.to_string()))?;
    let mut archive = Archive {
        parameters: description.parameters,
        report: description.report,
        facts: description.facts,
        arrays: BTreeMap::new(),
    };
    for (name, tensor) in tensors.iter() {
        let (&[rows, columns], Dtype::F64) = (tensor.shape(), tensor.dtype()) else {
            return Err(broken(format!("array '{name}' is not a matrix in double precision")));
        };
        let values =
            tensor.data().as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
        let matrix = Array2::from_shape_vec((rows, columns), values).map_err(|e| broken(e.to_string()))?;
        archive.arrays.insert(name.to_owned(), matrix);
    }
    (entry.load)(&archive)
}

/// A model from a file.
pub fn load(path: &Path) -> Result<Box<dyn Model>> {
    let io = |e: std::io::Error| Error::Io { path: path.display().to_string(), problem: e.to_string() };
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(io)?;
    load_bytes(&bytes)
}

/// Writes beside the place, syncs, and renames: a reader sees the old file or the new one.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let io = |e: std::io::Error| Error::Io { path: path.display().to_string(), problem: e.to_string() };
    let name = path.file_name().ok_or_else(|| io(std::io::ErrorKind::InvalidFilename.into()))?;
    let mut temporary = path.to_owned();
    temporary.set_file_name(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
    let written = std::fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.map_err(io)
}

/// Compares the checksum, which was taken with its own place blank.
fn verify(bytes: &[u8], checksum: &str) -> Result<()> {
    let mut hash = Sha256::new();
    match find(bytes, checksum.as_bytes()) {
        Some(place) if checksum.len() == 64 => {
            hash.update(&bytes[..place]);
            hash.update("0".repeat(64));
            hash.update(&bytes[place + 64..]);
        }
        _ => return Err(broken("its checksum is malformed")),
    }
    if hex(&hash.finalize()) == checksum {
        Ok(())
    } else {
        Err(broken("its checksum does not match: the file is damaged or was changed"))
    }
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len().max(1)).position(|window| window == pattern)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
