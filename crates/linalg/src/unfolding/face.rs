//! Where all lengths are kept: the face of the cone that flat cliques leave (Drusvyatskiy, Krislock, Voronin and Wolkowicz
//! 2017).
//!
//! Points that keep all distances among themselves, more of them than their dimensions and one, have a stress: `S >= 0` with
//! `tr S K = 0` for every `K` with these distances. So no feasible `K` is definite, and no bounded weights are optimal for the
//! dual: a solver that does not know it goes on for ever. The sum over all cliques, `S = sum_e s_e L_e`, is known beforehand:
//! the columns of every feasible `Y` lie in its null space, and where that has few dimensions it is the basis in which the
//! problem is solved. Where neighborhoods overlap in more points than dimensions, it has those of the data: then only one
//! shape has these distances.

use super::energy::Incidence;
use super::problem::Unfolding;
use crate::operator::Dense;
use crate::{Eigenpairs, Request, Solver, Which, eigen};
use faer::Mat;
use lowland_base::{Csr, Error, Result, Run};
use std::collections::BTreeSet;

/// A clique has fewer dimensions where an eigenvalue of its inner products is below this share of the largest: that is rounding.
const FLAT: f64 = 1e-13;
/// And where one is between, the space of the others is not known well enough to say anything.
const CLEAR: f64 = 1e-7;
/// Eigenvalues of the stress that count as 0; those of sheets that bend hardly are above 1e-9.
const NULL: f64 = 1e-12;
/// A clique grows among so many points that are neighbors of its first two.
const MOST_CANDIDATES: usize = 64;

/// Where the columns of feasible points lie.
pub(super) enum Face {
    /// Anywhere: no clique is flat.
    Whole,
    /// In the span of these vectors without a mean.
    Span(Mat<f64>),
    /// In the span of more vectors than can be held.
    Large,
}

/// The face of a problem, of up to `most` vectors.
pub(super) fn of(problem: &Unfolding, incidence: &Incidence, most: usize, run: &Run) -> Result<Face> {
    let _stage = run.stage("flat cliques", None);
    let mut stress = vec![0.0; problem.ends().len()];
    let mut held = 0;
    for clique in cliques(problem, incidence, run)? {
        held += add_stress(problem, incidence, &clique, &mut stress, run)?;
    }
    if held == 0 {
        return Ok(Face::Whole);
    }
    // Each takes a dimension at most.
    if held + 1 + most < problem.points() {
        return Ok(Face::Large);
    }
    let found = null_space(&incidence.laplacian(|e| stress[e], 0.0)?, most, run)?;
    Ok(found.map_or(Face::Large, Face::Span))
}

/// Cliques that cover the edges: from each edge on, the point that has most neighbors among those that are left.
fn cliques(problem: &Unfolding, incidence: &Incidence, run: &Run) -> Result<BTreeSet<Vec<u32>>> {
    let neighbors: Vec<Vec<u32>> = (0..problem.points())
        .map(|v| incidence.of(v).map(|(neighbor, _)| neighbor as u32).collect())
        .collect();
    let adjacent = |a: u32, b: u32| neighbors[a as usize].binary_search(&b).is_ok();
    let mut found = BTreeSet::new();
    for &(i, j) in problem.ends() {
        run.check()?;
        let mut clique = vec![i, j];
        let mut left: Vec<u32> = neighbors[i as usize].iter().copied().filter(|&v| adjacent(v, j)).collect();
        left.truncate(MOST_CANDIDATES);
        while !left.is_empty() {
            let common = |v: u32| left.iter().filter(|&&other| adjacent(v, other)).count();
            let next = left.iter().copied().max_by_key(|&v| (common(v), std::cmp::Reverse(v)));
            let Some(next) = next else { break };
            clique.push(next);
            left.retain(|&v| adjacent(v, next));
        }
        clique.sort_unstable();
        found.insert(clique);
    }
    Ok(found)
}

