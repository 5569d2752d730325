//! Every measure of neighborhoods against the definition, written out.

mod common;
use common::{awkward, gaussian, lattice, ranks};
use faer::Mat;
use lowland_base::{Error, Run};
use lowland_neighbors::Metric;
use lowland_quality::{
    CLASS_MEASURES, Cloud, Curves, MEASURES, Neighborhoods, Points, SampleSizes, Truth, continuity, curves,
    evaluate, trustworthiness,
};

fn points(x: &Mat<f64>) -> Points<'_, f64> {
    Points::new(x.as_ref(), Metric::Euclidean, &Run::new()).unwrap()
}

/// Maaten eq. 28, the ranks the right way round, over the whole matrices of ranks.
fn naive_trust(high: &[Vec<usize>], low: &[Vec<usize>], k: usize) -> f64 {
    let n = high.len();
    let (mut sum, mut worst) = (0, 0);
    for i in 0..n {
        sum += (0..n)
            .filter(|&j| j != i && low[i][j] <= k && high[i][j] > k)
            .map(|j| high[i][j] - k)
            .sum::<usize>();
        // As bad as can be: the farthest k.
        worst += (n.saturating_sub(k)..n).map(|rank| rank.saturating_sub(k)).sum::<usize>();
    }
    if worst == 0 { 1.0 } else { 1.0 - sum as f64 / worst as f64 }
}

#[test]
fn trustworthiness_and_continuity_are_their_definitions() {
    let run = Run::new();
    for seed in 0..60 {
        let n = [2, 3, 4, 7, 30, 90][seed as usize % 6] + seed as usize / 6;
        let width = [1, 2, 5, 9, 20][seed as usize % 5];
        let (x, y) = (awkward(seed, n, width), awkward(seed + 3, n, 2));
        let (high, low) = (ranks(&x), ranks(&y));
        let (px, py) = (points(&x), points(&y));
        for k in [1, 2, n / 3, n / 2, n - 1] {
            if !(1..n).contains(&k) {
                continue;
            }
            let near = Neighborhoods::new(&px, &py, k, usize::MAX, &run).unwrap();
            let (trust, whole) = (naive_trust(&high, &low, k), naive_trust(&low, &high, k));
            let close = |found: f64, right: f64, what: &str| {
                assert!(
                    (found - right).abs() < 1e-13,
                    "{what}: {found} for {right}, seed {seed}, n {n}, k {k}"
                );
            };
            close(trustworthiness(&px, &py, k, &run).unwrap(), trust, "trustworthiness");
            close(continuity(&px, &py, k, &run).unwrap(), whole, "continuity");
            close(near.trustworthiness(k).unwrap().value, trust, "mean of the points' trust");
            close(near.continuity(k).unwrap().value, whole, "mean of the points' continuity");
            for value in
                near.trust_of_points(k).unwrap().into_iter().chain(near.continuity_of_points(k).unwrap())
            {
                assert!((0.0..=1.0).contains(&value));
            }
            let naive_errors = |here: &[Vec<usize>], there: &[Vec<usize>]| {
                let terms = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
                let sum: f64 = terms
                    .filter(|&(i, j)| i != j && here[i][j] <= k)
                    .map(|(i, j)| here[i][j].abs_diff(there[i][j]) as f64 / here[i][j] as f64)
                    .sum();
                let worst: f64 = (1..=k).map(|l| n.abs_diff(2 * l) as f64 / l as f64).sum::<f64>() * n as f64;
                if worst == 0.0 { 0.0 } else { (sum / worst).min(1.0) }
            };
            let errors = near.rank_errors(k).unwrap().map(|e| e.value);
            close(errors[0], naive_errors(&high, &low), "rank errors of the data");
            close(errors[1], naive_errors(&low, &high), "rank errors of the embedding");
            let corner = near.coranking(k).unwrap();
            let mut right = vec![0; k * k];
            for i in 0..n {
                for j in (0..n).filter(|&j| j != i && high[i][j] <= k && low[i][j] <= k) {
                    right[(high[i][j] - 1) * k + low[i][j] - 1] += 1;
                }
            }
            assert_eq!(corner, right);
        }
    }
}

