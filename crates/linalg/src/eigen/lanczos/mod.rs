//! Thick-restart block Lanczos with full reorthogonalization: a few pairs at either end of the spectrum,
//! or the largest in magnitude, of any symmetric operator, by products only.
//!
//! The basis `Q` grows by a block `A q` at a time; the pairs of `Q' A Q` (Ritz pairs) approach those of `A`
//! from the ends. When the basis is full it is compressed to its best Ritz vectors, which keep the Krylov
//! relation `A Q = Q T + W R`, and grows on. A block, not a vector: the matrix is read once for all of it,
//! and the copies of a multiple eigenvalue are found together.

mod basis;

use super::pace::Pace;
use super::{Eigenpairs, Solved, Task, dense};
use basis::Krylov;
use lowland_base::{Result, Scalar};

/// Cycles before the basis is widened, and how often that is tried.
const CYCLES: usize = 40;
const WIDENINGS: usize = 2;
/// Cycles after which it may end, where a dense decomposition can follow.
const FEWEST_CYCLES: usize = 3;
/// Products with a matrix that is not sparse, in floating-point operations a second: only the ratio to a dense
/// decomposition matters.
const PRODUCT_SPEED: f64 = 4e9;
/// The iteration gives up after so many times as long as the dense decomposition would take, where that can follow, and
/// sooner where residuals fall too slowly for that.
const TIMES_DENSE: f64 = 2.0;
/// The residual, relative to the norm, of an eigenvalue that follows the pairs: enough for a picture.
const ROUGHLY: f64 = 1e-3;
/// Without a memory budget the dense solver is the last resort up to this order.
const DENSE_AT_MOST: usize = 12_000;

/// `count` pairs with residuals of at most `tolerance` times the norm (or what rounding allows).
pub(super) fn solve<T: Scalar>(task: &Task<'_, T>) -> Result<Solved<T>> {
    let Task { op, count, run, .. } = *task;
    let n = op.order();
    let shape = Shape::choose(n, count);
    // A basis that nears the whole space is the dense problem.
    if 2 * (shape.limit + shape.block) > n {
        return fall_back(task, None);
    }
    let bytes = basis::memory::<T>(n, shape);
    run.reserve("the Lanczos basis", bytes, "ask for fewer pairs")?;
    match iterate(task, shape)? {
        Outcome::Found(pairs, further) => Ok((pairs, further)),
        Outcome::Stalled(found) => fall_back(task, Some(found)),
    }
}

/// The sizes of the iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Vectors in a block.
    pub block: usize,
    /// The basis is compressed when it has this many columns.
    pub limit: usize,
    /// To so many.
    pub keep: usize,
}

impl Shape {
    fn choose(n: usize, count: usize) -> Self {
        let block = 4;
        // Long bases need fewer products, short ones less orthogonalization and memory.
        let room = if n <= 20_000 { 160 } else { 80 };
        Self::of_limit(block, 2 * count + room, count)
    }

    fn of_limit(block: usize, limit: usize, count: usize) -> Self {
        let keep = count + (limit - count) * 2 / 5;
        let limit = keep + (limit - keep).next_multiple_of(block);
        Self { block, limit, keep }
    }
}

/// Cycles that are worth it, and whether a dense decomposition follows them.
fn most_cycles<T: Scalar>(task: &Task<'_, T>, shape: Shape) -> Result<(usize, bool)> {
    if !dense_fits(task) || task.op.to_sparse(task.run)?.is_some() {
        return Ok((CYCLES, false));
    }
    let n = task.op.order();
    let columns = (shape.limit - shape.keep) as f64;
    let cycle = columns * n as f64 * (2 * n + 4 * shape.limit) as f64 / PRODUCT_SPEED;
    let worth = (TIMES_DENSE * dense::seconds(n) / cycle) as usize;
    Ok((worth.clamp(FEWEST_CYCLES, CYCLES), true))
}

/// Whether residuals that are so many times too large after each cycle (as logarithms) would still be so after the most
/// cycles, were they to fall twice as fast from now on.
fn is_hopeless(excesses: &[f64], most_cycles: usize) -> bool {
    let (Some(first), Some(last)) = (excesses.first(), excesses.last()) else { return false };
    let (past, left) = (excesses.len() as f64 - 1.0, most_cycles.saturating_sub(excesses.len()) as f64);
    excesses.len() >= FEWEST_CYCLES && *last > 0.0 && 2.0 * (first - last) / past * left < *last
}

