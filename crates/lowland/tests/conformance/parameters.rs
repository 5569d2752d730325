//! Parameters obey their description.

use super::*;

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
    // A value alone is a list of one.
    let admitted = |value: &Value| kind.admits(value) || kind.admits(&Value::List(vec![value.clone()]));
    candidates.into_iter().filter(|value| !admitted(value)).collect()
}
