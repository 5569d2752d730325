//! The metrics against SciPy's values, against plain sums, and against the axioms.

use super::*;
use lowland_base::Scalar;
use proptest::prelude::*;

fn close(found: f64, expected: f64, what: impl fmt::Display) {
    assert!((found - expected).abs() <= 4e-15 * expected.abs().max(1.0), "{what}: {found} is not {expected}");
}

/// Made with scipy.spatial.distance 1.x.
#[test]
fn the_values_of_scipy() {
    let (a, b) = ([1.5, -2.0, 0.0, 3.25, 0.5], [0.5, 1.0, 0.0, -1.75, 0.5]);
    let u: Vec<f64> = (1..=40).map(|i| (f64::from(i) * 0.7).sin()).collect();
    let v: Vec<f64> = (1..=40).map(|i| (f64::from(i * i) * 0.3).cos()).collect();
    let expected = [
        (Metric::Euclidean, 5.916079783099616, 5.646960052125201),
        (Metric::SquaredEuclidean, 35.0, 31.888157830297853),
        (Metric::Manhattan, 9.0, 29.3550077821856),
        (Metric::Chebyshev, 5.0, 1.8948587842512776),
        (Metric::Minkowski(3.0), 5.348481241239363, 3.479937923649569),
        (Metric::Cosine, 1.7579508146991705, 0.8241414729706067),
        (Metric::Correlation, 1.830547120421206, 0.8432150971650517),
        (Metric::Hamming, 0.6, 1.0),
    ];
    for (metric, short, long) in expected {
        close(metric.distance(&a, &b), short, metric);
        close(metric.distance(&u, &v), long, metric);
        let single = |x: &[f64]| x.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let found = metric.distance(&single(&u), &single(&v));
        assert!((found.wide() - long).abs() < 4e-6 * long, "{metric} {found}");
    }
    close(Metric::Minkowski(1.5).distance(&a, &b), 6.708746911097502, "minkowski(1.5)");
    let (x, y) = ([1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    close(Metric::Jaccard.distance(&x, &y), 0.6, "jaccard");
    close(Metric::Hamming.distance(&x, &y), 3.0 / 7.0, "hamming");
}

#[test]
fn where_the_formula_divides_by_zero() {
    for width in [1, 3, 16, 40] {
        let (zero, constant) = (vec![0.0; width], vec![0.1; width]);
        let other: Vec<f64> = (0..width).map(|i| i as f64 + 1.0).collect();
        for metric in [Metric::Cosine, Metric::Jaccard, Metric::Hamming, Metric::Correlation] {
            assert_eq!(metric.distance(&zero, &zero), 0.0);
        }
        close(Metric::Cosine.distance(&zero, &other), 1.0, "zero");
        assert_eq!(Metric::Jaccard.distance(&zero, &other), 1.0);
        assert_eq!(Metric::Correlation.distance(&constant, &zero), 0.0);
        if width > 1 {
            close(Metric::Correlation.distance(&constant, &other), 1.0, "constant");
            // An offset changes nothing but the last digits.
            let far: Vec<f64> = other.iter().map(|x| x * 3.0 + 1e8).collect();
            assert!(Metric::Correlation.distance(&far, &other) < 1e-14);
        }
        let opposite: Vec<f64> = other.iter().map(|x| -x).collect();
        close(Metric::Cosine.distance(&opposite, &other), 2.0, "opposite");
    }
}

/// The distance of points `scale` apart in each coordinate, wherever the squares go.
#[test]
fn scales_neither_overflow_nor_underflow() {
    for width in [1, 3, 16, 17, 100] {
        let base: Vec<f64> = (0..width).map(|i| f64::from(i % 7) - 2.0).collect();
        let zero = vec![0.0; width as usize];
        for exponent in [-1040, -700, -520, 0, 500, 511, 900] {
            let scale = if exponent < -1000 {
                2_f64.powi(-1000) * 2_f64.powi(exponent + 1000)
            } else {
                2_f64.powi(exponent)
            };
            let scaled: Vec<f64> = base.iter().map(|x| x * scale).collect();
            for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
                assert_eq!(
                    metric.distance(&scaled, &zero),
                    metric.distance(&base, &zero) * scale,
                    "{metric} {exponent}"
                );
            }
            let (found, expected) = (
                Metric::Minkowski(3.0).distance(&scaled, &zero),
                Metric::Minkowski(3.0).distance(&base, &zero) * scale,
            );
            assert!((found - expected).abs() <= 1e-14 * expected + f64::MIN_POSITIVE * 1e-15);
            assert_eq!(Metric::Cosine.distance(&scaled, &base), 0.0);
        }
    }
}

#[test]
fn names_and_orders() {
    for name in Metric::NAMES.into_iter().filter(|name| *name != "minkowski") {
        let metric: Metric = name.parse().unwrap();
        assert_eq!(metric.name(), name);
        assert_eq!(metric.to_string().parse::<Metric>().unwrap(), metric);
    }
    for (alias, metric) in [
        ("L2", Metric::Euclidean),
        ("l1", Metric::Manhattan),
        ("cityblock", Metric::Manhattan),
        ("linf", Metric::Chebyshev),
        ("squared-euclidean", Metric::SquaredEuclidean),
        ("minkowski(3)", Metric::Minkowski(3.0)),
        ("minkowski(1)", Metric::Manhattan),
        ("minkowski(inf)", Metric::Chebyshev),
    ] {
        assert_eq!(alias.parse::<Metric>().unwrap(), metric);
    }
    for wrong in
        ["", "euclid", "minkowski", "minkowski(0.5)", "minkowski(nan)", "minkowski(x)", "minkowski(-1)"]
    {
        assert!(wrong.parse::<Metric>().is_err(), "{wrong}");
    }
}

const METRICS: [Metric; 6] = [
    Metric::Euclidean,
    Metric::Manhattan,
    Metric::Chebyshev,
    Metric::Minkowski(2.7),
    Metric::Hamming,
    Metric::Jaccard,
];

fn vectors() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<f64>)> {
    // Small integers among the rest, for zeros and ties.
    let entry = prop_oneof![(-3..4_i32).prop_map(f64::from), -1e3..1e3_f64, -1e-200..1e-200_f64];
    (1..40_usize).prop_flat_map(move |width| {
        let vector = prop::collection::vec(entry.clone(), width);
        (vector.clone(), vector.clone(), vector)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn metrics_are_metrics((a, b, c) in vectors()) {
        for metric in METRICS {
            let (ab, bc, ac) = (metric.distance(&a, &b), metric.distance(&b, &c), metric.distance(&a, &c));
            prop_assert_eq!(ab, metric.distance(&b, &a));
            prop_assert_eq!(metric.distance(&a, &a), 0.0);
            prop_assert!(ab >= 0.0);
            prop_assert!(ac <= (ab + bc) * (1.0 + 1e-13), "{} {} {} {}", metric, ab, bc, ac);
            if metric != Metric::Jaccard && a != b {
                prop_assert!(ab > 0.0);
            }
        }
        for metric in [Metric::Cosine, Metric::Correlation] {
            let ab = metric.distance(&a, &b);
            prop_assert_eq!(ab, metric.distance(&b, &a));
            prop_assert_eq!(metric.distance(&a, &a), 0.0);
            prop_assert!((0.0..=2.0).contains(&ab));
        }
    }

    #[test]
    fn the_kernels_are_the_plain_sums((a, b, _) in vectors()) {
        let differences: Vec<f64> = a.iter().zip(&b).map(|(x, y)| (x - y).abs()).collect();
        let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-13 * expected;
        let squares: f64 = differences.iter().map(|d| d * d).sum();
        if squares > 1e-280 {
            prop_assert!(near(Metric::Euclidean.distance(&a, &b), squares.sqrt()));
            prop_assert!(near(Metric::SquaredEuclidean.distance(&a, &b), squares));
        }
        prop_assert!(near(Metric::Manhattan.distance(&a, &b), differences.iter().sum()));
        prop_assert_eq!(Metric::Chebyshev.distance(&a, &b), differences.iter().fold(0.0, |m: f64, &d| m.max(d)));
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm(&a) > 1e-100 && norm(&b) > 1e-100 {
            let cosine = a.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>() / (norm(&a) * norm(&b));
            prop_assert!((Metric::Cosine.distance(&a, &b) - (1.0 - cosine)).abs() < 1e-13);
        }
    }
}
