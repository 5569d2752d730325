//! Ctrl-C and a request to end: both throw the switch of the run; what does not look at the switch in time is ended
//! from outside.

use crate::{files, outcome};
use lowland::Cancel;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::Duration;

/// How long a run may take to stop by itself. Half a second is the promise.
const PATIENCE: Duration = Duration::from_millis(250);

/// The exit code that a shell expects: 128 and the signal, of which Ctrl-C is 2.
static CODE: AtomicU8 = AtomicU8::new(130);

/// The exit code of a run that was stopped.
pub fn code() -> u8 {
    CODE.load(Relaxed)
}

/// A switch that Ctrl-C throws, and on Unix the signal TERM.
pub fn switch() -> Cancel {
    let cancel = Cancel::default();
    listen(cancel.clone());
    cancel
}

#[cfg(unix)]
fn listen(cancel: Cancel) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    // Without handlers, a signal ends the process as it always does.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            CODE.store(u8::try_from(128 + signal).unwrap_or(130), Relaxed);
            stop(&cancel);
        }
    });
}

#[cfg(not(unix))]
fn listen(cancel: Cancel) {
    // A second handler cannot be set; a run then simply has none of its own.
    let _ = ctrlc::set_handler(move || stop(&cancel));
}

fn stop(cancel: &Cancel) -> ! {
    cancel.cancel();
    std::thread::sleep(PATIENCE);
    files::abandon();
    outcome::say_interrupted();
    std::process::exit(code().into());
}
