//! Layouts and networks, which take long and are worth something before their end: kept on Ctrl-C, saved on the way, gone
//! on with.

use crate::args::{Common, Embed, Layout};
use crate::files::Output;
use crate::interrupt;
use crate::outcome::{Failure, Outcome, print_message};
use crate::progress;
use crate::source::Source;
use crate::table::Beside;
use lowland::layout::checkpoint::{self, Keeper};
use lowland::{AnyInput, Checkpoint, Method, Model, Progress, Run, Slowed, Verdict};
use lowland_io::preparation::{Choices, Purpose};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time between two checkpoints.
const BETWEEN: Duration = Duration::from_secs(30);

/// Where a fit begins.
pub enum Start {
    /// Where the method wants to.
    Own,
    Coordinates(ndarray::Array2<f64>),
    Checkpoint(Checkpoint),
}

impl Start {
    /// Reads coordinates, one row a row of the data, or a checkpoint of this method.
    pub fn read(
        args: &Embed,
        method: &dyn Method,
        beside: &Beside,
        common: &Common,
        run: &Run,
    ) -> Outcome<Self> {
        let Some(path) = &args.layout.start else { return Ok(Self::Own) };
        if lowland_io::is_table(path) {
            // Ids and labels may stand before the coordinates, as they do in our own results.
            let table = &args.input.table;
            let choices = Choices { memory: common.memory, ..Choices::default() };
            let source = Source::File { path, choices, purpose: Purpose::default(), quiet: common.quiet };
            let source = source.beside((table.id.clone(), table.label_column.clone()));
            let start = source.load(run)?;
            beside.same_ids(path, start.beside.ids.as_ref())?;
            return Ok(Self::Coordinates(start.matrix.to_f64()));
        }
        Ok(Self::Checkpoint(checkpoint::load(method, Path::new(path))?))
    }

    /// The fit.
    pub fn fit(
        &self,
        method: &dyn Method,
        input: AnyInput<'_>,
        labels: Option<&[i64]>,
        run: &Run,
    ) -> lowland::Result<Box<dyn Model>> {
        match (self, labels) {
            (Self::Own, None) => method.fit(input, run),
            (Self::Own, Some(labels)) => method.fit_labeled(input, labels, run),
            (Self::Coordinates(start), labels) => method.fit_from(input, labels, start.view(), run),
            (Self::Checkpoint(checkpoint), labels) => method.resume(input, labels, checkpoint, run),
        }
    }
}

/// Watches a fit whose layout may be kept before its end.
struct Watch {
    seen_by: Option<Arc<dyn Progress>>,
    checkpoint: Option<Keeper>,
    /// The stage that has asked last whether its layout is wanted.
    asks: Mutex<Option<String>>,
}

/// The run of a fit that makes a layout, where the method does: Ctrl-C and checkpoints as the flags say.
pub fn watched(
    run: Run,
    flags: &Layout,
    method: &dyn Method,
    (common, inputs): (&Common, &[&str]),
) -> Outcome<Run> {
    let (name, can) = (method.entry().name, method.entry().capabilities);
    if flags.checkpoint.is_some() && !can.resume {
        let able = lowland::registry::able(|can| can.resume);
        return Err(Failure::Usage(format!(
            "{name} has no checkpoints; leave out --checkpoint, or choose {able}"
        )));
    }
    if !can.start && !can.resume {
        return Ok(run);
    }
    if let Some(path) = &flags.checkpoint {
        // Refuses now what could not be written later; the file itself comes with the first checkpoint. A checkpoint that
        // the fit goes on from may be replaced by the next.
        let force = common.force || flags.start.as_ref() == Some(path);
        drop(Output::prepare_bytes(path, force, inputs)?);
    }
    interrupt::while_layout(flags.on_interrupt);
    let keeper = |path: &String| {
        Keeper::new(method.entry(), path, BETWEEN, |problem| print_message("warning", problem))
    };
    let watch = Watch {
        seen_by: progress::observer(common.quiet),
        checkpoint: flags.checkpoint.as_ref().map(keeper),
        asks: Mutex::new(None),
    };
    Ok(run.with_progress(Arc::new(watch)))
}

impl Watch {
    fn is_due(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(Keeper::is_due)
    }
}

impl Progress for Watch {
    fn begin(&self, stage: &str, total: Option<u64>) {
        if let Some(observer) = &self.seen_by {
            observer.begin(stage, total);
        }
    }

    fn advance(&self, stage: &str, done: u64) {
        if let Some(observer) = &self.seen_by {
            observer.advance(stage, done);
        }
    }

    fn share(&self, share: f64) {
        if let Some(observer) = &self.seen_by {
            observer.share(share);
        }
    }

    fn slowed(&self, slowed: &Slowed) {
        if let Some(observer) = &self.seen_by {
            observer.slowed(slowed);
        }
    }

    fn loss(&self, stage: &str, done: u64, loss: f64) {
        if let Some(observer) = &self.seen_by {
            observer.loss(stage, done, loss);
        }
    }

    fn wants_layout(&self, stage: &str, done: u64) -> bool {
        if done == 0 {
            return false;
        }
        let mut asks = self.asks.lock().unwrap_or_else(PoisonError::into_inner);
        // The first is looked at: a stage that comes before the layout has a checkpoint without rows.
        let is_first = asks.as_deref() != Some(stage);
        if is_first {
            *asks = Some(stage.to_owned());
        }
        is_first || interrupt::wants_the_layout() || self.is_due()
    }

    fn layout(&self, _stage: &str, checkpoint: &Checkpoint) -> Verdict {
        let is_layout = checkpoint.layout.nrows() > 0;
        if is_layout {
            interrupt::layout_is_under_way(true);
        }
        let stops = is_layout && interrupt::wants_the_layout();
        if let Some(keeper) = self.checkpoint.as_ref().filter(|keeper| stops || keeper.is_due()) {
            keeper.keep(checkpoint);
        }
        if stops { Verdict::Stop } else { Verdict::Continue }
    }

    fn end(&self, stage: &str, seconds: f64) {
        let mut asks = self.asks.lock().unwrap_or_else(PoisonError::into_inner);
        if asks.as_deref() == Some(stage) {
            *asks = None;
            interrupt::layout_is_under_way(false);
        }
        drop(asks);
        if let Some(observer) = &self.seen_by {
            observer.end(stage, seconds);
        }
    }
}
