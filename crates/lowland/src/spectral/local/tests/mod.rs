//! Theorems that hold for all four, and what makes them fail in practice.

mod definitions;
mod recovery;

use super::*;
use crate::data;
use faer::{Mat, MatRef};
use lowland_base::{Csr, Error, Result, Run, Scalar};
use lowland_linalg::eigen;
use lowland_linalg::operator::ResidualGram;
use lowland_linalg::{Eigenpairs, Operator, Request, Which};
use lowland_neighbors::index::{self, Choice};
use lowland_neighbors::{Metric, Table};
use ndarray::{Array2, ArrayView2, s};
use rand_distr::{Distribution, StandardNormal};

const REG: f64 = 1e-3;

fn normal(rows: usize, columns: usize, run: &Run) -> Array2<f64> {
    let mut rng = run.rng("points of a test");
    Array2::from_shape_simple_fn((rows, columns), || StandardNormal.sample(&mut rng))
}

fn neighbors(points: ArrayView2<'_, f64>, k: usize) -> Table<f64> {
    let copy = Mat::from_fn(points.nrows(), points.ncols(), |i, j| points[(i, j)]);
    let run = Run::new();
    let index = index::build(copy.as_ref(), Metric::Euclidean, Choice::Brute, &run).unwrap();
    index.k_nearest_of_all(k, &run).unwrap()
}

/// The matrix of LLE.
fn residual_gram(weights: &Csr<f64>) -> Csr<f64> {
    ResidualGram::new(weights).unwrap().to_sparse(&Run::new()).unwrap().unwrap().into_owned()
}

/// All four, with their names.
fn all<T: Scalar>(
    points: ArrayView2<'_, T>,
    lists: &dyn Neighborhoods,
    d: usize,
    run: &Run,
) -> Result<Vec<(&'static str, Csr<f64>)>> {
    Ok(vec![
        ("LLE", residual_gram(&weights::matrix(points, lists, REG, run)?)),
        ("modified LLE", modified::alignment(points, lists, d, REG, run)?),
        ("Hessian LLE", hessian::alignment(points, lists, d, run)?),
        ("LTSA", tangent::alignment(points, lists, d, run)?),
    ])
}

fn smallest(matrix: &Csr<f64>, count: usize) -> Eigenpairs<f64> {
    eigen::solve(matrix, &Request::new(count, Which::Smallest), &Run::new()).unwrap()
}

