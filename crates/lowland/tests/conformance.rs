//! The contract, over every entry of the registry. A method is covered on the day it is registered.

use lowland::parameters::{Kind, Value};
use lowland::{
    AnyInput, AnyMatrix, Csr, Entry, Error, Input, Method, Model, Progress, Run, load, load_bytes, registry,
};
use ndarray::{Array2, ArrayView2, Axis, s};
use rand::RngExt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A curved sheet with noise in `d` dimensions: no method finds it degenerate.
fn sheet(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("conformance");
    let latent = Array2::from_shape_fn((n, 2), |_| rng.random::<f64>());
    Array2::from_shape_fn((n, d), |(i, j)| {
        let (a, b) = (latent[(i, 0)], latent[(i, 1)]);
        let j = j as f64 + 1.0;
        (a * j * 0.7).sin() * 3.0 / j + b * (1.0 + 1.0 / j) + 0.02 * rng.random::<f64>()
    })
}

/// The method with two components, where it lets itself be told.
fn two_components(entry: &Entry) -> Box<dyn Method> {
    let mut method = (entry.create)();
    method.set("n_components", &Value::Integer(2)).unwrap();
    method
}

/// Labels that belong to the rows, whatever their order: groups of four by the first column.
fn labels(x: ArrayView2<'_, f64>) -> Vec<i64> {
    let mut labels = vec![0; x.nrows()];
    if x.ncols() == 0 {
        return labels;
    }
    let mut order: Vec<usize> = (0..x.nrows()).collect();
    order.sort_by(|&a, &b| x[(a, 0)].total_cmp(&x[(b, 0)]));
    order.iter().enumerate().for_each(|(rank, &row)| labels[row] = rank as i64 / 4);
    labels
}

/// With labels, where the method needs them.
fn try_fit(method: &dyn Method, x: ArrayView2<'_, f64>, run: &Run) -> Result<Box<dyn Model>, Error> {
    if method.entry().capabilities.labels {
        method.fit_labelled(x.into(), &labels(x), run)
    } else {
        method.fit(x.into(), run)
    }
}

fn fit(entry: &Entry, x: ArrayView2<'_, f64>, run: &Run) -> Box<dyn Model> {
    try_fit(&*two_components(entry), x, run).unwrap_or_else(|e| panic!("{}: {e}", entry.name))
}

fn f64s(matrix: &AnyMatrix) -> &Array2<f64> {
    matrix.as_typed::<f64>().expect("f64 in, f64 out")
}

