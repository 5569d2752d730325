//! The gradient of a loss over many rows: fixed shares of them side by side, added in order. One pass of a share through
//! the network stays on one thread: products of a minibatch are too small to be divided among threads.

use super::loss::Loss;
use super::network::{Network, Work};
use super::real::Real;
use lowland_base::parallel::map_chunks;
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run};
use rayon::prelude::*;

/// The rows of a share: fewer would waste the products, more would leave threads idle.
const SHARE: usize = 50;
/// At most so many shares, since each has a gradient of its own.
const SHARES: usize = 8;
/// Rows that pass through the network at a time.
const BLOCK: usize = 128;

/// Work space for gradients over up to a fixed number of rows.
pub(crate) struct Gradient<T> {
    shares: Vec<Share<T>>,
    share: usize,
}

struct Share<T> {
    work: Work<T>,
    inputs: Vec<T>,
    targets: Vec<T>,
    gradient: Vec<T>,
    loss: f64,
}

/// The rows that a network is to rebuild, and how they are corrupted on the way in (Vincent et al. 2008).
pub(crate) struct Samples<'a, T> {
    /// The rows, one after another.
    pub data: &'a [T],
    /// The share of cells that is set to zero on the way in, and the seed of this choice.
    pub noise: Option<(f64, u64)>,
}

impl<T: Real> Samples<'_, T> {
    /// Sets some cells of a row to zero: which ones depends on the row and the seed alone.
    fn corrupt(&self, row: u32, cells: &mut [T]) {
        let Some((share, seed)) = self.noise else { return };
        let bound = (share * f64::from(u32::MAX)) as u32;
        // SplitMix64 (Steele, Lea and Flood 2014): a stream a row, without a generator to set up for each.
        let mut state = seed ^ (u64::from(row) << 32).wrapping_add(0x9e37_79b9_7f4a_7c15);
        for cell in cells {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            if ((z >> 32) as u32) < bound {
                *cell = T::zero();
            }
        }
    }
}

impl<T: Real> Gradient<T> {
    /// For sums over up to `rows` rows.
    pub fn new(network: &Network, rows: usize) -> Self {
        let count = rows.div_ceil(SHARE).clamp(1, SHARES);
        let share = rows.div_ceil(count).max(1);
        let height = share.min(BLOCK);
        let width = network.layers()[0].inputs;
        let make = |_| Share {
            work: Work::new(network, height),
            inputs: vec![T::zero(); height * width],
            targets: vec![T::zero(); height * network.outputs()],
            gradient: vec![T::zero(); network.size()],
            loss: 0.0,
        };
        Self { shares: (0..count).map(make).collect(), share }
    }

    /// The mean loss over all cells of the chosen rows; its gradient is written to `out`.
    pub fn of(
        &mut self,
        network: &Network,
        parameters: &[T],
        samples: &Samples<'_, T>,
        rows: &[u32],
        loss: Loss,
        out: &mut [T],
    ) -> f64 {
        let (width, outputs) = (network.layers()[0].inputs, network.outputs());
        let cells = (rows.len() * outputs) as f64;
        let used = rows.len().div_ceil(self.share).max(1);
        let shares = &mut self.shares[..used];
        shares.par_iter_mut().zip(rows.par_chunks(self.share)).for_each(|(share, rows)| {
            share.gradient.fill(T::zero());
            share.loss = 0.0;
            for rows in rows.chunks(BLOCK) {
                let height = rows.len();
                gather(samples.data, outputs, rows, &mut share.targets);
                share.inputs.copy_from_slice(&share.targets);
                for (&row, cells) in rows.iter().zip(share.inputs.chunks_exact_mut(width)) {
                    samples.corrupt(row, cells);
                }
                let batch = (&share.inputs[..height * width], &share.targets[..height * outputs]);
                share.loss += network.backward(
                    parameters,
                    batch,
                    height,
                    loss,
                    1.0 / cells,
                    &mut share.work,
                    &mut share.gradient,
                );
            }
        });
        let (first, rest) = (&shares[0], &shares[1..]);
        out.par_chunks_mut(1 << 14).enumerate().for_each(|(c, out)| {
            let here = c << 14..(c << 14) + out.len();
            out.copy_from_slice(&first.gradient[here.clone()]);
            for share in rest {
                vectorized(
                    #[inline(always)]
                    || out.iter_mut().zip(&share.gradient[here.clone()]).for_each(|(out, &g)| *out += g),
                );
            }
        });
        shares.iter().map(|share| share.loss).sum::<f64>() / cells
    }
}

/// The mean loss over all cells of the chosen rows, without noise.
pub(crate) fn loss_of<T: Real>(
    network: &Network,
    parameters: &[T],
    data: &[T],
    rows: &[u32],
    loss: Loss,
    run: &Run,
) -> Result<f64> {
    let width = network.outputs();
    let sums = map_chunks(run, rows.len(), BLOCK, |here| {
        let mut block = vec![T::zero(); here.len() * width];
        gather(data, width, &rows[here.clone()], &mut block);
        network.loss(parameters, &block, here.len(), loss, &mut Work::new(network, here.len()))
    })?;
    Ok(sums.iter().sum::<f64>() / (rows.len() * width) as f64)
}

fn gather<T: Copy>(data: &[T], width: usize, rows: &[u32], out: &mut [T]) {
    for (&row, out) in rows.iter().zip(out.chunks_exact_mut(width)) {
        out.copy_from_slice(&data[row as usize * width..][..width]);
    }
}
