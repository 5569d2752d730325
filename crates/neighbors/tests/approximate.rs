//! The approximate index: its recall against brute force on several kinds of data, and what must hold whatever
//! the recall: true distances, order, no repeats, the same bits for every number of threads and every batch.

use faer::{Mat, MatRef};
use lowland_base::{Cancel, Error, Progress, Run, Scalar};
use lowland_neighbors::index::Approximate;
use lowland_neighbors::{Index, Metric, Table};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const TARGET: f64 = 0.98;

fn noise(rows: usize, columns: usize, seed: u64) -> Mat<f32> {
    let mut rng = Run::new().with_seed(seed).rng("test data");
    let values: Vec<f32> = (0..rows * columns).map(|_| rng.sample(StandardNormal)).collect();
    Mat::from_fn(rows, columns, |i, j| values[i * columns + j])
}

/// A curved sheet of eight latent directions in many dimensions, with a little noise.
fn sheet(rows: usize, columns: usize, seed: u64) -> Mat<f32> {
    let latent = noise(rows, 8, seed);
    let (waves, phases) = (noise(8, columns, seed + 1), noise(1, columns, seed + 2));
    let blur = noise(rows, columns, seed + 3);
    Mat::from_fn(rows, columns, |i, j| {
        let along: f32 = (0..8).map(|l| latent[(i, l)] * waves[(l, j)]).sum();
        (0.3 * along + 3.0 * phases[(0, j)]).sin() + 0.01 * blur[(i, j)]
    })
}

fn clusters(rows: usize, columns: usize, seed: u64) -> Mat<f32> {
    let (centers, spread) = (noise(50, columns, seed), noise(rows, columns, seed + 1));
    Mat::from_fn(rows, columns, |i, j| 5.0 * centers[(i * i % 50, j)] + spread[(i, j)])
}

fn binary(rows: usize, columns: usize, seed: u64) -> Mat<f32> {
    let (kinds, flips) = (noise(20, columns, seed), noise(rows, columns, seed + 1));
    Mat::from_fn(rows, columns, |i, j| {
        f32::from(u8::from((kinds[(i % 20, j)] > 1.0) ^ (flips[(i, j)] > 1.6)))
    })
}

fn squared<T: Scalar>(a: MatRef<'_, T>, i: usize, b: MatRef<'_, T>, j: usize) -> f64 {
    (0..a.ncols()).map(|c| (a[(i, c)].wide() - b[(j, c)].wide()).powi(2)).sum()
}

