//! Maximum variance unfolding and its faster versions.

#[path = "../../../../xtask/src/data_folder.rs"]
mod data_folder;

use crate::{apart, distances, embedding, largest, recovered, swiss_roll};
use lowland::methods::{FastMvu, LandmarkMvu, Mvu};
use lowland::spectral::Disconnected;
use lowland::spectral::unfolding::{Distances, Way};
use lowland::{Error, Method, Model, Run, Warning};
use ndarray::{Array2, Axis, concatenate, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn quantity(model: &dyn Model, name: &str) -> f64 {
    model.report().objective.iter().find(|quantity| quantity.name == name).unwrap().value
}

#[test]
fn the_swiss_roll_is_unrolled() {
    let run = Run::new();
    let (x, truth) = swiss_roll(1000, 1);
    let model = Mvu::default().fit_model(&x, &run).unwrap();
    let fit = recovered(&embedding(&model), &truth);
    assert!(fit.iter().all(|r| *r > 0.99), "{fit:?}");
    // Some of the twelve neighbors of a point lie on the next turn of the roll.
    let warnings: Vec<String> = model.report().warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.len() == 1 && warnings[0].starts_with("10 edges were cut"), "{warnings:?}");
    assert!(quantity(&model, "share of the trace in the components") > 0.98);
    assert!(quantity(&model, "largest relative violation of a distance") < 1e-6);
    assert!(quantity(&model, "duality gap").abs() < 1e-5);
    let new = swiss_roll(100, 2);
    let extended = model.transform((&new.0).into(), &run).unwrap().to_f64();
    let together = concatenate![Axis(0), embedding(&model), extended];
    let fit = recovered(&together, &concatenate![Axis(0), truth, new.1]);
    assert!(fit.iter().all(|r| *r > 0.98), "{fit:?}");
    // And back: the points themselves.
    let back = model.inverse((&embedding(&model)).into(), &run).unwrap().to_f64();
    assert!(largest(&(back - &x)) < 1e-6 * largest(&x));
}

#[test]
fn landmarks_and_smooth_vectors_unroll_it_too() {
    let run = Run::new();
    let (x, truth) = swiss_roll(1500, 3);
    for refine in [true, false] {
        let least = if refine { 0.98 } else { 0.9 };
        let method = LandmarkMvu { n_neighbors: 8, refine, tol: 1e-3, ..LandmarkMvu::default() };
        let fit = recovered(&embedding(&method.fit_model(&x, &run).unwrap()), &truth);
        assert!(fit.iter().all(|r| *r > least), "landmarks, {refine}: {fit:?}");
        let method = FastMvu { n_neighbors: 8, refine, tol: 1e-3, ..FastMvu::default() };
        let fit = recovered(&embedding(&method.fit_model(&x, &run).unwrap()), &truth);
        assert!(fit.iter().all(|r| *r > least), "smooth vectors, {refine}: {fit:?}");
    }
}

#[test]
fn the_two_solvers_agree() {
    let run = Run::new();
    let (x, _) = swiss_roll(60, 4);
    let of = |solver: Way| {
        let method =
            Mvu { solver, distances: Distances::Shrink, n_neighbors: Some(5), tol: 1e-7, ..Mvu::default() };
        embedding(&method.fit_model(&x, &run).unwrap())
    };
    assert!(apart(&of(Way::LowRank), &of(Way::InteriorPoint)) < 1e-3);
}

/// With the angles kept, a flat sheet is rigid.
#[test]
fn a_flat_sheet_comes_back_as_itself() {
    let (_, truth) = swiss_roll(300, 5);
    let tilted = Array2::from_shape_fn((300, 3), |(i, j)| match j {
        0 => 0.6 * truth[(i, 0)],
        1 => truth[(i, 1)],
        _ => 0.8 * truth[(i, 0)],
    });
    let of = |distances: Distances| {
        let model = Mvu { distances, ..Mvu::default() }.fit_model(&tilted, &Run::new()).unwrap();
        assert!(model.report().warnings.is_empty(), "{:?}", model.report().warnings);
        embedding(&model)
    };
    let (before, after) = (distances(truth.view()), distances(of(Distances::Keep).view()));
    let off = largest(&(&before - &after)) / largest(&before);
    assert!(off < 1e-5, "{off}");
    // Where distances may shrink it pays to give up some of the short side for the long one.
    let fit = recovered(&of(Distances::Shrink), &truth);
    assert!(fit.iter().all(|r| *r > 0.99), "{fit:?}");
}

/// Neighborhoods of a roll in space that overlap in more points than dimensions leave one shape.
#[test]
fn a_roll_that_keeps_its_distances_stays_as_it_is_and_says_so() {
    for seed in [20, 31, 32] {
        let (x, _) = swiss_roll(1000, seed);
        let method = Mvu { distances: Distances::Keep, n_components: 3, ..Mvu::default() };
        let model = method.fit_model(&x, &Run::new()).unwrap();
        assert!(quantity(&model, "largest relative violation of a distance") < 1e-6);
        assert!(quantity(&model, "duality gap").abs() < 1e-5);
        let (before, after) = (distances(x.view()), distances(embedding(&model).view()));
        assert!(largest(&(&before - &after)) < 1e-4 * largest(&before), "{seed}");
        let flat = Mvu { n_components: 2, ..method }.fit_model(&x, &Run::new()).unwrap();
        let rigid =
            |warning: &Warning| matches!(warning, Warning::Rigid { dimensions: 3, components: 2, .. });
        assert!(flat.report().warnings.iter().any(rigid), "{:?}", flat.report().warnings);
    }
}

