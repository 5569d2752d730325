//! Minimizing the augmented Lagrangian for fixed multipliers: truncated Newton steps by preconditioned conjugate gradients,
//! and an exact line search, for which a step costs one pass over the edges.

use super::basis::Basis;
use super::energy::{Energy, Position};
use super::precondition::Preconditioner;
use crate::eigen::SparseFactor;
use lowland_base::{Result, Run};

/// The most inner steps of one Newton step.
const MOST_INNER: usize = 250;
/// The preconditioner is made anew where a Newton step takes more inner steps than this.
const STALE: usize = 12;

/// Goes down until the gradient, relative to that of the trace, is below `tolerance`, or the steps are spent. Returns it.
pub(super) fn descend(
    energy: &Energy<'_>,
    basis: &Basis,
    pattern: Option<&SparseFactor>,
    position: &mut Position,
    (tolerance, steps): (f64, usize),
    run: &Run,
) -> Result<f64> {
    let width = position.width;
    let mut preconditioner: Option<Preconditioner> = None;
    let (mut relative, mut least, mut idle) = (f64::INFINITY, f64::INFINITY, 0);
    let mut radius = 0.5 * norm(&position.y);
    for _ in 0..steps {
        run.check()?;
        let gradient = basis.reduce(energy.gradient(position, run)?, width, run)?;
        let trace: f64 = position.y.iter().map(|y| y * y).sum();
        relative = norm(&gradient) / (2.0 * energy.mass * trace.sqrt()).max(f64::MIN_POSITIVE);
        // Near the minimum its value is all rounding: then the gradient says whether anything is gained.
        idle = if relative < 0.9 * least { 0 } else { idle + 1 };
        least = relative.min(least);
        if relative <= tolerance {
            break;
        }
        let rounding = 1e-13 * (energy.mass * trace + position.value.abs());
        let stretches = energy.stretches(position);
        let mut own = match preconditioner.take() {
            Some(kept) => kept,
            None => Preconditioner::new(energy, basis, pattern, position, &stretches, run)?,
        };
        let goal = relative.sqrt().min(0.1) * norm(&gradient);
        let (step, inner) =
            direction(energy, basis, position, &stretches, &gradient, &mut own, (goal, radius), run)?;
        preconditioner = (inner <= STALE).then_some(own);
        let step = basis.expand(&step, width, run)?;
        let line = energy.line(position, &step, run)?;
        let length = norm(&step);
        let found = search(|t| energy.along(position, &line, t), rounding);
        let Some(share) = found else { break };
        // A step that had to be cut short was too long, one that could be made longer at the boundary too short.
        if share < 0.5 || length >= 0.99 * radius {
            radius = (2.0 * share * length).max(1e-12 * norm(&position.y));
        }
        let length = share;
        let y = position.y.iter().zip(&*step).map(|(y, p)| y + length * p).collect();
        let next = energy.at(centered(y, width), width, run)?;
        let gained = position.value - next.value;
        if gained < -rounding || (gained < rounding && idle > 3) {
            break;
        }
        *position = next;
    }
    Ok(relative)
}

/// An approximate Newton step within a radius, and how many products it took (Steihaug 1983): along a direction of negative
/// curvature it goes to the boundary, and the line search further.
#[allow(clippy::too_many_arguments)]
fn direction(
    energy: &Energy<'_>,
    basis: &Basis,
    position: &Position,
    stretches: &[f64],
    gradient: &[f64],
    preconditioner: &mut Preconditioner,
    (goal, radius): (f64, f64),
    run: &Run,
) -> Result<(Vec<f64>, usize)> {
    let width = position.width;
    let mut step = vec![0.0; gradient.len()];
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    // The mean of `Y` is out of the game: the energy of vectors that have one is not bounded.
    let mut precondition = |residual: &[f64]| {
        let solved = preconditioner.apply(residual, run)?;
        Ok::<_, lowland_base::Error>(if matches!(basis, Basis::All) {
            centered(solved, width)
        } else {
            solved
        })
    };
    let mut direction = precondition(&residual)?;
    let mut square = dot(&residual, &direction);
    for inner in 1..=MOST_INNER {
        run.check()?;
        let product = energy.hessian(position, stretches, &basis.expand(&direction, width, run)?, run)?;
        let product = basis.reduce(product, width, run)?;
        let curvature = dot(&direction, &product);
        let length = square / curvature;
        let to_boundary = boundary(&step, &direction, radius);
        if curvature <= 0.0 || length >= to_boundary {
            step.iter_mut().zip(&direction).for_each(|(step, d)| *step += to_boundary * d);
            return Ok((step, inner));
        }
        step.iter_mut().zip(&direction).for_each(|(step, d)| *step += length * d);
        residual.iter_mut().zip(&product).for_each(|(r, h)| *r -= length * h);
        if norm(&residual) <= goal {
            return Ok((step, inner));
        }
        let solved = precondition(&residual)?;
        let next = dot(&residual, &solved);
        let ratio = next / square;
        square = next;
        direction.iter_mut().zip(solved).for_each(|(d, z)| *d = z + ratio * *d);
    }
    Ok((step, MOST_INNER))
}

/// How far along `d` from the point `p` inside a ball its boundary is.
fn boundary(p: &[f64], d: &[f64], radius: f64) -> f64 {
    let (pp, pd, dd) = (dot(p, p), dot(p, d), dot(d, d).max(1e-300));
    let room = (radius * radius - pp).max(0.0);
    room / (pd + (pd * pd + dd * room).max(0.0).sqrt()).max(1e-300)
}

/// How far to go on a line, the value of which is known up to rounding: near the first place where the slope is not negative any more. `None` where no step goes down.
fn search(along: impl Fn(f64) -> (f64, f64), rounding: f64) -> Option<f64> {
    let (start, slope) = along(0.0);
    let start = start + rounding;
    if slope >= 0.0 || !slope.is_finite() {
        return None;
    }
    let (mut low, mut low_slope, mut high) = (0.0, slope, 1.0);
    let (mut value, mut high_slope) = along(high);
    let mut doublings = 0;
    while high_slope < 0.0 && value < start && doublings < 40 {
        (low, low_slope) = (high, high_slope);
        high *= 2.0;
        doublings += 1;
        (value, high_slope) = along(high);
    }
    let mut best = if value < start { Some((value, high)) } else { None };
    for _ in 0..30 {
        if high_slope.abs() <= 0.1 * slope.abs() && best.is_some_and(|best| best.1 == high) {
            break;
        }
        // The secant, kept away from the ends.
        let share = if high_slope > 0.0 { low_slope / (low_slope - high_slope) } else { 0.5 };
        let t = low + share.clamp(0.05, 0.95) * (high - low);
        let (at, inclination) = along(t);
        if at < start && best.is_none_or(|best| at < best.0) {
            best = Some((at, t));
        }
        if best.is_some_and(|best| best.1 == t) && inclination.abs() <= 0.1 * slope.abs() {
            break;
        }
        if inclination < 0.0 && at < start {
            (low, low_slope) = (t, inclination);
        } else {
            (high, high_slope) = (t, inclination);
        }
    }
    best.map(|best| best.1)
}

/// Rounding adds a mean to what has none.
pub(super) fn centered(mut y: Vec<f64>, width: usize) -> Vec<f64> {
    let rows = (y.len() / width.max(1)).max(1) as f64;
    for c in 0..width {
        let mean = y.iter().skip(c).step_by(width).sum::<f64>() / rows;
        y.iter_mut().skip(c).step_by(width).for_each(|y| *y -= mean);
    }
    y
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
