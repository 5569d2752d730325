//! Independent component analysis by fixed points (Hyvärinen 1999; Burges 1): the projections that are least Gaussian,
//! which are the sources where the data are a linear mixture of independent ones.
//!
//! points -> whiten -> fixed-point iteration of a contrast -> unmix

use super::{at_least, at_most, covariance_bytes};
use crate::functions::{exp, tanh};
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
use crate::projective::whitened::{Whitened, decorrelated, with_zero_rows};
use crate::projective::{Form, LinearModel, Map, Part};
use crate::{AnyInput, Shape, choices, parameters};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Stage};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::RngExt;
use rand_distr::StandardNormal;

/// FastICA in the registry.
pub static FAST_ICA: Entry = Entry {
    name: "fast-ica",
    aliases: &["ica", "independent-component-analysis"],
    title: "Independent component analysis",
    summary: "Takes linear mixtures apart: the directions whose projections are as independent, and as far from \
              Gaussian, as possible. For signals that were added up, not for compact pictures of data.",
    citation: "A. Hyvärinen, Fast and robust fixed-point algorithms for independent component analysis, 1999",
    capabilities: Capabilities { inverse: true, random: true, ..Capabilities::PLAIN },
    ..Entry::of::<FastIca>()
};

const PARTS: &[Part] = &[
    (
        "components",
        "The unmixing matrix, one component a row: it maps centered rows to sources.",
        Form::Matrix,
    ),
    ("mixing", "The mixing matrix: it maps sources to centered rows.", Form::Matrix),
    ("mean", "The mean of each column of the data.", Form::Vector),
    ("negentropy", "How far each component is from Gaussian, by the contrast.", Form::Vector),
    ("n_iter", "The steps of the iteration with all rows.", Form::Count),
];

/// The way to the solution is found with a sample of so many rows for each direction, where there are many more: with
/// all rows only the last steps are taken, which converge at least quadratically.
const SAMPLE: usize = 50;
/// Turns below the sample's own error say nothing.
const ROUGH: f64 = 1e-2;
/// The most steps with the sample: they cost an eighth of one with all rows, or less.
const ROUGH_STEPS: usize = 32;

choices! {
    /// In which order the components are found.
    pub enum IcaAlgorithm {
        /// All at once.
        Parallel = "parallel" | "symmetric",
        /// One after the other, each orthogonal to those before.
        Deflation = "deflation",
    }
}

choices! {
    /// What measures the distance from a Gaussian.
    pub enum Contrast {
        /// ln cosh: for all purposes.
        Logcosh = "logcosh",
        /// A Gaussian bump: for heavy tails, and where outliers must not count.
        Exp = "exp",
        /// The fourth power, that is the kurtosis: fast, but sensitive to outliers.
        Cube = "cube",
    }
}

parameters! {
    /// Independent component analysis: the parameters.
    pub struct FastIca {
        /// How many components: at most the smaller of rows and columns; `auto` takes all directions of the data.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// In which order the components are found.
        algorithm: IcaAlgorithm = IcaAlgorithm::Parallel;
        /// What measures the distance from a Gaussian.
        fun: Contrast = Contrast::Logcosh;
        /// The iteration ends when no direction turns by more: 1 less the cosine.
        tol: f64 = 1e-8, in Kind::Real { min: 0.0, max: 1.0, open: true };
        /// The most steps (for each component, where they are found one after the other).
        max_iter: usize = 500, in Kind::Integer { min: 1, max: 1_000_000 };
    }
}