fn largest_difference(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// Methods that climb a function with many summits: from data that differ in the last digits they may end on another one.
fn searches(entry: &Entry) -> bool {
    ["nca"].contains(&entry.name)
}

/// The methods that take points: all of today's.
fn each(check: impl Fn(&'static Entry)) {
    for &entry in registry::all().iter().filter(|entry| entry.capabilities.inputs.contains(&"points")) {
        check(entry);
    }
}

#[test]
fn n_rows_in_n_rows_out_and_never_nan() {
    each(|entry| {
        let x = sheet(150, 6, 1);
        let model = fit(entry, x.view(), &Run::new());
        let y = f64s(model.embedding().unwrap());
        assert_eq!(y.dim(), (150, 2), "{}", entry.name);
        assert!(y.iter().all(|value| value.is_finite()));
        assert_eq!((model.features(), model.components()), (6, 2));
    });
}

/// Which rows are drawn as landmarks depends on their order; all of them do not.
fn fit_all_landmarks(entry: &Entry, x: ArrayView2<'_, f64>, run: &Run) -> Box<dyn Model> {
    let mut method = two_components(entry);
    if method.get("landmarks").is_some() {
        method.set("landmarks", &Value::Integer(x.nrows() as i64)).unwrap();
    }
    try_fit(&*method, x, run).unwrap_or_else(|e| panic!("{}: {e}", entry.name))
}

#[test]
fn the_embedding_follows_the_order_of_the_rows() {
    each(|entry| {
        let x = sheet(120, 5, 2);
        // Where there are labels, their order is reversed, but not that within them: the first row of a label can
        // have a meaning.
        let labels = labels(x.view());
        let mut order: Vec<usize> = (0..120).rev().collect();
        if entry.capabilities.labels {
            order.sort_by_key(|&row| (-labels[row], row));
        }
        let run = Run::new();
        let fit = |x: ArrayView2<'_, f64>| fit_all_landmarks(entry, x, &run);
        let (a, b) = (fit(x.view()), fit(x.select(Axis(0), &order).view()));
        let (a, b) =
            (f64s(a.embedding().unwrap()).select(Axis(0), &order), f64s(b.embedding().unwrap()).clone());
        for column in 0..2 {
            let (a, b) = (a.column(column), b.column(column));
            let scale = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let same = a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6 * scale);
            let mirrored = a.iter().zip(b).all(|(a, b)| (a + b).abs() < 1e-6 * scale);
            assert!(same || mirrored, "{}", entry.name);
        }
    });
}

#[test]
fn transforming_the_training_rows_gives_the_embedding() {
    each(|entry| {
        for seed in 0..5 {
            let x = sheet(130, 7, 10 + seed);
            let model = fit(entry, x.view(), &Run::new());
            let again = model.transform(x.view().into(), &Run::new()).unwrap();
            let difference = largest_difference(f64s(&again), f64s(model.embedding().unwrap()));
            assert!(difference <= 1e-8, "{}: {difference}", entry.name);
        }
    });
}

#[test]
fn a_row_is_embedded_the_same_in_every_batch_and_nothing_fitted_changes() {
    each(|entry| {
        let model = fit(entry, sheet(100, 5, 3).view(), &Run::new());
        let before = model.to_bytes().unwrap();
        let new = sheet(203, 5, 4);
        let all = model.transform(new.view().into(), &Run::new()).unwrap();
        for batch in [1, 2, 7, 64, 100] {
            for start in (0..203).step_by(31) {
                let end = (start + batch).min(203);
                let part = model.transform(new.slice(s![start..end, ..]).into(), &Run::new()).unwrap();
                assert_eq!(
                    f64s(&part),
                    f64s(&all).slice(s![start..end, ..]),
                    "{} {start} {batch}",
                    entry.name
                );
            }
        }
        assert_eq!(model.to_bytes().unwrap(), before);
    });
}

#[test]
fn an_empty_batch_gives_an_empty_embedding() {
    each(|entry| {
        let model = fit(entry, sheet(50, 4, 3).view(), &Run::new());
        let none = model.transform(Array2::<f64>::zeros((0, 4)).view().into(), &Run::new()).unwrap();
        assert_eq!(none.dim(), (0, 2));
    });
}

#[test]
fn the_same_seed_gives_the_same_bits_for_every_number_of_threads_and_layout() {
    each(|entry| {
        for (n, d) in [(150, 6), (2100, 40), (40, 90)] {
            let x = sheet(n, d, 5);
            let fortran = x.t().as_standard_layout().into_owned().reversed_axes();
            let mut wide = Array2::<f64>::zeros((2 * n, 3 * d));
            wide.slice_mut(s![..;2, ..;3]).assign(&x);
            let reference = fit(entry, x.view(), &Run::new().with_threads(1).unwrap());
            let layouts = [x.view(), fortran.view(), wide.slice(s![..;2, ..;3])];
            for threads in [1, 2, 3] {
                for layout in layouts {
                    let model = fit(entry, layout, &Run::new().with_threads(threads).unwrap());
                    assert!(model.embedding() == reference.embedding(), "{} {n} x {d}", entry.name);
                    assert!(model.to_bytes() == reference.to_bytes());
                }
            }
        }
    });
}

#[test]
fn single_precision_stays_single_and_agrees_with_double() {
    each(|entry| {
        let x = sheet(150, 6, 6);
        let single = x.mapv(|value| value as f32);
        let model =
            two_components(entry).fit_labelled(single.view().into(), &labels(x.view()), &Run::new()).unwrap();
        let y = model.embedding().unwrap().as_typed::<f32>().expect("f32 in, f32 out").mapv(f64::from);
        let again = model.transform(single.view().into(), &Run::new()).unwrap();
        let again = again.as_typed::<f32>().expect("f32 in, f32 out").mapv(f64::from);
        // From the very same numbers where the last digits decide.
        let double = if searches(entry) { single.mapv(f64::from) } else { x.clone() };
        let double =
            two_components(entry).fit_labelled((&double).into(), &labels(x.view()), &Run::new()).unwrap();
        let double = f64s(double.embedding().unwrap());
        let scale = double.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(largest_difference(&y, &again) < 1e-6 * scale, "{}", entry.name);
        assert!(largest_difference(&y, double) < 1e-4 * scale, "{}", entry.name);
    });
}

#[test]
fn wrong_input_is_a_typed_error_before_work_starts() {
    each(|entry| {
        let fit = |x: Array2<f64>| try_fit(&*two_components(entry), x.view(), &Run::new()).err();
        assert!(matches!(fit(Array2::zeros((0, 3))), Some(Error::Empty { axis: "rows", .. })));
        assert!(matches!(fit(Array2::zeros((3, 0))), Some(Error::Empty { axis: "columns", .. })));
        let bad = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for bad in &bad[..if entry.capabilities.missing { 2 } else { 3 }] {
            let mut x = sheet(30, 4, 7);
            x[(11, 2)] = *bad;
            x[(20, 0)] = *bad;
            assert!(
                matches!(fit(x), Some(Error::NotFinite { row: 11, column: 2, count: 2, .. })),
                "{}",
                entry.name
            );
        }
        let mut x = sheet(30, 4, 7);
        x[(5, 1)] = 1e300;
        assert!(matches!(fit(x), Some(Error::TooLarge { row: 5, column: 1, count: 1, .. })));
        for count in [0, 31] {
            let mut method = (entry.create)();
            let refused = match method.set("n_components", &Value::Integer(count)) {
                Ok(()) => try_fit(&*method, sheet(30, 4, 7).view(), &Run::new()).err(),
                Err(e) => Some(e),
            };
            assert!(matches!(refused, Some(Error::Parameter { name, .. }) if name == "n_components"));
        }
    });
}

#[test]
fn a_wrong_width_or_bad_values_at_transform_are_refused() {
    each(|entry| {
        let model = fit(entry, sheet(60, 4, 8).view(), &Run::new());
        let refused = |x: Array2<f64>| model.transform(x.view().into(), &Run::new()).err();
        assert!(matches!(refused(sheet(9, 5, 8)), Some(Error::Width { expected: 4, found: 5, .. })));
        let mut x = sheet(9, 4, 8);
        x[(2, 3)] = if entry.capabilities.missing { f64::INFINITY } else { f64::NAN };
        assert!(matches!(refused(x), Some(Error::NotFinite { row: 2, column: 3, count: 1, .. })));
    });
}

#[test]
fn kinds_of_input_that_are_not_taken_are_refused_and_the_others_accepted() {
    for &entry in registry::all() {
        let takes = |kind: &str| entry.capabilities.inputs.contains(&kind);
        let square = Array2::<f64>::from_shape_fn((12, 12), |(i, j)| (i as f64 - j as f64).abs());
        let gram = Array2::<f64>::from_shape_fn((12, 12), |(i, j)| if i == j { 2.0 } else { 1.0 });
        let entries: Vec<(usize, usize, f64)> =
            (0..12).flat_map(|i| [(i, (i + 1) % 12, 1.0), ((i + 1) % 12, i, 1.0)]).collect();
        let ring = Csr::from_entries(12, 12, &entries).unwrap();
        let inputs: [(&str, AnyInput<'_>); 4] = [
            ("distances", Input::Distances(square.view()).into()),
            ("kernel", Input::Kernel(gram.view()).into()),
            ("sparse", (&ring).into()),
            ("graph", Input::Graph(&ring).into()),
        ];
        for (kind, input) in inputs {
            match two_components(entry).fit_labelled(input, &labels(square.view()), &Run::new()) {
                Ok(_) => assert!(takes(kind), "{} took {kind}", entry.name),
                Err(e) => {
                    assert!(!takes(kind) && matches!(e, Error::Unsupported { .. }), "{}: {e}", entry.name)
                }
            }
        }
    }
}

#[test]
fn a_forecast_over_the_budget_is_a_refusal_that_names_a_lighter_way() {
    each(|entry| {
        let x = sheet(400, 30, 9);
        let method = two_components(entry);
        let forecast = method.forecast(&AnyInput::from(x.view()).shape());
        assert!(forecast.bytes > 0 && forecast.flops > 0.0);
        let run = Run::new().with_memory(forecast.bytes - 1);
        let refused = try_fit(&*method, x.view(), &run).err();
        assert!(
            matches!(refused, Some(Error::Memory { remedy, .. }) if !remedy.is_empty()),
            "{}",
            entry.name
        );
        assert!(try_fit(&*method, x.view(), &Run::new().with_memory(4 * forecast.bytes)).is_ok());
    });
}

#[derive(Default)]
struct Watcher(Mutex<Vec<String>>);

impl Progress for Watcher {
    fn begin(&self, stage: &str, _: Option<u64>) {
        self.0.lock().unwrap().push(stage.to_owned());
    }
    fn advance(&self, _: &str, _: u64) {}
    fn end(&self, _: &str, _: f64) {}
}

#[test]
fn progress_is_told_by_named_stage_and_the_times_are_booked() {
    each(|entry| {
        let watcher = Arc::new(Watcher::default());
        let run = Run::new().with_progress(watcher.clone());
        fit(entry, sheet(200, 6, 11).view(), &run);
        let seen = watcher.0.lock().unwrap().clone();
        assert!(seen.len() >= 2, "{}: {seen:?}", entry.name);
        let booked = run.stages();
        assert!(booked.iter().all(|(name, seconds)| seen.contains(name) && *seconds >= 0.0));
    });
}

/// The method with many components, or as many as its other parameters allow.
fn with_most_components(entry: &Entry, x: ArrayView2<'_, f64>) -> Box<dyn Method> {
    let shape = AnyInput::from(x).shape();
    let of = |count: i64| {
        let mut method = (entry.create)();
        method.set("n_components", &Value::Integer(count)).unwrap();
        method
    };
    [400, 6].into_iter().map(of).find(|method| method.check(&shape).is_ok()).unwrap_or_else(|| of(2))
}

#[test]
fn a_cancelled_run_stops_within_half_a_second() {
    each(|entry| {
        let x = sheet(3000, 1500, 12);
        for delay in [0, 30, 150, 400, 900] {
            let run = Run::new();
            let switch = run.cancel_switch();
            let timer = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(delay));
                switch.cancel();
                Instant::now()
            });
            let method = with_most_components(entry, x.view());
            let result = try_fit(&*method, x.view(), &run);
            let ended = Instant::now();
            let cancelled = timer.join().unwrap();
            match result {
                Ok(_) => assert!(ended <= cancelled, "{} ignored the switch after {delay} ms", entry.name),
                Err(e) => {
                    assert_eq!(e, Error::Cancelled);
                    assert!(
                        ended - cancelled < Duration::from_millis(500),
                        "{} after {delay} ms",
                        entry.name
                    );
                }
            }
        }
    });
}

