//! Training under way, between two epochs: enough to go on with the bits of a training that was never interrupted. To the
//! front ends it is a [`lowland_base::Checkpoint`], as that of a layout.

use super::plan::Settings;
use super::pretrain::Pair;
use super::scaling::Preprocessing;
use super::train::{Epoch, Stage};
use crate::optimize::adam::Adam;
use faer::Mat;
use lowland_base::{Error, FitIdentity, Result, Run};
use serde::{Deserialize, Serialize};

/// Training under way, between two epochs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(crate) settings: Settings,
    pub(crate) seed: u64,
    pub(crate) rows: usize,
    pub(crate) preprocessing: Preprocessing,
    pub(crate) widths: Vec<usize>,
    pub(super) pairs: Vec<Pair>,
    /// In centered form.
    pub(crate) parameters: Vec<f32>,
    pub(super) adam: Option<Adam<f32>>,
    /// Where L-BFGS is, and its rounds so far.
    pub(super) lbfgs: Option<(Vec<f64>, usize)>,
    pub(super) best: Option<Best>,
    pub(super) epoch: usize,
    pub(super) tuned: bool,
    pub(crate) finished: bool,
    /// Whether the observer ended the training.
    pub(crate) stopped: bool,
    pub(crate) history: Vec<Epoch>,
}

/// What served the rows held out best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Best {
    pub loss: f64,
    pub epoch: usize,
    pub parameters: Vec<f32>,
}

/// The remedy for a checkpoint that cannot be used.
const WITHOUT: &str = "start without it";

fn malformed(problem: &str, remedy: &str) -> Error {
    Error::malformed("checkpoint", format!("the checkpoint {problem}"), remedy)
}

impl Checkpoint {
    pub(crate) fn new(settings: Settings, rows: usize, preprocessing: Preprocessing, run: &Run) -> Self {
        let widths = settings.widths(rows, preprocessing.width());
        Self {
            settings,
            seed: run.seed(),
            rows,
            preprocessing,
            widths,
            pairs: Vec::new(),
            parameters: Vec::new(),
            adam: None,
            lbfgs: None,
            best: None,
            epoch: 0,
            tuned: false,
            finished: false,
            stopped: false,
            history: Vec::new(),
        }
    }

    /// What would be the result if training ended here: the best parameters for the rows held out, else the last.
    pub(super) fn result(&self) -> &[f32] {
        self.best.as_ref().map_or(&self.parameters, |best| &best.parameters)
    }

    /// A checkpoint may come from a file: its parts must fit each other.
    pub(super) fn check(&self) -> Result<()> {
        let size = self.settings.network(&self.widths).size();
        let fits = |parameters: &[f32]| parameters.is_empty() || parameters.len() == size;
        let sound = self.widths.first() == Some(&self.preprocessing.width())
            && self.widths.last() == Some(&self.settings.n_components)
            && fits(&self.parameters)
            && self.best.as_ref().is_none_or(|best| best.parameters.len() == size)
            && self.lbfgs.as_ref().is_none_or(|(point, _)| point.len() == size)
            && self.adam.as_ref().is_none_or(|adam| adam.size() == size)
            && self.pairs.len() < self.widths.len()
            && self.pairs.iter().zip(self.widths.windows(2)).all(|(pair, widths)| pair.fits(widths));
        if sound { Ok(()) } else { Err(malformed("has parts that do not fit each other", WITHOUT)) }
    }

    /// For the front ends; `layout` are the coordinates so far, one point a row.
    pub(crate) fn kept(&self, layout: Mat<f64>) -> lowland_base::Checkpoint {
        let single = |values: &[f32]| Mat::from_fn(1, values.len(), |_, j| f64::from(values[j]));
        let number = |count: Option<usize>| count.map_or(-1.0, |count| count as f64);
        let flag = |yes: bool| if yes { 1.0 } else { 0.0 };
        let facts = [
            (self.seed >> 32) as f64,
            (self.seed & 0xffff_ffff) as f64,
            self.rows as f64,
            self.epoch as f64,
            flag(self.tuned),
            flag(self.finished),
            self.pairs.len() as f64,
            number(self.adam.as_ref().map(|adam| adam.steps() as usize)),
            number(self.lbfgs.as_ref().map(|(_, round)| *round)),
            number(self.best.as_ref().map(|best| best.epoch)),
            self.best.as_ref().map_or(0.0, |best| best.loss),
            flag(!self.parameters.is_empty()),
        ];
        let facts: Vec<f64> =
            facts.into_iter().chain(self.widths.iter().map(|&width| width as f64)).collect();
        let curve = Mat::from_fn(self.history.len(), CURVE, |i, j| coded(&self.history[i])[j]);
        let center = self.preprocessing.parts().0;
        let mut memory = vec![
            Mat::from_fn(1, facts.len(), |_, j| facts[j]),
            Mat::from_fn(1, center.len(), |_, j| center[j]),
        ];
        if !self.history.is_empty() {
            memory.push(curve);
        }
        if !self.pairs.is_empty() {
            memory.push(single(&self.pairs.iter().flat_map(Pair::flat).collect::<Vec<f32>>()));
        }
        if !self.parameters.is_empty() {
            memory.push(single(&self.parameters));
        }
        if let Some(adam) = &self.adam {
            memory.extend(adam.moments().map(single));
        }
        if let Some((point, _)) = &self.lbfgs {
            memory.push(Mat::from_fn(1, point.len(), |_, j| point[j]));
        }
        if let Some(best) = &self.best {
            memory.push(single(&best.parameters));
        }
        lowland_base::Checkpoint {
            iteration: self.history.len(),
            loss: self.history.last().map_or(0.0, |epoch| epoch.loss),
            layout,
            memory,
            history: self.history.iter().map(|epoch| epoch.loss).enumerate().collect(),
            of: FitIdentity::default(),
        }
    }

