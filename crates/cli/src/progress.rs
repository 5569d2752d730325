//! A bar for each stage, on a terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use lowland::Progress;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The bars of a run.
pub struct Bars {
    all: MultiProgress,
    open: Mutex<HashMap<String, ProgressBar>>,
}

/// Bars, if somebody can see them.
pub fn bars(quiet: bool) -> Option<Arc<Bars>> {
    let seen = !quiet && std::io::stderr().is_terminal();
    seen.then(|| Arc::new(Bars { all: MultiProgress::new(), open: Mutex::default() }))
}

impl Bars {
    fn with(&self, f: impl FnOnce(&mut HashMap<String, ProgressBar>)) {
        f(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for Bars {
    fn begin(&self, stage: &str, total: Option<u64>) {
        let (bar, template) = match total {
            Some(total) => (
                ProgressBar::new(total),
                "{msg:>24} [{bar:32}] {percent:>3} %  {elapsed} (left: {eta}) {prefix}",
            ),
            None => (ProgressBar::new_spinner(), "{msg:>24} {spinner} {elapsed}"),
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = self.all.add(bar.with_style(style.progress_chars("=> ")).with_message(stage.to_owned()));
        bar.enable_steady_tick(Duration::from_millis(100));
        self.with(|open| {
            open.insert(stage.to_owned(), bar);
        });
    }

    fn advance(&self, stage: &str, done: u64) {
        self.with(|open| {
            if let Some(bar) = open.get(stage) {
                bar.set_position(done);
            }
        });
    }

    fn loss(&self, stage: &str, _done: u64, loss: f64) {
        self.with(|open| {
            if let Some(bar) = open.get(stage) {
                bar.set_prefix(format!("loss {loss:.5}"));
            }
        });
    }

    fn end(&self, stage: &str, _seconds: f64) {
        self.with(|open| {
            if let Some(bar) = open.remove(stage) {
                bar.finish_and_clear();
            }
        });
    }
}
