//! What a method's capabilities promise exists, and nothing else does.

use super::*;

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
        match model.free_energy(x.view().into(), &Run::new()) {
            Ok(energy) => {
                assert!(entry.capabilities.energy);
                let far =
                    model.free_energy((&x.slice(s![..1, ..]) + 100.0).view().into(), &Run::new()).unwrap();
                assert!(energy.len() == 80 && energy.iter().all(|&near| near < far[0]), "{}", entry.name);
            }
            Err(e) => assert!(!entry.capabilities.energy && matches!(e, Error::Unsupported { .. })),
        }
        let count = 4000;
        match model.sample(count, &Run::new()) {
            Ok(drawn) => {
                assert!(entry.capabilities.density || entry.capabilities.energy);
                assert_eq!(drawn.dim(), (count, 4));
                assert!(drawn.iter().all(|value| value.is_finite()));
                // The mean of the draws is that of the data, within five standard errors.
                for j in (0..4).filter(|_| entry.capabilities.density) {
                    let apart = drawn.column(j).mean().unwrap() - x.column(j).mean().unwrap();
                    let error = drawn.column(j).std(1.0) * (1.0 / count as f64).sqrt();
                    assert!(apart.abs() < 5.0 * error, "{}: {apart} {error}", entry.name);
                }
                assert_eq!(drawn, model.sample(count, &Run::new()).unwrap());
                assert_ne!(drawn, model.sample(count, &Run::new().with_seed(1)).unwrap());
            }
            Err(e) => {
                let promised = entry.capabilities.density || entry.capabilities.energy;
                assert!(!promised && matches!(e, Error::Unsupported { .. }));
            }
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
                let labeled = method.fit_labeled(x.view().into(), &labels(x.view()), &Run::new()).unwrap();
                assert_eq!(labeled.to_bytes(), model.to_bytes(), "{} looked at the labels", entry.name);
            }
            Err(e) => assert!(entry.capabilities.labels && matches!(e, Error::NoLabels { .. })),
        }
        let wrong = method.fit_labeled(x.view().into(), &[1, 2, 3], &Run::new()).err();
        assert_eq!(wrong, Some(Error::LabelCount { labels: 3, rows: 40 }));
    });
}

#[test]
fn missing_values_are_taken_where_that_is_promised_and_imputed() {
    each(|entry| {
        let x = sheet(120, 5, 22);
        let mut incomplete = x.clone();
        let mut rng = Run::new().rng("incomplete");
        incomplete.rows_mut().into_iter().for_each(|mut row| row[rng.random_range(0..5usize)] = f64::NAN);
        let fitted = try_fit(&*two_components(entry), incomplete.view(), &Run::new());
        if !entry.capabilities.missing {
            assert!(matches!(fitted.err(), Some(Error::NotFinite { count: 120, .. })), "{}", entry.name);
            let model = fit(entry, x.view(), &Run::new());
            let refused = model.impute(x.view().into(), &Run::new());
            return assert!(matches!(refused, Err(Error::Unsupported { .. })), "{}", entry.name);
        }
        let model = fitted.unwrap();
        let y = model.transform(incomplete.view().into(), &Run::new()).unwrap();
        assert!(f64s(&y).iter().all(|value| value.is_finite()));
        assert!(largest_difference(f64s(&y), f64s(model.embedding().unwrap())) <= 1e-8);
        // Rows alone and together, complete or not, give the same bits.
        for row in 0..40 {
            let alone = model.transform(incomplete.slice(s![row..row + 1, ..]).into(), &Run::new()).unwrap();
            assert_eq!(f64s(&alone), f64s(&y).slice(s![row..row + 1, ..]), "{}", entry.name);
        }
        let full = model.impute(incomplete.view().into(), &Run::new()).unwrap();
        let mean = |j: usize| {
            let seen: Vec<f64> = incomplete.column(j).iter().copied().filter(|v| !v.is_nan()).collect();
            seen.iter().sum::<f64>() / seen.len() as f64
        };
        let (mut ours, mut means) = (0.0, 0.0);
        for ((cell, &full), &given) in f64s(&full).indexed_iter().zip(&incomplete) {
            if given.is_nan() {
                ours += (full - x[cell]).powi(2);
                means += (mean(cell.1) - x[cell]).powi(2);
            } else {
                assert_eq!(full, given);
            }
        }
        assert!(ours < 0.5 * means, "{}: {ours} {means}", entry.name);
        for (axis, bad) in [("row", s![7..8, ..]), ("column", s![.., 3..4])] {
            let mut empty = incomplete.clone();
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
        let Ok(mut chunks) = two_components(entry).chunks() else {
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
fn what_is_optimized_is_reported_with_certified_eigenpairs() {
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
