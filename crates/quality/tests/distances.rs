//! Measures of distances, of labels, and of a known truth, against their definitions.

mod common;
use common::{awkward, distance, gaussian, lattice};
use faer::Mat;
use lowland_base::Run;
use lowland_neighbors::Metric;
use lowland_quality::pairs::{Distances, distances};
use lowland_quality::{Cloud, Points, SampleSizes, Truth, evaluate, labels, procrustes};

fn points(x: &Mat<f64>) -> Points<'_, f64> {
    Points::new(x.as_ref(), Metric::Euclidean, &Run::new()).unwrap()
}

fn all_pairs(x: &Mat<f64>, scale: f64) -> Vec<f64> {
    let n = x.nrows();
    (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| distance(x, i, j) * scale).collect()
}

fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

/// By counting, for every value, those below and those equal.
fn naive_ranks(values: &[f64]) -> Vec<f64> {
    let rank = |v: &f64| {
        let (below, equal) =
            values.iter().fold((0, 0), |(b, e), x| (b + (x < v) as u32, e + (x == v) as u32));
        f64::from(below) + f64::from(equal + 1) / 2.0
    };
    values.iter().map(rank).collect()
}

/// The isotonic regression by its minimax formula.
fn naive_nonmetric(x: &[f64], y: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]).then(y[a].total_cmp(&y[b])));
    let y: Vec<f64> = order.into_iter().map(|i| y[i]).collect();
    let m = y.len();
    let mut sums = vec![0.0];
    y.iter().for_each(|v| sums.push(sums[sums.len() - 1] + v));
    let fitted = |i: usize| {
        let least = |from: usize| {
            (i..m)
                .map(|to| (sums[to + 1] - sums[from]) / (to + 1 - from) as f64)
                .fold(f64::INFINITY, f64::min)
        };
        (0..=i).map(least).fold(f64::NEG_INFINITY, f64::max)
    };
    let rest: f64 = (0..m).map(|i| (y[i] - fitted(i)).powi(2)).sum();
    (rest / y.iter().map(|v| v * v).sum::<f64>()).sqrt()
}

#[test]
fn measures_of_distances_are_their_definitions() {
    let run = Run::new();
    for seed in 0..30 {
        let n = 6 + seed as usize / 3;
        let (x, y) = (
            awkward(seed, n, 4),
            if seed % 4 == 1 { lattice(seed + 9, n, 2) } else { gaussian(seed + 9, n, 2) },
        );
        // The references square; the measures must not care about the size.
        let scale = [1.0, 1.0, 1.0, 1e-140, 1e200, 1.0][seed as usize % 6];
        let (a, b) = (all_pairs(&x, scale), all_pairs(&y, 1.0));
        let found = distances(&points(&x), &points(&y), usize::MAX, usize::MAX, &run).unwrap();
        let close = |found: f64, right: f64, what: &str| {
            assert!(
                (found - right).abs() <= 1e-9 * right.abs().max(1.0),
                "{what}: {found} for {right}, seed {seed}"
            );
        };
        close(found.pearson.value, pearson(&a, &b), "pearson");
        close(found.spearman.value, pearson(&naive_ranks(&a), &naive_ranks(&b)), "spearman");
        close(found.residual_variance.value, 1.0 - pearson(&a, &b).powi(2), "residual variance");
        if scale == 1.0 {
            let raw: f64 = a.iter().zip(&b).map(|(p, q)| (p - q).powi(2)).sum();
            close(found.raw_stress.value, raw, "raw stress");
            close(
                found.normalized_stress.value,
                (raw / a.iter().map(|p| p * p).sum::<f64>()).sqrt(),
                "stress",
            );
        }
        let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(x, y)| x * y).sum::<f64>();
        let best = dot(&a, &b) / dot(&b, &b);
        let rest: f64 = a.iter().zip(&b).map(|(p, q)| (p - best * q).powi(2)).sum();
        close(found.scale_free_stress.value, (rest / dot(&a, &a)).sqrt(), "scale-free stress");
        close(found.nonmetric_stress.value, naive_nonmetric(&a, &b), "non-metric stress");
    }
}

