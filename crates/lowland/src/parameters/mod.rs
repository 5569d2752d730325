//! Parameters described once: a method's struct, its defaults, and everything that a command line, a Python
//! class, a page of documentation or a viewer needs to know about each of its fields.

mod field;
mod kind;
mod macros;
mod value;

pub use field::{Components, Field};
pub use kind::Kind;
pub use value::{Value, split_list};

use lowland_base::{Error, Result, names};
use serde::Serialize;

/// One parameter of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name: scikit-learn's where that library has one.
    pub name: &'static str,
    /// What it means.
    pub meaning: String,
    /// What it can be.
    pub kind: Kind,
    /// What it is unless set.
    pub default: Value,
}

/// Refuses a value that is not of the kind.
pub(crate) fn admit(name: &str, kind: &Kind, value: &Value) -> Result<()> {
    if kind.admits(value) {
        return Ok(());
    }
    if let Some((word, argument, example)) = kind.lacks_argument(value) {
        return Err(Error::parameter(
            name,
            value,
            format!("{word} needs its {argument}"),
            format!("write {example}"),
        ));
    }
    Err(Error::parameter(
        name,
        value,
        format!("it must be {}", kind.describe()),
        "choose a value in that range",
    ))
}

/// A value of a type that parameters have, outside a method's parameters: with the same range, and refused in the same
/// words.
pub fn read<F: Field>(name: &str, value: &Value) -> Result<F> {
    let (kind, found) = (F::kind(), F::from_value(value));
    admit(name, &kind, &found.as_ref().map_or_else(|| value.clone(), F::to_value))?;
    found.ok_or_else(|| {
        let bound = format!("it must be {}", kind.describe());
        Error::parameter(name, value, bound, "choose a value in that range")
    })
}

/// What `parameters!` writes for a struct.
pub trait Described: Default {
    /// The description of every field.
    fn parameters() -> Vec<Parameter>;
    /// A field's value.
    fn get(&self, name: &str) -> Option<Value>;
    /// Sets a field; `None` if there is no such field or the value is not of its type.
    fn put(&mut self, name: &str, value: &Value) -> Option<()>;

    /// Sets a field by name, or says what is wrong with the name or the value.
    fn set(&mut self, method: &str, name: &str, value: &Value) -> Result<()> {
        let parameters = Self::parameters();
        let Some(parameter) = parameters.iter().find(|p| p.name == name) else {
            let known = || parameters.iter().map(|p| p.name);
            let remedy = match names::meant(name, known()) {
                Some(meant) => format!("did you mean '{meant}'?"),
                None => format!("it takes: {}", known().collect::<Vec<_>>().join(", ")),
            };
            return Err(Error::UnknownParameter { method: method.into(), name: name.into(), remedy });
        };
        let value = &parameter.kind.meant(value);
        // Other spellings become the word itself before the range is looked at.
        let mut trial = Self::default();
        let canonical = trial.put(name, value).and_then(|()| trial.get(name));
        admit(name, &parameter.kind, canonical.as_ref().unwrap_or(value))?;
        // Admitted, but of no value of the type: the kind in the description is wider than the field.
        self.put(name, value).ok_or_else(|| {
            let bound = format!("it must be {}", parameter.kind.describe());
            Error::parameter(name, value, bound, "choose a value in that range")
        })
    }

    /// Every field's name and value.
    fn settings(&self) -> Vec<(&'static str, Value)> {
        let of = |p: Parameter| self.get(p.name).map(|value| (p.name, value));
        Self::parameters().into_iter().filter_map(of).collect()
    }

    /// Looks at every field: they are public, so any of them may be out of range.
    fn check_ranges(&self) -> Result<()> {
        for parameter in Self::parameters() {
            if let Some(value) = self.get(parameter.name) {
                admit(parameter.name, &parameter.kind, &value)?;
            }
        }
        Ok(())
    }
}
