//! One suite over all exact indexes: each must give the bits of the naive computation.

use super::*;
use crate::nearest::by_distance;
use faer::Mat;
use rand::{Rng, RngExt};
use std::collections::HashSet;

fn row<T: Scalar>(points: MatRef<'_, T>, i: usize) -> Vec<T> {
    (0..points.ncols()).map(|j| points[(i, j)]).collect()
}

/// All distances from `a` to `b`, one by one.
fn all_distances<T: Scalar>(metric: Metric, a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    Mat::from_fn(a.nrows(), b.nrows(), |i, j| metric.distance(&row(a, i), &row(b, j)))
}

/// Sorts each row of distances; leaves out the diagonal where `same`.
fn naive<T: Scalar>(distances: MatRef<'_, T>, k: usize, same: bool) -> Table<T> {
    let pieces = (0..distances.nrows()).map(|i| {
        let others = (0..distances.ncols()).filter(|&j| !(same && i == j));
        let mut all: Vec<(T, u32)> = others.map(|j| (distances[(i, j)], j as u32)).collect();
        all.sort_by(by_distance);
        all.truncate(k);
        all
    });
    Table::collect(k, distances.nrows(), pieces)
}

fn naive_within<T: Scalar>(distances: MatRef<'_, T>, radius: T, same: bool) -> Csr<T> {
    let mut entries = Vec::new();
    for i in 0..distances.nrows() {
        for j in 0..distances.ncols() {
            if distances[(i, j)] <= radius && !(same && i == j) {
                entries.push((i, j, distances[(i, j)]));
            }
        }
    }
    Csr::from_entries(distances.nrows(), distances.ncols(), &entries).unwrap()
}

const ALL: [Metric; 10] = [
    Metric::Euclidean,
    Metric::SquaredEuclidean,
    Metric::Manhattan,
    Metric::Chebyshev,
    Metric::Minkowski(3.0),
    Metric::Minkowski(1.5),
    Metric::Cosine,
    Metric::Correlation,
    Metric::Hamming,
    Metric::Jaccard,
];

/// Every index, every question, against the naive answer.
fn agree<T: Scalar>(points: MatRef<'_, T>, queries: MatRef<'_, T>, metrics: &[Metric], threads: &[usize]) {
    let n = points.nrows();
    for &metric in metrics {
        let own = all_distances(metric, points, points);
        let new = all_distances(metric, queries, points);
        let call = |i: usize, j: usize| own[(i, j)];
        let plain = Run::new();
        let mut indexes: Vec<(&str, Box<dyn Index<T> + '_>)> = vec![
            ("brute", Box::new(Brute::new(points, metric, &plain).unwrap())),
            ("objects", Box::new(Objects::new(n, call))),
            ("precomputed", Box::new(precomputed(own.as_ref()).unwrap())),
        ];
        let values = (0..n).flat_map(|i| points.row(i).iter().copied()).collect();
        let rows = Rows::shared(std::sync::Arc::new(values), points.ncols());
        indexes.push(("shared brute", build_shared(&rows, metric, Choice::Brute, &plain).unwrap()));
        if Tree::<T>::supports(metric) {
            indexes.push(("tree", Box::new(Tree::new(points, metric, &plain).unwrap())));
            indexes.push(("shared tree", build_shared(&rows, metric, Choice::Tree, &plain).unwrap()));
        }
        let nearest = naive(own.as_ref(), n - 1, true);
        let nearest_of_new = naive(new.as_ref(), n, false);
        let radii = [T::zero(), own[(0, n / 2)], new[(0, 0)], own[(n - 1, n / 3)]];
        let within = radii.map(|radius| naive_within(own.as_ref(), radius, true));
        let within_of_new = radii.map(|radius| naive_within(new.as_ref(), radius, false));
        for &threads in threads {
            let run = Run::new().with_threads(threads).unwrap();
            for (name, index) in &indexes {
                let takes_points = name.ends_with("brute") || name.ends_with("tree");
                let given = if takes_points { queries } else { new.as_ref() };
                let what = format!("{name} {metric} n = {n} D = {} threads = {threads}", points.ncols());
                for k in HashSet::from([1, 2, 15, n / 2, n.saturating_sub(1)]) {
                    if (1..n).contains(&k) {
                        let found = index.k_nearest_of_all(k, &run).unwrap();
                        assert!(found == nearest.truncated(k), "{what} k = {k}");
                    }
                    if (1..=n).contains(&(k + 1)) {
                        let found = index.k_nearest(given, k + 1, &run).unwrap();
                        assert!(found == nearest_of_new.truncated(k + 1), "{what} k = {k} + 1");
                    }
                }
                for (r, &radius) in radii.iter().enumerate() {
                    assert!(
                        index.within_of_all(radius, &run).unwrap() == within[r],
                        "{what} radius {radius}"
                    );
                    let found = index.within(given, radius, &run).unwrap();
                    assert!(found == within_of_new[r], "{what} radius {radius}");
                }
            }
        }
    }
}

