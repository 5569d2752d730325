//! Eigenpairs of symmetric operators: one type for the result, one entry point that chooses the solver and
//! can be told.

mod dense;
pub mod generalized;
mod lanczos;
mod pairs;
pub mod smallest;

pub(crate) use pairs::leading_is_negative;

use crate::operator::Operator;
use faer::Mat;
use lowland_base::{Error, Result, Run, Scalar};

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
    /// Lanczos on the inverse of the shifted matrix, through a sparse factorisation (smallest, sparse,
    /// positive semidefinite).
    ShiftInvert,
    /// Products only, for the smallest of a sparse positive semidefinite matrix whose factor would be too
    /// large: a polynomial filter or a preconditioned block iteration.
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
pub fn solve<T: Scalar>(op: &dyn Operator<T>, request: &Request, run: &Run) -> Result<Eigenpairs<T>> {
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
        return Ok(Eigenpairs::empty(n));
    }
    let small = n <= SMALL || 8 * count >= n;
    match solver {
        Solver::Dense => solve_dense(op, count, which, tolerance, run),
        Solver::Lanczos => lanczos::solve(op, count, which, tolerance, run),
        Solver::ShiftInvert | Solver::Filter => Err(Error::Unsupported {
            method: format!("{solver:?}"),
            what: "be used here".into(),
            remedy: "choose Auto".into(),
        }),
        Solver::Auto if small => solve_dense(op, count, which, tolerance, run),
        Solver::Auto => lanczos::solve(op, count, which, tolerance, run),
    }
}

/// The whole decomposition, its residuals checked.
fn solve_dense<T: Scalar>(
    op: &dyn Operator<T>,
    count: usize,
    which: Which,
    tolerance: f64,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    let _stage = run.stage("eigenpairs: dense", None);
    let (pairs, norm) = dense::solve(op, count, which, run)?;
    let bound = tolerance.max(rounding::<T>(op.order())) * norm;
    pairs.accept(bound, "the dense eigendecomposition", 1, "check the matrix for extreme values")
}

/// The residual, relative to the norm, that rounding alone may leave in a matrix of order `n`.
pub(crate) fn rounding<T: Scalar>(n: usize) -> f64 {
    10.0 * (n as f64).sqrt() * T::EPSILON.wide()
}
