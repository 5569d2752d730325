//! Progress on the standard error: a bar for each stage on a terminal, and off it a line now and then.

use crate::outcome::print_message;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use lowland::units::human_duration;
use lowland::{Progress, Slowed};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Steps of a stage that counts none: its share is shown in thousandths.
const THOUSANDTHS: u64 = 1000;
/// How often a line is written, off a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Whom progress is reported to, if anybody is there.
pub fn observer(quiet: bool) -> Option<Arc<dyn Progress>> {
    if quiet {
        None
    } else if std::io::stderr().is_terminal() {
        Some(Arc::new(Bars { all: MultiProgress::new(), open: Mutex::default() }))
    } else {
        Some(Arc::new(Lines::new(LINE_EVERY)))
    }
}

/// The bars of a run.
struct Bars {
    all: MultiProgress,
    /// The stages under way, the innermost last, and whether their steps are counted.
    open: Mutex<Vec<(String, ProgressBar, bool)>>,
}

impl Bars {
    fn with(&self, f: impl FnOnce(&mut Vec<(String, ProgressBar, bool)>)) {
        f(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn on(&self, stage: &str, f: impl FnOnce(&ProgressBar)) {
        self.with(|open| {
            if let Some((_, bar, _)) = open.iter().rfind(|open| open.0 == stage) {
                f(bar);
            }
        });
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("=> ")
}

const BAR: &str = "{msg:>24} [{bar:32}] {percent:>3} %  {elapsed} (left: {eta}) {prefix}";
const SPINNER: &str = "{msg:>24} {spinner} {elapsed}";

impl Progress for Bars {
    fn begin(&self, stage: &str, total: Option<u64>) {
        let bar = match total {
            Some(total) => ProgressBar::new(total).with_style(style(BAR)),
            None => ProgressBar::new_spinner().with_style(style(SPINNER)),
        };
        let bar = self.all.add(bar.with_message(stage.to_owned()));
        bar.enable_steady_tick(Duration::from_millis(100));
        self.with(|open| open.push((stage.to_owned(), bar, total.is_some())));
    }

    fn advance(&self, stage: &str, done: u64) {
        self.on(stage, |bar| bar.set_position(done));
    }

    fn share(&self, share: f64) {
        self.with(|open| {
            if let Some((_, bar, false)) = open.last() {
                if bar.length().is_none() {
                    bar.set_length(THOUSANDTHS);
                    bar.set_style(style(BAR));
                }
                bar.set_position((share * THOUSANDTHS as f64) as u64);
            }
        });
    }

    fn slowed(&self, slowed: &Slowed) {
        self.all.suspend(|| print_message("note", &slowed.to_string()));
    }

    fn loss(&self, stage: &str, _done: u64, loss: f64) {
        self.on(stage, |bar| bar.set_prefix(format!("loss {loss:.5}")));
    }

    fn end(&self, stage: &str, _seconds: f64) {
        self.with(|open| {
            if let Some(at) = open.iter().rposition(|open| open.0 == stage) {
                open.remove(at).1.finish_and_clear();
            }
        });
    }
}

/// Lines in a log.
struct Lines {
    every: Duration,
    begun: Instant,
    state: Mutex<Log>,
}

struct Log {
    /// The stages under way, the innermost last: name, steps, share.
    open: Vec<(String, Option<u64>, u64, f64)>,
    written: Instant,
}

impl Lines {
    fn new(every: Duration) -> Self {
        let log = Log { open: Vec::new(), written: Instant::now() };
        Self { every, begun: Instant::now(), state: Mutex::new(log) }
    }

    /// Changes what is known, and writes a line if it is time for one.
    fn note(&self, change: impl FnOnce(&mut Log)) {
        let mut log = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut log);
        if log.written.elapsed() >= self.every && !log.open.is_empty() {
            log.written = Instant::now();
            print_message("progress", &line(&log.open, self.begun.elapsed()));
        }
    }
}

/// The stages under way, the outer ones first.
fn line(open: &[(String, Option<u64>, u64, f64)], elapsed: Duration) -> String {
    let words = open.iter().map(|(stage, total, done, share)| match total {
        Some(total) => format!("{stage} {done} of {total}"),
        None if *share > 0.0 => format!("{stage} {:.0} %", 100.0 * share),
        None => stage.clone(),
    });
    format!("{} after {}", words.collect::<Vec<_>>().join(", "), human_duration(elapsed.as_secs_f64()))
}

impl Progress for Lines {
    fn begin(&self, stage: &str, total: Option<u64>) {
        self.note(|log| log.open.push((stage.to_owned(), total, 0, 0.0)));
    }

    fn advance(&self, stage: &str, done: u64) {
        self.note(|log| {
            if let Some(open) = log.open.iter_mut().rfind(|open| open.0 == stage) {
                open.2 = done;
            }
        });
    }

    fn share(&self, share: f64) {
        self.note(|log| {
            if let Some(open) = log.open.last_mut() {
                open.3 = share;
            }
        });
    }

    fn slowed(&self, slowed: &Slowed) {
        print_message("note", &slowed.to_string());
    }

    fn end(&self, stage: &str, _seconds: f64) {
        self.note(|log| {
            if let Some(at) = log.open.iter().rposition(|open| open.0 == stage) {
                log.open.remove(at);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_what_is_under_way_and_how_far_it_is() {
        let open = [
            ("cells".to_owned(), Some(40), 12, 0.0),
            ("lle".to_owned(), None, 0, 0.0),
            ("neighbors".to_owned(), None, 0, 0.25),
        ];
        assert_eq!(line(&open, Duration::from_secs(30)), "cells 12 of 40, lle, neighbors 25 % after 30.0 s");
    }
}
