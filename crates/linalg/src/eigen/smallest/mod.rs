//! A few smallest eigenpairs of a sparse symmetric positive semidefinite matrix.

mod block;
mod dense;
mod factor;
mod krylov;
mod problem;
mod shift_invert;

use crate::eigen::Eigenpairs;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use problem::Problem;

/// x
pub fn shift_invert<T: Scalar>(
    a: &Csr<T>,
    count: usize,
    tolerance: Option<f64>,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    let problem = Problem::new(a)?;
    let allowed = problem.allowed::<T>(tolerance)?;
    let plan = {
        let _s = run.stage("ordering", None);
        factor::Plan::new(&problem, run)?
    };
    let plan = plan.ok_or(Error::Cancelled)?;
    let found = shift_invert::solve(&problem, &plan, count, allowed, run)?;
    problem.finish(found, count, allowed, run)
}
