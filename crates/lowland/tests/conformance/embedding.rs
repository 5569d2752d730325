//! Rows in, rows out: the same for every order, batch, precision, layout and number of threads.

use super::*;

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
            if n > 1000 && takes_minutes(entry) {
                continue;
            }
            let x = sheet(n, d, 5);
            let fortran = x.t().as_standard_layout().into_owned().reversed_axes();
            let mut wide = Array2::<f64>::zeros((2 * n, 3 * d));
            wide.slice_mut(s![..;2, ..;3]).assign(&x);
            let reference = fit(entry, x.view(), &Run::new().with_threads(1).unwrap());
            let wide = wide.slice(s![..;2, ..;3]);
            for (threads, layout) in [(1, fortran.view()), (2, wide), (3, fortran.view()), (8, x.view())] {
                let model = fit(entry, layout, &Run::new().with_threads(threads).unwrap());
                assert!(model.embedding() == reference.embedding(), "{} {n} x {d}, {threads}", entry.name);
                assert!(model.to_bytes() == reference.to_bytes());
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
            two_components(entry).fit_labeled(single.view().into(), &labels(x.view()), &Run::new()).unwrap();
        let y = model.embedding().unwrap().as_typed::<f32>().expect("f32 in, f32 out").mapv(f64::from);
        let again = model.transform(single.view().into(), &Run::new()).unwrap();
        let again = again.as_typed::<f32>().expect("f32 in, f32 out").mapv(f64::from);
        // From the very same numbers: searches may end elsewhere from others.
        let double = single.mapv(f64::from);
        let double =
            two_components(entry).fit_labeled((&double).into(), &labels(x.view()), &Run::new()).unwrap();
        let double = f64s(double.embedding().unwrap());
        let scale = double.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(largest_difference(&y, &again) < 1e-6 * scale, "{}", entry.name);
        assert!(largest_difference(&y, double) < 1e-4 * scale, "{}", entry.name);
    });
}
