//! Classical and landmark scaling.

use crate::{apart, cloud, distances, embedding, largest, rotation};
use lowland::methods::{ClassicalMds, FastMap, Isomap, KernelName, KernelPca, LandmarkMds, Pca};
use lowland::parameters::Components;
use lowland::spectral::Negative;
use lowland::{Error, Input, Method, Model, Run, Warning};
use ndarray::{Array2, Axis, array};

fn mds(n_components: usize) -> ClassicalMds {
    ClassicalMds { n_components, ..ClassicalMds::default() }
}

/// Isomap on the complete graph = classical scaling = PCA = linear kernel PCA (Ham 2, Burges 2.2).
#[test]
fn four_methods_are_one_on_euclidean_distances() {
    let run = Run::new();
    for seed in 0..12 {
        let (n, d) = (30 + 17 * seed as usize, 3 + seed as usize % 5);
        let x = cloud(n, d, seed);
        let pca = Pca { n_components: Components::Count(3), ..Pca::default() }.fit_model(&x, &run).unwrap();
        let expected = embedding(&pca);
        let far = distances(x.view());
        let kernel = KernelPca { n_components: 3, kernel: KernelName::Linear, ..KernelPca::default() };
        let isomap = Isomap { n_components: 3, n_neighbors: n - 1, ..Isomap::default() };
        let gram = x.dot(&x.t());
        let found = [
            ("points", embedding(&mds(3).fit_model(&x, &run).unwrap())),
            ("distances", embedding(&mds(3).fit_model(Input::Distances(far.view()), &run).unwrap())),
            ("objects", embedding(&mds(3).fit_objects(n, |i, j| far[(i, j)], &run).unwrap())),
            ("kernel pca", embedding(&kernel.fit_model(&x, &run).unwrap())),
            ("kernel", embedding(&kernel.fit_model(Input::Kernel(gram.view()), &run).unwrap())),
            ("isomap", embedding(&isomap.fit_model(&x, &run).unwrap())),
            (
                "isomap of distances",
                embedding(&isomap.fit_model(Input::Distances(far.view()), &run).unwrap()),
            ),
        ];
        for (name, y) in &found {
            assert!(apart(&expected, y) < 1e-7, "{name}, seed {seed}: {}", apart(&expected, y));
        }
    }
}

#[test]
fn all_components_reproduce_the_distances() {
    let run = Run::new();
    for seed in 0..10 {
        let (n, d) = (20 + 9 * seed as usize, 2 + seed as usize % 6);
        let x = cloud(n, d, 50 + seed);
        let far = distances(x.view());
        let model = mds(d).fit_model(Input::Distances(far.view()), &run).unwrap();
        let again = distances(embedding(&model).view());
        assert!(largest(&(&again - &far)) < 1e-10 * largest(&far), "seed {seed}");
        let objective = &model.report().objective;
        let left = objective.iter().find(|q| q.name == "unexplained share").unwrap().value;
        assert!(left < 1e-12);
    }
}

/// The summed squared residual is the sum of the eigenvalues left out (Burges eq. 1.29).
#[test]
fn the_unexplained_share_is_that_of_the_eigenvalues_left_out() {
    let run = Run::new();
    for seed in 0..5 {
        let x = cloud(60, 6, 90 + seed);
        let whole = mds(6).fit_model(&x, &run).unwrap();
        let part = mds(2).fit_model(&x, &run).unwrap();
        let values = &whole.report().eigenvalues;
        let expected = values[2..].iter().sum::<f64>() / values.iter().sum::<f64>();
        let found = part.report().objective.iter().find(|q| q.name == "unexplained share").unwrap().value;
        assert!((found - expected).abs() < 1e-12);
        let centered = &x - &x.mean_axis(Axis(0)).unwrap();
        let kept = embedding(&part);
        let residual = centered.iter().map(|v| v * v).sum::<f64>() - kept.iter().map(|v| v * v).sum::<f64>();
        assert!((residual - values[2..].iter().sum::<f64>()).abs() < 1e-10 * residual);
    }
}

#[test]
fn landmarks_that_are_all_points_change_nothing_and_fewer_are_exact_on_flat_data() {
    let run = Run::new();
    for seed in 0..6 {
        let x = cloud(80, 4, 120 + seed);
        let exact = embedding(&mds(3).fit_model(&x, &run).unwrap());
        let all = LandmarkMds { n_components: 3, landmarks: Some(80), ..LandmarkMds::default() };
        assert!(apart(&exact, &embedding(&all.fit_model(&x, &run).unwrap())) < 1e-10);
        // Points of four dimensions, all four kept: ten landmarks span them, and the distances come out whole.
        let few = LandmarkMds { n_components: 4, landmarks: Some(10), ..LandmarkMds::default() };
        let far = distances(x.view());
        for input in [Input::Points(x.view()), Input::Distances(far.view())] {
            let model = few.fit_model(input, &run).unwrap();
            let again = distances(embedding(&model).view());
            assert!(largest(&(&again - &far)) < 1e-9 * largest(&far), "seed {seed}");
            let twice = model.transform(input.into(), &run).unwrap().to_f64();
            assert!(largest(&(twice - embedding(&model))) < 1e-8);
        }
    }
}

