//! The engine: gradients, majorization, transformations.

use super::disparity::{Curve, Regression, Scale, Ties, Transformation};
use super::guttman::{self, stress, times};
use super::majorize::{Patience, Problem};
use super::measure::orient;
use super::pairs::{Ends, Pairs, each_pair, pair_count};
use crate::{Method, Model};
use lowland_base::Run;
use rand::RngExt;

const SCALES: [Scale; 6] = [
    Scale::Metric(Transformation::Absolute),
    Scale::Metric(Transformation::Ratio),
    Scale::Metric(Transformation::Interval),
    Scale::Metric(Transformation::Spline),
    Scale::Order(Ties::Primary),
    Scale::Order(Ties::Secondary),
];

/// A random problem: all pairs or some, with weights, masses and ties or without.
fn random_pairs(case: u64, scale: Scale) -> Pairs {
    let mut rng = Run::new().with_seed(case).rng("random pairs");
    let n = 3 + (case % 11) as usize;
    let ties = case.is_multiple_of(3);
    let mut given: Vec<f64> = (0..pair_count(n))
        .map(|_| {
            let d = 0.05 + rng.random::<f64>();
            if ties { (4.0 * d).ceil() / 4.0 } else { d }
        })
        .collect();
    let weights: Option<Vec<f64>> =
        (case % 4 < 2).then(|| given.iter().map(|d| d.powf(-((case % 3) as f64))).collect());
    let mass = case.is_multiple_of(5).then(|| (0..n).map(|i| 1.0 + (i % 3) as f64).collect());
    if scale.is_absolute() && case % 7 > 2 {
        return Pairs { n, ends: Ends::All, given, weights, mass };
    }
    let mut list = Vec::new();
    each_pair(n, 0..pair_count(n), |_, i, j| list.push([i as u32, j as u32]));
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by(|&a, &b| given[a].total_cmp(&given[b]));
    // Some pairs are missing; those of the first object stay, so that all hang together.
    order.retain(|&k| list[k][0] == 0 || case % 6 != 1 || k % 4 != 0);
    let weights = weights.map(|w| order.iter().map(|&k| w[k]).collect());
    given = order.iter().map(|&k| given[k]).collect();
    Pairs { n, ends: Ends::Listed(order.iter().map(|&k| list[k]).collect()), given, weights, mass }
}

fn random_layout<const D: usize>(n: usize, case: u64) -> Vec<[f64; D]> {
    let mut rng = Run::new().with_seed(case).rng("random layout");
    (0..n).map(|_| std::array::from_fn(|_| rng.random::<f64>() - 0.5)).collect()
}

#[test]
fn the_stress_never_rises_under_majorization() {
    let run = Run::new().with_threads(1).unwrap();
    for case in 0..1000 {
        let scale = SCALES[case as usize % SCALES.len()];
        let pairs = random_pairs(case, scale);
        let n = pairs.n;
        let problem = Problem::new(pairs, scale, 1.0, &run).unwrap();
        let stage = run.stage("layout", None);
        let patience = Patience { max_iter: 60, tol: 1e-12 };
        let unseen = |_: &[[f64; 2]], _: &[f64]| unreachable!();
        let end = problem.descend(random_layout::<2>(n, case), patience, unseen, &stage, &run).unwrap();
        assert!(end.history.is_sorted_by(|a, b| a >= b), "{case} {scale:?}: {:?}", end.history);
        // A start that is perfect already, as any order of three distances may be, has nowhere to go.
        let moved = end.history.len() > 1 || end.value < 1e-20;
        assert!(moved && end.value.is_finite(), "{case} {scale:?}: {:?}", end.history);
        // The last value is that of the layout.
        let fitted = problem.regress(&end.y, &run).unwrap();
        let value = if scale.is_absolute() { fitted.sums.residual } else { fitted.sums.stress() };
        assert!((value - end.value).abs() <= 1e-12 * (1.0 + value), "{case}: {value} {}", end.value);
    }
}

