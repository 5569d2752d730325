//! What the methods recover, and their extension to new points.

use super::*;
use crate::extension::{Reconstruction, Tangent};

/// A plane of two dimensions in five, and its coordinates.
fn plane(n: usize, run: &Run) -> (Array2<f64>, Array2<f64>) {
    let flat = normal(n, 2, run);
    let points = Array2::from_shape_fn((n, 5), |(i, j)| {
        let (a, b) = ((1.3 * j as f64).sin(), (0.4 + 2.1 * j as f64).cos());
        flat[(i, 0)] * a + flat[(i, 1)] * b + 3.0 * j as f64
    });
    (points, flat)
}

#[test]
fn ltsa_and_hessian_lle_recover_an_affine_plane() {
    let run = Run::new();
    let (points, flat) = plane(500, &run);
    let table = neighbors(points.view(), 9);
    let matrices = [
        ("LTSA", tangent::alignment(points.view(), &table, 2, &run).unwrap()),
        ("Hessian LLE", hessian::alignment(points.view(), &table, 2, &run).unwrap()),
    ];
    for (name, matrix) in matrices {
        let pairs = smallest(&matrix, 4);
        // Three vectors cost nothing: the constant and the two coordinates.
        assert!(pairs.values[2].abs() < 1e-12 && pairs.values[3] > 1e-7, "{name}: {:?}", pairs.values);
        let misfit = affine_misfit(flat.view(), pairs.vectors.get(.., ..3));
        assert!(misfit.iter().all(|&m| m < 1e-6), "{name}: {misfit:?}");
    }
}

#[test]
fn the_swiss_roll_is_unrolled() {
    let run = Run::new();
    let sample = data::find("swiss-roll").unwrap().sample(2000, 0.0, 1).unwrap();
    let table = neighbors(sample.points.view(), 12);
    // The isometric coordinates: arc length of the spiral, and height.
    let target = Array2::from_shape_fn((2000, 2), |(i, j)| {
        let x = sample.points.row(i);
        let t = x[0].hypot(x[1]);
        if j == 0 { 0.5 * (t * t.hypot(1.0) + t.asinh()) } else { x[2] }
    });
    let matrices = [
        ("modified LLE", modified::alignment(sample.points.view(), &table, 2, REG, &run).unwrap()),
        ("Hessian LLE", hessian::alignment(sample.points.view(), &table, 2, &run).unwrap()),
        ("LTSA", tangent::alignment(sample.points.view(), &table, 2, &run).unwrap()),
    ];
    for (name, matrix) in matrices {
        let pairs = smallest(&matrix, 3);
        for misfit in affine_misfit(target.view(), pairs.vectors.get(.., 1..)) {
            let correlation = (1.0 - misfit * misfit).sqrt();
            assert!(correlation > 0.99, "{name}: {correlation}");
        }
        let share = collapsed_share(pairs.vectors.get(.., 1..));
        assert!(share < 0.01, "{name}: {share}");
    }
}

#[test]
fn the_weights_of_a_new_point_are_those_of_the_formula() {
    let run = Run::new();
    let points = normal(60, 3, &run);
    let table = neighbors(points.view(), 7);
    let weights = weights::matrix(points.view(), &table, REG, &run).unwrap();
    let (columns, values) = weights.row(20);
    // Point 20 taken for a new one: it is not among its own neighbors.
    let mut reconstruction = Reconstruction::default();
    let new = reconstruction.weights(&points.view(), columns, points.row(20), REG);
    assert!(new.iter().zip(values).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn a_new_point_of_the_plane_goes_where_the_affine_map_takes_it() {
    let run = Run::new();
    let (points, flat) = plane(100, &run);
    // An affine image in the plane stands for the embedding.
    let image = |a: f64, b: f64| [2.0 + 0.7 * a - 1.3 * b, -1.0 + 0.2 * a + 3.0 * b];
    let embedding = Mat::from_fn(100, 2, |i, j| image(flat[(i, 0)], flat[(i, 1)])[j]);
    let new = (&points.row(3) + &points.row(50) + points.row(70)) / 3.0;
    let mean = |c: usize| (flat[(3, c)] + flat[(50, c)] + flat[(70, c)]) / 3.0;
    let expected = image(mean(0), mean(1));
    let list = [1, 5, 8, 13, 40, 66, 90];
    let image = |points: &Array2<f64>| {
        let mut weights = Vec::new();
        Tangent::default().weights(&points.view(), &list, new.view(), 2, &mut weights);
        [0, 1].map(|c| list.iter().zip(&weights).map(|(&j, w)| w * embedding[(j as usize, c)]).sum::<f64>())
    };
    let found = image(&points);
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
    }
    // Neighbors that all coincide say only where they are.
    let same = Array2::from_shape_fn((100, 5), |_| 1.5);
    let found = image(&same);
    let mean = list.iter().map(|&i| embedding[(i as usize, 0)]).sum::<f64>() / 7.0;
    assert!((found[0] - mean).abs() < 1e-12);
}
