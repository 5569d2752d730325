//! Many new rows: the index that finds their neighbors is built once, and no result depends on how rows are grouped.

use crate::swiss_roll;
use lowland::parameters::Value;
use lowland::{Input, Model, Run, load_bytes, registry};
use ndarray::{Array2, s};

fn fitted(name: &str, settings: &[(&str, Value)], points: &Array2<f64>) -> Box<dyn Model> {
    let mut method = (registry::find(name).unwrap().create)();
    settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
    method.fit(points.into(), &Run::new()).unwrap()
}

fn methods() -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
    let (few, word) = (("landmarks", Value::Integer(40)), |word: &str| Value::Text(word.into()));
    vec![
        ("isomap", vec![]),
        ("landmark-isomap", vec![few.clone()]),
        ("lle", vec![]),
        ("ltsa", vec![]),
        ("laplacian-eigenmaps", vec![]),
        ("laplacian-eigenmaps", vec![("laplacian", word("unnormalized"))]),
        ("diffusion-maps", vec![]),
        ("kernel-pca", vec![("kernel", word("local"))]),
        ("kernel-pca", vec![few]),
        ("classical-mds", vec![("negative", word("shift"))]),
    ]
}

/// In one batch of more rows than are worked on together, in batches of odd sizes, and by a loaded model: the same bits.
#[test]
fn batches_and_files_do_not_change_a_bit() {
    let run = Run::new();
    let ((points, _), (new, _)) = (swiss_roll(300, 1), swiss_roll(2500, 2));
    for (name, settings) in methods() {
        let model = fitted(name, &settings, &points);
        let all = model.transform((&new).into(), &run).unwrap().to_f64();
        for range in [0..1, 1..700, 700..1025, 1025..2500] {
            let some = model.transform(new.slice(s![range.clone(), ..]).into(), &run).unwrap().to_f64();
            assert_eq!(some, all.slice(s![range.clone(), ..]), "{name} {settings:?}: rows {range:?}");
        }
        let loaded = load_bytes(&model.to_bytes().unwrap()).unwrap();
        let other = Run::new().with_seed(7).with_threads(1).unwrap();
        assert_eq!(loaded.transform((&new).into(), &other).unwrap().to_f64(), all, "{name}: loaded");
    }
}

/// A distance below zero is named by its row in the whole batch, wherever that is worked on.
#[test]
fn a_negative_distance_is_named_by_its_row() {
    let (points, _) = swiss_roll(60, 3);
    let distances = crate::distances(points.view());
    let mut new = Array2::from_elem((1500, 60), 1.0);
    new[(1300, 5)] = -1.0;
    for name in ["isomap", "classical-mds"] {
        let method = (registry::find(name).unwrap().create)();
        let model = method.fit(Input::Distances(distances.view()).into(), &Run::new()).unwrap();
        let error = model.transform(Input::Distances(new.view()).into(), &Run::new()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("1300") && text.contains('5'), "{name}: {text}");
    }
}
