//! The Rust types that a parameter can have.

use super::{Kind, Value};

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

/// A value alone is a list of one: `hidden=500` needs no brackets.
impl<F: Field> Field for Vec<F> {
    fn kind() -> Kind {
        Kind::List { of: Box::new(F::kind()), min_len: 0, max_len: usize::MAX }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::List(values) => values.iter().map(F::from_value).collect(),
            alone => F::from_value(alone).map(|value| vec![value]),
        }
    }
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(F::to_value).collect())
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
