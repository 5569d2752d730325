//! The three stages of Maaten 4.2: layers one by one, unrolled, trained together. The state between two epochs is a
//! checkpoint; whoever resumes from it gets the bits of a training that was never interrupted.

use super::activation::Activation;
use super::autoencoder::Autoencoder;
use super::checkpoint::{Best, Checkpoint};
use super::gradient::{Gradient, Samples, loss_of};
use super::network::Network;
use super::plan::Pretraining;
use super::pretrain::{self, unroll};
use crate::optimize::adam::Adam;
use crate::optimize::lbfgs::{Stop, minimize};
use crate::optimize::silent;
use lowland_base::{Error, Result, Run, Verdict, units};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// What is being trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// One layer, by itself.
    Pretraining {
        /// Which one, counted from the data.
        layer: usize,
    },
    /// All layers, by minibatches.
    FineTuning,
    /// All layers, by L-BFGS over all rows; an epoch is a round of steps.
    Lbfgs,
}

/// A point of the loss curve. Losses are means over all cells, in the units that the network sees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// What was trained.
    pub stage: Stage,
    /// Which pass of the stage.
    pub epoch: usize,
    /// The mean loss over the pass; for a Boltzmann machine the squared error of its reconstructions.
    pub loss: f64,
    /// The loss of the rows held out.
    pub held_out: Option<f64>,
}

/// Steps of L-BFGS between two checks with the rows held out.
const ROUND: usize = 50;

/// Training between two epochs, as an observer sees it.
#[derive(Clone, Copy)]
pub struct TrainingState<'a> {
    /// From where training can go on. While a layer is trained by itself, the beginning of that layer.
    pub checkpoint: &'a Checkpoint,
    pub(crate) stage: &'a lowland_base::Stage<'a>,
    data: &'a [f32],
    run: &'a Run,
}

impl TrainingState<'_> {
    /// The embedding if training ended here, one row after another; empty while layers are trained one by one.
    pub fn embedding(&self) -> Result<Vec<f32>> {
        if self.checkpoint.parameters.is_empty() {
            return Ok(Vec::new());
        }
        Autoencoder::of(self.checkpoint, self.data, self.run)?.code(self.data, self.run)
    }

    /// For the front ends: row `i` of the training is row `order[i]` of the input.
    pub(crate) fn kept(&self, width: usize, order: &[usize]) -> Result<lowland_base::Checkpoint> {
        let code = self.embedding()?;
        let mut layout = faer::Mat::zeros(code.len() / width.max(1), width);
        for (row, &at) in code.chunks_exact(width.max(1)).zip(order) {
            row.iter().enumerate().for_each(|(c, &value)| layout[(at, c)] = f64::from(value));
        }
        Ok(self.checkpoint.kept(layout))
    }
}

