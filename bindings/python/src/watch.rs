//! A computation on a thread of its own, without the interpreter's lock, while this thread looks for signals:
//! Ctrl-C throws the run's switch.

use crate::allocator;
use crate::convert::Settings;
use crate::errors::raised;
use lowland::layout::checkpoint::Keeper;
use lowland::{Cancel, Checkpoint, Error, Progress, Result, Run, Verdict, registry};
use ndarray::Array2;
use numpy::IntoPyArray;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyUserWarning};
use pyo3::prelude::*;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How often signals are looked for and progress is passed on.
const TICK: Duration = Duration::from_millis(40);

static PROCESS: OnceLock<u32> = OnceLock::new();

/// Called when the module is loaded.
pub fn remember_process() {
    PROCESS.get_or_init(std::process::id);
}

/// The threads to ask for. A forked process has none of its parent's threads, and would wait for the common pool
/// for ever: it gets a pool of its own.
fn threads(asked: usize) -> usize {
    if asked == 0 && PROCESS.get().is_some_and(|&process| process != std::process::id()) {
        std::thread::available_parallelism().map_or(1, usize::from)
    } else {
        asked
    }
}

/// Runs `work`, and gives its result or the exception of whatever came first: an error, a signal, a callback that
/// failed.
pub fn watched<R: Send>(
    py: Python<'_>,
    settings: &Settings,
    work: impl FnOnce(&Run) -> Result<R> + Send,
) -> PyResult<R> {
    if !allocator::reserve() {
        return Err(PyMemoryError::new_err(
            "out of memory: 256 MiB of address space are not available; free some, or raise the limit",
        ));
    }
    let switch = Cancel::default();
    let mut run = Run::new().with_seed(settings.seed).with_cancel(switch.clone());
    run = run.with_threads(threads(settings.threads)).map_err(|e| raised(py, e))?;
    if let Some(bytes) = settings.memory {
        run = run.with_memory(bytes);
    }
    let layout = settings.layout.as_ref().map(|(callback, every)| (callback.clone_ref(py), *every));
    let keeper = settings.checkpoint.as_ref().map(|(path, seconds, method)| {
        let between = Duration::from_secs_f64(seconds.clamp(0.0, 1e9));
        Ok(Keeper::new(registry::find(method)?, path, between, warn))
    });
    let keeper = keeper.transpose().map_err(|e| raised(py, e))?;
    let news = Arc::new(News { layout, keeper, ..News::default() });
    if settings.progress.is_some() || settings.layout.is_some() || settings.checkpoint.is_some() {
        run = run.with_progress(news.clone());
    }
    let mut stopped: Option<PyErr> = None;
    let result = py.detach(|| {
        std::thread::scope(|scope| {
            let (send, receive) = sync_channel(1);
            let run = &run;
            let worker = scope.spawn(move || {
                let result = work(run);
                // The watcher is still there: it leaves the scope after this thread.
                let _ = send.send(());
                result
            });
            while let Err(RecvTimeoutError::Timeout) = receive.recv_timeout(TICK) {
                if allocator::is_exhausted() {
                    switch.cancel();
                }
                if stopped.is_none() {
                    let look = |py: Python<'_>| py.check_signals().and_then(|()| news.deliver(py, settings));
                    // No interpreter any more: it is shutting down.
                    let seen = Python::try_attach(look).unwrap_or(Ok(()));
                    stopped = seen.err();
                    if stopped.is_some() {
                        switch.cancel();
                    }
                }
            }
            worker.join()
        })
    });
    let failed = news.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(stopped) = stopped.or(failed) {
        return Err(stopped);
    }
    news.deliver(py, settings)?;
    let exhausted = allocator::take_exhausted();
    match result {
        Ok(Err(Error::Canceled)) if exhausted => Err(PyMemoryError::new_err(
            "out of memory: the computation was stopped; take fewer rows or a lighter method",
        )),
        Ok(result) => result.map_err(|e| raised(py, e)),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(PyRuntimeError::new_err(format!("a fault in lowland, please report it: {text}")))
        }
    }
}