#[test]
fn the_embedding_follows_rows_shifts_rotations_and_scale() {
    let run = Run::new();
    for seed in 0..5 {
        let x = cloud(50, 4, 150 + seed);
        let y = embedding(&mds(2).fit_model(&x, &run).unwrap());
        let shifted = &x + 1e4;
        assert!(apart(&y, &embedding(&mds(2).fit_model(&shifted, &run).unwrap())) < 1e-9);
        let turned = x.dot(&rotation(4, seed));
        assert!(apart(&y, &embedding(&mds(2).fit_model(&turned, &run).unwrap())) < 1e-9);
        let scaled = &x * 1e-3;
        let small = embedding(&mds(2).fit_model(&scaled, &run).unwrap()) * 1e3;
        assert!(apart(&y, &small) < 1e-9);
        let order: Vec<usize> = (0..50).map(|i| i * 7 % 50).collect();
        let mixed = x.select(Axis(0), &order);
        let expected = y.select(Axis(0), &order);
        assert!(apart(&expected, &embedding(&mds(2).fit_model(&mixed, &run).unwrap())) < 1e-9);
    }
}

/// Dissimilarities that no points have: drop, shift, magnitude and the additive constant keep their promises.
#[test]
fn distances_that_are_not_euclidean() {
    let run = Run::new();
    for seed in 0..8 {
        let n = 12 + 5 * seed as usize;
        let x = cloud(n, 2, 200 + seed);
        // The fourth root of a metric is one; its square bends it out of every Euclidean space.
        let mut far = distances(x.view()).mapv(|d| d * d);
        let model = mds(n - 1).fit_model(Input::Distances(far.view()), &run).unwrap();
        assert!(
            model.report().warnings.iter().any(|w| matches!(w, Warning::NegativeEigenvalues { .. })),
            "seed {seed}"
        );
        let checked = Input::Distances(far.view()).check_definite(&run);
        assert!(matches!(checked, Err(Error::Indefinite { .. })), "Schoenberg, seed {seed}");

        // Shift: squared distances grow by one and the same constant.
        let shift = ClassicalMds { negative: Negative::Shift, ..mds(n - 1) };
        let model = shift.fit_model(Input::Distances(far.view()), &run).unwrap();
        let grown = distances(embedding(&model).view());
        let constant = grown[(0, 1)].powi(2) - far[(0, 1)].powi(2);
        for i in 0..n {
            for j in 0..i {
                let here = grown[(i, j)].powi(2) - far[(i, j)].powi(2);
                assert!((here - constant).abs() < 1e-8 * constant.abs().max(1.0), "seed {seed}");
            }
        }
        let again = model.transform(Input::Distances(far.view()).into(), &run).unwrap().to_f64();
        assert!(largest(&(again - embedding(&model))) < 1e-8);

        // Cailliez: the distances themselves grow by one constant, and less would not do.
        let constant = ClassicalMds { additive_constant: true, ..mds(n - 1) };
        let model = constant.fit_model(Input::Distances(far.view()), &run).unwrap();
        let grown = distances(embedding(&model).view());
        let c = grown[(0, 1)] - far[(0, 1)];
        assert!(c > 0.0);
        for i in 0..n {
            for j in 0..i {
                assert!((grown[(i, j)] - far[(i, j)] - c).abs() < 1e-6 * c.max(1.0), "seed {seed}");
            }
        }
        let again = model.transform(Input::Distances(far.view()).into(), &run).unwrap().to_f64();
        assert!(largest(&(again - embedding(&model))) < 1e-7 * largest(&embedding(&model)));
        let mut less = &far + 0.99 * c;
        less.diag_mut().fill(0.0);
        assert!(matches!(Input::Distances(less.view()).check_definite(&run), Err(Error::Indefinite { .. })));
        far += c * (1.0 + 1e-9);
        far.diag_mut().fill(0.0);
        assert_eq!(Input::Distances(far.view()).check_definite(&run), Ok(()), "Schoenberg, seed {seed}");
    }
}

/// Burges 2.2.1: another origin gives the same points.
#[test]
fn general_centering_moves_the_origin_and_nothing_else() {
    let run = Run::new();
    let x = cloud(30, 3, 7);
    let far = distances(x.view());
    for origin in [0, 13, 29] {
        let at = ClassicalMds { origin: Some(origin), ..mds(3) };
        let y = embedding(&at.fit_model(&x, &run).unwrap());
        assert!(largest(&(distances(y.view()) - &far)) < 1e-9);
        assert!(y.row(origin).iter().all(|v| v.abs() < 1e-9), "the row is the origin");
    }
}