/// Adds the projection of a clique away from its coordinates and the constant vector. By how many dimensions it
/// has fewer than points allow.
fn add_stress(
    problem: &Unfolding,
    incidence: &Incidence,
    clique: &[u32],
    stress: &mut [f64],
    run: &Run,
) -> Result<usize> {
    let size = clique.len();
    // Three points have a stress only where they lie on a line.
    if size < 3 {
        return Ok(0);
    }
    let edge = |a: u32, b: u32| incidence.of(a as usize).find(|pair| pair.0 == b as usize).map(|pair| pair.1);
    let mut edges = vec![usize::MAX; size * size];
    for a in 0..size {
        for b in 0..a {
            let Some(edge) = edge(clique[a], clique[b]) else { return Ok(0) };
            (edges[a * size + b], edges[b * size + a]) = (edge, edge);
        }
    }
    let squared = |a: usize, b: usize| if a == b { 0.0 } else { problem.squared()[edges[a * size + b]] };
    let means: Vec<f64> =
        (0..size).map(|a| (0..size).map(|b| squared(a, b)).sum::<f64>() / size as f64).collect();
    let mean = means.iter().sum::<f64>() / size as f64;
    let gram = Mat::from_fn(size, size, |a, b| -0.5 * (squared(a, b) - means[a] - means[b] + mean));
    let request = Request::new(size, Which::Largest).by(Solver::Dense);
    let axes = eigen::solve(&Dense::new(gram.as_ref())?, &request, run)?;
    let (least, clear) = (FLAT * size as f64 * axes.values[0], CLEAR * axes.values[0]);
    let rank = axes.values.iter().filter(|&&value| value > clear).count();
    // Negative where no points have such distances: that is for the dual to prove.
    if rank + 1 >= size || axes.values[rank..].iter().any(|value| value.abs() > least) {
        return Ok(0);
    }
    for a in 0..size {
        for b in 0..a {
            let along: f64 = (0..rank).map(|c| axes.vectors[(a, c)] * axes.vectors[(b, c)]).sum();
            stress[edges[a * size + b]] += along + 1.0 / size as f64;
        }
    }
    Ok(size - 1 - rank)
}

/// The null space of a positive semidefinite Laplacian but for the constant vector, where it has up to `most` dimensions.
fn null_space(laplacian: &Csr<f64>, most: usize, run: &Run) -> Result<Option<Mat<f64>>> {
    let n = laplacian.nrows();
    let most = (most + 2).min(n);
    let mut count = if 8 * most > n { most } else { most.min(8) };
    loop {
        let request = Request::new(count, Which::Smallest);
        let pairs = match eigen::solve(laplacian, &request, run) {
            Err(Error::NotConverged { found: Some(found), .. }) => Eigenpairs {
                values: found.values.clone(),
                vectors: found.vectors.clone(),
                residuals: found.residuals.clone(),
            },
            found => found?,
        };
        let null = pairs.values.iter().take_while(|&&value| value < NULL).count();
        if null < count || count == n {
            return Ok(Some(without_constant(&pairs.vectors, null)));
        }
        if count == most {
            return Ok(None);
        }
        count = (2 * count).min(most);
    }
}

/// The first columns, the constant vector among their combinations, turned so that it is one of them (by a reflection), and
/// the others.
fn without_constant(vectors: &Mat<f64>, count: usize) -> Mat<f64> {
    let n = vectors.nrows();
    let mut axis: Vec<f64> =
        (0..count).map(|j| vectors.col(j).iter().sum::<f64>() / (n as f64).sqrt()).collect();
    axis[0] += axis[0].signum();
    let square: f64 = axis.iter().map(|a| a * a).sum();
    let mut out = Mat::zeros(n, count - 1);
    for i in 0..n {
        let along = (0..count).map(|j| vectors[(i, j)] * axis[j]).sum::<f64>() * 2.0 / square;
        for j in 1..count {
            out[(i, j - 1)] = vectors[(i, j)] - along * axis[j];
        }
    }
    out
}
