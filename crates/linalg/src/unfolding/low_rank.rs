//! The low-rank solver: `K = Y Y'`, an augmented Lagrangian, and the rank raised until the dual certificate holds.

use super::basis::{Basis, by_rows};
use super::certificate::{self, Certificate};
use super::energy::{Energy, Incidence, Position};
use super::face::{self, Face};
use super::newton::{centered, descend};
use super::options::Options;
use super::precondition::Pattern;
use super::problem::Unfolding;
use super::start;
use super::{Unfolded, nothing};
use crate::operator::Dense;
use crate::{Request, Solver, Which, eigen, orthonormalize, tall};
use faer::{Mat, MatRef};
use lowland_base::{Error, Result, Run};

/// The first parameter of the augmented Lagrangian: with weights about 1 the first edges bend by a tenth of that.
const FIRST_STIFFNESS: f64 = 10.0;
const MOST_STIFFNESS: f64 = 1e6;
const STIFFER: f64 = 4.0;
const SOFTER: f64 = 64.0;
/// By how much of itself a multiplier may change at once where distances may shrink.
const MOST_CHANGE: f64 = 10.0;
/// From nothing it could not come back.
const LEAST_MULTIPLIER: f64 = 1e-7;
/// After so many updates that gain little the certificate is looked at.
const PATIENCE: usize = 4;
/// Rounds of Newton steps that may end short of their goal before the multipliers are updated all the same.
const MOST_UNSETTLED: usize = 3;
/// Newton steps between two updates of the multipliers.
const NEWTON_STEPS: usize = 40;
/// After so many updates in which the edges came no nearer to their lengths by half it ends.
const HOPELESS: usize = 15;
/// The most vectors of a basis that flat cliques leave, so that memory stays in proportion to the coordinates.
const MOST_VECTORS: usize = 40;
/// Or so many numbers.
const MOST_NUMBERS: usize = 100_000;
/// Newton steps after which lengths that must be kept are only brought back to what they were: where no kernel with these lengths
/// is definite, better weights are found without end.
const MOST_NEWTON: usize = 300;
/// The same where no clique is flat, and there may be such a kernel.
const MOST_NEWTON_DEFINITE: usize = 2000;
/// They are so many times as stiff each time, up to this.
const CLOSINGS: usize = 10;
const CLOSER: f64 = 16.0;
const STIFFEST: f64 = 1e9;
/// New columns at a time.
const NEW_COLUMNS: usize = 3;
/// Certificates are looked at each time the residual has fallen by so much.
const BETWEEN_CHECKS: f64 = 0.05;

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
    if problem.is_hard() && options.basis.is_none() {
        let most = MOST_VECTORS.max(MOST_NUMBERS / points);
        let face = face::of(problem, &Incidence::new(points, problem.ends()), most, run)?;
        let newton = if matches!(face, Face::Whole) { MOST_NEWTON_DEFINITE } else { MOST_NEWTON };
        if let Face::Span(vectors) = face {
            match solve(problem, options, (Some(Basis::Span(vectors)), MOST_NEWTON_DEFINITE), run) {
                Ok(found) if found.worst_violation <= options.tolerance => return Ok(found),
                // Not kept there: cliques that nearly are flat may have been taken for flat ones.
                Ok(_) | Err(Error::Contradictory { .. }) => {}
                failed => return failed,
            }
        }
        return solve(problem, options, (None, newton), run);
    }
    solve(problem, options, (None, MOST_NEWTON_DEFINITE), run)
}

