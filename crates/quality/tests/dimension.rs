//! The estimators on sets whose dimension is known.

mod common;
use common::{gaussian, lattice, uniform};
use faer::Mat;
use lowland_base::{Error, Run};
use lowland_quality::dimension::{Estimator, Scales, estimate};

fn sphere(d: usize, n: usize) -> Mat<f64> {
    let x = gaussian(d as u64, n, d + 1);
    Mat::from_fn(n, d + 1, |i, j| x[(i, j)] / x.row(i).norm_l2())
}

/// A cube in three dimensions more, turned.
fn cube(d: usize, n: usize) -> Mat<f64> {
    let (x, turn) = (uniform(d as u64, n, d), gaussian(77, d + 3, d + 3));
    let turn = lowland_linalg::svd::thin(turn.as_ref(), &Run::new()).unwrap().left;
    Mat::from_fn(n, d + 3, |i, j| (0..d).map(|c| x[(i, c)] * turn[(j, c)]).sum())
}

/// The curve of a Swiss roll times a cube of `d - 1` dimensions, as thick as its sheets are apart.
fn roll(d: usize, n: usize) -> Mat<f64> {
    let x = uniform(100 + d as u64, n, d);
    let t = |i: usize| 4.712_388_980_384_69 * (1.0 + 2.0 * x[(i, 0)]);
    Mat::from_fn(n, d + 1, |i, j| match j {
        0 => t(i) * t(i).cos(),
        1 => t(i) * t(i).sin(),
        _ => 6.0 * x[(i, j - 1)],
    })
}

fn global(x: &Mat<f64>, estimator: Estimator) -> lowland_quality::dimension::Dimension {
    estimate(x.as_ref(), estimator, Scales::default(), &Run::new()).unwrap()
}

/// What others find on 2,000 points of the sphere, the cube and the roll of dimension 1 to 10, the mean of two samples:
/// scikit-dimension 0.5.0 with `MLE(K=20)`, `TwoNN()`, `CorrInt(k1=10, k2=20)` and
/// `lPCA(ver="FO", alphaFO=0.05).fit_pw(x, n_neighbors=30)`, its mean over the points; and packing numbers by a dozen lines
/// of NumPy (greedy, in eight random orders, between the median distance to the tenth neighbor and twice that), for that
/// package has none.
const OTHERS: [[[f64; 5]; 3]; 10] = [
    [[1.00, 0.96, 1.00, 1.00, 0.94], [1.00, 1.01, 1.00, 1.00, 0.94], [1.00, 1.02, 1.01, 1.00, 0.92]],
    [[1.99, 1.96, 1.97, 2.00, 1.79], [1.95, 1.93, 1.95, 2.00, 1.69], [1.90, 1.99, 1.90, 2.00, 1.62]],
    [[3.00, 3.11, 3.01, 3.00, 2.58], [2.83, 3.00, 2.85, 3.00, 2.30], [2.74, 2.88, 2.71, 3.00, 2.14]],
    [[3.97, 4.02, 3.97, 4.00, 3.38], [3.68, 3.76, 3.68, 4.00, 2.84], [3.56, 3.67, 3.47, 4.00, 2.53]],
    [[4.89, 4.88, 4.81, 5.00, 4.06], [4.47, 4.73, 4.45, 5.00, 3.32], [4.28, 4.66, 4.13, 5.00, 3.01]],
    [[5.75, 5.94, 5.71, 6.00, 4.75], [5.27, 5.50, 5.28, 6.00, 3.67], [4.98, 5.49, 4.74, 6.00, 3.56]],
    [[6.61, 6.81, 6.48, 7.00, 5.37], [6.01, 6.36, 6.00, 7.00, 4.01], [5.67, 5.87, 5.39, 7.00, 4.06]],
    [[7.37, 7.37, 7.32, 8.00, 5.91], [6.73, 7.19, 6.63, 8.00, 4.48], [6.34, 6.99, 6.04, 8.00, 4.53]],
    [[8.16, 8.13, 8.08, 9.00, 6.46], [7.45, 7.94, 7.35, 8.99, 4.80], [6.98, 7.63, 6.55, 8.99, 4.93]],
    [[8.94, 9.48, 8.84, 10.00, 6.74], [8.19, 8.92, 7.96, 9.96, 5.16], [7.51, 8.38, 7.04, 9.96, 5.32]],
];