#[test]
fn rank_errors_end_at_one_even_where_the_reversed_order_is_not_the_worst() {
    let run = Run::new();
    for seed in 0..200 {
        let n = 4 + seed as usize % 5;
        let (x, y) = (gaussian(seed, n, 3), gaussian(seed + 1000, n, 3));
        let (px, py) = (points(&x), points(&y));
        for k in 1..n {
            let near = Neighborhoods::new(&px, &py, k, usize::MAX, &run).unwrap();
            for error in near.rank_errors(k).unwrap() {
                assert!((0.0..=1.0).contains(&error.value), "n {n}, k {k}: {error:?}");
                assert_eq!([error.low, error.high], [error.value; 2], "all points were counted");
            }
        }
    }
    // Two rectangles: around each corner the order a, b, c becomes b, c, a. Over the neighbors in the data that is
    // (2 / 1 + 1 / 2) / 2, over those in the embedding (1 / 1 + 1 / 2) / 2, and the reversed order is 2.
    let x = Mat::from_fn(4, 2, |i, j| [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 2.0]][i][j]);
    let y = Mat::from_fn(4, 2, |i, j| [[0.0, 0.0], [1.0, 2.0], [1.0, 0.0], [0.0, 2.0]][i][j]);
    let near = Neighborhoods::new(&points(&x), &points(&y), 2, usize::MAX, &run).unwrap();
    assert_eq!(near.rank_errors(2).unwrap().map(|error| error.value), [1.0, 0.75]);
}

#[test]
fn ranks_by_the_prefilter_are_those_of_the_loop_in_both_precisions_and_for_every_metric() {
    let run = Run::new();
    for seed in 0..12 {
        let (n, width) = (150 + seed as usize, 3 + 40 * (seed as usize % 3));
        let x = awkward(if seed % 6 == 3 { 0 } else { seed }, n, width);
        let single = Mat::from_fn(n, width, |i, j| x[(i, j)] as f32);
        let y = gaussian(seed, n, 2);
        let py = points(&y);
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Correlation, Metric::Manhattan] {
            let clouds: [Box<dyn Cloud>; 2] = [
                Box::new(Points::new(x.as_ref(), metric, &run).unwrap()),
                Box::new(Points::new(single.as_ref(), metric, &run).unwrap()),
            ];
            for cloud in clouds {
                let near = Neighborhoods::new(&*cloud, &py, 7, usize::MAX, &run).unwrap();
                for (row, i) in near.in_embedding.neighbors.chunks_exact(7).zip(0..) {
                    for (position, &j) in row.iter().enumerate() {
                        let far = |l: usize| (cloud.distance(i, l), l);
                        let before = (0..n).filter(|&l| l != i && far(l) < far(j as usize)).count();
                        assert_eq!(
                            near.in_embedding.ranks_there[i * 7 + position] as usize,
                            before + 1,
                            "{metric} seed {seed}"
                        );
                    }
                }
            }
        }
    }
}

fn naive_curves(high: &[Vec<usize>], low: &[Vec<usize>]) -> (Vec<f64>, Vec<f64>) {
    let n = high.len();
    let count = |k: usize, what: &dyn Fn(usize, usize) -> f64| {
        let pairs = (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| (i, j)));
        let inside = pairs.map(|(i, j)| (high[i][j], low[i][j])).filter(|&(h, l)| h <= k && l <= k);
        inside.map(|(h, l)| what(h, l)).sum::<f64>() / (k * n) as f64
    };
    let signed = |h: usize, l: usize| (h > l) as i32 as f64 - (h < l) as i32 as f64;
    (1..n).map(|k| (count(k, &|_, _| 1.0), count(k, &signed))).unzip()
}

#[test]
fn curves_are_their_definitions() {
    let run = Run::new();
    for seed in 0..24 {
        let n = 3 + 3 * seed as usize;
        let (x, y) = (awkward(seed, n, 4), awkward(seed + 1, n, 2));
        let (q, b) = naive_curves(&ranks(&x), &ranks(&y));
        let found = curves(&points(&x), &points(&y), usize::MAX, &run).unwrap();
        for k in 0..n - 1 {
            assert!((found.agreement[k] - q[k]).abs() < 1e-13 && (found.behavior[k] - b[k]).abs() < 1e-13);
        }
        assert!((found.agreement[n - 2] - 1.0).abs() < 1e-13, "all others are neighbors");
        let r: Vec<f64> =
            (1..n - 1).map(|k| ((n - 1) as f64 * q[k - 1] - k as f64) / (n - 1 - k) as f64).collect();
        let (mut over, mut under) = (0.0, 0.0);
        for (k, r) in (1..).zip(&r) {
            assert!((found.beyond_chance[k - 1] - r).abs() < 1e-12);
            over += r / k as f64;
            under += 1.0 / k as f64;
        }
        assert!((found.area.value - over / under).abs() < 1e-12);
        let lcmc = |k: usize| q[k - 1] - k as f64 / (n - 1) as f64;
        assert!((1..n).all(|k| lcmc(k) <= lcmc(found.local_size) + 1e-13));
        assert!(found.local.value <= 1.0 && found.global.value <= 1.0 && found.local.value >= 0.0);
    }
}

