//! A few smallest eigenpairs of a sparse symmetric positive semidefinite matrix: graph Laplacians, the
//! alignment matrices of LLE, LTSA and Hessian eigenmaps.
//!
//! Two ways, each checked by the true residual of what it returns:
//! - `shift_invert`: a sparse Cholesky factor and Lanczos on the inverse. A handful of solves whatever the
//!   spectrum, as long as the factor is affordable.
//! - `filter`: Chebyshev-filtered Lanczos. Products only, for factors that are not.
//!
//! [`automatic`] chooses, and goes on to the next way when one stalls. The arithmetic is in double precision
//! for both number types: an eigenvalue of 1e-9 of the norm does not exist in single-precision arithmetic,
//! though it does in the single-precision data.

mod block;
mod factor;
mod filter;
mod krylov;
mod operator;
mod problem;
mod shift_invert;
mod solve;
mod sparse_factor;
mod symmetric;

use super::{Solved, Solver, Task, Which, dense};
pub use factor::Forecast;
use factor::Plan;
use faer::Mat;
use filter::Excluded;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use operator::Products;
use problem::Problem;
pub use sparse_factor::SparseFactor;
use symmetric::{Found, Goal, Symmetric, finish};

/// Up to this order the dense decomposition is the last resort.
const LAST_RESORT: usize = 3000;
/// The bytes a factor may take when the run has no budget.
const DEFAULT_BYTES: u64 = 8 << 30;
/// Floating-point operations a second of a factorization and of sparse products: only their ratio matters.
const FACTOR_SPEED: f64 = 3e10;
const PRODUCT_SPEED: f64 = 5e9;
/// A factorization forecast to be quicker than this is not worth a race.
const QUICK_SECONDS: f64 = 1.5;
/// The filter gives up for good after so many products, or after as many as would take this long, or, where
/// the dense decomposition can follow, so many times as long as that.
const MOST_PRODUCTS: usize = 1_000_000;
const LONGEST_SECONDS: f64 = 900.0;
const TIMES_DENSE: f64 = 8.0;

/// The smallest pairs of an operator that has the sparse form `a`, by the way asked for, or by the one that
/// promises to be the quickest and then, when it stalls, by the others.
pub(super) fn by_matrix<T: Scalar>(task: &Task<'_, T>, a: &Csr<T>, solver: Solver) -> Result<Solved<T>> {
    let problem = Problem::new(a, task.run)?;
    let goal = Goal::of(task, &problem);
    if problem.norm == 0.0 || is_too_small(task) || (solver == Solver::Auto && task.is_small()) {
        return finish(task, &problem, &densely(&problem, task)?);
    }
    let found = match solver {
        Solver::ShiftInvert => {
            let plan = plan(&problem, task.run)?.ok_or_else(too_large)?;
            shift_invert::solve(&problem, &plan, goal, shift_invert::CYCLES, task.run)?.0
        }
        Solver::Filter => {
            filter::solve(&problem, goal, most_products(a.nrows(), a.nnz(), task.run), None, task.run)?
        }
        Solver::Auto | Solver::Dense | Solver::Lanczos => return automatic(task, &problem, goal),
    };
    or_densely(task, &problem, finish(task, &problem, &found))
}

/// The smallest pairs of any operator, definite or not, by products alone.
pub(super) fn by_products<T: Scalar>(task: &Task<'_, T>) -> Result<Solved<T>> {
    let products = Products::new(task.op, task.run)?;
    if products.norm() == 0.0 || is_too_small(task) {
        return task.densely();
    }
    let n = task.op.order();
    let limit = most_products(n, n.saturating_mul(n), task.run);
    let found = filter::solve(&products, Goal::of(task, &products), limit, None, task.run)?;
    match finish(task, &products, &found) {
        Err(Error::NotConverged { .. }) if is_last_resort(n, task.run) => task.densely(),
        outcome => outcome,
    }
}

/// What the factor would cost, or `None` when it is beyond all bounds. Takes an ordering, no arithmetic.
///
/// # Errors
/// A matrix that is not square, not symmetric or not finite; cancellation.
pub fn factor_forecast<T: Scalar>(a: &Csr<T>, run: &Run) -> Result<Option<Forecast>> {
    Ok(plan(&Problem::new(a, run)?, run)?.map(|plan| plan.forecast))
}

/// Whether the factor fits into the memory budget and costs no more than the products that the other way
/// would need at worst.
///
/// # Errors
/// As [`factor_forecast`].
pub fn factor_is_affordable<T: Scalar>(a: &Csr<T>, run: &Run) -> Result<bool> {
    Ok(factor_forecast(a, run)?.is_some_and(|forecast| affordable(&forecast, a.nnz(), run)))
}

fn affordable(forecast: &Forecast, entries: usize, run: &Run) -> bool {
    forecast.bytes <= run.memory().unwrap_or(DEFAULT_BYTES)
        && products_in(seconds(forecast), entries) <= products_in(LONGEST_SECONDS, entries).min(MOST_PRODUCTS)
}

fn seconds(forecast: &Forecast) -> f64 {
    forecast.flops / FACTOR_SPEED
}

/// How many products with one vector take that long.
fn products_in(seconds: f64, entries: usize) -> usize {
    (seconds * PRODUCT_SPEED / (2 * entries.max(1)) as f64) as usize
}

