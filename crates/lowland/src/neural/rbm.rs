//! Restricted Boltzmann machines: two layers of units, bonds between the layers only, and
//! `E(v, h) = visible energy(v) + hidden energy(h) - v'Wh`. Trained by contrastive divergence (Hinton 2002): the data pull the
//! energy down, what the machine makes of them pushes it up.

use super::activation::Activation;
use super::network::sum_rows;
use super::real::Real;
use crate::optimize::adam::Adam;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What the units of a layer are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// On or off: energy `-b'u`. Real values in [0, 1] are taken as probabilities (mean-field).
    Binary,
    /// Real, of unit variance about their mean: energy `|u - b|^2 / 2`.
    Gaussian,
}

impl Units {
    /// What the mean of such units is, given the sum of what comes in.
    pub fn activation(self) -> Activation {
        match self {
            Self::Binary => Activation::Sigmoid,
            Self::Gaussian => Activation::Linear,
        }
    }
}

/// How a machine is trained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RbmSettings {
    /// Passes through the data.
    pub epochs: usize,
    /// Rows of a step.
    pub batch_size: usize,
    /// The rate of Adam's steps; it falls to a hundredth on half a cosine.
    pub learning_rate: f64,
    /// Half the sum of squared weights counts so much.
    pub weight_decay: f64,
    /// Times the visible units are made again before the comparison with the data.
    pub gibbs_steps: usize,
    /// Whether hidden units pass on their means in place of samples.
    pub mean_field: bool,
}

impl Default for RbmSettings {
    fn default() -> Self {
        Self {
            epochs: 20,
            batch_size: 100,
            learning_rate: 0.002,
            weight_decay: 2e-4,
            gibbs_steps: 1,
            mean_field: false,
        }
    }
}

/// A restricted Boltzmann machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Rbm<T: Real> {
    /// The kind of the visible units.
    pub visible: Units,
    /// The kind of the hidden units.
    pub hidden: Units,
    widths: (usize, usize),
    /// The weights (visible x hidden, row after row), the hidden biases, the visible biases.
    parameters: Vec<T>,
}

/// Rows that pass through the machine at a time.
const BLOCK: usize = 64;
/// Rows of a share of a training step.
const SHARE: usize = 50;

