//! The preconditioner of the Newton steps: the Hessian without what could make it indefinite. Each edge adds the block
//! `2 w_e I + 4 w_e' (y_i - y_j)(y_i - y_j)' / d_e^2`: stiff along the edge, as loose as its own multiplier across it. Its sparse
//! factor leaves only the few directions in which the trace grows to the inner steps. Where that factor would fill in, the
//! diagonal blocks of the columns take its place, each a weighted Laplacian of the graph; where that would fill in as well,
//! its diagonal: graphs that fill in are those that mix fast.

use super::basis::Basis;
use super::energy::{Energy, Position};
use crate::Operator;
use crate::eigen::{SparseFactor, cholesky, factor_forecast, parallelism};
use faer::Mat;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use lowland_base::{Csr, Result, Run};

/// What is added to the diagonal, in units of the mass: the constant vector has no stiffness.
const RIDGE: f64 = 0.05;
/// An edge whose multiplier is zero holds as much, in units of the mean weight: else its ends would be sent off for ever.
const LEAST_WEIGHT: f64 = 1e-3;
/// Up to this order a dense factor is the quicker one.
const SMALL: usize = 250;
/// The factor of a column may have so many numbers for each of the graph, and that of all columns so many for each of their
/// blocks: both stay in proportion to the edges.
const MOST_FILL: u64 = 20;
/// The most arithmetic of one factorization.
const MOST_FLOPS: f64 = 4e10;

/// The ordering of the factors for one number of columns, where they stay in proportion to the graph.
pub(super) enum Pattern {
    /// All columns together.
    Joint(SparseFactor),
    /// Each column by itself.
    Column(SparseFactor),
    /// Neither, or no need of one.
    None,
}

impl Pattern {
    pub fn new(energy: &Energy<'_>, basis: &Basis, at: &Position, run: &Run) -> Result<Self> {
        let points = energy.problem.points();
        if matches!(basis, Basis::Span(_)) || points * at.width <= SMALL {
            return Ok(Self::None);
        }
        let in_proportion = |matrix: &Csr<f64>| {
            let most = MOST_FILL * matrix.nnz() as u64;
            let forecast = factor_forecast(matrix, run)?;
            Ok::<_, lowland_base::Error>(forecast.is_some_and(|forecast| {
                forecast.entries <= most
                    && forecast.flops <= MOST_FLOPS
                    && run.memory().is_none_or(|budget| forecast.bytes <= budget)
            }))
        };
        let joint = joint(energy, at, &vec![0.0; at.relative.len()])?;
        if in_proportion(&joint)? {
            return SparseFactor::new(&joint, run).map(Self::Joint);
        }
        let column = energy.incidence.laplacian(|_| 1.0, 1.0)?;
        if points > SMALL && in_proportion(&column)? {
            return SparseFactor::new(&column, run).map(Self::Column);
        }
        Ok(Self::None)
    }
}

/// All columns together: `n r` numbers square, point by point.
fn joint(energy: &Energy<'_>, at: &Position, stretches: &[f64]) -> Result<Csr<f64>> {
    let (points, width) = (energy.problem.points(), at.width);
    let order = points * width;
    let entries = (2 * stretches.len() + points) * width * width;
    let (mut offsets, mut columns, mut values) =
        (Vec::with_capacity(order + 1), Vec::with_capacity(entries), Vec::with_capacity(entries));
    offsets.push(0);
    let mut own = vec![0.0; width * width];
    for v in 0..points {
        own.fill(0.0);
        for a in 0..width {
            own[a * width + a] = 2.0 * RIDGE * energy.mass;
        }
        let apart = |other: usize, c: usize| at.y[v * width + c] - at.y[other * width + c];
        for (other, edge) in energy.incidence.of(v) {
            for a in 0..width {
                own[a * width + a] += 2.0 * at.weights[edge].max(LEAST_WEIGHT);
                for b in 0..width {
                    own[a * width + b] += stretches[edge] * (apart(other, a) * apart(other, b));
                }
            }
        }
        for a in 0..width {
            let mut placed = false;
            let place = |columns: &mut Vec<u32>, values: &mut Vec<f64>| {
                for b in 0..width {
                    columns.push((v * width + b) as u32);
                    values.push(own[a * width + b]);
                }
            };
            for (other, edge) in energy.incidence.of(v) {
                if !placed && other > v {
                    place(&mut columns, &mut values);
                    placed = true;
                }
                for b in 0..width {
                    let across = if a == b { 2.0 * at.weights[edge].max(LEAST_WEIGHT) } else { 0.0 };
                    columns.push((other * width + b) as u32);
                    values.push(-(across + stretches[edge] * (apart(other, a) * apart(other, b))));
                }
            }
            if !placed {
                place(&mut columns, &mut values);
            }
            offsets.push(columns.len());
        }
    }
    Csr::new(order, order, offsets, columns, values)
}