/// What others find, and by which share two samples may differ: three standard deviations. Maximum likelihood is the mean
/// over neighborhoods of 10 to 20 points here, and of 20 there.
fn others(estimator: Estimator, d: usize, set: usize) -> Option<(f64, f64)> {
    let found = OTHERS[d - 1][set];
    match estimator {
        Estimator::MaximumLikelihood => Some((found[0], 0.05)),
        Estimator::TwoNn => Some((found[1], 0.09)),
        Estimator::Correlation => Some((found[2], 0.06)),
        Estimator::LocalPca => Some((found[3], 0.03)),
        Estimator::Packing => Some((found[4], 0.06)),
        Estimator::SpanningTree | Estimator::NearestNeighbor => None,
    }
}

/// By how much an estimator may miss `d`, upwards and downwards, as shares of it. All but local PCA fall short in high
/// dimensions, for most points of a cube or a ball are near its border; packing numbers most, as Kégl says of them, because
/// so few points cannot fill the space at two scales.
fn tolerance(estimator: Estimator, d: usize) -> (f64, f64) {
    let d = d as f64;
    match estimator {
        Estimator::MaximumLikelihood => (0.06, 0.05 + 0.022 * d),
        Estimator::TwoNn => (0.10, 0.08 + 0.015 * d),
        Estimator::Correlation => (0.06, 0.06 + 0.03 * d),
        Estimator::Packing => (0.05, (0.10 + 0.06 * d).min(0.52)),
        Estimator::SpanningTree => (0.25, 0.15 + 0.02 * d),
        Estimator::NearestNeighbor => (0.06, 0.08 + 0.03 * d),
        Estimator::LocalPca => (0.10, 0.12),
    }
}

#[test]
fn estimates_are_those_of_others_and_as_near_to_the_truth() {
    let n = 2000;
    let mut misses = Vec::new();
    for d in 1..=10 {
        let sets = [("sphere", sphere(d, n)), ("cube", cube(d, n)), ("roll", roll(d, n))];
        for (set, (name, x)) in sets.into_iter().enumerate() {
            for estimator in Estimator::ALL {
                let found = global(&x, estimator).global;
                let (over, under) = tolerance(estimator, d);
                let others = others(estimator, d, set);
                println!(
                    "{estimator:14} {name:6} d = {d:2}: {:.3} ({:.3} to {:.3}), others {:?}",
                    found.value,
                    found.low,
                    found.high,
                    others.map(|others| others.0)
                );
                assert!(found.low <= found.value && found.value <= found.high && found.low >= 0.0);
                let share = found.value / d as f64 - 1.0;
                let strange = others.is_some_and(|(value, share)| (found.value / value - 1.0).abs() > share);
                if share > over || share < -under || strange {
                    misses.push(format!(
                        "{estimator} on the {name} of dimension {d}: {:.3}, others {others:?}",
                        found.value
                    ));
                }
            }
        }
    }
    assert!(misses.is_empty(), "{misses:#?}");
}

#[test]
fn local_estimates_tell_a_line_from_a_ball() {
    let (line, ball) = (uniform(1, 400, 1), gaussian(2, 400, 3));
    let x = Mat::from_fn(800, 3, |i, j| match i {
        0..400 if j == 0 => 50.0 + 20.0 * line[(i, 0)],
        0..400 => 0.0,
        _ => ball[(i - 400, j)],
    });
    for estimator in [Estimator::MaximumLikelihood, Estimator::LocalPca] {
        let local = global(&x, estimator).local.unwrap();
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let (line, ball) = (mean(&local[..400]), mean(&local[400..]));
        assert!((line - 1.0).abs() < 0.15 && (ball - 3.0).abs() < 0.5, "{estimator}: {line} {ball}");
    }
}

