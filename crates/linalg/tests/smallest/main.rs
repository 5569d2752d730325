//! The smallest eigenpairs of sparse semidefinite matrices, against spectra known in closed form.

mod edges;
mod spectra;

use lowland_base::Result;
use lowland_base::{Csr, Error, Progress, Run, Scalar};
use lowland_linalg::eigen::{self, factor_forecast, factor_is_affordable};
use lowland_linalg::{Eigenpairs, Operator, Request, Solver, Which};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};
use std::f64::consts::PI;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const WAYS: [Solver; 3] = [Solver::ShiftInvert, Solver::Filter, Solver::Auto];

fn smallest<T: Scalar>(
    op: &dyn Operator<T>,
    count: usize,
    tolerance: Option<f64>,
    solver: Solver,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    eigen::solve(op, &Request { count, which: Which::Smallest, solver, tolerance }, run)
}

fn laplacian(n: usize, edges: &[(usize, usize)]) -> Csr<f64> {
    let mut entries = vec![];
    for &(i, j) in edges {
        entries.extend([(i, j, -1.0), (j, i, -1.0), (i, i, 1.0), (j, j, 1.0)]);
    }
    Csr::from_entries(n, n, &entries).unwrap()
}

fn path(n: usize) -> Vec<(usize, usize)> {
    (1..n).map(|i| (i - 1, i)).collect()
}

fn cycle(n: usize) -> Vec<(usize, usize)> {
    (0..n).map(|i| (i, (i + 1) % n)).collect()
}

fn grid(rows: usize, columns: usize) -> Vec<(usize, usize)> {
    let mut edges = vec![];
    for i in 0..rows {
        for j in 0..columns {
            if i + 1 < rows {
                edges.push((i * columns + j, (i + 1) * columns + j));
            }
            if j + 1 < columns {
                edges.push((i * columns + j, i * columns + j + 1));
            }
        }
    }
    edges
}

/// Every node linked to random others: a graph without small separators, whose factor is nearly dense.
fn expander(n: usize, degree: usize) -> Csr<f64> {
    let mut rng = Run::new().rng("expander");
    let mut edges = cycle(n);
    for i in 0..n {
        for _ in 0..degree {
            edges.push((i, (i + 1 + (rng.next_u64() as usize) % (n - 1)) % n));
        }
    }
    laplacian(n, &edges)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn path_values(n: usize) -> Vec<f64> {
    (0..n).map(|k| 4.0 * (PI * k as f64 / (2 * n) as f64).sin().powi(2)).collect()
}

fn cycle_values(n: usize) -> Vec<f64> {
    sorted((0..n).map(|k| 4.0 * (PI * k as f64 / n as f64).sin().powi(2)).collect())
}

fn grid_values(rows: usize, columns: usize) -> Vec<f64> {
    let (p, q) = (path_values(rows), path_values(columns));
    sorted(p.iter().flat_map(|a| q.iter().map(move |b| a + b)).collect())
}

fn norm_one<T: Scalar>(a: &Csr<T>) -> f64 {
    (0..a.nrows()).map(|i| a.row(i).1.iter().map(|v| v.wide().abs()).sum::<f64>()).fold(0.0, f64::max)
}

/// LAPACK's test ratios, the order and the signs, and that the reported residuals are the true ones.
fn check_pairs<T: Scalar>(a: &Csr<T>, pairs: &Eigenpairs<T>, count: usize, what: &str) {
    let (n, ulp) = (a.nrows(), T::EPSILON.wide());
    assert_eq!((pairs.len(), pairs.vectors.nrows(), pairs.vectors.ncols()), (count, n, count), "{what}");
    let norm = norm_one(a).max(f64::MIN_POSITIVE);
    let unit = n.max(1) as f64 * ulp;
    for j in 0..count {
        let vector: Vec<f64> = (0..n).map(|i| pairs.vectors[(i, j)].wide()).collect();
        let mut square = 0.0;
        for i in 0..n {
            let (columns, values) = a.row(i);
            let terms = columns.iter().zip(values).map(|(&c, v)| v.wide() / norm * vector[c as usize]);
            square += (terms.sum::<f64>() - pairs.values[j].wide() / norm * vector[i]).powi(2);
        }
        let residual = square.sqrt();
        assert!(residual / unit < 60.0, "{what}: residual ratio {}", residual / unit);
        assert!(
            (residual - pairs.residuals[j].wide() / norm).abs() <= 8.0 * ulp,
            "{what}: reported residual"
        );
        for k in 0..=j {
            let dot: f64 = (0..n).map(|i| vector[i] * pairs.vectors[(i, k)].wide()).sum();
            let error = (dot - f64::from(u8::from(j == k))).abs();
            assert!(error / unit < 60.0, "{what}: orthogonality ratio {} of {j}, {k}", error / unit);
        }
        let largest = vector.iter().fold(0.0, |m: f64, &v| if v.abs() > m.abs() { v } else { m });
        assert!(largest > 0.0, "{what}: sign");
        assert!(j == 0 || pairs.values[j - 1] <= pairs.values[j], "{what}: order");
    }
}

/// All ways find the leading `counts` of the exact spectrum.
fn check(name: &str, a: &Csr<f64>, exact: &[f64], counts: &[usize]) {
    for &count in counts {
        for way in WAYS {
            let what = format!("{name}, n = {}, {count} by {way:?}", a.nrows());
            let pairs = smallest(a, count, None, way, &Run::new()).unwrap_or_else(|e| panic!("{what}: {e}"));
            check_pairs(a, &pairs, count, &what);
            for (found, exact) in pairs.values.iter().zip(exact) {
                assert!((found - exact).abs() < 1e-13 * norm_one(a), "{what}: {found} is not {exact}");
            }
        }
    }
}

/// `(I - W)'(I - W)` with rows of `W` that sum to one over random neighbors, as LLE makes it.
fn alignment(n: usize, k: usize, local: bool, seed: u64) -> Csr<f64> {
    let mut rng = Run::new().with_seed(seed).rng("alignment");
    let mut entries = vec![];
    for i in 0..n {
        let mut row: Vec<(usize, f64)> = vec![];
        while row.len() < k {
            let (reach, back) = if local { (2 * k, k) } else { (n, 0) };
            let j = (i + n - back + Uniform::new(0, reach).unwrap().sample(&mut rng)) % n;
            if j != i && !row.iter().any(|e| e.0 == j) {
                let noise: f64 = StandardNormal.sample(&mut rng);
                row.push((j, 1.0 + 0.3 * noise));
            }
        }
        let sum: f64 = row.iter().map(|e| e.1).sum();
        row.iter_mut().for_each(|e| e.1 /= -sum);
        row.push((i, 1.0));
        entries.extend(row.iter().flat_map(|&(i, x)| row.iter().map(move |&(j, y)| (i, j, x * y))));
    }
    Csr::from_entries(n, n, &entries).unwrap()
}
