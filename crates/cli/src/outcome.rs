//! How a run ends: what is said, and the exit code.

use crate::interrupt;
use lowland::Error;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

/// Why a command did not finish.
pub enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// The run failed.
    Run(Error),
    /// Nobody reads our output any more.
    Pipe,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Run(error)
    }
}

impl Failure {
    /// An error that only the command line can have caused.
    pub fn usage(error: Error) -> Self {
        Self::Usage(error.to_string())
    }

    /// The same, with the flag that it comes from.
    pub fn at(self, flag: &str) -> Self {
        match self {
            Self::Usage(message) => Self::Usage(format!("{flag}: {message}")),
            other => other,
        }
    }
}

/// The result of a command.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Says how it ended and gives the exit code.
pub fn finish(outcome: Outcome) -> u8 {
    match outcome {
        Ok(()) | Err(Failure::Pipe) => 0,
        Err(Failure::Usage(message)) => {
            print_message("error", &message);
            2
        }
        Err(Failure::Run(Error::Canceled)) => {
            say_interrupted();
            interrupt::code()
        }
        Err(Failure::Run(error)) => {
            print_message("error", &with_flag(&error));
            1
        }
    }
}

/// The sentence of an error, with the flag that does what it advises.
fn with_flag(error: &Error) -> String {
    let (advice, flag) = match error {
        Error::TooLarge { .. } | Error::TooSmall { .. } => ("standardize the columns", "--standardize"),
        Error::Memory { .. } => ("set a larger memory budget", "--memory"),
        _ => return error.to_string(),
    };
    error.to_string().replace(advice, &format!("{advice} ({flag})"))
}

/// What an interrupted run leaves, where that is not nothing.
static LEAVES: OnceLock<String> = OnceLock::new();

/// Notes what is left when the run is interrupted.
pub fn if_interrupted(words: String) {
    let _ = LEAVES.set(words);
}

/// Says so once, whichever of the two ways of stopping comes first.
pub fn say_interrupted() {
    static ONCE: Once = Once::new();
    let left = LEAVES.get().map_or("no partial file was left behind", String::as_str);
    ONCE.call_once(|| print_message("error", &format!("interrupted; {left}")));
}

/// One line on the standard error.
pub fn print_message(kind: &str, message: &str) {
    if QUIET.load(Ordering::Relaxed) && kind != "error" {
        return;
    }
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(std::io::stderr(), "{kind}: {line}");
}

/// Whether nothing is said but errors.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, nothing is said but errors.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether the standard output holds the result itself.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// From now on, what is said goes to the standard error: the standard output is for the result.
pub fn leave_standard_output() {
    TAKEN.store(true, Ordering::Relaxed);
}

/// Text on the standard output, unless the result goes there.
pub fn say(text: &[u8]) -> Outcome {
    if TAKEN.load(Ordering::Relaxed) {
        let _ = std::io::stderr().write_all(text);
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(|e| match e.kind() {
        ErrorKind::BrokenPipe => Failure::Pipe,
        _ => Failure::Run(Error::io("standard output", &e)),
    })
}

/// JSON on the standard output.
pub fn say_json(value: &serde_json::Value) -> Outcome {
    say(format!("{value:#}\n").as_bytes())
}
