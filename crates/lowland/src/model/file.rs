//! The model file: a safetensors file whose metadata hold one JSON text (format version, method, parameters,
//! report, facts) and a SHA-256 over the whole file. Nothing in it is executed; sizes are checked before they
//! are believed; every truncation and every changed byte is refused.

use super::archive::{Archive, broken};
use super::header::{KEY, Versioned, check_items, check_names, description, header_length};
use super::{Model, Report};
use crate::matrix::AnyMatrix;
use crate::method::Entry;
use crate::parameters::Value;
use crate::registry;
use lowland_base::{Error, Result};
use ndarray::Array2;
use safetensors::tensor::{Metadata, TensorView};
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

/// The version of the format. A file of any other is refused.
const FORMAT: u32 = 3;
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    format: u32,
    checksum: String,
    method: String,
    parameters: BTreeMap<String, Value>,
    facts: serde_json::Map<String, serde_json::Value>,
    report: Report,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    feature_names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preparation: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    imputer: Option<Inner>,
}

/// A model inside another's file. Its arrays have names that begin with [`IMPUTER`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inner {
    method: String,
    parameters: BTreeMap<String, Value>,
    facts: serde_json::Map<String, serde_json::Value>,
    report: Report,
}

const IMPUTER: &str = "imputer/";

/// What a table went through before the fit, kept beside the model so that new rows go the same way.
pub struct Preparation {
    /// The recipe, in the words of whoever prepared the table.
    pub recipe: serde_json::Value,
    /// The model that filled in what was missing.
    pub imputer: Option<Box<dyn Model>>,
}

pub(crate) fn to_bytes(method: &str, archive: &Archive) -> Result<Vec<u8>> {
    described(method, archive, None, None)
}

/// The bytes of a model file together with the names of the columns and what they went through.
/// [`load_prepared`] gives it back.
pub fn prepared_bytes(
    model: &dyn Model,
    names: Option<Vec<String>>,
    preparation: Option<&Preparation>,
) -> Result<Vec<u8>> {
    described(model.entry().name, &model.archive(), names, preparation)
}

/// A model from a file, and what its table went through, where it was saved with that.
pub fn load_prepared(path: &Path) -> Result<(Box<dyn Model>, Option<Preparation>)> {
    named(path, || prepared(&whole(path)?))
}

/// Puts the name of the file into a refusal.
fn named<T>(path: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    work().map_err(|error| match error {
        Error::ModelFile { problem } => broken(format!("{}: {problem}", path.display())),
        other => other,
    })
}

fn prepared(bytes: &[u8]) -> Result<(Box<dyn Model>, Option<Preparation>)> {
    let (mut description, arrays) = read_bytes(bytes)?;
    let preparation = match description.preparation.take() {
        None => None,
        Some(recipe) => {
            let imputer = description.imputer.take().map(|inner| {
                let named =
                    arrays.iter().filter_map(|(name, array)| Some((name.strip_prefix(IMPUTER)?, array)));
                let archive = Archive {
                    parameters: inner.parameters,
                    report: inner.report,
                    facts: inner.facts,
                    arrays: named.map(|(name, array)| (name.to_owned(), array.clone())).collect(),
                };
                (canonical(&inner.method)?.load)(&archive)
            });
            Some(Preparation { recipe, imputer: imputer.transpose()? })
        }
    };
    Ok((made(description, arrays)?, preparation))
}

/// Saves a model together with the names of the columns that it was fitted to. [`load_names`] gives them back.
pub fn save_named(model: &dyn Model, names: &[String], path: &Path) -> Result<()> {
    write(path, &prepared_bytes(model, Some(names.to_vec()), None)?)
}

/// The names of the columns that a model file was saved with.
pub fn load_names(path: &Path) -> Result<Option<Vec<String>>> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(default)]
        feature_names: Option<Vec<String>>,
    }
    named(path, || {
        let (_, _, header) = open(path)?;
        let named: Named = serde_json::from_str(description(&header)?).map_err(|e| broken(e.to_string()))?;
        Ok(named.feature_names)
    })
}

