//! Numbers, warnings and what was left out, as sentences of the advice.

use super::Comparison;
use super::cell::{Budget, Cell, Outcome};
use super::counted;
use crate::parameters::Value;

/// What was not tried because a budget was spent.
pub(super) fn spent(comparison: &Comparison) -> Vec<String> {
    let (mut late, mut large, mut all) = (0, 0, 0);
    for tried in &comparison.cells {
        match tried.outcome {
            // These could not be tried whatever the budget.
            Outcome::Skipped { budget: None, .. } => continue,
            Outcome::Skipped { budget: Some(Budget::Time), .. } => late += 1,
            Outcome::Skipped { budget: Some(Budget::Memory), .. } => large += 1,
            _ => {}
        }
        all += 1;
    }
    let mut doubts = Vec::new();
    let mut add = |count: usize, why: &str| {
        if count > 0 {
            let were = if count == 1 { "was" } else { "were" };
            doubts.push(format!("{count} of {} {were} not tried: {why}.", counted(all, "setting")));
        }
    };
    add(late, "the time budget was spent");
    add(large, "more memory is needed than may be used");
    doubts
}

/// A word that a shell takes as one.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The line of a terminal that embeds data by a setting and draws the picture; `input` is the data with the flags that
/// say how it is read, as they stand on a command line.
pub fn command(cell: &Cell, dimensions: usize, input: &str) -> String {
    let settings: String = cell
        .settings
        .iter()
        .map(|(name, value)| format!(" --set {}", quoted(&format!("{name}={value}"))))
        .collect();
    let (method, file) = (&cell.method, file_name(cell));
    format!("lowland embed {input} -m {method} -d {dimensions}{settings} -o {file}.csv --plot {file}.svg")
}

/// The method and the values of its settings, so that two settings of a method do not write the same file.
fn file_name(cell: &Cell) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let value = |value: &Value| value.to_string().split(|c| !plain(c)).collect::<Vec<_>>().join("-");
    let words = cell.settings.values().map(|v| value(v).trim_matches('-').to_owned());
    std::iter::once(cell.method.clone()).chain(words).collect::<Vec<_>>().join("-")
}

/// A difference of scores; what is less than half a thousandth does not matter.
pub(super) fn interval(value: f64, low: f64, high: f64) -> String {
    if high.abs() < 0.0005 {
        return "less than 0.0005".into();
    }
    format!("{value:.3} (95 %: {low:.3} to {high:.3})")
}

/// A warning as a sentence.
pub(super) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let rest = letters.as_str();
    format!("{first}{rest}{}", if rest.ends_with('.') { "" } else { "." })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_become_sentences() {
        assert_eq!(sentence("the graph has 2 edges"), "The graph has 2 edges.");
        assert_eq!(sentence(""), ".");
    }

    #[test]
    fn a_shell_takes_what_was_meant() {
        assert_eq!(["x.csv", "it's", ""].map(quoted), ["x.csv", "'it'\\''s'", "''"]);
        assert_eq!(quoted("data:moons?n=5&seed=1"), "'data:moons?n=5&seed=1'");
        let cell = Cell {
            method: "isomap".into(),
            settings: [("metric".to_owned(), Value::Text("minkowski(3)".into()))].into(),
        };
        assert_eq!(
            command(&cell, 2, "x.csv --label-column y"),
            "lowland embed x.csv --label-column y -m isomap -d 2 --set 'metric=minkowski(3)' -o isomap-minkowski-3.csv \
             --plot isomap-minkowski-3.svg"
        );
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!([counted(0, "method"), counted(1, "method")], ["0 methods", "1 method"]);
        let warning = |edges: &[(usize, usize)]| {
            let (edges, remedy) = (edges.to_vec(), "it was cut".into());
            crate::Warning::ShortCircuits { edges, flow: 0.25, cut: true, remedy }.to_string()
        };
        let one = "1 edge looks like a short circuit, with 25 % of all shortest paths: 1-2; it was cut";
        assert_eq!(warning(&[(1, 2)]), one);
        assert!(
            warning(&[(1, 2), (3, 4)]).starts_with("2 edges look like short circuits, the busiest with 25 %")
        );
    }
}
