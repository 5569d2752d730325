//! The smallest eigenpairs through the inverse: Cholesky of `A + shift I`, block Lanczos on its inverse, a
//! few inverse iterations more, and Rayleigh-Ritz with the matrix itself.

use super::block;
use super::factor::{Factor, Plan};
use super::filter::Chebyshev;
use super::krylov::{self, Cycle, applied};
use super::problem::Problem;
use super::symmetric::{Found, Goal, Symmetric};
use crate::eigen::dense;
use crate::{orthonormal, scale};
use faer::Mat;
use lowland_base::{Error, Result, Run};
use rand::Rng;

/// The first shift, relative to the norm: some fifty units of roundoff, just above the backward error of a
/// Cholesky factorization and far below any eigenvalue that the matrix determines at all.
const SHIFT: f64 = 1e-14;
/// Each failed factorization raises the shift by this.
const RAISE: f64 = 30.0;
/// A matrix that is still indefinite with this shift, or one of the size of its entries' rounding, is not
/// semidefinite up to rounding.
const LARGEST_SHIFT: f64 = 1e-7;
/// Relative residual of the inverse at which the Lanczos process stops. The inverse iterations that follow
/// turn it into a residual of the matrix smaller by the eigenvalue.
const GOAL: f64 = 1e-9;
/// Lanczos blocks of the first cycle, at most.
const BLOCKS: usize = 20;
/// Later cycles may take this many vectors.
const LARGEST_DIMENSION: usize = 240;
/// Cycles before giving up.
pub(super) const CYCLES: usize = 24;
/// Floating-point operations a second on the basis of a cycle.
const BASIS_SPEED: f64 = 1e9;
/// Inverse iterations after a cycle, as long as each halves the residual.
const REFINEMENTS: usize = 4;

/// As many cycles as take no longer than the dense decomposition, by the work on their bases; at least two, of which
/// the second may confirm the first.
pub(super) fn cycles_worth(n: usize, count: usize) -> usize {
    let dimension = LARGEST_DIMENSION.max(2 * (count + block_width(count))) as f64;
    let seconds = 4.0 * n as f64 * dimension * dimension / BASIS_SPEED;
    ((dense::seconds(n) / seconds) as usize).clamp(2, CYCLES)
}

/// The width of a block and the dimension of the first cycle's space.
fn first_cycle(n: usize, count: usize) -> (usize, usize) {
    let width = block_width(count).min(n);
    (width, ((BLOCKS + 1) * width).max(3 * count + BLOCKS / 2 * width))
}

/// The pairs that a cycle hands on beside the wanted ones.
fn guards(width: usize, goal: Goal) -> usize {
    width.max(goal.further)
}

/// The bytes of the first cycle's space, beside the factor.
fn basis(n: usize, goal: Goal) -> u64 {
    let (width, dimension) = first_cycle(n, goal.count);
    krylov::memory(n, dimension.max(2 * (goal.count + guards(width, goal))), width)
}

/// All that is held while the pairs are computed: the matrix as it was given, scaled and shifted, its pattern for the
/// ordering, the factor and the space.
pub(super) fn memory(problem: &Problem, plan: &Plan, goal: Goal) -> u64 {
    const ENTRY: usize = size_of::<f64>() + size_of::<u32>();
    let matrices = problem.matrix.nnz() * (2 * ENTRY + size_of::<f64>());
    matrices as u64 + plan.forecast.bytes + basis(problem.order(), goal)
}