fn described(
    method: &str,
    archive: &Archive,
    feature_names: Option<Vec<String>>,
    preparation: Option<&Preparation>,
) -> Result<Vec<u8>> {
    let blank = "0".repeat(64);
    let inner = preparation.and_then(|preparation| preparation.imputer.as_deref());
    let inner = inner.map(|model| (model.entry().name, model.archive()));
    let imputer = inner.as_ref().map(|(name, archive)| Inner {
        method: (*name).into(),
        parameters: archive.parameters.clone(),
        facts: archive.facts.clone(),
        report: archive.report.clone(),
    });
    let description = Description {
        format: FORMAT,
        checksum: blank.clone(),
        method: method.into(),
        parameters: archive.parameters.clone(),
        facts: archive.facts.clone(),
        report: archive.report.clone(),
        feature_names,
        preparation: preparation.map(|preparation| preparation.recipe.clone()),
        imputer,
    };
    let text = serde_json::to_string(&description).map_err(|e| broken(e.to_string()))?;
    check_items(&text)?;
    let own = archive.arrays.iter().map(|(name, matrix)| (name.clone(), matrix));
    let others = inner.iter().flat_map(|(_, archive)| &archive.arrays);
    let others = others.map(|(name, matrix)| (format!("{IMPUTER}{name}"), matrix));
    let bytes: Vec<(String, Dtype, (usize, usize), Vec<u8>)> = own
        .chain(others)
        .map(|(name, matrix)| match matrix {
            AnyMatrix::F64(a) => {
                (name, Dtype::F64, a.dim(), a.iter().flat_map(|value| value.to_le_bytes()).collect())
            }
            AnyMatrix::F32(a) => {
                (name, Dtype::F32, a.dim(), a.iter().flat_map(|value| value.to_le_bytes()).collect())
            }
        })
        .collect();
    let views = bytes
        .iter()
        .map(|(name, kind, (rows, columns), data)| {
            Ok((name.as_str(), TensorView::new(*kind, vec![*rows, *columns], data)?))
        })
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|e| broken(e.to_string()))?;
    let metadata = HashMap::from([(KEY.to_owned(), text)]);
    let mut file = safetensors::serialize(views, Some(metadata)).map_err(|e| broken(e.to_string()))?;
    // What could not be read again is not written.
    header_length(&file)?;
    let place = find(&file, blank.as_bytes()).ok_or_else(|| broken("no place for the checksum"))?;
    let checksum = hex(&Sha256::digest(&file));
    file[place..place + 64].copy_from_slice(checksum.as_bytes());
    Ok(file)
}

/// A model from the bytes of a file.
pub fn load_bytes(bytes: &[u8]) -> Result<Box<dyn Model>> {
    let (description, arrays) = read_bytes(bytes)?;
    made(description, arrays)
}

fn made(description: Description, arrays: BTreeMap<String, AnyMatrix>) -> Result<Box<dyn Model>> {
    let (entry, archive) = opened(description, arrays)?;
    if archive.is_checkpoint() {
        return Err(broken("it is a checkpoint, not a model; fit the method again with it as the start"));
    }
    (entry.load)(&archive)
}

/// The method of a file and what it holds.
pub(crate) fn read(bytes: &[u8]) -> Result<(&'static Entry, Archive)> {
    let (description, arrays) = read_bytes(bytes)?;
    opened(description, arrays)
}

fn opened(
    description: Description,
    mut arrays: BTreeMap<String, AnyMatrix>,
) -> Result<(&'static Entry, Archive)> {
    arrays.retain(|name, _| !name.starts_with(IMPUTER));
    let entry = canonical(&description.method)?;
    let Description { parameters, report, facts, .. } = description;
    Ok((entry, Archive { parameters, report, facts, arrays }))
}

/// The method of exactly this name: files are written with no other.
fn canonical(name: &str) -> Result<&'static Entry> {
    let known = registry::all().iter().find(|entry| entry.name == name);
    known
        .copied()
        .ok_or_else(|| broken(format!("it is of the method '{name}', which this version does not have")))
}

/// What a file describes, and its arrays, all checked.
fn read_bytes(bytes: &[u8]) -> Result<(Description, BTreeMap<String, AnyMatrix>)> {
    header_length(bytes)?;
    check_names(bytes)?;
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| broken(e.to_string()))?;
    let text = description(&metadata)?;
    // Everything else may have changed its form with the version.
    let Versioned { format } = serde_json::from_str(text).map_err(|e| broken(e.to_string()))?;
    if format != Some(u64::from(FORMAT)) {
        let found = format.map_or_else(|| "no format".to_owned(), |format| format!("format {format}"));
        return Err(broken(format!("it has {found}, and this version reads format {FORMAT}")));
    }
    let description: Description = serde_json::from_str(text).map_err(|e| broken(e.to_string()))?;
    verify(bytes, &description.checksum)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| broken(e.to_string()))?;
    let arrays = arrays(&tensors)?;
    Ok((description, arrays))
}

/// The arrays of a file.
fn arrays(tensors: &SafeTensors<'_>) -> Result<BTreeMap<String, AnyMatrix>> {
    let mut arrays = BTreeMap::new();
    for (name, tensor) in tensors.iter() {
        let refused = |e: ndarray::ShapeError| broken(e.to_string());
        let matrix = match (tensor.shape(), tensor.dtype()) {
            (&[rows, columns], Dtype::F64) => {
                let chunks = tensor.data().as_chunks::<8>().0.iter();
                let values = chunks.map(|chunk| f64::from_le_bytes(*chunk)).collect();
                AnyMatrix::F64(Array2::from_shape_vec((rows, columns), values).map_err(refused)?)
            }
            (&[rows, columns], Dtype::F32) => {
                let chunks = tensor.data().as_chunks::<4>().0.iter();
                let values = chunks.map(|chunk| f32::from_le_bytes(*chunk)).collect();
                AnyMatrix::F32(Array2::from_shape_vec((rows, columns), values).map_err(refused)?)
            }
            _ => return Err(broken(format!("array '{name}' is not a matrix in double or single precision"))),
        };
        arrays.insert(name.to_owned(), matrix);
    }
    Ok(arrays)
}