/// Whoever wants to see every epoch, may keep the checkpoint, and may end the training (not while layers are trained one
/// by one: there is no result yet).
pub type Observer<'a> = &'a mut dyn FnMut(&TrainingState<'_>) -> Result<Verdict>;

impl Checkpoint {
    /// Goes on until training is finished. `data` are the rows as the network sees them.
    pub(crate) fn advance(&mut self, data: &[f32], run: &Run, observer: Observer<'_>) -> Result<()> {
        self.check()?;
        // The seed is the training's, so that a resumed one draws what it would have drawn.
        let run = &run.clone().with_seed(self.seed);
        let network = self.settings.network(&self.widths);
        if self.parameters.is_empty() {
            self.begin(&network, data, run, observer)?;
        }
        let (training, held_out) = self.split(run);
        if !self.tuned {
            self.tune(&network.centered(), data, &training, &held_out, run, observer)?;
        }
        if !self.finished {
            self.minimize_by_lbfgs(&network.centered(), data, &training, &held_out, run, observer)?;
            self.finished = true;
        }
        Ok(())
    }

    /// A point of the loss curve, and what the observer says to it.
    fn record(
        &mut self,
        epoch: Epoch,
        (stage, data, run): (&lowland_base::Stage<'_>, &[f32], &Run),
        observer: Observer<'_>,
    ) -> Result<()> {
        self.history.push(epoch);
        stage.advance_with_loss(epoch.loss)?;
        let verdict = observer(&TrainingState { checkpoint: self, stage, data, run })?;
        if verdict == Verdict::Stop {
            (self.tuned, self.finished, self.stopped) = (true, true, true);
        }
        Ok(())
    }

    /// Where training of the whole begins: the unrolled layers, or random weights.
    fn begin(&mut self, network: &Network, data: &[f32], run: &Run, observer: Observer<'_>) -> Result<()> {
        let pretraining = self.settings.pretraining(self.rows, &self.preprocessing);
        if pretraining == Pretraining::None {
            let start = network.start::<f32>(&mut run.rng("autoencoder start"));
            self.parameters = network.to_centered(&start);
            return Ok(());
        }
        let layers = self.widths.len() - 1;
        let stage =
            run.stage("pretraining", Some((layers * self.settings.pretraining_epochs(self.rows)) as u64));
        let mut below = data.to_vec();
        for at in 0..layers {
            if at == self.pairs.len() {
                let (mut curve, state) = (Vec::new(), &*self);
                let pair = pretrain::layer(
                    &self.settings,
                    pretraining,
                    &self.widths,
                    at,
                    &below,
                    run,
                    |epoch, loss| {
                        let epoch =
                            Epoch { stage: Stage::Pretraining { layer: at }, epoch, loss, held_out: None };
                        curve.push(epoch);
                        // A canceled run stops at the next step.
                        let _ = stage.advance_with_loss(loss);
                        // Whoever resumes from here begins the layer again.
                        let _ = observer(&TrainingState { checkpoint: state, stage: &stage, data, run });
                    },
                )?;
                self.pairs.push(pair);
                self.history.extend(curve);
            }
            let activation = if at + 1 == layers { Activation::Linear } else { self.settings.activation };
            below = self.pairs[at].apply(activation, &below, run)?;
        }
        self.parameters = network.to_centered(&unroll(network, &self.pairs));
        self.pairs.clear();
        Ok(())
    }

    /// The rows to train on, and those held out.
    fn split(&self, run: &Run) -> (Vec<u32>, Vec<u32>) {
        let mut rows: Vec<u32> = (0..self.rows as u32).collect();
        let held_out = self.settings.held_out(self.rows, &self.preprocessing);
        if held_out > 0 {
            rows.shuffle(&mut run.rng("held-out rows"));
        }
        let held_out = rows.split_off(self.rows - held_out);
        (rows, held_out)
    }

    /// Minibatches, with Adam.
    fn tune(
        &mut self,
        network: &Network,
        data: &[f32],
        training: &[u32],
        held_out: &[u32],
        run: &Run,
        observer: Observer<'_>,
    ) -> Result<()> {
        let settings = self.settings.clone();
        let epochs = settings.epochs(training.len());
        let (noise, alpha) = (settings.noise(&self.preprocessing), settings.alpha(&self.preprocessing));
        let batch = settings.batch_size.min(training.len()).max(1);
        let per_epoch = training.len().div_ceil(batch);
        let mut sums = Gradient::new(network, batch);
        let mut gradient = vec![0.0f32; network.size()];
        let mut adam = self.adam.take().unwrap_or_else(|| Adam::new(network.size()));
        let stage = run.stage_from("fine-tuning", self.epoch as u64, Some(epochs as u64));
        while self.epoch < epochs && !self.is_exhausted() && !self.stopped {
            // Drawn anew for every epoch, so that nothing but its number need be kept.
            let mut rng = run.rng(&format!("autoencoder epoch {}", self.epoch));
            let mut order = training.to_vec();
            order.shuffle(&mut rng);
            let seed = rng.random();
            let samples = Samples { data, noise: (noise > 0.0).then_some((noise, seed)) };
            let mut sum = 0.0;
            for (b, rows) in order.chunks(batch).enumerate() {
                run.check()?;
                let rate = settings.learning_rate.rate(
                    settings.learning_rate_init,
                    self.epoch * per_epoch + b,
                    epochs * per_epoch,
                );
                let parameters = &mut self.parameters;
                sum += rows.len() as f64
                    * run.install(|| {
                        let loss = sums.of(network, parameters, &samples, rows, settings.loss, &mut gradient);
                        network.decay(parameters, alpha, &mut gradient);
                        loss
                    });
                adam.step(&mut self.parameters, &gradient, rate, run)?;
            }
            let loss = sum / order.len() as f64;
            if !loss.is_finite() {
                let rate = settings.learning_rate_init;
                let problem =
                    format!("the loss is {loss} in epoch {} with learning_rate_init = {rate}", self.epoch);
                return Err(Error::conflict("learning_rate_init", problem, "lower learning_rate_init"));
            }
            let held = self.check_held_out(network, data, held_out, run)?;
            let epoch = Epoch { stage: Stage::FineTuning, epoch: self.epoch, loss, held_out: held };
            self.epoch += 1;
            self.adam = Some(adam);
            self.record(epoch, (&stage, data, run), observer)?;
            adam = self.adam.take().unwrap_or_else(|| Adam::new(network.size()));
        }
        self.restore();
        self.tuned = true;
        Ok(())
    }

    /// Whether the rows held out have not been served better for so long that they will not be.
    fn is_exhausted(&self) -> bool {
        self.best.as_ref().is_some_and(|best| self.epoch - best.epoch > self.settings.n_iter_no_change)
    }

    /// The loss of the rows held out; the best parameters so far are kept.
    fn check_held_out(
        &mut self,
        network: &Network,
        data: &[f32],
        held_out: &[u32],
        run: &Run,
    ) -> Result<Option<f64>> {
        if held_out.is_empty() {
            return Ok(None);
        }
        let loss = loss_of(network, &self.parameters, data, held_out, self.settings.loss, run)?;
        if self.best.as_ref().is_none_or(|best| loss < best.loss) {
            self.best = Some(Best { loss, epoch: self.epoch, parameters: self.parameters.clone() });
        }
        Ok(Some(loss))
    }

    fn restore(&mut self) {
        if let Some(best) = &self.best {
            self.parameters.copy_from_slice(&best.parameters);
        }
    }

    /// L-BFGS over all training rows, in double precision: single precision hides the last steps of a line search.
    fn minimize_by_lbfgs(
        &mut self,
        network: &Network,
        data: &[f32],
        training: &[u32],
        held_out: &[u32],
        run: &Run,
        observer: Observer<'_>,
    ) -> Result<()> {
        let steps = self.settings.lbfgs_steps(self.rows, network.size());
        let rounds = steps.div_ceil(ROUND);
        let behind = self.lbfgs.as_ref().map_or(0, |kept| kept.1);
        if behind > rounds {
            let problem = format!(
                "{} of L-BFGS {} asked for, and the checkpoint is from beyond",
                units::count(steps, "step"),
                units::one_or_many(steps, "is", "are")
            );
            let remedy = "raise lbfgs_steps, or start without the checkpoint";
            return Err(Error::conflict("lbfgs_steps", problem, remedy));
        }
        if steps == 0 {
            return Ok(());
        }
        let alpha = self.settings.alpha(&self.preprocessing);
        let wide: Vec<f64> = data.iter().map(|&value| value.into()).collect();
        let samples = Samples { data: &wide, noise: None };
        let mut sums = Gradient::new(network, training.len());
        let start = || (self.parameters.iter().map(|&value| value.into()).collect(), 0);
        let (mut point, first): (Vec<f64>, usize) = self.lbfgs.take().unwrap_or_else(start);
        let stage = run.stage_from("L-BFGS", first as u64, Some(rounds as u64));
        for round in first..rounds {
            let stop = Stop { gradient: 1e-8, decrease: 1e-10, steps: ROUND.min(steps - round * ROUND) };
            let objective = |point: &[f64], gradient: &mut [f64]| {
                let loss =
                    run.install(|| sums.of(network, point, &samples, training, self.settings.loss, gradient));
                Ok(loss + network.decay(point, alpha, gradient))
            };
            let found = minimize(point, stop, objective, silent, run)?;
            point = found.point;
            self.parameters.iter_mut().zip(&point).for_each(|(to, &from)| *to = from as f32);
            let held = self.check_held_out(network, data, held_out, run)?;
            let epoch = Epoch { stage: Stage::Lbfgs, epoch: round, loss: found.value, held_out: held };
            let worse = held.zip(self.best.as_ref()).is_some_and(|(held, best)| held > 1.01 * best.loss);
            let over = found.converged || worse;
            // A training that goes on from here makes no further round where this one was the last.
            self.lbfgs = Some((point.clone(), if over { rounds } else { round + 1 }));
            self.record(epoch, (&stage, data, run), observer)?;
            if over || self.stopped {
                break;
            }
        }
        self.lbfgs = None;
        self.restore();
        Ok(())
    }
}