impl<T: Real> Rbm<T> {
    /// Small random weights; the visible biases are those of units that say the mean of the data (Hinton 2012, section 8).
    pub fn start(data: &[T], widths: (usize, usize), visible: Units, hidden: Units, rng: &mut impl Rng) -> Self {
        let (v, h) = widths;
        let mut parameters = vec![T::zero(); v * h + h + v];
        for weight in &mut parameters[..v * h] {
            let e: f64 = StandardNormal.sample(rng);
            *weight = T::of(0.01 * e);
        }
        let rows = (data.len() / v.max(1)).max(1) as f64;
        let mut mean = vec![0.0; v];
        for row in data.chunks_exact(v.max(1)) {
            mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += value.wide());
        }
        for (bias, mean) in parameters[v * h + h..].iter_mut().zip(mean) {
            let mean = mean / rows;
            *bias = T::of(match visible {
                Units::Binary => (mean.clamp(0.01, 0.99) / (1.0 - mean.clamp(0.01, 0.99))).ln(),
                Units::Gaussian => mean,
            });
        }
        Self { visible, hidden, widths, parameters }
    }

    /// A machine of given weights (visible x hidden, row after row) and biases.
    pub fn from_parts(visible: Units, hidden: Units, weights: Vec<T>, hidden_bias: &[T], visible_bias: &[T]) -> Result<Self> {
        let widths = (visible_bias.len(), hidden_bias.len());
        if weights.len() != widths.0 * widths.1 {
            let problem = format!("{} weights between {} visible and {} hidden units", weights.len(), widths.0, widths.1);
            return Err(Error::Malformed { what: "Boltzmann machine", problem });
        }
        let parameters = [&weights, hidden_bias, visible_bias].concat();
        Ok(Self { visible, hidden, widths, parameters })
    }

    /// The number of visible and of hidden units.
    pub fn widths(&self) -> (usize, usize) {
        self.widths
    }

    /// The weights, visible x hidden, row after row.
    pub fn weights(&self) -> &[T] {
        &self.parameters[..self.widths.0 * self.widths.1]
    }

    /// The biases of the hidden units.
    pub fn hidden_bias(&self) -> &[T] {
        &self.parameters[self.widths.0 * self.widths.1..][..self.widths.1]
    }

    /// The biases of the visible units.
    pub fn visible_bias(&self) -> &[T] {
        &self.parameters[self.widths.0 * self.widths.1 + self.widths.1..]
    }

    /// Trains by contrastive divergence; `watch` gets every epoch and its mean squared reconstruction error a cell.
    pub fn train(&mut self, data: &[T], settings: &RbmSettings, purpose: &str, run: &Run, mut watch: impl FnMut(usize, f64)) -> Result<()> {
        let (v, h) = self.widths;
        self.check(data)?;
        let rows = data.len() / v;
        let batch = settings.batch_size.clamp(1, rows.max(1));
        let mut rng = run.rng(purpose);
        let mut order: Vec<u32> = (0..rows as u32).collect();
        let mut adam = Adam::new(self.parameters.len());
        let mut gradient = vec![T::zero(); self.parameters.len()];
        let mut shares: Vec<Share<T>> = (0..batch.div_ceil(SHARE)).map(|_| Share::new(v, h)).collect();
        let steps = settings.epochs * rows.div_ceil(batch);
        let mut step = 0;
        for epoch in 0..settings.epochs {
            order.shuffle(&mut rng);
            let mut error = 0.0;
            for rows in order.chunks(batch) {
                run.check()?;
                // Drawn in order before the shares part, so that the bits do not depend on the threads.
                let chance: Vec<Vec<T>> =
                    rows.chunks(SHARE).map(|rows| self.chance(rows.len(), settings, &mut rng)).collect();
                run.install(|| {
                    shares.par_iter_mut().zip(rows.par_chunks(SHARE)).zip(&chance).for_each(|((share, rows), chance)| {
                        self.diverge(data, rows, chance, settings, share);
                    });
                });
                gradient.fill(T::zero());
                for share in &shares[..rows.len().div_ceil(SHARE)] {
                    gradient.iter_mut().zip(&share.gradient).for_each(|(sum, &g)| *sum += g);
                    error += share.error;
                }
                let (mean, decay) = (T::of(1.0 / rows.len() as f64), T::of(settings.weight_decay));
                gradient.iter_mut().for_each(|g| *g *= mean);
                gradient[..v * h].iter_mut().zip(&self.parameters).for_each(|(g, &w)| *g += decay * w);
                let rate = super::schedule::Schedule::Cosine.rate(settings.learning_rate, step, steps);
                adam.step(&mut self.parameters, &gradient, rate, run)?;
                step += 1;
            }
            watch(epoch, error / data.len().max(1) as f64);
        }
        Ok(())
    }

    /// The random numbers of a share's hidden samples.
    fn chance(&self, rows: usize, settings: &RbmSettings, rng: &mut impl Rng) -> Vec<T> {
        if settings.mean_field {
            return Vec::new();
        }
        let count = rows * self.widths.1 * settings.gibbs_steps;
        match self.hidden {
            Units::Binary => (0..count).map(|_| T::of(rng.random::<f32>().into())).collect(),
            Units::Gaussian => (0..count).map(|_| T::of(StandardNormal.sample(rng))).collect(),
        }
    }

    /// The negative of what the weights learn from one share of a batch: what the machine makes of the data, less the data.
    fn diverge(&self, data: &[T], rows: &[u32], chance: &[T], settings: &RbmSettings, share: &mut Share<T>) {
        let (v, h) = self.widths;
        let n = rows.len();
        let Share { first, again, on, sample, gradient, error } = share;
        let (first, again) = (&mut first[..n * v], &mut again[..n * v]);
        let (on, sample) = (&mut on[..n * h], &mut sample[..n * h]);
        for (&row, out) in rows.iter().zip(first.chunks_exact_mut(v)) {
            out.copy_from_slice(&data[row as usize * v..][..v]);
        }
        gradient.fill(T::zero());
        self.up(first, on);
        self.correlate(first, on, -T::one(), gradient);
        for step in 0..settings.gibbs_steps.max(1) {
            sample.copy_from_slice(on);
            if let Some(chance) = chance.get(step * n * h..(step + 1) * n * h).filter(|chance| !chance.is_empty()) {
                for (unit, &chance) in sample.iter_mut().zip(chance) {
                    *unit = match self.hidden {
                        Units::Binary => if chance < *unit { T::one() } else { T::zero() },
                        Units::Gaussian => *unit + chance,
                    };
                }
            }
            // Visible units and the last hidden ones give their means: less noise in the comparison (Hinton 2012, section 3).
            self.down(sample, again);
            self.up(again, on);
        }
        self.correlate(again, on, T::one(), gradient);
        *error = first.iter().zip(&*again).map(|(a, b)| (a.wide() - b.wide()).powi(2)).sum();
    }

    /// Adds `sign` times the products of visible and hidden units, and the units' own sums.
    fn correlate(&self, visible: &[T], hidden: &[T], sign: T, gradient: &mut [T]) {
        let (v, h) = self.widths;
        let n = visible.len() / v;
        let (weights, biases) = gradient.split_at_mut(v * h);
        let rows = MatRef::from_row_major_slice(visible, n, v);
        let units = MatRef::from_row_major_slice(hidden, n, h);
        let weights = MatMut::from_row_major_slice_mut(weights, v, h);
        matmul(weights, Accum::Add, rows.transpose(), units, sign, Par::Seq);
        let mut sums = vec![T::zero(); h + v];
        sum_rows(hidden, &mut sums[..h]);
        sum_rows(visible, &mut sums[h..]);
        biases.iter_mut().zip(sums).for_each(|(bias, sum)| *bias += sign * sum);
    }

    /// The means of the hidden units, given the visible ones.
    fn up(&self, visible: &[T], hidden: &mut [T]) {
        let (v, h) = self.widths;
        let n = visible.len() / v;
        let weights = MatRef::from_row_major_slice(self.weights(), v, h);
        let rows = MatRef::from_row_major_slice(visible, n, v);
        matmul(MatMut::from_row_major_slice_mut(hidden, n, h), Accum::Replace, rows, weights, T::one(), Par::Seq);
        self.hidden.activation().apply(hidden, self.hidden_bias());
    }

    /// The means of the visible units, given the hidden ones.
    fn down(&self, hidden: &[T], visible: &mut [T]) {
        let (v, h) = self.widths;
        let n = hidden.len() / h;
        let weights = MatRef::from_row_major_slice(self.weights(), v, h);
        let rows = MatRef::from_row_major_slice(hidden, n, h);
        let visible_part = MatMut::from_row_major_slice_mut(visible, n, v);
        matmul(visible_part, Accum::Replace, rows, weights.transpose(), T::one(), Par::Seq);
        self.visible.activation().apply(visible, self.visible_bias());
    }

    /// The means of the hidden units for every row. A row's bits do not depend on the other rows.
    pub fn features(&self, rows: &[T], run: &Run) -> Result<Vec<T>> {
        self.check(rows)?;
        let (v, h) = self.widths;
        let n = rows.len() / v;
        let mut out = vec![T::zero(); n * h];
        fill_rows(run, &mut out, h, BLOCK, |here, out| {
            let mut block = vec![T::zero(); BLOCK * v];
            let mut units = vec![T::zero(); BLOCK * h];
            block[..here.len() * v].copy_from_slice(&rows[here.start * v..here.end * v]);
            self.up(&block, &mut units);
            out.copy_from_slice(&units[..out.len()]);
        })?;
        Ok(out)
    }

    /// `-ln` of the sum over all hidden states of `e^-E`, for every row: a lower one is a more likely row.
    pub fn free_energy(&self, rows: &[T], run: &Run) -> Result<Vec<f64>> {
        self.check(rows)?;
        let (v, h) = self.widths;
        let energy = |row: &[T]| {
            let own: f64 = row.iter().zip(self.visible_bias()).map(|(x, b)| match self.visible {
                Units::Binary => -x.wide() * b.wide(),
                Units::Gaussian => 0.5 * (x.wide() - b.wide()).powi(2),
            }).sum();
            let mut inputs: Vec<f64> = self.hidden_bias().iter().map(|b| b.wide()).collect();
            for (x, weights) in row.iter().zip(self.weights().chunks_exact(h)) {
                inputs.iter_mut().zip(weights).for_each(|(sum, w)| *sum += x.wide() * w.wide());
            }
            // For gaussian units the integral is that of `e^(-|h - b|^2 / 2 + x'Wh)`, without the constant `(2 pi)^(h/2)`.
            let of_hidden: f64 = inputs.iter().zip(self.hidden_bias()).map(|(&input, b)| match self.hidden {
                Units::Binary => input.softplus(),
                Units::Gaussian => 0.5 * (input * input - b.wide() * b.wide()),
            }).sum();
            own - of_hidden
        };
        let mut out = vec![0.0; rows.len() / v];
        fill_rows(run, &mut out, 1, BLOCK, |here, out| {
            for (row, out) in rows[here.start * v..here.end * v].chunks_exact(v).zip(out) {
                *out = energy(row);
            }
        })?;
        Ok(out)
    }

    /// New rows: `steps` rounds of Gibbs sampling from random visible units. Binary rows are on or off.
    pub fn sample(&self, count: usize, steps: usize, run: &Run) -> Result<Vec<T>> {
        let (v, h) = self.widths;
        let mut rng = run.rng("boltzmann samples");
        let mut rows: Vec<T> = (0..count * v).map(|_| draw(self.visible, T::of(0.5), &mut rng)).collect();
        let mut units = vec![T::zero(); count * h];
        for _ in 0..steps {
            run.check()?;
            self.up(&rows, &mut units);
            units.iter_mut().for_each(|unit| *unit = draw(self.hidden, *unit, &mut rng));
            self.down(&units, &mut rows);
            rows.iter_mut().for_each(|unit| *unit = draw(self.visible, *unit, &mut rng));
        }
        Ok(rows)
    }

    fn check(&self, rows: &[T]) -> Result<()> {
        let v = self.widths.0;
        if v == 0 || !rows.len().is_multiple_of(v) {
            return Err(Error::Width { what: "data", expected: v, found: rows.len() });
        }
        let bad = |&(_, x): &(usize, &T)| !(*x >= T::zero() && *x <= T::one());
        match rows.iter().enumerate().find(bad).filter(|_| self.visible == Units::Binary) {
            Some((at, value)) => Err(Error::parameter(
                "visible",
                format!("binary with the value {value} at row {}, column {}", at / v, at % v),
                "binary units need values in [0, 1]",
                "scale the data to [0, 1], or choose gaussian units",
            )),
            None => Ok(()),
        }
    }
}

/// A sample of a unit with the given mean.
fn draw<T: Real>(units: Units, mean: T, rng: &mut impl Rng) -> T {
    match units {
        Units::Binary => if rng.random::<f64>() < mean.wide() { T::one() } else { T::zero() },
        Units::Gaussian => mean + T::of(StandardNormal.sample(rng)),
    }
}

/// What a share of a training step works on.
struct Share<T> {
    first: Vec<T>,
    again: Vec<T>,
    on: Vec<T>,
    sample: Vec<T>,
    gradient: Vec<T>,
    error: f64,
}

impl<T: Real> Share<T> {
    fn new(v: usize, h: usize) -> Self {
        let zeros = |count| vec![T::zero(); count];
        Self {
            first: zeros(SHARE * v),
            again: zeros(SHARE * v),
            on: zeros(SHARE * h),
            sample: zeros(SHARE * h),
            gradient: zeros(v * h + h + v),
            error: 0.0,
        }
    }
}
