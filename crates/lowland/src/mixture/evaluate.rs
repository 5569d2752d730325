//! Rows as every analyzer of a mixture sees them: log-densities, responsibilities, posterior means of the factors.

use super::Mixture;
use super::table::posterior_covariance;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run};

/// Rows at a time. Every block is filled up to this height, so that products always have one shape and the bits of a row
/// do not depend on the rest of its batch.
pub(super) const BLOCK: usize = 64;

/// A mixture, made ready to be evaluated.
pub(super) struct Evaluator<'m> {
    pub mixture: &'m Mixture,
    analyzers: Vec<Prepared>,
    pub d: usize,
    pub k: usize,
}

struct Prepared {
    /// `N^-1 W`, columns x factors.
    weighted: Vec<f64>,
    /// The inverse of each column's noise.
    inverse: Vec<f64>,
    /// `(1 + W' N^-1 W)^-1`.
    covariance: Vec<f64>,
    /// What the log-density has beside the distance, with the logarithm of the analyzer's weight.
    constant: f64,
    /// The degrees of freedom of Student's t.
    degrees: Option<f64>,
}

/// What is found of a block of rows, and the work space.
pub(super) struct Block {
    /// Rows x columns, in the units of the mixture; zeros where the block has fewer rows.
    pub values: Vec<f64>,
    /// Analyzers x rows.
    pub responsibilities: Vec<f64>,
    /// Analyzers x rows x factors: the posterior means.
    pub z: Vec<f64>,
    /// Analyzers x rows: the weights of Student's t; 1 for Gaussians.
    pub tails: Vec<f64>,
    /// Rows: the log-density of the mixture, in its units.
    pub log_density: Vec<f64>,
    centered: Vec<f64>,
    right: Vec<f64>,
}

impl Block {
    pub fn new(evaluator: &Evaluator<'_>) -> Self {
        let (m, d, k) = (evaluator.analyzers.len(), evaluator.d, evaluator.k);
        Self {
            values: vec![0.0; BLOCK * d],
            responsibilities: vec![0.0; m * BLOCK],
            z: vec![0.0; m * BLOCK * k],
            tails: vec![1.0; m * BLOCK],
            log_density: vec![0.0; BLOCK],
            centered: vec![0.0; BLOCK * d],
            right: vec![0.0; BLOCK * k],
        }
    }

    /// The rows less the mean of an analyzer.
    pub fn center(&mut self, mean: &[f64]) -> &[f64] {
        let d = mean.len();
        vectorized(
            #[inline(always)]
            || {
                for (out, row) in self.centered.chunks_exact_mut(d).zip(self.values.chunks_exact(d)) {
                    for ((out, value), mean) in out.iter_mut().zip(row).zip(mean) {
                        *out = value - mean;
                    }
                }
            },
        );
        &self.centered
    }
}

impl<'m> Evaluator<'m> {
    pub fn new(mixture: &'m Mixture, run: &Run) -> Result<Self> {
        let (d, k) = (mixture.features(), mixture.factors());
        let prepare = |j: usize| -> Result<Prepared> {
            run.check()?;
            let gaussian = &mixture.analyzers[j];
            let inverse: Vec<f64> = gaussian.noise.iter().map(|noise| 1.0 / noise).collect();
            let mut weighted = vec![0.0; d * k];
            let mut packed = vec![0.0; k * (k + 1) / 2];
            for (column, loadings) in gaussian.loadings.rows().into_iter().enumerate() {
                for a in 0..k {
                    let scaled = loadings[a] * inverse[column];
                    weighted[column * k + a] = scaled;
                    for b in 0..=a {
                        packed[a * (a + 1) / 2 + b] += scaled * loadings[b];
                    }
                }
            }
            let (covariance, log_det) = posterior_covariance(&packed, k);
            let log_noise: f64 = gaussian.noise.iter().map(|noise| noise.ln()).sum();
            let degrees = mixture.degrees.get(j).copied();
            let dimensions = d as f64;
            let normalizer = match degrees {
                None => -0.5 * dimensions * (2.0 * std::f64::consts::PI).ln(),
                Some(nu) => {
                    libm::lgamma(0.5 * (nu + dimensions))
                        - libm::lgamma(0.5 * nu)
                        - 0.5 * dimensions * (nu * std::f64::consts::PI).ln()
                }
            };
            let constant = mixture.weights[j].ln() + normalizer - 0.5 * (log_noise + log_det);
            Ok(Prepared { weighted, inverse, covariance, constant, degrees })
        };
        let analyzers = (0..mixture.analyzers.len()).map(prepare).collect::<Result<_>>()?;
        Ok(Self { mixture, analyzers, d, k })
    }