/// The pairs, and whether their residuals are as wanted, or as good as rounding allows, and none is missing; else the
/// cycles ran out.
pub(super) fn solve(
    problem: &Problem,
    plan: &Plan,
    goal: Goal,
    cycles: usize,
    run: &Run,
) -> Result<(Found, bool)> {
    let (n, count) = (problem.order(), goal.count);
    let (width, mut dimension) = first_cycle(n, count);
    let guards = guards(width, goal);
    let bytes = plan.forecast.bytes + basis(n, goal);
    run.reserve("a sparse factorization and its Krylov basis", bytes, "use the solver Filter")?;
    let (mut factor, shift) = {
        let _stage = run.stage("factorization", None);
        positive_factor(problem, plan, run)?
    };
    let _stage = run.stage("inverse iteration", None);
    let mut rng = run.rng("shift-invert start");
    let mut start = applied(&mut factor, block::random(n, width, &mut rng).as_ref(), run)?;
    // A block meets as many copies of a multiple eigenvalue as it has columns. Where it has found as many, there may
    // be more: fresh random columns beside the found ones must then change nothing.
    let mut before: Option<Vec<f64>> = None;
    let (mut cycle, mut steps, mut least) = (1, 1, f64::INFINITY);
    loop {
        let request = Cycle {
            wanted: count,
            kept: count + guards,
            dimension: dimension.max(2 * (count + guards)),
            goal: GOAL,
            goal_per_value: 0.25 * goal.wanted,
            rough: goal.further,
            reports_progress: true,
        };
        let leading = request.expand(&mut factor, start, &mut rng, run)?;
        steps += leading.steps;
        // What follows the pairs is known by the inverse.
        let following = leading.values.iter().skip(count).take(goal.further);
        let following: Vec<f64> = following.map(|value| 1.0 / value - shift).collect();
        // Guards are of use to another cycle only.
        let (converged, all) = (leading.converged, leading.len());
        let vectors = leading.vectors(if converged { count } else { all }, run)?;
        let mut ritz = refined(problem, &mut factor, vectors, goal, &mut steps, &mut rng, run)?;
        let last = ritz.values[count - 1];
        ritz.further = following.into_iter().map(|value| value.max(last)).collect();
        let worst = ritz.worst(count);
        // No better than the cycle before: this is what rounding allows.
        let stuck = worst <= goal.allowed && worst > 0.5 * least;
        least = least.min(worst);
        let found = (converged && worst <= goal.wanted) || stuck;
        let values = &ritz.values[..count];
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs() + goal.allowed;
        let complete = count <= width
            || values.chunk_by(|&a, &b| same(a, b)).all(|copies| copies.len() < width)
            || before.is_some_and(|before| before.iter().zip(values).all(|(&a, &b)| same(a, b)));
        if (found && complete) || cycle >= cycles {
            return Ok((ritz, found && complete));
        }
        before = found.then(|| values.to_vec());
        start = ritz.vectors;
        if found {
            let fresh = applied(&mut factor, block::random(n, width, &mut rng).as_ref(), run)?;
            start = block::beside(start.as_ref(), fresh.as_ref());
        }
        // The space widens with every cycle, as far as it stays a small part of the factor's own size.
        dimension = (dimension + dimension / 2).min(n / 2).min(LARGEST_DIMENSION.max(2 * (count + guards)));
        dimension = dimension.max(start.ncols() + 2 * width);
        cycle += 1;
    }
}

/// Inverse iteration column by column suppresses what the small decomposition could not resolve; the leading
/// columns are orthonormalized first because the others lean toward them.
fn refined(
    problem: &Problem,
    factor: &mut Factor,
    vectors: Mat<f64>,
    goal: Goal,
    steps: &mut usize,
    rng: &mut impl Rng,
    run: &Run,
) -> Result<Found> {
    // Pairs that were good before those beyond them were may be as wanted already.
    let mut best = problem.rayleigh_ritz(vectors, *steps, run)?;
    let mut once = |vectors: Mat<f64>| {
        let mut image = applied(factor, vectors.as_ref(), run)?;
        *steps += 1;
        orthonormal::extend(image.as_mut(), 0, 0, 0.0, rng, run)?;
        problem.rayleigh_ritz(image, *steps, run)
    };
    for _ in 0..REFINEMENTS {
        let before = best.worst(goal.count);
        if before <= goal.wanted {
            break;
        }
        let next = once(best.vectors.clone())?;
        let worst = next.worst(goal.count);
        if worst < before {
            best = next;
        }
        if worst > 0.5 * before {
            break;
        }
    }
    Ok(best)
}

/// Columns transformed together: the factor is read once for all of them.
fn block_width(count: usize) -> usize {
    if count <= 12 { 4 } else { 8 }
}

/// The factor with the smallest shift of the ladder that makes the matrix positive definite, and that shift.
fn positive_factor(problem: &Problem, plan: &Plan, run: &Run) -> Result<(Factor, f64)> {
    let mut shift = SHIFT;
    while shift <= LARGEST_SHIFT.max(problem.slack) {
        if let Some(factor) = plan.factor(problem, shift * problem.norm, run)? {
            return Ok((factor, shift * problem.norm));
        }
        shift *= RAISE;
    }
    let back = |value: f64| scale::times_power(value, -problem.power);
    Err(Error::Indefinite {
        what: "sparse",
        smallest: back(negative_value(problem, run)?),
        largest: back(problem.bound),
        remedy: "the solver Filter takes indefinite matrices".into(),
    })
}

/// An upper bound of the smallest eigenvalue, for the message: a few Lanczos steps.
fn negative_value(problem: &Problem, run: &Run) -> Result<f64> {
    let mut rng = run.rng("smallest eigenvalue");
    let start = block::random(problem.order(), 1, &mut rng);
    let request = Cycle {
        wanted: 1,
        kept: 1,
        dimension: 40,
        goal: 1e-3,
        goal_per_value: f64::INFINITY,
        rough: 0,
        reports_progress: false,
    };
    let mut reflected = Chebyshev::reflection(problem, problem.bound);
    let leading = request.expand(&mut reflected, start, &mut rng, run)?;
    let (all, steps) = (leading.len(), leading.steps);
    let ritz = problem.rayleigh_ritz(leading.vectors(all, run)?, steps, run)?;
    Ok(ritz.values.first().copied().unwrap_or(f64::NAN))
}
