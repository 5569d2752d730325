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
    shares: Vec<f64>,
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
        shares: vec![0.0; BLOCK],
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
        let Self { block, totals, factors, shares } = self;
        totals.log_likelihood += block.log_density[..rows].iter().sum::<f64>();
        for (j, sums) in totals.sums.iter_mut().enumerate() {
            shares.copy_from_slice(&block.responsibilities[j * BLOCK..][..BLOCK]);
            shares[rows..].fill(0.0);
            if shares.iter().all(|&share| share == 0.0) {
                continue;
            }
            let (z, tails) = (&block.z[j * BLOCK * k..][..BLOCK * k], &block.tails[j * BLOCK..][..BLOCK]);
            let mass: f64 = shares.iter().sum();
            sums.mass += mass;
            for (share, tail) in shares.iter_mut().zip(tails) {
                totals.tails[j] += *share * (tail.ln() - tail);
                *share *= tail;
            }
            for row in 0..BLOCK {
                let (weight, out) = (shares[row], &mut factors[row * (k + 1)..][..k + 1]);
                out[..k].iter_mut().zip(&z[row * k..][..k]).for_each(|(out, z)| *out = weight * z);
                out[k] = weight;
            }
            // E[u [z 1]'[z 1]]: the outer products weigh as much as the row, the covariance as much as its responsibility.
            let covariance = evaluator.covariance(j);
            for a in 0..=k {
                for b in 0..=a {
                    let product = |row: usize| {
                        let other = if b < k { z[row * k + b] } else { 1.0 };
                        factors[row * (k + 1) + a] * other
                    };
                    let spread = if a < k { mass * covariance[a * k + b] } else { 0.0 };
                    sums.moments[a * (a + 1) / 2 + b] += (0..BLOCK).map(product).sum::<f64>() + spread;
                }
            }
            let centered = block.center(&evaluator.mixture.analyzers[j].mean);
            vectorized(
                #[inline(always)]
                || {
                    for (weight, row) in shares.iter().zip(centered.chunks_exact(d)) {
                        sums.squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * (x * x));
                    }
                },
            );
            matmul(
                MatMut::from_row_major_slice_mut(&mut sums.products, d, k + 1),
                Accum::Add,
                MatRef::from_column_major_slice(centered, d, BLOCK),
                MatRef::from_row_major_slice(factors, BLOCK, k + 1),
                1.0,
                Par::Seq,
            );
        }
    }
}
