//! The sparse Cholesky factor for solving with it.

use super::factor::{Factor, Plan};
use super::krylov::Transform;
use super::problem::Problem;
use crate::scale;
use lowland_base::{Csr, Error, Result, Run};

/// `A = L L'` of a sparse symmetric positive definite matrix, ordered against fill.
pub struct SparseFactor {
    plan: Plan,
    factor: Factor,
    order: usize,
    power: i32,
}

impl SparseFactor {
    /// Factorizes.
    ///
    /// # Errors
    /// A matrix that is not square, symmetric, finite or positive definite; a factor beyond the memory budget;
    /// cancellation.
    pub fn new(matrix: &Csr<f64>, run: &Run) -> Result<Self> {
        let _stage = run.stage("factorization", None);
        let problem = Problem::new(matrix, run)?;
        let plan = Plan::new(&problem, run)?.ok_or_else(super::too_large)?;
        Self::by_plan(&problem, plan, run)
    }

    /// The factor of another matrix with the same pattern: its ordering is known.
    ///
    /// # Errors
    /// As [`SparseFactor::new`].
    pub fn of_same_pattern(&self, matrix: &Csr<f64>, run: &Run) -> Result<Self> {
        if matrix.nrows() != self.order {
            let (expected, found) = (self.order, matrix.nrows());
            return Err(Error::Width { what: "matrix of the same pattern", expected, found });
        }
        Self::by_plan(&Problem::new(matrix, run)?, self.plan.clone(), run)
    }

    fn by_plan(problem: &Problem, plan: Plan, run: &Run) -> Result<Self> {
        let Some(factor) = plan.factor(problem, 0.0, run)? else {
            return Err(Error::Indefinite {
                what: "sparse",
                smallest: 0.0,
                largest: scale::times_power(problem.bound, -problem.power),
                remedy: "it must be positive definite: connect the graph, or regularize the matrix".into(),
            });
        };
        Ok(Self { plan, factor, order: problem.matrix.nrows(), power: problem.power })
    }

    /// The solutions of `A x = b` for `width` right-hand sides, stored row by row.
    pub fn solve(&mut self, right: &[f64], width: usize, run: &Run) -> Result<Vec<f64>> {
        if right.len() != self.order * width {
            let (expected, found) = (self.order * width, right.len());
            return Err(Error::Width { what: "right-hand side", expected, found });
        }
        let mut out = vec![0.0; right.len()];
        if width > 0 {
            self.factor.apply(right, width, &mut out, run)?;
        }
        // The factor is that of the matrix times a power of two.
        out.iter_mut().for_each(|value| *value = scale::times_power(*value, self.power));
        Ok(out)
    }
}
