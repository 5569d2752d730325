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