/// A model from a file. What is no model file is refused before more than its header is read.
pub fn load(path: &Path) -> Result<Box<dyn Model>> {
    named(path, || load_bytes(&whole(path)?))
}

/// The bytes of a file whose header is a model's.
pub(crate) fn whole(path: &Path) -> Result<Vec<u8>> {
    let (file, mut bytes, header) = open(path)?;
    description(&header)?;
    // One byte more than the header promises: a longer file is refused for it.
    let rest = (header.data_len() as u64).saturating_add(1);
    drop(header);
    file.take(rest).read_to_end(&mut bytes).map_err(|e| io_error(path, e))?;
    Ok(bytes)
}

fn io_error(path: &Path, error: std::io::Error) -> Error {
    Error::io(path.display(), &error)
}

/// A file of which the header has been read: the rest, the bytes so far, the header.
fn open(path: &Path) -> Result<(std::fs::File, Vec<u8>, Metadata)> {
    let io = |e| io_error(path, e);
    let file = lowland_base::files::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    (&file).take(8).read_to_end(&mut bytes).map_err(io)?;
    let length = header_length(&bytes)?;
    (&file).take(length).read_to_end(&mut bytes).map_err(io)?;
    let header: Metadata = serde_json::from_slice(&bytes[8..]).map_err(|e| broken(e.to_string()))?;
    Ok((file, bytes, header))
}

/// Writes a file whole or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    lowland_base::files::write(path, bytes).map_err(|e| io_error(path, e))
}

/// Compares the checksum, which was taken with its own place blank.
fn verify(bytes: &[u8], checksum: &str) -> Result<()> {
    // The length first: to look for a text of many megabytes in many more could take for ever.
    let place = if checksum.len() == 64 { find(bytes, checksum.as_bytes()) } else { None };
    let place = place.ok_or_else(|| broken("its checksum is malformed"))?;
    let mut hash = Sha256::new();
    hash.update(&bytes[..place]);
    hash.update("0".repeat(64));
    hash.update(&bytes[place + 64..]);
    if hex(&hash.finalize()) == checksum {
        Ok(())
    } else {
        Err(broken("its checksum does not match: the file is damaged or was changed"))
    }
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len().max(1)).position(|window| window == pattern)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn with_header(header: &str) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat()
    }

    #[test]
    fn arrays_of_both_precisions_come_back_to_the_bit() {
        let mut archive = Archive::new(Vec::new(), &Report::default());
        let (double, single) =
            (ndarray::array![[0.1, -2.0], [1e-300, 3.0]], ndarray::array![[0.1f32, 1e-30, 7.0]]);
        archive.put("double", double.clone());
        archive.put_single("single", single.clone());
        let bytes = to_bytes("pca", &archive).unwrap();
        let read = arrays(&SafeTensors::deserialize(&bytes).unwrap()).unwrap();
        let read = Archive { arrays: read, ..Archive::default() };
        assert_eq!(read.matrix("double", (2, 2)).unwrap(), double);
        assert_eq!(read.single("single", (1, 3)).unwrap(), single);
        let message = read.matrix("single", (1, 3)).unwrap_err().to_string();
        assert!(message.contains("array 'single' is not in double precision"), "{message}");
        assert!(read.single("double", (2, 2)).is_err());
    }

    #[test]
    fn a_checksum_of_many_megabytes_does_not_keep_us_busy() {
        let text = serde_json::json!({
            "format": FORMAT, "checksum": "a".repeat(1 << 20) + "b", "method": "pca",
            "parameters": {}, "facts": {}, "report": Report::default(),
        });
        let metadata = serde_json::json!({ "a": "a".repeat(3 << 20), KEY: text.to_string() });
        let file = with_header(&serde_json::json!({ "__metadata__": metadata }).to_string());
        let begun = Instant::now();
        assert!(matches!(load_bytes(&file), Err(Error::ModelFile { .. })));
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    }

    #[cfg(unix)] // Elsewhere a file of zeros may take up its space.
    #[test]
    fn a_file_that_is_no_model_is_refused_by_its_header() {
        let path = std::env::temp_dir().join(format!("lowland-no-model-{}", std::process::id()));
        // Eight sparse gigabytes: who reads on needs them in memory.
        let foreign = r#"{"x":{"dtype":"U8","shape":[8589934592],"data_offsets":[0,8589934592]}}"#;
        for start in [with_header(foreign), with_header("{"), Vec::new(), vec![255; 8]] {
            std::fs::write(&path, &start).unwrap();
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 33).unwrap();
            let begun = Instant::now();
            let refused = load(&path).map(|_| ());
            assert!(matches!(refused, Err(Error::ModelFile { .. })), "{refused:?}");
            assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