/// All points by distance from row `i` of `queries`, ties by row.
fn brute<T: Scalar>(
    data: MatRef<'_, T>,
    queries: MatRef<'_, T>,
    i: usize,
    own: Option<usize>,
) -> Vec<(f64, u32)> {
    let mut all: Vec<(f64, u32)> = (0..data.nrows())
        .filter(|&j| Some(j) != own)
        .map(|j| (squared(queries, i, data, j).sqrt(), j as u32))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

/// The share of neighbors no farther than the true k-th, on evenly spaced rows.
fn recall<T: Scalar>(data: MatRef<'_, T>, table: &Table<T>) -> f64 {
    let sample = 250.min(data.nrows());
    let mut hits = 0;
    for row in (0..sample).map(|i| i * data.nrows() / sample) {
        let bound = brute(data, data, row, Some(row))[table.k - 1].0 * (1.0 + 8.0 * T::EPSILON.wide());
        hits += table.row(row).1.iter().filter(|d| d.wide() <= bound).count();
    }
    hits as f64 / (sample * table.k) as f64
}

/// True distances, nearest first with ties by row, no repeats, never oneself.
fn assert_sound<T: Scalar>(data: MatRef<'_, T>, table: &Table<T>) {
    assert_eq!(table.len(), data.nrows());
    for row in 0..data.nrows() {
        let (indices, distances) = table.row(row);
        for (slot, (&index, &distance)) in indices.iter().zip(distances).enumerate() {
            assert_ne!(index as usize, row);
            let truth = squared(data, row, data, index as usize).sqrt();
            assert!(
                (distance.wide() - truth).abs() <= 8.0 * T::EPSILON.wide() * truth,
                "{distance} is not {truth}"
            );
            if slot > 0 {
                assert!(
                    (distances[slot - 1], indices[slot - 1]) < (distance, index),
                    "row {row} is out of order"
                );
            }
        }
    }
}

#[test]
fn recall_meets_the_target_on_data_of_every_kind() {
    let duplicates = sheet(6000, 60, 5);
    let sets = [
        ("sheet", sheet(8000, 150, 1)),
        ("clusters", clusters(8000, 64, 2)),
        ("noise", noise(4000, 60, 3)),
        ("binary", binary(4000, 300, 4)),
        ("each point three times", Mat::from_fn(6000, 60, |i, j| duplicates[(i / 3, j)])),
        ("plane", noise(10_000, 2, 6)),
        ("line", noise(5000, 1, 7)),
        ("offset", Mat::from_fn(5000, 100, |i, j| duplicates[(i, j % 60)] + 1000.0)),
    ];
    for (name, data) in &sets {
        let run = Run::new().with_seed(1);
        let index = Approximate::new(data.as_ref(), Metric::Euclidean, TARGET, &run).unwrap();
        let table = index.k_nearest_of_all(15, &run).unwrap();
        assert_sound(data.as_ref(), &table);
        let (measured, estimated) = (recall(data.as_ref(), &table), index.recall(15, &run).unwrap());
        assert!(measured >= TARGET, "{name}: recall {measured}, estimated {estimated}");
        assert!(estimated >= TARGET);
        if ["sheet", "clusters", "plane"].contains(name) {
            assert!(estimated < 1.0, "{name} has structure: no need to search exactly");
        }
    }
}

#[test]
fn a_lower_target_is_met_with_less_and_estimated_honestly() {
    let data = sheet(8000, 150, 11);
    let run = Run::new();
    let mut last = 0.0;
    for target in [0.6, 0.9, 0.99] {
        let index = Approximate::new(data.as_ref(), Metric::Euclidean, target, &run).unwrap();
        let measured = recall(data.as_ref(), &index.k_nearest_of_all(10, &run).unwrap());
        let estimated = index.recall(10, &run).unwrap();
        assert!(estimated >= target && measured >= target && measured > last, "{target}: {measured}");
        // The rank of a neighbor among all points is at most too pessimistic for the probed ones.
        assert!(measured > estimated - 0.02, "{target}: measured {measured}, estimated {estimated}");
        last = measured;
    }
}

#[test]
fn a_target_of_one_is_exact() {
    for data in [sheet(3000, 120, 21), noise(1500, 30, 22), binary(2000, 200, 23)] {
        let data = Mat::<f64>::from_fn(data.nrows(), data.ncols(), |i, j| f64::from(data[(i, j)]));
        let run = Run::new();
        let index = Approximate::new(data.as_ref(), Metric::Euclidean, 1.0, &run).unwrap();
        assert_eq!(index.recall(7, &run).unwrap(), 1.0);
        let table = index.k_nearest_of_all(7, &run).unwrap();
        assert_sound(data.as_ref(), &table);
        assert_eq!(recall(data.as_ref(), &table), 1.0);
    }
}

#[test]
fn the_same_bits_for_every_number_of_threads_and_every_layout() {
    let data = sheet(6000, 100, 31);
    let rows: Vec<f32> = (0..6000).flat_map(|i| (0..100).map(move |j| (i, j))).map(|at| data[at]).collect();
    let row_major = MatRef::from_row_major_slice(&rows, 6000, 100);
    let padded: Vec<f32> = rows.chunks(100).flat_map(|row| row.iter().chain(&[9.0; 50])).copied().collect();
    let padded = MatRef::from_row_major_slice(&padded, 6000, 150).subcols(0, 100);
    let backwards = Mat::<f32>::from_fn(6000, 100, |i, j| data[(5999 - i, 99 - j)]);
    let search = |data: MatRef<'_, f32>, threads| {
        let run = Run::new().with_seed(5).with_threads(threads).unwrap();
        let index = Approximate::new(data, Metric::Euclidean, TARGET, &run).unwrap();
        assert!(index.recall(12, &run).unwrap() < 1.0);
        index.k_nearest_of_all(12, &run).unwrap()
    };
    let one = search(data.as_ref(), 1);
    for threads in [2, 3] {
        assert!(search(data.as_ref(), threads) == one, "{threads} threads");
    }
    assert!(search(row_major, 2) == one, "row-major");
    assert!(search(padded, 2) == one, "row-major inside a wider matrix");
    assert!(search(backwards.as_ref().reverse_rows_and_cols(), 2) == one, "negative strides");
}

