//! The one way to files: `lowland-io`, and the files under way, which an interrupted run removes.

use crate::outcome::print_message;
use lowland::layout::affinity::supervised::UNKNOWN;
use lowland::units::{count, one_or_many};
use lowland::{AnyMatrix, Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub use lowland_io::Labels;
use lowland_io::{Sheet, Written, is_missing};

/// Refuses one file for two outputs, however it is named.
pub fn distinct(paths: &[&String]) -> Result<()> {
    let mut seen = BTreeSet::new();
    let into_nothing =
        |path: &Path| std::fs::metadata(path).is_ok_and(|found| lowland::files::is_stream(&found));
    let mut kept = paths.iter().filter(|path| !into_nothing(Path::new(path)));
    match kept.find(|path| !seen.insert(lowland::files::identity(Path::new(path)))) {
        Some(twice) => Err(Error::Io {
            path: (*twice).clone(),
            problem: "it is named for two outputs; give each a file of its own".into(),
        }),
        None => Ok(()),
    }
}

/// Reads a label for each of the rows. Whether a text file of them begins with a name goes by its looks; where that does
/// not fit the rows, `header` decides, and a word above numbers is a name. `unlabeled` rows may be
/// among them.
pub fn read_labels(path: &str, rows: usize, header: Option<bool>, unlabeled: bool) -> Result<Labels> {
    let read = if unlabeled { lowland_io::read_labels_or_none } else { lowland_io::read_labels };
    let labels = read(path, None)?;
    if labels.len() == rows {
        return Ok(labels);
    }
    // The standard input can be read only once.
    if header.is_some() && path != "-" {
        let labels = read(path, header)?;
        if labels.len() == rows {
            return Ok(labels);
        }
    }
    let name = match &labels {
        Labels::Words(words) if words.len() == rows + 1 => words.first().cloned(),
        _ => None,
    };
    if let (Some(name), Labels::Words(words)) = (&name, &labels)
        && header != Some(false)
        && let Some(labels) = below_name(words)
    {
        let taken = format!("1 label more than rows in {path}: the first, '{name}', was taken for a name");
        print_message("note", &taken);
        return Ok(labels);
    }
    let remedy =
        name.map(|name| format!("; if the first, '{name}', is a name, delete that line")).unwrap_or_default();
    // A pipe can be read only once, too.
    let few = labels.len() < rows && std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let remedy = match if few { lowland_io::empty_lines_at_end(path)? } else { 0 } {
        0 => remedy,
        empty => format!(
            "; {} at the end of the file {} not counted: write \"\" or NA for a missing label",
            count(empty, "empty line"),
            one_or_many(empty, "is", "are")
        ),
    };
    let refused = Error::LabelCount { labels: labels.len(), rows };
    Err(Error::Io { path: path.to_owned(), problem: format!("{refused}{remedy}") })
}

/// The numbers below the first word, which can only be their name.
fn below_name(words: &[String]) -> Option<Labels> {
    let (name, labels) = words.split_first()?;
    // Beyond, not every whole number is a double.
    let number = |word: &String| word.parse::<f64>().ok().filter(|number| number.abs() < 2f64.powi(53));
    if is_missing(name) || number(name).is_some() {
        return None;
    }
    labels.iter().map(number).collect::<Option<Vec<f64>>>().map(Labels::Numbers)
}

/// Whole numbers as they are; other labels as numbers from 0 on, in their order. With `unknown`, a label that is missing or
/// -1 is not known.
pub fn numbered(labels: &Labels, unknown: bool) -> Vec<i64> {
    fn of<T: PartialOrd + Clone>(labels: &[T], is_known: impl Fn(&T) -> bool) -> Vec<i64> {
        let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
        let mut distinct: Vec<T> = labels.iter().filter(|label| is_known(label)).cloned().collect();
        distinct.sort_by(order);
        distinct.dedup();
        let index = |label| distinct.binary_search_by(|known| order(known, label)).unwrap_or_default();
        labels.iter().map(|label| if is_known(label) { index(label) as i64 } else { UNKNOWN }).collect()
    }
    // Beyond, not every whole number is a double.
    let is_whole = |label: &f64| label.is_nan() || label.fract() == 0.0 && label.abs() <= 2f64.powi(53);
    match labels {
        Labels::Numbers(numbers) if numbers.iter().all(is_whole) => {
            numbers.iter().map(|&label| if label.is_nan() { UNKNOWN } else { label as i64 }).collect()
        }
        Labels::Numbers(numbers) => {
            of(numbers, |&label| !(label.is_nan() || unknown && label == UNKNOWN as f64))
        }
        Labels::Words(words) => of(words, |label| !label.is_empty()),
    }
}

/// Files under way, which an interrupted run removes.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes what is not finished, and lets nothing new begin; called before the process is ended from outside.
pub fn abandon() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// Drops what was written and has no name.
pub fn discard() {
    let written = std::mem::take(&mut *WRITTEN.lock().unwrap_or_else(PoisonError::into_inner));
    drop(written);
}

/// [`abandon`] where nothing may be waited for: this thread may hold the lock itself.
pub fn abandon_now() {
    if let Ok(unfinished) = UNFINISHED.try_lock() {
        for path in unfinished.iter() {
            let _ = std::fs::remove_file(path);
        }
        std::mem::forget(unfinished);
    }
}

/// A file that will be written whole or not at all.
pub struct Output {
    inner: lowland_io::Output,
    begun: Begun,
}

/// What is written but for its name, in order.
static WRITTEN: Mutex<Vec<(Written, Begun)>> = Mutex::new(Vec::new());

/// Gives all files that were written their names, one right after the other, so that those of one run belong together. An
/// interrupt comes before or after it.
pub fn commit() -> Result<()> {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let written = std::mem::take(&mut *WRITTEN.lock().unwrap_or_else(PoisonError::into_inner));
    let paths: Vec<PathBuf> = written.iter().map(|(file, _)| file.path().to_owned()).collect();
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut outcome = Ok(());
    for (at, (file, mut begun)) in written.into_iter().enumerate() {
        if outcome.is_ok() {
            outcome = file.name().map_err(|error| match (error, &names[..at]) {
                (error, []) => error,
                (Error::Io { path, problem }, done) => {
                    let problem = format!("{problem} ({} of this run is written already)", done.join(", "));
                    Error::Io { path, problem }
                }
                (error, _) => error,
            });
        }
        // Not by its own end, which would wait for the lock that we hold.
        if let Some(path) = begun.0.take() {
            unfinished.remove(&path);
        }
    }
    // One folder once; after all names, since it takes far longer than they do.
    let targets = paths.iter().map(|path| lowland::files::identity(path));
    let folders: BTreeMap<PathBuf, PathBuf> =
        targets.map(|path| (lowland::files::folder(&path).to_owned(), path)).collect();
    folders.values().for_each(|path| lowland::files::keep_names(path));
    outcome
}

/// An entry among the unfinished, for as long as it lives.
struct Begun(Option<PathBuf>);

impl Output {
    /// Whether it is a table of text.
    pub fn is_text(&self) -> bool {
        self.inner.is_text()
    }

    /// A matrix or labels, in the format that the name says. Refuses, before any work, what could not be
    /// written afterward.
    pub fn prepare(path: &str, force: bool, inputs: &[&str]) -> Result<Self> {
        Self::begin(path, || lowland_io::Output::prepare(Path::new(path), force, inputs))
    }

    /// As [`Output::prepare`], for bytes whatever the name.
    pub fn prepare_bytes(path: &str, force: bool, inputs: &[&str]) -> Result<Self> {
        Self::begin(path, || lowland_io::Output::prepare_bytes(Path::new(path), force, inputs))
    }

    /// Under the lock, so that no file begins after [`abandon`] has looked.
    fn begin(path: &str, prepare: impl FnOnce() -> Result<lowland_io::Output>) -> Result<Self> {
        if path == "-" {
            crate::outcome::leave_standard_output();
        }
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = prepare()?;
        let temporary = inner.temporary().map(Path::to_owned);
        unfinished.extend(temporary.clone());
        Ok(Self { inner, begun: Begun(temporary) })
    }

    /// Writes it, but for its name: that comes with [`commit`].
    fn write_by(self, write: impl FnOnce(lowland_io::Output) -> Result<Written>) -> Result<()> {
        let written = write(self.inner)?;
        WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).push((written, self.begun));
        Ok(())
    }

    pub fn write_bytes(self, bytes: &[u8]) -> Result<()> {
        self.write_by(|file| file.bytes(bytes))
    }

    pub fn write(self, matrix: &AnyMatrix, columns: Option<&[String]>) -> Result<()> {
        self.write_by(|file| file.matrix(matrix, columns))
    }

    pub fn write_sheet(self, sheet: &Sheet<'_>) -> Result<()> {
        self.write_by(|file| file.sheet(sheet))
    }

    pub fn write_labels(self, labels: &Labels) -> Result<()> {
        self.write_by(|file| file.labels(labels))
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
        }
    }
}
