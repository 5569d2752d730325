//! The reference for small problems: a primal-dual interior-point method in dense matrices (the direction of Helmberg,
//! Rendl, Vanderbei and Wolkowicz 1996). Each edge is `a a'` with one vector `a`, so that the matrix of its Newton equations
//! is an entrywise product: `(a_e' X a_f) (a_e' Z^-1 a_f)`.

use super::energy::Incidence;
use super::face::{self, Face};
use super::problem::{Constraint, Unfolding};
use super::{Unfolded, nothing};
use crate::eigen::{self, cholesky, parallelism};
use crate::operator::Dense;
use crate::{Request, Solver, Which, symmetric};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatRef};
use lowland_base::{Error, Result, Run};

/// The most steps; some twenty are usual.
const STEPS: usize = 150;
/// How often a solution of the Newton equations is corrected.
const REFINEMENTS: usize = 3;
/// How far to the boundary a step goes.
const SHARE: f64 = 0.95;

/// The bytes that [`interior_point`] needs for so many points and edges.
pub fn interior_point_bytes(points: usize, edges: usize) -> u64 {
    let (n, m) = (points as f64, edges as f64);
    (8.0 * (14.0 * n * n + 4.0 * m * m + 5.0 * n * m)) as u64
}

/// Unfolds some hundred points exactly: memory for `n^2` and `edges^2` numbers, time for `edges^3`.
///
/// # Errors
/// [`Error::Contradictory`] where no points have such distances; a canceled run; memory over the budget.
pub fn interior_point(problem: &Unfolding, tolerance: f64, run: &Run) -> Result<Unfolded> {
    let (points, count) = (problem.points(), problem.ends().len());
    if points < 2 {
        return Ok(nothing(points));
    }
    let bytes = interior_point_bytes(points, count);
    run.reserve("the interior-point method", bytes, "choose the low-rank solver")?;
    let mut in_face = None;
    if problem.is_hard()
        && let Face::Span(face) = face::of(problem, &Incidence::new(points, problem.ends()), points, run)?
    {
        // Inside the face that flat cliques leave there are definite kernels; without, the method would have no way to go.
        match solve_in(problem, face, tolerance, run) {
            Ok(found) if found.converged => return Ok(found),
            Ok(found) => in_face = Some(found),
            Err(Error::Contradictory { .. }) => {}
            failed => return failed,
        }
    }
    let found = solve_in(problem, helmert(points), tolerance, run)?;
    let off = |found: &Unfolded| {
        let gap = found.gap().abs();
        if gap.is_finite() { gap.max(found.worst_violation) } else { f64::INFINITY }
    };
    Ok(in_face.filter(|in_face| !found.converged && off(in_face) < off(&found)).unwrap_or(found))
}

/// Unfolds in the span of orthonormal vectors without a mean.
fn solve_in(problem: &Unfolding, basis: Mat<f64>, tolerance: f64, run: &Run) -> Result<Unfolded> {
    let stage = run.stage("interior point", None);
    let mut iterate = Iterate::new(problem, basis, run)?;
    let mut best = (f64::INFINITY, 0);
    // Where lengths are kept, weights may grow without bound: rounding then ends the progress, and later iterates are worse. Of
    // those that keep the lengths the one is taken whose trace is nearest to the least bound.
    let (mut nearest, mut least, mut steps) = (None::<(Iterate<'_>, usize)>, f64::INFINITY, STEPS);
    for step in 1..=STEPS {
        stage.advance(1)?;
        let progress = iterate.progress();
        stage.loss(progress.0.max(progress.1));
        if progress.0 <= tolerance && progress.1 <= tolerance {
            let bound = iterate.dual_value();
            return iterate.finished((step, true), bound, run);
        }
        // Feasible weights with a negative dual value prove that there are no such points.
        if problem.is_hard() && iterate.dual_value() < 0.0 {
            return Err(problem.infeasible(|e| iterate.relative(e)));
        }
        if problem.is_hard() && iterate.is_finite() {
            least = least.min(iterate.dual_value());
            let off = |other: &Iterate<'_>| {
                (other.progress().0.max(tolerance), ((least - other.value()) / least.abs().max(1e-300)).abs())
            };
            if nearest.as_ref().is_none_or(|(nearest, _)| off(&iterate) < off(nearest)) {
                nearest = Some((iterate.clone(), step));
            }
        }
        let worst = progress.0.max(progress.1);
        best = if worst < 0.9 * best.0 { (worst, step) } else { best };
        if step > best.1 + 25 || !iterate.step(run)? {
            steps = step;
            break;
        }
    }
    match nearest {
        Some((nearest, step)) => nearest.finished((step, false), least, run),
        None => {
            let bound = iterate.dual_value();
            iterate.finished((steps, false), bound, run)
        }
    }
}

#[derive(Clone)]
struct Iterate<'p> {
    problem: &'p Unfolding,
    /// The columns `a_e`, in an orthonormal basis of the vectors without a mean that feasible points can have.
    edges: Mat<f64>,
    /// That basis.
    basis: Mat<f64>,
    x: Mat<f64>,
    z: Mat<f64>,
    w: Vec<f64>,
    /// `d^2 - a'Xa` where distances may shrink.
    room: Vec<f64>,
    /// `a_e' X a_e`.
    lengths: Vec<f64>,
}

