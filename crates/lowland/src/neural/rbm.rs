//! Restricted Boltzmann machines: two layers of units, connections between the layers only, and
//! `E(v, h) = visible energy(v) + hidden energy(h) - v'Wh`. They are
//! trained in `divergence`.

use super::activation::Activation;
use super::real::Real;
use crate::choices;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run, units};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

choices! {
    /// What the units of a layer are.
    #[derive(Serialize, Deserialize)]
    pub enum Units {
        /// On or off: energy `-b'u`. Real values in [0, 1] are taken as probabilities (mean-field).
        Binary = "binary" | "bernoulli",
        /// Real, of unit variance about their mean: energy `|u - b|^2 / 2`.
        Gaussian = "gaussian",
    }
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

/// A restricted Boltzmann machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Rbm<T: Real> {
    /// The kind of the visible units.
    pub visible: Units,
    /// The kind of the hidden units.
    pub hidden: Units,
    pub(super) widths: (usize, usize),
    /// The weights (visible x hidden, row after row), the hidden biases, the visible biases.
    pub(super) parameters: Vec<T>,
}

/// Rows that pass through the machine at a time.
const BLOCK: usize = 64;
/// Up to so many hidden units, all their states are counted.
const COUNTED: usize = 12;

impl<T: Real> Rbm<T> {
    /// Small random weights; the visible biases are those of units that say the mean of the data (Hinton 2012, section 8).
    pub(crate) fn start(
        data: &[T],
        widths: (usize, usize),
        visible: Units,
        hidden: Units,
        rng: &mut impl Rng,
    ) -> Self {
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
    pub fn from_parts(
        visible: Units,
        hidden: Units,
        weights: Vec<T>,
        hidden_bias: &[T],
        visible_bias: &[T],
    ) -> Result<Self> {
        let widths = (visible_bias.len(), hidden_bias.len());
        if weights.len() != widths.0 * widths.1 {
            let problem = format!(
                "{} between {} and {}",
                units::count(weights.len(), "weight"),
                units::count(widths.0, "visible unit"),
                units::count(widths.1, "hidden unit")
            );
            return Err(Error::malformed("weights", problem, "give one for each pair of units"));
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

    /// The means of the hidden units, given the visible ones.
    pub(super) fn up(&self, visible: &[T], hidden: &mut [T]) {
        let (v, h) = self.widths;
        let n = visible.len() / v;
        let weights = MatRef::from_row_major_slice(self.weights(), v, h);
        let rows = MatRef::from_row_major_slice(visible, n, v);
        matmul(
            MatMut::from_row_major_slice_mut(hidden, n, h),
            Accum::Replace,
            rows,
            weights,
            T::one(),
            Par::Seq,
        );
        self.hidden.activation().apply(hidden, self.hidden_bias());
    }

    /// The means of the visible units, given the hidden ones.
    pub(super) fn down(&self, hidden: &[T], visible: &mut [T]) {
        let (v, h) = self.widths;
        let n = hidden.len() / h;
        let weights = MatRef::from_row_major_slice(self.weights(), v, h);
        let rows = MatRef::from_row_major_slice(hidden, n, h);
        let visible_part = MatMut::from_row_major_slice_mut(visible, n, v);
        matmul(visible_part, Accum::Replace, rows, weights.transpose(), T::one(), Par::Seq);
        self.visible.activation().apply(visible, self.visible_bias());
    }

    /// The means of the hidden units for every row. A row's bits do not depend on the other rows.
    pub(crate) fn features(&self, rows: &[T], run: &Run) -> Result<Vec<T>> {
        self.check(rows)?;
        let (v, h) = self.widths;
        let n = rows.len() / v;
        blocks((rows, v), (n, h), run, |visible, hidden| self.up(visible, hidden))
    }

    /// The means of the visible units for hidden ones, row by row.
    pub(crate) fn reconstruct(&self, hidden: &[T], run: &Run) -> Result<Vec<T>> {
        let (v, h) = self.widths;
        if h == 0 || !hidden.len().is_multiple_of(h) {
            return Err(Error::Width { what: "hidden units", expected: h, found: hidden.len() });
        }
        blocks((hidden, h), (hidden.len() / h, v), run, |hidden, visible| self.down(hidden, visible))
    }

    /// `ln` of the sum of `e^-E` over all states: what is added to the free energy of a row is the negative logarithm of its
    /// probability (Gaussian visible units: of its density). Known where the hidden units are binary and so few
    /// that all their states can be counted.
    pub fn log_partition(&self, run: &Run) -> Result<Option<f64>> {
        let (v, h) = self.widths;
        if self.hidden != Units::Binary || h > COUNTED {
            return Ok(None);
        }
        let weights = self.weights();
        let of_state = |state: usize| {
            let on = |unit: &usize| (state >> unit) & 1 == 1;
            let own: f64 = (0..h).filter(on).map(|unit| self.hidden_bias()[unit].wide()).sum();
            let visible = (0..v).map(|i| {
                let input: f64 = (0..h).filter(on).map(|unit| weights[i * h + unit].wide()).sum();
                let bias = self.visible_bias()[i].wide();
                match self.visible {
                    Units::Binary => (bias + input).softplus(),
                    Units::Gaussian => bias * input + 0.5 * input * input + 0.5 * std::f64::consts::TAU.ln(),
                }
            });
            own + visible.sum::<f64>()
        };
        let mut terms = vec![0.0; 1 << h];
        fill_rows(run, &mut terms, 1, BLOCK, |here, out| {
            here.zip(out).for_each(|(state, out)| *out = of_state(state));
        })?;
        let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Some(most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln()))
    }

    /// `-ln` of the sum over all hidden states of `e^-E`, for every row: a lower one is a more likely row.
    pub(crate) fn free_energy(&self, rows: &[T], run: &Run) -> Result<Vec<f64>> {
        self.check(rows)?;
        let (v, h) = self.widths;
        let energy = |row: &[T]| {
            let own: f64 = row
                .iter()
                .zip(self.visible_bias())
                .map(|(x, b)| match self.visible {
                    Units::Binary => -x.wide() * b.wide(),
                    Units::Gaussian => 0.5 * (x.wide() - b.wide()).powi(2),
                })
                .sum();
            let mut inputs: Vec<f64> = self.hidden_bias().iter().map(|b| b.wide()).collect();
            for (x, weights) in row.iter().zip(self.weights().chunks_exact(h)) {
                inputs.iter_mut().zip(weights).for_each(|(sum, w)| *sum += x.wide() * w.wide());
            }
            // For Gaussian units the integral is that of `e^(-|h - b|^2 / 2 + x'Wh)`, without the constant `(2 pi)^(h/2)`.
            let of_hidden: f64 = inputs
                .iter()
                .zip(self.hidden_bias())
                .map(|(&input, b)| match self.hidden {
                    Units::Binary => input.softplus(),
                    Units::Gaussian => 0.5 * (input * input - b.wide() * b.wide()),
                })
                .sum();
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
    pub(crate) fn sample(&self, count: usize, steps: usize, run: &Run) -> Result<Vec<T>> {
        let (v, h) = self.widths;
        let mut out = vec![T::zero(); count * v];
        fill_rows(run, &mut out, v, BLOCK, |here, rows| {
            // A stream for every block: the bits do not depend on the threads.
            let mut rng = run.rng(&format!("boltzmann samples from {}", here.start));
            rows.iter_mut().for_each(|unit| *unit = draw(self.visible, T::of(0.5), &mut rng));
            let mut units = vec![T::zero(); here.len() * h];
            for _ in 0..steps {
                if run.check().is_err() {
                    return;
                }
                self.up(rows, &mut units);
                units.iter_mut().for_each(|unit| *unit = draw(self.hidden, *unit, &mut rng));
                self.down(&units, rows);
                rows.iter_mut().for_each(|unit| *unit = draw(self.visible, *unit, &mut rng));
            }
        })?;
        run.check()?;
        Ok(out)
    }

    pub(super) fn check(&self, rows: &[T]) -> Result<()> {
        let v = self.widths.0;
        if v == 0 || !rows.len().is_multiple_of(v) {
            return Err(Error::Width { what: "data", expected: v, found: rows.len() });
        }
        let bad = |&(_, x): &(usize, &T)| !(*x >= T::zero() && *x <= T::one());
        match rows.iter().enumerate().find(bad).filter(|_| self.visible == Units::Binary) {
            Some((at, value)) => {
                Err(not_binary(&format!("the value {value} at row {}, column {}", at / v, at % v)))
            }
            None => Ok(()),
        }
    }
}

/// The refusal of values that binary units cannot take.
pub(crate) fn not_binary(value: &str) -> Error {
    Error::conflict(
        "visible_units",
        format!("{value} is outside [0, 1], which binary units need"),
        "scale the data, or choose Gaussian units",
    )
}

/// `layer` on every row, in blocks of one height, so that a row's bits do not depend on its batch.
fn blocks<T: Real>(
    (rows, inputs): (&[T], usize),
    (count, outputs): (usize, usize),
    run: &Run,
    layer: impl Fn(&[T], &mut [T]) + Send + Sync,
) -> Result<Vec<T>> {
    let mut out = vec![T::zero(); count * outputs];
    fill_rows(run, &mut out, outputs, BLOCK, |here, out| {
        let mut block = vec![T::zero(); BLOCK * inputs];
        let mut units = vec![T::zero(); BLOCK * outputs];
        block[..here.len() * inputs].copy_from_slice(&rows[here.start * inputs..here.end * inputs]);
        layer(&block, &mut units);
        out.copy_from_slice(&units[..out.len()]);
    })?;
    Ok(out)
}

/// A sample of a unit with the given mean.
fn draw<T: Real>(units: Units, mean: T, rng: &mut impl Rng) -> T {
    match units {
        Units::Binary => {
            if rng.random::<f64>() < mean.wide() {
                T::one()
            } else {
                T::zero()
            }
        }
        Units::Gaussian => mean + T::of(StandardNormal.sample(rng)),
    }
}
