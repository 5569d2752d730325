//! Descent of a stress by majorization, faster by extrapolation: a step that would raise the stress is not taken, so that
//! it never rises (de Leeuw 1977; extrapolation with restarts as in O'Donoghue and Candès 2015).

use super::disparity::{Regression, Scale};
use super::guttman::{Inverse, stress};
use super::pairs::Pairs;
use lowland_base::{Checkpoint, Result, Run, Stage, Verdict};

/// What is minimized, over which pairs.
pub(crate) struct Problem {
    pub pairs: Pairs,
    pub regression: Regression,
    inverse: Inverse,
    /// What the raw stress is divided by, where disparities are fixed.
    pub unit: f64,
}

/// An iterate, with all that the next step needs.
struct Iterate<const D: usize> {
    y: Vec<[f64; D]>,
    /// What is minimized: the raw stress in units, or the square of stress-1.
    value: f64,
    /// `B(Y) Y`.
    pull: Vec<[f64; D]>,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// The most iterations.
    pub max_iter: usize,
    /// Stop where iterations lower the stress by less than this share.
    pub tol: f64,
}

/// What a descent ends with.
pub(crate) struct Descended<const D: usize> {
    pub y: Vec<[f64; D]>,
    pub value: f64,
    /// The value after each iteration, from that of the start on.
    pub history: Vec<f64>,
    /// By which share the last iteration lowered the value.
    pub change: f64,
    pub converged: bool,
    /// An observer wanted no more.
    pub stopped: bool,
}

/// Slow iterations in a row before the end: an extrapolated one may be slow by chance.
const SLOW: usize = 3;
/// A share of the unit that is nothing but rounding.
const NOTHING: f64 = 1e-29;

impl Problem {
    pub fn new(pairs: Pairs, scale: Scale, unit: f64, run: &Run) -> Result<Self> {
        let regression = Regression::new(scale, &pairs, run)?;
        let inverse = Inverse::of(&pairs, run)?;
        Ok(Self { pairs, regression, inverse, unit })
    }

    /// The value of a layout, and `B(Y) Y` for the disparities that are best for it.
    fn evaluate<const D: usize>(&self, y: Vec<[f64; D]>, room: &mut Room, run: &Run) -> Result<Iterate<D>> {
        if matches!(self.regression, Regression::Fixed) {
            let pair_sums = self.pairs.sweep(&y, &self.pairs.given, stress, run)?;
            return Ok(Iterate { y, value: pair_sums.sum / self.unit, pull: pair_sums.pull });
        }
        let sums = self.regress_in(&y, room, run)?;
        // In the scale in which the layout is as large as it should be: any other only rescales the next one.
        let scale = if sums.fitted > 0.0 { sums.size / sums.fitted } else { 1.0 };
        let scaled = move |squared: f64, target: f64, weight: f64| stress(squared, scale * target, weight);
        let pair_sums = self.pairs.sweep(&y, &room.disparities, scaled, run)?;
        Ok(Iterate { y, value: sums.stress(), pull: pair_sums.pull })
    }

    /// The distances of a layout, and their regression.
    fn regress_in<const D: usize>(&self, y: &[[f64; D]], room: &mut Room, run: &Run) -> Result<Sums> {
        room.distances.resize(self.pairs.len(), 0.0);
        room.disparities.resize(self.pairs.len(), 0.0);
        self.pairs.distances(y, &mut room.distances, run)?;
        self.regression.fit(&self.pairs, &room.distances, &mut room.disparities, run)?;
        let [residual, size, fitted] = self.pairs.sums(run, |index, _, _, weight| {
            let (d, t) = (room.distances[index], room.disparities[index]);
            [weight * (t - d) * (t - d), weight * d * d, weight * t * t]
        })?;
        let apart = self.pairs.given.iter().any(|&d| d > 0.0);
        Ok(Sums { residual, size, fitted, apart })
    }

    /// The same, to keep.
    pub fn regress<const D: usize>(&self, y: &[[f64; D]], run: &Run) -> Result<Fitted> {
        let mut room = Room::default();
        let sums = self.regress_in(y, &mut room, run)?;
        Ok(Fitted { distances: room.distances, disparities: room.disparities, sums })
    }

    /// The layout that a start leads to. Observers see what `so_far` makes of a layout and the values until then.
    pub fn descend<const D: usize>(
        &self,
        start: Vec<[f64; D]>,
        patience: Patience,
        so_far: impl Fn(&[[f64; D]], &[f64]) -> Checkpoint,
        stage: &Stage<'_>,
        run: &Run,
    ) -> Result<Descended<D>> {
        let mut room = Room::default();
        let mut here = self.evaluate(start, &mut room, run)?;
        let mut history = vec![here.value];
        let (mut momentum, mut slow, mut change, mut stopped) = (1.0_f64, 0, 1.0, false);
        let mut before: Option<Vec<[f64; D]>> = None;
        for _ in 0..patience.max_iter {
            if here.value <= NOTHING || slow >= SLOW {
                break;
            }
            let pull = std::mem::take(&mut here.pull);
            let moved = self.inverse.transform(&self.pairs, &here.y, pull, run)?;
            let next = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let ahead = before.as_ref().map(|before| {
                let share = (momentum - 1.0) / next;
                let on = move |(m, b): (&[f64; D], &[f64; D])| {
                    std::array::from_fn(|c| m[c] + share * (m[c] - b[c]))
                };
                moved.iter().zip(before).map(on)
            });
            let mut there = match ahead {
                Some(ahead) => Some(self.evaluate(ahead.collect(), &mut room, run)?),
                None => None,
            };
            // NaN is no descent.
            let falls = there.as_ref().is_some_and(|there| there.value <= here.value);
            if !falls {
                there = Some(self.evaluate(moved.clone(), &mut room, run)?);
                momentum = 1.0;
            } else {
                momentum = next;
            }
            stage.advance(1)?;
            let Some(there) = there.filter(|there| there.value <= here.value) else {
                // What is left to gain is below the rounding.
                (change, slow) = (0.0, SLOW);
                break;
            };
            change = (here.value - there.value) / here.value;
            slow = if change <= patience.tol { slow + 1 } else { 0 };
            before = Some(moved);
            here = there;
            history.push(here.value);
            stage.loss(here.value);
            stopped = stage.wants_layout() && stage.show(so_far(&here.y, &history)) == Verdict::Stop;
            if stopped {
                break;
            }
        }
        let converged = slow >= SLOW || here.value <= NOTHING;
        Ok(Descended { y: here.y, value: here.value, history, change, converged, stopped })
    }
}

/// Room for the distances of all pairs and their disparities, made once.
#[derive(Default)]
struct Room {
    distances: Vec<f64>,
    disparities: Vec<f64>,
}

/// The regression of a layout.
pub(crate) struct Fitted {
    pub distances: Vec<f64>,
    pub disparities: Vec<f64>,
    pub sums: Sums,
}

/// Sums over all pairs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums {
    /// `sum w (t - d)^2`.
    pub residual: f64,
    /// `sum w d^2`, of the layout.
    pub size: f64,
    /// `sum w t^2`.
    pub fitted: f64,
    /// Whether any dissimilarity is above 0.
    pub apart: bool,
}

impl Sums {
    /// Kruskal's stress-1, squared. A layout at one position, which disparities of 0 fit, distinguishes nothing: 1, unless
    /// it need not.
    pub fn stress(&self) -> f64 {
        match (self.size > 0.0, self.apart) {
            (true, _) => self.residual / self.size,
            (false, true) => 1.0,
            (false, false) => 0.0,
        }
    }
}
