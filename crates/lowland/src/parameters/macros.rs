//! The macros that write a struct of parameters and an enum of words, with their descriptions.

/// An enum whose variants are the words of a parameter, each with its meaning (the doc comment) and its other
/// spellings.
#[macro_export]
macro_rules! choices {
    ($(#[doc = $doc:literal])* $(#[derive($($derive:ident),+)])? pub enum $name:ident {
        $($(#[doc = $meaning:literal])* $variant:ident = $word:literal $(| $alias:literal)*,)+
    }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash $(, $($derive),+)?)]
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
    ($(#[doc = $doc:literal])* $(#[derive($($derive:ident),+)])? pub struct $name:ident {
        $($(#[doc = $meaning:literal])* $field:ident: $type:ty = $default:expr $(, in $kind:expr)?;)*
    }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq $(, $($derive),+)?)]
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
