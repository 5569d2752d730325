//! Graph Laplacians against their analytic eigenvalues, multiplicities included, by every solver.

use faer::Mat;
use lowland_base::{Csr, Run};
use lowland_linalg::{Eigenpairs, Operator, Request, Solver, Which, eigen};
use std::f64::consts::PI;

const ENDS: [Which; 3] = [Which::Largest, Which::Smallest, Which::LargestMagnitude];
const SOLVERS: [Solver; 3] = [Solver::Auto, Solver::Dense, Solver::Lanczos];

fn laplacian(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> Csr<f64> {
    let mut entries = Vec::new();
    for (i, j) in edges {
        entries.extend([(i, j, -1.0), (j, i, -1.0), (i, i, 1.0), (j, j, 1.0)]);
    }
    Csr::from_entries(n, n, &entries).unwrap()
}

fn path(n: usize) -> (Csr<f64>, Vec<f64>) {
    let values = (0..n).map(|k| 2.0 - 2.0 * (PI * k as f64 / n as f64).cos()).collect();
    (laplacian(n, (1..n).map(|i| (i - 1, i))), values)
}

fn cycle(n: usize) -> (Csr<f64>, Vec<f64>) {
    let values = (0..n).map(|k| 2.0 - 2.0 * (2.0 * PI * k as f64 / n as f64).cos()).collect();
    (laplacian(n, (0..n).map(|i| (i, (i + 1) % n))), values)
}

fn grid(side: usize) -> (Csr<f64>, Vec<f64>) {
    let (_, line) = path(side);
    let values = line.iter().flat_map(|x| line.iter().map(move |y| x + y)).collect();
    let across = (0..side).flat_map(move |r| (1..side).map(move |c| (r * side + c - 1, r * side + c)));
    let down = (1..side).flat_map(move |r| (0..side).map(move |c| ((r - 1) * side + c, r * side + c)));
    (laplacian(side * side, across.chain(down)), values)
}

fn complete(n: usize) -> (Csr<f64>, Vec<f64>) {
    let values = (0..n).map(|k| if k == 0 { 0.0 } else { n as f64 }).collect();
    (laplacian(n, (0..n).flat_map(move |i| (0..i).map(move |j| (i, j)))), values)
}

/// Many equal pieces: every eigenvalue as many times as there are pieces.
fn pieces(count: usize, size: usize) -> (Csr<f64>, Vec<f64>) {
    let (_, one) = cycle(size);
    let values = (0..count).flat_map(|_| one.clone()).collect();
    let edges =
        (0..count).flat_map(move |p| (0..size).map(move |i| (p * size + i, p * size + (i + 1) % size)));
    (laplacian(count * size, edges), values)
}

fn check(pairs: &Eigenpairs<f64>, op: &Csr<f64>, mut expected: Vec<f64>, which: Which, what: &str) {
    let n = op.order();
    expected.sort_by(f64::total_cmp);
    let norm = expected[n - 1];
    if which != Which::Smallest {
        expected.reverse();
    }
    let bound = 1e-14 * (n as f64).sqrt() * norm;
    for (found, expected) in pairs.values.iter().zip(&expected) {
        assert!((found - expected).abs() <= 4.0 * bound, "{what}: {found} for {expected}");
    }
    let gram = pairs.vectors.transpose() * &pairs.vectors;
    for j in 0..pairs.len() {
        assert!(pairs.residuals[j] <= bound, "{what}: residual {}", pairs.residuals[j]);
        for i in 0..pairs.len() {
            assert!((gram[(i, j)] - f64::from(i == j)).abs() < 1e-12, "{what}: not orthonormal");
        }
    }
}

#[test]
fn values_and_multiplicities_are_the_analytic_ones() {
    let run = Run::new();
    let graphs = [
        ("path", path(400)),
        ("cycle", cycle(401)),
        ("grid", grid(21)),
        ("complete", complete(420)),
        ("pieces", pieces(30, 15)),
    ];
    for (name, (op, expected)) in &graphs {
        for solver in SOLVERS {
            for which in ENDS {
                for count in [1, 4, 9] {
                    let what = format!("{name}, {count} {which:?} by {solver:?}");
                    let pairs = eigen::solve(op, &Request::new(count, which).by(solver), &run)
                        .unwrap_or_else(|e| panic!("{what}: {e}"));
                    check(&pairs, op, expected.clone(), which, &what);
                }
            }
        }
    }
}

#[test]
fn all_pairs_of_small_graphs() {
    let run = Run::new();
    for n in [1, 2, 3, 10] {
        for (op, expected) in [path(n), complete(n)] {
            for solver in SOLVERS {
                let pairs = eigen::solve(&op, &Request::new(n, Which::Smallest).by(solver), &run).unwrap();
                check(&pairs, &op, expected.clone(), Which::Smallest, &format!("{solver:?}, n = {n}"));
            }
        }
    }
}

/// Solvers agree to within residual over gap (Davis and Kahan): one by one where values are apart, as
/// subspaces where they are not.
#[test]
fn solvers_span_the_same_subspaces() {
    let run = Run::new();
    let (op, _) = grid(21);
    // The six largest of a square grid: 1, 2 and 1 and 2 copies, apart by more than 0.02.
    let of = |solver| eigen::solve(&op, &Request::new(6, Which::Largest).by(solver), &run).unwrap();
    let (dense, lanczos) = (of(Solver::Dense), of(Solver::Lanczos));
    for group in [0..1, 1..3, 3..4, 4..6] {
        let a = dense.vectors.as_ref().subcols(group.start, group.len());
        let b = lanczos.vectors.as_ref().subcols(group.start, group.len());
        let outside: Mat<f64> = b - a * (a.transpose() * b);
        assert!(outside.norm_l2() < 1e-11, "{group:?}: sine {}", outside.norm_l2());
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let (op, _) = grid(40);
    for which in [Which::Largest, Which::LargestMagnitude] {
        let of = |threads| {
            let run = Run::new().with_threads(threads).unwrap();
            eigen::solve(&op, &Request::new(5, which).by(Solver::Lanczos), &run).unwrap()
        };
        let one = of(1);
        assert_eq!(one, of(2));
        assert_eq!(one, of(3));
    }
    let (op, _) = grid(22);
    let of = |threads| {
        let run = Run::new().with_threads(threads).unwrap();
        eigen::solve(&op, &Request::new(484, Which::Smallest).by(Solver::Dense), &run).unwrap()
    };
    let one = of(1);
    assert_eq!(one, of(2));
    assert_eq!(one, of(3));
}