/// Random numbers between -1 and 1.
fn uniform<T: Scalar>(n: usize, width: usize, seed: u64) -> Mat<T> {
    let mut rng = Run::new().with_seed(seed).rng("test points");
    Mat::from_fn(n, width, |_, _| T::of(rng.random_range(-1.0..1.0)))
}

/// The same points for both types: `make` gives the data in double precision.
fn agree_in_both(points: &Mat<f64>, queries: &Mat<f64>, metrics: &[Metric], threads: &[usize]) {
    agree(points.as_ref(), queries.as_ref(), metrics, threads);
    let single = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] as f32);
    agree(single(points).as_ref(), single(queries).as_ref(), metrics, threads);
}

#[test]
fn random_points_of_many_widths() {
    for width in (1..=20).chain([50]) {
        let metrics: &[Metric] = if width % 5 == 1 { &ALL } else { &ALL[..4] };
        agree_in_both(&uniform(100, width, 1), &uniform(9, width, 2), metrics, &[2]);
    }
    agree_in_both(&uniform(500, 3, 3), &uniform(30, 3, 4), &ALL[..4], &[1, 2, 3]);
    agree_in_both(
        &uniform(700, 33, 5),
        &uniform(40, 33, 6),
        &[Metric::Euclidean, Metric::Cosine],
        &[1, 2, 3],
    );
}

#[test]
fn very_few_points() {
    for n in [1, 2, 3] {
        for width in [1, 2, 17] {
            agree_in_both(&uniform(n, width, 7), &uniform(2, width, 8), &ALL, &[1, 2]);
        }
    }
}

#[test]
fn ties_and_duplicates_go_by_index() {
    let mut rng = Run::new().rng("test ties");
    for width in [1, 2, 3, 20] {
        // A grid of few values has many equal distances; every point occurs about twice.
        let grid = Mat::from_fn(220, width, |i, j| {
            if i % 2 == 1 { 0.0 } else { f64::from(rng.next_u32() % 3) + (j % 2) as f64 }
        });
        let queries = Mat::from_fn(5, width, |i, j| ((i + j) % 3) as f64);
        agree_in_both(&grid, &queries, &ALL, &[1, 2]);
    }
}

#[test]
fn identical_points_everywhere_and_constant_columns() {
    for value in [0.0, 0.1, -7.0] {
        agree_in_both(&Mat::full(130, 4, value), &Mat::full(3, 4, value), &ALL, &[2]);
    }
    let mut points: Mat<f64> = uniform(140, 6, 9);
    points.col_mut(2).fill(0.3);
    points.col_mut(5).fill(0.0);
    agree_in_both(&points, &uniform(4, 6, 10), &ALL, &[2]);
    // Zero rows for the angles, constant rows for the correlation.
    for i in (0..140).step_by(3) {
        points.row_mut(i).fill(if i % 2 == 0 { 0.0 } else { 0.7 });
    }
    agree_in_both(&points, &Mat::from_fn(3, 6, |i, _| i as f64), &ALL, &[2]);
}

#[test]
fn offsets_cost_no_digits() {
    for width in [2, 5, 40] {
        let shifted = |offset: f64, seed: u64, n: usize| {
            let points: Mat<f64> = uniform(n, width, seed);
            Mat::from_fn(n, width, |i, j| points[(i, j)] + offset)
        };
        let metrics = &ALL[..8];
        agree(shifted(1e8, 11, 200).as_ref(), shifted(1e8, 12, 7).as_ref(), metrics, &[2]);
        let single = |m: Mat<f64>| Mat::from_fn(m.nrows(), width, |i, j| m[(i, j)] as f32);
        agree(single(shifted(1e4, 13, 200)).as_ref(), single(shifted(1e4, 14, 7)).as_ref(), metrics, &[2]);
    }
}