#[test]
fn bad_distances_and_counts_are_typed_errors() {
    let run = Run::new();
    let fit = |x: Array2<f64>| mds(1).fit_model(Input::Distances(x.view()), &run).err();
    assert!(matches!(fit(array![[0.0, 1.0], [2.0, 0.0]]), Some(Error::NotSymmetric { .. })));
    assert!(matches!(fit(array![[0.0, -1.0], [-1.0, 0.0]]), Some(Error::NotADistance { .. })));
    assert!(matches!(fit(array![[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]]), Some(Error::NotSquare { .. })));
    assert!(matches!(fit(array![[0.0, f64::NAN], [f64::NAN, 0.0]]), Some(Error::NotFinite { .. })));
    let x = cloud(10, 2, 1);
    let over = LandmarkMds { landmarks: Some(11), ..LandmarkMds::default() };
    assert!(matches!(over.fit_model(&x, &run), Err(Error::Parameter { name, .. }) if name == "landmarks"));
    assert!(
        matches!(mds(11).fit_model(&x, &run), Err(Error::Parameter { name, .. }) if name == "n_components")
    );
    let same = Array2::<f64>::ones((9, 3));
    let y = embedding(&mds(2).fit_model(&same, &run).unwrap());
    assert!(y.iter().all(|v| *v == 0.0), "identical points have no extent");
}

#[test]
fn any_weights_move_the_origin_to_their_mean_by_name_too() {
    let run = Run::new();
    for seed in 0..4 {
        let x = cloud(30, 3, 60 + seed);
        // Of any sum, some negative.
        let weights: Vec<f64> = (0..30).map(|i| (i as f64 * 1.7 + seed as f64).sin() + 0.4).collect();
        let sum: f64 = weights.iter().sum();
        let model = ClassicalMds { weights: Some(weights.clone()), ..mds(3) }.fit_model(&x, &run).unwrap();
        let y = embedding(&model);
        for c in 0..3 {
            let mean: f64 = y.column(c).iter().zip(&weights).map(|(y, w)| y * w / sum).sum();
            assert!(mean.abs() < 1e-8, "seed {seed}: {mean}");
        }
        // Distances are those of the points, about an origin at the weighted mean.
        let (far, again) = (crate::distances(x.view()), crate::distances(y.view()));
        assert!((&far - &again).iter().all(|e| e.abs() < 1e-8));
        let loaded = lowland::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(embedding(&*loaded), y);
    }
    let x = cloud(30, 3, 1);
    for wrong in [vec![1.0; 29], (0..30).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect()] {
        let refused = ClassicalMds { weights: Some(wrong), ..mds(2) }.fit_model(&x, &run);
        assert!(matches!(refused, Err(lowland::Error::Conflict { .. })));
    }
}

/// FastMap as Faloutsos and Lin wrote it, for the same pivots: projections on lines, one after another.
fn by_the_book(distances: &Array2<f64>, pivots: &[usize], count: usize) -> Array2<f64> {
    let n = distances.nrows();
    let mut left = distances.mapv(|d| d * d);
    let mut out = Array2::zeros((n, count));
    for axis in 0..count {
        let (a, b) = (pivots[2 * axis], pivots[2 * axis + 1]);
        let length = left[(a, b)].sqrt();
        for i in 0..n {
            out[(i, axis)] = (left[(a, i)] + left[(a, b)] - left[(b, i)]) / (2.0 * length);
        }
        for i in 0..n {
            for j in 0..n {
                left[(i, j)] -= (out[(i, axis)] - out[(j, axis)]).powi(2);
            }
        }
    }
    let origin: Array2<f64> = out.select(ndarray::Axis(0), pivots);
    &out - &origin.mean_axis(ndarray::Axis(0)).unwrap()
}

#[test]
fn fastmap_projects_on_the_lines_through_its_pivots_and_keeps_what_is_flat() {
    let run = Run::new();
    for seed in 0..20 {
        // Flat in three dimensions of eight: three axes keep every distance.
        let plane = cloud(60, 3, seed);
        let turned = plane.dot(&cloud(3, 8, seed + 100));
        let distances = distances(turned.view());
        let fastmap = FastMap { n_components: 3, ..FastMap::default() };
        let model = fastmap.fit_model(&turned, &run).unwrap();
        let y = embedding(&model);
        for i in 0..60 {
            for j in 0..60 {
                let kept = (&y.row(i) - &y.row(j)).mapv(|x| x * x).sum().sqrt();
                assert!((kept - distances[(i, j)]).abs() < 1e-6, "{seed}: {kept} {}", distances[(i, j)]);
            }
        }
        let from_distances = fastmap.fit_model(Input::Distances(distances.view()), &run).unwrap();
        assert_eq!(model.report().landmarks.len(), 6);
        let book = by_the_book(&distances, &from_distances.report().landmarks, 3);
        let worst = |other: &Array2<f64>| {
            let found = embedding(&from_distances);
            found.iter().zip(other).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()))
        };
        assert!(worst(&book) < 1e-8, "{seed}: {}", worst(&book));
        let again = from_distances.transform(Input::Distances(distances.view()).into(), &run).unwrap();
        assert_eq!(again.to_f64(), embedding(&from_distances));
        // Of a fourth axis nothing is left.
        let four = FastMap { n_components: 4, ..FastMap::default() }.fit_model(&turned, &run).unwrap();
        assert!(matches!(four.report().warnings[..], [Warning::RankDeficient { asked: 4, rank: 3, .. }]));
    }
}
