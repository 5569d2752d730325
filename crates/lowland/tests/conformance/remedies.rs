//! What warnings and refusals advise can be done with the method that they are about.

use super::*;
use lowland::Shape;
use lowland::parameters::Parameter;
use std::collections::{BTreeMap, BTreeSet};

/// Data that something is wrong with, small enough for every method.
fn troubles() -> Vec<(&'static str, Array2<f64>)> {
    let roll = lowland::data::find("swiss-roll").unwrap().sample(150, 0.0, 3).unwrap().points;
    let mut apart = sheet(60, 4, 50);
    apart.slice_mut(s![40.., 0]).mapv_inplace(|v| v + 1e3);
    let mut copies = sheet(60, 4, 51);
    for i in 5..60 {
        let first = copies.row(i % 5).to_owned();
        copies.row_mut(i).assign(&first);
    }
    let line = Array2::from_shape_fn((40, 5), |(i, j)| (i * i + i) as f64 * (j + 1) as f64);
    let mut alike = Array2::from_elem((30, 3), 2.0);
    alike[(7, 1)] = 3.0;
    vec![
        ("roll", roll),
        ("apart", apart),
        ("copies", copies),
        ("line", line),
        ("few", sheet(6, 3, 52)),
        ("column", sheet(40, 1, 53)),
        ("alike", alike),
        ("equal", Array2::from_elem((20, 3), 1.0)),
    ]
}

/// Graphs with something wrong: two rings, one ring of edges of one length with short cuts through it, one with copies.
fn graphs() -> Vec<(&'static str, Csr<f64>)> {
    let ring = |first: usize, n: usize, length: f64| {
        (0..n).map(move |i| (first + i, first + (i + 1) % n, length)).collect::<Vec<_>>()
    };
    let of = |n: usize, edges: &[(usize, usize, f64)]| {
        let both: Vec<_> =
            edges.iter().flat_map(|&(i, j, length)| [(i, j, length), (j, i, length)]).collect();
        Csr::from_entries(n, n, &both).unwrap()
    };
    let apart = [ring(0, 30, 1.0), ring(30, 12, 1.0)].concat();
    let cuts = [ring(0, 60, 1.0), vec![(0, 30, 1.0), (10, 45, 1.0)]].concat();
    let mut copies = ring(0, 20, 1.0);
    copies.iter_mut().step_by(2).for_each(|edge| edge.2 = 0.0);
    vec![("two rings", of(42, &apart)), ("short cuts", of(60, &cuts)), ("copies", of(20, &copies))]
}

fn distances(x: &Array2<f64>) -> Array2<f64> {
    let n = x.nrows();
    Array2::from_shape_fn((n, n), |(i, j)| (&x.row(i) - &x.row(j)).iter().map(|v| v * v).sum::<f64>().sqrt())
}

/// Similarities with something wrong: two groups without any between them, and all alike.
fn kernels() -> Vec<(&'static str, Array2<f64>)> {
    let x = sheet(40, 3, 54);
    let near = distances(&x).mapv(|d| (-d * d).exp());
    let mut apart = near.clone();
    for ((i, j), k) in apart.indexed_iter_mut() {
        *k = if (i < 25) == (j < 25) { *k } else { 0.0 };
    }
    vec![("two groups", apart), ("ones", Array2::ones((20, 20))), ("near", near)]
}

