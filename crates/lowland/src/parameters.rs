//! Parameters described once: a method's struct, its defaults, and everything that a command line, a Python
//! class, a page of documentation or a viewer needs to know about each of its fields.

use lowland_base::{Error, Result};
use serde::{Deserialize, Serialize};

/// The value of a parameter as a front end sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Left to the method.
    Auto,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A word.
    Text(String),
}

impl Value {
    /// What a word on a command line means: a truth value, a number, `auto`, or the word itself.
    pub fn parse(word: &str) -> Self {
        match word {
            "auto" | "none" | "None" => return Self::Auto,
            "true" | "yes" | "True" => return Self::Bool(true),
            "false" | "no" | "False" => return Self::Bool(false),
            _ => {}
        }
        if let Ok(integer) = word.parse() {
            Self::Integer(integer)
        } else if let Ok(real) = word.parse() {
            Self::Real(real)
        } else {
            Self::Text(word.to_owned())
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            // The debug form keeps the point: 1.0 is a fraction, 1 a count.
            Self::Real(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "{value}"),
        }
    }
}

/// The values that a parameter can take.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// A whole number between two bounds, both included.
    Integer {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// A number between two bounds.
    Real {
        /// The lower bound.
        min: f64,
        /// The upper bound.
        max: f64,
        /// Whether the bounds themselves are left out.
        open: bool,
    },
    /// One of a few words, each with its meaning.
    Choice {
        /// The words and their meanings.
        options: Vec<(&'static str, &'static str)>,
    },
    /// Whole numbers of at least 1 with hyphens between, such as `500-250`; `0` for none at all.
    Widths,
    /// `auto`.
    Auto,
    /// Any of these.
    AnyOf {
        /// The alternatives.
        kinds: Vec<Kind>,
    },
}

impl Kind {
    /// The range in words, as messages and help show it.
    pub fn describe(&self) -> String {
        match self {
            Self::Bool => "true or false".into(),
            Self::Integer { min, max: i64::MAX } => format!("a whole number of at least {min}"),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            // What only keeps out the infinite is no bound to a reader.
            Self::Real { min, max, .. } if *max >= 1e300 && *min <= -1e300 => "a number".into(),
            Self::Real { min, max, open } if *max >= 1e300 => {
                format!("a number {} {min}", if *open { "above" } else { "of at least" })
            }
            Self::Real { min, max, open: true } => format!("a number between {min} and {max}, both excluded"),
            Self::Real { min, max, open: false } => format!("a number from {min} to {max}"),
            Self::Choice { options } => {
                format!("one of {}", options.iter().map(|option| option.0).collect::<Vec<_>>().join(", "))
            }
            Self::Widths => "whole numbers with hyphens between, such as 500-250, or 0 for none".into(),
            Self::Auto => "auto".into(),
            Self::AnyOf { kinds } => kinds.iter().map(Self::describe).collect::<Vec<_>>().join(", or "),
        }
    }

    /// Whether the value is one of them.
    pub fn admits(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Bool, Value::Bool(_)) | (Self::Auto, Value::Auto) => true,
            (Self::Integer { min, max }, Value::Integer(value)) => (min..=max).contains(&value),
            (Self::Real { min, max, open: true }, Value::Real(value)) => min < value && value < max,
            (Self::Real { min, max, open: false }, Value::Real(value)) => min <= value && value <= max,
            (Self::Real { .. }, Value::Integer(value)) => self.admits(&Value::Real(*value as f64)),
            (Self::Choice { options }, Value::Text(word)) => options.iter().any(|option| option.0 == word),
            (Self::Widths, value) => Widths::from_value(value).is_some(),
            (Self::AnyOf { kinds }, value) => kinds.iter().any(|kind| kind.admits(value)),
            _ => false,
        }
    }
}

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

/// A Rust type that can be the type of a parameter.
pub trait Field: Sized {
    /// All values of the type.
    fn kind() -> Kind;
    /// From a value, if it is one of them.
    fn from_value(value: &Value) -> Option<Self>;
    /// As a value.
    fn to_value(&self) -> Value;
}

