//! An entry of the registry as JSON: what every front end shows of a method.

use crate::method::Entry;
use crate::parameters::{Kind, Parameter, Value};
use serde_json::json;

impl Entry {
    /// Names, texts, capabilities, and the parameters with their ranges and defaults. `left_open` marks a default
    /// that is what the method does where the choice is left to it.
    pub fn to_json(&self) -> serde_json::Value {
        let parameters: Vec<serde_json::Value> = (self.parameters)()
            .iter()
            .map(|parameter| {
                json!({
                    "name": parameter.name,
                    "meaning": parameter.meaning,
                    "kind": parameter.kind,
                    "range": parameter.kind.describe(),
                    "default": parameter.default,
                    "left_open": self.is_left_open(parameter),
                })
            })
            .collect();
        json!({
            "name": self.name,
            "aliases": self.aliases,
            "title": self.title,
            "summary": self.summary,
            "citation": self.citation,
            "bibtex": self.bibtex(),
            "properties": self.properties(),
            "capabilities": self.capabilities,
            "parameters": parameters,
        })
    }

    /// Whether a parameter's default is what the method does where the choice is left to it.
    pub fn is_left_open(&self, parameter: &Parameter) -> bool {
        let can_be = matches!(&parameter.kind, Kind::AnyOf { kinds } if kinds.contains(&Kind::Auto));
        let mut method = (self.create)();
        can_be
            && method.set(parameter.name, &Value::Auto).is_ok()
            && method.get(parameter.name).as_ref() == Some(&parameter.default)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_parameter_of_every_method_is_reported() {
        for entry in crate::registry::all() {
            let json = entry.to_json();
            assert_eq!(json["name"], entry.name);
            assert_eq!(json["capabilities"]["inverse"], entry.capabilities.inverse);
            let parameters = (entry.parameters)();
            assert_eq!(json["parameters"].as_array().map(Vec::len), Some(parameters.len()));
            for (parameter, json) in
                parameters.iter().zip(json["parameters"].as_array().into_iter().flatten())
            {
                assert_eq!(json["name"], parameter.name);
                assert_eq!(json["range"], parameter.kind.describe());
                assert_eq!(json["left_open"], entry.is_left_open(parameter));
            }
        }
        let pca = crate::registry::find("pca").unwrap().to_json();
        assert_eq!(pca["parameters"][0]["name"], "n_components");
    }
}
