//! Rows that are there more than once: one point of the graph, one point of the embedding.

use crate::{apart, cloud, embedding, largest, swiss_roll};
use lowland::methods::{DiffusionMaps, Edges, LaplacianEigenmaps};
use lowland::neighbors::Metric;
use lowland::parameters::Value;
use lowland::spectral::{Disconnected, Laplacian};
use lowland::{AnyInput, Error, Input, Method, Model, Run, Warning, load_bytes, registry};
use ndarray::{Array2, Axis};

const LOCAL: [&str; 4] = ["lle", "modified-lle", "hessian-lle", "ltsa"];
const GRAPHS: [&str; 4] = ["laplacian-eigenmaps", "spectral-clustering", "commute-time", "heat-kernel"];

fn method(name: &str, settings: &[(&str, Value)]) -> Box<dyn Method> {
    let mut method = (registry::find(name).unwrap().create)();
    settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
    method
}

/// Every row of `x` so often, the copies between the others.
fn copied(n: usize, copies: impl Fn(usize) -> usize) -> Vec<usize> {
    let most = (0..n).map(&copies).max().unwrap_or(0);
    (0..most).flat_map(|c| (0..n).filter(|&i| copies(i) > c).collect::<Vec<_>>()).collect()
}

/// Rows of the same origin have the same coordinates, and a model knows its training rows.
fn check(name: &str, model: &dyn Model, origin: &[usize], input: AnyInput<'_>) {
    let run = Run::new();
    let y = embedding(model);
    assert_eq!(y.nrows(), origin.len());
    for (row, &of) in origin.iter().enumerate() {
        let first = origin.iter().position(|&other| other == of).unwrap();
        assert_eq!(y.row(row), y.row(first), "{name}: rows {first} and {row}");
    }
    let again = model.transform(input, &run).unwrap().to_f64();
    let difference = largest(&(&again - &y));
    assert!(difference < 1e-8, "{name}: {difference:e}");
    let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.transform(input, &run).unwrap().to_f64(), again, "{name}");
}

#[test]
fn copies_share_their_coordinates_and_the_rest_is_as_without_them() {
    let run = Run::new();
    let (x, _) = swiss_roll(300, 21);
    for copies in [|i: usize| 1 + usize::from(i % 10 == 3), |i: usize| 1 + i % 4, |_| 12] {
        let origin = copied(300, copies);
        let many = x.select(Axis(0), &origin);
        for name in LOCAL.into_iter().chain(GRAPHS) {
            for landmarks in [Value::Auto, Value::Integer(250)] {
                let settings = [("n_neighbors", Value::Integer(10)), ("landmarks", landmarks.clone())];
                let model = method(name, &settings).fit((&many).into(), &run).unwrap();
                check(name, &*model, &origin, (&many).into());
                if landmarks == Value::Auto && name != "spectral-clustering" {
                    let plain = method(name, &settings).fit((&x).into(), &run).unwrap();
                    let y = embedding(&*model).slice(ndarray::s![..300, ..]).to_owned();
                    assert_eq!(y, embedding(&*plain), "{name}");
                    assert_eq!(model.report().warnings, plain.report().warnings, "{name}");
                }
            }
        }
    }
}

#[test]
fn five_hundred_rows_of_thirty_kinds_are_embedded() {
    let run = Run::new();
    let kinds = Array2::from_shape_fn((30, 2), |(i, j)| if j == 0 { (i / 5) as f64 } else { (i % 5) as f64 });
    let origin: Vec<usize> = (0..500).map(|i| (i * i + 7 * i) % 30).collect();
    let origin: Vec<usize> = origin.into_iter().chain(0..30).collect();
    let many = kinds.select(Axis(0), &origin);
    for name in LOCAL.into_iter().chain(GRAPHS) {
        let model = method(name, &[]).fit((&many).into(), &run).unwrap();
        check(name, &*model, &origin, (&many).into());
        assert_eq!(model.report().connected_component_sizes, [30], "{name}");
    }
}

