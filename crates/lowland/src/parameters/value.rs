//! The value of a parameter, whichever front end it comes from.

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
    /// A word, with its argument where it has one: `minkowski(3)`.
    Text(String),
    /// Several values in order.
    List(Vec<Value>),
}

impl Value {
    /// Whether it leaves a parameter open: `auto` of a number, or the choice of that name.
    pub fn is_open(&self) -> bool {
        *self == Self::Auto || *self == Self::Text("auto".into())
    }

    /// What a word on a command line means: a truth value, a number, `auto`, a list such as `500,250` or `[500,250]`,
    /// or the word itself.
    pub fn parse(word: &str) -> Self {
        let word = word.trim();
        match word {
            "auto" => return Self::Auto,
            "true" | "yes" | "True" => return Self::Bool(true),
            "false" | "no" | "False" => return Self::Bool(false),
            _ => {}
        }
        let parts = split_list(word);
        if parts.len() > 1 {
            return Self::List(parts.into_iter().map(Self::parse).collect());
        }
        if let Some(inner) = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let parts = split_list(inner).into_iter().filter(|part| !part.is_empty());
            return Self::List(parts.map(Self::parse).collect());
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

/// The parts between commas that are in no brackets: one where there are none.
pub fn split_list(text: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut parts) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts
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
            Self::List(values) => {
                write!(f, "[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, "]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_what_they_are() {
        let list = |numbers: &[i64]| Value::List(numbers.iter().map(|n| Value::Integer(*n)).collect());
        for (word, value) in [
            ("auto", Value::Auto),
            ("none", Value::Text("none".into())),
            ("yes", Value::Bool(true)),
            ("12", Value::Integer(12)),
            ("1e-3", Value::Real(1e-3)),
            ("minkowski(3)", Value::Text("minkowski(3)".into())),
            ("500,250,20", list(&[500, 250, 20])),
            ("[500, 250]", list(&[500, 250])),
            ("[500]", list(&[500])),
            ("[]", list(&[])),
            ("[1,2],[3]", Value::List(vec![list(&[1, 2]), list(&[3])])),
        ] {
            assert_eq!(Value::parse(word), value, "{word}");
            assert_eq!(Value::parse(&value.to_string()), value, "{word}: what is shown is read back");
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value, "{json}");
        }
        assert_eq!(split_list("minkowski(3), [1,2],x"), ["minkowski(3)", "[1,2]", "x"]);
    }
}