impl Contrast {
    /// Replaces projections, `k` a row, by the contrast's derivative, and adds up its second derivative, a column each.
    /// Long functions are taken value by value, and only then are the columns looked at: so the compiler makes vector
    /// code of both.
    fn derive(self, y: &mut [f64], second: &mut [f64], k: usize) {
        let mut bumps = if self == Self::Exp { y.to_vec() } else { Vec::new() };
        vectorized(
            #[inline(always)]
            || match self {
                Self::Logcosh => {
                    y.iter_mut().for_each(|y| *y = tanh(*y));
                    for row in y.chunks_exact(k) {
                        second.iter_mut().zip(row).for_each(|(second, t)| *second += 1.0 - t * t);
                    }
                }
                Self::Exp => {
                    bumps.iter_mut().for_each(|y| *y = exp(-0.5 * *y * *y));
                    for (row, bumps) in y.chunks_exact_mut(k).zip(bumps.chunks_exact(k)) {
                        for ((y, e), second) in row.iter_mut().zip(bumps).zip(&mut *second) {
                            *second += (1.0 - *y * *y) * e;
                            *y *= e;
                        }
                    }
                }
                Self::Cube => {
                    for row in y.chunks_exact_mut(k) {
                        for (y, second) in row.iter_mut().zip(&mut *second) {
                            *second += 3.0 * *y * *y;
                            *y = *y * *y * *y;
                        }
                    }
                }
            },
        );
    }

    /// Adds the contrast of projections, `k` a row and at most a thousand rows, to sums, a column each.
    fn add_up(self, y: &mut [f64], sums: &mut [f64], k: usize) {
        if self == Self::Logcosh {
            return add_log_cosh(y, sums, k);
        }
        vectorized(
            #[inline(always)]
            || match self {
                Self::Exp => y.iter_mut().for_each(|y| *y = -exp(-0.5 * *y * *y)),
                _ => y.iter_mut().for_each(|y| *y = 0.25 * *y * *y * *y * *y),
            },
        );
        for row in y.chunks_exact(k) {
            sums.iter_mut().zip(row).for_each(|(sum, y)| *sum += y);
        }
    }

    /// The contrast's mean over a standard Gaussian.
    fn of_gaussian(self) -> f64 {
        match self {
            Self::Logcosh => 0.374_567_207_491_438,
            Self::Exp => -std::f64::consts::FRAC_1_SQRT_2,
            Self::Cube => 0.75,
        }
    }
}

/// `ln cosh y = |y| + ln(1 + e^-2|y|) - ln 2`: no overflow, and as no factor in the logarithm is above 2, a column of a
/// thousand rows needs one logarithm, of their product.
fn add_log_cosh(y: &mut [f64], sums: &mut [f64], k: usize) {
    let mut products = vec![1.0; k];
    for row in y.chunks_exact(k) {
        sums.iter_mut().zip(row).for_each(|(sum, y)| *sum += y.abs());
    }
    vectorized(
        #[inline(always)]
        || y.iter_mut().for_each(|y| *y = 1.0 + exp(-2.0 * y.abs())),
    );
    for row in y.chunks_exact(k) {
        products.iter_mut().zip(row).for_each(|(product, y)| *product *= y);
    }
    let rows = (y.len() / k) as f64;
    for (sum, product) in sums.iter_mut().zip(products) {
        *sum += product.ln() - rows * std::f64::consts::LN_2;
    }
}

