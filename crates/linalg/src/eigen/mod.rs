//! Eigenpairs of symmetric operators: one type for the result, one entry point that chooses the solver and
//! can be asked for a solver.

mod dense;
pub mod generalized;
mod graded;
mod lanczos;
mod pace;
mod pairs;
mod scaled;
mod smallest;

pub(crate) use generalized::{cholesky, parallelism};
pub(crate) use pairs::{residual_norms, safe_power};
pub use smallest::{Forecast, SparseFactor, factor_forecast, factor_is_affordable};

use crate::operator::Operator;
use faer::Mat;
use lowland_base::{Error, Result, Run, Scalar, precompiled};

/// Eigenvalues with their vectors (columns, orthonormal) and the norm of each pair's true residual,
/// `|A v - l v|`, computed after the fact from the operator itself. They are made, sorted and cut together.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigenpairs<T> {
    /// The eigenvalues, in the order that was asked for.
    pub values: Vec<T>,
    /// The unit eigenvectors, one a column. In each the entry of largest magnitude is positive (the first
    /// such entry where several tie).
    pub vectors: Mat<T>,
    /// `|A v - l v|` of each pair.
    pub residuals: Vec<T>,
}

/// Which end of the spectrum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The largest eigenvalues, descending.
    Largest,
    /// The largest absolute values, descending by absolute value.
    LargestMagnitude,
    /// The smallest eigenvalues, ascending.
    Smallest,
}

/// How to find them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// Chosen by size, sparsity and fill.
    #[default]
    Auto,
    /// The whole decomposition of the dense matrix.
    Dense,
    /// Thick-restart block Lanczos: products only.
    Lanczos,
    /// Lanczos on the inverse of the shifted matrix, through a sparse factorization: the smallest of an
    /// operator that has a sparse form and is positive semidefinite. A handful of solves whatever the
    /// spectrum, as long as the factor is affordable.
    ShiftInvert,
    /// Lanczos on a Chebyshev polynomial of the matrix: the smallest of any operator, by products only, for
    /// factors that are not affordable.
    Filter,
}

/// What is asked of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// How many pairs.
    pub count: usize,
    /// Which end.
    pub which: Which,
    /// By which way.
    pub solver: Solver,
    /// The residual allowed, relative to the norm of the matrix. `None` is a small multiple of the unit
    /// roundoff of `T`.
    pub tolerance: Option<f64>,
}

impl Request {
    /// `count` pairs of the end `which`, by the solver that suits, to full accuracy.
    pub fn new(count: usize, which: Which) -> Self {
        Self { count, which, solver: Solver::Auto, tolerance: None }
    }

    /// By this solver.
    pub fn by(self, solver: Solver) -> Self {
        Self { solver, ..self }
    }
}

/// Up to this order, and where the pairs asked for are more than an eighth of all, the whole decomposition
/// is the fastest way.
const SMALL: usize = 300;

/// The eigenpairs of a symmetric operator. Every pair returned has a residual of at most the tolerance, or
/// what rounding allows, times the norm of the operator.
///
/// # Errors
/// A count or tolerance out of range; a matrix that is not square, symmetric or finite; a solver that cannot
/// do this; a forecast over the memory budget; cancellation; or [`Error::NotConverged`] with what was found.
pub fn solve<T: Scalar>(op: &dyn Operator<T>, request: &Request, run: &Run) -> Result<Eigenpairs<T>> {
    solve_with_further(op, request, 0, run).map(|(pairs, _)| pairs)
}

/// The same, and up to `further` eigenvalues that follow those of the pairs: roughly, for a picture of the spectrum. They are
/// found on the way to the pairs, which takes far less than to ask for more pairs; those that are not found are left out.
///
/// # Errors
/// As [`solve`].
pub fn solve_with_further<T: Scalar>(
    op: &dyn Operator<T>,
    request: &Request,
    further: usize,
    run: &Run,
) -> Result<(Eigenpairs<T>, Vec<T>)> {
    T::run_precompiled::<Solve>((op, request, further, run))
}

