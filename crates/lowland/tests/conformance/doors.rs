//! The typed fit refuses as the fit by name does.

use super::*;
use lowland::methods::*;
use lowland::{Fit, Warning};

/// The errors of a typed fit and of the fit by name are equal; that error.
fn refusal<M: Fit>(method: &M, x: &Array2<f64>, labels: Option<&[i64]>, run: &Run) -> Error {
    let (typed, named) = match labels {
        Some(labels) => (
            method.fit_model_labeled(x, labels, run).err(),
            Method::fit_labeled(method, x.into(), labels, run).err(),
        ),
        None => (method.fit_model(x, run).err(), Method::fit(method, x.into(), run).err()),
    };
    let name = M::ENTRY.name;
    assert_eq!(typed, named, "{name}");
    typed.unwrap_or_else(|| panic!("{name} was fitted"))
}

/// Too few and too many labels, and none.
fn counts_labels<M: Fit>() {
    let (method, x, run) = (M::default(), sheet(40, 4, 40), Run::new());
    for count in [0, 3, 39, 41] {
        let labels: Vec<i64> = (0..count).map(|row| row as i64 / 4).collect();
        let refused = refusal(&method, &x, Some(&labels), &run);
        assert_eq!(refused, Error::LabelCount { labels: count, rows: 40 }, "{}", M::ENTRY.name);
    }
    assert!(matches!(refusal(&method, &x, None, &run), Error::NoLabels { .. }), "{}", M::ENTRY.name);
}

macro_rules! count_labels {
    ($($method:ident,)*) => {
        $(
            if $method::ENTRY.capabilities.labels {
                counts_labels::<$method>();
            }
        )*
    };
}

#[test]
fn a_typed_fit_counts_the_labels() {
    lowland::each_method!(count_labels);
}

/// A canceled run, an empty table, a cell that is not finite, and too little memory.
fn refuses<M: Fit>() {
    let method = M::default();
    let x = sheet(60, 5, 41);
    let labels = M::ENTRY.capabilities.labels.then(|| labels(x.view()));
    let labels = labels.as_deref();
    // Fields are public: what no front end lets in is refused by the fit.
    for parameter in M::parameters().iter().filter(|parameter| parameter.kind.admits(&Value::Integer(2))) {
        let mut wild = M::default();
        if wild.put(parameter.name, &Value::Integer(i64::MAX)).is_some() {
            let admitted = wild.get(parameter.name).is_some_and(|value| parameter.kind.admits(&value));
            if !admitted {
                let refused = refusal(&wild, &x, labels, &Run::new());
                assert!(
                    matches!(&refused, Error::Parameter { name, .. } if name == parameter.name),
                    "{refused}"
                );
            }
        }
    }
    let canceled = Run::new();
    canceled.cancel_switch().cancel();
    assert_eq!(refusal(&method, &x, labels, &canceled), Error::Canceled, "{}", M::ENTRY.name);
    let none = labels.map(|_| &[][..]);
    assert!(matches!(refusal(&method, &Array2::zeros((0, 5)), none, &Run::new()), Error::Empty { .. }));
    let mut infinite = x.clone();
    infinite[(7, 1)] = f64::INFINITY;
    assert!(matches!(
        refusal(&method, &infinite, labels, &Run::new()),
        Error::NotFinite { row: 7, column: 1, count: 1, .. }
    ));
    assert!(matches!(refusal(&method, &x, labels, &Run::new().with_memory(1)), Error::Memory { .. }));
}

macro_rules! refuse {
    ($($method:ident,)*) => {
        $(refuses::<$method>();)*
    };
}

#[test]
fn a_typed_fit_refuses_what_the_fit_by_name_refuses() {
    lowland::each_method!(refuse);
}

/// Nothing that a typed fit returns carries values that are not finite, and its warnings are those of the fit by name.
#[test]
fn a_typed_fit_gives_the_model_of_the_fit_by_name() {
    fn same<M: Fit>() {
        let (x, run) = (sheet(60, 5, 42), Run::new());
        let labels = labels(x.view());
        let typed = M::default().fit_model_labeled(&x, &labels, &run).unwrap();
        let named = Method::fit_labeled(&M::default(), (&x).into(), &labels, &run).unwrap();
        assert_eq!(typed.to_bytes(), named.to_bytes(), "{}", M::ENTRY.name);
        let warnings: &[Warning] = &typed.report().warnings;
        assert_eq!(warnings, &named.report().warnings[..], "{}", M::ENTRY.name);
    }
    same::<Pca>();
    same::<Lda>();
    same::<Nca>();
    same::<Isomap>();
}

