//! Words that the library knows, for the completions. The library itself judges what is typed: it also takes
//! aliases, and names the nearest.

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use lowland::parameters::Kind;
use lowland::{InputKind, registry};
use std::ffi::OsStr;

/// Any word; these are offered.
#[derive(Clone, Copy)]
pub struct Known(fn() -> Vec<PossibleValue>);

/// The names of the methods.
pub fn methods() -> Known {
    Known(|| {
        let all = registry::all().iter();
        all.map(|entry| PossibleValue::new(entry.name).help(entry.title)).collect()
    })
}

/// The names of the built-in data.
pub fn data() -> Known {
    Known(|| lowland::data::all().iter().map(|g| PossibleValue::new(g.name).help(g.summary)).collect())
}

/// The names of the estimators of the dimension.
pub fn estimators() -> Known {
    Known(|| lowland::dimension::Estimator::ALL.map(|e| PossibleValue::new(e.name())).to_vec())
}

/// What rows can be: those that the command takes.
pub fn kinds(taken: &[InputKind]) -> impl TypedValueParser<Value = InputKind> + use<> {
    let words = taken.iter().map(|kind| PossibleValue::new(kind.name()).help(kind.meaning()));
    PossibleValuesParser::new(words.collect::<Vec<_>>()).try_map(|word| word.parse::<InputKind>())
}

/// The name of the parameter that says what is done with a graph of several connected components.
pub const DISCONNECTED: &str = "disconnected";

/// Its words. Without help of their own, they keep the help of all commands short.
pub fn policies() -> PossibleValuesParser {
    let all = registry::all().iter().flat_map(|entry| (entry.parameters)());
    let words =
        all.into_iter().find(|parameter| parameter.name == DISCONNECTED).map(|parameter| parameter.kind);
    let options = if let Some(Kind::Choice { options }) = words { options } else { Vec::new() };
    PossibleValuesParser::new(options.into_iter().map(|(word, _)| PossibleValue::new(word)))
}

/// The help of `--set` where the method is not chosen by its name.
pub fn clustering_parameters() -> String {
    format!("Set a parameter ('lowland methods {}' lists them)", registry::clustering().name)
}

impl TypedValueParser for Known {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter()))
    }
}