    /// The posterior covariance of an analyzer's factors.
    pub fn covariance(&self, analyzer: usize) -> &[f64] {
        &self.analyzers[analyzer].covariance
    }

    /// Fills in everything about the rows of the block; not, if the run is canceled meanwhile, as its next check says.
    pub fn evaluate(&self, block: &mut Block, run: &Run) {
        let (d, k) = (self.d, self.k);
        for (j, own) in self.analyzers.iter().enumerate() {
            if run.check().is_err() {
                return;
            }
            block.center(&self.mixture.analyzers[j].mean);
            let Block { responsibilities, z, tails, centered, right, .. } = block;
            if k > 0 {
                matmul(
                    MatMut::from_row_major_slice_mut(right, BLOCK, k),
                    Accum::Replace,
                    MatRef::from_row_major_slice(centered, BLOCK, d),
                    MatRef::from_row_major_slice(&own.weighted, d, k),
                    1.0,
                    Par::Seq,
                );
            }
            let logs = &mut responsibilities[j * BLOCK..][..BLOCK];
            let (z, tails) = (&mut z[j * BLOCK * k..][..BLOCK * k], &mut tails[j * BLOCK..][..BLOCK]);
            vectorized(
                #[inline(always)]
                || {
                    for row in 0..BLOCK {
                        let (z, right) = (&mut z[row * k..][..k], &right[row * k..][..k]);
                        let mut explained = 0.0;
                        for a in 0..k {
                            z[a] = (0..k).map(|b| own.covariance[a * k + b] * right[b]).sum();
                            explained += right[a] * z[a];
                        }
                        let square = weighted_square(&centered[row * d..][..d], &own.inverse);
                        let distance = (square - explained).max(0.0);
                        (logs[row], tails[row]) = match own.degrees {
                            None => (own.constant - 0.5 * distance, 1.0),
                            Some(nu) => {
                                let total = nu + d as f64;
                                let log = own.constant - 0.5 * total * (distance / nu).ln_1p();
                                (log, total / (nu + distance))
                            }
                        };
                    }
                },
            );
        }
        self.normalize(block);
    }

    /// From logarithms to responsibilities, which sum to 1 however far a row is from all analyzers.
    fn normalize(&self, block: &mut Block) {
        let m = self.analyzers.len();
        for row in 0..BLOCK {
            let logs = &mut block.responsibilities;
            let most = (0..m).fold(f64::NEG_INFINITY, |most, j| most.max(logs[j * BLOCK + row]));
            let mut sum = 0.0;
            for j in 0..m {
                let share = (logs[j * BLOCK + row] - most).exp();
                logs[j * BLOCK + row] = share;
                sum += share;
            }
            (0..m).for_each(|j| logs[j * BLOCK + row] /= sum);
            block.log_density[row] = most + sum.ln();
        }
    }
}

/// The sum of the weighted squares, in four lanes.
#[inline(always)]
fn weighted_square(x: &[f64], weights: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (whole, rest) = x.as_chunks::<4>();
    let (weights_whole, weights_rest) = weights.as_chunks::<4>();
    for (x, w) in whole.iter().zip(weights_whole) {
        for lane in 0..4 {
            lanes[lane] += x[lane] * x[lane] * w[lane];
        }
    }
    let rest: f64 = rest.iter().zip(weights_rest).map(|(x, w)| x * x * w).sum();
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
}