/// Landmarks that are copies of one point say as little as rows that are: refused, as the conformance suite has it of rows.
#[test]
fn landmarks_that_are_one_point_are_refused() {
    let run = Run::new();
    let mut x = Array2::from_elem((3000, 3), 2.5);
    x[(17, 1)] = 3.0;
    for name in LOCAL.into_iter().chain(GRAPHS) {
        let settings = [("n_neighbors", Value::Integer(10)), ("landmarks", Value::Integer(15))];
        let refused = method(name, &settings).fit((&x).into(), &run).err();
        assert!(matches!(refused, Some(Error::Constant { .. })), "{name}: {refused:?}");
    }
}

#[test]
fn too_few_different_rows_are_refused_with_their_number() {
    let run = Run::new();
    let kinds = cloud(7, 3, 5);
    let origin: Vec<usize> = (0..100).map(|i| i % 7).collect();
    let many = kinds.select(Axis(0), &origin);
    for name in LOCAL.into_iter().chain(GRAPHS) {
        match method(name, &[]).fit((&many).into(), &run) {
            Err(Error::Parameter { name: parameter, bound, .. }) => {
                assert_eq!(parameter, "n_neighbors", "{name}");
                assert!(bound.contains("below 7, the number of different points"), "{name}: {bound}");
            }
            other => panic!("{name}: {:?}", other.err()),
        }
        // With one neighbor fewer than there are others it works.
        let settings = [("n_neighbors", Value::Integer(6))];
        let model = method(name, &settings).fit((&many).into(), &run).unwrap();
        check(name, &*model, &origin, (&many).into());
    }
    let settings = [("n_neighbors", Value::Integer(4)), ("n_components", Value::Integer(7))];
    for name in ["lle", "laplacian-eigenmaps"] {
        match method(name, &settings).fit((&many).into(), &run) {
            Err(Error::Parameter { name: parameter, bound, .. }) => {
                assert_eq!(parameter, "n_components", "{name}");
                assert!(bound.contains("7") && bound.contains("different"), "{name}: {bound}");
            }
            other => panic!("{name}: {:?}", other.err()),
        }
    }
}

/// Points coincide where the metric, or a matrix of distances, says so.
#[test]
fn what_is_no_distance_apart_is_the_same() {
    let run = Run::new();
    let (x, _) = swiss_roll(200, 3);
    let origin = copied(200, |i| 1 + usize::from(i % 3 == 0));
    let many = x.select(Axis(0), &origin);
    let d = crate::distances(many.view());
    for laplacian in [Laplacian::RandomWalk, Laplacian::Symmetric, Laplacian::Unnormalized] {
        let maps = LaplacianEigenmaps { laplacian, ..LaplacianEigenmaps::default() };
        let model = maps.fit_model(Input::Distances(d.view()), &run).unwrap();
        check("distances", &model, &origin, Input::Distances(d.view()).into());
        let by_points = embedding(&maps.fit_model(&many, &run).unwrap());
        assert!(apart(&by_points, &embedding(&model)) < 1e-7);
        let few = LaplacianEigenmaps { landmarks: Some(120), ..maps.clone() };
        let model = few.fit_model(Input::Distances(d.view()), &run).unwrap();
        check("landmarks", &model, &origin, Input::Distances(d.view()).into());
        let within = LaplacianEigenmaps { radius: Some(3.0), ..maps };
        check("radius", &within.fit_model(&many, &run).unwrap(), &origin, (&many).into());
    }
    // Of several connected components, of all points or of some.
    let mut torn = many.clone();
    let far = |row: usize| origin[row] % 5 == 0;
    (0..origin.len()).filter(|&row| far(row)).for_each(|row| torn.row_mut(row).mapv_inplace(|v| v + 1e3));
    let d = crate::distances(torn.view());
    for disconnected in [Disconnected::Join, Disconnected::Largest, Disconnected::Separate] {
        for landmarks in [None, Some(180)] {
            let maps = LaplacianEigenmaps { disconnected, landmarks, ..LaplacianEigenmaps::default() };
            let model = maps.fit_model(Input::Distances(d.view()), &run).unwrap();
            check("components of distances", &model, &origin, Input::Distances(d.view()).into());
            check("components of points", &maps.fit_model(&torn, &run).unwrap(), &origin, (&torn).into());
        }
    }
    // Twice as long is the same direction.
    let scale = |row: usize| if row < 200 { 1.0 } else { 2.0 };
    let longer = Array2::from_shape_fn(many.dim(), |(i, j)| many[(i, j)] * scale(i));
    let maps = LaplacianEigenmaps { metric: Metric::Cosine, ..LaplacianEigenmaps::default() };
    check("cosine", &maps.fit_model(&longer, &run).unwrap(), &origin, (&longer).into());
    let maps = DiffusionMaps { edges: Edges::Neighbors, ..DiffusionMaps::default() };
    check("diffusion", &maps.fit_model(&many, &run).unwrap(), &origin, (&many).into());
    assert!(!embedding(&maps.fit_model(&many, &run).unwrap()).iter().any(|v| v.is_nan()));
    let reported = maps.fit_model(&many, &run).unwrap().report().warnings.clone();
    assert!(!reported.iter().any(|w| matches!(w, Warning::OnlyDuplicateNeighbors { .. })));
}