/// Parameters and values to try, beside the defaults: every choice, numbers that are small and large, and some together.
pub(super) fn settings(entry: &Entry) -> Vec<Vec<(&'static str, Value)>> {
    let mut all = vec![vec![]];
    let parameters = (entry.parameters)();
    for parameter in &parameters {
        let mut values: Vec<Value> = vec![Value::Bool(true), Value::Bool(false)];
        let words =
            ["join", "largest", "separate", "error", "mutual", "spanning-tree", "shift", "magnitude", "clip"];
        values.extend(words.map(|word| Value::Text(word.into())));
        match parameter.name {
            "n_components" | "n_clusters" => values.extend([1, 5, 20].map(Value::Integer)),
            "n_neighbors" => values.extend([1, 2, 5, 6, 40].map(Value::Integer)),
            "radius" => values.extend([1e-3, 3.0, 1e4].map(Value::Real)),
            "max_iter" | "landmarks" | "n_analyzers" => values.extend([1, 3].map(Value::Integer)),
            _ => {}
        }
        for value in values {
            if parameter.kind.admits(&value) && value != parameter.default {
                all.push(vec![(parameter.name, value)]);
            }
        }
    }
    let word = |word: &str| Value::Text(word.into());
    let together = [
        [("radius", Value::Real(3.0)), ("disconnected", word("error"))],
        [("n_neighbors", Value::Integer(2)), ("disconnected", word("error"))],
        [("graph", word("mutual")), ("cut_short_circuits", Value::Bool(true))],
        [("n_neighbors", Value::Integer(20)), ("cut_short_circuits", Value::Bool(true))],
        [("n_neighbors", Value::Integer(20)), ("graph", word("mutual"))],
        [("n_neighbors", Value::Integer(1)), ("n_components", Value::Integer(1))],
    ];
    let has = |name: &str, value: &Value| {
        parameters.iter().any(|parameter| parameter.name == name && parameter.kind.admits(value))
    };
    let possible = |pair: &&[(&'static str, Value); 2]| pair.iter().all(|(name, value)| has(name, value));
    all.extend(together.iter().filter(possible).map(|pair| pair.to_vec()));
    all
}

/// The words that a sentence offers as parameters of the method: those before ` = `, after `raise`, `lower` or `set`, and
/// those with an underscore. What follows `choose` and the name of another method is that method's.
fn offered(sentence: &str, known: &BTreeSet<&'static str>) -> Vec<String> {
    let clean = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_owned();
    let own = match sentence.split_once("choose isomap") {
        Some((own, _)) => own,
        None => sentence,
    };
    let words: Vec<&str> = own.split_whitespace().collect();
    let mut found = Vec::new();
    for (i, &word) in words.iter().enumerate() {
        let word = clean(word);
        let before = i.checked_sub(1).map_or("", |i| words[i]);
        let assigned = words.get(i + 1) == Some(&"=");
        let changed = ["raise", "lower", "set"].contains(&before);
        if known.contains(word.as_str()) && (assigned || changed || word.contains('_')) {
            found.push(word);
        }
    }
    found
}

/// A value as it is written.
fn read(word: &str) -> Value {
    let truth = word.parse().map(Value::Bool).ok();
    let number = || word.parse().map(Value::Integer).or_else(|_| word.parse().map(Value::Real)).ok();
    truth.or_else(number).unwrap_or_else(|| Value::Text(word.into()))
}

/// The values that a sentence offers: those after `name = `, as `a, b or c`.
pub(super) fn offered_values(sentence: &str, parameters: &[Parameter]) -> Vec<(&'static str, Value)> {
    let clean = |word: &str| word.trim_matches(|c: char| ",;:()".contains(c)).to_owned();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut found = Vec::new();
    for i in 0..words.len().saturating_sub(2) {
        let name = clean(words[i]);
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else { continue };
        if words[i + 1] != "=" {
            continue;
        }
        let mut at = i + 2;
        loop {
            let value = read(&clean(words[at]));
            if !parameter.kind.admits(&value) {
                break;
            }
            found.push((parameter.name, value));
            at += 1 + usize::from(words.get(at + 1) == Some(&"or"));
            if at >= words.len() || words.get(at + 1) == Some(&"=") {
                break;
            }
        }
    }
    found
}

/// What is wrong with what a sentence advises to a method with these settings.
fn faults(
    sentence: &str,
    method: &dyn Method,
    settings: &[(&'static str, Value)],
    known: &BTreeSet<&'static str>,
    shape: &Shape,
) -> Vec<String> {
    let has = |name: &str| method.get(name).is_some();
    let is = |name: &str, value: Value| method.get(name) == Some(value);
    let remedy = sentence.rsplit("; ").next().unwrap_or_default();
    let mut found: Vec<String> = offered(sentence, known)
        .into_iter()
        .filter(|name| !has(name))
        .map(|name| format!("{name} is no parameter"))
        .collect();
    for (name, value) in settings {
        if remedy.contains(&format!("{name} = {value}")) {
            found.push(format!("{name} = {value} is so already"));
        }
    }
    for (name, value) in offered_values(remedy, &(method.entry().parameters)()) {
        let mut other = (method.entry().create)();
        settings.iter().for_each(|(name, value)| other.set(name, value).unwrap());
        if let Err(error) = other.set(name, &value).and_then(|()| other.check(shape)) {
            found.push(format!("{name} = {value} is refused ({error})"));
        }
    }
    let admits = |name: &str, value: i64| {
        let mut other = (method.entry().create)();
        settings.iter().for_each(|(name, value)| other.set(name, value).unwrap());
        other.set(name, &Value::Integer(value)).is_ok() && other.check(shape).is_ok()
    };
    let moved = |name: &str, step: i64| match method.get(name) {
        Some(Value::Integer(now)) => {
            (1..=shape.rows as i64).any(|value| (value - now) * step > 0 && admits(name, value))
        }
        _ => true,
    };
    for (words, name, step) in [
        ("raise n_neighbors", "n_neighbors", 1),
        ("lower n_neighbors", "n_neighbors", -1),
        ("raise n_components", "n_components", 1),
    ] {
        if remedy.contains(words) && !moved(name, step) {
            found.push(format!("{words} is refused"));
        }
    }
    let edges = matches!(shape.kind, InputKind::Graph | InputKind::Kernel);
    let rules = [
        ("fewer components", is("n_components", Value::Integer(1)), "1 component is the fewest"),
        ("lower n_neighbors", is("n_neighbors", Value::Integer(1)), "1 neighbor is the fewest"),
        ("n_neighbors", has("radius") && !is("radius", Value::Auto), "the radius chooses the neighbors"),
        ("n_neighbors", edges, "the input has the neighbors"),
        ("radius", edges, "the input has the neighbors"),
    ];
    found.extend(
        rules
            .iter()
            .filter(|(words, wrong, _)| *wrong && remedy.contains(words))
            .map(|(_, _, fault)| (*fault).to_owned()),
    );
    found
}

/// What a fit says.
fn sentences(fitted: Result<Box<dyn Model>, Error>) -> Vec<String> {
    match fitted {
        Ok(model) => model.report().warnings.iter().map(ToString::to_string).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn remedies_can_be_followed() {
    let known: BTreeSet<&'static str> = registry::all()
        .iter()
        .flat_map(|entry| (entry.parameters)())
        .map(|parameter| parameter.name)
        .collect();
    let mut wrong: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (inputs, graphs, kernels) = (troubles(), graphs(), kernels());
    each(|entry| {
        for settings in settings(entry) {
            let mut method = (entry.create)();
            settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
            let mut look = |trouble: &str, input: AnyInput<'_>, fitted: Result<Box<dyn Model>, Error>| {
                for sentence in sentences(fitted) {
                    for fault in faults(&sentence, &*method, &settings, &known, &input.shape()) {
                        let at = format!("{} on {trouble} with {settings:?}", entry.name);
                        wrong.entry(format!("{fault}: {sentence}")).or_default().insert(at);
                    }
                }
            };
            let takes = |kind| entry.capabilities.inputs.contains(&kind);
            for (trouble, x) in inputs.iter().filter(|(_, x)| !takes_minutes(entry) || x.nrows() <= 60) {
                if takes(InputKind::Points) {
                    look(trouble, x.into(), try_fit(&*method, x.view(), &Run::new()));
                }
                if takes(InputKind::Distances) {
                    let d = distances(x);
                    let input = Input::Distances(d.view()).into();
                    look(trouble, input, method.fit(input, &Run::new()));
                }
            }
            if takes(InputKind::Graph) {
                for (trouble, graph) in &graphs {
                    let input = Input::Graph(graph).into();
                    look(trouble, input, method.fit(input, &Run::new()));
                }
            }
            if takes(InputKind::Kernel) {
                for (trouble, kernel) in &kernels {
                    let input = Input::Kernel(kernel.view()).into();
                    look(trouble, input, method.fit(input, &Run::new()));
                }
            }
        }
    });
    let wrong: Vec<String> = wrong
        .into_iter()
        .map(|(what, at)| format!("{what}\n    {} times, {}", at.len(), at.first().unwrap()))
        .collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
