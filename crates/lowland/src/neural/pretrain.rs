//! Layers trained one by one, from the data upwards; unrolled, they are where training of the whole begins
//! (Hinton and Salakhutdinov 2006).

use super::activation::Activation;
use super::divergence::RbmSettings;
use super::gradient::{Gradient, Samples};
use super::loss::Loss;
use super::network::{Network, Work};
use super::plan::{Pretraining, Settings};
use super::rbm::{Rbm, Units};
use super::scaling::BLOCK;
use crate::optimize::adam::Adam;
use lowland_base::parallel::fill_rows;
use lowland_base::{Result, Run};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// A layer trained by itself: up by `weights` (inputs x outputs, row after row) and `up`, down by their transpose and `down`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pair {
    weights: Vec<f32>,
    up: Vec<f32>,
    down: Vec<f32>,
}

/// The noise that a layer learns to undo where the settings name none.
const NOISE: f64 = 0.25;

/// Trains the layer number `at` on the outputs of those below it; `observer` gets every epoch and its loss.
pub(crate) fn layer(
    settings: &Settings,
    pretraining: Pretraining,
    widths: &[usize],
    at: usize,
    below: &[f32],
    run: &Run,
    observer: impl FnMut(usize, f64),
) -> Result<Pair> {
    let (inputs, outputs) = (widths[at], widths[at + 1]);
    let purpose = format!("pretraining layer {at}");
    let up = if at + 2 == widths.len() { Activation::Linear } else { settings.activation };
    let loss = if at == 0 { settings.loss } else { Loss::Squared };
    let down = match (at, settings.loss) {
        (0, Loss::Squared) => Activation::Linear,
        (0, Loss::CrossEntropy) => Activation::Sigmoid,
        _ => settings.activation,
    };
    let epochs = settings.pretraining_epochs(below.len() / inputs);
    if pretraining == Pretraining::Rbm {
        let units =
            |activation| if activation == Activation::Sigmoid { Units::Binary } else { Units::Gaussian };
        let mut rng = run.rng(&purpose);
        let mut rbm = Rbm::start(below, (inputs, outputs), units(down), units(up), &mut rng);
        // The noise of sampled Gaussian units would drown every component of less than unit variance.
        let (mean_field, batch_size) = (up == Activation::Linear, settings.batch_size);
        let how = RbmSettings { epochs, batch_size, mean_field, ..RbmSettings::default() };
        rbm.train(below, &how, &format!("{purpose}: steps"), run, observer)?;
        return Ok(Pair {
            weights: rbm.weights().to_vec(),
            up: rbm.hidden_bias().to_vec(),
            down: rbm.visible_bias().to_vec(),
        });
    }
    let mut plan = Network::default();
    plan.push(inputs, outputs, up);
    plan.push_tied(0, down);
    let parameters = undo_noise(&plan, settings, epochs, below, loss, &purpose, run, observer)?;
    let part = |range: std::ops::Range<usize>| parameters[range].to_vec();
    let layers = plan.layers();
    Ok(Pair {
        weights: part(layers[0].weight_range()),
        up: part(layers[0].bias_range()),
        down: part(layers[1].bias_range()),
    })
}

/// A small autoencoder that rebuilds rows of which a part was set to zero (Vincent et al. 2008).
fn undo_noise(
    plan: &Network,
    settings: &Settings,
    epochs: usize,
    data: &[f32],
    loss: Loss,
    purpose: &str,
    run: &Run,
    mut observer: impl FnMut(usize, f64),
) -> Result<Vec<f32>> {
    let mut rng = run.rng(purpose);
    let trained = plan.centered();
    let mut parameters = plan.to_centered(&plan.start::<f32>(&mut rng));
    let rows = data.len() / plan.outputs();
    let batch = settings.batch_size.min(rows).max(1);
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let mut adam = Adam::new(parameters.len());
    let mut gradient = vec![0.0; parameters.len()];
    let mut sums = Gradient::new(&trained, batch);
    let steps = epochs * rows.div_ceil(batch);
    let share = settings.noise.filter(|&noise| noise > 0.0).unwrap_or(NOISE);
    let mut step = 0;
    for epoch in 0..epochs {
        order.shuffle(&mut rng);
        let samples = Samples { data, noise: Some((share, rng.random())) };
        let mut sum = 0.0;
        for rows in order.chunks(batch) {
            run.check()?;
            sum += rows.len() as f64
                * run.install(|| sums.of(&trained, &parameters, &samples, rows, loss, &mut gradient));
            let rate = settings.learning_rate.rate(settings.learning_rate_init, step, steps);
            adam.step(&mut parameters, &gradient, rate, run)?;
            step += 1;
        }
        observer(epoch, sum / rows as f64);
    }
    Ok(plan.uncentered(&parameters))
}