#[test]
fn a_similarity_has_no_stress_and_a_monotone_change_none_that_is_non_metric() {
    let run = Run::new();
    for seed in 0..8 {
        let n = 2 + 5 * seed as usize;
        let x = gaussian(seed, n, 2);
        let y = Mat::from_fn(n, 2, |i, j| 7.0 - 1e-3 * x[(i, 1 - j)]);
        let found = distances(&points(&x), &points(&y), usize::MAX, usize::MAX, &run).unwrap();
        let Distances { pearson, spearman, scale_free_stress, nonmetric_stress, residual_variance, .. } =
            found;
        assert!((pearson.value - 1.0).abs() < 1e-12 && residual_variance.value < 1e-12);
        // Rounding may exchange two distances that are all but equal.
        assert!((spearman.value - 1.0).abs() < 1e-9);
        assert!(scale_free_stress.value < 1e-11 && nonmetric_stress.value < 1e-11, "{scale_free_stress:?}");
        let disparity = procrustes(x.as_ref(), y.as_ref(), &run).unwrap();
        assert!(disparity < 1e-24, "{disparity}");
    }
    let line = Mat::from_fn(20, 1, |i, _| i as f64);
    let curve =
        Mat::from_fn(20, 2, |i, j| if j == 0 { (i as f64 / 25.0).cos() } else { (i as f64 / 25.0).sin() });
    let found = distances(&points(&line), &points(&curve), usize::MAX, usize::MAX, &run).unwrap();
    assert!(found.nonmetric_stress.value < 1e-12 && found.scale_free_stress.value > 1e-3);
}

#[test]
fn collapsed_clouds_have_defined_figures() {
    let run = Run::new();
    let (x, point) = (gaussian(3, 12, 3), Mat::<f64>::zeros(12, 2));
    let found = distances(&points(&x), &points(&point), usize::MAX, usize::MAX, &run).unwrap();
    assert_eq!((found.pearson.value, found.spearman.value), (0.0, 0.0));
    assert_eq!((found.scale_free_stress.value, found.nonmetric_stress.value), (1.0, 1.0));
    assert_eq!(found.normalized_stress.value, 1.0);
    let both = distances(&points(&point), &points(&point), usize::MAX, usize::MAX, &run).unwrap();
    assert_eq!((both.pearson.value, both.raw_stress.value, both.nonmetric_stress.value), (1.0, 0.0, 0.0));
    assert_eq!(procrustes(x.as_ref(), point.as_ref(), &run), Ok(1.0));
    assert_eq!(procrustes(point.as_ref(), point.as_ref(), &run), Ok(0.0));
}

#[test]
fn intervals_of_sampled_pairs_cover_the_truth() {
    let x = gaussian(1, 300, 5);
    let y = Mat::from_fn(300, 2, |i, j| x[(i, j)]);
    let (px, py) = (points(&x), points(&y));
    let whole = distances(&px, &py, usize::MAX, usize::MAX, &Run::new()).unwrap();
    let figures =
        |d: &Distances| [d.pearson, d.spearman, d.normalized_stress, d.scale_free_stress, d.raw_stress];
    let mut covered = 0;
    for seed in 0..20 {
        let some = distances(&px, &py, 4000, 4000, &Run::new().with_seed(seed)).unwrap();
        for (found, right) in figures(&some).iter().zip(figures(&whole)) {
            assert!(found.low < found.value && found.value < found.high);
            covered += usize::from((found.low..=found.high).contains(&right.value));
        }
    }
    assert!(covered >= 88, "{covered} of 100");
}

#[test]
fn procrustes_is_one_less_the_square_of_the_nuclear_norm() {
    let run = Run::new();
    for seed in 0..20 {
        let (p, q) = ([1, 2, 3, 5][seed as usize % 4], [2, 1, 4][seed as usize % 3]);
        let (t, y) = (gaussian(seed, 40, p), gaussian(seed + 1, 40, q));
        let standard = |m: &Mat<f64>| {
            let mean: Vec<f64> = (0..m.ncols()).map(|j| m.col(j).iter().sum::<f64>() / 40.0).collect();
            let centered = Mat::from_fn(40, m.ncols(), |i, j| m[(i, j)] - mean[j]);
            let norm = centered.norm_l2();
            Mat::from_fn(40, m.ncols(), |i, j| centered[(i, j)] / norm)
        };
        let joint = standard(&t).transpose() * standard(&y);
        let nuclear: f64 = lowland_linalg::svd::thin(joint.as_ref(), &run).unwrap().values.iter().sum();
        let found = procrustes(t.as_ref(), y.as_ref(), &run).unwrap();
        assert!((found - (1.0 - nuclear * nuclear)).abs() < 1e-12, "{found}");
    }
}