#[test]
fn save_and_load_give_the_same_bits() {
    each(|entry| {
        let x = sheet(100, 5, 13);
        let model = fit(entry, x.view(), &Run::new());
        let folder = std::env::temp_dir().join(format!("lowland-{}-{}", entry.name, std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("model");
        model.save(&path).unwrap();
        let loaded = load(&path).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "a temporary file was left behind");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(loaded.entry().name, entry.name);
        assert_eq!(loaded.parameters(), model.parameters());
        assert_eq!(loaded.report(), model.report());
        let new = sheet(40, 5, 14);
        let run = Run::new();
        assert_eq!(loaded.transform(new.view().into(), &run), model.transform(new.view().into(), &run));
        assert_eq!(loaded.to_bytes().unwrap(), model.to_bytes().unwrap());
    });
}

#[test]
fn every_truncation_and_every_changed_byte_of_a_model_file_is_refused() {
    each(|entry| {
        let bytes = fit(entry, sheet(30, 3, 15).view(), &Run::new()).to_bytes().unwrap();
        assert!(load_bytes(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert!(matches!(load_bytes(&bytes[..length]), Err(Error::ModelFile { .. })), "{length}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(load_bytes(&longer).is_err());
        for place in 0..bytes.len() {
            for change in [0x01, 0x20, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[place] ^= change;
                assert!(load_bytes(&changed).is_err(), "{}: byte {place} ^ {change:#x}", entry.name);
            }
        }
    });
}

#[test]
fn the_inverse_exists_where_it_is_promised_and_nowhere_else() {
    each(|entry| {
        let x = sheet(80, 4, 16);
        let model = fit(entry, x.view(), &Run::new());
        let y = model.embedding().unwrap().to_f64();
        match model.inverse(y.view().into(), &Run::new()) {
            Ok(back) => {
                assert!(entry.capabilities.inverse);
                assert_eq!(back.dim(), (80, 4));
                assert!(f64s(&back).iter().all(|value| value.is_finite()));
            }
            Err(e) => assert!(!entry.capabilities.inverse && matches!(e, Error::Unsupported { .. })),
        }
        let mut bad = y.clone();
        bad[(3, 1)] = f64::NAN;
        let refused = model.inverse(bad.view().into(), &Run::new());
        assert!(
            !entry.capabilities.inverse
                || matches!(refused, Err(Error::NotFinite { what: "embedding", row: 3, column: 1, .. }))
        );
        let wrong = model.inverse(Array2::<f64>::zeros((3, 9)).view().into(), &Run::new());
        assert!(matches!(
            wrong,
            Err(Error::Width { expected: 2, found: 9, .. }) | Err(Error::Unsupported { .. })
        ));
    });
}

#[test]
fn attributes_are_finite_described_and_named_once() {
    each(|entry| {
        let attributes = fit(entry, sheet(80, 4, 18).view(), &Run::new()).attributes();
        for attribute in &attributes {
            let name = attribute.name;
            assert!(name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.ends_with('_'), "{name}");
            assert!(attribute.meaning.len() > 10 && attribute.meaning.ends_with('.'), "{name}");
            let numbers = attribute.value.numbers();
            assert!(!numbers.is_empty() && numbers.iter().all(|v| v.is_finite()), "{}: {name}", entry.name);
        }
        let mut names: Vec<&str> = attributes.iter().map(|attribute| attribute.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), attributes.len(), "{}", entry.name);
    });
}

#[test]
fn a_density_exists_where_it_is_promised_and_nowhere_else() {
    each(|entry| {
        let x = sheet(80, 4, 19);
        let model = fit(entry, x.view(), &Run::new());
        match model.log_density(x.view().into(), &Run::new()) {
            Ok(density) => {
                assert!(entry.capabilities.density);
                assert!(density.len() == 80 && density.iter().all(|value| value.is_finite()));
                // A point far away is less likely than any of the training rows.
                let far =
                    model.log_density((&x.slice(s![..1, ..]) + 100.0).view().into(), &Run::new()).unwrap();
                assert!(density.iter().all(|&near| near > far[0]), "{}", entry.name);
            }
            Err(e) => assert!(!entry.capabilities.density && matches!(e, Error::Unsupported { .. })),
        }
        let count = 4000;
        match model.sample(count, &Run::new()) {
            Ok(drawn) => {
                assert!(entry.capabilities.density);
                assert_eq!(drawn.dim(), (count, 4));
                // The mean of the draws is that of the data, within five standard errors.
                for j in 0..4 {
                    let apart = drawn.column(j).mean().unwrap() - x.column(j).mean().unwrap();
                    let error = drawn.column(j).std(1.0) * (1.0 / count as f64).sqrt();
                    assert!(apart.abs() < 5.0 * error, "{}: {apart} {error}", entry.name);
                }
                assert_eq!(drawn, model.sample(count, &Run::new()).unwrap());
                assert_ne!(drawn, model.sample(count, &Run::new().with_seed(1)).unwrap());
            }
            Err(e) => assert!(!entry.capabilities.density && matches!(e, Error::Unsupported { .. })),
        }
    });
}

#[test]
fn labels_are_asked_for_where_they_are_needed_and_counted() {
    each(|entry| {
        let x = sheet(40, 4, 21);
        let method = two_components(entry);
        let without = method.fit(x.view().into(), &Run::new());
        match without {
            Ok(model) => {
                assert!(!entry.capabilities.labels, "{}", entry.name);
                let labelled = method.fit_labelled(x.view().into(), &labels(x.view()), &Run::new()).unwrap();
                assert_eq!(labelled.to_bytes(), model.to_bytes(), "{} looked at the labels", entry.name);
            }
            Err(e) => assert!(entry.capabilities.labels && matches!(e, Error::NoLabels { .. })),
        }
        let wrong = method.fit_labelled(x.view().into(), &[1, 2, 3], &Run::new()).err();
        assert_eq!(wrong, Some(Error::LabelCount { labels: 3, rows: 40 }));
    });
}

#[test]
fn missing_values_are_taken_where_that_is_promised_and_imputed() {
    each(|entry| {
        let x = sheet(120, 5, 22);
        let mut holes = x.clone();
        let mut rng = Run::new().rng("holes");
        holes.rows_mut().into_iter().for_each(|mut row| row[rng.random_range(0..5usize)] = f64::NAN);
        let fitted = try_fit(&*two_components(entry), holes.view(), &Run::new());
        if !entry.capabilities.missing {
            assert!(matches!(fitted.err(), Some(Error::NotFinite { count: 120, .. })), "{}", entry.name);
            let model = fit(entry, x.view(), &Run::new());
            let refused = model.impute(x.view().into(), &Run::new());
            return assert!(matches!(refused, Err(Error::Unsupported { .. })), "{}", entry.name);
        }
        let model = fitted.unwrap();
        let y = model.transform(holes.view().into(), &Run::new()).unwrap();
        assert!(f64s(&y).iter().all(|value| value.is_finite()));
        assert!(largest_difference(f64s(&y), f64s(model.embedding().unwrap())) <= 1e-8);
        // Rows alone and together, complete or not, give the same bits.
        for row in 0..40 {
            let alone = model.transform(holes.slice(s![row..row + 1, ..]).into(), &Run::new()).unwrap();
            assert_eq!(f64s(&alone), f64s(&y).slice(s![row..row + 1, ..]), "{}", entry.name);
        }
        let full = model.impute(holes.view().into(), &Run::new()).unwrap();
        let mean = |j: usize| {
            let seen: Vec<f64> = holes.column(j).iter().copied().filter(|v| !v.is_nan()).collect();
            seen.iter().sum::<f64>() / seen.len() as f64
        };
        let (mut ours, mut means) = (0.0, 0.0);
        for ((place, &full), &hole) in f64s(&full).indexed_iter().zip(&holes) {
            if hole.is_nan() {
                ours += (full - x[place]).powi(2);
                means += (mean(place.1) - x[place]).powi(2);
            } else {
                assert_eq!(full, hole);
            }
        }
        assert!(ours < 0.5 * means, "{}: {ours} {means}", entry.name);
        for (axis, bad) in [("row", s![7..8, ..]), ("column", s![.., 3..4])] {
            let mut empty = holes.clone();
            empty.slice_mut(bad).fill(f64::NAN);
            let refused = try_fit(&*two_components(entry), empty.view(), &Run::new()).err();
            let index = if axis == "row" { 7 } else { 3 };
            assert_eq!(refused, Some(Error::AllMissing { what: "data", axis, index, count: 1 }));
        }
        assert!(matches!(
            model.transform(Array2::from_elem((1, 5), f64::NAN).view().into(), &Run::new()),
            Err(Error::AllMissing { axis: "row", index: 0, .. })
        ));
    });
}

#[test]
fn chunks_are_taken_where_that_is_promised_and_give_the_model_of_all_rows() {
    each(|entry| {
        let x = sheet(90, 5, 20);
        let Some(mut chunks) = two_components(entry).chunks() else {
            return assert!(!entry.capabilities.chunks, "{}", entry.name);
        };
        assert!(entry.capabilities.chunks);
        for start in (0..90).step_by(40) {
            let end = (start + 40).min(90);
            chunks.push(x.slice(s![start..end, ..]).into(), &Run::new()).unwrap();
        }
        let narrow = chunks.push(sheet(9, 4, 20).view().into(), &Run::new());
        assert!(matches!(narrow, Err(Error::Width { expected: 5, found: 4, .. })));
        assert_eq!(chunks.rows(), 90);
        let model = chunks.finish(&Run::new()).unwrap();
        let whole = fit(entry, x.view(), &Run::new());
        let y = model.transform(x.view().into(), &Run::new()).unwrap();
        assert!(largest_difference(f64s(&y), f64s(whole.embedding().unwrap())) < 1e-8, "{}", entry.name);
    });
}

#[test]
fn what_is_optimised_is_reported_with_certified_eigenpairs() {
    each(|entry| {
        let model = fit(entry, sheet(150, 6, 17).view(), &Run::new());
        let report = model.report();
        assert!(!report.objective.is_empty(), "{}", entry.name);
        assert!(report.objective.iter().all(|quantity| quantity.value.is_finite()));
        assert_eq!(report.eigenvalues.len(), report.residuals.len());
        // The smallest eigenvalues say nothing about the size of their matrix: the report does.
        let norm = report.eigenvalues.iter().fold(report.norm, |m, v| m.max(v.abs()));
        assert!(report.residuals.iter().all(|&residual| residual <= 1e-12 * norm), "{}", entry.name);
    });
}

#[test]
fn every_parameter_is_described_and_obeys_its_description() {
    for &entry in registry::all() {
        assert_eq!(entry.name, entry.name.to_lowercase());
        assert!(!entry.title.is_empty() && entry.summary.len() > 30 && entry.citation.len() > 20);
        let mut method = (entry.create)();
        for parameter in (entry.parameters)() {
            assert!(parameter.meaning.len() > 20, "{}: {}", entry.name, parameter.name);
            assert_eq!(method.get(parameter.name), Some(parameter.default.clone()));
            method.set(parameter.name, &parameter.default).unwrap();
            for outside in outside(&parameter.kind) {
                let refused = method.set(parameter.name, &outside);
                let named = matches!(&refused, Err(Error::Parameter { name, .. }) if name == parameter.name);
                assert!(named, "{}: {} = {outside}: {refused:?}", entry.name, parameter.name);
                assert_eq!(method.get(parameter.name), Some(parameter.default.clone()));
            }
        }
        let unknown = method.set("no_such_thing", &Value::Auto);
        assert!(matches!(unknown, Err(Error::UnknownParameter { .. })));
    }
}

/// Values that a parameter of this kind must refuse.
fn outside(kind: &Kind) -> Vec<Value> {
    let candidates = [
        Value::Text("no such word".into()),
        Value::Integer(-1),
        Value::Integer(i64::MAX),
        Value::Real(f64::NAN),
        Value::Real(f64::NEG_INFINITY),
        Value::Real(1e300),
        Value::Bool(true),
    ];
    candidates.into_iter().filter(|value| !kind.admits(value)).collect()
}
