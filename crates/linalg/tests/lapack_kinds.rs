//! Every solver over LAPACK's kinds of symmetric matrices, in both number types.

mod suite;

use lowland_base::Scalar;
use lowland_linalg::{Solver, Which};
use suite::{KINDS, SEMIDEFINITE, run_kinds};

const ENDS: [Which; 3] = [Which::Largest, Which::Smallest, Which::LargestMagnitude];

fn requests(counts: &[usize]) -> Vec<(usize, Which)> {
    counts.iter().flat_map(|&count| ENDS.map(|which| (count, which))).collect()
}

#[test]
fn dense_on_small_orders() {
    for n in [0, 1, 2, 3, 5, 20, 100] {
        run_kinds::<f32>(Solver::Dense, KINDS, n, &requests(&[0, 1, n / 2]));
        run_kinds::<f64>(Solver::Dense, KINDS, n, &requests(&[0, 1, n / 2]));
    }
}

#[test]
fn dense_on_a_thousand_f32() {
    run_kinds::<f32>(Solver::Dense, KINDS, 1000, &[]);
}

#[test]
fn dense_on_a_thousand_f64() {
    run_kinds::<f64>(Solver::Dense, KINDS, 1000, &[]);
}

#[test]
fn lanczos_on_small_orders() {
    for n in [0, 1, 2, 3, 5, 20, 100] {
        run_kinds::<f32>(Solver::Lanczos, KINDS, n, &requests(&[0, 1, n / 2, n]));
        run_kinds::<f64>(Solver::Lanczos, KINDS, n, &requests(&[0, 1, n / 2, n]));
    }
}

#[test]
fn lanczos_on_a_thousand_f32() {
    run_kinds::<f32>(Solver::Lanczos, KINDS, 1000, &requests(&[4]));
}

#[test]
fn lanczos_on_a_thousand_f64() {
    run_kinds::<f64>(Solver::Lanczos, KINDS, 1000, &requests(&[4]));
}

/// The ways of sparse semidefinite matrices, through the sparse form of the same kinds.
fn sparse_ways<T: Scalar>(solver: Solver) {
    let smallest = |counts: &[usize]| counts.iter().map(|&c| (c, Which::Smallest)).collect::<Vec<_>>();
    for n in [0, 1, 2, 3, 5, 20] {
        run_kinds::<T>(solver, SEMIDEFINITE, n, &smallest(&[0, 1, n / 2, n]));
    }
    run_kinds::<T>(solver, SEMIDEFINITE, 100, &smallest(&[1, 6, 50]));
    run_kinds::<T>(solver, SEMIDEFINITE, 1000, &smallest(&[3]));
}

#[test]
fn shift_invert_on_the_semidefinite_kinds_f32() {
    sparse_ways::<f32>(Solver::ShiftInvert);
}

#[test]
fn shift_invert_on_the_semidefinite_kinds_f64() {
    sparse_ways::<f64>(Solver::ShiftInvert);
}

#[test]
fn filter_on_the_semidefinite_kinds_f32() {
    sparse_ways::<f32>(Solver::Filter);
}

#[test]
fn filter_on_the_semidefinite_kinds_f64() {
    sparse_ways::<f64>(Solver::Filter);
}
