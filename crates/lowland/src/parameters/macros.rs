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
/// after the struct adds the two fields of methods that can fit to some of the points, at least so many; `with mixture` those
/// of a mixture, and the way to its settings; `with stress` those of a layout by stress, and the way to its recipe.
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
    ($(#[doc = $doc:literal])* pub struct $name:ident { $($fields:tt)* } with mixture from $start:ident) => {
        $crate::parameters! {
            $(#[doc = $doc])*
            pub struct $name {
                /// How many components, which is also how many factors each analyzer has: fewer than columns. `auto` is 2,
                /// or 1 where there are two columns; `bic` goes by the Bayesian information criterion.
                n_components: $crate::mixture::settings::Amount = $crate::mixture::settings::Amount::Auto;
                /// How many analyzers: local linear models, of which each needs more rows than components. `auto` is one
                /// for ten times as many, at most 20.
                n_analyzers: $crate::mixture::settings::Amount = $crate::mixture::settings::Amount::Auto;
                $($fields)*
                /// The tails of the analyzers' densities: those of Student's t are not moved by outliers.
                density: $crate::mixture::settings::Density = $crate::mixture::settings::Density::Gaussian;
                /// The degrees of freedom of Student's t; `auto` finds those of each analyzer by maximum likelihood.
                degrees_of_freedom: Option<f64> = None,
                    in $crate::parameters::Kind::AnyOf {
                        kinds: vec![
                            $crate::parameters::Kind::Auto,
                            $crate::parameters::Kind::Real { min: 0.5, max: 1e6, open: false },
                        ],
                    };
                /// Where the analyzers start.
                init: $crate::mixture::start::Start = $crate::mixture::start::Start::$start;
                /// How many starts are tried for some iterations; the best goes on.
                n_init: usize = 3, in $crate::parameters::Kind::Integer { min: 1, max: 10_000 };
                /// The neighbors of each row, or all other rows where there are fewer: for a start by patches of their
                /// graph, for the weights of llc, and for the neighborhoods on which the charts of charting agree.
                n_neighbors: usize = 10, in $crate::parameters::Kind::Integer { min: 1, max: 1_000_000 };
                /// The fit ends when an iteration adds less to the mean log-likelihood of a cell.
                tol: f64 = 1e-5, in $crate::parameters::Kind::Real { min: 0.0, max: 1.0, open: false };
                /// The most iterations of expectation maximization.
                max_iter: usize = 500, in $crate::parameters::Kind::Integer { min: 1, max: 1_000_000 };
                /// The least variance of the noise, relative to the variance of the data: an analyzer cannot shrink to a
                /// point.
                variance_floor: f64 = 1e-6, in $crate::parameters::Kind::Real { min: 1e-12, max: 1.0, open: false };
            }
        }

        impl $name {
            /// The parameters of the mixture.
            fn mixture(&self, noise: $crate::mixture::settings::Noise) -> $crate::mixture::settings::Settings {
                $crate::mixture::settings::Settings {
                    components: self.n_components,
                    analyzers: self.n_analyzers,
                    noise,
                    density: self.density,
                    degrees_of_freedom: self.degrees_of_freedom,
                    start: self.init,
                    starts: self.n_init,
                    neighbors: self.n_neighbors,
                    tolerance: self.tol,
                    iterations: self.max_iter,
                    floor: self.variance_floor,
                }
            }
        }
    };
    ($(#[doc = $doc:literal])* pub struct $name:ident { $($fields:tt)* } with stress) => {
        $crate::parameters! {
            $(#[doc = $doc])*
            pub struct $name {
                /// How many components: fewer than there are rows. Two are usual.
                n_components: usize = 2, in $crate::parameters::Kind::Integer { min: 1, max: 32 };
                /// The distance between points. Distances given as input take its place.
                metric: $crate::neighbors::Metric = $crate::neighbors::Metric::Euclidean;
                /// Whether distances are measured along the neighbor graph, as by Isomap. Those of a graph given as input
                /// always are.
                geodesic: bool = false;
                /// How many neighbors each point is joined to in that graph.
                n_neighbors: usize = 8, in $crate::parameters::Kind::Integer { min: 1, max: 1_000_000 };
                $($fields)*
                /// Where the layout starts, unless coordinates are given.
                init: $crate::layout::stress::StressInit = $crate::layout::stress::StressInit::Classical;
                /// How many starts: those after the first are random, and the best end is kept.
                n_init: usize = 1, in $crate::parameters::Kind::Integer { min: 1, max: 10_000 };
                /// The most iterations from each start.
                max_iter: usize = 1000, in $crate::parameters::Kind::Integer { min: 1, max: 1_000_000_000 };
                /// Stop when three iterations in a row lower the stress by less than this share.
                tol: f64 = 1e-6, in $crate::parameters::Kind::Real { min: 0.0, max: 1.0, open: false };
                /// Over which pairs the stress is minimized.
                solver: $crate::layout::stress::Solver = $crate::layout::stress::Solver::Auto;
                /// For sampled: how many pairs are drawn for each row; `auto` is 50.
                n_pairs: Option<usize> = None,
                    in $crate::parameters::Kind::AnyOf {
                        kinds: vec![
                            $crate::parameters::Kind::Auto,
                            $crate::parameters::Kind::Integer { min: 5, max: 1_000_000 },
                        ],
                    };
            }
        }

        impl $name {
            /// The layout with these parameters: what distances are compared with, and how pairs weigh.
            fn stress(
                &self,
                scale: $crate::layout::stress::Scale,
                power: f64,
                sammon: bool,
            ) -> $crate::layout::stress::recipe::StressRecipe {
                $crate::layout::stress::recipe::StressRecipe {
                    components: self.n_components,
                    geometry: $crate::layout::stress::objects::Geometry {
                        metric: self.metric,
                        neighbors: self.geodesic.then_some(self.n_neighbors),
                    },
                    scale,
                    power,
                    sammon,
                    init: self.init,
                    starts: self.n_init,
                    patience: $crate::layout::stress::Patience { max_iter: self.max_iter, tol: self.tol },
                    solver: self.solver,
                    pairs: self.n_pairs,
                }
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
