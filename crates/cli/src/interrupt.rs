//! Ctrl-C: throws the switch of the run; what does not look at the switch in time is ended from outside.

use crate::{files, outcome};
use lowland::Cancel;
use std::time::Duration;

/// How long a run may take to stop by itself. Half a second is the promise.
const PATIENCE: Duration = Duration::from_millis(250);

/// A switch that Ctrl-C throws.
pub fn switch() -> Cancel {
    let cancel = Cancel::default();
    let thrown = cancel.clone();
    // A second handler cannot be set; a run then simply has none of its own.
    let _ = ctrlc::set_handler(move || {
        thrown.cancel();
        std::thread::sleep(PATIENCE);
        files::abandon();
        outcome::say_interrupted();
        std::process::exit(outcome::INTERRUPTED.into());
    });
    cancel
}