#[test]
fn gradients_are_finite_differences() {
    let run = Run::new();
    for case in 0..60 {
        let pairs = random_pairs(case, SCALES[0]);
        let mut y = random_layout::<3>(pairs.n, case);
        let value = |y: &[[f64; 3]]| pairs.sweep(y, &pairs.given, stress, &run).unwrap().sum;
        let pull = pairs.sweep(&y, &pairs.given, stress, &run).unwrap().pull;
        let rest = times(&pairs, &y, &run).unwrap();
        let step = 1e-6;
        for i in 0..pairs.n {
            for c in 0..3 {
                // d/dy of sum w (t - d)^2 is 2 (V y - B y).
                let ours = 2.0 * (rest[i][c] - pull[i][c]);
                let here = y[i][c];
                y[i][c] = here + step;
                let above = value(&y);
                y[i][c] = here - step;
                let below = value(&y);
                y[i][c] = here;
                let slope = (above - below) / (2.0 * step);
                assert!((ours - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{case}: {ours} {slope}");
            }
        }
    }
}

#[test]
fn sums_over_all_pairs_and_over_a_list_of_them_agree() {
    let run = Run::new();
    for case in 0..20 {
        let mut pairs = random_pairs(7 * case + 3, SCALES[0]);
        assert_eq!(pairs.ends, Ends::All);
        let y = random_layout::<2>(pairs.n, case);
        let all = pairs.sweep(&y, &pairs.given, stress, &run).unwrap();
        let mut list = Vec::new();
        each_pair(pairs.n, 0..pairs.len(), |_, i, j| list.push([i as u32, j as u32]));
        pairs.ends = Ends::Listed(list);
        let listed = pairs.sweep(&y, &pairs.given, stress, &run).unwrap();
        assert!((all.sum - listed.sum).abs() < 1e-12 * listed.sum);
        let flat = all.pull.as_flattened().iter().zip(listed.pull.as_flattened());
        assert!(flat.into_iter().all(|(a, b)| (a - b).abs() < 1e-10), "{case}");
    }
}

#[test]
fn the_guttman_transform_solves_for_every_kind_of_weights() {
    let run = Run::new();
    for case in 0..60 {
        let pairs = random_pairs(case, SCALES[0]);
        let y = random_layout::<2>(pairs.n, case);
        let pull = pairs.sweep(&y, &pairs.given, stress, &run).unwrap().pull;
        let inverse = guttman::Inverse::of(&pairs, &run).unwrap();
        let moved = inverse.transform(&pairs, &y, pull.clone(), &run).unwrap();
        let product = times(&pairs, &moved, &run).unwrap();
        let size = pull.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
        let apart = product.as_flattened().iter().zip(pull.as_flattened());
        let residual = apart.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let bound = if matches!(inverse, guttman::Inverse::Uniform { .. }) { 1e-12 } else { 0.5 };
        assert!(residual <= bound * size, "{case}: {residual} of {size}");
    }
}

#[test]
fn a_transformation_finds_what_it_allows() {
    let run = Run::new();
    let n = 12;
    let y = random_layout::<2>(n, 5);
    let mut list: Vec<([u32; 2], f64)> = Vec::new();
    each_pair(n, 0..pair_count(n), |_, i, j| {
        list.push(([i as u32, j as u32], super::pairs::apart(&y[i], &y[j])));
    });
    list.sort_by(|a, b| a.1.total_cmp(&b.1));
    // The dissimilarities are functions of the true distances: each transformation takes its own back.
    let functions: [(Scale, fn(f64) -> f64, f64); 5] = [
        (SCALES[1], |d| 3.0 * d, 1e-14),
        (SCALES[2], |d| 3.0 * d + 2.0, 1e-14),
        (SCALES[3], |d| (1.0 + d).powi(2), 0.01),
        (SCALES[4], |d| d.powi(5), 1e-14),
        (SCALES[5], |d| d.exp(), 1e-14),
    ];
    for (scale, function, bound) in functions {
        let pairs = Pairs {
            n,
            ends: Ends::Listed(list.iter().map(|pair| pair.0).collect()),
            given: list.iter().map(|pair| function(pair.1)).collect(),
            weights: None,
            mass: None,
        };
        let problem = Problem::new(pairs, scale, 1.0, &run).unwrap();
        let fitted = problem.regress(&y, &run).unwrap();
        assert!(fitted.sums.stress().sqrt() < bound, "{scale:?}: {}", fitted.sums.stress());
        let curve = Curve::new(&problem.regression, &problem.pairs.given, &fitted.disparities);
        let d = function(0.4);
        assert!((curve.at(d) - 0.4).abs() < 0.03, "{scale:?}: {}", curve.at(d));
        assert!(curve.at(0.0) >= 0.0 && curve.at(1e9).is_finite());
    }
    assert_eq!(Curve::new(&Regression::Fixed, &[1.0], &[1.0]).at(7.0), 7.0);
}

#[test]
fn turning_a_layout_keeps_its_distances() {
    let run = Run::new();
    let mut y = random_layout::<3>(30, 9);
    let before = y.clone();
    orient(&mut y, None, 3, &run).unwrap();
    for i in 0..30 {
        for j in 0..30 {
            let (a, b) = (super::pairs::apart(&y[i], &y[j]), super::pairs::apart(&before[i], &before[j]));
            assert!((a - b).abs() < 1e-14);
        }
    }
    let variance = |c: usize| y.iter().map(|y| y[c] * y[c]).sum::<f64>();
    assert!(variance(0) >= variance(1) && variance(1) >= variance(2));
}

#[test]
fn all_at_one_position_is_the_worst_layout() {
    // Disparities of 0 fit it. Many copies of a row lead there.
    let few = [[0.3, 0.3, 0.1], [-1.2, -0.3, 0.4], [-3.1, 0.8, 0.3], [-1.1, -0.7, -0.2], [0.4, -0.4, 1.2]];
    let x = ndarray::Array2::from_shape_fn((60, 3), |(i, j)| if i < 55 { 1.0 } else { few[i - 55][j] });
    for seed in 0..5 {
        let method = crate::methods::NonmetricMds { n_components: 1, ..Default::default() };
        let model = method.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
        assert!(model.report().warnings.is_empty(), "{:?}", model.report().warnings);
        let largest = model.embedding().unwrap().to_f64().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(largest > 1e-3 && model.stress_1() < 0.9, "{largest}, {}", model.stress_1());
    }
}