impl<'p> Iterate<'p> {
    fn new(problem: &'p Unfolding, basis: Mat<f64>, run: &Run) -> Result<Self> {
        let ends = problem.ends();
        let order = basis.ncols();
        let edges = Mat::from_fn(order, ends.len(), |i, e| {
            basis[(ends[e].0 as usize, i)] - basis[(ends[e].1 as usize, i)]
        });
        // Equal weights that are feasible for the dual, and a small ball of points.
        let gram = product(edges.as_ref(), edges.transpose(), run);
        let least = smallest(&gram, run)?;
        let weight = 2.0 / least.max(1e-12);
        let z = Mat::from_fn(order, order, |i, j| weight * gram[(i, j)] - f64::from(u8::from(i == j)));
        let size = 0.5 * problem.squared().iter().sum::<f64>() / ends.len() as f64;
        let x = Mat::from_fn(order, order, |i, j| if i == j { size } else { 0.0 });
        let w = vec![weight; ends.len()];
        let room = problem.squared().iter().map(|d2| 0.5 * d2).collect();
        let mut iterate = Self { problem, edges, basis, x, z, w, room, lengths: Vec::new() };
        iterate.measure(run);
        Ok(iterate)
    }

    fn measure(&mut self, run: &Run) {
        let images = product(self.x.as_ref(), self.edges.as_ref(), run);
        let of = |e: usize| images.col(e).iter().zip(self.edges.col(e).iter()).map(|(a, b)| a * b).sum();
        self.lengths = (0..self.edges.ncols()).map(of).collect();
    }

    fn shrinks(&self) -> bool {
        self.problem.constraint() == Constraint::AtMost
    }

    /// `d_e^2 / nu`: by how much a weight bends its edge.
    fn bend(&self, e: usize) -> f64 {
        self.problem.penalty().map_or(0.0, |penalty| self.problem.squared()[e] / penalty)
    }

    fn relative(&self, e: usize) -> f64 {
        self.lengths[e] / self.problem.squared()[e] - 1.0
    }

    /// Of rounding without bound nothing is left to compare.
    fn is_finite(&self) -> bool {
        self.dual_value().is_finite() && self.lengths.iter().all(|length| length.is_finite())
    }

    fn trace(&self) -> f64 {
        (0..self.x.nrows()).map(|i| self.x[(i, i)]).sum()
    }

    fn value(&self) -> f64 {
        self.trace() - self.problem.penalty_of(|e| self.relative(e))
    }

    fn dual_value(&self) -> f64 {
        self.problem.dual_value(self.w.iter().copied())
    }

    /// The worst violation and the gap, both relative.
    fn progress(&self) -> (f64, f64) {
        let residual = |e: usize| {
            let room = if self.shrinks() { self.room[e] } else { 0.0 };
            let bend = self.bend(e) * self.w[e];
            (self.lengths[e] + room - bend) / self.problem.squared()[e] - 1.0
        };
        let worst = (0..self.w.len()).fold(0.0f64, |most, e| most.max(residual(e).abs()));
        let dual = self.dual_value();
        (worst, ((dual - self.value()) / dual.abs().max(1e-300)).abs())
    }