#[test]
fn a_query_is_answered_alike_in_any_batch() {
    let data = sheet(6000, 100, 41);
    let run = Run::new();
    let index = Approximate::new(data.as_ref(), Metric::Euclidean, TARGET, &run).unwrap();
    let queries = sheet(6300, 100, 41);
    let queries = queries.subrows(0, 301);
    let together = index.k_nearest(queries, 10, &run).unwrap();
    for i in (0..301).step_by(7) {
        let alone = index.k_nearest(queries.subrows(i, 1), 10, &run).unwrap();
        assert_eq!(alone.row(0), together.row(i));
    }
    let mut hits = 0;
    for i in 0..301 {
        let bound = brute(data.as_ref(), queries, i, None)[9].0 * 1.000_001;
        hits += together.row(i).1.iter().filter(|d| f64::from(**d) <= bound).count();
    }
    assert!(f64::from(hits as u32) / 3010.0 >= 0.97, "{hits} of 3010");
}

#[test]
fn thousands_of_duplicates_yield_distinct_neighbors_of_lowest_row() {
    let base = sheet(5000, 80, 51);
    // Every row below 3000 is the same point.
    let data = Mat::from_fn(5000, 80, |i, j| base[(if i < 3000 { 0 } else { i }, j)]);
    let run = Run::new();
    for target in [TARGET, 1.0] {
        let index = Approximate::new(data.as_ref(), Metric::Euclidean, target, &run).unwrap();
        let table = index.k_nearest_of_all(9, &run).unwrap();
        assert_sound(data.as_ref(), &table);
        for row in [0, 5, 1500, 2999] {
            let lowest: Vec<u32> = (0..).filter(|&i| i as usize != row).take(9).collect();
            assert_eq!(table.row(row).0, lowest);
            assert!(table.row(row).1.iter().all(|&d| d == 0.0));
        }
    }
}

#[test]
fn constant_data_tiny_data_and_nearly_all_neighbors() {
    let run = Run::new();
    let constant = Mat::<f64>::from_fn(2500, 5, |_, j| 1e6 + j as f64);
    let index = Approximate::new(constant.as_ref(), Metric::Euclidean, TARGET, &run).unwrap();
    let table = index.k_nearest_of_all(3, &run).unwrap();
    assert_eq!(table.row(1), (&[0, 2, 3][..], &[0.0; 3][..]));
    for n in [2, 3, 17, 40] {
        let data = noise(n, 3, 61);
        let index = Approximate::new(data.as_ref(), Metric::Euclidean, TARGET, &run).unwrap();
        let table = index.k_nearest_of_all(n - 1, &run).unwrap();
        assert_sound(data.as_ref(), &table);
        let all = index.k_nearest(data.as_ref(), n, &run).unwrap();
        for i in 0..n {
            assert_eq!((all.row(i).0[0], all.row(i).1[0]), (i as u32, 0.0));
        }
        let refused = index.k_nearest_of_all(n, &run);
        assert!(matches!(refused, Err(Error::Parameter { name, .. }) if name == "n_neighbors"));
    }
    let single = noise(1, 3, 62);
    let index = Approximate::new(single.as_ref(), Metric::Euclidean, TARGET, &run).unwrap();
    assert!(index.k_nearest_of_all(1, &run).is_err());
    assert_eq!(index.k_nearest(single.as_ref(), 1, &run).unwrap().distances, [0.0]);
}

