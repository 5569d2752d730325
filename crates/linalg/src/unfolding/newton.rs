//! Minimizing the augmented Lagrangian for fixed multipliers: truncated Newton steps by preconditioned conjugate gradients,
//! and an exact line search, for which a step costs one pass over the edges.

use super::basis::Basis;
use super::energy::{Energy, Position};
use super::precondition::{Pattern, Preconditioner};
use lowland_base::{Result, Run};

/// The most inner steps of one Newton step.
const MOST_INNER: usize = 250;
/// The first radius, in steps that would be right were the preconditioner the Hessian.
const FIRST_RADIUS: f64 = 3.0;
/// The preconditioner is made anew where a Newton step takes more inner steps than this.
const STALE: usize = 12;

/// Goes down until the gradient, relative to that of the trace, is below `tolerance`, or the steps are spent. Returns it, and
/// how many steps there were.
pub(super) fn descend(
    energy: &Energy<'_>,
    basis: &Basis,
    pattern: &Pattern,
    position: &mut Position,
    (tolerance, steps): (f64, usize),
    run: &Run,
) -> Result<(f64, usize)> {
    let width = position.width;
    let mut preconditioner: Option<Preconditioner> = None;
    let (mut relative, mut least, mut idle) = (f64::INFINITY, f64::INFINITY, 0);
    let mut radius = None;
    let mut taken = 0;
    for step in 0..steps {
        taken = step;
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
        let found = direction(energy, basis, position, &stretches, &gradient, &mut own, (goal, radius), run)?;
        preconditioner = (found.inner <= STALE).then_some(own);
        let step = basis.expand(&found.step, width, run)?;
        let line = energy.line(position, &step, run)?;
        let Some(share) = search(|t| energy.along(position, &line, t), rounding) else { break };
        // A step that had to be cut short was too long, one that could be made longer at the boundary too short.
        radius = Some(if share < 0.5 {
            found.length * (2.0 * share).max(0.1)
        } else if found.length >= 0.99 * found.radius {
            found.radius * share.clamp(1.0, 2.0) * 1.5
        } else {
            found.radius
        });
        let length = share;
        let y = position.y.iter().zip(&*step).map(|(y, p)| y + length * p).collect();
        let next = energy.at(centered(y, width), width, run)?;
        let gained = position.value - next.value;
        if gained < -rounding || (gained < rounding && idle > 3) {
            break;
        }
        *position = next;
    }
    Ok((relative, taken))
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
    (goal, radius): (f64, Option<f64>),
    run: &Run,
) -> Result<Step> {
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
    // The squared lengths of step and direction and their product, in the metric of the preconditioner.
    let (mut of_step, mut of_both, mut of_direction) = (0.0, 0.0, square);
    let radius = radius.unwrap_or(FIRST_RADIUS * square.max(0.0).sqrt());
    for inner in 1..=MOST_INNER {
        run.check()?;
        let product = energy.hessian(position, stretches, &basis.expand(&direction, width, run)?, run)?;
        let product = basis.reduce(product, width, run)?;
        let curvature = dot(&direction, &product);
        let length = square / curvature;
        let room = (radius * radius - of_step).max(0.0);
        let root = (of_both * of_both + of_direction * room).max(0.0).sqrt();
        let to_boundary = room / (of_both + root).max(1e-300);
        let outside = curvature <= 0.0 || length >= to_boundary;
        let length = if outside { to_boundary } else { length };
        step.iter_mut().zip(&direction).for_each(|(step, d)| *step += length * d);
        residual.iter_mut().zip(&product).for_each(|(r, h)| *r -= length * h);
        of_step += length * (2.0 * of_both + length * of_direction);
        if outside || norm(&residual) <= goal || inner == MOST_INNER {
            return Ok(Step { step, inner, length: of_step.max(0.0).sqrt(), radius });
        }
        let solved = precondition(&residual)?;
        let next = dot(&residual, &solved);
        let ratio = next / square;
        square = next;
        of_both = ratio * (of_both + length * of_direction);
        of_direction = square + ratio * ratio * of_direction;
        direction.iter_mut().zip(solved).for_each(|(d, z)| *d = z + ratio * *d);
    }
    Ok(Step { step, inner: 0, length: 0.0, radius })
}

/// What the inner steps found.
struct Step {
    step: Vec<f64>,
    /// How many there were.
    inner: usize,
    /// How long it is in the metric of the preconditioner, and may be.
    length: f64,
    radius: f64,
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
