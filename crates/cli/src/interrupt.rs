//! Ctrl-C: throws the switch of the run; what does not look at the switch in time is ended from outside.

use crate::files;
use lowland::Cancel;
use std::time::Duration;

/// How long a run may take to stop by itself. Half a second is the promise.
const PATIENCE: Duration = Duration::from_millis(350);

/// A switch that Ctrl-C throws.
pub fn switch() -> Cancel {
    let cancel = Cancel::default();
    let thrown = cancel.clone();
    // A second handler cannot be set; a run then simply has none of its own.
    let _ = ctrlc::set_handler(move || {
        thrown.cancel();
        std::thread::sleep(PATIENCE);
        files::abandon();
        crate::outcome::complain("error", "interrupted; nothing was left behind");
        std::process::exit(130);
    });
    cancel
}