impl FastIca {
    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(input, x => self.map(x, run))?;
        LinearModel::new(&FAST_ICA, PARTS, self.settings(), map).embedded(input, run)
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Map> {
        let z = Whitened::new(x, self.n_components, run)?;
        let k = z.rank;
        let mut rng = run.rng("fast-ica");
        let mut start = Array2::from_shape_fn((k, k), |_| rng.sample::<f64, _>(StandardNormal));
        let stage = run.stage("independent components", None);
        let few = SAMPLE * k.max(20);
        if z.n >= 8 * few {
            let rough = Self { tol: self.tol.max(ROUGH), max_iter: self.max_iter.min(ROUGH_STEPS), ..*self };
            if let Some(few) = z.sample(few, &mut rng, run)? {
                start = rough.iterate(&few, start, &stage, run)?.0.dot(&few.forward.t());
            }
        }
        let (turn, steps, change) = self.iterate(&z, start, &stage, run)?;
        drop(stage);
        let mut warnings = z.warnings.clone();
        if change > self.tol {
            let (what, steps) = ("the fixed-point iteration".into(), self.max_iter);
            warnings.push(Warning::NotConverged { what, steps, change, tolerance: self.tol });
        }
        // The least Gaussian first.
        let sums = z.sums(&turn, |y, sums| self.fun.add_up(y, sums, k), run)?;
        let scored: Vec<f64> =
            sums.iter().map(|sum| (sum / z.n as f64 - self.fun.of_gaussian()).powi(2)).collect();
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|&a, &b| scored[b].total_cmp(&scored[a]));
        let mut turn = turn.select(Axis(0), &order);
        let mut components = turn.dot(&z.forward.t());
        for (mut row, mut turn) in components.rows_mut().into_iter().zip(turn.rows_mut()) {
            let leading = row.iter().fold(0.0f64, |most, &x| if x.abs() > most.abs() { x } else { most });
            if leading < 0.0 {
                row.mapv_inplace(|x| -x);
                turn.mapv_inplace(|x| -x);
            }
        }
        let asked = self.n_components.unwrap_or(k);
        let (components, backward) =
            (with_zero_rows(components, asked), with_zero_rows(turn.dot(&z.backward), asked));
        let negentropy: Array1<f64> =
            (0..asked).map(|j| order.get(j).map_or(0.0, |&own| scored[own])).collect();
        let objective = vec![Quantity { name: "negentropy".into(), value: negentropy.sum() }];
        let found = vec![
            components.clone().into(),
            backward.t().to_owned().into(),
            Array1::from(z.center.clone()).into(),
            negentropy.into(),
            steps.into(),
        ];
        Ok(Map {
            center: z.center,
            forward: components.reversed_axes().as_standard_layout().into_owned(),
            backward: Some(backward),
            density: None,
            found,
            report: Report { objective, warnings, ..Report::default() },
        })
    }

    /// `E[x g(w'x)] - E[g'(w'x)] w` for every row of `w` (Hyvärinen's eq. 20).
    fn step(&self, z: &Whitened, w: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
        let (k, n) = (w.nrows(), z.n as f64);
        let change = |y: &mut [f64], sums: &mut [f64]| self.fun.derive(y, sums, k);
        let (mut sum, second) = z.weighted_sums(w, change, run)?;
        for (i, mut row) in sum.rows_mut().into_iter().enumerate() {
            row.zip_mut_with(&w.row(i), |sum, w| *sum = *sum / n - second[i] / n * w);
        }
        Ok(sum)
    }

    /// The directions that a start leads to, with the steps taken and the last change.
    fn iterate(
        &self,
        z: &Whitened,
        start: Array2<f64>,
        stage: &Stage<'_>,
        run: &Run,
    ) -> Result<(Array2<f64>, usize, f64)> {
        match self.algorithm {
            IcaAlgorithm::Parallel => self.all_at_once(z, decorrelated(&start, run)?, stage, run),
            IcaAlgorithm::Deflation => self.one_by_one(z, start, stage, run),
        }
    }

    fn all_at_once(
        &self,
        z: &Whitened,
        mut w: Array2<f64>,
        stage: &Stage<'_>,
        run: &Run,
    ) -> Result<(Array2<f64>, usize, f64)> {
        let (mut change, mut pace) = (f64::INFINITY, Pace::default());
        for steps in 1..=self.max_iter {
            let next = decorrelated(&self.step(z, &w, run)?, run)?;
            change = turned(&next, &w);
            stage.advance(1)?;
            if change < self.tol {
                return Ok((next, steps, change));
            }
            let there = pace.onward(next, &w, change);
            w = if pace.part < 1.0 { decorrelated(&there, run)? } else { there };
        }
        Ok((w, self.max_iter, change))
    }

    fn one_by_one(
        &self,
        z: &Whitened,
        start: Array2<f64>,
        stage: &Stage<'_>,
        run: &Run,
    ) -> Result<(Array2<f64>, usize, f64)> {
        let k = z.rank;
        let mut found: Array2<f64> = Array2::zeros((0, k));
        let (mut most, mut worst) = (0, 0.0f64);
        for j in 0..k {
            let mut w = orthogonal(start.row(j).to_owned(), &found).insert_axis(Axis(0));
            let (mut change, mut pace) = (f64::INFINITY, Pace::default());
            let mut steps = 0;
            while steps < self.max_iter && change >= self.tol {
                let next = self.step(z, &w, run)?.row(0).to_owned();
                let next = orthogonal(next, &found).insert_axis(Axis(0));
                change = turned(&next, &w);
                let there = pace.onward(next, &w, change).row(0).to_owned();
                w = orthogonal(there, &found).insert_axis(Axis(0));
                steps += 1;
                stage.advance(1)?;
            }
            (most, worst) = (most.max(steps), worst.max(change));
            found.append(Axis(0), w.view()).map_err(|e| lowland_base::Error::Malformed {
                what: "set of components",
                problem: e.to_string(),
            })?;
        }
        Ok((found, most, worst))
    }
}

