//! LLE of objects that are known by the distances between them.

use crate::{apart, cloud, distances, embedding, largest, swiss_roll};
use lowland::methods::Lle;
use lowland::spectral::{Disconnected, Gram, SpectralModel};
use lowland::{Error, Input, Method, Model, Run, load_bytes};
use ndarray::{Array2, Axis, concatenate, s};
use rand::RngExt;

fn fit(method: &Lle, between: &Array2<f64>) -> SpectralModel {
    method.fit_model(Input::Distances(between.view()), &Run::new()).unwrap()
}

fn transform(model: &dyn Model, rows: Input<'_, f64>) -> Array2<f64> {
    model.transform(rows.into(), &Run::new()).unwrap().to_f64()
}

/// The theorem: the local Gram matrix is a function of distances, so those of points give what the points give, for the
/// training rows and for new ones.
#[test]
fn lle_of_the_distances_of_points_is_lle_of_the_points() {
    for (seed, (n, k, reg)) in [(200, 6, 1e-3), (300, 12, 1e-3), (250, 9, 1e-2)].into_iter().enumerate() {
        let (all, _) = swiss_roll(n + 30, seed as u64);
        let between = distances(all.view());
        let (x, new) = (all.slice(s![..n, ..]).to_owned(), all.slice(s![n.., ..]).to_owned());
        let method = Lle { n_neighbors: k, reg, ..Lle::default() };
        let by_points = method.fit_model(&x, &Run::new()).unwrap();
        let by_distances = fit(&method, &between.slice(s![..n, ..n]).to_owned());
        let (a, b) = (embedding(&by_points), embedding(&by_distances));
        assert!(apart(&a, &b) < 1e-6, "{n} {k}: {:e}", apart(&a, &b));
        let rows = between.slice(s![n.., ..n]).to_owned();
        let a = transform(&by_points, Input::Points(new.view()));
        let b = transform(&by_distances, Input::Distances(rows.view()));
        assert!(apart(&a, &b) < 1e-6, "{n} {k}: {:e}", apart(&a, &b));
        // One row at a time, after a file, and of the training rows, the same to the bit.
        let loaded = load_bytes(&by_distances.to_bytes().unwrap()).unwrap();
        assert_eq!(transform(&*loaded, Input::Distances(rows.view())), b);
        assert_eq!(transform(&*loaded, Input::Distances(rows.slice(s![3..4, ..]))), b.slice(s![3..4, ..]));
        let known = between.slice(s![..n, ..n]);
        assert_eq!(transform(&by_distances, Input::Distances(known)), embedding(&by_distances));
        let kernels =
            [by_points, by_distances].map(|model| model.gram(Gram::default(), &Run::new()).unwrap());
        assert!(largest(&(&kernels[0] - &kernels[1])) < 1e-8);
    }
}

#[test]
fn components_landmarks_and_equal_objects_are_treated_as_those_of_points() {
    let (a, _) = swiss_roll(150, 1);
    let (b, _) = swiss_roll(100, 2);
    let apart_by = concatenate![Axis(0), a, &b + 300.0];
    // Some objects twice, not next to each other.
    let x = concatenate![Axis(0), apart_by, apart_by.select(Axis(0), &[3, 77, 160])];
    let between = distances(x.view());
    let policies = [Disconnected::Join, Disconnected::Largest, Disconnected::Separate];
    for (landmarks, disconnected) in
        policies.map(|policy| (None, policy)).into_iter().chain([(Some(200), policies[2])])
    {
        let method = Lle { n_neighbors: 10, disconnected, landmarks, ..Lle::default() };
        let by_points = embedding(&method.fit_model(&x, &Run::new()).unwrap());
        let model = fit(&method, &between);
        let found = embedding(&model);
        // Each component up to its signs, the place of the second beside the first included: by its inner distances.
        for (rows, policy) in [(0..150, true), (150..250, disconnected == Disconnected::Separate)] {
            let of = |y: &Array2<f64>| distances(y.slice(s![rows.clone(), ..]));
            assert!(!policy || apart(&of(&by_points), &of(&found)) < 1e-6, "{disconnected:?} {landmarks:?}");
        }
        assert_eq!(
            transform(&model, Input::Distances(between.view())),
            found,
            "{disconnected:?} {landmarks:?}"
        );
        assert_eq!(found.row(3), found.row(250), "{disconnected:?}");
    }
}

/// Numbers that are no distances of points give an indefinite local Gram matrix, and still weights that sum to one.
#[test]
fn distances_that_no_points_have_give_numbers_and_bad_ones_are_refused() {
    let run = Run::new();
    let mut rng = run.rng("no distances");
    for scale in [1.0, 1e-120, 1e120] {
        let mut between = Array2::zeros((60, 60));
        for i in 0..60 {
            for j in 0..i {
                let length = scale * 10f64.powf(-3.0 * rng.random::<f64>());
                (between[(i, j)], between[(j, i)]) = (length, length);
            }
        }
        let method = Lle { n_neighbors: 7, reg: 0.0, ..Lle::default() };
        let model = fit(&method, &between);
        let found = embedding(&model);
        let mean = found.mean_axis(Axis(0)).unwrap();
        assert!(found.iter().all(|x| x.is_finite()) && mean.iter().all(|m| m.abs() < 1e-6), "{scale:e}");
        let mut row = between.slice(s![..1, ..]).mapv(|x| 1.5 * x + scale);
        let new = transform(&model, Input::Distances(row.view()));
        assert!(new.iter().all(|x| x.is_finite()));
        row[(0, 4)] = -scale;
        let refused = model.transform(Input::Distances(row.view()).into(), &run).err();
        assert!(matches!(refused, Some(Error::NotADistance { column: 4, .. })), "{refused:?}");
    }
    let same = Array2::<f64>::zeros((20, 20));
    let refused = Lle::default().fit_model(Input::Distances(same.view()), &run).err();
    assert!(matches!(refused, Some(Error::Constant { .. })), "{refused:?}");
    let flat = distances((cloud(40, 2, 3) * 1e-3).view());
    assert!(fit(&Lle::default(), &flat).report().warnings.is_empty());
}
