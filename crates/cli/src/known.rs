//! Words that the library knows, for the completions. The library itself judges what is typed: it also takes
//! aliases, and names the nearest.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use std::ffi::OsStr;

/// Any word; these are offered.
#[derive(Clone, Copy)]
pub struct Known(fn() -> Vec<PossibleValue>);

/// The names of the methods.
pub fn methods() -> Known {
    Known(|| {
        let all = lowland::registry::all().iter();
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

impl TypedValueParser for Known {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter()))
    }
}
