//! Independent components of whitened rows: the fixed-point iteration of FastICA (Hyvärinen 1999), and `infomax`.

mod contrast;
mod infomax;

pub use contrast::Contrast;

use super::whitened::{Whitened, decorrelated, orthogonal};
use crate::choices;
use crate::optimize::fixed_point::Damping;
use lowland_base::{Error, Result, Run, Stage};
use ndarray::{Array2, ArrayView1, Axis};
use rand::RngExt;
use rand_distr::StandardNormal;

choices! {
    /// How the components are found.
    pub enum IcaAlgorithm {
        /// All at once, by fixed points of the contrast.
        Parallel = "parallel" | "symmetric",
        /// One after the other, each orthogonal to those before.
        Deflation = "deflation",
        /// All at once, by the likelihood of sources with heavy tails (Bell and Sejnowski); `fun` only ranks them.
        Infomax = "infomax",
        /// The same for sources with heavy or light tails, whichever each has (Lee, Girolami and Sejnowski).
        ExtendedInfomax = "extended-infomax",
    }
}

/// Where there are many more rows than so many for each direction, a sample of that size leads near the solution: all
/// rows are needed only for the last steps, which converge at least quadratically.
const SAMPLE: usize = 50;
/// The tolerance with the sample: smaller changes are below its own error.
const ROUGH: f64 = 1e-2;
/// The most steps with the sample: they cost an eighth of one with all rows, or less.
const ROUGH_STEPS: usize = 32;

/// How the iteration goes, and when it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Iteration {
    pub algorithm: IcaAlgorithm,
    pub contrast: Contrast,
    /// The largest change of a direction, as 1 less the cosine.
    pub tolerance: f64,
    pub steps: usize,
}

/// Where it ended.
pub(crate) struct Unmixed {
    /// One unit direction of the whitened space a row.
    pub directions: Array2<f64>,
    pub steps: usize,
    /// The change of the last step.
    pub change: f64,
    /// After each step minus the log-likelihood, which is minimized, or minus the negentropy of all directions, which a fixed
    /// point of the symmetric iteration need not lower at every step.
    pub losses: Vec<(usize, f64)>,
}

impl IcaAlgorithm {
    /// Whether its directions are orthogonal in the whitened space.
    pub(crate) fn is_orthogonal(self) -> bool {
        matches!(self, Self::Parallel | Self::Deflation)
    }
}

impl Iteration {
    /// The directions from a random start; with many rows by way of a sample of them.
    pub fn solve(&self, z: &Whitened, run: &Run) -> Result<Unmixed> {
        let k = z.rank;
        let mut rng = run.rng("fast-ica");
        let mut start: Array2<f64> = Array2::from_shape_fn((k, k), |_| rng.sample::<f64, _>(StandardNormal));
        let stage = run.stage("independent components", None);
        let few = SAMPLE * k.max(20);
        if z.n >= 8 * few {
            let rough =
                Self { tolerance: self.tolerance.max(ROUGH), steps: self.steps.min(ROUGH_STEPS), ..*self };
            if let Some(few) = z.sample(few, &mut rng, run)? {
                start = rough.iterate(&few, start, &stage, run)?.directions.dot(&few.forward.t());
            }
        }
        self.iterate(z, start, &stage, run)
    }

    /// `E[x g(w'x)] - E[g'(w'x)] w` for every row of `w` (Hyvärinen's eq. 20), and the negentropy of the rows of `w`.
    fn step(&self, z: &Whitened, w: &Array2<f64>, run: &Run) -> Result<(Array2<f64>, f64)> {
        let (k, n) = (w.nrows(), z.n as f64);
        let change = |y: &mut [f64], sums: &mut [f64]| self.contrast.derive(y, sums, k);
        let (mut sum, sums) = z.weighted_sums(w, 2 * k, change, run)?;
        let (second, contrast) = sums.split_at(k);
        for (i, mut row) in sum.rows_mut().into_iter().enumerate() {
            row.zip_mut_with(&w.row(i), |sum, w| *sum = *sum / n - second[i] / n * w);
        }
        Ok((sum, contrast.iter().map(|sum| self.contrast.negentropy(sum / n)).sum()))
    }

    fn iterate(&self, z: &Whitened, start: Array2<f64>, stage: &Stage<'_>, run: &Run) -> Result<Unmixed> {
        match self.algorithm {
            IcaAlgorithm::Parallel => self.parallel(z, decorrelated(&start, run)?, stage, run),
            IcaAlgorithm::Deflation => self.deflation(z, start, stage, run),
            IcaAlgorithm::Infomax => self.infomax(z, &start, false, stage, run),
            IcaAlgorithm::ExtendedInfomax => self.infomax(z, &start, true, stage, run),
        }
    }

    fn parallel(&self, z: &Whitened, mut w: Array2<f64>, stage: &Stage<'_>, run: &Run) -> Result<Unmixed> {
        let (mut change, mut damping) = (f64::INFINITY, Damping::default());
        let mut losses = Vec::new();
        for steps in 1..=self.steps {
            let (next, negentropy) = self.step(z, &w, run)?;
            let next = decorrelated(&next, run)?;
            change = largest_change(&next, &w);
            // The negentropy is that of the directions before this step.
            losses.push((steps - 1, -negentropy));
            stage.loss(-negentropy);
            stage.advance(1)?;
            if change < self.tolerance {
                return Ok(Unmixed { directions: next, steps, change, losses });
            }
            let damped = damping.step(next, &w, change);
            w = if damping.share < 1.0 { decorrelated(&damped, run)? } else { damped };
        }
        Ok(Unmixed { directions: w, steps: self.steps, change, losses })
    }

    fn deflation(&self, z: &Whitened, start: Array2<f64>, stage: &Stage<'_>, run: &Run) -> Result<Unmixed> {
        let k = z.rank;
        let mut directions: Array2<f64> = Array2::zeros((0, k));
        let (mut most, mut worst) = (0, 0.0f64);
        // Of the components found so far, and of all of them after each step.
        let (mut found, mut losses) = (0.0, Vec::new());
        for j in 0..k {
            let mut w = orthogonal(start.row(j).to_owned(), &directions).insert_axis(Axis(0));
            let (mut change, mut damping) = (f64::INFINITY, Damping::default());
            let (mut steps, mut own) = (0, 0.0);
            while steps < self.steps && change >= self.tolerance {
                let (next, negentropy) = self.step(z, &w, run)?;
                let next = orthogonal(next.row(0).to_owned(), &directions).insert_axis(Axis(0));
                change = largest_change(&next, &w);
                let damped = damping.step(next, &w, change).row(0).to_owned();
                w = orthogonal(damped, &directions).insert_axis(Axis(0));
                own = negentropy;
                losses.push((losses.len(), -found - own));
                stage.loss(-found - own);
                steps += 1;
                stage.advance(1)?;
            }
            found += own;
            (most, worst) = (most.max(steps), worst.max(change));
            directions.append(Axis(0), w.view()).map_err(|e| Error::shape("set of components", &e))?;
        }
        Ok(Unmixed { directions, steps: most, change: worst, losses })
    }
}

/// The largest change of a row: 1 less the cosine between it and the row before.
fn largest_change(next: &Array2<f64>, before: &Array2<f64>) -> f64 {
    let cosine = |(a, b): (ArrayView1<'_, f64>, ArrayView1<'_, f64>)| a.dot(&b).abs();
    let cosines = next.rows().into_iter().zip(before.rows()).map(cosine);
    cosines.fold(0.0, |most: f64, cosine| most.max((1.0 - cosine).abs()))
}
