//! A few smallest eigenpairs of a sparse symmetric positive semidefinite matrix: graph Laplacians, the
//! alignment matrices of LLE, LTSA and Hessian eigenmaps.
//!
//! Two ways, each checked by the true residual of what it returns:
//! - [`shift_invert`]: a sparse Cholesky factor and Lanczos on the inverse. A handful of solves whatever the
//!   spectrum, as long as the factor is affordable.
//! - [`filter`]: Chebyshev-filtered Lanczos. Products only, for factors that are not.
//!
//! [`smallest`] chooses, and goes on to the next way when one stalls.

mod block;
mod dense;
mod factor;
mod filter;
mod krylov;
mod operator;
mod problem;
mod shift_invert;
mod symmetric;

use crate::Operator;
use crate::eigen::{Eigenpairs, Solver};
pub use factor::Forecast;
use factor::Plan;
use faer::Mat;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use problem::Problem;
use symmetric::{Found, Symmetric, allowed, finish};

/// Up to this order the dense decomposition is the fastest way.
const DENSE: usize = 128;
/// Up to this order the dense decomposition is the last resort.
const LAST_RESORT: usize = 3000;
/// The bytes a factor may take when the run has no budget.
const DEFAULT_BYTES: u64 = 8 << 30;
/// Floating-point operations a second of a factorisation and of sparse products: only their ratio matters.
const FACTOR_SPEED: f64 = 3e10;
const PRODUCT_SPEED: f64 = 5e9;
/// A factorisation forecast to be quicker than this is not worth a race.
const QUICK_SECONDS: f64 = 1.5;
/// Products after which the filter gives up for good.
const MOST_PRODUCTS: usize = 4_000_000;

/// The `count` smallest eigenpairs, ascending, by the way asked for, or by the one that promises to be the
/// quickest and then, when it stalls, by the others.
///
/// # Errors
/// A matrix that is not square, not symmetric or not finite; a count beyond its order; cancellation; or
/// [`Error::NotConverged`] with what was found.
pub fn smallest<T: Scalar>(
    a: &Csr<T>,
    count: usize,
    tolerance: Option<f64>,
    solver: Solver,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    let problem = Problem::new(a)?;
    let allowed = allowed::<T>(&problem, tolerance)?;
    if let Some(found) = at_once(&problem, count, solver == Solver::Dense, run)? {
        return finish(&problem, found, count, allowed, run);
    }
    match solver {
        Solver::Auto => automatic(&problem, count, allowed, run),
        Solver::ShiftInvert => {
            let plan = plan(&problem, run)?.ok_or_else(too_large)?;
            finish(&problem, shift_invert::solve(&problem, &plan, count, allowed, run)?, count, allowed, run)
        }
        Solver::Dense | Solver::Lanczos | Solver::Filter => {
            let filtered = filter::solve(&problem, count, allowed, MOST_PRODUCTS, run)?;
            finish(&problem, filtered.found, count, allowed, run)
        }
    }
}

/// The `count` smallest eigenpairs through a sparse Cholesky factor of the matrix plus a tiny shift.
///
/// # Errors
/// As [`smallest`]; [`Error::Indefinite`] when the matrix has an eigenvalue below -1e-7 of its norm;
/// [`Error::Memory`] when the factor is over the budget.
pub fn shift_invert<T: Scalar>(
    a: &Csr<T>,
    count: usize,
    tolerance: Option<f64>,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    smallest(a, count, tolerance, Solver::ShiftInvert, run)
}

/// The `count` smallest eigenpairs by products alone. The operator may be indefinite.
///
/// # Errors
/// As [`smallest`].
pub fn filter<T: Scalar>(
    a: &dyn Operator<T>,
    count: usize,
    tolerance: Option<f64>,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    let scaled = operator::Scaled::new(a, run)?;
    let allowed = allowed::<T>(&scaled, tolerance)?;
    let found = match at_once(&scaled, count, false, run)? {
        Some(found) => found,
        None => filter::solve(&scaled, count, allowed, MOST_PRODUCTS, run)?.found,
    };
    finish(&scaled, found, count, allowed, run)
}

