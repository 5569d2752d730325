//! Damaged and forged model files, for every method. A damaged one is always refused; a forged one, whose checksum is
//! right, is refused or gives numbers.

use super::program::{Chance, Count, Table};
use super::whole;
use lowland::{AnyInput, Entry, Model, Run, load_bytes, registry};
use ndarray::Array2;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows on a curved sheet, the same every time.
fn rows(n: usize, shift: f64) -> Array2<f64> {
    Array2::from_shape_fn((n, 4), |(i, j)| {
        let (a, b) = ((i * 7 % n) as f64 / n as f64 + shift, (i * 11 % 17) as f64 / 17.0);
        ((j + 1) as f64 * a).sin() * 2.0 + b * (j as f64 - 1.5) + 0.01 * ((i * 13 + j * 5) % 7) as f64
    })
}

fn model(entry: &Entry) -> Box<dyn Model> {
    let mut method = (entry.create)();
    method.set("n_components", &lowland::parameters::Value::Integer(2)).unwrap();
    let x = rows(40, 0.0);
    let labels: Vec<i64> = (0..40).map(|i| i / 4).collect();
    let fitted = if entry.capabilities.labels {
        method.fit_labeled(x.view().into(), &labels, &Run::new())
    } else {
        method.fit(x.view().into(), &Run::new())
    };
    fitted.unwrap_or_else(|e| panic!("{}: {e}", entry.name))
}

pub fn campaign(table: &mut Table) {
    let (flips, tries) = if whole() { (400, 12) } else { (12, 1) };
    for entry in registry::all() {
        let bytes = model(entry).to_bytes().unwrap();
        let mut chance = Chance(entry.name.len() as u64 + 1);
        for _ in 0..flips {
            let (what, damaged) = damaged(&bytes, &mut chance);
            table.count(what, entry.name, refused(&damaged));
        }
        for forgery in FORGERIES {
            for _ in 0..tries {
                if let Some(forged) = forged(&bytes, forgery, &mut chance) {
                    table.count(&format!("forged: {}", forgery.0), entry.name, used(&forged));
                }
            }
        }
    }
}

fn damaged(bytes: &[u8], chance: &mut Chance) -> (&'static str, Vec<u8>) {
    let mut changed = bytes.to_vec();
    let at = chance.below(bytes.len());
    match chance.below(4) {
        0 => {
            changed[at] ^= 1 << chance.below(8);
            ("damaged: a bit", changed)
        }
        1 => {
            changed.truncate(at);
            ("damaged: cut short", changed)
        }
        2 => {
            changed.insert(at, chance.below(256) as u8);
            ("damaged: a byte more", changed)
        }
        _ => {
            changed.remove(at);
            ("damaged: a byte less", changed)
        }
    }
}

/// A damaged file must be refused.
fn refused(bytes: &[u8]) -> (Count, String) {
    match catch_unwind(AssertUnwindSafe(|| load_bytes(bytes).map(|_| ()))) {
        Ok(Err(_)) => (Count::Refused, String::new()),
        Ok(Ok(())) => (Count::Broken, "it was taken".into()),
        Err(_) => (Count::Broken, "a fault".into()),
    }
}

