//! One pass of expectation maximization over all rows and all analyzers: what the maximization step of each needs.

use super::Mixture;
use super::evaluate::{BLOCK, Block, Evaluator};
use super::table::{Sums, Table};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::fold_in_order;
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run};

/// Blocks of rows that one task works on.
const BLOCKS: usize = 4;

/// A responsibility that no sum notices.
const LEAST_SHARE: f64 = 1e-20;

/// The sums of one pass.
pub(super) struct Totals {
    /// Of all rows, in the units of the mixture.
    pub log_likelihood: f64,
    /// Of each analyzer, each row with its responsibility.
    pub sums: Vec<Sums>,
    /// Of each analyzer, `ln u - u` over the rows, where `u` is the weight that Student's t gives them.
    pub tails: Vec<f64>,
}

struct Scratch {
    block: Block,
    totals: Totals,
    factors: Vec<f64>,
    /// Rows less an analyzer's mean.
    centered: Vec<f64>,
    /// The rows of a block that an analyzer is responsible for.
    active: Vec<usize>,
}

impl Totals {
    fn zeros(m: usize, d: usize, k: usize) -> Self {
        let sums = (0..m).map(|_| Sums::zeros(d, k, false)).collect();
        Self { log_likelihood: 0.0, sums, tails: vec![0.0; m] }
    }

    fn clear(&mut self) {
        self.log_likelihood = 0.0;
        self.sums.iter_mut().for_each(Sums::clear);
        self.tails.fill(0.0);
    }

    fn add(&mut self, other: &Self) {
        self.log_likelihood += other.log_likelihood;
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| sum.add(more));
        self.tails.iter_mut().zip(&other.tails).for_each(|(sum, more)| *sum += more);
    }
}

/// The expectation step for the rows of the table, which are in the units of the mixture.
pub(super) fn expectations(table: &Table, mixture: &Mixture, run: &Run) -> Result<Totals> {
    let evaluator = Evaluator::new(mixture, run)?;
    let (m, d, k) = (mixture.weights.len(), evaluator.d, evaluator.k);
    let scratch = || Scratch {
        block: Block::new(&evaluator),
        totals: Totals::zeros(m, d, k),
        factors: vec![0.0; BLOCK * (k + 1)],
        centered: vec![0.0; BLOCK * d],
        active: Vec::with_capacity(BLOCK),
    };
    let work = |task: usize, scratch: &mut Scratch| {
        scratch.totals.clear();
        for start in (task * BLOCKS..(task + 1) * BLOCKS).map(|block| block * BLOCK) {
            if start < table.n {
                let rows = start..(start + BLOCK).min(table.n);
                let values = &table.values[rows.start * d..rows.end * d];
                scratch.block.values[..values.len()].copy_from_slice(values);
                scratch.block.values[values.len()..].fill(0.0);
                evaluator.evaluate(&mut scratch.block, run);
                scratch.add_block(&evaluator, rows.len());
            }
        }
    };
    let mut total = Totals::zeros(m, d, k);
    let fold = |_, (), scratch: &mut Scratch| total.add(&scratch.totals);
    fold_in_order(run, table.n.div_ceil(BLOCKS * BLOCK), scratch, work, fold)?;
    run.check()?;
    Ok(total)
}

impl Scratch {
    fn add_block(&mut self, evaluator: &Evaluator<'_>, rows: usize) {
        let (d, k) = (evaluator.d, evaluator.k);
        let Self { block, totals, factors, centered, active } = self;
        totals.log_likelihood += block.log_density[..rows].iter().sum::<f64>();
        for (j, sums) in totals.sums.iter_mut().enumerate() {
            // Most analyzers are responsible for few of the rows: only those are packed and multiplied.
            let shares = &block.responsibilities[j * BLOCK..][..rows];
            active.clear();
            active.extend((0..rows).filter(|&row| shares[row] > LEAST_SHARE));
            if active.is_empty() {
                continue;
            }
            let (z, mean) = (&block.z[j * BLOCK * k..][..BLOCK * k], &evaluator.mixture.analyzers[j].mean);
            let mut mass = 0.0;
            for (at, &row) in active.iter().enumerate() {
                let (share, tail) = (shares[row], block.tails[j * BLOCK + row]);
                mass += share;
                totals.tails[j] += share * (tail.ln() - tail);
                let (weight, out) = (share * tail, &mut factors[at * (k + 1)..][..k + 1]);
                out[..k].iter_mut().zip(&z[row * k..][..k]).for_each(|(out, z)| *out = weight * z);
                out[k] = weight;
            }
            sums.mass += mass;
            // E[u [z 1]'[z 1]]: the outer products weigh as much as the row, the covariance as much as its responsibility.
            let covariance = evaluator.covariance(j);
            for a in 0..=k {
                for b in 0..=a {
                    let product = |(at, &row): (usize, &usize)| {
                        let other = if b < k { z[row * k + b] } else { 1.0 };
                        factors[at * (k + 1) + a] * other
                    };
                    let spread = if a < k { mass * covariance[a * k + b] } else { 0.0 };
                    sums.moments[a * (a + 1) / 2 + b] +=
                        active.iter().enumerate().map(product).sum::<f64>() + spread;
                }
            }
            let height = active.len();
            vectorized(
                #[inline(always)]
                || {
                    for (at, &row) in active.iter().enumerate() {
                        let weight = factors[at * (k + 1) + k];
                        let (out, values) = (&mut centered[at * d..][..d], &block.values[row * d..][..d]);
                        let cells = out.iter_mut().zip(values).zip(mean).zip(&mut sums.squares);
                        for (((out, value), mean), square) in cells {
                            *out = value - mean;
                            *square += weight * (*out * *out);
                        }
                    }
                },
            );
            matmul(
                MatMut::from_row_major_slice_mut(&mut sums.products, d, k + 1),
                Accum::Add,
                MatRef::from_column_major_slice(&centered[..height * d], d, height),
                MatRef::from_row_major_slice(&factors[..height * (k + 1)], height, k + 1),
                1.0,
                Par::Seq,
            );
        }
    }
}
