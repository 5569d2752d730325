//! What a forecast advises where there is too little memory needs less, by its own forecast.

use super::remedies::{offered_values, settings};
use super::*;
use lowland::Shape;
use std::collections::BTreeSet;

/// Settings to try: those of the other remedies, the ways that differ in memory, and few landmarks.
fn tried(entry: &Entry) -> Vec<Vec<(&'static str, Value)>> {
    let mut all = settings(entry);
    let words =
        ["covariance", "gram", "full", "randomized", "krylov", "majorization", "sampled", "all", "neighbors"];
    for parameter in (entry.parameters)() {
        let own = words.map(|word| Value::Text(word.into()));
        let own = own.into_iter().filter(|value| parameter.kind.admits(value));
        all.extend(own.map(|value| vec![(parameter.name, value)]));
        if parameter.name == "landmarks" {
            all.push(vec![("landmarks", Value::Integer(10)), ("n_components", Value::Integer(1))]);
        }
    }
    all
}

/// What is wrong with the remedy of a forecast.
fn faults(entry: &Entry, settings: &[(&'static str, Value)], shape: &Shape) -> Vec<String> {
    let with = |name: &str, value: Option<&Value>| {
        let mut method = (entry.create)();
        for (name, value) in settings {
            method.set(name, value).ok()?;
        }
        value.map_or(Ok(()), |value| method.set(name, value)).ok()?;
        method.check(shape).ok()?;
        Some(method.forecast(shape).bytes)
    };
    let mut method = (entry.create)();
    settings.iter().for_each(|(name, value)| method.set(name, value).unwrap());
    let (Some(now), remedy) = (with("", None), method.forecast(shape).remedy) else { return vec![] };
    let is_lighter = |name: &str, value: &Value| with(name, Some(value)).is_some_and(|bytes| bytes < now);
    let mut found = Vec::new();
    if remedy.is_empty() {
        found.push("no remedy".to_owned());
    }
    if remedy.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == entry.name) {
        found.push("the method itself".to_owned());
    }
    for (name, value) in offered_values(&remedy, &(entry.parameters)()) {
        if method.get(name) == Some(value.clone()) || !is_lighter(name, &value) {
            found.push(format!("{name} = {value} needs no less"));
        }
    }
    for parameter in (entry.parameters)() {
        let name = parameter.name;
        let words = match name {
            "n_components" => "ask for fewer components".to_owned(),
            _ => format!("lower {name}"),
        };
        let most = match method.get(name) {
            Some(Value::Integer(count)) => count,
            _ => shape.rows as i64,
        };
        let offered = remedy.split(", or ").any(|way| way == words);
        if offered && !(1..most).any(|value| is_lighter(name, &Value::Integer(value))) {
            found.push(format!("{words} needs no less"));
        }
    }
    found.into_iter().map(|fault| format!("{}, {settings:?}: {fault}: {remedy}", entry.name)).collect()
}

#[test]
fn memory_remedies_need_less_than_what_is_refused() {
    let mut wrong = BTreeSet::new();
    each(|entry| {
        for (rows, columns) in [(40, 3), (300, 20), (3000, 8), (400, 900)] {
            let points = AnyInput::from(&Array2::<f64>::zeros((rows, columns))).shape();
            for &kind in entry.capabilities.inputs {
                let columns =
                    if matches!(kind, InputKind::Points | InputKind::Sparse) { columns } else { rows };
                let shape = Shape { kind, columns, ..points };
                tried(entry).iter().for_each(|settings| {
                    let found = faults(entry, settings, &shape);
                    wrong.extend(found.into_iter().map(|fault| format!("{kind}: {fault}")));
                });
            }
        }
    });
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_memory_remedy_names_only_what_there_is_to_change() {
    let remedy = |name: &str, settings: &[(&str, &str)], (rows, columns): (usize, usize)| {
        let mut method = (registry::find(name).unwrap().create)();
        settings.iter().for_each(|(name, value)| method.set(name, &Value::parse(value)).unwrap());
        let zeros = Array2::<f64>::zeros((rows, columns));
        let shape = AnyInput::from(&zeros).shape();
        method.check(&shape).unwrap();
        method.forecast(&shape).remedy
    };
    let sample = "fit to a sample and transform the rest";
    assert_eq!(remedy("umap", &[("n_neighbors", "2")], (2000, 5)), sample);
    assert_eq!(remedy("t-sne", &[("n_neighbors", "30")], (2000, 5)), sample);
    let one = remedy("pca", &[("n_components", "1"), ("svd_solver", "covariance")], (3000, 5));
    assert_eq!(one, "set a larger memory budget");
    let few = remedy("isomap", &[("landmarks", "10"), ("n_neighbors", "1")], (40, 3));
    assert!(few.contains("set landmarks = auto"), "{few}");
    let landmarks = remedy("isomap", &[], (5000, 3));
    assert!(landmarks.contains("set landmarks = 71"), "{landmarks}");
    let solver = remedy("mds", &[("solver", "majorization")], (5000, 3));
    assert!(solver.contains("set solver = sampled"), "{solver}");
    let dense = remedy("diffusion-maps", &[], (1000, 5));
    assert!(!dense.contains("n_neighbors"), "{dense}");
    let unfolding = remedy("landmark-mvu", &[], (3000, 3));
    assert!(!unfolding.contains("mvu"), "{unfolding}");
    // What is refused says the same.
    let mut method = (registry::find("umap").unwrap().create)();
    method.set("n_neighbors", &Value::Integer(2)).unwrap();
    let refused = method.fit((&sheet(300, 4, 3)).into(), &Run::new().with_memory(1000)).err().unwrap();
    assert!(refused.to_string().ends_with(sample), "{refused}");
    // Too few neighbors for the usual perplexity.
    let mut method = (registry::find("t-sne").unwrap().create)();
    method.set("n_neighbors", &Value::Integer(5)).unwrap();
    let refused = method.fit((&sheet(300, 4, 3)).into(), &Run::new()).err().unwrap().to_string();
    assert!(refused.ends_with("raise n_neighbors, or lower perplexity"), "{refused}");
}
