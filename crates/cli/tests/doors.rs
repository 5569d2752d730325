//! One door for every fit: whoever knocks, typed Rust, Rust by name or the terminal, is refused with the same words. The
//! fourth door, Python, is in `bindings/python/tests/test_doors.py`, with the same cases: `doors.json`.

mod common;

use common::Folder;
use lowland::parameters::{Described, Value};
use lowland::{
    AnyInput, AnyMatrix, Csr, Entry, Fit, Input, InputKind, Method, Result, Run, methods, registry,
};
use ndarray::{Array2, s};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;

/// What a fit is given, besides the method.
struct Case {
    name: String,
    /// Nothing is wrong with it.
    good: bool,
    data: Array2<f64>,
    kind: InputKind,
    /// Parameters in order; `n_components` is among them.
    set: Vec<(String, String)>,
    labels: Option<Vec<i64>>,
    start: Option<Array2<f64>>,
    memory: Option<u64>,
}

/// A number, or the word for one that JSON does not have.
fn number(value: &Json) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

/// The rows with the cells of the case in their places.
fn with_cells(mut rows: Array2<f64>, case: &Json) -> Array2<f64> {
    for cell in case["cells"].as_array().into_iter().flatten() {
        let at = |i: usize| cell[i].as_u64().unwrap() as usize;
        rows[(at(0), at(1))] = number(&cell[2]);
    }
    rows
}

impl Case {
    /// All that are for this method.
    fn all(entry: &Entry) -> Vec<Self> {
        let doors: Json = serde_json::from_str(include_str!("doors.json")).unwrap();
        let rows = doors["rows"].as_array().unwrap();
        let rows = Array2::from_shape_fn((rows.len(), 5), |(i, j)| number(&rows[i][j]));
        let can = &entry.to_json()["capabilities"];
        let cases = doors["cases"].as_array().unwrap().iter();
        let is_for = |case: &&Json| case["where"].as_str().is_none_or(|what| can[what] == true);
        cases.filter(is_for).map(|case| Self::of(entry, &rows, case)).collect()
    }

