//! Finished parts on disk, so that an experiment that was stopped goes on where it was.

use lowland::{Error, Result, Run, files};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The folder of an experiment: its results, its pictures, and in `work` what is finished.
#[derive(Debug, Clone)]
pub struct Work {
    out: PathBuf,
}

impl Work {
    /// The folder, made where it is not there.
    pub fn open(out: &Path) -> Result<Self> {
        let work = Self { out: out.to_owned() };
        std::fs::create_dir_all(work.cells())
            .map_err(|e| Error::Io { path: out.display().to_string(), problem: e.to_string() })?;
        Ok(work)
    }

    /// The folder for finished cells.
    pub fn cells(&self) -> PathBuf {
        self.out.join("work")
    }

    /// Writes a file of the results whole.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.out.join(name);
        whole(&path, bytes)?;
        Ok(path)
    }

    /// A picture that was written, to be put into a page.
    pub fn picture(&self, name: &str) -> Result<String> {
        let path = self.out.join(name);
        std::fs::read_to_string(&path)
            .map_err(|e| Error::Io { path: path.display().to_string(), problem: e.to_string() })
    }

    /// What was computed before under this key, or what is computed now. The key names everything that the result depends
    /// on but for the version and the seed. Runs that are stopped keep nothing.
    pub fn remember<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        run: &Run,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        run.check()?;
        let full = format!("{} {} {key}", env!("CARGO_PKG_VERSION"), run.seed());
        let hash: String =
            Sha256::digest(full.as_bytes()).iter().take(8).map(|b| format!("{b:02x}")).collect();
        let path = self.cells().join(format!("part-{hash}.json"));
        let kept =
            std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<(String, T)>(&bytes).ok());
        if let Some((_, found)) = kept.filter(|(found, _)| *found == full) {
            return Ok(found);
        }
        let found = compute()?;
        let bytes = serde_json::to_vec(&(&full, &found))
            .map_err(|e| Error::Io { path: path.display().to_string(), problem: e.to_string() })?;
        whole(&path, &bytes)?;
        Ok(found)
    }
}

/// Writes a file whole.
pub fn whole(path: &Path, bytes: &[u8]) -> Result<()> {
    files::write(path, bytes)
        .map_err(|e| Error::Io { path: path.display().to_string(), problem: e.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_computed_once_for_each_key_and_seed() {
        let folder = std::env::temp_dir().join(format!("lowland-work-{}", std::process::id()));
        let work = Work::open(&folder).unwrap();
        let run = Run::new();
        assert_eq!(work.remember("a", &run, || Ok(1.5)).unwrap(), 1.5);
        assert_eq!(work.remember("a", &run, || Ok(2.5)).unwrap(), 1.5);
        assert_eq!(work.remember("b", &run, || Ok(2.5)).unwrap(), 2.5);
        assert_eq!(work.remember("a", &Run::new().with_seed(1), || Ok(3.5)).unwrap(), 3.5);
        assert!(work.remember::<f64>("c", &run, || Err(Error::Canceled)).is_err());
        assert_eq!(work.remember("c", &run, || Ok(4.0)).unwrap(), 4.0);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