/// How the columns of a span or of all vectors are preconditioned.
pub(super) enum Preconditioner {
    Joint(Factor),
    Columns(Vec<Factor>),
}

pub(super) enum Factor {
    Sparse(SparseFactor),
    Dense(Mat<f64>),
    Diagonal(Vec<f64>),
}

impl Factor {
    fn dense(matrix: Mat<f64>, run: &Run) -> Result<Self> {
        let diagonal = (0..matrix.nrows()).map(|i| matrix[(i, i)]).collect();
        Ok(cholesky(matrix, run)?.map_or(Self::Diagonal(diagonal), Self::Dense))
    }

    fn solve(&mut self, right: Vec<f64>, run: &Run) -> Result<Vec<f64>> {
        Ok(match self {
            Self::Sparse(factor) => factor.solve(&right, 1, run)?,
            Self::Diagonal(diagonal) => right.iter().zip(diagonal).map(|(r, d)| r / *d).collect(),
            Self::Dense(factor) => {
                let mut x = Mat::from_fn(right.len(), 1, |i, _| right[i]);
                let par = parallelism(right.len());
                run.install(|| {
                    solve_lower_triangular_in_place(factor.as_ref(), x.as_mut(), par);
                    solve_upper_triangular_in_place(factor.as_ref().transpose(), x.as_mut(), par);
                });
                x.col(0).iter().copied().collect()
            }
        })
    }
}

impl Preconditioner {
    /// At a position, `Y` along its principal axes.
    pub fn new(
        energy: &Energy<'_>,
        basis: &Basis,
        pattern: &Pattern,
        at: &Position,
        stretches: &[f64],
        run: &Run,
    ) -> Result<Self> {
        if let Pattern::Joint(pattern) = pattern {
            let factor = pattern.of_same_pattern(&joint(energy, at, stretches)?, run)?;
            return Ok(Self::Joint(Factor::Sparse(factor)));
        }
        if matches!(basis, Basis::All) && at.y.len() <= SMALL {
            return Factor::dense(joint(energy, at, stretches)?.to_dense(run)?, run).map(Self::Joint);
        }
        let ends = energy.problem.ends();
        let column = |c: usize| {
            let weight = |e: usize| {
                let (i, j) = (ends[e].0 as usize * at.width + c, ends[e].1 as usize * at.width + c);
                2.0 * at.weights[e].max(LEAST_WEIGHT) + stretches[e] * (at.y[i] - at.y[j]).powi(2)
            };
            let matrix = energy.incidence.laplacian(weight, 2.0 * RIDGE * energy.mass)?;
            match (basis, pattern) {
                (Basis::Span(basis), _) => Factor::dense(Basis::project(basis, &matrix, run)?, run),
                (_, Pattern::Column(pattern)) => Ok(Factor::Sparse(pattern.of_same_pattern(&matrix, run)?)),
                _ if matrix.nrows() <= SMALL => Factor::dense(matrix.to_dense(run)?, run),
                _ => Ok(Factor::Diagonal(matrix.diagonal().unwrap_or_default())),
            }
        };
        Ok(Self::Columns((0..at.width).map(column).collect::<Result<_>>()?))
    }

    /// The preconditioned residual, row by row as `Y`.
    pub fn apply(&mut self, residual: &[f64], run: &Run) -> Result<Vec<f64>> {
        let columns = match self {
            Self::Joint(factor) => return factor.solve(residual.to_vec(), run),
            Self::Columns(columns) => columns,
        };
        let width = columns.len();
        let mut out = vec![0.0; residual.len()];
        for (c, factor) in columns.iter_mut().enumerate() {
            let solved = factor.solve(residual.iter().skip(c).step_by(width).copied().collect(), run)?;
            out.iter_mut().skip(c).step_by(width).zip(solved).for_each(|(out, x)| *out = x);
        }
        Ok(out)
    }
}