fn most_products(n: usize, entries: usize, run: &Run) -> usize {
    let last_resort = TIMES_DENSE * dense::seconds(n);
    let longest = if is_last_resort(n, run) { last_resort } else { LONGEST_SECONDS };
    products_in(longest, entries).min(MOST_PRODUCTS)
}

fn plan(problem: &Problem, run: &Run) -> Result<Option<Plan>> {
    let _stage = run.stage("ordering", None);
    Plan::new(problem, run)
}

fn too_large() -> Error {
    Error::Unsupported {
        method: "solver = ShiftInvert".into(),
        what: "index a factor this large".into(),
        remedy: "choose Filter".into(),
    }
}

/// A quick factor is taken at once. Before a slow one, the filter may try for as long as the factor would
/// take, so that neither choice costs more than twice the better one. Where the dense decomposition is quicker than
/// going on (an eigenvalue of hundreds of copies), it ends the search.
fn automatic<T: Scalar>(task: &Task<'_, T>, problem: &Problem, goal: Goal) -> Result<Solved<T>> {
    let (run, entries) = (task.run, problem.matrix.nnz());
    let plan = plan(problem, run)?;
    // The solves take about as long as the factor.
    let over = |budget| plan.as_ref().filter(|plan| plan.forecast.bytes > budget);
    let excluded = run
        .memory()
        .and_then(over)
        .map(|plan| Excluded { seconds: 2.0 * seconds(&plan.forecast), bytes: plan.forecast.bytes });
    let plan = plan.filter(|plan| affordable(&plan.forecast, entries, run));
    if let Some(plan) = &plan {
        run.note_needed("the sparse factor", shift_invert::memory(problem, plan, goal))?;
    }
    let most = most_products(problem.order(), entries, run);
    let mut outcome = match &plan {
        Some(plan) if seconds(&plan.forecast) <= QUICK_SECONDS => None,
        Some(plan) => {
            Some(filtered(task, problem, goal, products_in(seconds(&plan.forecast), entries), None)?)
        }
        None => Some(filtered(task, problem, goal, most, excluded)?),
    };
    if let (Some(plan), None | Some(Err(_))) = (&plan, &outcome) {
        let n = problem.order();
        let last_resort = is_last_resort(n, run);
        let cycles =
            if last_resort { shift_invert::cycles_worth(n, task.count) } else { shift_invert::CYCLES };
        match shift_invert::solve(problem, plan, goal, cycles, run) {
            Ok((_, false)) if last_resort => {}
            Ok((found, _)) => outcome = Some(settled(finish(task, problem, &found))?),
            // An indefinite matrix is no error here, and neither is a lack of room: the filter minds less.
            Err(Error::Indefinite { .. } | Error::Memory { .. }) => {}
            Err(error) => return Err(error),
        }
        if !matches!(outcome, Some(Ok(_))) && !last_resort {
            outcome = Some(filtered(task, problem, goal, most, None)?);
        }
    }
    match outcome {
        Some(outcome) => or_densely(task, problem, outcome),
        None => finish(task, problem, &densely(problem, task)?),
    }
}

/// What did not converge is decomposed as a whole, if it is of a moderate order.
fn or_densely<T: Scalar>(
    task: &Task<'_, T>,
    problem: &Problem,
    outcome: Result<Solved<T>>,
) -> Result<Solved<T>> {
    match outcome {
        Err(Error::NotConverged { .. }) if is_last_resort(problem.order(), task.run) => {
            finish(task, problem, &densely(problem, task)?)
        }
        outcome => outcome,
    }
}

fn is_last_resort(n: usize, run: &Run) -> bool {
    n <= LAST_RESORT && run.memory().is_none_or(|budget| dense::memory::<f64>(n) <= budget)
}

/// The filter's pairs, or its failure to converge, which is not the end.
fn filtered<T: Scalar>(
    task: &Task<'_, T>,
    problem: &Problem,
    goal: Goal,
    limit: usize,
    excluded: Option<Excluded>,
) -> Result<Result<Solved<T>>> {
    settled(finish(task, problem, &filter::solve(problem, goal, limit, excluded, task.run)?))
}

/// Keeps a failure to converge apart from other errors.
fn settled<T>(outcome: Result<Solved<T>>) -> Result<Result<Solved<T>>> {
    match outcome {
        Err(error @ Error::NotConverged { .. }) => Ok(Err(error)),
        Err(error) => Err(error),
        Ok(pairs) => Ok(Ok(pairs)),
    }
}

/// A subspace that nears the whole space is the dense problem.
fn is_too_small<T: Scalar>(task: &Task<'_, T>) -> bool {
    task.op.order() < 8 * filter::kept_width(task.count)
}

/// The whole decomposition, in double precision.
fn densely<T: Scalar>(problem: &Problem, task: &Task<'_, T>) -> Result<Found> {
    let (count, run) = (task.count + task.further, task.run);
    let _stage = run.stage("eigenpairs: dense", None);
    let n = problem.order();
    let bytes = dense::memory::<f64>(n);
    run.reserve("the dense eigendecomposition", bytes, "ask for fewer pairs, by ShiftInvert or Filter")?;
    let whole: Mat<f64> = crate::Operator::to_dense(&*problem.matrix, run)?;
    let found = dense::decompose_well(whole, count, Which::Smallest, run)?;
    Ok(Found {
        values: found.values,
        vectors: found.vectors,
        residuals: Vec::new(),
        further: Vec::new(),
        steps: 1,
    })
}