#[test]
fn a_power_of_two_in_the_data_changes_nothing_but_the_scale() {
    let data = sheet(3000, 60, 71);
    let run = Run::new();
    let search = |factor: f32, metric| {
        let scaled = Mat::from_fn(3000, 60, |i, j| data[(i, j)] * factor);
        Approximate::new(scaled.as_ref(), metric, TARGET, &run).unwrap().k_nearest_of_all(8, &run).unwrap()
    };
    let plain = search(1.0, Metric::Euclidean);
    for factor in [2.0_f32.powi(110), 2.0_f32.powi(-90)] {
        let scaled = search(factor, Metric::Euclidean);
        assert!(scaled.indices == plain.indices);
        assert!(scaled.distances.iter().zip(&plain.distances).all(|(a, b)| *a == b * factor));
    }
    let squares = search(1.0, Metric::SquaredEuclidean);
    assert!(squares.indices == plain.indices);
    assert!(squares.distances.iter().zip(&plain.distances).all(|(a, b)| a.sqrt() == *b));
}

#[test]
fn angles_are_searched_by_unit_vectors() {
    let data = sheet(2500, 40, 81);
    let data = Mat::<f64>::from_fn(2500, 40, |i, j| f64::from(data[(i, j)]) + 0.3);
    let run = Run::new();
    for (metric, centered) in [(Metric::Cosine, false), (Metric::Correlation, true)] {
        let index = Approximate::new(data.as_ref(), metric, 1.0, &run).unwrap();
        let table = index.k_nearest_of_all(6, &run).unwrap();
        for i in (0..2500).step_by(97) {
            let center = |r: usize| {
                if centered { (0..40).map(|c| data[(r, c)]).sum::<f64>() / 40.0 } else { 0.0 }
            };
            let dot = |a: usize, b: usize| {
                let (p, q) = (center(a), center(b));
                (0..40).map(|c| (data[(a, c)] - p) * (data[(b, c)] - q)).sum::<f64>()
            };
            let mut truth: Vec<f64> = (0..2500)
                .filter(|&j| j != i)
                .map(|j| 1.0 - dot(i, j) / (dot(i, i) * dot(j, j)).sqrt())
                .collect();
            truth.sort_by(f64::total_cmp);
            for (found, true_distance) in table.row(i).1.iter().zip(&truth) {
                assert!((found - true_distance).abs() < 1e-14, "{metric:?}: {found} is not {true_distance}");
            }
        }
        // Lengths do not matter.
        let longer = Mat::<f64>::from_fn(2500, 40, |i, j| data[(i, j)] * (1 + i % 7) as f64);
        let again =
            Approximate::new(longer.as_ref(), metric, 1.0, &run).unwrap().k_nearest_of_all(6, &run).unwrap();
        assert!(again.distances.iter().zip(&table.distances).all(|(a, b)| (a - b).abs() < 1e-14));
    }
}

#[test]
fn a_radius_search_is_exact() {
    let data = sheet(3000, 90, 91);
    let run = Run::new();
    let index = Approximate::new(data.as_ref(), Metric::Euclidean, 0.5, &run).unwrap();
    // A radius that is some pair's distance: it is inclusive.
    let radius = index.k_nearest_of_all(12, &run).unwrap().distances[11];
    let found = index.within_of_all(radius, &run).unwrap();
    let queries = data.subrows(0, 200);
    let found_again = index.within(queries, radius, &run).unwrap();
    let mut on_the_edge = 0;
    for i in 0..200 {
        let near = |own: Option<usize>, slack: f64| -> Vec<u32> {
            let all = brute(data.as_ref(), data.as_ref(), i, own);
            let mut near: Vec<u32> =
                all.iter().take_while(|p| p.0 <= f64::from(radius) * (1.0 + slack)).map(|p| p.1).collect();
            near.sort_unstable();
            near
        };
        let (inner, outer) = (near(Some(i), -1e-6), near(Some(i), 1e-6));
        let row = found.row(i).0;
        assert!(inner.iter().all(|j| row.contains(j)) && row.iter().all(|j| outer.contains(j)));
        assert!(found.row(i).1.iter().all(|&d| d <= radius));
        on_the_edge += found.row(i).1.iter().filter(|&&d| d == radius).count();
        assert_eq!(found_again.row(i).0.len(), row.len() + 1, "a new point also finds its copy");
    }
    assert!(on_the_edge >= 1);
}