/// How much of a step is taken: all of it, unless steps go to and fro; then less, until they no longer do.
struct Pace {
    part: f64,
    last: Option<(Array2<f64>, f64)>,
    /// Steps in a row that went back; below 0, that went on.
    back: i32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { part: 1.0, last: None, back: 0 }
    }
}

/// Not a half: half of the way between two places may be none at all.
const SLOWER: f64 = 0.6;
/// Steps back, or on, after which the pace changes.
const PATIENCE: i32 = 4;

impl Pace {
    /// Where to go from `before`, whose next place would be `next`, turned by `change`. A place is the same with either
    /// sign.
    fn onward(&mut self, mut next: Array2<f64>, before: &Array2<f64>, change: f64) -> Array2<f64> {
        for (mut next, before) in next.rows_mut().into_iter().zip(before.rows()) {
            if next.dot(&before) < 0.0 {
                next.mapv_inplace(|x| -x);
            }
        }
        let step = &next - before;
        if let Some((last, was)) = &self.last {
            let (along, lengths) = ((last * &step).sum(), (last * last).sum() * (&step * &step).sum());
            let cosine = if lengths > 0.0 { along / lengths.sqrt() } else { 0.0 };
            self.back = match cosine {
                c if c < -0.5 && change > 0.25 * was => self.back.max(0) + 1,
                c if c > 0.5 => self.back.min(0) - 1,
                _ => 0,
            };
            if self.back >= PATIENCE {
                (self.part, self.back) = (SLOWER * self.part, 0);
            } else if self.back <= -PATIENCE {
                (self.part, self.back) = ((self.part / SLOWER).min(1.0), 0);
            }
        }
        let there = if self.part < 1.0 { before + &(&step * self.part) } else { next };
        self.last = Some((step, change));
        there
    }
}

/// The largest turn of a row: 1 less the cosine between it and the row before.
fn turned(next: &Array2<f64>, before: &Array2<f64>) -> f64 {
    let cosine = |(a, b): (ndarray::ArrayView1<'_, f64>, ndarray::ArrayView1<'_, f64>)| a.dot(&b).abs();
    let turns = next.rows().into_iter().zip(before.rows()).map(cosine);
    turns.fold(0.0, |most: f64, cosine| most.max((1.0 - cosine).abs()))
}

/// The unit vector along what is left of `w` beside the rows found.
pub(super) fn orthogonal(mut w: Array1<f64>, found: &Array2<f64>) -> Array1<f64> {
    for _ in 0..2 {
        for row in found.rows() {
            let along = row.dot(&w);
            w.scaled_add(-along, &row);
        }
        let length = w.dot(&w).sqrt();
        if length > 0.0 {
            w /= length;
        }
    }
    w
}

impl Fit for FastIca {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &FAST_ICA;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that whitening needs")?;
        at_most(self.n_components, n.min(d), &format!("the smaller of {n} rows and {d} columns"))
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.n_components.map_or(n.min(d), |count| count as f64);
        Forecast {
            bytes: (covariance_bytes(shape).min(8.0 * (7.0 * n * d + 6.0 * n.min(d).powi(2)))
                + 8.0 * (2.0 * n * k + n * n.min(d).min(2.0 * k) + 4.0 * d * k)) as u64,
            flops: n * d * d + 2.0 * n * d * k + 50.0 * n * k * (4.0 * k + 30.0),
            remedy: "ask for fewer components, or select fewer columns first".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        self.solve(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&FAST_ICA, PARTS, self.settings(), archive)
    }
}