#[test]
fn scale_place_and_duplicates_do_not_matter() {
    let x = cube(2, 300);
    let moved = Mat::from_fn(300, 5, |i, j| 1024.0 * x[(i, j)]);
    let doubled = Mat::from_fn(600, 5, |i, j| x[(i % 300, j)]);
    for estimator in Estimator::ALL {
        let (found, again) = (global(&x, estimator), global(&doubled, estimator));
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{estimator}: {a} {b}");
        close(found.global.value, global(&moved, estimator).global.value);
        assert_eq!(found.global, again.global, "{estimator}");
        assert_eq!((found.distinct, again.distinct), (300, 300));
        if let (Some(one), Some(two)) = (found.local, again.local) {
            assert_eq!((&one[..], &one[..]), (&two[..300], &two[300..]));
        }
    }
}

#[test]
fn few_points_ties_and_simplices_have_defined_answers() {
    let simplex = Mat::from_fn(9, 9, |i, j| if i == j { 1.0 } else { 0.0 });
    for estimator in Estimator::ALL {
        for x in
            [lattice(1, 60, 3), gaussian(1, 5, 3), gaussian(1, 12, 2), uniform(3, 30, 1), simplex.clone()]
        {
            let found = global(&x, estimator);
            assert!(found.global.value.is_finite(), "{estimator}: {:?}", found.global);
            assert!(found.global.high >= found.global.value && found.global.low <= found.global.value);
            assert!(found.global.low >= 0.0, "{estimator}");
            assert!(found.local.into_iter().flatten().all(|d| d.is_finite() && d >= 0.0));
        }
        let few = estimate(lattice(1, 60, 1).as_ref(), estimator, Scales::default(), &Run::new());
        assert!(matches!(few, Err(Error::TooFewRows { rows: 3, .. })), "three different points");
        let wrong = Scales { k1: 2, k2: 20 };
        assert!(matches!(
            estimate(simplex.as_ref(), estimator, wrong, &Run::new()),
            Err(Error::Parameter { .. })
        ));
        assert_eq!(Ok(estimator), estimator.name().parse());
    }
    for estimator in Estimator::ALL.into_iter().filter(|estimator| *estimator != Estimator::LocalPca) {
        assert_eq!(global(&simplex, estimator).global.value, 9.0, "{estimator}: all equally far");
    }
    let nan = Mat::from_fn(9, 2, |i, _| if i == 4 { f64::NAN } else { i as f64 });
    let refused = estimate(nan.as_ref(), Estimator::TwoNn, Scales::default(), &Run::new());
    assert!(matches!(refused, Err(Error::NotFinite { row: 4, column: 0, count: 2, .. })));
    assert!("dimension".parse::<Estimator>().is_err());
}

/// The ratio of the two nearest by the book: the slope through the origin of `-log(1 - i/n)` over the sorted `log(r2 / r1)`.
#[test]
fn an_estimate_above_the_number_of_columns_is_not_cut() {
    let mut above = 0;
    for seed in 0..12 {
        let (n, d) = (200, 1 + seed as usize % 3);
        let x = uniform(seed, n, d);
        let far = |i: usize, j: usize| (0..d).map(|c| (x[(i, c)] - x[(j, c)]).powi(2)).sum::<f64>().sqrt();
        let mut logs: Vec<f64> = (0..n)
            .map(|i| {
                let mut row: Vec<f64> = (0..n).filter(|&j| j != i).map(|j| far(i, j)).collect();
                row.sort_by(f64::total_cmp);
                (row[1] / row[0]).ln()
            })
            .collect();
        logs.sort_by(f64::total_cmp);
        let kept = logs[..180].iter().enumerate();
        let (xy, xx) = kept.fold((0.0, 0.0), |(xy, xx), (i, l)| {
            (xy - l * (1.0 - (i + 1) as f64 / n as f64).ln(), xx + l * l)
        });
        let found = global(&x, Estimator::TwoNn).global;
        assert!((found.value / (xy / xx) - 1.0).abs() < 1e-9, "{} {}", found.value, xy / xx);
        assert!(found.low < found.value && found.value < found.high);
        above += usize::from(found.value > d as f64);
    }
    assert!(above > 0, "some of twelve are above the truth, which is the number of columns");
}

#[test]
fn seeds_and_threads_repeat() {
    let x = cube(3, 400);
    for estimator in Estimator::ALL {
        let of = |threads: usize| {
            let run = Run::new().with_seed(5).with_threads(threads).unwrap();
            estimate(x.as_ref(), estimator, Scales::default(), &run).unwrap()
        };
        assert_eq!(of(1), of(2), "{estimator}");
    }
}
