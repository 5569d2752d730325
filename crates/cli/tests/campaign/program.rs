//! One call of the program, judged: it ends well, or it refuses in one line that says what to do.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// No call may take longer.
const LONGEST: Duration = Duration::from_secs(600);

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A folder that goes away with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        let name = format!("lowland-break-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The files that should not be there any more.
    pub fn temporaries(&self) -> usize {
        let entries = std::fs::read_dir(&self.0).unwrap().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp")).count()
    }

    /// The program in this folder, after these commands of a shell.
    pub fn command(&self, before: &str, line: &str) -> Command {
        let program = env!("CARGO_BIN_EXE_lowland");
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{before} exec '{program}' \"$@\"")).arg("lowland");
        command.args(line.split_whitespace()).current_dir(&self.0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, before: &str, line: &str) -> Ran {
        let child = self.command(before, line).spawn().unwrap();
        waited(child)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a call ended.
pub struct Ran {
    /// None where a signal ended it, or it had to be killed.
    pub code: Option<i32>,
    pub late: bool,
    pub out: String,
    pub err: String,
}

/// Waits for the end, or brings it about.
pub fn waited(mut child: Child) -> Ran {
    let begun = Instant::now();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let read = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = out.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let read_errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = err.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut late = false;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > LONGEST {
            late = true;
            child.kill().unwrap();
            break child.wait().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Ran { code: status.code(), late, out: read.join().unwrap(), err: read_errors.join().unwrap() }
}

/// How an attempt ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Count {
    /// It went well.
    Done,
    /// It was refused, in words.
    Refused,
    /// A promise was broken.
    Broken,
}

impl Ran {
    /// A success, a refusal in words, or a broken promise, with what is wrong.
    pub fn judged(&self) -> (Count, String) {
        let broken = |words: &str| (Count::Broken, format!("{words}: {:?} {}", self.code, self.err.trim()));
        if self.late {
            return broken("took too long");
        }
        if self.err.contains("internal fault") || self.err.contains("panicked") {
            return broken("a fault");
        }
        match self.code {
            Some(0) => (Count::Done, String::new()),
            Some(1 | 2) => {
                let errors: Vec<&str> = self.err.lines().filter(|line| line.starts_with("error: ")).collect();
                let others = self.err.lines().filter(|line| {
                    !["error: ", "warning: ", "note: "].iter().any(|kind| line.starts_with(kind))
                });
                if errors.len() != 1 || others.count() > 0 {
                    return broken("not one line of error");
                }
                // The remedy comes last, after a semicolon.
                if !errors[0].contains("; ") && !errors[0].contains("try '--help'") {
                    return broken("no remedy");
                }
                (Count::Refused, String::new())
            }
            _ => broken("ended by a signal or with an unknown code"),
        }
    }
}

/// The numbers of a CSV file with a header, unless one is none.
pub fn rows_of_numbers(path: &Path) -> Option<usize> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut rows = 0;
    for line in text.lines().skip(1) {
        rows += 1;
        for cell in line.split(',') {
            if !cell.trim().parse::<f64>().is_ok_and(f64::is_finite) {
                return None;
            }
        }
    }
    Some(rows)
}

/// The counts of one part, by what was tried.
pub struct Table {
    part: String,
    counts: BTreeMap<String, [usize; 3]>,
    broken: Vec<String>,
    pub notes: Vec<String>,
    begun: Instant,
}

impl Table {
    pub fn new(part: &str) -> Self {
        Self {
            part: part.into(),
            counts: BTreeMap::new(),
            broken: Vec::new(),
            notes: Vec::new(),
            begun: Instant::now(),
        }
    }

    pub fn count(&mut self, what: &str, detail: &str, (count, words): (Count, String)) {
        self.counts.entry(what.to_owned()).or_default()[count as usize] += 1;
        if count == Count::Broken {
            self.broken.push(format!("{what}: {detail}: {words}"));
        }
    }

    /// Prints the counts, and fails where a promise was broken.
    pub fn finish(self) {
        let seconds = self.begun.elapsed().as_secs_f64();
        println!("\n{} ({seconds:.0} s)\n", self.part);
        println!("| tried | attempts | done | refused | broken |\n|---|---:|---:|---:|---:|");
        let mut all = [0; 3];
        for (what, counts) in &self.counts {
            let [done, refused, broken] = counts;
            println!("| {what} | {} | {done} | {refused} | {broken} |", done + refused + broken);
            (0..3).for_each(|at| all[at] += counts[at]);
        }
        println!("| all | {} | {} | {} | {} |", all[0] + all[1] + all[2], all[0], all[1], all[2]);
        self.notes.iter().for_each(|note| println!("{note}"));
        assert!(self.broken.is_empty(), "{} broken:\n{}", self.broken.len(), self.broken.join("\n"));
        assert!(all[0] + all[1] > 0, "nothing was tried");
    }
}

/// Random numbers without a library: a linear congruential generator, of which the high bits are taken.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}