    /// One step; whether there was one.
    fn step(&mut self, run: &Run) -> Result<bool> {
        let (n, m) = (self.x.nrows(), self.w.len());
        let Some(factor) = cholesky(self.z.clone(), run)? else { return Ok(false) };
        let mut inverse = Mat::<f64>::identity(n, n);
        solve(factor.as_ref(), &mut inverse, run);
        let inverse = symmetric::mean(inverse.as_ref());
        let images = product(self.x.as_ref(), self.edges.as_ref(), run);
        let x_gram = product(self.edges.transpose(), images.as_ref(), run);
        let images = product(inverse.as_ref(), self.edges.as_ref(), run);
        let z_gram = product(self.edges.transpose(), images.as_ref(), run);
        let mut schur = Mat::from_fn(m, m, |e, f| x_gram[(e, f)] * z_gram[(e, f)]);
        for e in 0..m {
            let room = if self.shrinks() { self.room[e] / self.w[e] } else { 0.0 };
            schur[(e, e)] += room + self.bend(e);
        }
        let Some(schur) = Refined::new(schur, run)? else { return Ok(false) };
        let pairs = if self.shrinks() { n + m } else { n } as f64;
        let products: f64 = (0..n).map(|j| dot(self.x.as_ref(), self.z.as_ref(), j)).sum();
        let rooms: f64 = self.w.iter().zip(&self.room).map(|(w, room)| w * room).sum();
        let mu = (products + if self.shrinks() { rooms } else { 0.0 }) / pairs;
        // First straight to the boundary: how far it gets says how much to center.
        let mut step = self.direction(0.0, &schur, &inverse, &z_gram, run);
        let (primal, dual) = self.lengths_of(&step, run)?;
        let centering = (1.0 - primal.min(dual)).powi(2).clamp(1e-4, 0.9);
        step = self.direction(centering * mu, &schur, &inverse, &z_gram, run);
        let (primal, dual) = self.lengths_of(&step, run)?;
        let (primal, dual) = (SHARE * primal, SHARE * dual);
        let moved = |a: &Mat<f64>, t: f64, b: &Mat<f64>| Mat::from_fn(n, n, |i, j| a[(i, j)] + t * b[(i, j)]);
        self.x = moved(&self.x, primal, &step.x);
        self.z = moved(&self.z, dual, &step.z);
        self.w.iter_mut().zip(&step.w).for_each(|(w, d)| *w += dual * d);
        self.room.iter_mut().zip(&step.room).for_each(|(room, d)| *room += primal * d);
        self.measure(run);
        Ok(primal.max(dual) > 1e-8)
    }

    /// The Newton step toward `X Z = mu I`.
    fn direction(&self, mu: f64, schur: &Refined, inverse: &Mat<f64>, z_gram: &Mat<f64>, run: &Run) -> Step {
        let (n, m) = (self.x.nrows(), self.w.len());
        let squared = self.problem.squared();
        let right = |e: usize| {
            let centered = if self.shrinks() { mu / self.w[e] } else { 0.0 };
            mu * z_gram[(e, e)] + centered - squared[e] - self.bend(e) * self.w[e]
        };
        let mut solution = Mat::from_fn(m, 1, |e, _| right(e));
        schur.solve(&mut solution, run);
        let w: Vec<f64> = solution.col(0).iter().copied().collect();
        let weighted = Mat::from_fn(n, m, |i, e| w[e] * self.edges[(i, e)]);
        let z = symmetric::mean(product(weighted.as_ref(), self.edges.transpose(), run).as_ref());
        let both = product(self.x.as_ref(), product(z.as_ref(), inverse.as_ref(), run).as_ref(), run);
        let x = Mat::from_fn(n, n, |i, j| mu * inverse[(i, j)] - self.x[(i, j)] - both[(i, j)]);
        let x = symmetric::mean(x.as_ref());
        let room = (0..m).map(|e| mu / self.w[e] - self.room[e] - self.room[e] / self.w[e] * w[e]).collect();
        Step { x, z, w, room }
    }

    /// How far the primal and the dual part can go, at most 1.
    fn lengths_of(&self, step: &Step, run: &Run) -> Result<(f64, f64)> {
        let mut lengths = (inside(&self.x, &step.x, run)?, inside(&self.z, &step.z, run)?);
        if self.shrinks() {
            let within = |values: &[f64], changes: &[f64]| {
                let most =
                    |least: f64, (v, d): (&f64, &f64)| if *d < 0.0 { least.min(-v / d) } else { least };
                values.iter().zip(changes).fold(1.0, most)
            };
            lengths.0 = lengths.0.min(within(&self.room, &step.room));
            lengths.1 = lengths.1.min(within(&self.w, &step.w));
        }
        Ok(lengths)
    }

