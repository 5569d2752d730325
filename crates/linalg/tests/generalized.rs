//! The generalized problem: residuals, orthonormality with respect to `B`, and refusals.

use faer::Mat;
use lowland_base::{Csr, Error, Run, Scalar};
use lowland_linalg::eigen::generalized;
use lowland_linalg::{Eigenpairs, Request, Which};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn random(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, columns, |_, _| StandardNormal.sample(&mut rng))
}

fn problem<T: Scalar>(n: usize, units: impl Fn(usize) -> f64) -> (Mat<T>, Mat<T>) {
    let (g, h) = (random(n, n, 1), random(n, 2 * n + 1, 2));
    let b = &h * h.transpose();
    let entry = |m: &Mat<f64>, i: usize, j: usize| T::of(m[(i.max(j), i.min(j))] * units(i) * units(j));
    (Mat::from_fn(n, n, |i, j| entry(&g, i, j)), Mat::from_fn(n, n, |i, j| entry(&b, i, j)))
}

/// `|V'BV - I|` and `|V'AV - L|` relative to the largest value, both in double precision.
fn errors<T: Scalar>(a: &Mat<T>, b: &Mat<T>, pairs: &Eigenpairs<T>) -> (f64, f64) {
    let wide = |m: &Mat<T>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].wide());
    let (a, b, v) = (wide(a), wide(b), wide(&pairs.vectors));
    let mut overlap = v.transpose() * &b * &v;
    let mut values = v.transpose() * &a * &v;
    let largest = pairs.values.iter().fold(0.0f64, |most, l| most.max(l.wide().abs()));
    for j in 0..pairs.len() {
        overlap[(j, j)] -= 1.0;
        values[(j, j)] -= pairs.values[j].wide();
    }
    (overlap.norm_max(), values.norm_max() / largest)
}

fn all_pairs<T: Scalar>(units: impl Fn(usize) -> f64 + Copy) {
    let run = Run::new();
    for n in [1, 2, 5, 40, 150] {
        let (a, b) = problem::<T>(n, units);
        for count in [1, n] {
            let request = Request::new(count, Which::Largest);
            let pairs = generalized::solve_dense(a.as_ref(), b.as_ref(), &request, &run).unwrap();
            assert_eq!(pairs.len(), count);
            assert!(pairs.values.is_sorted_by(|x, y| x >= y));
            let (overlap, values) = errors(&a, &b, &pairs);
            let bound = 100.0 * n as f64 * T::EPSILON.wide();
            assert!(overlap < bound && values < bound, "n = {n}: {overlap:e}, {values:e}");
        }
    }
}

#[test]
fn vectors_diagonalize_both_matrices() {
    all_pairs::<f64>(|_| 1.0);
    all_pairs::<f32>(|_| 1.0);
}

#[test]
fn units_of_the_variables_do_not_matter() {
    all_pairs::<f64>(|i| 10f64.powi(8 * (i % 5) as i32 - 16));
    all_pairs::<f32>(|i| 10f64.powi(2 * (i % 5) as i32 - 4));
}

#[test]
fn a_diagonal_right_hand_side_agrees_with_the_dense_one() {
    let run = Run::new();
    let n = 60;
    let (a, _) = problem::<f64>(n, |_| 1.0);
    let diagonal: Vec<f64> = (0..n).map(|i| 0.5 + i as f64).collect();
    let b = Mat::from_fn(n, n, |i, j| if i == j { diagonal[i] } else { 0.0 });
    let entries: Vec<_> =
        (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| (i, j, a[(i, j)])).collect();
    let sparse = Csr::from_entries(n, n, &entries).unwrap();
    for which in [Which::Largest, Which::Smallest] {
        let request = Request::new(7, which);
        let few = generalized::solve_diagonal(&sparse, &diagonal, &request, &run).unwrap();
        let dense = generalized::solve_dense(a.as_ref(), b.as_ref(), &request, &run).unwrap();
        let (overlap, values) = errors(&a, &b, &few);
        assert!(overlap < 1e-13 && values < 1e-13, "{overlap:e}, {values:e}");
        for (x, y) in few.values.iter().zip(&dense.values) {
            assert!((x - y).abs() < 1e-12 * x.abs());
        }
        assert!(few.worst_residual() < 1e-12 * n as f64);
    }
}

#[test]
fn the_null_space_of_a_laplacian_is_found_with_a_diagonal() {
    // Smallest pairs of L v = l D v: the residual must be judged against the norm, not against values of 0.
    let run = Run::new();
    let n = 500;
    let mut entries = Vec::new();
    for i in 1..n {
        entries.extend([(i - 1, i, -1.0), (i, i - 1, -1.0), (i, i, 1.0), (i - 1, i - 1, 1.0)]);
    }
    let laplacian = Csr::<f64>::from_entries(n, n, &entries).unwrap();
    let degrees: Vec<f64> = (0..n).map(|i| if i == 0 || i == n - 1 { 1.0 } else { 2.0 }).collect();
    let pairs =
        generalized::solve_diagonal(&laplacian, &degrees, &Request::new(2, Which::Smallest), &run).unwrap();
    assert!(pairs.values[0].abs() < 1e-13);
    let expected = 1.0 - (std::f64::consts::PI / (n - 1) as f64).cos();
    assert!((pairs.values[1] - expected).abs() < 1e-13);
}

#[test]
fn what_is_not_positive_definite_is_refused() {
    let run = Run::new();
    let a = Mat::<f64>::identity(3, 3);
    let request = Request::new(1, Which::Largest);
    let rank_one = Mat::from_fn(3, 3, |_, _| 1.0);
    let saddle = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 2.0 });
    let negative = Mat::from_fn(3, 3, |i, j| -f64::from(i == j));
    for b in [rank_one, saddle, negative] {
        let error = generalized::solve_dense(a.as_ref(), b.as_ref(), &request, &run).unwrap_err();
        match error {
            Error::Indefinite { smallest, .. } => assert!(smallest < 1e-12),
            other => panic!("{other}"),
        }
    }
    let sparse = Csr::from_entries(2, 2, &[(0, 0, 1.0)]).unwrap();
    let error = generalized::solve_diagonal(&sparse, &[1.0, 0.0], &request, &run).unwrap_err();
    assert!(matches!(error, Error::Indefinite { .. }));
    let nan = Mat::from_fn(3, 3, |i, j| if (i, j) == (1, 2) { f64::NAN } else { f64::from(i == j) });
    let error = generalized::solve_dense(a.as_ref(), nan.as_ref(), &request, &run).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 1, column: 2, .. }));
}