impl Field for bool {
    fn kind() -> Kind {
        Kind::Bool
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Bool(value) = value { Some(*value) } else { None }
    }
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Field for usize {
    fn kind() -> Kind {
        Kind::Integer { min: 0, max: i64::MAX }
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Integer(value) = value { usize::try_from(*value).ok() } else { None }
    }
    fn to_value(&self) -> Value {
        Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
    }
}

impl Field for f64 {
    fn kind() -> Kind {
        Kind::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, open: true }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Real(value) => Some(*value),
            Value::Integer(value) => Some(*value as f64),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Real(*self)
    }
}

impl<F: Field> Field for Option<F> {
    fn kind() -> Kind {
        Kind::AnyOf { kinds: vec![Kind::Auto, F::kind()] }
    }
    fn from_value(value: &Value) -> Option<Self> {
        if *value == Value::Auto { Some(None) } else { F::from_value(value).map(Some) }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Auto, F::to_value)
    }
}

/// How many components to keep: a count, a share of the variance, or a rule.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Components {
    /// As many as the data allow.
    #[default]
    All,
    /// This many.
    Count(usize),
    /// As few as explain this share of the variance, above 0 and below 1.
    Variance(f64),
    /// By Minka's Bayesian rule ("Automatic choice of dimensionality for PCA", 2000).
    Minka,
}

impl Field for Components {
    fn kind() -> Kind {
        let options = vec![("mle", "chosen by Minka's Bayesian rule"), ("all", "as many as the data allow")];
        Kind::AnyOf {
            kinds: vec![
                Kind::Auto,
                Kind::Integer { min: 1, max: i64::MAX },
                Kind::Real { min: 0.0, max: 1.0, open: true },
                Kind::Choice { options },
            ],
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Auto => Some(Self::All),
            Value::Integer(count) => usize::try_from(*count).ok().map(Self::Count),
            Value::Real(share) => Some(Self::Variance(*share)),
            Value::Text(word) if word == "mle" => Some(Self::Minka),
            Value::Text(word) if word == "all" => Some(Self::All),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        match self {
            Self::All => Value::Text("all".into()),
            Self::Count(count) => Value::Integer(i64::try_from(*count).unwrap_or(i64::MAX)),
            Self::Variance(share) => Value::Real(*share),
            Self::Minka => Value::Text("mle".into()),
        }
    }
}

/// A few whole numbers in a row, such as the widths of layers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Widths(pub Vec<usize>);

impl Field for Widths {
    fn kind() -> Kind {
        Kind::Widths
    }
    fn from_value(value: &Value) -> Option<Self> {
        let word = match value {
            Value::Integer(0) => return Some(Self::default()),
            Value::Integer(width) => width.to_string(),
            Value::Text(word) => word.clone(),
            _ => return None,
        };
        let width = |part: &str| part.trim().parse().ok().filter(|&width: &usize| width > 0);
        word.split(['-', ',']).map(width).collect::<Option<Vec<_>>>().map(Self)
    }
    fn to_value(&self) -> Value {
        match self.0[..] {
            [] => Value::Integer(0),
            [width] => Value::Integer(i64::try_from(width).unwrap_or(i64::MAX)),
            _ => Value::Text(self.0.iter().map(usize::to_string).collect::<Vec<_>>().join("-")),
        }
    }
}

/// Refuses a value that is not of the kind.
pub(crate) fn admit(name: &str, kind: &Kind, value: &Value) -> Result<()> {
    if kind.admits(value) {
        Ok(())
    } else {
        Err(Error::parameter(
            name,
            value,
            format!("it must be {}", kind.describe()),
            "choose a value in that range",
        ))
    }
}

/// An enum whose variants are the words of a parameter, each with its meaning (the doc comment) and its other
/// spellings.
#[macro_export]
macro_rules! choices {
    ($(#[doc = $doc:literal])* pub enum $name:ident {
        $($(#[doc = $meaning:literal])* $variant:ident = $word:literal $(| $alias:literal)*,)+
    }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[doc = $meaning])* $variant,)+ }

        impl $crate::parameters::Field for $name {
            fn kind() -> $crate::parameters::Kind {
                $crate::parameters::Kind::Choice {
                    options: vec![$(($word, concat!($($meaning),*).trim_ascii())),+],
                }
            }
            fn from_value(value: &$crate::parameters::Value) -> Option<Self> {
                // `auto` is a word of its own here, where the enum has it.
                let word = match value {
                    $crate::parameters::Value::Text(word) => word.as_str(),
                    $crate::parameters::Value::Auto => "auto",
                    _ => return None,
                };
                match word {
                    $($word $(| $alias)* => Some(Self::$variant),)+
                    _ => None,
                }
            }
            fn to_value(&self) -> $crate::parameters::Value {
                $crate::parameters::Value::Text(match self { $(Self::$variant => $word),+ }.to_owned())
            }
        }
    };
}

