//! Every solver over LAPACK's kinds of symmetric matrices, in both number types.

mod suite;

use lowland_linalg::{Solver, Which};
use suite::{KINDS, run_kinds};

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
fn lanczos_on_five_hundred_f32() {
    run_kinds::<f32>(Solver::Lanczos, KINDS, 500, &requests(&[1, 6]));
}

#[test]
fn lanczos_on_five_hundred_f64() {
    run_kinds::<f64>(Solver::Lanczos, KINDS, 500, &requests(&[1, 6]));
}