    /// The way back, for a training with these settings on these rows.
    pub(crate) fn resumed_from(mut self, kept: &lowland_base::Checkpoint) -> Result<Self> {
        let mut memory = kept.memory.iter();
        let mut next = || {
            let values =
                memory.next().ok_or_else(|| malformed("is of another method, or cut short", WITHOUT))?;
            Ok::<Vec<f64>, Error>((0..values.nrows()).flat_map(|i| values.row(i).iter().copied()).collect())
        };
        let single =
            |values: Vec<f64>| -> Vec<f32> { values.into_iter().map(|value| value as f32).collect() };
        let facts = next()?;
        let Some((head, widths)) = facts.split_at_checked(12) else {
            return Err(malformed("is of another method", WITHOUT));
        };
        if !widths.iter().copied().eq(self.widths.iter().map(|&width| width as f64)) {
            return Err(malformed(
                "is of a network of other layers",
                "set them as they were, or start without it",
            ));
        }
        if head[2] != self.rows as f64 || next()? != self.preprocessing.parts().0 {
            return Err(malformed("is of other rows", "give those, or start without it"));
        }
        let count = |at: usize| (head[at] >= 0.0).then_some(head[at] as usize);
        self.seed = ((head[0] as u64) << 32) | (head[1] as u64 & 0xffff_ffff);
        self.epoch = count(3).unwrap_or(0);
        (self.tuned, self.finished) = (head[4] == 1.0, head[5] == 1.0);
        if !kept.history.is_empty() {
            self.history = next()?.chunks_exact(CURVE).map(decoded).collect();
            if self.history.len() != kept.history.len() {
                return Err(malformed("has a loss curve that is cut short", WITHOUT));
            }
        }
        let pairs = count(6).unwrap_or(0).min(self.widths.len() - 1);
        if pairs > 0 {
            let flat = single(next()?);
            self.pairs = Pair::from_flat(&flat, &self.widths[..=pairs])
                .ok_or_else(|| malformed("has layers that do not fit each other", WITHOUT))?;
        }
        if head[11] == 1.0 {
            self.parameters = single(next()?);
        }
        if let Some(steps) = count(7) {
            let (mean, square) = (single(next()?), single(next()?));
            if mean.len() != square.len() {
                return Err(malformed("has parts that do not fit each other", WITHOUT));
            }
            self.adam = Some(Adam::remembering(mean, square, u32::try_from(steps).unwrap_or(u32::MAX)));
        }
        if let Some(round) = count(8) {
            self.lbfgs = Some((next()?, round));
        }
        if let Some(epoch) = count(9) {
            self.best = Some(Best { loss: head[10], epoch, parameters: single(next()?) });
        }
        self.check()?;
        Ok(self)
    }
}

/// The numbers of a point of the loss curve.
const CURVE: usize = 5;

fn coded(epoch: &Epoch) -> [f64; CURVE] {
    let stage = match epoch.stage {
        Stage::FineTuning => -2.0,
        Stage::Lbfgs => -1.0,
        Stage::Pretraining { layer } => layer as f64,
    };
    let (known, held_out) = epoch.held_out.map_or((0.0, 0.0), |loss| (1.0, loss));
    [stage, epoch.epoch as f64, epoch.loss, known, held_out]
}

fn decoded(numbers: &[f64]) -> Epoch {
    let stage = match numbers[0] {
        -2.0 => Stage::FineTuning,
        -1.0 => Stage::Lbfgs,
        layer => Stage::Pretraining { layer: layer as usize },
    };
    let held_out = (numbers[3] == 1.0).then_some(numbers[4]);
    Epoch { stage, epoch: numbers[1] as usize, loss: numbers[2], held_out }
}