#[test]
fn wrong_input_is_refused_with_its_facts() {
    let data = noise(200, 4, 101);
    let run = Run::new();
    let build = |data: &Mat<f32>, metric, target| Approximate::new(data.as_ref(), metric, target, &run);
    for target in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(matches!(build(&data, Metric::Euclidean, target), Err(Error::Parameter { .. })));
    }
    for metric in
        [Metric::Manhattan, Metric::Chebyshev, Metric::Minkowski(3.0), Metric::Hamming, Metric::Jaccard]
    {
        assert!(matches!(build(&data, metric, TARGET), Err(Error::Unsupported { .. })));
    }
    let mut hole = data.clone();
    hole[(7, 2)] = f32::NAN;
    hole[(9, 0)] = f32::INFINITY;
    let refused = build(&hole, Metric::Euclidean, TARGET).unwrap_err();
    assert!(matches!(refused, Error::NotFinite { row: 7, column: 2, count: 2, .. }));
    let mut flat = data.clone();
    (0..4).for_each(|j| flat[(3, j)] = 0.1);
    assert!(build(&flat, Metric::Cosine, TARGET).is_ok());
    assert!(matches!(build(&flat, Metric::Correlation, TARGET), Err(Error::Unsupported { .. })));
    assert!(matches!(
        build(&Mat::zeros(0, 3), Metric::Euclidean, TARGET),
        Err(Error::Empty { axis: "rows", .. })
    ));
    assert!(matches!(
        build(&Mat::zeros(3, 0), Metric::Euclidean, TARGET),
        Err(Error::Empty { axis: "columns", .. })
    ));
    let index = build(&data, Metric::Euclidean, TARGET).unwrap();
    let narrow = noise(2, 3, 1);
    let refused = index.k_nearest(narrow.as_ref(), 1, &run).unwrap_err();
    assert!(matches!(refused, Error::Width { expected: 4, found: 3, .. }));
    assert!(matches!(index.within_of_all(-1.0, &run), Err(Error::Parameter { .. })));
    let poor = Run::new().with_memory(100);
    let refused = Approximate::new(data.as_ref(), Metric::Euclidean, TARGET, &poor).unwrap_err();
    assert!(matches!(refused, Error::Memory { budget: 100, .. }));
}

/// Throws the switch a little after a stage has begun.
struct Thrower {
    stage: &'static str,
    cancel: Cancel,
    thrown: Arc<Mutex<Option<Instant>>>,
}

impl Progress for Thrower {
    fn begin(&self, stage: &str, _total: Option<u64>) {
        if stage == self.stage {
            let (cancel, thrown) = (self.cancel.clone(), Arc::clone(&self.thrown));
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(5));
                *thrown.lock().unwrap() = Some(Instant::now());
                cancel.cancel();
            });
        }
    }
    fn advance(&self, _stage: &str, _done: u64) {}
    fn end(&self, _stage: &str, _seconds: f64) {}
}

#[test]
fn a_canceled_search_stops_within_half_a_second() {
    let data = noise(20_000, 128, 111);
    for stage in ["index: reduce", "index: partition", "index: calibrate", "index: search"] {
        let (cancel, thrown) = (Cancel::default(), Arc::new(Mutex::new(None)));
        let thrower = Thrower { stage, cancel: cancel.clone(), thrown: Arc::clone(&thrown) };
        let run = Run::new().with_cancel(cancel).with_progress(Arc::new(thrower));
        let result = Approximate::new(data.as_ref(), Metric::Euclidean, TARGET, &run)
            .and_then(|index| index.k_nearest_of_all(15, &run));
        assert_eq!(result, Err(Error::Canceled), "{stage}");
        assert!(thrown.lock().unwrap().unwrap().elapsed() < Duration::from_millis(500), "{stage}");
    }
}
