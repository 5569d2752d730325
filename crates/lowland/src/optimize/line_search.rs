//! How far to go along a descent direction.

use super::dot;
use lowland_base::Result;

/// Sufficient decrease, as a share of what the slope promises.
const DECREASE: f64 = 1e-4;
/// The share of the first slope that may be left.
const CURVATURE: f64 = 0.9;
/// The most evaluations of one search.
const EVALUATIONS: usize = 40;

/// A point with its value and gradient.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
}

/// The first step that suffices, from this one on and halved after each that does not: the step, and what `at` gives there.
/// `None` where none of so many does.
pub(crate) fn backtrack<P>(
    first: f64,
    most: usize,
    mut at: impl FnMut(f64) -> Result<Option<P>>,
) -> Result<Option<(f64, P)>> {
    let mut step = first;
    for _ in 0..most {
        if let Some(found) = at(step)? {
            return Ok(Some((step, found)));
        }
        step *= 0.5;
    }
    Ok(None)
}

/// A point along `direction`, whose slope from `from` is negative, that meets the weak Wolfe conditions, by bisection
/// between steps that are too long (no decrease) and too short (slope still steep). Where the evaluations do not suffice
/// for the second condition, the last point counts if any met the first. `None` where no step decreases the value
/// beyond rounding.
pub(super) fn wolfe(
    from: &Point,
    direction: &[f64],
    slope: f64,
    first: f64,
    mut objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
) -> Result<Option<Point>> {
    let (mut low, mut high, mut step) = (0.0, f64::INFINITY, first);
    let mut new = from.clone();
    let mut found = false;
    for _ in 0..EVALUATIONS {
        for (new, (x, direction)) in new.x.iter_mut().zip(from.x.iter().zip(direction)) {
            *new = x + step * direction;
        }
        new.value = objective(&new.x, &mut new.gradient)?;
        // A value that is not a number is no decrease.
        let decreases = new.value <= from.value + DECREASE * step * slope;
        if !decreases {
            high = step;
        } else if dot(&new.gradient, direction) < CURVATURE * slope {
            (low, found) = (step, true);
        } else {
            found = true;
            break;
        }
        step = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low };
    }
    Ok((found && new.value <= from.value).then_some(new))
}
