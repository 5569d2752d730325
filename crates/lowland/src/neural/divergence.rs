//! Contrastive divergence (Hinton 2002): the data pull the energy of a Boltzmann machine down, and what the machine makes
//! of them pushes it up.

use super::network::sum_rows;
use super::rbm::{Rbm, Units};
use super::real::Real;
use super::schedule::Schedule;
use crate::optimize::adam::Adam;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::{Result, Run};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

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

/// Rows of a share of a training step.
const SHARE: usize = 50;

impl<T: Real> Rbm<T> {
    /// Trains by contrastive divergence; `observer` gets every epoch and its mean squared reconstruction error a cell.
    pub(crate) fn train(
        &mut self,
        data: &[T],
        settings: &RbmSettings,
        purpose: &str,
        run: &Run,
        mut observer: impl FnMut(usize, f64),
    ) -> Result<()> {
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
                    shares.par_iter_mut().zip(rows.par_chunks(SHARE)).zip(&chance).for_each(
                        |((share, rows), chance)| {
                            self.diverge(data, rows, chance, settings, share);
                        },
                    );
                });
                gradient.fill(T::zero());
                for share in &shares[..rows.len().div_ceil(SHARE)] {
                    gradient.iter_mut().zip(&share.gradient).for_each(|(sum, &g)| *sum += g);
                    error += share.error;
                }
                let (mean, decay) = (T::of(1.0 / rows.len() as f64), T::of(settings.weight_decay));
                gradient.iter_mut().for_each(|g| *g *= mean);
                gradient[..v * h].iter_mut().zip(&self.parameters).for_each(|(g, &w)| *g += decay * w);
                let rate = Schedule::Cosine.rate(settings.learning_rate, step, steps);
                adam.step(&mut self.parameters, &gradient, rate, run)?;
                step += 1;
            }
            observer(epoch, error / data.len().max(1) as f64);
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
            if let Some(chance) =
                chance.get(step * n * h..(step + 1) * n * h).filter(|chance| !chance.is_empty())
            {
                for (unit, &chance) in sample.iter_mut().zip(chance) {
                    *unit = match self.hidden {
                        Units::Binary => {
                            if chance < *unit {
                                T::one()
                            } else {
                                T::zero()
                            }
                        }
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
