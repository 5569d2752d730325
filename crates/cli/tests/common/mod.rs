//! Runs the program in a folder of its own.

// Each test file uses its own part of this.
#![allow(dead_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// As the program of that name does it.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        let name = format!("lowland-cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.file(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.file(name), text).unwrap();
    }

    pub fn write_bytes(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.file(name), bytes).unwrap();
    }

    /// The names of everything in the folder.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lowland"));
        // Whoever runs the tests may have real data; a command that uses them names them.
        command.args(line.split_whitespace()).current_dir(&self.0).env_remove("LOWLAND_DATA");
        command
    }

    pub fn run(&self, line: &str) -> Ran {
        let Output { status, stdout, stderr } = self.command(line).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// Runs what must succeed, and gives its output.
    pub fn ok(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        ran.out
    }

    /// Runs what must succeed with this on its standard input.
    pub fn ok_given(&self, line: &str, input: &[u8]) {
        let mut child = self.command(line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        assert!(child.wait_with_output().unwrap().status.success(), "{line}");
    }

    pub fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.ok(line)).unwrap()
    }

    /// Runs what must fail with this code, in one line that holds these words.
    pub fn refused(&self, line: &str, code: i32, words: &str) {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.err);
        assert!(ran.err.starts_with("error: ") && ran.err.lines().count() == 1, "{line}: {}", ran.err);
        assert!(ran.err.contains(words), "{line}: {} lacks '{words}'", ran.err);
        assert!(!ran.err.contains("panicked"), "{line}: {}", ran.err);
        assert_eq!(ran.out, "", "{line}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a run ended.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}
