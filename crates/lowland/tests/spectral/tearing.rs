//! Isomap of manifolds with loops, torn.

use crate::{embedding, largest, swiss_roll};
use lowland::methods::Isomap;
use lowland::spectral::SpectralModel;
use lowland::{Method, Model, Run};
use ndarray::Array2;
use rand::RngExt;

fn fit(x: &Array2<f64>, components: usize, k: usize, tear: Option<usize>) -> SpectralModel {
    let method = Isomap { n_components: components, n_neighbors: k, tear, ..Isomap::default() };
    method.fit_model(x, &Run::new()).unwrap()
}

/// What two components leave of the geodesics.
fn left(model: &SpectralModel, components: usize) -> f64 {
    let attribute = model.attributes().into_iter().find(|a| a.name == "geodesic_residual_variance").unwrap();
    attribute.value.numbers()[components - 1]
}

/// One dimension is enough for a circle that is cut: its points are in the order of their angles, from the cut around.
#[test]
fn a_circle_that_is_torn_is_a_line() {
    let n = 150;
    let mut rng = Run::new().rng("circle");
    let mut angles: Vec<f64> =
        (0..n).map(|i| (i as f64 + 0.6 * rng.random::<f64>()) * std::f64::consts::TAU / n as f64).collect();
    angles.reverse();
    let x = Array2::from_shape_fn((n, 2), |(i, j)| if j == 0 { angles[i].cos() } else { angles[i].sin() });
    let order = |model: &SpectralModel| {
        let y = embedding(model);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| y[(a, 0)].total_cmp(&y[(b, 0)]));
        order
    };
    let in_turn = |order: &[usize]| {
        let step = |a: usize, b: usize| (b + n - a) % n;
        let all = |by: usize| order.windows(2).all(|pair| step(pair[0], pair[1]) == by);
        all(1) || all(n - 1)
    };
    let torn = fit(&x, 1, 4, Some(4));
    assert!(in_turn(&order(&torn)));
    assert!(left(&torn, 1) < 1e-2, "{}", left(&torn, 1));
    let whole = fit(&x, 1, 4, None);
    assert!(!in_turn(&order(&whole)) && left(&whole, 1) > 0.3, "{}", left(&whole, 1));
    let again = torn.transform((&x).into(), &Run::new()).unwrap().to_f64();
    assert!(largest(&(&again - &embedding(&torn))) < 1e-9);
}

/// A cylinder lies flat in two dimensions only when it is torn; a sheet has little to tear.
#[test]
fn a_cylinder_is_laid_flat_and_a_sheet_tears_little() {
    let mut rng = Run::new().rng("cylinder");
    let places: Vec<(f64, f64)> =
        (0..700).map(|_| (rng.random::<f64>() * std::f64::consts::TAU, 4.0 * rng.random::<f64>())).collect();
    let x = Array2::from_shape_fn((700, 3), |(i, j)| [places[i].0.cos(), places[i].0.sin(), places[i].1][j]);
    let (torn, whole) = (fit(&x, 2, 10, Some(4)), fit(&x, 2, 10, None));
    // The tear follows the spanning tree, so that paths along it are a little too long.
    assert!(
        left(&torn, 2) < 0.08 && left(&whole, 2) > 4.0 * left(&torn, 2),
        "{} {}",
        left(&torn, 2),
        left(&whole, 2)
    );
    // In the random sample of a sheet only holes of more edges than that are loops.
    let (roll, _) = swiss_roll(1000, 3);
    let (torn, whole) = (fit(&roll, 2, 8, Some(14)), fit(&roll, 2, 8, None));
    assert!(left(&torn, 2) < 0.02 && left(&whole, 2) < 0.002, "{} {}", left(&torn, 2), left(&whole, 2));
}
