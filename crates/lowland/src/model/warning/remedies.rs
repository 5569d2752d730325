//! What can be done about a warning or a refusal with the method that it is about. A remedy names parameters that the method
//! has, and values that it takes and does not have already.

use super::Warning;
use super::words::short;
use crate::method::Fit;
use crate::parameters::{Described, Parameter, Value};
use crate::{InputKind, Method, Shape};
use lowland_base::Error;
use lowland_base::units::alternatives;

/// The fit that a remedy is for.
pub(crate) struct Situation {
    parameters: Vec<Parameter>,
    settings: Vec<(&'static str, Value)>,
    shape: Shape,
    passes: fn(&[(&'static str, Value)], &Shape) -> bool,
}

/// Parameters that choose the neighbors: given edges or similarities have their own.
const OF_NEIGHBORS: [&str; 3] = ["n_neighbors", "radius", "graph"];

impl Situation {
    /// A fit with these settings to an input of this shape.
    pub fn of<M: Fit>(settings: Vec<(&'static str, Value)>, shape: Shape) -> Self {
        let passes = |settings: &[(&'static str, Value)], shape: &Shape| {
            let mut method = M::default();
            let put =
                |(name, value): &(&'static str, Value)| Described::put(&mut method, name, value).is_some();
            settings.iter().all(put) && Method::check(&method, shape).is_ok()
        };
        Self { parameters: M::parameters(), settings, shape, passes }
    }

    /// Whether the input says itself what is near what.
    fn has_edges(&self) -> bool {
        matches!(self.shape.kind, InputKind::Graph | InputKind::Kernel)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let ignored = self.has_edges() && OF_NEIGHBORS.contains(&name);
        self.settings.iter().find(|(known, _)| *known == name && !ignored).map(|(_, value)| value)
    }

    /// Whether a parameter can have this value, and has another one.
    fn can_set(&self, name: &str, value: &Value) -> bool {
        let parameter = self.parameters.iter().find(|parameter| parameter.name == name);
        let admits = parameter.is_some_and(|parameter| parameter.kind.admits(value));
        if !admits || self.value(name).is_none_or(|now| now == value) {
            return false;
        }
        let mut settings = self.settings.clone();
        settings.iter_mut().filter(|(known, _)| *known == name).for_each(|entry| entry.1 = value.clone());
        (self.passes)(&settings, &self.shape)
    }

    /// `name = value`, where that is possible and would change something.
    fn set(&self, name: &str, value: &Value) -> Option<String> {
        self.can_set(name, value).then(|| format!("{name} = {value}"))
    }

    fn set_word(&self, name: &str, word: &str) -> Option<String> {
        self.set(name, &Value::Text(word.into()))
    }

    /// Edges between neighbors of each other only, where these are a number of nearest ones.
    fn mutual(&self) -> Option<String> {
        let by_radius = self.value("radius").is_some_and(|radius| !radius.is_open());
        if by_radius { None } else { self.set_word("graph", "mutual") }
    }

    fn cut(&self) -> Option<String> {
        self.set("cut_short_circuits", &Value::Bool(true))
    }

    /// How the neighborhoods become smaller or larger (`lower`, `raise`).
    fn neighbors(&self, change: &str) -> Option<String> {
        if self.has_edges() {
            let number = if change == "lower" { "fewer" } else { "more" };
            return Some(match self.shape.kind {
                InputKind::Kernel => format!("give {number} similarities above 0"),
                _ => format!("give the graph {number} edges"),
            });
        }
        if self.value("edges") == Some(&Value::Text("all".into())) {
            return Some(format!("{change} width"));
        }
        if self.value("radius").is_some_and(|radius| !radius.is_open()) {
            return Some(format!("{change} radius"));
        }
        let tree = self.value("graph") == Some(&Value::Text("spanning-tree".into()));
        let step = if change == "lower" { -1 } else { 1 };
        (!tree && self.can_move("n_neighbors", step)).then(|| format!("{change} n_neighbors"))
    }

    /// Whether a number that is set can be one more or less; what is left open can.
    fn can_move(&self, name: &str, step: i64) -> bool {
        match self.value(name) {
            Some(Value::Integer(now)) => self.can_set(name, &Value::Integer(now + step)),
            now => now.is_some(),
        }
    }

    /// What gives edges between sheets less weight, or none.
    fn without_short_circuits(&self) -> Vec<String> {
        let settings: Vec<String> = self.mutual().into_iter().chain(self.cut()).collect();
        let set = (!settings.is_empty()).then(|| format!("set {}", alternatives(&settings)));
        self.neighbors("lower").into_iter().chain(set).collect()
    }

    fn fewer_components(&self) -> Option<String> {
        let fewest = self.settings.contains(&("n_components", Value::Integer(1)));
        (!fewest).then(|| "ask for fewer components".to_owned())
    }

    /// The other ways with several connected components. Of given edges or similarities nothing else is known.
    fn several_components(&self) -> Vec<String> {
        let can_set = |policy: &&&str| self.can_set("disconnected", &Value::Text((**policy).into()));
        let policies: &[&str] = match self.has_edges() {
            false => &["join", "largest", "separate"],
            true if can_set(&&"separate") => &["separate"],
            // Whoever cannot have them side by side takes them as they are.
            true if self.value("disconnected") != Some(&Value::Text("separate".into())) => &["join"],
            true => &[],
        };
        let others: Vec<&str> = policies.iter().filter(can_set).copied().collect();
        let set = (!others.is_empty()).then(|| format!("set disconnected = {}", alternatives(&others)));
        self.neighbors("raise").into_iter().chain(set).collect()
    }

    /// Fills in the remedy of a warning of this fit.
    pub fn advise(&self, warning: &mut Warning) {
        match warning {
            Warning::RankDeficient { rank, remedy, .. } => {
                let general = || self.fewer_components().filter(|_| *rank > 0);
                if remedy.is_empty() {
                    *remedy = general().unwrap_or_else(|| "give rows that differ in more directions".into());
                }
            }
            Warning::NonEuclideanGeodesics { remedy, .. } => {
                let mut ways = self.without_short_circuits();
                ways.extend(ways.is_empty().then(|| "give more points".to_owned()));
                *remedy = ways.join(", or ");
            }
            Warning::ShortCircuits { cut, remedy, edges, .. }
            | Warning::SteepShortCircuits { cut, remedy, edges, .. } => {
                *remedy = if *cut {
                    (if edges.len() == 1 { "it was cut" } else { "they were cut" }).into()
                } else {
                    let set = self.cut().map(|cut| format!("set {cut}"));
                    let ways: Vec<String> = self.neighbors("lower").into_iter().chain(set).collect();
                    if ways.is_empty() { "leave out the points between".into() } else { ways.join(", or ") }
                }
            }
            Warning::TooManyNeighbors { parameter, better, cut, remedy, .. } => {
                let value = |better: f64| match parameter.as_str() {
                    "radius" => Value::Real(better),
                    _ => Value::Integer(better as i64),
                };
                let better = better.filter(|&better| self.can_set(parameter, &value(better)));
                let better = better.map(|better| format!("{parameter} = {}", short(better)));
                *remedy = self.fewer_neighbors(better, *cut);
            }
            Warning::Disconnected { remedy, .. } => {
                let mut ways = self.several_components();
                ways.extend(ways.is_empty().then(|| "fit each by itself".to_owned()));
                *remedy = ways.join(", or ");
            }
            Warning::Collapsed { remedy, .. } => {
                let more = self.neighbors("raise").map_or(String::new(), |raise| format!("{raise}, "));
                *remedy = format!("{more}remove outliers, or choose another method, such as isomap");
            }
            Warning::NotFlat { remedy, .. } => {
                let more = self.can_move("n_components", 1).then(|| "raise n_components".to_owned());
                let mut ways: Vec<String> = self.neighbors("lower").into_iter().chain(more).collect();
                ways.extend(ways.is_empty().then(|| "give more points".to_owned()));
                *remedy = ways.join(", or ");
            }
            Warning::OnlyDuplicateNeighbors { remedy, .. } => {
                let more = self.neighbors("raise").map_or(String::new(), |raise| format!(", or {raise}"));
                *remedy = format!("remove duplicates{more}");
            }
            Warning::Rigid { remedy, .. } => {
                let shrink = self.set_word("distances", "shrink").map(|set| format!("set {set}"));
                let mut ways: Vec<String> = shrink.into_iter().chain(self.neighbors("lower")).collect();
                ways.extend(ways.is_empty().then(|| "give more points".to_owned()));
                *remedy = ways.join(", or ");
            }
            _ => {}
        }
    }

    /// What to do about short circuits that fewer neighbors would not make.
    fn fewer_neighbors(&self, better: Option<String>, cut: Option<usize>) -> String {
        let mutual = self.mutual();
        match (cut, better) {
            (Some(1..), Some(better)) => format!("{better} does without"),
            (Some(1..), None) => mutual
                .map_or_else(|| "give more points".to_owned(), |mutual| format!("{mutual} does without")),
            (_, Some(better)) => {
                let settings: Vec<String> =
                    [Some(better), self.cut().filter(|_| cut.is_none())].into_iter().flatten().collect();
                format!("set {}", alternatives(&settings))
            }
            (_, None) => {
                let settings: Vec<String> =
                    mutual.into_iter().chain(self.cut().filter(|_| cut.is_none())).collect();
                let can_be_mutual = self.value("graph").is_some();
                let other = match settings.is_empty() {
                    true if can_be_mutual => String::new(),
                    true => ", or choose isomap with graph = mutual".to_owned(),
                    false => format!(", or set {}", alternatives(&settings)),
                };
                format!(
                    "no smaller number does, so give more points, leave out those between the sheets{other}"
                )
            }
        }
    }

    /// The same refusal with the remedy of this method.
    pub fn advise_refused(&self, mut error: Error) -> Error {
        if let Error::Disconnected { remedy, .. } = &mut error {
            let ways = self.several_components();
            if !ways.is_empty() {
                *remedy = ways.join(", or ");
            }
        }
        error
    }
}
