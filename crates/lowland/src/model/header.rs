//! The header of a model file: what is believed of it before anything else is read.

use super::archive::broken;
use lowland_base::Result;
use safetensors::tensor::Metadata;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::collections::BTreeSet;

/// The key of the JSON text in the metadata: the only key.
pub(super) const KEY: &str = "lowland";
/// What a safetensors file without the key is reported.
const FOREIGN: &str = "it is a safetensors file, but not of a Lowland model";
/// No honest model describes itself in more.
const LARGEST_HEADER: u64 = 8 << 20;
/// Nor in more items: each takes many times the memory of its text.
const MOST_ITEMS: usize = 1 << 19;

#[derive(serde::Deserialize)]
pub(super) struct Versioned {
    #[serde(default)]
    pub format: Option<u64>,
}

/// The JSON text of a file that is a model's.
pub(super) fn description(header: &Metadata) -> Result<&str> {
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let text = text.ok_or_else(|| broken(FOREIGN))?;
    check_items(text)?;
    Ok(text)
}

pub(super) fn check_items(text: &str) -> Result<()> {
    match text.bytes().filter(|&b| b == b',').count() {
        0..=MOST_ITEMS => Ok(()),
        _ => Err(broken("it describes itself by more items than any model needs")),
    }
}

/// The length of the header, which the first eight bytes hold.
pub(super) fn header_length(bytes: &[u8]) -> Result<u64> {
    match bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length)) {
        Some(length) if length <= LARGEST_HEADER => Ok(length),
        _ => Err(broken("its header is missing, cut short or too long")),
    }
}

/// Refuses a header in which a name comes twice: readers differ in which one they take.
pub(super) fn check_names(bytes: &[u8]) -> Result<()> {
    let length = usize::try_from(header_length(bytes)?).unwrap_or(usize::MAX);
    let header = bytes.get(8..length.saturating_add(8)).ok_or_else(|| broken("its header is cut short"))?;
    serde_json::from_slice::<Distinct>(header).map(|_| ()).map_err(|e| broken(e.to_string()))
}

/// A map whose keys are different.
struct Distinct;

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Distinct;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("names with their arrays")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Distinct, A::Error> {
                let mut seen = BTreeSet::new();
                while let Some((name, _)) = map.next_entry::<String, IgnoredAny>()? {
                    if !seen.insert(name.clone()) {
                        return Err(A::Error::custom(format!("array '{name}' is there twice")));
                    }
                }
                Ok(Distinct)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}