/// Whether the dense decomposition may be the last resort.
fn dense_fits<T: Scalar>(task: &Task<'_, T>) -> bool {
    let n = task.op.order();
    match task.run.memory() {
        Some(budget) => dense::memory::<T>(n) <= budget,
        None => n <= DENSE_AT_MOST,
    }
}

enum Outcome<T> {
    Found(Eigenpairs<T>, Vec<T>),
    /// The best pairs so far, their norm, and the products made.
    Stalled((Eigenpairs<T>, f64, usize)),
}

fn iterate<T: Scalar>(task: &Task<'_, T>, shape: Shape) -> Result<Outcome<T>> {
    let Task { op, count, further, which, tolerance, run } = *task;
    let stage = run.stage("eigenpairs: Lanczos", None);
    let n = op.order();
    let target = tolerance.max(2.0 * T::EPSILON.wide());
    let mut krylov = Krylov::begin(op, which, shape, run)?;
    let mut pace = Pace::default();
    let (mut cycles, mut widenings, mut refusals) = (0, 0, 0);
    // Until so many products have been made, a set that looks converged is not believed.
    let mut verified_at = 0;
    let (most_cycles, dense_follows) = most_cycles(task, shape)?;
    let mut excesses = Vec::new();
    loop {
        krylov.expand(run)?;
        stage.advance(1)?;
        let full = krylov.is_full();
        if !full && (krylov.products < pace.next || krylov.len() < count + further + shape.block) {
            continue;
        }
        let ritz = krylov.ritz(run)?;
        let worst = ritz.worst(count);
        let excess = (worst / target).max(ritz.worst_after(count, further) / ROUGHLY) / ritz.norm;
        pace.note(krylov.products, excess);
        // What follows the pairs is waited for only until the basis is full.
        let found = if full { worst <= target * ritz.norm } else { excess <= 1.0 };
        if found && krylov.products >= verified_at {
            if ritz.largest_group(count) >= krylov.independent {
                // A block of b vectors sees at most b copies of an eigenvalue: look for more of them with
                // new random vectors, for long enough that they would show.
                krylov.restart_at_random(&ritz, count, run)?;
                verified_at = krylov.products + (krylov.products / 2).max(shape.limit / shape.block);
                continue;
            }
            let pairs = krylov.pairs(op, &ritz, count, run)?;
            let norm = krylov.unscaled(ritz.norm);
            if pairs.worst_residual().wide() <= task.bound(norm) {
                return Ok(Outcome::Found(pairs, krylov.values_after(&ritz, (count, further), ROUGHLY)));
            }
            refusals += 1;
        }
        if !full {
            continue;
        }
        cycles += 1;
        excesses.push((worst / (target * ritz.norm)).max(1e-300).ln());
        if cycles >= most_cycles || refusals > 3 || (dense_follows && is_hopeless(&excesses, most_cycles)) {
            let wider = Shape::of_limit(shape.block, krylov.shape().limit * 2, count);
            let allowed = run.memory().is_none_or(|budget| basis::memory::<T>(n, wider) <= budget);
            if dense_follows || widenings == WIDENINGS || 2 * (wider.limit + wider.block) > n || !allowed {
                let norm = krylov.unscaled(ritz.norm);
                return Ok(Outcome::Stalled((krylov.pairs(op, &ritz, count, run)?, norm, krylov.products)));
            }
            (cycles, refusals) = (0, 0);
            widenings += 1;
            krylov.widen(wider);
        }
        krylov.restart(&ritz, run)?;
    }
}

/// The dense solver, if the matrix fits; else what was found, as an error.
fn fall_back<T: Scalar>(task: &Task<'_, T>, found: Option<(Eigenpairs<T>, f64, usize)>) -> Result<Solved<T>> {
    match found {
        Some((pairs, norm, products)) if !dense_fits(task) => {
            let remedy = "loosen the tolerance, or raise the memory budget so that the dense solver fits";
            Ok((pairs.accept(task.bound(norm), "the Lanczos iteration", products, remedy)?, Vec::new()))
        }
        _ => task.densely(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_is_hopeless_where_its_residuals_fall_too_slowly() {
        assert!(is_hopeless(&[30.0, 29.9, 29.8], 20));
        assert!(is_hopeless(&[30.0, 30.0, 31.0], 40), "they grow");
        assert!(!is_hopeless(&[30.0, 20.0, 11.0], 20));
        assert!(!is_hopeless(&[30.0, 29.0], 20), "too early to say");
        assert!(!is_hopeless(&[-3.0, -2.5, -1.0], 20), "converged, and only to be confirmed");
    }
}