#[test]
fn votes_hits_and_silhouettes_are_their_definitions() {
    let run = Run::new();
    for seed in 0..12 {
        let n = 12 + 9 * seed as usize;
        let x = awkward(seed, n, 3);
        let classes: Vec<i64> =
            (0..n).map(|i| if i == 5 { 77 } else { (i as i64 * 7 + seed as i64) % 4 - 1 }).collect();
        let cloud = points(&x);
        let rows: Vec<u32> = (0..n as u32).collect();
        for k in [1, 3, 7] {
            let (near, _) = cloud.nearest(&rows, k, &run).unwrap();
            let (mut wrong, mut hits) = (0, 0);
            for i in 0..n {
                let voters: Vec<i64> = common::order(&x, i)[..k].iter().map(|&j| classes[j]).collect();
                let votes = |class: i64| voters.iter().filter(|&&c| c == class).count();
                let most = voters.iter().map(|&c| votes(c)).max().unwrap();
                let winner = *voters.iter().find(|&&c| votes(c) == most).unwrap();
                wrong += usize::from(winner != classes[i]);
                hits += votes(classes[i]);
            }
            let error = labels::vote_error(&rows, &near, k, k, &classes).unwrap().value;
            assert!((error - wrong as f64 / n as f64).abs() < 1e-14);
            let hit = labels::neighborhood_hit(&rows, &near, k, k, &classes).unwrap().value;
            assert!((hit - hits as f64 / (k * n) as f64).abs() < 1e-14);
        }
        let mean = |i: usize, class: i64| {
            let others: Vec<usize> = (0..n).filter(|&j| j != i && classes[j] == class).collect();
            others.iter().map(|&j| distance(&x, i, j)).sum::<f64>() / others.len() as f64
        };
        let silhouette = |i: usize| {
            if classes.iter().filter(|&&c| c == classes[i]).count() == 1 {
                return 0.0;
            }
            let inside = mean(i, classes[i]);
            let others = [-1, 0, 1, 2, 77].into_iter().filter(|&c| c != classes[i]);
            let outside = others.map(|c| mean(i, c)).fold(f64::INFINITY, f64::min);
            if inside.max(outside) == 0.0 { 0.0 } else { (outside - inside) / inside.max(outside) }
        };
        let right = (0..n).map(silhouette).sum::<f64>() / n as f64;
        let found = labels::silhouette(&cloud, &classes, usize::MAX, &run).unwrap().unwrap().value;
        assert!((found - right).abs() < 1e-12, "{found} for {right}");
        assert_eq!(labels::silhouette(&cloud, &vec![1; n], usize::MAX, &run), Ok(None));
    }
}

#[test]
fn an_evaluation_has_every_figure_in_its_range_for_every_cloud() {
    let run = Run::new();
    for seed in 0..36 {
        let n = [2, 3, 5, 40][seed as usize % 4];
        let (x, y) = (awkward(seed, n, 4), awkward(seed / 2, n, 2));
        let classes: Vec<i64> = (0..n as i64).map(|i| i % 2).collect();
        let truth = Truth { labels: Some(&classes), procrustes: Some(0.5) };
        let k = 1 + (seed as usize % (n - 1));
        let found = evaluate(&points(&x), &points(&y), truth, k, SampleSizes::default(), &run).unwrap();
        for measure in &found.measures {
            let value = measure.estimate.value;
            let range = match measure.name {
                "pearson" | "spearman" | "silhouette" | "r_nx_area" => -1.0..=1.0,
                "raw_stress" | "normalized_stress" => 0.0..=f64::INFINITY,
                _ => 0.0..=1.0,
            };
            assert!(range.contains(&value), "{} = {value}, seed {seed}, n {n}", measure.name);
        }
        assert!(found.per_point.stretch.iter().all(|s| *s >= 0.0) && found.get("trustworthiness").is_some());
    }
}
