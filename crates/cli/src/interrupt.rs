//! Ctrl-C and a request to end: both throw the switch of the run; what does not look at the switch in time is ended
//! from outside. A layout under way can be kept instead.

use crate::files;
use crate::outcome::{self, Failure, Outcome};
use clap::ValueEnum;
use lowland::{Cancel, Error};
use std::io::{BufRead, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a run may take to stop by itself. Half a second is the promise.
const PATIENCE: Duration = Duration::from_millis(250);

/// The exit code that a shell expects: 128 and the signal, of which Ctrl-C is 2.
static CODE: AtomicU8 = AtomicU8::new(130);

/// What Ctrl-C does while a layout is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnInterrupt {
    /// Ask whether to keep the layout so far; off a terminal, discard it
    Ask,
    /// Keep the layout so far
    Keep,
    /// Leave nothing
    Discard,
}

/// What was chosen for layouts; nothing for other work.
static CHOICE: Mutex<Option<OnInterrupt>> = Mutex::new(None);
/// Whether there is a layout to be kept.
static UNDER_WAY: AtomicBool = AtomicBool::new(false);
/// Whether it is wanted as it is.
static WANTED: AtomicBool = AtomicBool::new(false);

/// The exit code of a run that was stopped.
pub fn code() -> u8 {
    CODE.load(Relaxed)
}

/// What Ctrl-C does from now on while a layout is under way.
pub fn while_layout(choice: OnInterrupt) {
    *CHOICE.lock().unwrap_or_else(PoisonError::into_inner) = Some(choice);
}

/// Whether there is a layout to be kept.
pub fn layout_is_under_way(is: bool) {
    UNDER_WAY.store(is, Relaxed);
}

/// Whether the layout is wanted as it is.
pub fn wants_the_layout() -> bool {
    WANTED.load(Relaxed)
}

/// A switch that Ctrl-C throws, and on Unix the signal TERM.
pub fn switch() -> Outcome<Cancel> {
    let cancel = Cancel::default();
    listen(cancel.clone()).map_err(|e| no_thread(&e))?;
    Ok(cancel)
}

/// Whether so many threads can be started. Where memory is scarce they cannot, and the pool that all share would end the
/// process by a fault.
pub fn threads_can_start(count: usize) -> Outcome {
    let leave = Arc::new(AtomicBool::new(false));
    let start = |_| {
        let leave = leave.clone();
        std::thread::Builder::new().spawn(move || {
            while !leave.load(Relaxed) {
                std::thread::park();
            }
        })
    };
    let started: Result<Vec<_>, _> = (0..count).map(start).collect();
    leave.store(true, Relaxed);
    let started = started.map_err(|e| no_thread(&e))?;
    started.iter().for_each(|thread| thread.thread().unpark());
    started.into_iter().for_each(|thread| drop(thread.join()));
    Ok(())
}

fn no_thread(error: &std::io::Error) -> Failure {
    let problem = format!("{error}; ask for fewer by --threads, or raise the limit on memory or processes");
    Failure::Run(Error::Io { path: "starting threads".into(), problem })
}

/// A file beyond its limit (`ulimit -f`) is an error of the write, and no reason to be killed.
pub fn outlive_limits() {
    #[cfg(unix)]
    {
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default());
    }
}

#[cfg(unix)]
fn listen(cancel: Cancel) -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    // Without handlers, a signal ends the process as it always does.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return Ok(()) };
    let listener = std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            if signal == SIGINT && is_kept(&cancel) {
                continue;
            }
            CODE.store(u8::try_from(128 + signal).unwrap_or(130), Relaxed);
            stop(&cancel);
        }
    });
    listener.map(|_| ())
}

#[cfg(not(unix))]
fn listen(cancel: Cancel) -> std::io::Result<()> {
    // A second handler cannot be set; a run then simply has none of its own.
    let handler = move || {
        if !is_kept(&cancel) {
            stop(&cancel);
        }
    };
    let _ = ctrlc::set_handler(handler);
    Ok(())
}

/// Whether the run goes on so that its layout can be kept, or until an answer is given. The second Ctrl-C ends it.
fn is_kept(cancel: &Cancel) -> bool {
    let choice = CHOICE.lock().unwrap_or_else(PoisonError::into_inner).take();
    let seen = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    match choice {
        Some(_) if !UNDER_WAY.load(Relaxed) => false,
        Some(OnInterrupt::Keep) => {
            WANTED.store(true, Relaxed);
            true
        }
        Some(OnInterrupt::Ask) if seen => {
            let cancel = cancel.clone();
            std::thread::spawn(move || ask(&cancel));
            true
        }
        _ => false,
    }
}

/// The run goes on while the answer is awaited.
fn ask(cancel: &Cancel) {
    let mut errors = std::io::stderr();
    let _ = write!(errors, "\nKeep the layout so far? [y/N] (Ctrl-C again: leave nothing) ");
    let _ = errors.flush();
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    if read.is_ok() && answer.trim_start().to_lowercase().starts_with('y') {
        WANTED.store(true, Relaxed);
    } else {
        stop(cancel);
    }
}

fn stop(cancel: &Cancel) -> ! {
    cancel.cancel();
    std::thread::sleep(PATIENCE);
    files::abandon();
    outcome::say_interrupted();
    std::process::exit(code().into());
}