#[test]
fn the_lists_of_measures_are_what_a_judgment_has() {
    let (x, y) = (gaussian(1, 30, 4), gaussian(2, 30, 2));
    let classes: Vec<i64> = (0..30).map(|i| i % 3).collect();
    let truth = Truth { labels: Some(&classes), procrustes: None };
    let found = evaluate(&points(&x), &points(&y), truth, 5, SampleSizes::default(), &Run::new()).unwrap();
    let names: Vec<&str> = found.measures.iter().map(|measure| measure.name).collect();
    assert_eq!(names, [&MEASURES[..], &CLASS_MEASURES[..]].concat());
}

#[test]
fn a_similarity_is_perfect() {
    let run = Run::new();
    for seed in 0..10 {
        let n = 5 + 7 * seed as usize;
        let x = gaussian(seed, n, 2);
        let (s, c) = (0.3_f64).sin_cos();
        let y = Mat::from_fn(n, 2, |i, j| {
            let (a, b) = (x[(i, 0)], x[(i, 1)]);
            5.0 + 3.0 * if j == 0 { c * a - s * b } else { s * a + c * b }
        });
        let (px, py) = (points(&x), points(&y));
        let near = Neighborhoods::new(&px, &py, n / 2, usize::MAX, &run).unwrap();
        for k in 1..=n / 2 {
            assert_eq!(near.trustworthiness(k).unwrap().value, 1.0);
            assert_eq!(near.continuity(k).unwrap().value, 1.0);
            assert_eq!(near.rank_errors(k).unwrap().map(|e| e.value), [0.0, 0.0]);
        }
        let Curves { area, agreement, behavior, .. } = curves(&px, &py, usize::MAX, &run).unwrap();
        assert!((area.value - 1.0).abs() < 1e-14 && agreement.iter().all(|q| (q - 1.0).abs() < 1e-14));
        assert!(behavior.iter().all(|b| *b == 0.0));
        let (stretch, compression) = near.distortion();
        assert!(stretch.iter().chain(&compression).all(|s| (s - 1.0).abs() < 1e-12));
    }
}

#[test]
fn tears_are_stretched_and_folds_compressed() {
    // A line, torn in the middle: the two points at the tear are drawn apart.
    let n = 41;
    let line = Mat::from_fn(n, 1, |i, _| i as f64);
    let torn = Mat::from_fn(n, 1, |i, _| i as f64 + if i > 20 { 30.0 } else { 0.0 });
    let run = Run::new();
    let near = Neighborhoods::new(&points(&line), &points(&torn), 2, usize::MAX, &run).unwrap();
    let (stretch, _) = near.distortion();
    let most = (0..n).max_by(|&a, &b| stretch[a].total_cmp(&stretch[b])).unwrap();
    assert!(most == 20 || most == 21, "{most}");
    assert!(stretch[20] > 10.0 && stretch[5] == 1.0);
    // The other way round it is pushed together.
    let near = Neighborhoods::new(&points(&torn), &points(&line), 2, usize::MAX, &run).unwrap();
    let (_, compression) = near.distortion();
    assert!(compression[20] > 10.0 && compression[5] == 1.0);
    assert!(near.trust_of_points(2).unwrap()[20] < 1.0);
}

#[test]
fn distortion_of_duplicates_is_defined() {
    // Four equal points among others on a line of twice the size: nothing to stretch there.
    let run = Run::new();
    let x = Mat::from_fn(24, 1, |i, _| if i < 4 { 0.0 } else { i as f64 });
    let y = Mat::from_fn(24, 1, |i, _| 2.0 * x[(i, 0)]);
    let near = Neighborhoods::new(&points(&x), &points(&y), 2, usize::MAX, &run).unwrap();
    let (stretch, compression) = near.distortion();
    assert!(stretch.iter().chain(&compression).all(|s| *s == 1.0));
    // Equal points drawn apart are stretched without bound, and others pushed onto one compressed.
    let spread = Mat::from_fn(24, 1, |i, _| i as f64);
    let near = Neighborhoods::new(&points(&x), &points(&spread), 2, usize::MAX, &run).unwrap();
    assert_eq!(near.distortion().0[0], f64::INFINITY);
    let near = Neighborhoods::new(&points(&spread), &points(&x), 2, usize::MAX, &run).unwrap();
    assert_eq!(near.distortion().1[0], f64::INFINITY);
}

