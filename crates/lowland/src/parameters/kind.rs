//! What a parameter can be, and how that is put into words.

use super::Value;
use serde::Serialize;

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
    /// A word with an argument: `minkowski(3)`.
    Call {
        /// The word.
        word: &'static str,
        /// The name of the argument, as the help shows it.
        argument: &'static str,
        /// What the argument can be.
        of: Box<Kind>,
        /// One such value, for messages.
        example: &'static str,
        /// What the word means.
        meaning: &'static str,
    },
    /// Several values in order. One value alone is a list of one.
    List {
        /// What each of them can be.
        of: Box<Kind>,
        /// The fewest.
        min_len: usize,
        /// The most.
        max_len: usize,
    },
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
            Self::Call { word, argument, of, .. } => {
                format!("{word}({argument}) where {argument} is {}", of.describe())
            }
            Self::List { of, min_len, max_len } => {
                let count = match (*min_len, *max_len) {
                    (0, usize::MAX) => "values".to_owned(),
                    (min, usize::MAX) => format!("at least {}", values(min)),
                    (min, max) if min == max => values(min),
                    (min, max) => format!("{min} to {}", values(max)),
                };
                format!("a list of {count}, each {}", of.describe())
            }
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
            (Self::Call { word, of, .. }, Value::Text(text)) => {
                argument(word, text).is_some_and(|inner| of.admits(&Value::parse(inner)))
            }
            (Self::List { of, min_len, max_len }, Value::List(values)) => {
                (min_len..=max_len).contains(&&values.len()) && values.iter().all(|value| of.admits(value))
            }
            (Self::AnyOf { kinds }, value) => kinds.iter().any(|kind| kind.admits(value)),
            _ => false,
        }
    }

    /// `none` is a word where the kind has it, `auto` where the kind has no words at all, and else no value: where other words
    /// say how, it would be taken for 'not at all'. A front end's empty value is the same the other way round.
    pub(super) fn meant(&self, value: &Value) -> Value {
        let none = Value::Text("none".into());
        match value {
            Value::Text(word)
                if word.eq_ignore_ascii_case("none") && !self.admits(&none) && self.words().is_empty() =>
            {
                Value::Auto
            }
            Value::Auto if !self.admits(value) && self.admits(&none) => none,
            other => other.clone(),
        }
    }

    /// The words that it can be, with their meanings; a word with an argument shows it.
    pub fn words(&self) -> Vec<(String, &'static str)> {
        match self {
            Self::Choice { options } => {
                options.iter().map(|(word, meaning)| ((*word).to_owned(), *meaning)).collect()
            }
            Self::Call { word, argument, meaning, .. } => vec![(format!("{word}({argument})"), meaning)],
            Self::List { of, .. } => of.words(),
            Self::AnyOf { kinds } => kinds.iter().flat_map(Self::words).collect(),
            _ => Vec::new(),
        }
    }

    /// The word with an argument that was given without it, if this is one: the word, the argument, an example.
    pub(super) fn lacks_argument(&self, value: &Value) -> Option<(&'static str, &'static str, &'static str)> {
        match (self, value) {
            (Self::Call { word, argument, example, .. }, Value::Text(text))
                if text.trim().eq_ignore_ascii_case(word) =>
            {
                Some((word, argument, example))
            }
            (Self::AnyOf { kinds }, _) => kinds.iter().find_map(|kind| kind.lacks_argument(value)),
            _ => None,
        }
    }
}

/// What is in the brackets after the word.
fn argument<'t>(word: &str, text: &'t str) -> Option<&'t str> {
    Some(text.strip_prefix(word)?.trim_start().strip_prefix('(')?.strip_suffix(')')?.trim())
}

fn values(count: usize) -> String {
    format!("{count} value{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_a_length_and_members() {
        let kind =
            Kind::List { of: Box::new(Kind::Integer { min: 1, max: i64::MAX }), min_len: 1, max_len: 3 };
        assert_eq!(kind.describe(), "a list of 1 to 3 values, each a whole number of at least 1");
        for (word, admitted) in [
            ("5,6", true),
            ("[5]", true),
            ("5", false),
            ("[]", false),
            ("1,2,3,4", false),
            ("1,0", false),
            ("a,b", false),
        ] {
            assert_eq!(kind.admits(&Value::parse(word)), admitted, "{word}");
        }
        let json = serde_json::to_value(&kind).unwrap();
        assert_eq!((&json["type"], &json["of"]["type"]), (&"list".into(), &"integer".into()));
    }

    #[test]
    fn words_carry_arguments() {
        let of = Box::new(Kind::Real { min: 1.0, max: 1e300, open: false });
        let kind = Kind::Call { word: "norm", argument: "p", of, example: "norm(3)", meaning: "a norm" };
        assert_eq!(kind.describe(), "norm(p) where p is a number of at least 1");
        for (word, admitted) in [
            ("norm(3)", true),
            ("norm( 1.5 )", true),
            ("norm", false),
            ("norm()", false),
            ("norm(0)", false),
            ("norm(x)", false),
        ] {
            assert_eq!(kind.admits(&Value::parse(word)), admitted, "{word}");
        }
        assert_eq!(kind.lacks_argument(&Value::parse("norm")), Some(("norm", "p", "norm(3)")));
        assert_eq!(kind.words(), [("norm(p)".to_owned(), "a norm")]);
    }
}
