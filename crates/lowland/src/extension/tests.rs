//! The rule by itself, whatever method made the images.

use super::{IndexedPoints, LocalLinear, Weights};
use crate::model::{Archive, Report};
use lowland_base::Run;
use lowland_neighbors::Metric;
use ndarray::{Array2, array, s};
use rand::RngExt;

fn cloud(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("cloud");
    Array2::from_shape_simple_fn((n, d), || rng.random::<f64>() - 0.5)
}

fn largest(x: &Array2<f64>) -> f64 {
    x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

const RULES: [Weights; 2] = [Weights::Reconstruction { reg: 1e-12 }, Weights::Tangent { dimensions: 2 }];

/// Images that are an affine function of the points are continued by that function, and by exchanging the two it is
/// inverted.
#[test]
fn affine_images_are_continued_and_inverted() {
    let (run, points, new) = (Run::new(), cloud(200, 2, 1), 0.8 * cloud(40, 2, 2));
    let (slope, offset) = (array![[2.0, -1.0], [0.5, 3.0]], array![7.0, -4.0]);
    let image = |x: &Array2<f64>| x.dot(&slope) + &offset;
    for weights in RULES {
        let there = LocalLinear::new(points.clone(), 8, weights);
        let found = there.extend(new.view(), image(&points).view(), &run).unwrap();
        assert!(largest(&(&found - &image(&new))) < 1e-8, "{weights:?}");
        let back = LocalLinear::new(image(&points), 8, weights);
        let found = back.extend(image(&new).view(), points.view(), &run).unwrap();
        assert!(largest(&(&found - &new)) < 1e-8, "{weights:?}, inverse");
    }
}

#[test]
fn training_points_get_their_images_and_batches_do_not_matter() {
    let (run, points, images, new) = (Run::new(), cloud(300, 3, 3), cloud(300, 2, 4), cloud(50, 3, 5));
    for weights in RULES {
        let rule = LocalLinear::new(points.clone(), 6, weights);
        assert_eq!(rule.extend(points.view(), images.view(), &run).unwrap(), images, "{weights:?}");
        let all = rule.extend(new.view(), images.view(), &run).unwrap();
        for row in 0..new.nrows() {
            let alone = rule.extend(new.slice(s![row..=row, ..]), images.view(), &run).unwrap();
            assert_eq!(alone.row(0), all.row(row), "{weights:?}, row {row}");
        }
        let sums = rule.weights(new.view(), &run).unwrap();
        assert!(sums.iter().all(|row| (row.iter().map(|w| w.1).sum::<f64>() - 1.0).abs() < 1e-10));
    }
}

#[test]
fn a_loaded_rule_gives_the_same_bits() {
    let (run, points, images, new) = (Run::new(), cloud(100, 4, 6), cloud(100, 2, 7), cloud(30, 4, 8));
    for weights in RULES {
        let rule = LocalLinear::new(points.clone(), 7, weights);
        let mut archive = Archive::new(Vec::new(), &Report::default());
        rule.save("rule.", &mut archive);
        let loaded = LocalLinear::load("rule.", 4, &archive).unwrap();
        let extended = |rule: &LocalLinear| rule.extend(new.view(), images.view(), &run).unwrap();
        assert_eq!(extended(&rule), extended(&loaded), "{weights:?}");
    }
}

/// What a new point gets does not depend on the seed of the run that happened to build the index.
#[test]
fn the_index_does_not_depend_on_the_run() {
    let (points, new) = (cloud(500, 12, 9), cloud(20, 12, 10));
    let nearest = |seed: u64| {
        let points = IndexedPoints::new(points.clone(), Metric::Euclidean);
        let run = Run::new().with_seed(seed);
        let first = points.nearest(new.view(), 5, &run).unwrap();
        assert_eq!(first, points.nearest(new.view(), 5, &Run::new().with_seed(seed + 1)).unwrap());
        first
    };
    assert_eq!(nearest(1), nearest(2));
}