/// What the factor would cost, or `None` when it is beyond all bounds. Takes an ordering, no arithmetic.
///
/// # Errors
/// A matrix that is not square, not symmetric or not finite; cancellation.
pub fn factor_forecast<T: Scalar>(a: &Csr<T>, run: &Run) -> Result<Option<Forecast>> {
    Ok(plan(&Problem::new(a)?, run)?.map(|plan| plan.forecast))
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
        && products_in(seconds(forecast), entries) <= MOST_PRODUCTS
}

fn seconds(forecast: &Forecast) -> f64 {
    forecast.flops / FACTOR_SPEED
}

/// How many products with one vector take that long.
fn products_in(seconds: f64, entries: usize) -> usize {
    (seconds * PRODUCT_SPEED / (2 * entries.max(1)) as f64) as usize
}

fn plan(problem: &Problem, run: &Run) -> Result<Option<Plan>> {
    let _stage = run.stage("ordering", None);
    Plan::new(problem, run)
}

fn too_large() -> Error {
    Error::Unsupported {
        method: "ShiftInvert".into(),
        what: "index a factor this large".into(),
        remedy: "use the solver Filter".into(),
    }
}

/// A quick factor is taken at once. Before a slow one, the filter may try for as long as the factor would
/// take, so that neither choice costs more than twice the better one.
fn automatic<T: Scalar>(problem: &Problem, count: usize, allowed: f64, run: &Run) -> Result<Eigenpairs<T>> {
    let entries = problem.matrix.nnz();
    let plan = plan(problem, run)?.filter(|plan| affordable(&plan.forecast, entries, run));
    let slow = plan.as_ref().is_none_or(|plan| seconds(&plan.forecast) > QUICK_SECONDS);
    let mut last = None;
    if slow {
        let limit = plan.as_ref().map_or(MOST_PRODUCTS, |plan| products_in(seconds(&plan.forecast), entries));
        let filtered = filter::solve(problem, count, allowed, limit, run)?;
        if filtered.converged {
            return finish(problem, filtered.found, count, allowed, run);
        }
        last = Some(filtered.found);
    }
    if let Some(plan) = &plan {
        match shift_invert::solve(problem, plan, count, allowed, run) {
            Ok(found) => match finish(problem, found.clone(), count, allowed, run) {
                Err(Error::NotConverged { .. }) => last = Some(found),
                other => return other,
            },
            // An indefinite matrix is no error here: the filter does not mind.
            Err(Error::Indefinite { .. }) => {}
            Err(error) => return Err(error),
        }
        let filtered = filter::solve(problem, count, allowed, MOST_PRODUCTS, run)?;
        if filtered.converged || last.is_none() {
            last = Some(filtered.found);
        }
    }
    if problem.order() <= LAST_RESORT {
        last = Some(densely(problem, run)?);
    }
    let nothing = || Found { values: Vec::new(), vectors: Mat::zeros(problem.order(), 0), steps: 0 };
    finish(problem, last.unwrap_or_else(nothing), count, allowed, run)
}

/// What needs no iteration: nothing asked for, a zero matrix, a small matrix, or nearly all of one.
fn at_once(matrix: &dyn Symmetric, count: usize, dense: bool, run: &Run) -> Result<Option<Found>> {
    let n = matrix.order();
    if count > n {
        let bound = format!("the matrix has {n} rows");
        return Err(Error::parameter("count", count, bound, "ask for fewer eigenpairs"));
    }
    if count == 0 || matrix.norm() == 0.0 {
        return Ok(Some(Found { values: vec![0.0; count], vectors: Mat::identity(n, count), steps: 0 }));
    }
    if dense || n <= DENSE || (4 * count >= n && n <= LAST_RESORT) {
        return densely(matrix, run).map(Some);
    }
    Ok(None)
}

/// The whole decomposition.
fn densely(matrix: &dyn Symmetric, run: &Run) -> Result<Found> {
    let n = matrix.order();
    let bytes = 8 * 4 * (n as u64).pow(2);
    run.reserve("a dense decomposition", bytes, "ask for fewer eigenpairs, by ShiftInvert or Filter")?;
    let whole = matrix.product(Mat::<f64>::identity(n, n).as_ref(), run)?;
    let (values, vectors) = dense::symmetric(whole, run)?;
    Ok(Found { values, vectors, steps: 0 })
}
