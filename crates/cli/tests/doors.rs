//! One door for every fit: whoever knocks, typed Rust, Rust by name or the terminal, is refused with the same words. The
//! fourth door, Python, is compared with the terminal in `bindings/python/tests/test_doors.py`.

mod common;

use common::Folder;
use lowland::parameters::{Described, Value};
use lowland::{
    AnyInput, AnyMatrix, Csr, Entry, Fit, Input, InputKind, Method, Result, Run, methods, registry,
};
use ndarray::Array2;
use std::path::Path;

const ROWS: usize = 30;

/// What a fit is given, besides the method.
struct Case {
    name: String,
    data: Array2<f64>,
    kind: InputKind,
    /// Parameters in order; `n_components` is among them.
    set: Vec<(&'static str, &'static str)>,
    /// How many labels there are, if any.
    labels: Option<usize>,
    memory: Option<u64>,
}

impl Case {
    /// Nothing is wrong with it.
    fn good(entry: &Entry) -> Self {
        let angle = |i: usize, j: usize| (7 * i * (j + 1) + 3 * j) as f64;
        Self {
            name: "good".into(),
            data: Array2::from_shape_fn((ROWS, 5), |(i, j)| (5 - j) as f64 * angle(i, j).sin()),
            kind: InputKind::Points,
            set: vec![("n_components", "2")],
            labels: entry.capabilities.labels.then_some(ROWS),
            memory: None,
        }
    }

    fn all(entry: &Entry) -> Vec<Self> {
        let good = || Self::good(entry);
        let mut cases = vec![good()];
        for (name, value) in [("nan", f64::NAN), ("infinite", f64::INFINITY), ("too large", 1e300)] {
            let mut data = good().data;
            data[(3, 2)] = value;
            cases.push(Self { name: name.into(), data, ..good() });
        }
        let data = Array2::zeros((0, 5));
        let labels = good().labels.map(|_| 0);
        cases.push(Self { name: "no rows".into(), data, labels, ..good() });
        let data = Array2::zeros((ROWS, 0));
        cases.push(Self { name: "no columns".into(), data, ..good() });
        for count in ["0", "1000", "many"] {
            cases.push(Self {
                name: format!("{count} components"),
                set: vec![("n_components", count)],
                ..good()
            });
        }
        for (name, value) in [
            ("bogus", "1"),
            ("metric", "minkowski"),
            ("metric", "minkowski(0.5)"),
            ("n_neighbors", "-1"),
            ("n_neighbors", "[5,6]"),
        ] {
            let set = vec![("n_components", "2"), (name, value)];
            cases.push(Self { name: format!("{name}={value}"), set, ..good() });
        }
        // A matrix that is not square is none of these, where the method takes them at all.
        for kind in InputKind::ALL.into_iter().filter(|kind| *kind != InputKind::Points) {
            cases.push(Self { name: format!("as {kind}"), kind, ..good() });
        }
        let data = good().data.slice(ndarray::s![..1, ..]).to_owned();
        let labels = good().labels.map(|_| 1);
        cases.push(Self { name: "one row".into(), data, labels, ..good() });
        cases.push(Self { name: "too few labels".into(), labels: Some(ROWS - 1), ..good() });
        cases.push(Self { name: "too many labels".into(), labels: Some(ROWS + 1), ..good() });
        cases.push(Self { name: "no labels".into(), labels: None, ..good() });
        cases.push(Self { name: "little memory".into(), memory: Some(1 << 10), ..good() });
        cases
    }

    fn run(&self) -> Run {
        let run = Run::new();
        self.memory.map_or(run.clone(), |bytes| run.with_memory(bytes))
    }

    fn labels(&self) -> Option<Vec<i64>> {
        self.labels.map(|count| (0..count as i64).map(|i| i % 3).collect())
    }

