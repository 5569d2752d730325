//! The protocol of `cargo xtask bench`; `benches/peers/contestant.py` is the same in Python.

use crate::npy::{self, Array, Element};
use lowland_base::Run;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Instant;

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The words `key=value` of the command line.
pub struct Arguments(HashMap<String, String>);

impl Arguments {
    pub fn new(words: impl Iterator<Item = String>) -> Outcome<Self> {
        let pair = |word: String| match word.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("`{word}` is not of the form key=value").into()),
        };
        words.map(pair).collect::<Outcome<_>>().map(Arguments)
    }

    fn text(&self, key: &str) -> Outcome<&str> {
        self.0.get(key).map(|value| &**value).ok_or_else(|| format!("`{key}=...` is missing").into())
    }

    pub fn number(&self, key: &str) -> Outcome<usize> {
        let text = self.text(key)?;
        text.parse().map_err(|_| format!("`{key}` is a whole number, not `{text}`").into())
    }

    /// The file of one array of the data set, by what follows the set's name in its name.
    pub fn file(&self, part: &str) -> Outcome<PathBuf> {
        self.file_named(&format!("{part}.npy"))
    }

    /// A file of the data set, by what follows the set's name in its name.
    pub fn file_named(&self, ending: &str) -> Outcome<PathBuf> {
        Ok(format!("{}{ending}", self.text("data")?).into())
    }

    /// One array of the data set.
    pub fn load<T: Element>(&self, part: &str) -> Outcome<Array<T>> {
        let file = self.file(part)?;
        npy::read(&file).map_err(|why| format!("{}: {why}", file.display()).into())
    }

    /// A run with the threads that the other contestants have.
    pub fn run(&self) -> Outcome<Run> {
        Ok(Run::new().with_threads(self.number("threads")?)?)
    }
}

/// A named figure that says how good a result is.
pub type Figure = (&'static str, f64);

/// Does the timed work once for each `run` that is asked, and judges the last result on `report`.
pub fn serve<R>(
    mut timed: impl FnMut() -> Outcome<R>,
    judge: impl FnOnce(R) -> Outcome<Vec<Figure>>,
) -> Outcome {
    // Lets the peak of the resident set begin again, where Linux allows it.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let resident = memory("VmRSS:");
    answer(&json!({ "ready": true }))?;
    let mut result = None;
    for line in std::io::stdin().lock().lines() {
        match line?.trim() {
            "run" => {
                // Not two results at once.
                drop(result.take());
                let begun = Instant::now();
                result = Some(timed()?);
                answer(&json!({ "seconds": begun.elapsed().as_secs_f64() }))?;
            }
            "report" => {
                let peak = memory("VmHWM:");
                let figures = judge(result.ok_or("`report` before any `run`")?)?;
                // A figure that is not finite becomes null.
                let quality: Map<String, Value> =
                    figures.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
                return answer(
                    &json!({ "resident_bytes": resident, "peak_bytes": peak, "quality": quality }),
                );
            }
            other => return Err(format!("neither `run` nor `report`: `{other}`").into()),
        }
    }
    Ok(())
}

fn answer(value: &Value) -> Outcome {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")?;
    Ok(out.flush()?)
}

/// A line of Linux's account of this process, in bytes; none on other systems.
fn memory(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(key))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
