//! The low-rank solver: `K = Y Y'`, an augmented Lagrangian, and the rank raised until the dual certificate holds.

use super::Unfolded;
use super::basis::{Basis, by_rows};
use super::certificate::{self, Certificate};
use super::energy::{Energy, Incidence, Position};
use super::newton::{centered, descend};
use super::precondition::pattern;
use super::problem::Unfolding;
use crate::eigen::SparseFactor;
use crate::operator::Dense;
use crate::{Request, Solver, Which, eigen, orthonormalize, tall};
use faer::{Mat, MatRef};
use lowland_base::{Error, Result, Run};

/// How the low-rank solver goes to work.
#[derive(Debug, Clone)]
pub struct Options {
    /// With how many columns of `Y` it begins.
    pub rank: usize,
    /// The most columns: where the certificate asks for more, what was found is returned as not converged.
    pub most_rank: usize,
    /// The largest relative violation of an edge that is a success.
    pub tolerance: f64,
    /// The largest gap, relative to the bound, that is a success.
    pub gap: f64,
    /// The most updates of the multipliers.
    pub steps: usize,
    /// Where to begin, one point a row; smooth vectors on the graph where there is nothing better.
    pub start: Option<Mat<f64>>,
    /// Vectors that the columns of `Y` are combinations of; all vectors where there are none.
    pub basis: Option<Mat<f64>>,
}

impl Default for Options {
    fn default() -> Self {
        Self { rank: 4, most_rank: 50, tolerance: 1e-6, gap: 1e-5, steps: 60, start: None, basis: None }
    }
}

/// The first parameter of the augmented Lagrangian: with weights about 1 the first edges bend by a tenth of that.
const FIRST_STIFFNESS: f64 = 10.0;
const MOST_STIFFNESS: f64 = 1e7;
/// Rounds of Newton steps that may end short of their goal before the multipliers are updated all the same.
const MOST_UNSETTLED: usize = 3;
/// Newton steps between two updates of the multipliers.
const NEWTON_STEPS: usize = 40;
/// New columns at a time.
const NEW_COLUMNS: usize = 3;
/// Certificates are looked at each time the residual has fallen by so much.
const BETWEEN_LOOKS: f64 = 0.05;

/// Unfolds by the low-rank way.
///
/// # Errors
/// A start or a basis with another number of rows; [`Error::Contradictory`] where no points have such distances, which the
/// dual proves; a canceled run.
pub fn low_rank(problem: &Unfolding, options: &Options, run: &Run) -> Result<Unfolded> {
    let points = problem.points();
    if points < 2 {
        return Ok(nothing(points));
    }
    let stage = run.stage("unfolding", None);
    let mut solver = LowRank::new(problem, options, run)?;
    let (mut looked_at, mut last, mut slow, mut unsettled) = (1.0, f64::INFINITY, 0, 0);
    let (mut tolerance, fine) = (1e-2, 0.3 * options.gap.min(options.tolerance));
    for step in 1..=options.steps {
        stage.advance(1)?;
        solver.turn(run)?;
        let gradient = solver.descend(tolerance, run)?;
        let settled = gradient <= 3.0 * tolerance;
        if !settled && unsettled < MOST_UNSETTLED {
            unsettled += 1;
            continue;
        }
        unsettled = 0;
        let residual = solver.update();
        stage.loss(residual);
        let done = residual <= options.tolerance && gradient <= fine;
        if done || residual < BETWEEN_LOOKS * looked_at {
            looked_at = residual.min(looked_at);
            let certificate = solver.certify(run)?;
            let gap = solver.gap(&certificate);
            if done && gap <= options.gap {
                return solver.finished(&certificate, step, true, run);
            }
            let full = !solver.grow(&certificate, options, run)?;
            if done && full {
                // Nothing is left to improve at this rank.
                return solver.finished(&certificate, step, false, run);
            }
        }
        if residual > 0.3 * last {
            slow += 1;
            if settled {
                solver.energy.stiffness = (solver.energy.stiffness * 4.0).min(MOST_STIFFNESS);
            }
            if slow % 4 == 0 && solver.is_infeasible(run)? {
                return Err(problem.infeasible(|e| solver.position.relative[e]));
            }
        }
        last = residual;
        tolerance = (0.05 * residual).clamp(0.5 * fine, 1e-2);
    }
    let certificate = solver.certify(run)?;
    solver.finished(&certificate, options.steps, false, run)
}

struct LowRank<'p> {
    energy: Energy<'p>,
    basis: Basis,
    /// The ordering of the sparse factors, where they stay in proportion to the graph.
    pattern: Option<SparseFactor>,
    position: Position,
    /// The smallest eigenvalue of the Laplacian with weights `1 / d^2`.
    rigidity: f64,
}