/// Unfolds in a space where all feasible points lie, and by so many Newton steps where lengths are kept.
fn solve(
    problem: &Unfolding,
    options: &Options,
    (face, newton): (Option<Basis>, usize),
    run: &Run,
) -> Result<Unfolded> {
    let stage = run.stage("unfolding", None);
    let mut solver = LowRank::new(problem, options, face, run)?;
    let (mut checked, mut last, mut slow, mut unsettled) = (1.0, f64::INFINITY, 0, 0);
    let (mut best, mut since) = (f64::INFINITY, 0);
    let (mut tolerance, fine) = (1e-2, 0.3 * options.gap.min(options.tolerance));
    let mut steps = 0;
    for step in 1..=options.steps {
        steps = step;
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
        slow = if residual > 0.3 * last { slow + 1 } else { 0 };
        (best, since) = if residual < 0.5 * best { (residual, 0) } else { (best, since + 1) };
        if since > HOPELESS || (problem.is_hard() && solver.spent > newton) {
            break;
        }
        let done = residual <= options.tolerance;
        // Also where too few columns do not let the edges have their lengths.
        if done || residual < BETWEEN_CHECKS * checked || slow % PATIENCE == PATIENCE - 1 {
            checked = residual.min(checked);
            let certificate = solver.certify(run)?;
            // Feasible weights with a negative dual value prove that there are no such points.
            if problem.is_hard() && certificate.bound < 0.0 {
                return Err(problem.infeasible(|e| solver.position.relative[e]));
            }
            if done && solver.gap(&certificate) <= options.gap {
                return solver.finished(&certificate, step, true, run);
            }
            let full = !solver.grow(&certificate, options, run)?;
            (best, since) = if full { (best, since) } else { (f64::INFINITY, 0) };
            if done && full && (gradient <= fine || slow > PATIENCE) {
                // Nothing is left to improve at this rank, or in this precision.
                return solver.finished(&certificate, step, false, run);
            }
        }
        if settled && !done && (solver.energy.is_barrier() || slow > 0) {
            solver.energy.stiffness = (solver.energy.stiffness * STIFFER).min(MOST_STIFFNESS);
        }
        last = residual;
        // Not `clamp`: half of a coarse `fine` is above the ceiling.
        tolerance = (0.05 * residual).min(1e-2).max(0.5 * fine);
    }
    if problem.is_hard() {
        solver.close(options.tolerance, run)?;
    }
    let certificate = solver.certify(run)?;
    if problem.is_hard() && certificate.bound < 0.0 {
        return Err(problem.infeasible(|e| solver.position.relative[e]));
    }
    let converged = solver.worst() <= options.tolerance && solver.gap(&certificate) <= options.gap;
    solver.finished(&certificate, steps, converged, run)
}

struct LowRank<'p> {
    energy: Energy<'p>,
    basis: Basis,
    /// The ordering of the sparse factors, and for how many columns.
    pattern: (usize, Pattern),
    position: Position,
    /// The smallest eigenvalue of the Laplacian with weights `1 / d^2`.
    rigidity: f64,
    /// Newton steps so far.
    spent: usize,
    /// The least bound of all certificates.
    bound: f64,
}

