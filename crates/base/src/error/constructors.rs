//! Short ways to write errors.

use super::Error;

impl Error {
    /// What the operating system said of a file, and what to do.
    pub fn io(path: impl std::fmt::Display, error: &std::io::Error) -> Self {
        Self::Io { path: path.to_string(), problem: crate::files::words(error) }
    }

    /// A parameter that does not go with another one, or with the data.
    pub fn conflict(name: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Conflict { name: name.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// A graph in several connected components. A fit knows a better remedy.
    pub fn disconnected(sizes: Vec<usize>) -> Self {
        Self::Disconnected { sizes, remedy: "give edges between them, or take each by itself".into() }
    }

    /// An input whose parts do not fit together, or not to the fit.
    pub fn malformed(what: &'static str, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Malformed { what, problem: problem.into(), remedy: remedy.into() }
    }

    /// More components than the data allow, which are `most`; with more of `what` there could be more.
    pub fn too_many_components(count: usize, most: usize, bound: impl Into<String>, what: &str) -> Self {
        let fewer = || "ask for fewer components".to_owned();
        let remedy = if most > 0 { fewer() } else { format!("give more {what}") };
        Self::parameter("n_components", count, bound, remedy)
    }

    /// What must not happen.
    pub fn bug(what: &'static str, problem: impl Into<String>) -> Self {
        Self::malformed(what, problem, "this is a bug of Lowland, please report it")
    }

    /// Numbers of our own that do not fill their shape.
    pub fn shape(what: &'static str, error: &dyn std::fmt::Display) -> Self {
        Self::bug(what, format!("the values of the {what} do not fill its shape: {error}"))
    }

    /// A parameter out of its range: the one way to say so.
    pub fn parameter(
        name: impl Into<String>,
        value: impl ToString,
        bound: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Parameter {
            name: name.into(),
            value: value.to_string(),
            bound: bound.into(),
            remedy: remedy.into(),
        }
    }
}