/// `M` is symmetric to the bit and positive semidefinite, and `M 1 = 0`.
fn assert_alignment(name: &str, matrix: &Csr<f64>) {
    let n = matrix.nrows();
    assert!(matrix.is_symmetric(), "{name}");
    let norm = (0..n).map(|i| matrix.row(i).1.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
    assert!(norm.is_finite() && norm > 0.0, "{name}: norm {norm}");
    for i in 0..n {
        let sum: f64 = matrix.row(i).1.iter().sum();
        assert!(sum.abs() < 1e-13 * norm, "{name}: row {i} of M 1 is {sum:e}, the norm {norm}");
        assert!(matrix.row(i).0.contains(&(i as u32)), "{name}: nothing concerns point {i}");
    }
    let least = smallest(matrix, 1).values[0];
    assert!(least > -1e-13 * norm, "{name}: eigenvalue {least:e}, norm {norm}");
}

/// How far the columns of `target` are from affine images of `embedding`: the share of the variance of each that
/// is left over, root.
fn affine_misfit(target: ArrayView2<'_, f64>, embedding: MatRef<'_, f64>) -> Vec<f64> {
    let n = target.nrows();
    let design = Mat::from_fn(n, embedding.ncols() + 1, |i, j| {
        if j == 0 { 1.0 } else { embedding[(i, j - 1)] * (n as f64).sqrt() }
    });
    let basis = lowland_linalg::orthonormalize(design, &Run::new()).unwrap();
    let norm = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    target
        .columns()
        .into_iter()
        .map(|column| {
            let mean = column.sum() / n as f64;
            let mut left: Vec<f64> = column.iter().map(|x| x - mean).collect();
            let whole = norm(&left);
            for q in basis.col_iter() {
                let part: f64 = q.iter().zip(&left).map(|(q, x)| q * x).sum();
                left.iter_mut().zip(q.iter()).for_each(|(x, q)| *x -= part * q);
            }
            norm(&left) / whole
        })
        .collect()
}

#[test]
fn weights_sum_to_one_and_do_not_change_with_shift_rotation_and_scale() {
    let run = Run::new();
    let points = normal(150, 4, &run);
    // A rotation: the orthonormal factor of a random matrix.
    let turn = lowland_linalg::orthonormalize(
        Mat::from_fn(4, 4, |i, j| (1.0 + i as f64 * 3.7 + j as f64 * 1.9).sin()),
        &run,
    )
    .unwrap();
    let turned =
        Array2::from_shape_fn((150, 4), |(i, j)| (0..4).map(|c| points[(i, c)] * turn[(c, j)]).sum());
    // More neighbors than columns, and fewer.
    for k in [3, 9] {
        let table = neighbors(points.view(), k);
        let plain = weights::matrix(points.view(), &table, REG, &run).unwrap();
        for i in 0..150 {
            assert!((plain.row(i).1.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        }
        let close = |other: &Array2<f64>, tolerance: f64, what: &str| {
            let other = weights::matrix(other.view(), &table, REG, &run).unwrap();
            let worst =
                plain.values().iter().zip(other.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst <= tolerance, "{what}, k = {k}: {worst:e}");
        };
        close(&points.mapv(|x| x * 2f64.powi(-300)), 0.0, "a power of two");
        close(&points.mapv(|x| x * 2f64.powi(300)), 0.0, "a power of two");
        close(&points.mapv(|x| 3.7e5 * x), 1e-11, "scale");
        close(&points.mapv(|x| x + 1e3), 1e-9, "shift");
        close(&turned, 1e-11, "rotation");
    }
}

#[test]
fn constant_vectors_cost_nothing_and_no_vector_costs_less() {
    let run = Run::new();
    for (columns, k) in [(3, 12), (20, 9), (2, 7)] {
        let points = normal(200, columns, &run);
        for (name, matrix) in all(points.view(), &neighbors(points.view(), k), 2, &run).unwrap() {
            assert_alignment(&format!("{name}, {columns} columns, k = {k}"), &matrix);
        }
    }
}

#[test]
fn duplicates_give_no_singular_neighborhood() {
    let run = Run::new();
    let distinct = normal(40, 3, &run);
    // Each point three times: a neighborhood of 8 has few distinct points, or none beside the point itself.
    let mut points = Array2::from_shape_fn((120, 3), |(i, j)| distinct[(i / 3, j)]);
    points.slice_mut(s![..12, ..]).fill(0.25);
    for k in [6, 8] {
        for (name, matrix) in all(points.view(), &neighbors(points.view(), k), 2, &run).unwrap() {
            assert_alignment(&format!("{name}, duplicates, k = {k}"), &matrix);
        }
    }
    let same = Array2::from_elem((30, 3), 1e5);
    for (name, matrix) in all(same.view(), &neighbors(same.view(), 7), 2, &run).unwrap() {
        assert_alignment(&format!("{name}, all points identical"), &matrix);
    }
    let weights = weights::matrix(same.view(), &neighbors(same.view(), 7), REG, &run).unwrap();
    assert!(weights.values().iter().all(|&w| w == 1.0 / 7.0));
}

#[test]
fn weights_without_regularization_exist_for_more_neighbors_than_columns() {
    let run = Run::new();
    let points = normal(80, 2, &run);
    for reg in [0.0, 1e-300, 1e-18] {
        let weights = weights::matrix(points.view(), &neighbors(points.view(), 9), reg, &run).unwrap();
        for i in 0..80 {
            let (columns, values) = weights.row(i);
            assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-9, "row {i}, reg {reg}");
            // Nine neighbors in the plane can rebuild the point; weights that do are found.
            let missed = (0..2).map(|c| {
                let rebuilt: f64 =
                    columns.iter().zip(values).map(|(&j, w)| w * points[(j as usize, c)]).sum();
                (rebuilt - points[(i, c)]).abs()
            });
            assert!(missed.fold(0.0, f64::max) < 1e-6, "row {i}, reg {reg}");
        }
    }
}

#[test]
fn neighborhoods_below_the_bound_are_refused_by_its_formula() {
    let run = Run::new();
    let points = normal(50, 4, &run);
    let refused = |outcome: Result<Csr<f64>>, formula: &str, bound: usize| {
        let Err(Error::Parameter { name, bound: text, .. }) = outcome else {
            panic!("{formula}: no refusal")
        };
        assert_eq!((name.as_str(), text), ("n_neighbors", format!("at least {formula} = {bound}")));
    };
    let x = points.view();
    let hessian = "1 + n_components + n_components * (n_components + 1) / 2";
    refused(hessian::alignment(x, &neighbors(x, 9), 3, &run), hessian, 10);
    refused(tangent::alignment(x, &neighbors(x, 4), 3, &run), "n_components + 2", 5);
    refused(modified::alignment(x, &neighbors(x, 3), 3, REG, &run), "n_components + 1", 4);
    assert!(hessian::alignment(x, &neighbors(x, 10), 3, &run).is_ok());
    assert!(tangent::alignment(x, &neighbors(x, 5), 3, &run).is_ok());
    assert!(modified::alignment(x, &neighbors(x, 4), 3, REG, &run).is_ok());
    for d in [0, 5] {
        let Err(Error::Parameter { name, .. }) = tangent::alignment(x, &neighbors(x, 8), d, &run) else {
            panic!("{d} dimensions of 4")
        };
        assert_eq!(name, "n_components");
    }
    let empty = Csr::<f64>::new(50, 50, vec![0; 51], vec![], vec![]).unwrap();
    refused(weights::matrix(x, &empty, REG, &run), "1", 1);
    for reg in [-1e-3, f64::NAN, f64::INFINITY] {
        assert!(matches!(weights::matrix(x, &empty, reg, &run), Err(Error::Parameter { .. })));
    }
    let others = neighbors(normal(60, 4, &run).view(), 8);
    assert!(matches!(weights::matrix(x, &others, REG, &run), Err(Error::Malformed { .. })));
}

#[test]
fn the_bits_do_not_depend_on_threads_precision_or_layout() {
    // Values that single precision holds, in an odd number of chunks.
    let points = normal(700, 3, &Run::new()).mapv(|x| f64::from(x as f32));
    let table = neighbors(points.view(), 8);
    let one = Run::new().with_threads(1).unwrap();
    let expected = all(points.view(), &table, 2, &one).unwrap();
    let three = Run::new().with_threads(3).unwrap();
    assert_eq!(all(points.view(), &table, 2, &three).unwrap(), expected);
    let columns_first = points.t().as_standard_layout().to_owned();
    assert_eq!(all(columns_first.t(), &table, 2, &one).unwrap(), expected);
    assert_eq!(all(points.mapv(|x| x as f32).view(), &table, 2, &one).unwrap(), expected);
}

#[test]
fn an_outlier_that_is_nobodys_neighbor_is_held_all_the_same() {
    let run = Run::new();
    let mut points = normal(100, 3, &run);
    points.row_mut(0).fill(50.0);
    let table = neighbors(points.view(), 8);
    assert!((0..100).all(|i| !table.of(i).contains(&0)));
    for (name, matrix) in all(points.view(), &table, 2, &run).unwrap() {
        assert_alignment(name, &matrix);
    }
}

#[test]
fn neighborhoods_of_varying_size_are_taken() {
    let run = Run::new();
    let points = normal(120, 2, &run);
    let table = neighbors(points.view(), 12);
    // The first 7 to 12 neighbors.
    let entries: Vec<_> =
        (0..120).flat_map(|i| table.of(i)[..7 + i % 6].iter().map(move |&j| (i, j as usize, 1.0))).collect();
    let lists = Csr::<f64>::from_entries(120, 120, &entries).unwrap();
    for (name, matrix) in all(points.view(), &lists, 2, &run).unwrap() {
        assert_alignment(name, &matrix);
    }
}

#[test]
fn a_canceled_run_ends() {
    let points = normal(100, 3, &Run::new());
    let table = neighbors(points.view(), 8);
    let run = Run::new();
    run.cancel_switch().cancel();
    assert_eq!(weights::matrix(points.view(), &table, REG, &run), Err(Error::Canceled));
    assert_eq!(modified::alignment(points.view(), &table, 2, REG, &run), Err(Error::Canceled));
    assert_eq!(hessian::alignment(points.view(), &table, 2, &run), Err(Error::Canceled));
    assert_eq!(tangent::alignment(points.view(), &table, 2, &run), Err(Error::Canceled));
}

#[test]
fn the_collapsed_share_tells_strings_from_a_disc() {
    let disc = normal(2000, 2, &Run::new());
    let of = |y: &Array2<f64>| collapsed_share(Mat::from_fn(2000, 2, |i, j| y[(i, j)]).as_ref());
    assert!(of(&disc) < 0.002, "{}", of(&disc));
    // Nine points of ten in one place, the others on two strings.
    let strings = Array2::from_shape_fn((2000, 2), |(i, j)| {
        let out = if i % 10 == 0 { (i / 10) as f64 } else { 0.0 };
        if (i / 10) % 2 == j { out + 7.0 } else { 7.0 }
    });
    assert!((of(&strings) - 0.9).abs() < 0.01, "{}", of(&strings));
    assert_eq!(of(&Array2::from_elem((2000, 2), 3.0)), 1.0);
    assert_eq!(collapsed_share(Mat::<f64>::zeros(0, 2).as_ref()), 0.0);
}
