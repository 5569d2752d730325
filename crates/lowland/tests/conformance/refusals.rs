//! Wrong input and too little memory are refused before work starts.

use super::*;

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
fn rows_without_an_angle_are_refused_by_metrics_of_angles() {
    each(|entry| {
        let mut method = two_components(entry);
        // Where all pairs have an edge, the metric is Euclidean.
        let _ = method.set("edges", &Value::Text("neighbors".into()));
        for (metric, value) in [("cosine", 0.0), ("correlation", 2.5)] {
            if method.set("metric", &Value::Text(metric.into())).is_err() {
                return;
            }
            let mut x = sheet(40, 4, 7);
            x.row_mut(9).fill(value);
            x.row_mut(30).fill(value);
            let refused = try_fit(&*method, x.view(), &Run::new()).err().map(|e| e.to_string());
            let words = refused.unwrap_or_default();
            assert!(words.contains("row 9") && words.contains("2 rows"), "{}: {metric}: {words}", entry.name);
        }
    });
}

#[test]
fn identical_rows_are_refused_where_neighbors_are_needed() {
    let near = |name: &str| name == "n_neighbors" || name == "perplexity";
    let needed = |entry: &Entry| (entry.parameters)().iter().any(|parameter| near(parameter.name));
    assert!(registry::all().iter().filter(|entry| needed(entry)).count() > 20);
    each(|entry| {
        let mut method = two_components(entry);
        // Methods of stress look for neighbors where they are asked for geodesics.
        let geodesic = method.set("geodesic", &Value::Bool(true)).is_ok();
        for value in [0.0, 2.5] {
            let x = Array2::from_elem((40, 4), value);
            let refused = try_fit(&*method, x.view(), &Run::new()).err();
            if needed(entry) {
                assert!(matches!(refused, Some(Error::Constant { .. })), "{}: {refused:?}", entry.name);
                assert!(refused.unwrap().to_string().ends_with("give rows that differ"));
            }
        }
        if entry.capabilities.inputs.contains(&InputKind::Distances) && needed(entry) && !geodesic {
            let none = Array2::<f64>::zeros((40, 40));
            let refused = method.fit(Input::Distances(none.view()).into(), &Run::new()).err();
            assert!(matches!(refused, Some(Error::Constant { .. })), "{}: {refused:?}", entry.name);
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
        let takes = |kind: InputKind| entry.capabilities.inputs.contains(&kind);
        let square = Array2::<f64>::from_shape_fn((12, 12), |(i, j)| (i as f64 - j as f64).abs());
        let gram = Array2::<f64>::from_shape_fn((12, 12), |(i, j)| if i == j { 2.0 } else { 1.0 });
        let entries: Vec<(usize, usize, f64)> =
            (0..12).flat_map(|i| [(i, (i + 1) % 12, 1.0), ((i + 1) % 12, i, 1.0)]).collect();
        let ring = Csr::from_entries(12, 12, &entries).unwrap();
        let inputs: [AnyInput<'_>; 4] = [
            Input::Distances(square.view()).into(),
            Input::Kernel(gram.view()).into(),
            (&ring).into(),
            Input::Graph(&ring).into(),
        ];
        for input in inputs {
            let kind = input.shape().kind;
            match two_components(entry).fit_labeled(input, &labels(square.view()), &Run::new()) {
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