/// What a model that was fitted to points is given as new rows: a matrix of distances or of a kernel is none of its kinds, and
/// whoever hands one over is told so with the words of the fit.
#[test]
fn new_rows_of_another_kind_are_refused_with_the_words_of_the_fit() {
    each(|entry| {
        let x = sheet(80, 4, 43);
        let model = fit(entry, x.view(), &Run::new());
        let rows = x.slice(s![..5, ..]).mapv(f64::abs);
        for (input, words) in [
            (Input::Distances(rows.view()), "a distance matrix"),
            (Input::Kernel(rows.view()), "a kernel matrix"),
        ] {
            let refused = model.transform(input.into(), &Run::new()).unwrap_err();
            let Error::Unsupported { method, what, .. } = &refused else {
                panic!("{}: {refused}", entry.name)
            };
            assert_eq!((method.as_str(), what.as_str()), (entry.name, format!("take {words}").as_str()));
            assert!(model.assign(input.into(), &Run::new()).is_err(), "{}", entry.name);
        }
    });
}

/// Whatever takes distances refuses those below zero in new rows, dense or plain, and names the cell.
#[test]
fn new_distances_below_zero_are_refused() {
    let takes = |entry: &&&Entry| entry.capabilities.inputs.contains(&InputKind::Distances);
    for entry in registry::all().iter().filter(takes).filter(|entry| !takes_minutes(entry)) {
        let x = sheet(60, 3, 44);
        let far = |i: usize, j: usize| {
            x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let distances = Array2::from_shape_fn((60, 60), |(i, j)| far(i, j));
        let model =
            two_components(entry).fit(Input::Distances(distances.view()).into(), &Run::new()).unwrap();
        let mut rows = distances.slice(s![..3, ..]).to_owned();
        rows[(2, 7)] = -0.5;
        for input in [Input::Distances(rows.view()), Input::Points(rows.view())] {
            let refused = model.transform(input.into(), &Run::new()).err();
            assert!(
                matches!(refused, Some(Error::NotADistance { row: 2, column: 7, bound: "at least 0", .. })),
                "{}: {refused:?}",
                entry.name
            );
        }
        let refused = model.transform(Input::Kernel(distances.view()).into(), &Run::new()).err();
        assert!(matches!(refused, Some(Error::Unsupported { .. })), "{}: {refused:?}", entry.name);
    }
}

/// Samples are reserved before they are drawn, and a canceled run draws none.
#[test]
fn samples_have_a_budget_and_a_switch() {
    each(|entry| {
        let can = entry.capabilities;
        if !(can.density || can.energy) {
            return;
        }
        let model = fit(entry, sheet(80, 4, 45).view(), &Run::new());
        let little = model.sample(1 << 40, &Run::new().with_memory(1 << 20));
        assert!(matches!(little, Err(Error::Memory { .. })), "{}: {little:?}", entry.name);
        let canceled = Run::new();
        canceled.cancel_switch().cancel();
        assert_eq!(model.sample(10, &canceled).err(), Some(Error::Canceled), "{}", entry.name);
    });
}

/// A column in other units gives the same coordinates, up to their own units, signs and order, where that is promised.
#[test]
fn units_do_not_matter_where_that_is_promised() {
    each(|entry| {
        if !entry.capabilities.any_units {
            return;
        }
        let x = sheet(300, 6, 46);
        let mut scaled = x.clone();
        scaled.column_mut(1).mapv_inplace(|value| 1000.0 * value);
        let unit = |x: &Array2<f64>| {
            let mut y = fit(entry, x.view(), &Run::new()).embedding().unwrap().to_f64();
            y -= &y.mean_axis(Axis(0)).unwrap();
            for mut column in y.columns_mut() {
                let length = column.dot(&column).sqrt();
                column /= length;
            }
            y
        };
        let cosines = unit(&x).t().dot(&unit(&scaled)).mapv(f64::abs);
        for row in cosines.rows() {
            assert!(row.iter().any(|cosine| *cosine > 1.0 - 1e-6), "{}: {cosines}", entry.name);
        }
    });
}

/// Fits that only one method has take the same way: a budget, a switch, and a report that repeats them.
#[test]
fn fits_beside_the_usual_one_are_admitted_as_it_is() {
    let x = sheet(40, 3, 47);
    let canceled = Run::new();
    canceled.cancel_switch().cancel();
    let far = |i: usize, j: usize| (&x.row(i) - &x.row(j)).mapv(|d| d * d).sum().sqrt();
    let distances = Array2::from_shape_fn((40, 40), |(i, j)| far(i, j));
    let ones = Array2::ones((40, 40));
    let kernel = || Arc::new(|a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>());
    let (signal, noise) = (Array2::eye(3) * 2.0, Array2::eye(3));
    let fits: [(&str, Box<dyn Fn(&Run) -> Result<Box<dyn Model>, Error> + '_>); 4] = [
        ("objects", Box::new(|run| Ok(Box::new(ClassicalMds::default().fit_objects(40, far, run)?)))),
        ("weights", Box::new(|run| Ok(Box::new(Mds::default().fit_weighted(&x, ones.view(), run)?)))),
        ("closure", Box::new(|run| Ok(Box::new(KernelPca::default().fit_closure(x.view(), kernel(), run)?)))),
        (
            "covariances",
            Box::new(|run| {
                let method = OrientedPca::default();
                Ok(Box::new(method.fit_covariances(signal.view(), noise.view(), &[0.0; 3], run)?))
            }),
        ),
    ];
    for (name, fit) in fits {
        assert_eq!(fit(&canceled).err(), Some(Error::Canceled), "{name}");
        let little = fit(&Run::new().with_memory(64)).err();
        assert!(matches!(little, Some(Error::Memory { .. })), "{name}: {little:?}");
        let report = fit(&Run::new().with_seed(3)).unwrap().report().clone();
        assert_eq!(report.provenance.is_none(), name == "objects", "{name}");
    }
    let objects = ClassicalMds::default().fit_objects(40, |i, j| distances[(i, j)], &Run::new()).unwrap();
    let matrix = ClassicalMds::default().fit_model(Input::Distances(distances.view()), &Run::new()).unwrap();
    assert_eq!(objects.report().resolved, matrix.report().resolved);
    let wild = ClassicalMds { n_components: 0, ..ClassicalMds::default() };
    assert!(matches!(wild.fit_objects(40, far, &Run::new()), Err(Error::Parameter { .. })));
    // Values are looked at before the eigenproblem is.
    let huge = Array2::eye(3) * 1e300;
    let refused = OrientedPca::default().fit_covariances(huge.view(), noise.view(), &[0.0; 3], &Run::new());
    assert!(matches!(refused, Err(Error::TooLarge { .. })));
}

#[test]
fn a_fit_in_chunks_loses_nothing_and_refuses_at_the_first_chunk() {
    let x = sheet(120, 5, 48);
    let (first, rest) = (x.slice(s![..70, ..]), x.slice(s![70.., ..]));
    let run = Run::new();
    let begin = |name: &str| registry::find(name).map(two_components).unwrap();
    let hash = |model: &dyn Model| model.report().provenance.as_ref().unwrap().input_hash.clone();
    for name in ["pca", "simple-pca"] {
        let known = begin(name).fit(first.into(), &run).unwrap();
        // Rows that came before the model would be lost.
        let mut chunks = begin(name).chunks().unwrap();
        chunks.push(rest.into(), &run).unwrap();
        let refused = chunks.resume(&*known).unwrap_err();
        assert!(matches!(refused, Error::Unsupported { .. }), "{name}: {refused}");
        assert_eq!(chunks.rows(), 50, "{name}");
        // The hash is that of all rows.
        let mut chunks = begin(name).chunks().unwrap();
        chunks.resume(&*known).unwrap();
        chunks.push(rest.into(), &run).unwrap();
        let all = begin(name).fit(x.view().into(), &run).unwrap();
        let model = chunks.finish(&run).unwrap();
        assert_eq!(hash(&*model), hash(&*all), "{name}");
        assert_eq!(model.report().provenance.as_ref().unwrap().rows, 120, "{name}");
        // More components than columns are refused before any row is taken.
        let mut method = begin(name);
        method.set("n_components", &Value::Integer(50)).unwrap();
        let mut chunks = method.chunks().unwrap();
        let refused = chunks.push(first.into(), &run).unwrap_err();
        assert!(matches!(&refused, Error::Parameter { name, .. } if name == "n_components"), "{refused}");
        assert_eq!(chunks.rows(), 0, "{name}");
    }
}