impl<'p> LowRank<'p> {
    fn new(problem: &'p Unfolding, options: &Options, face: Option<Basis>, run: &Run) -> Result<Self> {
        let points = problem.points();
        let fits = |matrix: &Mat<f64>, what: &'static str| match matrix.nrows() {
            found if found == points => Ok(()),
            found => Err(Error::Width { what, expected: points, found }),
        };
        let incidence = Incidence::new(points, problem.ends());
        let basis = match &options.basis {
            None => face.unwrap_or(Basis::All),
            Some(vectors) => {
                fits(vectors, "basis")?;
                Basis::Span(orthonormalize(without_means(vectors.as_ref()), run)?)
            }
        };
        let most = match &basis {
            Basis::All => points - 1,
            Basis::Span(vectors) => vectors.ncols(),
        };
        // As many numbers as edges, where all of these must be kept.
        let needed = if problem.is_hard() { 1 + problem.ends().len() / points } else { 1 };
        let rank = options.rank.max(needed.min(options.most_rank)).clamp(1, most.max(1));
        let squared = problem.squared();
        let smooth = certificate::smallest(&incidence, &basis, |e| 1.0 / squared[e], 1, run)?;
        let rigidity = smooth.values.first().copied().unwrap_or(1.0).max(1e-300);
        let (start, width) = match &options.start {
            Some(start) => {
                fits(start, "start")?;
                (by_rows(start).into_iter().map(|y| y / problem.unit()).collect(), start.ncols())
            }
            None => (start::geodesic(problem, &incidence, rank, run)?, rank),
        };
        let inside = basis.expand(&basis.reduce(start, width, run)?, width, run)?.into_owned();
        let y = centered(inside, width);
        let trace: f64 = y.iter().map(|y| y * y).sum();
        let mass = squared.iter().sum::<f64>() / trace.max(1e-300);
        let multipliers = Vec::new();
        let mut energy = Energy { problem, incidence, mass, multipliers, stiffness: FIRST_STIFFNESS };
        // A barrier begins with the mean weight.
        energy.multipliers = vec![if energy.is_barrier() { 1.0 } else { 0.0 }; squared.len()];
        let position = energy.at(y, width, run)?;
        Ok(Self {
            energy,
            basis,
            pattern: (0, Pattern::None),
            position,
            rigidity,
            spent: 0,
            bound: f64::INFINITY,
        })
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
        let width = self.position.width;
        if self.pattern.0 != width {
            self.pattern = (width, Pattern::new(&self.energy, &self.basis, &self.position, run)?);
        }
        let (gradient, steps) =
            descend(&self.energy, &self.basis, &self.pattern.1, &mut self.position, goal, run)?;
        self.spent += steps;
        Ok(gradient)
    }

    /// The largest relative violation.
    fn worst(&self) -> f64 {
        self.energy.problem.violations(|e| self.position.relative[e]).0
    }

    /// Brings the edges back toward their lengths, whatever that costs of the trace.
    fn close(&mut self, tolerance: f64, run: &Run) -> Result<()> {
        for _ in 0..CLOSINGS {
            let worst = self.worst();
            if worst <= tolerance {
                break;
            }
            self.energy.stiffness = (self.energy.stiffness * CLOSER).min(STIFFEST);
            self.turn(run)?;
            self.descend(0.05 * worst, run)?;
            self.update();
        }
        Ok(())
    }

    /// The weights are the next multipliers. Returns by how much the edges are off, in units of their squared lengths, or how
    /// tight those are that are shorter, whichever is less.
    fn update(&mut self) -> f64 {
        let barrier = self.energy.is_barrier();
        let mut most = 0.0f64;
        for (e, l) in self.energy.multipliers.iter_mut().enumerate() {
            let (c, w) = (self.position.relative[e], self.position.weights[e]);
            let old = *l;
            *l =
                if barrier { w.clamp(old / MOST_CHANGE, old * MOST_CHANGE).max(LEAST_MULTIPLIER) } else { w };
            let off = if barrier { c.max(-w) } else { (w - old) / self.energy.stiffness };
            most = most.max(off.abs());
        }
        most
    }

    /// The weights at which a unit of trace is worth 1.
    fn weights(&self) -> Vec<f64> {
        self.position.weights.iter().map(|w| w / self.energy.mass).collect()
    }

    fn certify(&mut self, run: &Run) -> Result<Certificate> {
        let parts = (&self.energy.incidence, &self.basis);
        let weights = self.weights();
        let mut found =
            certificate::certify(self.energy.problem, parts, &weights, self.rigidity, NEW_COLUMNS, run)?;
        // Each of them is a bound.
        self.bound = self.bound.min(found.bound);
        found.bound = self.bound;
        Ok(found)
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
        let width = old + columns.len();
        let (mut y, mut step) = (Vec::new(), Vec::new());
        for (v, row) in self.position.y.chunks_exact(old).enumerate() {
            y.extend_from_slice(row);
            y.extend(columns.iter().map(|_| 0.0));
            step.extend(row.iter().map(|_| 0.0));
            step.extend(columns.iter().map(|column| column[v]));
        }
        // There is a way to go, for which the edges must give.
        self.energy.stiffness = (self.energy.stiffness / SOFTER).max(FIRST_STIFFNESS);
        let position = self.energy.at(y, width, run)?;
        let step = centered(step, width);
        // A saddle: the value falls with the square of the step, until the edges bend.
        let line = self.energy.line(&position, &step, run)?;
        let value = |size: f64| self.energy.along(&position, &line, size).0;
        let mut size = 0.1 * self.trace().sqrt();
        while size > 1e-3 * self.trace().sqrt()
            && (value(size) > position.value || value(0.5 * size) < value(size))
        {
            size *= 0.5;
        }
        let y = position.y.iter().zip(&step).map(|(y, step)| y + size * step).collect();
        self.position = self.energy.at(y, width, run)?;
        Ok(true)
    }

    fn finished(
        mut self,
        certificate: &Certificate,
        steps: usize,
        converged: bool,
        run: &Run,
    ) -> Result<Unfolded> {
        let weights = self.weights();
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
            weights,
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
