//! Fixed-point iterations `W <- g(W)` whose rows are directions: a row and its negative are the same.

use ndarray::Array2;

/// The share of a step when damping begins. Not one half: half of the way between a row and its near opposite is near zero.
const SMALLER: f64 = 0.6;
/// Consecutive reversals, or steps onward, after which the share changes.
const PATIENCE: i32 = 4;

/// How much of a step is taken: all of it, unless the iteration oscillates; then less, until it no longer does.
pub(crate) struct Damping {
    /// The share of the step, at most 1.
    pub share: f64,
    last: Option<(Array2<f64>, f64)>,
    /// Consecutive steps that reversed the one before; below 0, that went onward.
    reversals: i32,
}

impl Default for Damping {
    fn default() -> Self {
        Self { share: 1.0, last: None, reversals: 0 }
    }
}

impl Damping {
    /// The next iterate after `before`, where the map gives `next`, which is `change` away by the measure of the method.
    /// A damped iterate is not normalized.
    pub fn step(&mut self, mut next: Array2<f64>, before: &Array2<f64>, change: f64) -> Array2<f64> {
        for (mut next, before) in next.rows_mut().into_iter().zip(before.rows()) {
            if next.dot(&before) < 0.0 {
                next.mapv_inplace(|x| -x);
            }
        }
        let step = &next - before;
        if let Some((last, last_change)) = &self.last {
            let (along, lengths) = ((last * &step).sum(), (last * last).sum() * (&step * &step).sum());
            let cosine = if lengths > 0.0 { along / lengths.sqrt() } else { 0.0 };
            self.reversals = match cosine {
                c if c < -0.5 && change > 0.25 * last_change => self.reversals.max(0) + 1,
                c if c > 0.5 => self.reversals.min(0) - 1,
                _ => 0,
            };
            if self.reversals >= PATIENCE {
                (self.share, self.reversals) = (SMALLER * self.share, 0);
            } else if self.reversals <= -PATIENCE {
                (self.share, self.reversals) = ((self.share / SMALLER).min(1.0), 0);
            }
        }
        let damped = if self.share < 1.0 { before + &(&step * self.share) } else { next };
        self.last = Some((step, change));
        damped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// `a <- -1.2 a` of an angle diverges; damped, it converges.
    #[test]
    fn an_oscillating_iteration_converges_when_damped() {
        let row = |angle: f64| array![[angle.cos(), angle.sin()]];
        let angle = |w: &Array2<f64>| (w[(0, 1)] / w[(0, 0)]).atan();
        let (mut w, mut damping) = (row(0.05), Damping::default());
        for _ in 0..200 {
            let next = row(-1.2 * angle(&w));
            let change = 1.0 - next.row(0).dot(&w.row(0)).abs();
            w = row(angle(&damping.step(next, &w, change)));
        }
        assert!(damping.share < 1.0 && angle(&w).abs() < 1e-9, "{} {}", damping.share, angle(&w));
    }
}