/// Pairs, and eigenvalues that follow them.
type Solved<T> = (Eigenpairs<T>, Vec<T>);

precompiled!(Solve, both, solve_in(op: &'r dyn Operator<T>, request: &'r Request, further: usize, run: &'r Run) -> Result<Solved<T>>);

fn solve_in<T: Scalar>(
    op: &dyn Operator<T>,
    request: &Request,
    further: usize,
    run: &Run,
) -> Result<Solved<T>> {
    let n = op.order();
    let Request { count, which, solver, tolerance } = *request;
    if count > n {
        let bound = format!("at most the order of the matrix, {n}");
        return Err(Error::parameter("n_components", count, bound, "ask for fewer"));
    }
    let tolerance = match tolerance {
        None => 8.0 * T::EPSILON.wide(),
        Some(tolerance) if (0.0..1.0).contains(&tolerance) => tolerance,
        Some(tolerance) => {
            return Err(Error::parameter("tolerance", tolerance, "0 or more, and below 1", "leave it out"));
        }
    };
    if count == 0 {
        return Ok((Eigenpairs::empty(n), Vec::new()));
    }
    let sparse_ways = matches!(solver, Solver::Auto | Solver::ShiftInvert | Solver::Filter);
    let sparse = if sparse_ways && which == Which::Smallest { op.to_sparse(run)? } else { None };
    let task = Task { op, count, further: further.min(n - count), which, tolerance, run };
    match (solver, sparse) {
        (Solver::Dense, _) => task.densely(),
        (Solver::Lanczos, _) => lanczos::solve(&task),
        (Solver::ShiftInvert | Solver::Filter, _) if which != Which::Smallest => Err(Error::Unsupported {
            method: format!("solver = {solver:?}"),
            what: "find the largest eigenvalues, only the smallest".into(),
            remedy: "choose Lanczos, Dense or Auto".into(),
        }),
        (Solver::ShiftInvert, None) => Err(Error::Unsupported {
            method: "solver = ShiftInvert".into(),
            what: "factorize an operator without a sparse form".into(),
            remedy: "choose Filter, Lanczos, Dense or Auto".into(),
        }),
        (Solver::Filter, None) => smallest::by_products(&task),
        (_, Some(matrix)) => smallest::by_matrix(&task, &matrix, solver),
        (Solver::Auto, None) if task.is_small() => task.densely(),
        (Solver::Auto, None) => lanczos::solve(&task),
    }
}

/// What every solver is given.
#[derive(Clone, Copy)]
struct Task<'a, T> {
    op: &'a dyn Operator<T>,
    count: usize,
    /// How many eigenvalues after those.
    further: usize,
    which: Which,
    /// The residual wanted, relative to the norm.
    tolerance: f64,
    run: &'a Run,
}

impl<T: Scalar> Task<'_, T> {
    fn is_small(&self) -> bool {
        self.op.order() <= SMALL || 8 * self.count >= self.op.order()
    }

    /// The whole decomposition, its residuals checked.
    fn densely(&self) -> Result<Solved<T>> {
        let _stage = self.run.stage("eigenpairs: dense", None);
        let (pairs, norm) = dense::solve(self.op, self.count + self.further, self.which, self.run)?;
        let remedy = "check the matrix for extreme values";
        let mut pairs = pairs.accept(self.bound(norm), "the dense eigendecomposition", 1, remedy)?;
        let further = pairs.values[self.count..].to_vec();
        pairs.truncate(self.count);
        Ok((pairs, further))
    }

    /// The largest residual that is a success, for a matrix of this norm.
    fn bound(&self, norm: f64) -> f64 {
        self.tolerance.max(rounding::<T>(self.op.order())) * norm
    }
}

/// The residual, relative to the norm, that rounding alone may leave in a matrix of order `n`.
pub(crate) fn rounding<T: Scalar>(n: usize) -> f64 {
    10.0 * (n as f64).sqrt() * T::EPSILON.wide()
}
