//! What makes a fit lighter: other values of the parameters, each tried by its own forecast, and what the method advises beside
//! them.

use super::{Fit, Forecast, Method};
use crate::parameters::{Described, Value};
use crate::spectral::usual_landmarks;
use crate::{InputKind, Shape};
use lowland_base::{memory, units};

/// Numbers that may be lower, in the words for it.
const NUMBERS: [(&str, &str); 9] = [
    ("n_components", "ask for fewer components"),
    ("n_neighbors", "lower n_neighbors"),
    ("perplexity", "lower perplexity"),
    ("landmarks", "lower landmarks"),
    ("n_pairs", "lower n_pairs"),
    ("n_analyzers", "lower n_analyzers"),
    ("batch_size", "lower batch_size"),
    ("n_oversamples", "lower n_oversamples"),
    ("pca_components", "lower pca_components"),
];
/// Choices of the same fit by another way.
const CHOICES: [(&str, &[&str]); 3] = [
    ("svd_solver", &["covariance", "gram", "krylov", "randomized"]),
    ("solver", &["sampled"]),
    ("edges", &["neighbors"]),
];
/// Only what needs less than this share is worth a word.
const WORTH: f64 = 0.9;

/// The method with another value of one parameter; `None` where it cannot have it.
pub(super) fn with<M: Described>(method: &M, name: &str, value: &Value) -> Option<M> {
    let mut other = M::default();
    for (known, now) in method.settings() {
        Described::put(&mut other, known, if known == name { value } else { &now })?;
    }
    Some(other)
}

/// What makes a fit lighter than this forecast: settings that are lighter by their own, then what the method advises; a
/// larger budget where there is neither.
pub(super) fn remedy<M: Fit>(method: &M, shape: &Shape, forecast: &Forecast) -> String {
    let tried = Tried { method, shape, bytes: WORTH * forecast.bytes as f64 };
    let lower = NUMBERS.iter().filter(|(name, _)| tried.lower(name)).map(|(_, words)| (*words).to_owned());
    let choices = CHOICES.iter().filter_map(|(name, values)| {
        let values: Vec<Value> = values.iter().map(|value| Value::Text((*value).into())).collect();
        tried.set(name, &values)
    });
    let own = Some(&forecast.remedy).filter(|own| !own.is_empty()).cloned();
    let ways: Vec<String> = lower.chain(tried.landmarks()).chain(choices).chain(own).collect();
    if ways.is_empty() { memory::LARGER.into() } else { ways.join(", or ") }
}

/// A method whose parameters are tried.
struct Tried<'a, M> {
    method: &'a M,
    shape: &'a Shape,
    /// What is lighter needs less.
    bytes: f64,
}

impl<M: Fit> Tried<'_, M> {
    /// Whether another value is lighter; `None` where it is refused.
    fn is_lighter(&self, name: &str, value: &Value) -> Option<bool> {
        let other = with(self.method, name, value)?;
        Method::check(&other, self.shape).ok()?;
        Some((Fit::forecast(&other, self.shape).bytes as f64) < self.bytes)
    }

    /// A value as it is, or what it becomes where it is left open.
    fn now(&self, name: &str) -> Option<Value> {
        let now = Described::get(self.method, name)?;
        let resolved = Fit::resolved_for(self.method, self.shape).into_iter().find(|found| found.0 == name);
        Some(if now.is_open() { resolved.map_or(now, |found| found.1) } else { now })
    }

    /// Whether the least value that is not refused is lighter.
    fn lower(&self, name: &str) -> bool {
        let (Some(now), false) = (self.now(name), name == "n_neighbors" && self.has_edges()) else {
            return false;
        };
        let most = match now {
            Value::Integer(count) => count,
            Value::Real(number) if number >= 1.0 => number.ceil() as i64,
            _ => self.shape.rows.max(self.shape.columns) as i64,
        };
        let lower = (1..100).chain((7..40).map(|power| 1 << power)).take_while(|&value| value < most);
        lower.map(Value::Integer).find_map(|value| self.is_lighter(name, &value)) == Some(true)
    }

    /// Whether the number of neighbors chooses no edges: they are given, or between all.
    fn has_edges(&self) -> bool {
        let all = Described::get(self.method, "edges") == Some(Value::Text("all".into()));
        all || matches!(self.shape.kind, InputKind::Graph | InputKind::Kernel)
    }

    /// `set name = value`, of those that are lighter.
    fn set(&self, name: &str, values: &[Value]) -> Option<String> {
        let is_lighter = |value: &&Value| self.is_lighter(name, value) == Some(true);
        let lighter: Vec<String> = values.iter().filter(is_lighter).map(ToString::to_string).collect();
        (!lighter.is_empty()).then(|| format!("set {name} = {}", units::alternatives(&lighter)))
    }

    /// Landmarks where there are none, or all points where few landmarks need more than these.
    fn landmarks(&self) -> Option<String> {
        let components = match Described::get(self.method, "n_components")? {
            Value::Integer(count) => usize::try_from(count).ok()?,
            _ => 1,
        };
        let other = match self.now("landmarks")? {
            Value::Auto => Value::Integer(usual_landmarks(self.shape.rows, components) as i64),
            _ => Value::Auto,
        };
        self.set("landmarks", &[other])
    }
}