impl<'p> LowRank<'p> {
    fn new(problem: &'p Unfolding, options: &Options, run: &Run) -> Result<Self> {
        let points = problem.points();
        let fits = |matrix: &Mat<f64>, what: &'static str| match matrix.nrows() {
            found if found == points => Ok(()),
            found => Err(Error::Width { what, expected: points, found }),
        };
        let basis = match &options.basis {
            None => Basis::All,
            Some(vectors) => {
                fits(vectors, "basis")?;
                Basis::Span(orthonormalize(without_means(vectors.as_ref()), run)?)
            }
        };
        let most = match &basis {
            Basis::All => points - 1,
            Basis::Span(vectors) => vectors.ncols(),
        };
        let rank = options.rank.clamp(1, most.max(1));
        let incidence = Incidence::new(points, problem.ends());
        let squared = problem.squared();
        let smooth = certificate::smallest(&incidence, &basis, |e| 1.0 / squared[e], rank, run)?;
        let rigidity = smooth.values.first().copied().unwrap_or(1.0).max(1e-300);
        let (y, width) = match &options.start {
            Some(start) => {
                fits(start, "start")?;
                let inside = match &basis {
                    Basis::All => by_rows(start),
                    Basis::Span(vectors) => {
                        let coefficients = tall::inner(vectors.as_ref(), start.as_ref(), run)?;
                        by_rows(&tall::combine(vectors.as_ref(), coefficients.as_ref(), run)?)
                    }
                };
                (inside.into_iter().map(|y| y / problem.unit()).collect(), start.ncols())
            }
            None => {
                // Commute times: long waves are large.
                let scaled = Mat::from_fn(smooth.vectors.nrows(), rank, |i, j| {
                    smooth.vectors[(i, j)] / smooth.values[j].max(rigidity).sqrt()
                });
                (basis.expand(&by_rows(&scaled), rank, run)?.into_owned(), rank)
            }
        };
        let mut y = centered(y, width);
        if options.start.is_none() {
            let lengths: f64 = problem
                .ends()
                .iter()
                .map(|&(i, j)| {
                    let (i, j) = (i as usize * width, j as usize * width);
                    (0..width).map(|c| (y[i + c] - y[j + c]).powi(2)).sum::<f64>()
                })
                .sum();
            let factor = (squared.iter().sum::<f64>() / lengths.max(f64::MIN_POSITIVE)).sqrt();
            y.iter_mut().for_each(|y| *y *= factor);
        }
        let trace: f64 = y.iter().map(|y| y * y).sum();
        let multipliers = vec![0.0; squared.len()];
        let mass = squared.iter().sum::<f64>() / trace.max(1e-300);
        let energy = Energy { problem, incidence, mass, multipliers, stiffness: FIRST_STIFFNESS };
        let position = energy.at(y, width, run)?;
        let pattern = if matches!(basis, Basis::All) { pattern(&energy, run)? } else { None };
        Ok(Self { energy, basis, pattern, position, rigidity })
    }

    fn trace(&self) -> f64 {
        self.position.y.iter().map(|y| y * y).sum()
    }

    /// Turns `Y` to its principal axes, drops columns that are nothing, and makes the weights of the edges about 1.
    fn turn(&mut self, run: &Run) -> Result<()> {
        let width = self.position.width;
        let y = MatRef::from_row_major_slice(&self.position.y, self.energy.problem.points(), width);
        let gram = tall::inner(y, y, run)?;
        let gram = Mat::from_fn(width, width, |i, j| 0.5 * (gram[(i, j)] + gram[(j, i)]));
        let request = Request::new(width, Which::Largest).by(Solver::Dense);
        let axes = eigen::solve(&Dense::new(gram.as_ref())?, &request, run)?;
        let total: f64 = axes.values.iter().sum();
        let kept = axes.values.iter().filter(|&&value| value > 1e-14 * total).count().max(1);
        let turned = tall::combine(y, axes.vectors.as_ref().subcols(0, kept), run)?;
        let factor =
            self.energy.problem.squared().iter().sum::<f64>() / (self.energy.mass * total.max(1e-300));
        self.energy.mass *= factor;
        self.energy.multipliers.iter_mut().for_each(|l| *l *= factor);
        self.position = self.energy.at(by_rows(&turned), kept, run)?;
        Ok(())
    }

    fn descend(&mut self, tolerance: f64, run: &Run) -> Result<f64> {
        let goal = (tolerance, NEWTON_STEPS);
        descend(&self.energy, &self.basis, self.pattern.as_ref(), &mut self.position, goal, run)
    }

    /// The weights are the next multipliers. Returns by how much they changed, relative to the parameter: the violation of
    /// the edges, and of complementarity.
    fn update(&mut self) -> f64 {
        let old = self.energy.multipliers.iter();
        let change =
            self.position.weights.iter().zip(old).fold(0.0f64, |most, (w, l)| most.max((w - l).abs()));
        self.energy.multipliers.clone_from(&self.position.weights);
        change / self.energy.stiffness
    }

    /// The weights at which a unit of trace is worth 1.
    fn weights(&self) -> Vec<f64> {
        self.energy.multipliers.iter().map(|w| w / self.energy.mass).collect()
    }

    fn certify(&self, run: &Run) -> Result<Certificate> {
        let parts = (&self.energy.incidence, &self.basis);
        certificate::certify(self.energy.problem, parts, &self.weights(), self.rigidity, NEW_COLUMNS, run)
    }

    fn value(&self) -> f64 {
        self.trace() - self.energy.problem.penalty_of(|e| self.position.relative[e])
    }

    fn gap(&self, certificate: &Certificate) -> f64 {
        ((certificate.bound - self.value()) / certificate.bound.abs().max(1e-300)).abs()
    }

    /// A new column of `Y` for each eigenvalue that is too small. Whether there is one.
    fn grow(&mut self, certificate: &Certificate, options: &Options, run: &Run) -> Result<bool> {
        let most = match &self.basis {
            Basis::All => self.energy.problem.points() - 1,
            Basis::Span(vectors) => vectors.ncols(),
        };
        let (old, room) =
            (self.position.width, most.min(options.most_rank).saturating_sub(self.position.width));
        let columns: Vec<Vec<f64>> = certificate
            .escapes
            .iter()
            .filter(|escape| escape.0 < 1.0 - options.gap)
            .take(room)
            .map(|escape| Ok(self.basis.expand(&escape.1, 1, run)?.into_owned()))
            .collect::<Result<_>>()?;
        if columns.is_empty() {
            return Ok(false);
        }
        let size = 0.03 * self.trace().sqrt();
        let width = old + columns.len();
        let mut y = Vec::with_capacity(self.energy.problem.points() * width);
        for (v, row) in self.position.y.chunks_exact(old).enumerate() {
            y.extend_from_slice(row);
            y.extend(columns.iter().map(|column| size * column[v]));
        }
        self.position = self.energy.at(centered(y, width), width, run)?;
        Ok(true)
    }

    /// Feasible weights with a negative dual value prove that there are no such points.
    fn is_infeasible(&self, run: &Run) -> Result<bool> {
        Ok(self.energy.problem.is_hard() && self.certify(run)?.bound < 0.0)
    }

    fn finished(
        mut self,
        certificate: &Certificate,
        steps: usize,
        converged: bool,
        run: &Run,
    ) -> Result<Unfolded> {
        self.turn(run)?;
        let (problem, width, y) = (self.energy.problem, self.position.width, &self.position.y);
        let coordinates = Mat::from_fn(problem.points(), width, |i, j| y[i * width + j] * problem.unit());
        let (worst_violation, mean_violation) = problem.violations(|e| self.position.relative[e]);
        let square = problem.unit().powi(2);
        let spectrum =
            (0..width).map(|c| y.iter().skip(c).step_by(width).map(|y| y * y).sum::<f64>() * square);
        Ok(Unfolded {
            spectrum: spectrum.collect(),
            trace: self.trace() * square,
            value: self.value() * square,
            bound: certificate.bound * square,
            weights: self.weights(),
            worst_violation,
            mean_violation,
            smallest_eigenvalue: certificate.smallest,
            converged,
            steps,
            coordinates,
        })
    }
}

/// The columns less their means.
fn without_means(matrix: MatRef<'_, f64>) -> Mat<f64> {
    let mean = |j: usize| matrix.col(j).iter().sum::<f64>() / matrix.nrows().max(1) as f64;
    let means: Vec<f64> = (0..matrix.ncols()).map(mean).collect();
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)] - means[j])
}

/// One point, or none: there is nothing to unfold.
pub(super) fn nothing(points: usize) -> Unfolded {
    Unfolded {
        coordinates: Mat::zeros(points, 1),
        spectrum: vec![0.0],
        trace: 0.0,
        value: 0.0,
        bound: 0.0,
        weights: Vec::new(),
        worst_violation: 0.0,
        mean_violation: 0.0,
        smallest_eigenvalue: 1.0,
        converged: true,
        steps: 0,
    }
}