    fn of(entry: &Entry, rows: &Array2<f64>, case: &Json) -> Self {
        let count = |of: &Json, what: &str, usual: usize| of[what].as_u64().map_or(usual, |n| n as usize);
        let (n, width) = (count(case, "rows", rows.nrows()), count(case, "columns", rows.ncols()));
        let all = |f: &dyn Fn(f64, f64) -> f64| {
            let pair =
                |i: usize, j: usize| (0..width).fold(0.0, |sum, k| sum + f(rows[(i, k)], rows[(j, k)]));
            Array2::from_shape_fn((n, n), |(i, j)| pair(i, j))
        };
        let data = match case["matrix"].as_str() {
            Some("distances") => all(&|a, b| (a - b).abs()),
            Some(_) => all(&|a, b| a * b),
            None if case["equal"] == true => Array2::from_shape_fn((n, width), |(_, j)| rows[(0, j)]),
            None => rows.slice(s![..n, ..width]).to_owned(),
        };
        let mut set = vec![("n_components".to_owned(), "2".to_owned())];
        for (name, value) in case["set"].as_object().into_iter().flatten() {
            set.retain(|(known, _)| known != name);
            set.push((name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
        }
        let label = |i: i64| match case["labels"]["rule"].as_str() {
            Some("one") => 0,
            Some("different") => i,
            Some("unknown") if i % 4 == 2 => -1,
            _ => i % 3,
        };
        let labeled = case.get("labels").map_or(entry.capabilities.labels, |labels| !labels.is_null());
        let start = case.get("start").map(|start| {
            with_cells(
                rows.slice(s![..count(start, "rows", n), ..count(start, "columns", 2)]).to_owned(),
                start,
            )
        });
        Self {
            name: case["name"].as_str().unwrap().to_owned(),
            good: case["good"] == true,
            data: with_cells(data, case),
            kind: case["kind"].as_str().unwrap_or("points").parse().unwrap(),
            set,
            labels: labeled.then(|| (0..count(&case["labels"], "count", n) as i64).map(label).collect()),
            start,
            memory: case["memory"].as_u64(),
        }
    }

    fn run(&self) -> Run {
        let run = Run::new();
        self.memory.map_or(run.clone(), |bytes| run.with_memory(bytes))
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
        let labels = self.labels.as_deref();
        self.with_input(|input| match (&self.start, labels) {
            (Some(start), _) => method.fit_from(input, labels, start.view(), &self.run()).map(drop),
            (None, Some(labels)) => method.fit_labeled(input, labels, &self.run()).map(drop),
            (None, None) => method.fit(input, &self.run()).map(drop),
        })
    }

    fn typed<M: Fit>(&self) -> Result<()> {
        let mut method = M::default();
        for (name, value) in &self.set {
            Described::set(&mut method, M::ENTRY.name, name, &Value::parse(value))?;
        }
        let labels = self.labels.as_deref();
        self.with_input(|input| match (&self.start, labels) {
            (Some(start), _) => method.fit_from(input, labels, start.view(), &self.run()).map(drop),
            (None, Some(labels)) => method.fit_model_labeled(input, labels, &self.run()).map(drop),
            (None, None) => method.fit_model(input, &self.run()).map(drop),
        })
    }

    /// The command line, and the files that it needs.
    fn line(&self, entry: &Entry, folder: &Folder) -> String {
        let file =
            |name: &str| lowland_io::Output::prepare(Path::new(&folder.file(name)), true, &[]).unwrap();
        let write = |name: &str, matrix: &Array2<f64>| {
            file(name).write(&AnyMatrix::F64(matrix.clone()), None).unwrap();
        };
        write("x.npy", &self.data);
        let mut line = format!("embed x.npy -q -m {} --as {}", entry.name, self.kind);
        for (name, value) in &self.set {
            line += &if name == "n_components" {
                format!(" -d {value}")
            } else {
                format!(" --set {name}={value}")
            };
        }
        if let Some(labels) = &self.labels {
            let numbers = labels.iter().map(|&label| label as f64).collect();
            file("labels.npy").write_labels(&lowland_io::Labels::Numbers(numbers)).unwrap();
            line += " --labels labels.npy";
        }
        if let Some(start) = &self.start {
            write("start.npy", start);
            line += " --start start.npy";
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

/// What the terminal says, but for the flags that it adds to a remedy: ` (--memory)`.
fn without_flags(text: &str) -> String {
    let mut parts = text.split(" (--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once(')').map_or(part, |(_, rest)| rest))
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
                assert!(without_flags(&ran.err).contains(&words), "{context} lacks '{words}'");
            }
        }
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
fn good_cases_are_refused_by_no_method_and_all_others_by_some() {
    let (mut refused, mut others) = (BTreeSet::new(), BTreeSet::new());
    for entry in registry::all() {
        for case in Case::all(entry) {
            let outcome = case.by_name(entry);
            assert!(!case.good || outcome.is_ok(), "{}, {}: {outcome:?}", entry.name, case.name);
            if outcome.is_err() {
                refused.insert(case.name.clone());
            }
            if !case.good {
                others.insert(case.name);
            }
        }
    }
    assert_eq!(refused, others);
}

/// Whole numbers reach a method as they are, and -1 or an empty cell is a label that is not known.
#[test]
fn labels_that_are_not_known_give_one_map() {
    let entry = registry::find("umap").unwrap();
    let case = Case::all(entry).into_iter().find(|case| case.name == "target of unknown labels").unwrap();
    let folder = Folder::new();
    let mut method = (entry.create)();
    for (name, value) in &case.set {
        method.set(name, &Value::parse(value)).unwrap();
    }
    let fitted = |labels: &[i64]| {
        let model = case.with_input(|input| method.fit_labeled(input, labels, &Run::new())).unwrap();
        model.embedding().unwrap().to_f64()
    };
    let labels = case.labels.as_deref().unwrap();
    let expected = fitted(labels);
    let known: Vec<i64> = labels.iter().map(|label| label + 1).collect();
    assert_ne!(expected, fitted(&known), "an unknown label is no class");
    let at_the_terminal = |line: &str| {
        folder.ok(&format!("{line} -o y.npy --force"));
        let read = lowland_io::read(folder.file("y.npy").to_str().unwrap(), &Default::default());
        read.unwrap().matrix.to_f64()
    };
    assert_eq!(at_the_terminal(&case.line(entry, &folder)), expected);
    // The same in text: numbers as they are, and words; what is empty is not known.
    let text =
        |name: &dyn Fn(i64) -> String| -> Vec<String> { labels.iter().map(|&label| name(label)).collect() };
    let line = "embed x.npy -q -m umap -d 2 --set target_weight=0.5 --labels l.csv";
    for names in [
        text(&|label| label.to_string()),
        text(&|label| if label < 0 { String::new() } else { format!("{label}") }),
        text(&|label| if label < 0 { String::new() } else { format!("class-{label}") }),
    ] {
        folder.write("l.csv", &format!("{}\n", names.join("\n")));
        assert_eq!(at_the_terminal(line), expected, "{names:?}");
        let row = |(values, name): (ndarray::ArrayView1<'_, f64>, &String)| {
            values.iter().map(f64::to_string).chain([name.clone()]).collect::<Vec<_>>().join(",")
        };
        let rows: Vec<String> = case.data.rows().into_iter().zip(&names).map(row).collect();
        folder.write("t.csv", &format!("a,b,c,d,e,kind\n{}\n", rows.join("\n")));
        let table = "embed t.csv -q -m umap -d 2 --set target_weight=0.5 --label-column kind --plot y.svg";
        assert_eq!(at_the_terminal(table), expected, "{names:?}");
    }
    // Methods that need labels, and those that do without, have no room for one that is missing.
    for method in ["lda", "pca"] {
        folder.refused(&format!("embed t.csv -m {method} --label-column kind"), 1, "a label is missing");
        folder.refused(&format!("embed x.npy -m {method} --labels l.csv"), 1, "a label is missing");
    }
}

#[test]
fn whatever_fits_gives_labels_to_methods_that_may_learn_from_them_and_says_its_warnings() {
    let folder = Folder::new();
    folder.ok("stability data:blobs?n=80 -m umap --set target_weight=0.5 --set n_epochs=20 --splits 2");
    folder.write("signal.csv", "3,0\n0,2\n");
    folder.write("noise.csv", "6,0\n0,0\n");
    let ran = folder.run("orient signal.csv noise.csv -d 1 --model m.lowland");
    assert!(ran.code == Some(0) && ran.err.starts_with("warning: "), "{}", ran.err);
    let found = folder.json("orient signal.csv noise.csv -d 1 --model m.lowland --force -q --json");
    assert_eq!(found["warnings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_parameter_of_the_named_method_comes_before_other_names_of_flags() {
    let folder = Folder::new();
    let set = |line: &str, name: &str| folder.json(&format!("{line} --json"))["parameters"][name].clone();
    assert_eq!(set("embed data:blobs?n=60 -m fast-ica --algorithm deflation", "algorithm"), "deflation");
    assert_eq!(set("embed data:blobs?n=60 -m pca -d 1 --select minor", "select"), "minor");
    assert_eq!(set("embed data:swiss-roll?n=60 -m isomap --graph mst", "graph"), "spanning-tree");
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
