//! Graph Laplacians against their analytic eigenvalues, multiplicities included, by every solver.

use lowland_base::{Csr, Run, Scalar};
use lowland_linalg::{Eigenpairs, Request, Solver, Which, eigen};
use std::f64::consts::PI;

const ENDS: [Which; 3] = [Which::Largest, Which::Smallest, Which::LargestMagnitude];

/// The solvers that can find the pairs of an end.
fn solvers(which: Which) -> &'static [Solver] {
    const ALL: [Solver; 5] =
        [Solver::Auto, Solver::Dense, Solver::Lanczos, Solver::ShiftInvert, Solver::Filter];
    if which == Which::Smallest { &ALL } else { &ALL[..3] }
}

fn cast<T: Scalar>(a: &Csr<f64>) -> Csr<T> {
    let values = a.values().iter().map(|&v| T::of(v)).collect();
    Csr::new(a.nrows(), a.ncols(), a.offsets().to_vec(), a.indices().to_vec(), values).unwrap()
}

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

/// The values are the expected ones, in number too, and the vectors are orthonormal.
fn check<T: Scalar>(pairs: &Eigenpairs<T>, mut expected: Vec<f64>, which: Which, what: &str) {
    let n = expected.len();
    expected.sort_by(f64::total_cmp);
    let norm = expected[n - 1];
    if which != Which::Smallest {
        expected.reverse();
    }
    let unit = T::EPSILON.wide() * (n as f64).sqrt();
    for (found, expected) in pairs.values.iter().zip(&expected) {
        let off = (found.wide() - expected).abs();
        assert!(off <= 180.0 * unit * norm, "{what}: {found} for {expected}");
    }
    for j in 0..pairs.len() {
        assert!(pairs.residuals[j].wide() <= 45.0 * unit * norm, "{what}: residual {}", pairs.residuals[j]);
        for i in 0..=j {
            let (x, y) = (pairs.vectors.col(i), pairs.vectors.col(j));
            let dot: f64 = x.iter().zip(y.iter()).map(|(x, y)| x.wide() * y.wide()).sum();
            assert!((dot - f64::from(i == j)).abs() < 180.0 * unit, "{what}: not orthonormal");
        }
    }
}

fn values_and_multiplicities<T: Scalar>() {
    let run = Run::new();
    let graphs = [
        ("path", path(400)),
        ("cycle", cycle(401)),
        ("grid", grid(21)),
        ("complete", complete(420)),
        ("pieces", pieces(30, 15)),
    ];
    for (name, (op, expected)) in &graphs {
        let op = cast::<T>(op);
        for which in ENDS {
            for &solver in solvers(which) {
                for count in [1, 4, 9] {
                    let what = format!("{}: {name}, {count} {which:?} by {solver:?}", T::NAME);
                    let pairs = eigen::solve(&op, &Request::new(count, which).by(solver), &run)
                        .unwrap_or_else(|e| panic!("{what}: {e}"));
                    assert_eq!(pairs.len(), count);
                    check(&pairs, expected.clone(), which, &what);
                }
            }
        }
    }
}

#[test]
fn values_and_multiplicities_are_the_analytic_ones_f32() {
    values_and_multiplicities::<f32>();
}

#[test]
fn values_and_multiplicities_are_the_analytic_ones_f64() {
    values_and_multiplicities::<f64>();
}

fn all_pairs<T: Scalar>() {
    let run = Run::new();
    for n in [1, 2, 3, 10] {
        for (op, expected) in [path(n), complete(n)] {
            for &solver in solvers(Which::Smallest) {
                let request = Request::new(n, Which::Smallest).by(solver);
                let pairs = eigen::solve(&cast::<T>(&op), &request, &run).unwrap();
                check(&pairs, expected.clone(), Which::Smallest, &format!("{solver:?}, n = {n}"));
            }
        }
    }
}

#[test]
fn all_pairs_of_small_graphs() {
    all_pairs::<f32>();
    all_pairs::<f64>();
}

/// Solvers agree to within residual over gap (Davis and Kahan): one by one where values are apart, as
/// subspaces where they are not.
fn same_subspaces<T: Scalar>() {
    let run = Run::new();
    let op = cast::<T>(&grid(21).0);
    // The first six of either end of a square grid: 1, 2 and 1 and 2 copies, apart by more than 0.02.
    let gap = 0.02;
    for which in [Which::Largest, Which::Smallest] {
        let of = |solver| eigen::solve(&op, &Request::new(6, which).by(solver), &run).unwrap();
        let wide = |pairs: &Eigenpairs<T>, j: usize| -> Vec<f64> {
            pairs.vectors.col(j).iter().map(|x| x.wide()).collect()
        };
        let dense = of(Solver::Dense);
        for &solver in solvers(which) {
            let other = of(solver);
            let residual = dense.worst_residual().wide() + other.worst_residual().wide();
            let bound = 2.0 * (residual / gap + 441.0 * T::EPSILON.wide());
            // Small enough to tell one subspace from another.
            assert!(bound < if size_of::<T>() == 8 { 1e-9 } else { 0.1 }, "{} {solver:?}: {bound}", T::NAME);
            for group in [0..1, 1..3, 3..4, 4..6] {
                for j in group.clone() {
                    let mut outside = wide(&other, j);
                    for a in group.clone().map(|k| wide(&dense, k)) {
                        let dot: f64 = outside.iter().zip(&a).map(|(x, y)| x * y).sum();
                        outside.iter_mut().zip(&a).for_each(|(x, y)| *x -= dot * y);
                    }
                    let sine = outside.iter().map(|x| x * x).sum::<f64>().sqrt();
                    assert!(sine <= bound, "{} {which:?} {solver:?} {j}: sine {sine}", T::NAME);
                }
            }
        }
    }
}

#[test]
fn solvers_span_the_same_subspaces() {
    same_subspaces::<f32>();
    same_subspaces::<f64>();
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

#[test]
fn the_further_eigenvalues_are_found_on_the_way() {
    let run = Run::new();
    for (name, (matrix, mut values)) in [("path", path(900)), ("grid", grid(40)), ("small", path(40))] {
        values.sort_by(f64::total_cmp);
        for which in [Which::Smallest, Which::Largest] {
            if which == Which::Largest {
                values.reverse();
            }
            let request = Request::new(3, which);
            let (pairs, further) = eigen::solve_with_further(&matrix, &request, 10, &run).unwrap();
            assert_eq!((pairs.len(), further.len()), (3, 10), "{name} {which:?}");
            for (k, (found, value)) in further.iter().zip(&values[3..]).enumerate() {
                // Small ones relative to themselves.
                let allowed = if which == Which::Smallest { 2e-3 * value } else { 1e-3 * values[0] };
                assert!((found - value).abs() <= allowed, "{name} {which:?} {k}: {found} {value}");
            }
            let alone = eigen::solve(&matrix, &request, &run).unwrap();
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
            assert!(pairs.values.iter().zip(&alone.values).all(near), "{name} {which:?}");
        }
    }
    // As many as there are.
    let (pairs, further) =
        eigen::solve_with_further(&path(7).0, &Request::new(5, Which::Largest), 10, &run).unwrap();
    assert_eq!((pairs.len(), further.len()), (5, 2));
}