#[test]
fn a_sample_comes_close_and_its_interval_covers_the_truth() {
    let run = Run::new();
    let (n, k, trials) = (1500, 10, 20);
    let x = gaussian(1, n, 6);
    let y = Mat::from_fn(n, 2, |i, j| x[(i, j)]);
    let (px, py) = (points(&x), points(&y));
    let whole = Neighborhoods::new(&px, &py, k, n, &run).unwrap();
    let (trust, all) = (whole.trustworthiness(k).unwrap(), curves(&px, &py, n, &run).unwrap());
    assert!(trust.low == trust.value && trust.high == trust.value);
    let (mut covered, mut covered_area, mut covered_local) = (0, 0, 0);
    for seed in 0..trials {
        let run = Run::new().with_seed(seed);
        let some = Neighborhoods::new(&px, &py, k, 200, &run).unwrap();
        let found = some.trustworthiness(k).unwrap();
        assert!(found.high - found.low < 0.05 && found.high > found.low);
        covered += usize::from((found.low..=found.high).contains(&trust.value));
        let some = curves(&px, &py, 200, &run).unwrap();
        covered_area += usize::from((some.area.low..=some.area.high).contains(&all.area.value));
        // Each sample chooses its own size: the interval covers that too.
        covered_local += usize::from((some.local.low..=some.local.high).contains(&all.local.value));
    }
    let odd = curves(&px, &py, 59, &run).unwrap();
    assert!(
        odd.area.low < odd.area.high && odd.local.low < odd.local.high,
        "a sample of any size has an interval"
    );
    // 95 % each: 16 of 20 or fewer happens once in several hundred.
    assert!(covered >= 17 && covered_area >= 17, "{covered} {covered_area} of {trials}");
    assert!(covered_local >= 16, "{covered_local} of {trials}");
}

#[test]
fn threads_and_layouts_do_not_change_a_bit() {
    let x = awkward(2, 300, 30);
    let y = lattice(5, 300, 2);
    let columns = x.clone();
    let rows: Vec<f64> = (0..300).flat_map(|i| (0..30).map(move |j| (i, j))).map(|c| x[c]).collect();
    let rows = faer::MatRef::from_row_major_slice(&rows, 300, 30);
    let all = |x: faer::MatRef<'_, f64>, threads: usize| {
        let run = Run::new().with_threads(threads).unwrap();
        let (px, py) = (Points::new(x, Metric::Euclidean, &run).unwrap(), points(&y));
        (Neighborhoods::new(&px, &py, 9, 200, &run).unwrap(), curves(&px, &py, 100, &run).unwrap())
    };
    let first = all(columns.as_ref(), 1);
    assert_eq!(first, all(columns.as_ref(), 2));
    assert_eq!(first, all(rows, 2));
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let run = Run::new();
    let (x, y) = (gaussian(0, 10, 3), gaussian(0, 9, 2));
    let (px, py) = (points(&x), points(&y));
    assert!(matches!(trustworthiness(&px, &py, 3, &run), Err(Error::Malformed { .. })));
    for k in [0, 10, 11] {
        assert!(matches!(trustworthiness(&px, &px, k, &run), Err(Error::Parameter { .. })), "{k}");
    }
    let one = gaussian(0, 1, 3);
    assert!(matches!(trustworthiness(&points(&one), &points(&one), 1, &run), Err(Error::TooFewRows { .. })));
    let nan = Mat::from_fn(5, 2, |i, _| if i == 3 { f64::NAN } else { 1.0 });
    assert!(matches!(
        Points::new(nan.as_ref(), Metric::Euclidean, &run),
        Err(Error::NotFinite { row: 3, .. })
    ));
    let none = Mat::<f64>::zeros(0, 2);
    assert!(matches!(Points::new(none.as_ref(), Metric::Euclidean, &run), Err(Error::Empty { .. })));
}

#[test]
fn a_canceled_run_stops() {
    let run = Run::new();
    let (x, y) = (gaussian(0, 300, 3), gaussian(0, 300, 2));
    let (px, py) = (points(&x), points(&y));
    run.cancel_switch().cancel();
    assert_eq!(trustworthiness(&px, &py, 3, &run), Err(Error::Canceled));
    assert!(curves(&px, &py, 300, &run).is_err());
}