    fn finished(self, (steps, converged): (usize, bool), bound: f64, run: &Run) -> Result<Unfolded> {
        let (n, problem) = (self.x.nrows(), self.problem);
        let square = problem.unit().powi(2);
        let request = Request::new(n, Which::Largest).by(Solver::Dense);
        let pairs = eigen::solve(&Dense::new(self.x.as_ref())?, &request, run)?;
        let floor = 1e-10 * pairs.values[0].max(0.0);
        let rank = pairs.values.iter().take_while(|&&value| value > floor).count().max(1);
        let vectors = product(self.basis.as_ref(), pairs.vectors.as_ref().subcols(0, rank), run);
        let scale = |j: usize| pairs.values[j].max(0.0).sqrt() * problem.unit();
        let least = smallest(&self.z, run)?;
        let (worst_violation, mean_violation) = problem.violations(|e| self.relative(e));
        Ok(Unfolded {
            coordinates: Mat::from_fn(problem.points(), rank, |i, j| vectors[(i, j)] * scale(j)),
            spectrum: pairs.values[..rank].iter().map(|value| value.max(0.0) * square).collect(),
            trace: self.trace() * square,
            value: self.value() * square,
            bound: bound * square,
            smallest_eigenvalue: 1.0 + least,
            weights: self.w,
            worst_violation,
            mean_violation,
            converged,
            steps,
        })
    }
}

/// A matrix with the factor of one that is a little more definite: where edges depend on each other, rounding would leave it
/// none. What that changes, repeated solves take back.
struct Refined {
    matrix: Mat<f64>,
    factor: Mat<f64>,
}

impl Refined {
    fn new(matrix: Mat<f64>, run: &Run) -> Result<Option<Self>> {
        let order = matrix.nrows();
        for ridge in [1e-14, 1e-12, 1e-10, 1e-8] {
            let more = |i: usize, j: usize| if i == j { 1.0 + ridge } else { 1.0 };
            let raised = Mat::from_fn(order, order, |i, j| matrix[(i, j)] * more(i, j));
            if let Some(factor) = cholesky(raised, run)? {
                return Ok(Some(Self { matrix, factor }));
            }
        }
        Ok(None)
    }

    fn solve(&self, right: &mut Mat<f64>, run: &Run) {
        let wanted = right.clone();
        solve(self.factor.as_ref(), right, run);
        for _ in 0..REFINEMENTS {
            let mut rest = &wanted - product(self.matrix.as_ref(), right.as_ref(), run);
            solve(self.factor.as_ref(), &mut rest, run);
            *right += rest;
        }
    }
}

struct Step {
    x: Mat<f64>,
    z: Mat<f64>,
    w: Vec<f64>,
    room: Vec<f64>,
}

/// An orthonormal basis of the vectors of length `n` without a mean.
fn helmert(n: usize) -> Mat<f64> {
    Mat::from_fn(n, n - 1, |i, j| {
        let k = (j + 1) as f64;
        let scale = 1.0 / (k * (k + 1.0)).sqrt();
        match i.cmp(&(j + 1)) {
            std::cmp::Ordering::Less => scale,
            std::cmp::Ordering::Equal => -k * scale,
            std::cmp::Ordering::Greater => 0.0,
        }
    })
}

/// How far from a definite matrix one can go and stay definite, at most 1, a little short of the boundary.
fn inside(at: &Mat<f64>, change: &Mat<f64>, run: &Run) -> Result<f64> {
    let (n, mut length) = (at.nrows(), 1.0);
    for _ in 0..60 {
        let moved = Mat::from_fn(n, n, |i, j| at[(i, j)] + length * change[(i, j)]);
        if cholesky(moved, run)?.is_some() {
            return Ok(length);
        }
        length *= 0.85;
    }
    Ok(0.0)
}

fn smallest(matrix: &Mat<f64>, run: &Run) -> Result<f64> {
    let request = Request::new(1, Which::Smallest).by(Solver::Dense);
    Ok(eigen::solve(&Dense::new(matrix.as_ref())?, &request, run)?.values[0])
}

fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, run: &Run) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    let par = parallelism(a.nrows().max(a.ncols()).max(b.ncols()));
    run.install(|| matmul(out.as_mut(), Accum::Replace, a, b, 1.0, par));
    out
}

/// Solves with a Cholesky factor, in place.
fn solve(factor: MatRef<'_, f64>, right: &mut Mat<f64>, run: &Run) {
    let par = parallelism(factor.nrows());
    run.install(|| {
        solve_lower_triangular_in_place(factor, right.as_mut(), par);
        solve_upper_triangular_in_place(factor.transpose(), right.as_mut(), par);
    });
}

fn dot(a: MatRef<'_, f64>, b: MatRef<'_, f64>, column: usize) -> f64 {
    a.col(column).iter().zip(b.col(column).iter()).map(|(a, b)| a * b).sum()
}