#[test]
fn huge_and_tiny_scales() {
    for width in [3, 30] {
        let scaled = |scale: f64, seed: u64, n: usize| {
            let points: Mat<f64> = uniform(n, width, seed);
            Mat::from_fn(n, width, |i, j| points[(i, j)] * scale)
        };
        for scale in [1e150, 1e-160, 1e-310, 1e-3] {
            agree(scaled(scale, 15, 150).as_ref(), scaled(scale, 16, 5).as_ref(), &ALL, &[2]);
            // New points far outside, and far inside.
            agree(scaled(scale, 15, 150).as_ref(), scaled(1.0, 17, 5).as_ref(), &ALL, &[2]);
        }
        let single = |m: Mat<f64>| Mat::from_fn(m.nrows(), width, |i, j| m[(i, j)] as f32);
        for scale in [1e17, 1e-22, 1e-40] {
            agree(single(scaled(scale, 18, 150)).as_ref(), single(scaled(scale, 19, 5)).as_ref(), &ALL, &[2]);
            agree(single(scaled(scale, 18, 150)).as_ref(), single(scaled(1.0, 20, 5)).as_ref(), &ALL, &[2]);
        }
    }
}

/// Tight clusters far apart: single-precision products cannot distinguish the points of one.
#[test]
fn clusters_that_are_too_tight_for_the_prefilter() {
    for (ratio, width) in [(1e3, 20), (1e5, 20), (1e9, 3), (1e13, 20)] {
        let points: Mat<f64> = uniform(600, width, 21);
        let clustered = |n: usize, from: usize| {
            Mat::from_fn(n, width, |i, j| points[(i + from, j)] + ratio * (i % 2) as f64)
        };
        agree_in_both(&clustered(500, 0), &clustered(60, 500), &ALL[..3], &[2]);
    }
}

#[test]
fn an_outlier_does_not_spoil_the_rest() {
    let mut points: Mat<f64> = uniform(300, 20, 22);
    points[(17, 3)] = 1e12;
    agree_in_both(&points, &uniform(5, 20, 23), &ALL[..4], &[2]);
}

#[test]
fn layouts_give_the_same_bits() {
    let run = Run::new();
    let fortran: Mat<f64> = uniform(200, 5, 24);
    let c = fortran.transpose().to_owned();
    // Parts of larger matrices, by rows and by columns; rows and columns that run backwards.
    let padded =
        Mat::from_fn(203, 9, |i, j| if (2..7).contains(&j) { fortran[(i % 200, j - 2)] } else { 9.0 });
    let padded_c = padded.transpose().to_owned();
    let reversed = Mat::from_fn(200, 5, |i, j| fortran[(199 - i, 4 - j)]);
    let reversed_c = reversed.transpose().to_owned();
    let layouts = [
        fortran.as_ref(),
        c.transpose(),
        padded.submatrix(0, 2, 200, 5),
        padded_c.transpose().submatrix(0, 2, 200, 5),
        reversed.as_ref().reverse_rows_and_cols(),
        reversed_c.transpose().reverse_rows_and_cols(),
    ];
    for metric in ALL {
        for choice in [Choice::Brute, Choice::Tree] {
            if choice == Choice::Tree && !Tree::<f64>::supports(metric) {
                continue;
            }
            let answers = layouts.map(|points| {
                let index = build(points, metric, choice, &run).unwrap();
                (index.k_nearest_of_all(7, &run).unwrap(), index.k_nearest(points, 3, &run).unwrap())
            });
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{metric} {choice:?}");
        }
    }
}

/// Larger than a block, for the schedule and the pools.
#[test]
fn several_blocks() {
    let points: Mat<f64> = uniform(1700, 12, 25);
    let distances = all_distances(Metric::Euclidean, points.as_ref(), points.as_ref());
    let expected = naive(distances.as_ref(), 15, true);
    for threads in [1, 2, 3] {
        let run = Run::new().with_threads(threads).unwrap();
        for choice in [Choice::Auto, Choice::Brute, Choice::Tree] {
            let index = build(points.as_ref(), Metric::Euclidean, choice, &run).unwrap();
            assert!(index.k_nearest_of_all(15, &run).unwrap() == expected);
        }
    }
}