/// A forged file may be refused, or its model gives numbers or an error, in time.
fn used(bytes: &[u8]) -> (Count, String) {
    let begun = std::time::Instant::now();
    let attempt = || -> lowland::Result<bool> {
        let model = load_bytes(bytes)?;
        // A width that nobody has rows of.
        if model.features() != 4 {
            return Ok(true);
        }
        let (run, x) = (Run::new(), rows(9, 0.003));
        let y = model.transform(AnyInput::from(x.view()), &run)?;
        let mut sound = y.to_f64().iter().all(|value| value.is_finite());
        if model.components() < 100
            && let Ok(back) = model.inverse(y.to_f64().view().into(), &run)
        {
            sound &= back.to_f64().iter().all(|value| value.is_finite());
        }
        let _ = (model.report(), model.attributes(), model.to_bytes());
        Ok(sound)
    };
    let outcome = catch_unwind(AssertUnwindSafe(attempt));
    // Only the whole campaign looks at the clock: tests run on machines of any speed.
    if whole() && begun.elapsed().as_secs() > 30 {
        return (Count::Broken, format!("it took {:?}", begun.elapsed()));
    }
    match outcome {
        Ok(Ok(true)) => (Count::Done, String::new()),
        Ok(Ok(false)) => (Count::Broken, "values that are not finite".into()),
        Ok(Err(_)) => (Count::Refused, String::new()),
        Err(fault) => {
            let words = fault.downcast_ref::<String>().cloned();
            let words = words.or_else(|| fault.downcast_ref::<&str>().map(|words| (*words).to_owned()));
            (Count::Broken, format!("a fault: {}", words.unwrap_or_default()))
        }
    }
}