/// With as many neighbors as dimensions the low-rank solver alone may not come to an end; the fit does. (In three dimensions, where
/// it then turns to the other, the two are the same: what is tested there are the lengths.)
#[test]
fn with_as_many_neighbors_as_dimensions_both_solvers_agree() {
    for seed in 0..12 {
        let mut rng = ChaCha8Rng::seed_from_u64(900 + seed);
        let (n, d) = (rng.random_range(15..=60), 2 + seed as usize % 2);
        let x = Array2::from_shape_fn((n, d), |_| rng.random_range(-1.0..1.0));
        let of = |solver: Way| {
            let method = Mvu {
                n_neighbors: Some(d),
                distances: Distances::Keep,
                disconnected: Disconnected::Join,
                cut_short_circuits: false,
                solver,
                ..Mvu::default()
            };
            let model = method.fit_model(&x, &Run::new()).unwrap();
            assert!(quantity(&model, "largest relative violation of a distance") < 1e-6, "{seed}");
            quantity(&model, "trace")
        };
        let (found, exact) = (of(Way::LowRank), of(Way::InteriorPoint));
        assert!((found / exact - 1.0).abs() < 1e-4, "{seed}: {found} {exact}");
    }
}

#[test]
fn parts_are_joined_separated_or_named() {
    let (x, _) = swiss_roll(60, 6);
    let mut far = x.clone();
    far.slice_mut(s![.., 0]).mapv_inplace(|value| value + 1000.0);
    let both = concatenate![Axis(0), x, far];
    let fit = |disconnected| Mvu { disconnected, tol: 1e-5, ..Mvu::default() }.fit_model(&both, &Run::new());
    assert!(matches!(fit(Disconnected::Error), Err(Error::Disconnected { .. })));
    for policy in [Disconnected::Join, Disconnected::Separate, Disconnected::Largest] {
        let y = embedding(&fit(policy).unwrap());
        assert!(y.iter().all(|value| value.is_finite()) && y.dim() == (120, 2));
    }
}

/// The teapots: 100 pictures of one turn, in order, which become a circle.
#[test]
fn the_teapots_become_a_circle_in_their_order() {
    let file = data_folder::data_folder().join("teapots100.npy");
    let Ok(bytes) = std::fs::read(&file) else {
        eprintln!("skipped: there is no {}; LOWLAND_DATA names the folder", file.display());
        return;
    };
    // Version 1 of the format: ten bytes, a header of so many, single precision row by row.
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values: Vec<f64> = bytes[start..]
        .chunks_exact(4)
        .map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])))
        .collect();
    let x = Array2::from_shape_vec((100, values.len() / 100), values).unwrap();
    let in_order = |y: &Array2<f64>| {
        let places: Vec<f64> = y.rows().into_iter().map(|row| row[1].atan2(row[0])).collect();
        let turn = |from: f64, to: f64| {
            let difference = to - from;
            difference - std::f64::consts::TAU * (difference / std::f64::consts::TAU).round()
        };
        let steps: Vec<f64> = (0..100).map(|i| turn(places[i], places[(i + 1) % 100])).collect();
        let sum: f64 = steps.iter().sum();
        assert!(steps.iter().all(|step| sum * step > 0.0), "out of order: {steps:?}");
        assert!((sum.abs() - std::f64::consts::TAU).abs() < 1e-9);
    };
    // From the fourth neighbor on the ring has chords: pictures 26 and 74, half a turn apart, look alike.
    for (n_neighbors, chords) in [(3, 0), (4, 1), (5, 7), (6, 13)] {
        for distances in [Distances::Keep, Distances::Shrink] {
            for angles in [false, true] {
                let method = Mvu { n_neighbors: Some(n_neighbors), distances, angles, ..Mvu::default() };
                let model = method.fit_model(&x, &Run::new()).unwrap();
                let what = format!("{method:?}: {:?}", model.report());
                let cut: Vec<&Warning> = model.report().warnings.iter().collect();
                match cut[..] {
                    [] => assert_eq!(chords, 0, "{what}"),
                    [Warning::SteepShortCircuits { edges, cut: true, .. }] => {
                        assert_eq!(edges.len(), chords, "{what}")
                    }
                    _ => panic!("{what}"),
                }
                assert!(quantity(&model, "share of the trace in the components") > 0.98, "{what}");
                in_order(&embedding(&model));
            }
        }
    }
    let kept = Mvu { cut_short_circuits: false, ..Mvu::default() }.fit_model(&x, &Run::new()).unwrap();
    assert!(matches!(kept.report().warnings[0], Warning::SteepShortCircuits { cut: false, .. }));
}