/// Many copies are one point for the linear relatives, too: their map is that of the different rows.
#[test]
fn linear_relatives_count_a_place_once() {
    let run = Run::new();
    let x = cloud(40, 4, 33);
    let origin = copied(40, |i| if i == 7 { 61 } else { 1 });
    let many = x.select(Axis(0), &origin);
    for name in ["lpp", "npe", "onpp", "lltsa"] {
        let settings = [("n_neighbors", Value::Integer(8))];
        let plain = method(name, &settings).fit((&x).into(), &run).unwrap();
        let model = method(name, &settings).fit((&many).into(), &run).unwrap();
        let y = embedding(&*model).slice(ndarray::s![..40, ..]).to_owned();
        assert!(apart(&embedding(&*plain), &y) < 1e-9, "{name}");
        assert_eq!(model.report().warnings, plain.report().warnings, "{name}");
    }
}

/// Copies coincide as they should: that is no collapse.
#[test]
fn copies_are_no_collapse() {
    let x = cloud(40, 3, 34);
    let many = x.select(Axis(0), &copied(40, |i| if i == 7 { 61 } else { 1 }));
    let model = method("laplacian-eigenmaps", &[("n_neighbors", Value::Integer(8))]);
    let model = model.fit((&many).into(), &Run::new()).unwrap();
    let collapsed = model.report().warnings.iter().any(|w| matches!(w, Warning::Collapsed { .. }));
    assert!(!collapsed, "{:?}", model.report().warnings);
}

/// A remedy for too few different points does not lead back, and equal rows that coincide are no collapse.
#[test]
fn copies_are_not_blamed_on_the_settings() {
    let few = [[0.3, 0.3, 0.1], [-1.2, -0.3, 0.4], [-3.1, 0.8, 0.3], [-1.1, -0.7, -0.2], [0.4, -0.4, 1.2]];
    let x = Array2::from_shape_fn((60, 3), |(i, j)| if i < 55 { 1.0 } else { few[i - 55][j] });
    let fit = |name: &str| method(name, &[]).fit((&x).into(), &Run::new());
    let refused = fit("hessian-lle").err().unwrap().to_string();
    assert!(refused.ends_with("give at least 7 different points"), "{refused}");
    let refused = fit("ltsa").err().unwrap().to_string();
    assert!(refused.ends_with("ask for fewer neighbors"), "{refused}");
    let d = crate::distances(x.view());
    for input in [AnyInput::from(&x), Input::Distances(d.view()).into()] {
        let model = method("diffusion-maps", &[]).fit(input, &Run::new()).unwrap();
        assert!(model.report().warnings.is_empty(), "{:?}", model.report().warnings);
    }
}