    fn with_input<R>(&self, f: impl FnOnce(AnyInput<'_>) -> R) -> R {
        let x = &self.data;
        let entries: Vec<(usize, usize, f64)> =
            x.indexed_iter().filter(|(_, v)| **v != 0.0).map(|((i, j), &v)| (i, j, v)).collect();
        let sparse = Csr::from_entries(x.nrows(), x.ncols(), &entries).unwrap();
        f(match self.kind {
            InputKind::Points => x.into(),
            InputKind::Sparse => Input::Sparse(&sparse).into(),
            InputKind::Distances => Input::Distances(x.view()).into(),
            InputKind::Kernel => Input::Kernel(x.view()).into(),
            InputKind::Graph => Input::Graph(&sparse).into(),
        })
    }

    fn by_name(&self, entry: &Entry) -> Result<()> {
        let mut method = (entry.create)();
        for (name, value) in &self.set {
            method.set(name, &Value::parse(value))?;
        }
        self.with_input(|input| match self.labels() {
            Some(labels) => method.fit_labeled(input, &labels, &self.run()).map(drop),
            None => method.fit(input, &self.run()).map(drop),
        })
    }

    fn typed<M: Fit>(&self) -> Result<()> {
        let mut method = M::default();
        for (name, value) in &self.set {
            Described::set(&mut method, M::ENTRY.name, name, &Value::parse(value))?;
        }
        self.with_input(|input| match self.labels() {
            Some(labels) => method.fit_model_labeled(input, &labels, &self.run()).map(drop),
            None => method.fit_model(input, &self.run()).map(drop),
        })
    }

    /// The command line, and the files that it needs.
    fn line(&self, entry: &Entry, folder: &Folder) -> String {
        let write =
            |name: &str| lowland_io::Output::prepare(Path::new(&folder.file(name)), true, &[]).unwrap();
        write("x.npy").write(&AnyMatrix::F64(self.data.clone()), None).unwrap();
        let mut line = format!("embed x.npy -q -m {} --as {}", entry.name, self.kind);
        for (name, value) in &self.set {
            line += &if *name == "n_components" {
                format!(" -d {value}")
            } else {
                format!(" --set {name}={value}")
            };
        }
        if let Some(labels) = self.labels() {
            let numbers = labels.into_iter().map(|label| label as f64).collect();
            write("labels.npy").write_labels(&lowland_io::Labels::Numbers(numbers)).unwrap();
            line += " --labels labels.npy";
        }
        if let Some(bytes) = self.memory {
            line += &format!(" --memory {bytes}");
        }
        line
    }
}

/// The words of a refusal, in one line.
fn words(outcome: &Result<()>) -> Option<String> {
    let error = outcome.as_ref().err()?.to_string();
    Some(error.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_terminal_refuses_with_the_words_of_the_library() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for share in registry::all().chunks(registry::all().len().div_ceil(threads)) {
            scope.spawn(move || share.iter().for_each(|entry| knock_at_the_terminal(entry)));
        }
    });
}

fn knock_at_the_terminal(entry: &Entry) {
    let folder = Folder::new();
    for case in Case::all(entry) {
        let expected = words(&case.by_name(entry));
        let line = case.line(entry, &folder);
        let ran = folder.run(&line);
        let context = format!("{}, {}: {line}: {}", entry.name, case.name, ran.err);
        match expected {
            None => assert_eq!(ran.code, Some(0), "{context}"),
            Some(words) => {
                assert!(matches!(ran.code, Some(1 | 2)), "{context}");
                assert!(ran.err.contains(&words), "{context} lacks '{words}'");
            }
        }
        assert!(case.name != "good" || ran.code == Some(0), "{context}");
    }
}

macro_rules! typed {
    ($($method:ident,)*) => {
        $(
            let entry = <methods::$method as Fit>::ENTRY;
            for case in Case::all(entry) {
                let (typed, named) = (case.typed::<methods::$method>(), case.by_name(entry));
                assert_eq!(words(&typed), words(&named), "{}, {}", entry.name, case.name);
            }
        )*
    };
}

#[test]
fn the_typed_fit_refuses_with_the_words_of_the_fit_by_name() {
    lowland::each_method!(typed);
}

#[test]
fn every_case_is_refused_by_some_method() {
    let mut refused: Vec<String> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for entry in registry::all() {
        for case in Case::all(entry) {
            if case.by_name(entry).is_err() {
                refused.push(case.name.clone());
            }
            names.push(case.name);
        }
    }
    names.retain(|name| name != "good");
    for name in names {
        assert!(refused.contains(&name), "{name}");
    }
    assert!(!refused.contains(&"good".to_owned()));
}

#[test]
fn values_with_content_reach_the_method() {
    let folder = Folder::new();
    for (given, kept) in
        [("minkowski(3)", "minkowski(3)"), ("minkowski(1)", "manhattan"), ("l2", "euclidean")]
    {
        let line = format!("embed data:swiss-roll?n=60 -m isomap -k 8 --set metric={given} --json");
        assert_eq!(folder.json(&line)["parameters"]["metric"], kept, "{given}");
    }
    folder.refused(
        "embed data:swiss-roll?n=60 -m isomap --set metric=minkowski",
        2,
        "metric = minkowski is out of range: minkowski needs its order; write minkowski(3)",
    );
    folder.refused(
        "embed data:swiss-roll?n=60 -m isomap --set metric=3,4",
        2,
        "metric = [3, 4] is out of range",
    );
    let page = folder.ok("methods isomap");
    assert!(page.contains("minkowski(order)"), "{page}");
}

#[test]
fn sizes_mean_the_same_at_every_door() {
    // The same table is in bindings/python/tests/test_doors.py.
    for (text, bytes) in
        [("8g", 8_u64 << 30), ("8Gi", 8 << 30), ("8 GiB", 8 << 30), ("8GB", 8_000_000_000), ("1.5k", 1536)]
    {
        assert_eq!(lowland::units::parse_bytes("memory", text), Ok(bytes), "{text}");
    }
    let folder = Folder::new();
    // The forecast is between the two, whatever it is: the flag is read in the unit that it says.
    let plan =
        |size: &str| folder.json(&format!("plan data:hd?n=2000 -m classical-mds --memory {size} --json"));
    let needed = plan("1")["memory_bytes"].as_u64().unwrap();
    for (size, bytes) in [("1k", 1_u64 << 10), ("8g", 8 << 30), ("8GB", 8_000_000_000)] {
        assert_eq!(plan(size)["fits"], needed <= bytes, "{size}");
    }
    folder.refused("plan data:hd?n=100 -m pca --memory 8XB", 2, "memory = 8XB is out of range");
}
