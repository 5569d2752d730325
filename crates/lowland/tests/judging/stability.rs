//! Bengio's experiment: what moves, and what does not.

use lowland::parameters::Value;
use lowland::stability::{Experiment, Stability};
use lowland::{AnyInput, Error, Input, Run, data, registry};
use ndarray::Array2;
use rand::RngExt;

fn measured(name: &str, settings: &[(&str, Value)], x: &Array2<f64>, experiment: Experiment) -> Stability {
    let mut method = (registry::find(name).unwrap().create)();
    method.set("n_components", &Value::Integer(2)).unwrap();
    for (name, value) in settings {
        method.set(name, value).unwrap();
    }
    experiment.measure(&*method, x.into(), None, &Run::new()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A plane in eight dimensions with a little noise.
fn plane(n: usize, noise: f64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(7).rng("plane");
    let latent = Array2::from_shape_fn((n, 2), |(_, j)| (3.0 - j as f64) * rng.random::<f64>());
    let turn = Array2::from_shape_fn((2, 8), |_| rng.random::<f64>() - 0.5);
    latent.dot(&turn) + Array2::from_shape_fn((n, 8), |_| noise * (rng.random::<f64>() - 0.5))
}

fn roll(n: usize) -> Array2<f64> {
    data::find("swiss-roll").unwrap().sample(n, 0.0, 3).unwrap().points
}

const QUICK: Experiment = Experiment { share: 0.02, splits: 4, held_out: 3 };

#[test]
fn a_projection_of_a_plane_does_not_move() {
    for name in ["pca", "classical-mds", "factor-analysis"] {
        let found = measured(name, &[], &plane(300, 1e-6), QUICK);
        assert!(found.substitution.high < 1e-4, "{name}: {found:?}");
        assert!(found.out_of_sample.high < 1e-4, "{name}: {found:?}");
        assert_eq!((found.exchanged, found.held_out, found.splits), (6, 3, 4));
    }
}

#[test]
fn noise_and_the_share_that_is_exchanged_make_embeddings_move() {
    let [little, much] =
        [1e-3, 1.0].map(|noise| measured("pca", &[], &plane(300, noise), QUICK).substitution);
    assert!(much.low > 10.0 * little.high, "{little:?} {much:?}");
    let [few, many] = [0.01, 0.3].map(|share| {
        measured("pca", &[], &plane(300, 0.5), Experiment { share, splits: 8, held_out: 1 }).substitution
    });
    assert!(many.low > 2.0 * few.high, "{few:?} {many:?}");
}

/// Figure 4 of Bengio: around 2 % of the rows exchanged, a new point is about as far off as the exchange moves it.
#[test]
fn out_of_sample_is_comparable_to_substitution_on_a_roll() {
    let x = roll(1200);
    for name in ["isomap", "lle"] {
        let experiment = Experiment { share: 0.02, splits: 5, held_out: 5 };
        let found = measured(name, &[("n_neighbors", Value::Integer(8))], &x, experiment);
        let (moved, missed) = (found.substitution.value, found.out_of_sample.value);
        assert!(missed > 0.0 && missed < 2.0 * moved + 0.02, "{name}: {found:?}");
        assert!(moved < if name == "isomap" { 0.1 } else { 0.5 }, "{name}: {found:?}");
        assert!((found.difference.low..=found.difference.high).contains(&found.difference.value));
    }
}

/// Every fit draws another matrix: its images have nothing to do with each other beyond what the data have.
#[test]
fn what_depends_on_the_seed_is_not_stable() {
    let mut rng = Run::new().rng("ball");
    let ball = Array2::from_shape_fn((400, 30), |_| rng.random::<f64>() - 0.5);
    let often = Experiment { splits: 8, held_out: 8, ..QUICK };
    let (random, steady) = (
        measured("random-projection", &[], &ball, often),
        measured("truncated-svd", &[], &plane(400, 0.1), often),
    );
    assert!(random.substitution.low > 0.5, "{random:?}");
    assert!(random.out_of_sample.low > 0.3, "{random:?}");
    assert!(steady.substitution.high < 0.02, "{steady:?}");
}

#[test]
fn turned_and_stretched_images_are_brought_together() {
    // Eigenvalues that are all but equal: single components turn freely, the plane that they span does not.
    let mut rng = Run::new().rng("disc");
    let x = Array2::from_shape_fn((400, 6), |(_, j)| {
        (rng.random::<f64>() - 0.5) * if j < 2 { 1.0 } else { 0.01 }
    });
    let found = measured("pca", &[], &x, QUICK);
    assert!(found.substitution.high < 0.01, "{found:?}");
}

#[test]
fn the_same_seed_gives_the_same_figures_and_labels_go_along() {
    let x = plane(120, 0.3);
    let labels: Vec<i64> = (0..120).map(|i| i64::from(x[(i, 0)] > x[(0, 0)])).collect();
    let mut lda = (registry::find("lda").unwrap().create)();
    lda.set("n_components", &Value::Integer(1)).unwrap();
    let of = |threads: usize| {
        let run = Run::new().with_threads(threads).unwrap();
        QUICK.measure(&*lda, (&x).into(), Some(&labels), &run).unwrap()
    };
    assert_eq!(of(1), of(2));
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let x = plane(40, 0.1);
    let pca = (registry::find("pca").unwrap().create)();
    let run = Run::new();
    let of = |experiment: Experiment| experiment.measure(&*pca, (&x).into(), None, &run);
    for wrong in [
        Experiment { share: 0.0, ..QUICK },
        Experiment { share: 0.5, ..QUICK },
        Experiment { share: f64::NAN, ..QUICK },
        Experiment { splits: 1, ..QUICK },
        Experiment { held_out: 0, ..QUICK },
    ] {
        assert!(matches!(of(wrong), Err(Error::Parameter { .. })), "{wrong:?}");
    }
    let few = plane(9, 0.1);
    assert!(matches!(QUICK.measure(&*pca, (&few).into(), None, &run), Err(Error::TooFewRows { .. })));
    let distances = AnyInput::from(Input::Distances(x.view()));
    assert!(matches!(QUICK.measure(&*pca, distances, None, &run), Err(Error::Unsupported { .. })));
    assert!(matches!(
        QUICK.measure(&*pca, (&x).into(), Some(&[1, 2]), &run),
        Err(Error::LabelCount { labels: 2, rows: 40 })
    ));
}

#[test]
fn a_curve_is_one_experiment_a_share() {
    let x = plane(200, 0.3);
    let method = (registry::find("pca").unwrap().create)();
    let shares = [0.01, 0.05, 0.2];
    let curve = QUICK.curve(&shares, &*method, (&x).into(), None, &Run::new()).unwrap();
    for (&share, found) in shares.iter().zip(&curve) {
        let alone = Experiment { share, ..QUICK }.measure(&*method, (&x).into(), None, &Run::new()).unwrap();
        assert_eq!(*found, alone);
    }
    // The more is exchanged, the more the others move.
    assert!(curve[2].substitution.value > curve[0].substitution.value, "{curve:?}");
    let refused = QUICK.curve(&[0.01, 0.7], &*method, (&x).into(), None, &Run::new());
    assert!(matches!(refused, Err(Error::Parameter { .. })));
}

#[test]
fn a_cell_that_is_no_number_is_named_where_it_is() {
    let mut x = plane(120, 0.1);
    x[(97, 4)] = f64::NAN;
    let pca = (registry::find("pca").unwrap().create)();
    let refused = QUICK.measure(&*pca, (&x).into(), None, &Run::new()).err();
    assert!(matches!(refused, Some(Error::NotFinite { row: 97, column: 4, .. })), "{refused:?}");
}