impl Pair {
    /// Whether it joins layers of these widths.
    pub fn fits(&self, widths: &[usize]) -> bool {
        widths == [self.down.len(), self.up.len()] && self.weights.len() == self.down.len() * self.up.len()
    }

    /// All its numbers, in a fixed order.
    pub fn flat(&self) -> Vec<f32> {
        [&self.weights[..], &self.up, &self.down].concat()
    }

    /// Layers that join these widths, from the numbers of all of them; `None` where they are too few or too many.
    pub fn from_flat(mut numbers: &[f32], widths: &[usize]) -> Option<Vec<Self>> {
        let mut take = |count: usize| {
            let (here, rest) = numbers.split_at_checked(count)?;
            numbers = rest;
            Some(here.to_vec())
        };
        let mut pairs = Vec::new();
        for widths in widths.windows(2) {
            let (inputs, outputs) = (widths[0], widths[1]);
            pairs.push(Self {
                weights: take(inputs.checked_mul(outputs)?)?,
                up: take(outputs)?,
                down: take(inputs)?,
            });
        }
        numbers.is_empty().then_some(pairs)
    }

    /// The outputs of the layer for all rows.
    pub fn apply(&self, activation: Activation, rows: &[f32], run: &Run) -> Result<Vec<f32>> {
        let (inputs, outputs) = (self.down.len(), self.up.len());
        let mut plan = Network::default();
        plan.push(inputs, outputs, activation);
        let parameters = [&self.weights[..], &self.up[..]].concat();
        passed(&plan, &parameters, rows, run)
    }
}

/// The outputs of a network for all rows. Blocks of one height, so that a row's bits do not depend on its batch.
pub(crate) fn passed(plan: &Network, parameters: &[f32], rows: &[f32], run: &Run) -> Result<Vec<f32>> {
    let (inputs, outputs) = (plan.layers()[0].inputs, plan.outputs());
    let mut out = vec![0.0; rows.len() / inputs * outputs];
    fill_rows(run, &mut out, outputs, BLOCK, |here, out| {
        let mut block = vec![0.0; BLOCK * inputs];
        block[..here.len() * inputs].copy_from_slice(&rows[here.start * inputs..here.end * inputs]);
        let mut work = Work::new(plan, BLOCK);
        out.copy_from_slice(&plan.forward(parameters, &block, BLOCK, &mut work)[..out.len()]);
    })?;
    Ok(out)
}

/// The parameters of the whole network, begun with the layers trained one by one.
pub(crate) fn unroll(network: &Network, pairs: &[Pair]) -> Vec<f32> {
    let mut parameters = vec![0.0; network.size()];
    let layers = network.layers();
    for (l, pair) in pairs.iter().enumerate() {
        let (up, down) = (&layers[l], &layers[layers.len() - 1 - l]);
        parameters[up.weight_range()].copy_from_slice(&pair.weights);
        parameters[up.bias_range()].copy_from_slice(&pair.up);
        parameters[down.bias_range()].copy_from_slice(&pair.down);
        if !down.tied {
            for input in 0..up.inputs {
                for unit in 0..up.outputs {
                    parameters[down.weight(unit, input)] = pair.weights[input * up.outputs + unit];
                }
            }
        }
    }
    parameters
}