/// What has happened since Python last asked. The computing threads only write here; they never wait for the
/// interpreter.
#[derive(Default)]
struct News {
    items: Mutex<Vec<Item>>,
    /// Who is shown layouts, and after how many iterations. The computation waits for this one.
    layout: Option<(Py<PyAny>, u64)>,
    /// Whether it is its turn.
    is_asked: AtomicBool,
    /// Where checkpoints go.
    keeper: Option<Keeper>,
    failed: Mutex<Option<PyErr>>,
}

/// A warning that was turned into an error is heard by nobody here: this is not the caller's thread.
fn warn(words: &str) {
    if let Ok(words) = CString::new(words) {
        let warn = |py: Python<'_>| PyErr::warn(py, &py.get_type::<PyUserWarning>(), &words, 1);
        let _ = Python::try_attach(warn);
    }
}

struct Item {
    stage: String,
    done: u64,
    seconds: Option<f64>,
}

impl News {
    fn note(&self, stage: &str, done: u64, seconds: Option<f64>) {
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        match items.last_mut() {
            Some(last) if last.stage == stage && last.seconds.is_none() => {
                (last.done, last.seconds) = (last.done.max(done), seconds);
            }
            _ => items.push(Item { stage: stage.to_owned(), done, seconds }),
        }
    }

    fn deliver(&self, py: Python<'_>, settings: &Settings) -> PyResult<()> {
        let Some(progress) = &settings.progress else { return Ok(()) };
        let items = std::mem::take(&mut *self.items.lock().unwrap_or_else(PoisonError::into_inner));
        for item in items {
            progress.call1(py, (item.stage, item.done, item.seconds))?;
        }
        Ok(())
    }
}

impl Progress for News {
    fn begin(&self, stage: &str, _total: Option<u64>) {
        self.note(stage, 0, None);
    }

    fn advance(&self, stage: &str, done: u64) {
        self.note(stage, done, None);
    }

    fn end(&self, stage: &str, seconds: f64) {
        self.note(stage, 0, Some(seconds));
    }

    fn wants_layout(&self, _stage: &str, done: u64) -> bool {
        let asked = self.layout.as_ref().is_some_and(|(_, every)| done > 0 && done.is_multiple_of(*every));
        self.is_asked.store(asked, Relaxed);
        asked || done > 0 && self.keeper.as_ref().is_some_and(Keeper::is_due)
    }

    fn layout(&self, _stage: &str, checkpoint: &Checkpoint) -> Verdict {
        let verdict = self.ask(checkpoint);
        let due = |keeper: &&Keeper| verdict == Verdict::Stop || keeper.is_due();
        if let Some(keeper) = self.keeper.as_ref().filter(due) {
            keeper.keep(checkpoint);
        }
        verdict
    }
}

impl News {
    fn ask(&self, checkpoint: &Checkpoint) -> Verdict {
        let Some((callback, _)) = &self.layout else { return Verdict::Continue };
        let Checkpoint { iteration, loss, layout, .. } = checkpoint;
        // Layers that are trained one by one have no layout yet.
        if !self.is_asked.load(Relaxed) || layout.nrows() == 0 {
            return Verdict::Continue;
        }
        let rows = Array2::from_shape_fn((layout.nrows(), layout.ncols()), |(i, c)| layout[(i, c)]);
        let asked = Python::try_attach(|py| {
            callback.call1(py, (*iteration, *loss, rows.into_pyarray(py)))?.bind(py).is_truthy()
        });
        match asked {
            Some(Ok(false)) | None => Verdict::Continue,
            Some(Ok(true)) => Verdict::Stop,
            Some(Err(error)) => {
                *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Verdict::Stop
            }
        }
    }
}
