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
    /// What was minimized after each step, where that is computed: a fixed point is found without.
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

    /// `E[x g(w'x)] - E[g'(w'x)] w` for every row of `w` (Hyvärinen's eq. 20).
    fn step(&self, z: &Whitened, w: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
        let (k, n) = (w.nrows(), z.n as f64);
        let change = |y: &mut [f64], sums: &mut [f64]| self.contrast.derive(y, sums, k);
        let (mut sum, second) = z.weighted_sums(w, change, run)?;
        for (i, mut row) in sum.rows_mut().into_iter().enumerate() {
            row.zip_mut_with(&w.row(i), |sum, w| *sum = *sum / n - second[i] / n * w);
        }
        Ok(sum)
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
        for steps in 1..=self.steps {
            let next = decorrelated(&self.step(z, &w, run)?, run)?;
            change = largest_change(&next, &w);
            stage.advance(1)?;
            if change < self.tolerance {
                return Ok(Unmixed { directions: next, steps, change, losses: Vec::new() });
            }
            let damped = damping.step(next, &w, change);
            w = if damping.share < 1.0 { decorrelated(&damped, run)? } else { damped };
        }
        Ok(Unmixed { directions: w, steps: self.steps, change, losses: Vec::new() })
    }

    fn deflation(&self, z: &Whitened, start: Array2<f64>, stage: &Stage<'_>, run: &Run) -> Result<Unmixed> {
        let k = z.rank;
        let mut directions: Array2<f64> = Array2::zeros((0, k));
        let (mut most, mut worst) = (0, 0.0f64);
        for j in 0..k {
            let mut w = orthogonal(start.row(j).to_owned(), &directions).insert_axis(Axis(0));
            let (mut change, mut damping) = (f64::INFINITY, Damping::default());
            let mut steps = 0;
            while steps < self.steps && change >= self.tolerance {
                let next = self.step(z, &w, run)?.row(0).to_owned();
                let next = orthogonal(next, &directions).insert_axis(Axis(0));
                change = largest_change(&next, &w);
                let damped = damping.step(next, &w, change).row(0).to_owned();
                w = orthogonal(damped, &directions).insert_axis(Axis(0));
                steps += 1;
                stage.advance(1)?;
            }
            (most, worst) = (most.max(steps), worst.max(change));
            directions.append(Axis(0), w.view()).map_err(|e| Error::shape("set of components", &e))?;
        }
        Ok(Unmixed { directions, steps: most, change: worst, losses: Vec::new() })
    }
}

/// The largest change of a row: 1 less the cosine between it and the row before.
fn largest_change(next: &Array2<f64>, before: &Array2<f64>) -> f64 {
    let cosine = |(a, b): (ArrayView1<'_, f64>, ArrayView1<'_, f64>)| a.dot(&b).abs();
    let cosines = next.rows().into_iter().zip(before.rows()).map(cosine);
    cosines.fold(0.0, |most: f64, cosine| most.max((1.0 - cosine).abs()))
}
