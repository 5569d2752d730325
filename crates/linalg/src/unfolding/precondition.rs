//! The preconditioner of the Newton steps: of each column of `Y` the diagonal block of the Hessian, without what could make
//! it indefinite. That is the Laplacian of the graph with the weights `2 w_e + 4 w_e' (y_ic - y_jc)^2 / d_e^2`: stiff along
//! the edges, as loose as the edges' own tension across them. Its sparse factor makes the number of inner steps almost
//! independent of the number of points. Where that factor would fill in, the diagonal takes its place: graphs that fill in
//! are those that mix fast.

use super::basis::Basis;
use super::energy::{Energy, Position};
use crate::Operator;
use crate::eigen::{SparseFactor, cholesky, factor_forecast, parallelism};
use faer::Mat;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use lowland_base::{Result, Run};

/// A factor may have so many numbers for each of the graph: it stays in proportion to the edges.
const MOST_FILL: u64 = 20;
/// What is added to the diagonal, in units of the mass: the constant vector has no stiffness.
const RIDGE: f64 = 0.05;
/// Up to this order a dense factor is the quicker one.
const SMALL: usize = 250;

/// How the columns of a span or of all vectors are preconditioned.
pub(super) struct Preconditioner {
    columns: Vec<Factor>,
}

enum Factor {
    Sparse(SparseFactor),
    Dense(Mat<f64>),
    Diagonal(Vec<f64>),
}

fn dense(matrix: Mat<f64>, run: &Run) -> Result<Factor> {
    let diagonal = (0..matrix.nrows()).map(|i| matrix[(i, i)]).collect();
    Ok(cholesky(matrix, run)?.map_or(Factor::Diagonal(diagonal), Factor::Dense))
}

/// The factor of the graph, which has the ordering of all that follow, where it stays in proportion to the graph.
pub(super) fn pattern(energy: &Energy<'_>, run: &Run) -> Result<Option<SparseFactor>> {
    let laplacian = energy.incidence.laplacian(|_| 1.0, 1.0)?;
    if laplacian.nrows() <= SMALL {
        return Ok(None);
    }
    let most = MOST_FILL * laplacian.nnz() as u64;
    let in_proportion = factor_forecast(&laplacian, run)?.is_some_and(|forecast| {
        forecast.entries <= most && run.memory().is_none_or(|budget| forecast.bytes <= budget)
    });
    if in_proportion { SparseFactor::new(&laplacian, run).map(Some) } else { Ok(None) }
}

impl Preconditioner {
    /// At a position, `Y` along its principal axes.
    pub fn new(
        energy: &Energy<'_>,
        basis: &Basis,
        pattern: Option<&SparseFactor>,
        at: &Position,
        stretches: &[f64],
        run: &Run,
    ) -> Result<Self> {
        let ends = energy.problem.ends();
        let column = |c: usize| {
            let weight = |e: usize| {
                let (i, j) = (ends[e].0 as usize * at.width + c, ends[e].1 as usize * at.width + c);
                2.0 * at.weights[e].max(0.0) + stretches[e] * (at.y[i] - at.y[j]).powi(2)
            };
            let matrix = energy.incidence.laplacian(weight, 2.0 * RIDGE * energy.mass)?;
            Ok(match basis {
                Basis::Span(basis) => dense(Basis::project(basis, &matrix, run)?, run)?,
                Basis::All if matrix.nrows() <= SMALL => dense(matrix.to_dense(run)?, run)?,
                Basis::All => match pattern {
                    Some(pattern) => Factor::Sparse(pattern.of_same_pattern(&matrix, run)?),
                    None => Factor::Diagonal(matrix.diagonal().unwrap_or_default()),
                },
            })
        };
        Ok(Self { columns: (0..at.width).map(column).collect::<Result<_>>()? })
    }

    /// The preconditioned residual, row by row as `Y`.
    pub fn apply(&mut self, residual: &[f64], run: &Run) -> Result<Vec<f64>> {
        let width = self.columns.len();
        let mut out = vec![0.0; residual.len()];
        for (c, factor) in self.columns.iter_mut().enumerate() {
            let column = residual.iter().skip(c).step_by(width).copied();
            let solved = match factor {
                Factor::Sparse(factor) => factor.solve(&column.collect::<Vec<f64>>(), 1, run)?,
                Factor::Diagonal(diagonal) => column.zip(diagonal).map(|(r, d)| r / *d).collect(),
                Factor::Dense(factor) => {
                    let column: Vec<f64> = column.collect();
                    let mut x = Mat::from_fn(column.len(), 1, |i, _| column[i]);
                    let par = parallelism(column.len());
                    run.install(|| {
                        solve_lower_triangular_in_place(factor.as_ref(), x.as_mut(), par);
                        solve_upper_triangular_in_place(factor.as_ref().transpose(), x.as_mut(), par);
                    });
                    x.col(0).iter().copied().collect()
                }
            };
            out.iter_mut().skip(c).step_by(width).zip(solved).for_each(|(out, x)| *out = x);
        }
        Ok(out)
    }
}