#[test]
fn wrong_questions_are_typed_errors() {
    let run = Run::new();
    let points: Mat<f64> = uniform(20, 3, 26);
    let own = all_distances(Metric::Euclidean, points.as_ref(), points.as_ref());
    let indexes: [Box<dyn Index<f64> + '_>; 3] = [
        build(points.as_ref(), Metric::Euclidean, Choice::Brute, &run).unwrap(),
        build(points.as_ref(), Metric::Euclidean, Choice::Tree, &run).unwrap(),
        Box::new(precomputed(own.as_ref()).unwrap()),
    ];
    let name = |error: Error| match error {
        Error::Parameter { name, .. } => name,
        other => other.to_string(),
    };
    for index in &indexes {
        for k in [0, 20, 21] {
            assert_eq!(name(index.k_nearest_of_all(k, &run).unwrap_err()), "n_neighbors");
        }
        for k in [0, 21] {
            assert_eq!(name(index.k_nearest(own.as_ref(), k, &run).unwrap_err()), "n_neighbors");
        }
        for radius in [-1.0, f64::NAN] {
            assert_eq!(name(index.within_of_all(radius, &run).unwrap_err()), "radius");
            assert_eq!(name(index.within(own.as_ref(), radius, &run).unwrap_err()), "radius");
        }
        let narrow: Mat<f64> = uniform(2, 2, 27);
        assert!(matches!(index.k_nearest(narrow.as_ref(), 1, &run), Err(Error::Width { found: 2, .. })));
        assert!(matches!(index.within(narrow.as_ref(), 1.0, &run), Err(Error::Width { found: 2, .. })));
        let none = Mat::zeros(0, if index.len() == 20 { 3 } else { 0 });
        if let Ok(table) = index.k_nearest(none.as_ref(), 1, &run) {
            assert!(table.is_empty());
        }
    }
    let mut broken = points.clone();
    broken[(4, 1)] = f64::NAN;
    for choice in [Choice::Brute, Choice::Tree] {
        let error = build(broken.as_ref(), Metric::Euclidean, choice, &run).err().unwrap();
        assert!(matches!(error, Error::NotFinite { row: 4, column: 1, count: 1, .. }));
        assert!(build(Mat::<f64>::zeros(0, 3).as_ref(), Metric::Euclidean, choice, &run).is_err());
        assert!(build(points.as_ref(), Metric::Minkowski(0.5), choice, &run).is_err());
    }
    assert!(build(points.as_ref(), Metric::Cosine, Choice::Tree, &run).is_err());
    for (i, j, value) in [(1, 2, -1.0), (3, 3, 1.0), (1, 2, f64::NAN), (4, 5, 1e9)] {
        let mut wrong = own.clone();
        wrong[(i, j)] = value;
        assert!(precomputed(wrong.as_ref()).is_err());
    }
    assert!(Objects::new(3, |_, _| -1.0).k_nearest_of_all(1, &run).is_err());
}

#[test]
fn a_canceled_search_stops() {
    let run = Run::new();
    let points: Mat<f64> = uniform(400, 3, 28);
    for choice in [Choice::Brute, Choice::Tree] {
        let index = build(points.as_ref(), Metric::Manhattan, choice, &run).unwrap();
        let stopped = Run::new();
        stopped.cancel_switch().cancel();
        assert_eq!(index.k_nearest_of_all(3, &stopped), Err(Error::Canceled));
        assert_eq!(index.within_of_all(0.1, &stopped), Err(Error::Canceled));
    }
}

#[test]
fn a_search_beyond_the_memory_budget_is_refused_before_it_begins() {
    let points: Mat<f64> = uniform(400, 3, 29);
    let plain = Run::new();
    for (choice, building) in
        [(Choice::Brute, Brute::<f64>::forecast(400, 3, 0)), (Choice::Tree, Tree::<f64>::forecast(400, 3, 0))]
    {
        let tight = Run::new().with_memory(building - 1);
        let refused = build(points.as_ref(), Metric::Euclidean, choice, &tight).err();
        assert!(matches!(refused, Some(Error::Memory { .. })));
        let index =
            build(points.as_ref(), Metric::Euclidean, choice, &Run::new().with_memory(building)).unwrap();
        let small = Run::new().with_memory(400 * 100 * 12);
        assert!(matches!(index.k_nearest_of_all(100, &small), Err(Error::Memory { .. })));
        assert!(matches!(index.k_nearest(points.as_ref(), 100, &small), Err(Error::Memory { .. })));
        assert!(index.k_nearest_of_all(100, &plain).is_ok());
    }
}