/// The parameters of a method: a plain struct with defaults, and its description for the front ends. A field is
/// `name: Type = default;`, with `in Kind` before the semicolon where its range is narrower than its type's. `with landmarks`
/// after the struct adds the two fields of methods that can fit to some of the points, at least so many.
#[macro_export]
macro_rules! parameters {
    ($(#[doc = $doc:literal])* pub struct $name:ident { $($fields:tt)* } with landmarks at least $least:literal) => {
        $crate::parameters! {
            $(#[doc = $doc])*
            pub struct $name {
                $($fields)*
                /// How many points stand for all: the others are placed as new ones. `auto` is all of them.
                landmarks: Option<usize> = None,
                    in $crate::parameters::Kind::AnyOf {
                        kinds: vec![
                            $crate::parameters::Kind::Auto,
                            $crate::parameters::Kind::Integer { min: $least, max: 100_000_000 },
                        ],
                    };
                /// How landmarks are chosen.
                landmark_choice: $crate::spectral::landmarks::Choice =
                    $crate::spectral::landmarks::Choice::Uniform;
            }
        }
    };
    ($(#[doc = $doc:literal])* pub struct $name:ident {
        $($(#[doc = $meaning:literal])* $field:ident: $type:ty = $default:expr $(, in $kind:expr)?;)*
    }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $($(#[doc = $meaning])* pub $field: $type,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::parameters::Described for $name {
            fn parameters() -> Vec<$crate::parameters::Parameter> {
                let default = Self::default();
                vec![$($crate::parameters::Parameter {
                    name: stringify!($field),
                    meaning: concat!($($meaning, "\n"),*).lines().map(str::trim).collect::<Vec<_>>().join(" "),
                    kind: $crate::parameters!(@kind $type $(, $kind)?),
                    default: $crate::parameters::Field::to_value(&default.$field),
                }),*]
            }
            fn get(&self, name: &str) -> Option<$crate::parameters::Value> {
                match name {
                    $(stringify!($field) => Some($crate::parameters::Field::to_value(&self.$field)),)*
                    _ => None,
                }
            }
            fn put(&mut self, name: &str, value: &$crate::parameters::Value) -> Option<()> {
                match name {
                    $(stringify!($field) => {
                        self.$field = $crate::parameters::Field::from_value(value)?;
                        Some(())
                    })*
                    _ => None,
                }
            }
        }
    };
    (@kind $type:ty, $kind:expr) => { $kind };
    (@kind $type:ty) => { <$type as $crate::parameters::Field>::kind() };
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
            let known = parameters.iter().map(|p| p.name).collect::<Vec<_>>().join(", ");
            return Err(Error::UnknownParameter { method: method.into(), name: name.into(), known });
        };
        // Other spellings become the word itself before the range is looked at.
        let mut trial = Self::default();
        let canonical = trial.put(name, value).and_then(|()| trial.get(name));
        admit(name, &parameter.kind, canonical.as_ref().unwrap_or(value))?;
        self.put(name, value).ok_or_else(|| {
            Error::parameter(name, value, parameter.kind.describe(), "choose a value in that range")
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