/// What a forger does: to the header, to the description inside it, to the numbers.
type Forgery = (&'static str, fn(&mut Value, &mut Value, &mut Vec<u8>, &mut Chance) -> bool);

const FORGERIES: &[Forgery] = &[
    ("an array left out", |header, _, _, chance| {
        let Some(name) = any_array(header, chance) else { return false };
        header.as_object_mut().unwrap().remove(&name);
        true
    }),
    ("an array renamed", |header, _, _, chance| {
        let Some(name) = any_array(header, chance) else { return false };
        let map = header.as_object_mut().unwrap();
        let array = map.remove(&name).unwrap();
        map.insert(format!("{name}x"), array);
        true
    }),
    ("another shape", |header, _, _, chance| {
        let Some(name) = any_array(header, chance) else { return false };
        let shape = header[&name]["shape"].as_array_mut().unwrap();
        shape.reverse();
        true
    }),
    ("NaN in an array", |header, _, data, chance| overwritten(header, data, chance, f64::NAN)),
    ("1e308 in an array", |header, _, data, chance| overwritten(header, data, chance, 1e308)),
    ("-1 in an array", |header, _, data, chance| overwritten(header, data, chance, -1.0)),
    ("0 in an array", |header, _, data, chance| overwritten(header, data, chance, 0.0)),
    ("1e-320 in an array", |header, _, data, chance| overwritten(header, data, chance, 1e-320)),
    ("an array of zeros", |header, _, data, chance| {
        let Some(range) = any_range(header, chance) else { return false };
        data[range].fill(0);
        true
    }),
    ("a fact left out", |_, description, _, chance| {
        let facts = description["facts"].as_object_mut().unwrap();
        let Some(name) = facts.keys().nth(chance.below(facts.len())).cloned() else { return false };
        facts.remove(&name);
        true
    }),
    ("a fact of 2^53", |_, description, _, chance| fact(description, chance, Value::from(1u64 << 53))),
    ("a fact of 0", |_, description, _, chance| fact(description, chance, Value::from(0))),
    ("a fact of -1", |_, description, _, chance| fact(description, chance, Value::from(-1))),
    ("a fact of 1e300", |_, description, _, chance| fact(description, chance, Value::from(1e300))),
    ("a fact that is a word", |_, description, _, chance| fact(description, chance, Value::from("many"))),
    ("another method", |_, description, _, chance| {
        let all = registry::all();
        description["method"] = Value::from(all[chance.below(all.len())].name);
        true
    }),
    ("a method by an alias", |_, description, _, _| {
        let name = description["method"].as_str().unwrap().to_uppercase();
        description["method"] = Value::from(name);
        true
    }),
    ("a parameter left out", |_, description, _, chance| {
        let map = description["parameters"].as_object_mut().unwrap();
        let Some(name) = map.keys().nth(chance.below(map.len())).cloned() else { return false };
        map.remove(&name);
        true
    }),
    ("a parameter of 10^6", |_, description, _, chance| {
        let map = description["parameters"].as_object_mut().unwrap();
        let Some(name) = map.keys().nth(chance.below(map.len())).cloned() else { return false };
        map.insert(name, Value::from(1_000_000));
        true
    }),
];

fn any_array(header: &Value, chance: &mut Chance) -> Option<String> {
    let names: Vec<&String> = header.as_object()?.keys().filter(|name| *name != "__metadata__").collect();
    names.get(chance.below(names.len())).map(|name| (*name).clone())
}

fn any_range(header: &Value, chance: &mut Chance) -> Option<std::ops::Range<usize>> {
    let name = any_array(header, chance)?;
    let end = |at: usize| header[&name]["data_offsets"][at].as_u64().unwrap() as usize;
    Some(end(0)..end(1))
}

/// One number of an array in double precision.
fn overwritten(header: &Value, data: &mut [u8], chance: &mut Chance, with: f64) -> bool {
    let Some(range) = any_range(header, chance) else { return false };
    if range.len() < 8 {
        return false;
    }
    let at = range.start + 8 * chance.below(range.len() / 8);
    data[at..at + 8].copy_from_slice(&with.to_le_bytes());
    true
}

fn fact(description: &mut Value, chance: &mut Chance, value: Value) -> bool {
    let facts = description["facts"].as_object_mut().unwrap();
    let Some(name) = facts.keys().nth(chance.below(facts.len())).cloned() else { return false };
    facts.insert(name, value);
    true
}

/// The file with something changed and the right checksum. None where there was nothing to change.
fn forged(bytes: &[u8], (_, change): &Forgery, chance: &mut Chance) -> Option<Vec<u8>> {
    let length = u64::from_le_bytes(*bytes.first_chunk::<8>().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let mut data = bytes[8 + length..].to_vec();
    let text = header["__metadata__"]["lowland"].as_str().unwrap().to_owned();
    let mut description: Value = serde_json::from_str(&text).unwrap();
    if !change(&mut header, &mut description, &mut data, chance) {
        return None;
    }
    let blank = "0".repeat(64);
    description["checksum"] = Value::from(blank.clone());
    header["__metadata__"]["lowland"] = Value::from(description.to_string());
    Some(sealed(&header.to_string(), &data))
}

/// A file of this header and these numbers, with its checksum in the place of 64 zeros.
fn sealed(header: &str, data: &[u8]) -> Vec<u8> {
    let mut header = header.to_owned();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(data);
    let blank = "0".repeat(64);
    let at = file.windows(64).position(|window| window == blank.as_bytes()).unwrap();
    let checksum: String = Sha256::digest(&file).iter().map(|byte| format!("{byte:02x}")).collect();
    file[at..at + 64].copy_from_slice(checksum.as_bytes());
    file
}

#[test]
fn the_forger_knows_his_trade() {
    let bytes = model(registry::baseline()).to_bytes().unwrap();
    let mut chance = Chance(1);
    // Nothing changed but the order of the text: it is taken, so that a refusal is one of what was changed.
    let same = forged(&bytes, &("nothing", |_, _, _, _| true), &mut chance).unwrap();
    assert!(load_bytes(&same).is_ok());
    // A name twice: readers differ in which one they take.
    let length = u64::from_le_bytes(*same.first_chunk::<8>().unwrap()) as usize;
    let header = String::from_utf8(same[8..8 + length].to_vec()).unwrap();
    let parsed: Value = serde_json::from_str(&header).unwrap();
    let name = any_array(&parsed, &mut chance).unwrap();
    let twice = format!("{},\"{name}\":{}}}", header.trim_end().strip_suffix('}').unwrap(), parsed[&name]);
    let checksum =
        serde_json::from_str::<Value>(parsed["__metadata__"]["lowland"].as_str().unwrap()).unwrap();
    let twice = twice.replace(checksum["checksum"].as_str().unwrap(), &"0".repeat(64));
    let refused = load_bytes(&sealed(&twice, &same[8 + length..])).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("twice"), "{refused}");
}
